// Users can drag one item of `[data-tiles]`, or all selected ones, onto a channel in the shelf. Those of `[data-sortable]`
// can also be moved, by dragging or with Alt and arrow keys. Without this script, users have the form of the page for
// arranging. While something is dragged, only a mark shows where it would go, so that long lists stay smooth.
import { undoable } from "./added.js";
import { edges } from "./edges.js";
import { group, itemOf, items, send } from "./items.js";
import { refresh } from "./page.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const slack = 6; // pixels before a press becomes a drag

const sortable = (list) => list.matches("[data-sortable]");
const hasShelf = () => document.querySelector("[data-shelf]")?.checkVisibility() ?? false;
const drags = (list) => sortable(list) || hasShelf();

export function start(list) {
  list.sorts = true; // for tests
  list.addEventListener("dragstart", (event) => drags(list) && event.preventDefault());
  list.addEventListener("pointerdown", (event) => {
    const item = itemOf(event.target);
    if (event.pointerType !== "mouse" || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !item || !drags(list)) return;
    if (list.matches(".passages") && !event.target.closest(".face")) return; // so that texts can be selected
    if (!event.target.closest("input, textarea, select, button, label, summary, .tile-tools")) drag(list, item, event);
  });
  let held = false; // by a finger
  list.addEventListener("tile:held", ({ detail }) => {
    if (!drags(list)) return;
    held = true;
    drag(list, detail.item, detail.event, () => { held = false; });
  });
  list.addEventListener("touchmove", (event) => held && event.cancelable && event.preventDefault(), { passive: false });
  list.addEventListener("keydown", (event) => {
    const item = itemOf(event.target);
    if (!event.altKey || event.ctrlKey || event.metaKey || !item || !sortable(list)) return;
    const forth = getComputedStyle(list).direction === "rtl" ? -1 : 1;
    const by = { ArrowRight: forth, ArrowLeft: -forth, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const [all, moving] = [items(list), group(list, item)];
    const other = by > 0 ? all[all.indexOf(moving.at(-1)) + 1] : all[all.indexOf(moving[0]) - 1];
    if (other) move(list, moving, by > 0 ? all[all.indexOf(other) + 1] : other, event.target);
  });
}

/** Drags an item, or all selected ones, until the pointer is released. */
function drag(list, item, from, over = () => {}) {
  let moving, carried, line, place, shelf;
  let ended = false;
  const aim = (x, y) => {
    if (!sortable(list)) return;
    const target = itemOf(document.elementFromPoint(x, y) ?? list);
    if (target?.parentNode !== list) return;
    const box = target.getBoundingClientRect();
    const rows = list.matches(".rowed, .passages");
    const rtl = getComputedStyle(list).direction === "rtl";
    const after = rows ? y > box.top + box.height / 2 : (x > box.left + box.width / 2) !== rtl;
    place = { before: after ? nextOf(target) : target };
    const at = rows ? { left: box.left, top: after ? box.bottom : box.top, width: box.width, height: 0 }
      : { left: after !== rtl ? box.right : box.left, top: box.top, width: 0, height: box.height };
    Object.assign(line.style, { left: `${at.left + scrollX}px`, top: `${at.top + scrollY}px`, width: `${at.width}px`, height: `${at.height}px` });
    line.hidden = false;
  };
  let [x, y] = [from.clientX, from.clientY];
  const scroll = edges(() => aim(x, y));
  const begin = () => {
    moving = group(list, item);
    for (const each of moving) each.classList.add("ghost");
    const frame = item.querySelector(".frame")?.cloneNode(true);
    carried = make("div", { class: "carried", "aria-hidden": "true" }, ...(frame ? [frame] : []), ...(moving.length > 1 ? [make("b", {}, String(moving.length))] : []));
    line = make("div", { class: "drop-line", hidden: true });
    document.body.append(carried, line);
    document.documentElement.classList.add("dragging");
    if (hasShelf()) import("./shelf.js").then(({ theShelf }) => {
      if (ended) return;
      shelf = theShelf();
      shelf.begin();
    }, () => {});
  };
  const to = (event) => {
    if (event.pointerId !== from.pointerId) return;
    [x, y] = [event.clientX, event.clientY];
    if (!moving && Math.hypot(x - from.clientX, y - from.clientY) < slack) return;
    if (!moving) begin();
    carried.style.transform = `translate(${x + 12}px, ${y + 12}px)`;
    if (shelf?.at(x, y)) {
      line.hidden = true;
      place = undefined;
      scroll.stop();
    } else {
      aim(x, y);
      scroll.at(y);
    }
  };
  const end = (event) => {
    if (event.type === "keydown" ? event.key !== "Escape" || !moving : event.pointerId !== from.pointerId) return;
    scroll.stop();
    removeEventListener("pointermove", to);
    for (const name of ["pointerup", "pointercancel"]) removeEventListener(name, end);
    document.removeEventListener("keydown", end, true);
    over();
    ended = true;
    if (!moving) return;
    const channel = shelf?.end();
    for (const each of moving) each.classList.remove("ghost");
    carried.remove();
    line.remove();
    document.documentElement.classList.remove("dragging");
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "keydown") return;
    const click = (next) => { next.preventDefault(); next.stopPropagation(); }; // the release would open the item
    addEventListener("click", click, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", click, { capture: true }));
    if (event.type !== "pointerup") return;
    if (channel) shelf.give(list, moving, channel);
    else if (place) move(list, moving, place.before);
  };
  addEventListener("pointermove", to);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end);
  document.addEventListener("keydown", end, true);
}

const nextOf = (item) => {
  let next = item.nextElementSibling;
  while (next && !next.matches("li[data-connection]")) next = next.nextElementSibling;
  return next;
};

/** Moves items before another one, or to the end of the list, and sends their new positions. */
async function move(list, moving, before, focused) {
  if (list.moving) return;
  const was = items(list);
  const places = was.map((each) => each.dataset.position);
  while (before && moving.includes(before)) before = nextOf(before);
  const rest = was.filter((each) => !moving.includes(each));
  const at = before ? rest.indexOf(before) : rest.length;
  const after = [...rest.slice(0, at), ...moving, ...rest.slice(at)];
  if (after.every((each, i) => each === was[i])) return;
  list.moving = true;
  const anchor = before ?? was.at(-1).nextSibling;
  for (const each of moving) list.insertBefore(each, anchor);
  const first = after.indexOf(moving[0]);
  focused?.focus();
  (focused ? focused.closest("li") : moving[0]).scrollIntoView({ block: "nearest" });
  const number = (order) => order.forEach((each, i) => { if (each.dataset.position !== places[i]) each.dataset.position = places[i]; });
  const back = () => {
    const held = document.activeElement;
    for (const each of was) list.append(each);
    held?.focus({ preventScroll: true });
    number(was);
  };
  try {
    const done = await send(list, "move", moving, { position: places.slice(first, first + moving.length) });
    if (!done) return await refresh();
    number(after);
    const text = moving.length > 1 ? done.note : t("script.sort.moved", first + 1, after.length);
    const same = () => list.isConnected && items(list).every((each, i) => each === after[i]);
    undoable(text, done.places && (async () => {
      const undone = await send(list, "move", done.places.map(({ connection }) => ({ dataset: { connection } })), { position: done.places.map(({ position }) => position) });
      if (!undone || !same()) return refresh();
      back();
      undoable(undone.note);
    }));
  } catch (error) {
    back();
    announce(error.message && !(error instanceof TypeError) ? error.message : t("script.sort.failed"));
  } finally {
    list.moving = false;
  }
}
