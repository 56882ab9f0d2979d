// Everything that is saved goes through a queue in storage.local, so that nothing is lost if the network, the browser
// or the server fails. Each entry has a key, with which the server executes it only once.
import { account as readAccount, keyOf } from "./account.js";
import { request, Refusal } from "./api.js";
import { copies, deleteCopies, setBlock, storeCopy } from "./copies.js";

/**
 * @typedef {{id: string, account: string, at: number, block: object?, connect: number?, channels: object[],
 *   sent: number?, next: number, state: "waiting" | "refused" | "unsure", message: string, copy: string, lost: string?}} Entry
 * block is the body of createBlock without channels; connect is the id of a block to connect instead. A channel has an
 * id, or a key if it is to be created. sent is when it was first sent without an answer. A refused entry waits for the
 * user; of an unsure one it is unknown whether the server has executed it. copy is the id of the copy of its page in
 * copies.js, if there is one; lost is the id of a text that says why there is none any more.
 */

/** The server keeps the keys of requests for a day. After that, a request that had no answer may not be repeated. */
const keysKept = 23 * 60 * 60 * 1_000;
const most = 500;

/** Returns an entry for each block, or one that connects a block. */
export function entriesOf(account, { blocks = [], connect = null, channels }, now = Date.now()) {
  const made = (block, id = crypto.randomUUID()) => ({ id, copy: id, account: keyOf(account), at: now, block, connect, channels, sent: null, next: 0, state: "waiting", message: "" });
  return connect === null ? blocks.map((block) => made(block)) : [made(null)];
}

/**
 * Returns what becomes of an entry that failed: it stays, and may be tried again after `next`.
 * @param {Entry} entry
 * @param {{status: number, text: string, wait: number}} refusal
 */
export function after(entry, refusal, now = Date.now()) {
  const { status, text, wait } = refusal;
  const state = (name) => ({ ...entry, state: name, message: text });
  switch (true) {
    case status === 0: // no answer: it may have been executed
    case status === 408 || status >= 500:
      return { ...state("waiting"), sent: entry.sent ?? now, next: wait ? now + wait * 1_000 : 0 };
    case status === 401:
      return { ...state("waiting"), next: 0 };
    case status === 429:
      return { ...state("waiting"), next: now + (wait || 60) * 1_000 };
    case status === 422 && /idempotency/i.test(text):
      return state("unsure");
    default:
      return state("refused");
  }
}

/** Reports whether it is unknown if the server has executed an entry, and too late to ask. */
export function isUnsure(entry, now = Date.now()) {
  return entry.sent !== null && now - entry.sent > keysKept;
}

/** Returns an entry that is tried again as a new request, because the user has asked for that. */
export function again(entry) {
  return { ...entry, id: crypto.randomUUID(), sent: null, next: 0, state: "waiting", message: "" };
}

/** @returns {Promise<Entry[]>} */
export async function entries() {
  return (await chrome.storage.local.get("queue")).queue ?? [];
}

/** Changes the queue. Pages and the worker do so at the same time, so each change has a lock. */
function change(fn) {
  return navigator.locks.request("queue", async () => chrome.storage.local.set({ queue: await fn(await entries()) }));
}

export async function enqueue(added) {
  let fits = true;
  await change((all) => {
    fits = all.length + added.length <= most;
    return fits ? [...all, ...added] : all;
  });
  return fits;
}

/** Removes entries, with the copies of their pages. */
export function discard(ids) {
  return change(async (all) => {
    await deleteCopies([...ids, ...all.filter(({ id, copy }) => ids.includes(id) && copy).map(({ copy }) => copy)]);
    return all.filter(({ id }) => !ids.includes(id));
  });
}

export function retry(ids) {
  return change((all) => all.map((entry) => ids.includes(entry.id) ? again(entry) : entry));
}

function replace(changed) {
  return change((all) => all.map((entry) => entry.id === changed.id ? changed : entry));
}

const sentBlocks = new Map(); // of the entries that this worker has sent, by their copies

/** Removes an entry that was sent. From then on its copy can be uploaded. It reports whether the entry was still there. */
async function leave(id, block) {
  let there = false;
  await change(async (all) => {
    const entry = all.find((other) => other.id === id);
    there = entry !== undefined;
    if (there && entry.copy) {
      sentBlocks.set(entry.copy, block);
      await setBlock(entry.copy, block);
    }
    return all.filter((other) => other.id !== id);
  });
  return there;
}

/**
 * Keeps the copy of a page with its entry, whether that waits or was just sent. It returns how many other copies had to be
 * dropped, or -1 if this one is over the limits, its entry was discarded, or the user has signed out.
 */
export async function keepWithEntry(copy) {
  let dropped = [];
  let kept = true;
  await change(async (all) => {
    const waits = all.some((entry) => entry.copy === copy.id);
    const block = sentBlocks.get(copy.id) ?? copy.block;
    const now = await readAccount();
    if ((!waits && block === null) || !now || keyOf(now) !== copy.account) {
      kept = false;
      return all;
    }
    dropped = (await storeCopy({ ...copy, block: waits ? null : block })).map(({ id }) => id);
    kept = !dropped.includes(copy.id);
    return all.map((entry) => (dropped.includes(entry.copy) ? { ...entry, lost: "copyDropped" } : entry));
  });
  return kept ? dropped.length : -1;
}

/** Deletes all copies, because the user signs out. Entries say so. */
export function forgetCopies() {
  return change(async (all) => {
    const ids = (await copies()).map(({ id }) => id);
    await deleteCopies(ids);
    return all.map((entry) => (ids.includes(entry.copy) ? { ...entry, lost: "copySignedOut" } : entry));
  });
}

/** Deletes copies whose entries are gone without having been sent. Without this, a kill might leave them. */
export function sweepCopies() {
  return change(async (all) => {
    const left = (await copies()).filter(({ id, block }) => block === null && !all.some((entry) => entry.copy === id));
    if (left.length > 0) await deleteCopies(left.map(({ id }) => id));
    return all;
  });
}

/** Returns why an entry was not saved, given the function that returns texts. */
export const why = ({ state, message }, t) => (state === "unsure" ? t("queueUnsure") : message || t("errorServer"));

/**
 * Sends the waiting entries of the account one after another, and returns the results by id. It ends at the first
 * failure that would affect the other entries too.
 * @returns {Promise<Record<string, {block: number?, connections: number[], channels: object[], made: object[]}>>}
 */
export function send(account) {
  return navigator.locks.request("send", async () => {
    const results = {};
    for (const { id } of await entries()) {
      const entry = (await entries()).find((other) => other.id === id); // it may have been discarded, or have got a channel
      if (!entry || entry.account !== keyOf(account) || entry.state !== "waiting" || entry.next > Date.now()) continue;
      if (isUnsure(entry)) {
        await replace({ ...entry, state: "unsure" });
        continue;
      }
      try {
        results[id] = await execute(account, entry);
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        await replace(after((await entries()).find((other) => other.id === id) ?? entry, refusal));
        if ([0, 401, 408, 429, 502, 503, 504].includes(refusal.status)) break; // a 500 may concern only this entry
        continue;
      }
      if (!await leave(id, results[id].block)) { // discarded in the meantime
        await undo(account, results[id]).catch(() => {}); // without a connection the block stays
        delete results[id];
      }
    }
    return results;
  });
}

async function execute(account, entry) {
  const made = [];
  for (const channel of entry.channels.filter(({ id }) => !id)) {
    const { id, title, visibility, slug } = await request(account, "POST", "/v3/channels", { title: channel.title, visibility: channel.visibility }, channel.key);
    const known = { id, title, visibility, slug, web_url: `${account.site.url}/${account.user.slug}/${slug}`, owner: account.user.name };
    made.push(known);
    await change((all) => all.map((other) => ({ ...other, channels: other.channels.map((one) => one.key === channel.key ? { ...known, key: channel.key } : one) })));
    entry = { ...entry, channels: entry.channels.map((one) => one.key === channel.key ? known : one) };
  }
  const channel_ids = entry.channels.map(({ id }) => id);
  if (entry.connect !== null) {
    const { data } = await request(account, "POST", "/v3/connections", { connectable_id: entry.connect, connectable_type: "Block", channel_ids }, entry.id);
    return { block: entry.connect, created: false, connections: data.map(({ id }) => id), channels: entry.channels, made };
  }
  const { id } = await request(account, "POST", "/v3/blocks", { ...entry.block, channel_ids }, entry.id);
  return { block: id, created: true, connections: [], channels: entry.channels, made };
}

/** Undoes what an entry did. A channel that was created for it stays if it has other contents. */
export async function undo(account, { block, created, connections, made }) {
  if (created) await ignoringMissing(request(account, "DELETE", `/ext/v1/blocks/${block}`));
  else for (const id of connections) await ignoringMissing(request(account, "DELETE", `/v3/connections/${id}`));
  for (const { id } of made) {
    const channel = await ignoringMissing(request(account, "GET", `/v3/channels/${id}`));
    if (channel?.counts.contents === 0) await ignoringMissing(request(account, "DELETE", `/v3/channels/${id}`));
  }
}

async function ignoringMissing(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.status !== 404) throw error;
    return null;
  }
}
