// The stream of changes. The pages of a browser share one: the page that holds a lock reads it, and passes the events on
// to the others. Without locks, which browsers offer only over https, each visible page reads its own.
import { root } from "./page.js";

const patience = 60_000; // ms after which a hidden page leaves the stream
const refused = 5 * 60_000; // ms after which it is tried again
const soon = 1000; // ms after which it is tried without a cursor
const kept = 200; // last events, for pages that were just opened

const name = `vitrine.changes.${root()}.${document.documentElement.dataset.reader ?? ""}`;
const others = globalThis.BroadcastChannel && new BroadcastChannel(name);

let listener; // the function that gets the events
let cursor = document.documentElement.dataset.changes ?? ""; // after the last event, and at first from before the page was read
let source; // this page reads the stream
let wish; // aborts waiting for the lock
let release; // gives it back
let timer = 0;
const last = []; // events with their times, of the page that reads
let whole = Infinity; // since when these are all events
const me = Math.random(); // in questions to other pages
const missed = { missed: true };
let first = true; // the cursor is that of this page

/** Calls `act` with each further event, and without one if some were missed. */
export function follow(act) {
  if (listener) return;
  listener = act;
  others?.addEventListener("message", ({ data }) => {
    if (data.since) return void (source && others.postMessage({ to: data.me, events: data.since < whole ? [{ event: missed }] : last.filter(({ at }) => at >= data.since) }));
    if (data.to === undefined || data.to === me) for (const each of data.events) take(each);
  });
  others?.postMessage({ since: cursor ? performance.timeOrigin : 1, me }); // without a cursor nothing is sure
  document.addEventListener("visibilitychange", seen);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    seen();
    listener();
  });
  document.addEventListener("resume", () => listener());
  seen();
}

function take({ id, event }) {
  if (id) [cursor, first] = [id, false];
  if (event) listener(event.missed ? undefined : event);
}

function seen() {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(leave, patience);
  else join();
}

function join() {
  if (wish || source) return;
  if (!navigator.locks || !others) return open();
  wish = new AbortController();
  navigator.locks.request(name, { signal: wish.signal }, () => new Promise((end) => {
    release = end;
    open();
  })).catch(() => {});
}

function leave() {
  clearTimeout(timer);
  source?.close();
  source = undefined;
  wish?.abort();
  wish = undefined;
  release?.();
  release = undefined;
}

function open() {
  const [page] = performance.getEntriesByType("navigation");
  whole = first && page ? performance.timeOrigin + page.responseStart : Date.now();
  first = false;
  const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : "";
  source = new EventSource(`${root()}/feed/changes${query}`);
  const pass = (message, event) => {
    const one = { id: message.lastEventId, event, at: Date.now() };
    last.push(one);
    if (last.length > kept) whole = Math.max(whole, last.shift().at + 1);
    others?.postMessage({ events: [one] });
    take(one);
  };
  source.addEventListener("start", (message) => {
    const event = JSON.parse(message.data);
    if (event.missed) whole = Date.now();
    pass(message, event.missed && event);
  });
  for (const kind of ["change", "unread"]) source.addEventListener(kind, (message) => pass(message, JSON.parse(message.data)));
  source.addEventListener("error", ({ target }) => {
    if (target.readyState !== EventSource.CLOSED || target !== source) return; // otherwise it connects again
    leave();
    const old = cursor !== ""; // it may be too old
    cursor = "";
    timer = setTimeout(() => {
      seen();
      if (!old && !document.hidden) listener();
    }, (old ? soon : refused) * (0.5 + Math.random()));
  });
}
