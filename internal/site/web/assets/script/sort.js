// `[data-sortable]` lets users move items by dragging, or with Alt and arrow keys. Without this
// script, they use the form of the page for arranging.
import "../vendor/sortablejs/Sortable.min.js";
import { ask, complaint, root } from "./page.js";
import { announce } from "./say.js";
import { t } from "./texts.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

export function start(list) {
  globalThis.Sortable.create(list, {
    draggable: "li[data-connection]",
    filter: "input, textarea, select, button, label",
    preventOnFilter: false,
    animation: still.matches ? 0 : 120,
    delay: 250, // so that scrolling with a finger does not drag
    delayOnTouchOnly: true,
    ghostClass: "ghost",
    fallbackOnBody: true, // fixed elements in a container of container queries are placed by it
    onStart: () => { list.before = items(list); },
    onEnd: ({ item }) => moved(list, item),
  });
  list.addEventListener("keydown", (event) => {
    const item = event.target.closest("li[data-connection]");
    if (!event.altKey || event.ctrlKey || event.metaKey || !item) return;
    const forth = getComputedStyle(list).direction === "rtl" ? -1 : 1;
    const by = { ArrowRight: forth, ArrowLeft: -forth, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const all = items(list);
    const other = all[all.indexOf(item) + by];
    if (!other || list.moving) return;
    list.before = all;
    if (by > 0) other.after(item);
    else other.before(item);
    event.target.focus();
    item.scrollIntoView({ block: "nearest" });
    moved(list, item);
  });
}

const items = (list) => [...list.querySelectorAll(":scope > li[data-connection]")];

/** Sends the new place of an item: that of the item that was there before. */
async function moved(list, item) {
  const [before, after] = [list.before, items(list)];
  const at = after.indexOf(item);
  if (before.indexOf(item) === at) return;
  const places = before.map((each) => each.dataset.position);
  list.moving = true;
  try {
    const body = new URLSearchParams({ do: "move", position: places[at] });
    const { response, page, to } = await ask(new URL(`${root()}/connection/${item.dataset.connection}`, location.href), { method: "POST", body });
    if (!to && !response.ok) throw new Error(complaint(page));
    after.forEach((each, i) => { each.dataset.position = places[i]; });
    announce(t("script.sort.moved", at + 1, after.length));
  } catch (error) {
    const focused = document.activeElement;
    list.prepend(...before);
    focused?.focus();
    announce(error.message && !(error instanceof TypeError) ? error.message : t("script.sort.failed"));
  } finally {
    list.moving = false;
  }
}
