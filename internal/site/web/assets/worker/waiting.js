
// Content that waits: forms that could not be sent, and what phones share with the installed site.
// Both are in IndexedDB, with the id of their reader, and only that reader's pages see them.
//
// Forms are sent one after the other when the site can be reached. Each has the key of its form
// ("once"), so the site adds it once even if an answer is lost. The site refuses a form with
// X-Reader if another user is signed in.

const limits = { entries: 100, files: 100, shared: 5, query: 6000 };
const day = 24 * 60 * 60 * 1000;
const certain = 20 * 60 * 60 * 1000; // the site keeps keys for a day
const syncTag = `${mine}-outbox`;

/** Runs an action on a store in a transaction, and returns the result of its request. */
async function stored(name, mode, act) {
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open(mine, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("outbox", { keyPath: "id", autoIncrement: true });
      request.result.createObjectStore("shared", { keyPath: "id" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(name, mode);
      const request = act(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

const waiting = async (reader) => (await stored("outbox", "readonly", (store) => store.getAll())).filter((entry) => entry.reader === reader);
const put = (entry) => stored("outbox", "readwrite", (store) => store.put(entry));

self.addEventListener("message", (event) => {
  const { data, ports: [port] } = event;
  if (new URL(event.origin || self.location.origin).origin !== self.location.origin) return;
  if (Object.hasOwn(actions, data?.outbox)) {
    event.waitUntil(actions[data.outbox](data).then((result) => port?.postMessage({ result }), (error) => port?.postMessage({ error: error.name })));
  } else if (typeof data?.reader === "string") {
    event.waitUntil((async () => {
      await knows(data.reader);
      if ((await waiting(data.reader)).length > 0) event.source?.postMessage({ outbox: 0 });
      await flush();
    })().catch(() => {}));
  }
});

self.addEventListener("sync", (event) => {
  if (event.tag === syncTag) event.waitUntil(flush());
});

const actions = {
  /** Stores a form of a reader until it can be sent. */
  async keep({ reader, address, fields, first }) {
    const { origin, pathname } = new URL(address);
    if (origin !== self.location.origin || !pathname.startsWith(`${site.root}/`)) throw new Error();
    if ((await waiting(reader)).length >= limits.entries) throw new DOMException("", "QuotaExceededError");
    await put({ reader, address, fields, first, at: Date.now(), state: "waiting" });
    self.registration.sync?.register(syncTag).catch(() => {});
  },

  /** Lists what waits for a reader. The offline page has none, and shows that of the last one. */
  list: async ({ reader }) => waiting(reader ?? await known()),

  async retry({ id }) {
    const entry = await stored("outbox", "readonly", (store) => store.get(id));
    if (entry) await put({ ...entry, state: "waiting", first: undefined, answer: undefined });
    await flush().catch(() => {});
  },

  discard: ({ id }) => stored("outbox", "readwrite", (store) => store.delete(id)),

  flush: () => flush().catch(() => {}),

  /** Returns shared content. From now on it is only for this reader. */
  async shared({ id, reader }) {
    const entry = await stored("shared", "readonly", (store) => store.get(id));
    if (!entry || ![reader, "guest", ""].includes(entry.reader)) return undefined;
    await stored("shared", "readwrite", (store) => store.put({ ...entry, reader }));
    return entry;
  },

  unshare: ({ id }) => stored("shared", "readwrite", (store) => store.delete(id)),
};

let flushing;

/** Sends what waits for the current reader. Rejects if the site cannot be reached. */
function flush() {
  return flushing ??= navigator.locks.request(syncTag, sendAll).finally(() => { flushing = undefined; });
}

async function sendAll() {
  const reader = await known();
  let [last, sent, failure] = [0, 0, undefined];
  for (;;) {
    const entry = (await waiting(reader)).find(({ id, state }) => id > last && state === "waiting");
    if (!entry) break;
    last = entry.id;
    try {
      if (await send(entry)) sent++;
    } catch (error) {
      failure = error;
      break;
    }
  }
  for (const client of await self.clients.matchAll({ includeUncontrolled: true })) client.postMessage({ outbox: sent });
  if (failure) throw failure;
}

/** Sends a form and reports whether the site accepted it. Rejects if that has to wait. */
async function send(entry) {
  if (entry.first && Date.now() - entry.first > certain) { // it may have arrived, and its key is no longer known
    await put({ ...entry, state: "unsure" });
    return false;
  }
  if (!navigator.onLine) throw new Error("offline");
  await put({ ...entry, first: entry.first ?? Date.now() });
  const body = new FormData();
  for (const [name, value] of entry.fields) body.append(name, value);
  const headers = { Accept: "application/json, text/html", "X-Follow": "none", "X-Reader": entry.reader };
  const response = await fetch(entry.address, { method: "POST", body, headers });
  const to = response.headers.get("X-Location");
  if (response.status === 201 || (to && !repeats(to, entry.address))) {
    await stored("outbox", "readwrite", (store) => store.delete(entry.id));
    return true;
  }
  const later = response.status >= 500 && response.status !== 507;
  if (to || later || [408, 412, 429].includes(response.status)) throw new Error(`${response.status}`); // 412: for another reader
  await put({ ...entry, state: "refused", answer: (await response.text()).slice(0, 1_000_000) });
  return false;
}

/** Reports whether a redirect means that the form must be sent again. */
function repeats(to, address) {
  const path = new URL(to, address).pathname;
  return path === new URL(address).pathname || path.startsWith(`${site.root}/sign-in`) || path === `${site.root}/settings/confirm`;
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method === "POST" && request.mode === "navigate" && origin === self.location.origin && pathname === `${site.root}/save/share`) {
    event.respondWith(receive(request));
  }
});

/**
 * Keeps what a phone shares, and leads to the page for saving, which shows it. Nothing is sent until
 * the user chooses a channel there, so another site that posts here can only fill in that form.
 */
async function receive(request) {
  const direct = request.clone();
  if (request.referrer && !request.referrer.startsWith(`${self.location.origin}/`)) return fetch(direct); // the site refuses it
  try {
    const form = await request.formData();
    const given = Object.fromEntries(["url", "title", "text"].map((name) => [name, `${form.get(name) ?? ""}`]));
    const files = form.getAll("file").filter((file) => file instanceof File && file.size > 0);
    const fits = (file, n) => file.size <= site.largest && n < limits.files;
    const id = crypto.randomUUID();
    const left = files.filter((file, n) => !fits(file, n)).map((file) => file.name);
    await keepShared({ id, reader: await known(), at: Date.now(), ...given, files: files.filter(fits), left });
    const query = new URLSearchParams({ shared: id, ...given });
    if (`${query}`.length > limits.query) query.delete("text"); // the page reads it from the store
    return Response.redirect(`${site.root}/save?${query}`, 303);
  } catch {
    return fetch(direct);
  }
}

/** Stores shared content, and deletes old content. */
async function keepShared(entry) {
  const old = (await stored("shared", "readonly", (store) => store.getAll())).sort((a, b) => b.at - a.at);
  for (const [n, { id, at }] of old.entries()) if (n >= limits.shared - 1 || Date.now() - at > day) await actions.unshare({ id });
  await stored("shared", "readwrite", (store) => store.put(entry));
}
