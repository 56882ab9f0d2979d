// One toolbar in a list follows the pointer and the focus from tile to tile. Items of `[data-acts]`, which are from
// anywhere, can be connected, opened in a new tab, and their links copied. A list of a channel's items has more
// actions (tiles.js). Without this script, users open an item.
import { undoable } from "./added.js";
import { group, itemOf } from "./items.js";
import { make } from "./say.js";
import { t } from "./texts.js";

export const faceOf = (item) => item.querySelector(".face");
const named = (item) => (item.querySelector(".name, h3, strong, .words, img[alt]:not([alt=''])")?.textContent || item.querySelector("img")?.alt || faceOf(item).textContent).trim().slice(0, 80);

export function start(list) {
  new Tools(list, (all) => choose(list, all));
}

/** Lets the user choose a channel for items, and connects them. */
export async function choose(list, all, then = () => {}) {
  const { pick } = await import("./pick.js");
  pick(list, all, then);
}

export class Tools {
  #list;
  #tools;
  #more;
  #opened;

  /** `connect` receives items. `entries` are further actions for the menu, each with its text, function and key. */
  constructor(list, connect, entries = []) {
    this.#list = list;
    const connecting = { text: t("script.tile.connect"), act: (item) => connect(group(list, item)), key: "c" };
    const small = list.matches(".activity *"); // its tiles have no space for a button
    this.#opened = make("a", { target: "_blank", rel: "noopener" }, t("script.tile.open"));
    this.#more = make("summary", { class: "button other small" }, "⋯");
    const all = [...(small ? [connecting] : []), ...entries];
    const shown = make("ul", {}, ...all.map(entry), make("li", {}, this.#opened), entry({ text: t("script.tile.copy"), act: (item) => copy([item]) }));
    const menu = make("details", { class: "menu" }, this.#more, shown);
    menu.addEventListener("toggle", () => within(shown));
    this.#tools = make("div", { class: "tile-tools" }, ...(small ? [] : [pressed(connecting, "other small")]), menu);
    // Not pointerover: scrolling by keys moves other tiles under the pointer, while the focused one needs its tools.
    list.addEventListener("pointermove", ({ target, pointerType }) => pointerType === "mouse" && this.#attach(itemOf(target)));
    list.addEventListener("pointerleave", () => this.#leave(document.activeElement));
    list.addEventListener("focusin", ({ target }) => target.matches(".face") && this.#attach(itemOf(target)));
    list.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && this.#leave(relatedTarget));
  }

  #attach(item) {
    if (!item || this.#tools.parentNode === item || this.#busy()) return;
    this.#more.setAttribute("aria-label", t("script.tile.more", named(item)));
    this.#opened.href = faceOf(item).href;
    item.append(this.#tools);
  }

  /** Moves the toolbar to the item with the focus, or removes it. */
  #leave(focused) {
    const item = itemOf(focused);
    if (this.#list.contains(item)) this.#attach(item);
    else if (!this.#busy() && !document.querySelector("dialog[open]")) this.#tools.remove();
  }

  #busy() {
    return this.#tools.querySelector("details[open]");
  }
}

function pressed({ text, act, key }, classes) {
  const button = make("button", { type: "button", class: classes, "data-key": key }, text);
  button.addEventListener("click", () => act(itemOf(button)));
  return button;
}

/** Lets the entries of a menu extend to the other side if they would be cut off at the edge of the page. */
function within(list) {
  list.classList.remove("across");
  const { left, right } = list.getBoundingClientRect();
  list.classList.toggle("across", left < 0 || right > document.documentElement.clientWidth);
}

const entry = (one) => make("li", {}, pressed(one, "link"));

/** Copies the links of items. */
export async function copy(all) {
  try {
    await navigator.clipboard.writeText(all.map((item) => faceOf(item).href.replace(/\?in=\d+$/, "")).join("\n"));
    undoable(t("script.copied"));
  } catch {
    undoable(t("script.copy.failed"));
  }
}
