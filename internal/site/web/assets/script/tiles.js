// `[data-tiles]` is a list of a channel's items. The toolbar of a tile can also select and remove it, and a bar has the
// actions for all selected ones. Without this script, users open an item, or the page for arranging, which has the path
// in the attribute.
import { change, undoable } from "./added.js";
import { edges } from "./edges.js";
import { failed, group, itemOf, items, send } from "./items.js";
import { ask, refresh, root } from "./page.js";
import { make } from "./say.js";
import { t } from "./texts.js";
import { choose, copy, faceOf, Tools } from "./tools.js";

const pressTime = 450; // ms
const slack = 8; // pixels that a press may move
const most = 100; // items in one request
const empty = "#cells, .contents, main, .body, body, html";

/** Reports whether an element of an item has its own use of presses. */
const own = (item, element) => item.contains(element.closest(".tile-tools, button, form, input, label"));

export function start(list) {
  new Tiles(list);
}

class Tiles {
  #list;
  #last; // the item that a range begins at
  #pressed = false; // the click that follows belongs to a long press
  #bar;
  #count;

  constructor(list) {
    this.#list = list;
    list.chosen = new Set();
    new Tools(list, (all) => this.#connect(all), [
      { text: t("script.tile.select"), act: (item) => this.#toggle(item), key: "x" },
      ...(list.matches("[data-removes]") ? [{ text: t("script.tile.remove"), act: (item) => this.#remove(group(list, item)), key: "Delete" }] : []),
    ]);
    list.addEventListener("click", (event) => this.#click(event), { capture: true });
    list.addEventListener("pointerdown", (event) => this.#press(event));
    list.addEventListener("contextmenu", (event) => this.#pressed && event.preventDefault());
    const key = (event) => (list.isConnected ? this.#key(event) : document.removeEventListener("keydown", key));
    document.addEventListener("keydown", key);
    const band = (event) => (list.isConnected ? this.#band(event) : document.removeEventListener("pointerdown", band));
    document.addEventListener("pointerdown", band);
  }

  // Selecting.

  #click(event) {
    const item = itemOf(event.target);
    if (!item || own(item, event.target) || event.altKey) return;
    if (!this.#pressed && !event.ctrlKey && !event.metaKey && !event.shiftKey && this.#list.chosen.size === 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.#pressed) this.#pressed = false;
    else if (event.shiftKey) this.#range(item);
    else this.#toggle(item);
  }

  #toggle(item) {
    const { chosen } = this.#list;
    if (!chosen.delete(item)) chosen.add(item);
    this.#last = item;
    this.#show();
  }

  #range(item) {
    const all = items(this.#list);
    const [from, to] = [Math.max(0, all.indexOf(this.#last)), all.indexOf(item)];
    for (const each of all.slice(Math.min(from, to), Math.max(from, to) + 1)) this.#list.chosen.add(each);
    this.#show();
  }

  /** Selects items only. */
  #choose(all) {
    this.#list.chosen.clear();
    for (const item of all) this.#list.chosen.add(item);
    this.#show();
  }

  #show() {
    const { chosen } = this.#list;
    for (const item of chosen) if (!item.isConnected) chosen.delete(item);
    for (const item of this.#list.querySelectorAll(":scope > .chosen")) if (!chosen.has(item)) mark(item, false);
    for (const item of chosen) mark(item, true);
    if (chosen.size > 0 && !this.#bar) this.#makeBar();
    if (this.#bar) this.#bar.hidden = chosen.size === 0;
    if (!this.#bar) return;
    this.#count.textContent = t("script.tile.count", chosen.size);
    for (const one of this.#bar.querySelectorAll("[data-one]")) one.hidden = chosen.size !== 1;
  }

  #makeBar() {
    this.#count = make("output", { "aria-live": "polite" });
    const button = (text, act, attributes = {}) => {
      const made = make("button", { type: "button", class: "other small", ...attributes }, text);
      made.addEventListener("click", () => act(items(this.#list).filter((item) => this.#list.chosen.has(item))));
      return made;
    };
    this.#bar = make("div", { class: "chosen-bar", role: "group", "aria-label": t("script.tile.bar") }, this.#count,
      button(t("script.tile.connect"), (all) => this.#connect(all)),
      ...(this.#list.matches("[data-removes]") ? [button(t("script.tile.remove.short"), (all) => this.#remove(all))] : []),
      button(t("script.tile.download"), download), button(t("script.tile.book"), (all) => this.#book(all)), button(t("script.tile.copy"), copy),
      button(t("script.tile.open"), ([item]) => window.open(faceOf(item).href, "_blank", "noopener"), { "data-one": "" }),
      button("×", () => this.#choose([]), { "aria-label": t("script.tile.clear") }));
    this.#list.closest("main").append(this.#bar); // fixed elements in a container of container queries are placed by it
  }

  /** Downloads the texts of items as one book. */
  #book(all) {
    const to = new URL(this.#list.dataset.tiles.replace(/arrange$/, "articles.epub"), location.href);
    for (const item of all) to.searchParams.append("connection", item.dataset.connection);
    location.assign(to);
  }

  #key(event) {
    if (event.defaultPrevented || document.querySelector("dialog[open]") || event.target.closest?.("input, textarea, select")) return;
    if (event.key === "Escape" && this.#list.chosen.size > 0 && !document.querySelector("details.menu[open]")) this.#choose([]);
    else if (event.key === "X" && itemOf(event.target)) this.#range(itemOf(event.target));
  }

  /** Selects an item that a finger holds. */
  #press(event) {
    this.#pressed = false;
    const item = itemOf(event.target);
    if (event.pointerType === "mouse" || !event.isPrimary || !item || own(item, event.target)) return;
    const over = () => {
      clearTimeout(timer);
      for (const name of ["pointermove", "pointerup", "pointercancel"]) removeEventListener(name, moved);
    };
    const moved = (next) => (next.type !== "pointermove" || Math.hypot(next.clientX - event.clientX, next.clientY - event.clientY) > slack) && over();
    const timer = setTimeout(() => {
      over();
      this.#pressed = true;
      if (!this.#list.chosen.has(item)) this.#toggle(item);
      this.#list.dispatchEvent(new CustomEvent("tile:held", { detail: { item, event } }));
    }, pressTime);
    for (const name of ["pointermove", "pointerup", "pointercancel"]) addEventListener(name, moved);
  }

  /** Selects the items that a rectangle touches, which the mouse draws from an empty place. */
  #band(event) {
    if (event.pointerType !== "mouse" || event.button || !event.target.matches(empty) || document.querySelector("dialog[open]")) return;
    if (event.clientX >= document.documentElement.clientWidth) return; // on the scroll bar
    const kept = event.ctrlKey || event.metaKey || event.shiftKey ? [...this.#list.chosen] : [];
    const [x, y] = [event.pageX, event.pageY];
    let boxes, box, at = event;
    const draw = () => {
      const [px, py] = [at.clientX + scrollX, at.clientY + scrollY];
      if (!box && Math.hypot(px - x, py - y) < slack) return;
      if (!box) {
        box = make("div", { class: "band" });
        document.body.append(box);
        document.documentElement.classList.add("banding");
        boxes = items(this.#list).map((item) => {
          const { left, top, width, height } = item.getBoundingClientRect();
          return { item, left: left + scrollX, top: top + scrollY, right: left + scrollX + width, bottom: top + scrollY + height };
        });
      }
      const [left, top, right, bottom] = [Math.min(x, px), Math.min(y, py), Math.max(x, px), Math.max(y, py)];
      Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
      this.#choose([...kept, ...boxes.filter((b) => b.left < right && b.right > left && b.top < bottom && b.bottom > top).map((b) => b.item)]);
    };
    const scroll = edges(draw);
    const move = (next) => { at = next; draw(); if (box) scroll.at(next.clientY); };
    const end = (last) => {
      scroll.stop();
      removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, end);
      document.documentElement.classList.remove("banding");
      box?.remove();
      if (!box && last.type === "pointerup" && kept.length === 0) this.#choose([]);
    };
    addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end);
  }

  // Actions.

  #connect(all) {
    if (!tooMany(all)) choose(this.#list, all, () => this.#choose([]));
  }

  async #remove(all) {
    if (tooMany(all)) return;
    try {
      const done = await send(this.#list, "remove", all);
      if (!done) return await refresh();
      const gone = all.filter((item) => done.connections?.includes(Number(item.dataset.connection)));
      const next = items(this.#list)[items(this.#list).indexOf(gone.at(-1)) + 1];
      const back = take(this.#list, gone);
      this.#choose([]);
      count(done.items);
      if (items(this.#list).length === 0) return await refresh();
      (next ?? items(this.#list).at(-1)).querySelector(".face").focus({ preventScroll: true });
      undoable(done.note, done.undo && (() => restore(done.undo, back)));
    } catch (error) {
      failed(error);
    }
  }
}

/** Marks an item as selected, also for screen readers. */
function mark(item, chosen) {
  item.classList.toggle("chosen", chosen);
  if (chosen && !item.querySelector(".is-chosen")) faceOf(item).append(make("span", { class: "is-chosen" }, make("span", { class: "unseen" }, t("script.tile.chosen"))));
  else if (!chosen) item.querySelector(".is-chosen")?.remove();
}

function tooMany(all) {
  if (all.length > most) undoable(t("script.tile.many", most));
  return all.length > most;
}

/** Takes items out of the list. Returns a function that puts them back at positions, by former position. */
function take(list, gone) {
  const was = items(list);
  const places = new Map(gone.map((item) => [Number(item.dataset.position), item]));
  const below = [...places.keys()].sort((a, b) => a - b);
  const shift = (moved) => {
    for (const item of was) if (!gone.includes(item)) item.dataset.position = String(moved(Number(item.dataset.position)));
  };
  for (const item of gone) item.remove();
  shift((at) => at - below.filter((place) => place < at).length);
  return (restored) => {
    if (!list.isConnected || restored.length !== gone.length || !restored.every(({ position }) => places.has(position))) return false;
    for (const { connection, position } of restored) {
      const item = places.get(position);
      Object.assign(item.dataset, { connection, position });
      item.id = `c${connection}`;
    }
    for (let i = was.length - 1; i >= 0; i--) if (gone.includes(was[i])) list.insertBefore(was[i], was.slice(i + 1).find((each) => each.parentNode === list) ?? null);
    shift((at) => below.reduce((now, place) => (place <= now ? now + 1 : now), at));
    return true;
  };
}

async function restore(undo, back) {
  const done = await change(new URL(`${root()}/connections/undo`, location.href), new URLSearchParams({ undo, next: location.pathname.slice(root().length) + location.search }));
  if (!done || !back(done.places ?? [])) return refresh();
  count(done.items);
  undoable(done.note);
}

/** Shows how many items the channel has. */
function count(text) {
  const place = document.querySelector(".channel-head .facts > span:nth-child(2)");
  if (place && text) place.textContent = text;
}

/** Downloads the files of items, which their pages link to. */
async function download(all) {
  let n = 0;
  for (const item of all) {
    try {
      const { page } = await ask(faceOf(item).href);
      const file = page?.querySelector("main a[download], main a[data-zoom]");
      if (!file) continue;
      const link = make("a", { href: new URL(file.getAttribute("href"), location.href), download: file.getAttribute("download") ?? "" });
      document.body.append(link);
      link.click();
      link.remove();
      n++;
    } catch (error) {
      return failed(error);
    }
  }
  undoable(t("script.tile.downloaded", n));
}
