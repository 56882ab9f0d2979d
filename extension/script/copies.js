// Copies of pages that wait on this device until they can be uploaded. They are in IndexedDB, since storage.local is small.
import { keyOf } from "./account.js";
import { request, Refusal } from "./api.js";

/**
 * @typedef {{id: string, account: string, at: number, title: string, html: Blob, size: number, block: number?,
 *   next: number, tries: number, reason: string, text: string}} Copy
 * id is the `copy` of its entry in the queue. block is null until the entry is sent. With a reason, the id of a text, the
 * server has refused the copy, and it waits for the user; text is what the server says.
 */

/** How many copies wait at most, and their bytes. The oldest ones beyond that are dropped; their items stay. */
export const limits = { count: 50, bytes: 200 << 20 };

/** How often a copy is uploaded that the server cannot take. */
const mostTries = 30;

/** Returns the copies to drop until the others are within the limits, refused ones first and then the oldest. */
export function overflow(copies, { count, bytes } = limits) {
  const kept = [...copies].sort((a, b) => (a.reason === "") - (b.reason === "") || a.at - b.at);
  const dropped = [];
  let size = kept.reduce((sum, copy) => sum + copy.size, 0);
  while (kept.length > count || (size > bytes && kept.length > 0)) {
    const oldest = kept.shift();
    size -= oldest.size;
    dropped.push(oldest);
  }
  return dropped;
}

/**
 * Returns what becomes of a copy whose upload failed.
 * @param {Copy} copy
 * @param {{status: number, text: string, wait: number}} refusal
 */
export function afterUpload(copy, { status, text, wait }, now = Date.now()) {
  const later = [0, 401].includes(status); // ends with the connection or the sign-in
  const tries = copy.tries + (later ? 0 : 1);
  if (later || ([408, 429].includes(status) || status >= 500) && tries < mostTries) {
    return { ...copy, tries, next: later ? 0 : now + Math.max(wait, 60 * Math.min(2 ** (tries - 1), 60)) * 1_000 };
  }
  return { ...copy, tries, reason: { 403: "copyQuota", 404: "copyGone", 413: "copyTooLarge" }[status] ?? "errorServer", text: status === 422 ? text : "" };
}

/** Runs a function with the store of copies, in one transaction, and returns the result of the request that it returns. */
async function inStore(mode, fn) {
  const opening = indexedDB.open("copies", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("copies", { keyPath: "id" });
  const database = await finished(opening);
  try {
    const transaction = database.transaction("copies", mode);
    const asked = fn(transaction.objectStore("copies"));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    return asked?.result;
  } finally {
    database.close();
    if (mode === "readwrite") announce();
  }
}

const channel = "copies";

/** Notifies the other pages of the extension of changed copies. */
function announce() {
  const to = new BroadcastChannel(channel);
  to.postMessage(null);
  to.close();
}

/** Calls a function whenever copies change. */
export function onCopies(fn) {
  new BroadcastChannel(channel).addEventListener("message", fn);
}

function finished(asked) {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

/** @returns {Promise<Copy[]>} */
export const copies = () => inStore("readonly", (store) => store.getAll());

/** Stores a copy, drops those beyond the limits, and returns the dropped ones. */
export async function storeCopy(copy) {
  const dropped = overflow([...(await copies()).filter(({ id }) => id !== copy.id), copy]);
  await inStore("readwrite", (store) => {
    if (!dropped.includes(copy)) store.put(copy);
    for (const { id } of dropped) store.delete(id);
  });
  return dropped;
}

/** Changes a copy, unless it was deleted. */
function changeCopy(id, fn) {
  return inStore("readwrite", (store) => {
    const asked = store.get(id);
    asked.onsuccess = () => asked.result && store.put(fn(asked.result));
  });
}

/** Records the block of a copy, which can be uploaded from then on. */
export const setBlock = (id, block) => changeCopy(id, (copy) => ({ ...copy, block }));

/** Lets a refused copy be uploaded again. */
export const retryCopy = (id) => changeCopy(id, (copy) => ({ ...copy, reason: "", text: "", next: 0, tries: 0 }));

export const deleteCopies = (ids) => inStore("readwrite", (store) => ids.forEach((id) => store.delete(id)));

/**
 * Uploads the copies whose items are saved, one after another, or only the one with the given id. Repeating an upload has no
 * further effect, because a block keeps a copy with the same bytes once. It returns the copies that remain.
 */
export function sendCopies(account, only) {
  return navigator.locks.request("send copies", async () => {
    for (const { id } of await copies()) {
      const copy = await inStore("readonly", (store) => store.get(id)); // it may have been deleted
      if (!copy || copy.account !== keyOf(account) || copy.block === null || copy.reason !== "" || (only ? id !== only : copy.next > Date.now())) continue;
      try {
        await request(account, "POST", `/ext/v1/blocks/${copy.block}/snapshots`, copy.html);
        await deleteCopies([id]);
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal;
        await changeCopy(id, (now) => afterUpload(now, refusal));
        if ([0, 401, 429].includes(refusal.status)) break;
      }
    }
    return copies();
  });
}
