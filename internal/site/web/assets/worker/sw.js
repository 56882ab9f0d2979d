// The service worker, which stores pages for reading while the site cannot be reached. The server
// prepends `site`: { version, root, offline, assets, largest }, and appends waiting.js.
//
// Pages come from the site as long as it responds. Pages without "no-store" are cached, and so are
// the small pictures on them; the number and size of both are limited. When the site reports
// another reader, or none, the cache of the previous reader is deleted.

const most = { pages: { number: 80, bytes: 300_000 }, images: { number: 200, bytes: 300_000 } };

// A host may have several sites below different paths, whose workers share its caches.
const mine = `vitrine${site.root}`;
const assets = `${mine}-assets-${site.version}`;
const notes = `${mine}-notes`;
const listOf = (kind, reader) => `${mine}-${kind}-${reader}`;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(assets);
    await cache.addAll([...site.assets, site.offline].map((address) => new Request(address, { cache: "reload" })));
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith(`${mine}-assets-`) && name !== assets) await caches.delete(name);
    await self.registration.navigationPreload?.enable();
    await self.clients.claim();
  })());
});

// A page sends the id of its reader. The first page was loaded before the worker was active, so it
// is fetched again.
self.addEventListener("message", (event) => {
  const { reader, outbox } = event.data ?? {};
  if (typeof reader !== "string" || outbox !== undefined || new URL(event.origin || self.location.origin).origin !== self.location.origin) return;
  event.waitUntil((async () => {
    await knows(reader);
    const pages = await caches.open(listOf("pages", reader));
    const load = (address) => fetch(address, { headers: { Accept: "text/html" }, redirect: "error" }).then((response) => keepPage(address, response)).catch(() => {});
    const address = event.source?.url?.split("#")[0];
    if (address && !await pages.match(address)) await load(address);
    if (reader !== "guest" && !fresh(await pages.match(saving))) await load(saving);
  })().catch(() => {}));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith(`${site.root}/assets/`)) event.respondWith(fromAssets(request));
  else if (request.mode === "navigate") event.respondWith(page(event));
  else if (request.destination === "image") event.respondWith(image(event));
});

const saving = new URL(`${site.root}/save`, self.location.origin).href; // the form works offline: see waiting.js
const fresh = (response) => response && Date.now() - Date.parse(response.headers.get("Date")) < 24 * 60 * 60 * 1000;

async function fromAssets(request) {
  return await caches.match(request, { cacheName: assets }) ?? fetch(request);
}

async function page(event) {
  try {
    const response = await event.preloadResponse ?? await fetch(event.request);
    event.waitUntil(keepPage(event.request.url, response.clone()).catch(() => {}));
    return response;
  } catch (error) {
    return await keptPage(event.request.url) ?? await caches.match(site.offline, { cacheName: assets }) ?? Promise.reject(error);
  }
}

/** Caches a page with the current time, if the site permits it. */
async function keepPage(address, response) {
  const reader = response.headers.get("X-Reader");
  if (reader === null) return;
  await knows(reader);
  if (!response.ok || response.redirected || !/^text\/html/.test(response.headers.get("Content-Type"))) return;
  if (/no-store/.test(response.headers.get("Cache-Control"))) return;
  const html = (await response.text()).replace("<html ", `<html data-kept="${new Date().toISOString()}" `);
  await keep("pages", reader, address, new Response(html, { headers: headersOf(response) }), html.length);
}

const headersOf = (response) => {
  const headers = new Headers(response.headers);
  for (const name of ["Content-Encoding", "Content-Length", "ETag"]) headers.delete(name);
  return headers;
};

async function keptPage(address) {
  const cache = await caches.open(listOf("pages", await known()));
  const { pathname } = new URL(address);
  const saves = pathname === `${site.root}/save` || pathname.endsWith("/add");
  return await cache.match(address.split("#")[0]) ?? (saves ? cache.match(saving) : undefined);
}

async function image(event) {
  const reader = await known();
  try {
    const response = await fetch(event.request);
    if (response.ok && response.type === "basic") event.waitUntil(keepImage(reader, event.request.url, response.clone()).catch(() => {}));
    return response;
  } catch (error) {
    return await (await caches.open(listOf("images", reader))).match(event.request.url) ?? Promise.reject(error);
  }
}

async function keepImage(reader, address, response) {
  if (!(Number(response.headers.get("Content-Length")) <= most.images.bytes)) return;
  const body = await response.blob();
  if (await known() !== reader) return; // the reader changed
  await keep("images", reader, address, new Response(body, { headers: headersOf(response) }), body.size);
}

/** Appends a response to a cache, and removes the oldest ones beyond the limit. */
async function keep(kind, reader, address, response, bytes) {
  if (bytes > most[kind].bytes) return;
  const cache = await caches.open(listOf(kind, reader));
  const key = address.split("#")[0];
  await cache.delete(key);
  await cache.put(key, response);
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - most[kind].number))) await cache.delete(old);
}

let current; // the reader, once it has been read

async function known() {
  current ??= await (await (await caches.open(notes)).match("/reader"))?.text() ?? "";
  return current;
}

/** Stores the current reader, and deletes the caches of others. */
async function knows(reader) {
  if (await known() !== reader) {
    current = reader;
    await (await caches.open(notes)).put("/reader", new Response(reader));
  }
  for (const name of await caches.keys()) {
    if ((name.startsWith(listOf("pages", "")) || name.startsWith(listOf("images", ""))) && !name.endsWith(`-${reader}`)) await caches.delete(name);
  }
}
