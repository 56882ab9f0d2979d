// Keyboard shortcuts: `[data-key]` names the keys that press or focus an element; j, k and arrows
// move between items; ? lists all keys. Without this script, Tab and Enter reach everything. Screen
// readers with their own shortcuts intercept the keys, and users of voice control can switch them
// off in the list.
import { make } from "./say.js";
import { t } from "./texts.js";

const lists = ":is(#cells, [data-items])";
const faces = `${lists} > li .face[href]`;
const off = "vitrine.keys.off";
const isOff = () => {
  try {
    return localStorage.getItem(off) === "1";
  } catch {
    return false; // storage may be disabled
  }
};

/** Announces an element's keys to assistive technology. */
export function keys(element) {
  element.setAttribute("aria-keyshortcuts", wanted(element).map((key) => (key === "/" ? "Slash" : key)).join(" "));
}

/** Shows the button that lists the keys. */
export function keysButton(button) {
  button.hidden = false;
  button.addEventListener("click", list);
}

const wanted = (element) => element.dataset.key.split(" ").filter(Boolean);

/** Reports whether an element is visible, or in a menu that is. */
const reachable = (e) => e.checkVisibility() || e.closest("details.menu")?.checkVisibility();

/** Returns the elements with keys, those of the content before those of the frame; those of a block that is open over the page. */
function keyed() {
  const content = (e) => Number(e.closest("main") !== null);
  return [...(document.querySelector("dialog.view[open]") ?? document).querySelectorAll("[data-key]")].filter(reachable).sort((a, b) => content(b) - content(a));
}

document.addEventListener("keydown", act);

/** Acts on the last key that was pressed before the scripts started (early.js). */
export function actLate() {
  const { event, stop } = globalThis.early ?? {};
  stop?.();
  if (event && !types(document.activeElement)) act(event);
}

function act(event) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const over = [...document.querySelectorAll("dialog[open]")].at(-1);
  if (isOff() || (over && !over.matches(".view")) || types(event.target)) return;
  if (event.key === "?") list();
  else if (!press(event.key) && !move(event.key)) return;
  event.preventDefault();
}

/** Reports whether the focused element uses the keys itself, such as for text. */
function types(element) {
  return element.closest?.("input:not([type=checkbox], [type=radio], [type=submit], [type=button]), textarea, select, video, audio, [contenteditable], [role=listbox], [role=combobox]") != null;
}

/** Presses the element with a key: in the focused item, or outside of all items. */
function press(key) {
  const having = keyed().filter((e) => wanted(e).includes(key));
  const item = document.activeElement?.closest(":is(#cells, [data-items]) > li");
  const found = having.find((e) => item?.contains(e)) ?? having.find((e) => !e.closest(":is(#cells, [data-items]) > li"));
  if (!found) return false;
  if (found.matches("input:not([type=submit], [type=button]), textarea, select")) {
    found.focus();
    found.select?.();
  } else {
    found.click();
  }
  return true;
}

/** Moves the focus between items. Arrow keys do so only if an item has the focus; otherwise they scroll. */
function move(key) {
  if (document.querySelector("dialog.view[open]")) return false;
  if (!/^([jk]|Arrow\w+)$/.test(key)) return false;
  const all = [...document.querySelectorAll(lists)].filter((e) => e.checkVisibility()).flatMap((list) => [...list.querySelectorAll(":scope > li .face[href]")]);
  const at = all.indexOf(document.activeElement?.closest("li")?.querySelector(".face[href]"));
  if (all.length === 0 || (at < 0 && key.startsWith("Arrow"))) return false;
  const forth = getComputedStyle(all[0]).direction === "rtl" ? -1 : 1;
  let to;
  switch (key) {
    case "j": to = at < 0 ? inView(all) : at + 1; break;
    case "k": to = at < 0 ? inView(all) : at - 1; break;
    case "ArrowRight": to = at + forth; break;
    case "ArrowLeft": to = at - forth; break;
    case "ArrowDown": to = vertical(all, at, 1); break;
    case "ArrowUp": to = vertical(all, at, -1); break;
  }
  const face = all[Math.max(0, Math.min(all.length - 1, to))];
  face.scrollIntoView({ block: "nearest" });
  face.focus({ preventScroll: true });
  return true;
}

/** Returns the box of an item. The browser need not lay out its content for that. */
const boxOf = (e) => e.closest("li").getBoundingClientRect();

const inView = (all) => Math.max(0, all.findIndex((e) => boxOf(e).top >= 0));

/** Finds the next item above or below in the same column, or else the nearest one in the next row. */
function vertical(all, at, way) {
  const box = boxOf(all[at]);
  for (let i = at + way; i >= 0 && i < all.length; i += way) {
    const other = boxOf(all[i]);
    if (Math.abs(other.left - box.left) < box.width / 2 && (way > 0 ? other.top > box.bottom - 1 : other.bottom < box.top + 1)) return i;
  }
  const middle = (e) => { const box = boxOf(e); return [box.left + box.width / 2, box.top]; };
  const [x, y] = middle(all[at]);
  let best = at;
  let row;
  for (let i = at + way; i >= 0 && i < all.length; i += way) {
    const [left, top] = middle(all[i]);
    if (Math.abs(top - y) < 4) continue;
    row ??= top;
    if (Math.abs(top - row) > 4) break;
    if (best === at || Math.abs(left - x) < Math.abs(middle(all[best])[0] - x)) best = i;
  }
  return best;
}

/** Lists the keys of the page, with a switch to turn them off. */
function list() {
  const rows = [];
  const row = (of, what) => rows.push(make("tr", {}, make("th", { scope: "row" }, ...of.flatMap((key) => [make("kbd", {}, key), " "])), make("td", {}, what)));
  if (document.querySelector(faces)) {
    row(["j", "→"], t("script.keys.next"));
    row(["k", "←"], t("script.keys.previous"));
    row(["↓", "↑"], t("script.keys.rows"));
    row(["Enter"], t("script.keys.open"));
    if (document.querySelector("#cells[data-sortable]")) row(["Alt + ←", "Alt + →"], t("script.keys.move"));
  }
  const known = new Set();
  for (const element of keyed()) {
    if (known.has(element.dataset.key)) continue;
    known.add(element.dataset.key);
    row(wanted(element).map((key) => arrows[key] ?? key), name(element));
  }
  row(["?"], t("script.keys.list"));
  row(["Esc"], t("script.keys.close"));
  const box = make("input", { type: "checkbox", id: "keys-on", checked: !isOff() });
  const close = make("button", { class: "close other", "aria-label": t("script.close") }, "×");
  const dialog = make("dialog", { class: "sheet", "aria-labelledby": "keys-title" },
    make("form", { method: "dialog" }, close),
    make("div", { class: "inside" }, make("h2", { id: "keys-title" }, t("script.keys.title")), make("table", { class: "keys" }, make("tbody", {}, ...rows)),
      make("label", { class: "choice", for: "keys-on" }, box, make("span", {}, t("script.keys.on")))));
  box.addEventListener("change", () => (box.checked ? localStorage.removeItem(off) : localStorage.setItem(off, "1")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const arrows = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

function name(element) {
  const said = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  return said.trim().replace(/\s+/g, " ") || element.title;
}
