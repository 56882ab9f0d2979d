// Starts the worker that stores pages for reading offline, sends it the reader's id, and marks
// pages that come from its cache, and lists what waits to be sent. Without this script, pages are only available online.
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const { root = "", reader, kept } = document.documentElement.dataset;

export function keepForReading() {
  if (kept) sayOffline();
  const list = document.querySelector("[data-kept-pages]");
  if (list) listKept(list);
  const workers = navigator.serviceWorker;
  if (!workers) return;
  const outbox = (sent) => import("./outbox.js").then((module) => module.showWaiting(sent), () => {});
  workers.addEventListener("message", ({ data }) => data?.outbox !== undefined && outbox(data.outbox));
  workers.startMessages();
  addEventListener("online", () => workers.controller?.postMessage({ outbox: "flush" }));
  if (reader === undefined) return outbox();
  const tell = () => workers.controller?.postMessage({ reader });
  tell();
  workers.addEventListener("controllerchange", tell);
  workers.register(`${root}/sw.js`, { scope: `${root}/`, updateViaCache: "none" }).catch(() => {}); // browsers may forbid it
}

/** Shows when the page was stored, and offers to reload it. */
function sayOffline() {
  const at = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }).format(new Date(kept));
  const again = make("button", { type: "button", class: "link" }, t("script.offline.again"));
  again.addEventListener("click", () => location.reload());
  const text = t("script.offline.kept", at);
  const notes = document.querySelector("#notes") ?? document.body;
  notes.prepend(make("div", { class: "note offline" }, make("p", {}, text, " ", again)));
  announce(text);
  if (document.querySelector("main form[data-outbox]")) return; // what is typed there would be lost
  addEventListener("online", () => ifReached(() => location.reload()));
}

/** Calls a function if the site can be reached. Being on a network is not enough. */
function ifReached(then) {
  fetch(location.href, { method: "HEAD", cache: "no-store" }).then(then, () => {});
}

/** Lists the stored pages, newest first. */
async function listKept(list) {
  const rows = [];
  const name = (await caches.keys()).find((each) => each.startsWith(`vitrine${root}-pages-`)); // of the last reader
  const cache = name && await caches.open(name);
  for (const request of ((await cache?.keys()) ?? []).reverse()) {
    const response = await cache.match(request);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const { pathname, search } = new URL(request.url);
    rows.push(make("li", {}, make("a", { href: pathname + search }, page.title || pathname)));
  }
  list.replaceChildren(...rows);
  for (const none of document.querySelectorAll("[data-kept-none]")) none.hidden = rows.length > 0;
}
