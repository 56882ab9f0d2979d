// `[data-shelf]` opens a shelf at the side of a channel's page, with the channels that the user changed last. Items that
// are dropped on one of them are connected to it, and so are the selected ones when it is pressed. While items are
// dragged, a closed shelf shows its edge, and opens under the pointer. Without this script, users connect each item on
// its page.
import { undoable } from "./added.js";
import { edges } from "./edges.js";
import { channels, connect, failed, items } from "./items.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const buttonOf = () => document.querySelector("[data-shelf]");
let shelf;

export function start(button) {
  button.setAttribute("aria-controls", "side-shelf");
  button.setAttribute("aria-expanded", String(shelf?.open ?? false));
  button.addEventListener("click", () => theShelf().toggle());
}

/** Returns the shelf of the page. */
export function theShelf() {
  return shelf ??= new Shelf();
}

class Shelf {
  open = false;
  #element;
  #field;
  #list;
  #scroll;
  #target; // the channel under the pointer
  #focused; // had the focus before the drag
  #asked = 0;
  #timer;

  constructor() {
    this.#field = make("input", { type: "search", id: "side-shelf-field", autocomplete: "off", maxlength: 200, placeholder: t("script.shelf.find") });
    this.#list = make("ul", { "aria-label": t("script.pick.channels") });
    this.#scroll = edges(() => {}, this.#list);
    const close = make("button", { type: "button", class: "close other", "aria-label": t("script.close") }, "×");
    this.#element = make("aside", { id: "side-shelf", "aria-label": t("script.shelf.title") }, make("span", { class: "edge", "aria-hidden": "true" }, t("script.shelf.title")),
      make("div", { class: "inside" }, close, make("h2", {}, t("script.shelf.title")), make("p", { class: "hint" }, t("script.shelf.how")),
        make("label", { class: "unseen", for: this.#field.id }, t("script.shelf.find")), this.#field, this.#list));
    close.addEventListener("click", () => this.toggle());
    this.#element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.open && !event.defaultPrevented) this.toggle();
    });
    this.#field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#load(), 150);
    });
    this.#list.addEventListener("click", ({ target }) => this.#press(target.closest("li")));
    document.body.append(this.#element);
  }

  /** Opens or closes the shelf, which then has its own space on the page. */
  toggle() {
    this.open = !this.open;
    document.documentElement.classList.toggle("shelved", this.open);
    buttonOf()?.setAttribute("aria-expanded", String(this.open));
    if (!this.open) return buttonOf()?.focus();
    this.#load();
    this.#field.focus();
  }

  /** Shows the edge of the shelf while items are dragged. */
  begin() {
    this.#element.classList.add("near");
    if (!this.open) this.#load();
  }

  /** Reports whether the pointer is over the shelf, and marks the channel under it. */
  at(x, y) {
    const box = this.#element.getBoundingClientRect();
    const over = x >= box.left && x < box.right && y >= box.top && y < box.bottom;
    if (over && !this.#focused) { // typing finds channels
      this.#focused = document.activeElement;
      this.#field.focus({ preventScroll: true });
    }
    this.#element.classList.toggle("over", over);
    this.#aim(over ? document.elementFromPoint(x, y)?.closest("#side-shelf li") : null);
    if (over) this.#scroll.at(y);
    else this.#scroll.stop();
    return over;
  }

  /** Ends dragging. Returns the channel under the pointer. */
  end() {
    const target = this.#target;
    this.#scroll.stop();
    this.#aim(null);
    this.#element.classList.remove("near", "over");
    if (!this.open) this.#field.value = "";
    this.#focused?.focus({ preventScroll: true });
    this.#focused = undefined;
    return target;
  }

  /** Connects items to a channel of the shelf. */
  async give(list, all, channel) {
    channel.setAttribute("aria-busy", "true");
    try {
      await connect(list, all, { to: channel.dataset.channel });
    } catch (error) {
      failed(error);
    }
    channel.removeAttribute("aria-busy");
  }

  #aim(channel) {
    if (channel === this.#target) return;
    this.#target?.classList.remove("aimed");
    channel?.classList.add("aimed");
    this.#target = channel ?? undefined;
  }

  #press(channel) {
    const list = document.querySelector("[data-tiles]");
    const chosen = list ? items(list).filter((item) => list.chosen?.has(item)) : [];
    if (channel && chosen.length > 0) this.give(list, chosen, channel);
    else if (channel) undoable(t("script.shelf.select"));
  }

  async #load() {
    const number = ++this.#asked;
    const found = await channels(this.#field.value).catch(() => []);
    if (number !== this.#asked) return;
    const here = buttonOf()?.dataset.shelf;
    const rows = found.filter(({ value }) => value !== here).map(({ value, label, hint }) => make("li", { "data-channel": value },
      make("button", { type: "button" }, make("bdi", {}, label), make("small", { dir: "auto" }, hint ?? ""))));
    this.#aim(null);
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [make("li", { class: "empty" }, t("script.shelf.none"))]));
    if (this.#field.value) announce(t("script.shelf.found", rows.length));
  }
}
