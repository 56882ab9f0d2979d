// `[data-live]` is a part of a page that follows the changes of others: a channel, the comments of a block, a list of
// news, or the number of unread notifications. Without this script, users reload the page.
import { undoable } from "./added.js";
import { items } from "./items.js";
import { ask, replaceMain, started } from "./page.js";
import { announce, make } from "./say.js";
import { follow } from "./stream.js";
import { t } from "./texts.js";

const soon = 200; // ms in which changes are collected
const between = 10_000; // ms between two looks at the news, and between two announcements
const atOnce = 10; // looks before they wait for `between`
const mostPages = 5; // of a channel
const slowest = 30_000; // ms in which a page is read
const most = 200; // events of this time
const latest = { headers: { "Cache-Control": "no-cache" } }; // not from a replica, which may lack the change

const kinds = { channel: channelChanges, block: blockChanges, news: newsChanges, unread: unreadChanges };
const parts = new Map(); // by the value of the hook

export function start(element) {
  const value = element.dataset.live;
  const [kind, id] = value.split("/");
  const part = parts.get(value);
  if (part) part.element = element;
  else {
    const fresh = new Part(element, kinds[kind], Number(id));
    parts.set(value, fresh);
    for (const { event } of recent()) fresh.take(event); // it may have been read before them
  }
  follow(take);
}

let heard = []; // events, for parts that a script adds
const recent = () => (heard = heard.filter(({ at }) => at > performance.now() - slowest).slice(-most));

/** Passes an event to the parts. Without one, changes were missed. */
function take(event) {
  heard.push({ event, at: performance.now() });
  recent();
  for (const [value, part] of parts) {
    if (part.element.isConnected) part.take(event);
    else parts.delete(value);
  }
}

class Part {
  #act;
  #timer = 0;
  #running = false;
  #failed = 0; // looks in succession
  #free = atOnce; // looks that need not wait
  #counted = 0; // when they were counted
  missed = []; // events since the last look

  constructor(element, act, id) {
    this.element = element;
    this.id = id;
    this.#act = act;
  }

  take(event) {
    const wait = this.#act.wants(this, event);
    if (wait === undefined) return;
    this.missed.push(event);
    this.#later(wait);
  }

  #later(wait) {
    if (!this.#timer && !this.#running) this.#timer = setTimeout(() => this.#look(), wait + this.#turn());
  }

  /** Returns for how many ms more a look waits, so that a busy page is not read all the time, nor by all browsers at once. */
  #turn() {
    const now = performance.now();
    this.#free = Math.min(atOnce, this.#free + (now - this.#counted) / between) - 1;
    this.#counted = now;
    return Math.random() * 300 + Math.max(0, -this.#free) * between;
  }

  async #look() {
    this.#timer = 0;
    if (!this.element.isConnected || !this.missed.length) return;
    if (this.#act.busy?.(this)) return void (this.#timer = setTimeout(() => this.#look(), 1000));
    this.#running = true;
    const events = this.missed.splice(0);
    try {
      await this.#act.show(this, events);
      this.#failed = 0;
    } catch {
      this.#failed++;
      this.missed.unshift(undefined); // the site cannot be reached at the moment
    }
    this.#running = false;
    if (this.missed.length) this.#later(this.#failed ? Math.min(1000 * 2 ** this.#failed, 60_000) : soon);
  }
}

let pressed = false;
addEventListener("pointerdown", () => { pressed = true; }, true);
for (const name of ["pointerup", "pointercancel", "blur"]) addEventListener(name, () => { pressed = false; }, true);

/** Reports whether the user is doing something that a changed page would disturb. */
function busy(root = document.querySelector("#main")) {
  const field = document.activeElement;
  return pressed || document.querySelector("dialog.sheet[open], .editing.field, .dragging, .banding")
    || root?.querySelector("details.menu[open]") || root?.contains(field) && field.matches("input:not([type=range]), textarea, select")
    || !getSelection().isCollapsed;
}

let announced = -between;
function say(text) {
  if (performance.now() - announced < between) return;
  announced = performance.now();
  announce(text);
}

/** Calls `change` and scrolls so that an element stays in its place. */
function steady(anchor, change) {
  const before = anchor?.getBoundingClientRect().top;
  change();
  if (anchor?.isConnected) scrollBy(0, anchor.getBoundingClientRect().top - before);
}

// A channel.

function channelChanges() {}
channelChanges.wants = ({ id }, event) => {
  if (!event) return soon;
  const { type, id: changed, channel, item } = event;
  const shown = type === "Block" && document.querySelector(`#cells > li .face[href*="/block/${changed}"]`);
  return type === "Channel" && changed === id || channel === id || shown || item?.type === "Channel" && item.id === id ? soon : undefined;
};
channelChanges.busy = () => {
  const list = document.querySelector("#cells");
  return busy() || list?.moving || list?.chosen?.size;
};
channelChanges.show = async (part, events) => {
  const list = document.querySelector("#cells[data-tiles], .contents > #cells");
  const first = await ask(location.href.replace(/#.*/, ""), latest);
  const head = first.page?.querySelector(".channel-head");
  if (first.response.status === 404 || first.response.status === 410) {
    part.element.removeAttribute("data-live");
    return undoable(t("script.live.gone"));
  }
  if (!first.response.ok) throw new Error("the channel cannot be read");
  if (!head) return;
  if (document.querySelector("dialog.view")) return showItems(part, events, list, first.page);
  if (!list || !first.page.querySelector("#cells")) {
    if (list || first.page.querySelector("#cells")) replaceMain(first.page);
    else showHead(part, head, first.page);
    return say(t("script.live.channel"));
  }
  showHead(part, head, first.page);
  await showItems(part, events, list, first.page);
};

const signature = (head) => ["h1", ".what .prose", ".what .tags", ".mark", ".facts > span:nth-child(2)", ".with"].map((each) => head.querySelector(each)?.textContent.trim() ?? "").join("\n");

function showHead(part, fresh, page) {
  if (signature(part.element) === signature(fresh)) return;
  const held = part.element.contains(document.activeElement);
  part.element.replaceWith(document.adoptNode(fresh));
  part.element = fresh;
  document.title = page.title;
  started(fresh);
  if (held) fresh.querySelector("a, button")?.focus({ preventScroll: true });
  say(t("script.live.channel"));
}

async function showItems(part, events, list, page) {
  if (!list?.isConnected) return;
  let [last, pages] = [page, 1];
  const fresh = [...page.querySelectorAll("#cells > li[data-connection]")];
  const next = () => last.querySelector("#pager a[rel=next]");
  for (; fresh.length < items(list).length && next() && pages < mostPages; pages++) {
    last = (await ask(next().href)).page;
    if (!last) throw new Error("the next page cannot be read");
    fresh.push(...last.querySelectorAll("#cells > li[data-connection]"));
  }
  if (channelChanges.busy()) return void part.missed.push(...events); // in the meantime
  const whole = fresh.length >= items(list).length || !next();
  if (!merge(list, fresh, events, whole)) return;
  const pager = last.querySelector("#pager");
  if (whole && pager) {
    document.querySelector("#pager")?.replaceWith(document.adoptNode(pager));
    started(pager);
  }
  say(t("script.live.channel"));
}

/** Makes a list equal to the items of its pages, and keeps elements that have not changed. Returns whether any has. */
function merge(list, fresh, events, whole) {
  const was = items(list);
  const known = new Map(was.map((item) => [item.dataset.connection, item]));
  const all = events.includes(undefined);
  const blocks = new Set(events.filter((event) => event?.type === "Block").map((event) => String(event.id)));
  const joins = new Set(events.filter((event) => event?.type === "Connection" && event.kind === "updated").map((event) => String(event.id)));
  const changed = (item) => all || joins.has(item.dataset.connection) || blocks.has(item.querySelector(".face")?.getAttribute("href")?.match(/\/block\/(\d+)/)?.[1]);
  const wanted = fresh.map((item) => {
    const old = known.get(item.dataset.connection);
    if (!old || changed(item)) return document.adoptNode(item);
    if (item.dataset.position) old.dataset.position = item.dataset.position;
    return old;
  });
  const listed = new Set(fresh.map((item) => item.dataset.connection));
  const removed = new Set(events.filter((event) => event?.kind === "disconnected").map((event) => String(event.id)));
  const rest = whole ? [] : was.filter((item) => !listed.has(item.dataset.connection) && !removed.has(item.dataset.connection));
  const after = [...wanted, ...rest];
  if (after.length === was.length && after.every((item, i) => item === was[i])) return false;
  const focused = document.activeElement?.closest?.("li[data-connection]")?.dataset.connection;
  const anchor = scrollY > 0 ? was.find((item) => after.includes(item) && item.getBoundingClientRect().bottom > 0) : undefined;
  steady(anchor, () => {
    const end = was.at(-1)?.nextSibling ?? null;
    for (const item of was) if (!after.includes(item)) item.remove();
    after.forEach((item, i) => {
      const place = i ? after[i - 1].nextElementSibling : items(list)[0] ?? end;
      if (place !== item) list.insertBefore(item, place);
    });
  });
  for (const item of after) if (!was.includes(item)) started(item);
  const again = focused && items(list).find((item) => item.dataset.connection === focused);
  if (again && !again.contains(document.activeElement)) again.querySelector(".face")?.focus({ preventScroll: true });
  return true;
}

// The comments of a block.

function blockChanges() {}
blockChanges.wants = ({ id }, event) => (!event || event.type === "Comment" && event.item?.id === id ? soon : undefined);
blockChanges.busy = ({ element }) => busy(element.closest("dialog, main")?.querySelector("#comments"));
blockChanges.show = async ({ element }) => {
  const now = element.closest("dialog, main")?.querySelector("#comments");
  const fresh = now && (await ask(location.href.replace(/#.*/, ""), latest)).page?.querySelector("#comments");
  if (!fresh || !now.isConnected) return;
  const ids = (section) => [...section.querySelectorAll(":scope > ol > li")].map((each) => each.id + each.querySelector(".prose")?.textContent).join("\n");
  if (ids(now) === ids(fresh)) return;
  const [title, ...others] = ["h2", "ol", ".pager"].map((each) => [now.querySelector(`:scope > ${each}`), fresh.querySelector(`:scope > ${each}`)]);
  title[0].textContent = title[1].textContent;
  let place = title[0];
  for (const [old, made] of others) {
    old?.remove();
    if (!made) continue;
    place.after(document.adoptNode(made));
    started(made);
    place = made;
  }
  say(title[0].textContent);
};

// A list of news.

function newsChanges() {}
newsChanges.wants = (part, event) => {
  const notices = location.pathname.endsWith("/notifications");
  const about = !event || (notices ? event.unread !== undefined : ["created", "connected", "followed", "joined"].includes(event.kind) || event.type === "Channel");
  if (!about) return undefined;
  return Math.max(soon, (part.looked ?? -Infinity) + between - performance.now());
};
newsChanges.show = async (part) => {
  part.looked = performance.now();
  const { page } = await ask(location.href, latest);
  const here = new Set([...document.querySelectorAll("#activities > li")].map((each) => each.id));
  const n = [...page?.querySelectorAll("#activities > li") ?? []].filter((each) => !here.has(each.id)).length;
  if (n === 0) return;
  const text = t("script.live.news", n);
  const button = make("button", { type: "button", class: "small" }, text);
  button.addEventListener("click", () => {
    replaceMain(page);
    scrollTo(0, 0);
    document.querySelector("#main").focus({ preventScroll: true });
  });
  const held = part.element.contains(document.activeElement);
  part.element.replaceChildren(button);
  if (held) button.focus();
  say(text);
};

// The number of unread notifications.

function unreadChanges() {}
unreadChanges.wants = (_, event) => (event?.unread === undefined ? undefined : 0);
unreadChanges.show = ({ element }, events) => {
  const { unread, text, shown } = events.at(-1);
  const count = element.querySelector(".count");
  if ((count?.querySelector("[aria-hidden]").textContent ?? "0") === shown) return;
  count?.remove();
  if (unread === 0) return;
  element.append(" ", make("span", { class: "count" }, make("span", { class: "unseen" }, text), make("span", { "aria-hidden": "true" }, shown)));
  say(text);
};
