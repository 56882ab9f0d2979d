// `#cells` of a channel opens its blocks over it, with their own addresses. The links and keys for
// the neighbours follow the list as it is displayed. Closing and the browser's Back return to the
// tile, also if the channel has to be loaded again. Without this script, each block is a page with
// links to its neighbours.
import { apart } from "./dialog.js";
import { Ahead, plain, root, started } from "./page.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const tiles = "#cells > li .face[href*='/block/']";
const kept = "vitrine.view"; // the tile to return to, by the address of the channel
const mostPages = 40; // that are loaded to find it

const here = () => location.pathname + location.search;
const path = (address) => new URL(address, location.href).pathname;
const tileOf = (address) => [...document.querySelectorAll(tiles)].find((tile) => tile.pathname === path(address));

const page = location.pathname; // of the loaded page
let view; // the open one
let latest; // the one that was requested last

export function start(element) {
  if (element.localName === "a") return leading(element);
  element.addEventListener("click", (event) => {
    const tile = event.target.closest?.(".face[href]");
    if (!tile?.matches(tiles) || !plain(event)) return;
    event.preventDefault();
    const channel = here();
    new View(channel).show(tile.href).then((shown) => shown && history.pushState({ view: channel }, "", tile.href));
  });
  if (performance.getEntriesByType("navigation")[0]?.type === "back_forward" || recall()?.back) comeBack();
}

/** Lets the link of a block's page to its channel return to the tile. */
function leading(link) {
  if (link.closest("dialog")) return;
  link.addEventListener("click", (event) => {
    if (!plain(event)) return;
    const typed = [...document.querySelectorAll("main textarea")].some((field) => field.value !== field.defaultValue);
    if (typed && !confirm(t("script.dialog.discard"))) event.preventDefault();
    else if (history.state?.view) { // the page was opened over the channel, and then loaded again
      event.preventDefault();
      history.back();
    } else {
      remember({ channel: link.pathname + link.search, block: location.href, back: true });
    }
  });
}

addEventListener("popstate", ({ state }) => {
  if (page !== location.pathname && !document.querySelector("#cells[data-view]")) { // this is a block's page, but was the channel before it was loaded again
    remember({ ...recall(), back: true });
    location.reload();
  } else if (view && !state?.view) view.close();
  else if (view) view.show(location.href);
  else if (state?.view && document.querySelector("#cells[data-view]")) new View(state.view).show(location.href);
});

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(kept) ?? "null");
  } catch {
    return null;
  }
}

function remember(value) {
  try {
    if (value) sessionStorage.setItem(kept, JSON.stringify(value));
    else sessionStorage.removeItem(kept);
  } catch {
    // Storage may be disabled; then Back returns to where the browser scrolls.
  }
}

/** Focuses the tile of the last viewed block, and loads more of the channel until it is there. */
async function comeBack() {
  const last = recall();
  if (last?.channel !== here()) return;
  remember(null);
  for (let pages = 0; !tileOf(last.block); pages++) {
    if (pages === mostPages || !(await more())) return;
  }
  focus(last.block);
}

/** Loads the next page of the list. Resolves to false if there is none. */
function more() {
  const next = document.querySelector("#pager a[rel=next]");
  if (!next || !globalThis.htmx) return Promise.resolve(false);
  return new Promise((done) => {
    const settled = ({ detail }) => {
      if (detail.requestConfig.elt !== next) return;
      for (const name of ["htmx:afterSettle", "htmx:responseError", "htmx:sendError"]) document.removeEventListener(name, settled);
      done(detail.successful !== false && !next.isConnected);
    };
    for (const name of ["htmx:afterSettle", "htmx:responseError", "htmx:sendError"]) document.addEventListener(name, settled);
    globalThis.htmx.trigger(next, "click");
  });
}

function focus(address) {
  const tile = tileOf(address);
  tile?.scrollIntoView({ block: "nearest" });
  tile?.focus({ preventScroll: true });
}

class View {
  #address;
  #asked; // the address that was requested last
  #channel;
  #typed = false; // the user would lose it
  #leaving = false;
  #more = 0; // the length of the list when more of it was requested
  #pages = new Ahead();
  #title = document.title;

  constructor(channel) {
    latest = this;
    this.#channel = channel;
    const close = make("button", { type: "button", class: "close other", "aria-label": t("script.close") }, "×");
    this.inside = make("div", { class: "inside" });
    this.element = make("dialog", { class: "view" }, close, this.inside);
    this.element.view = this;
    close.addEventListener("click", () => this.leave());
    this.element.addEventListener("cancel", (event) => {
      if (event.target !== this.element) return; // from a file field
      event.preventDefault();
      this.leave();
    });
    this.element.addEventListener("close", () => view === this && this.leave()); // some browsers do not let a second Esc be cancelled
    this.element.addEventListener("input", () => { this.#typed = true; });
    this.element.addEventListener("submit", ({ target }) => {
      this.#typed = false;
      if (target.matches("[data-remove]")) this.#removing(target);
    });
    this.element.addEventListener("click", (event) => this.#follow(event));
    swipes(this.element, (way) => this.turn(way));
  }

  /** Goes back to the channel, which closes the view. */
  leave() {
    if (this.#leaving || !this.#drop()) return;
    this.#leaving = true;
    if (history.state?.view) history.back();
    else this.close();
  }

  /** Reports whether what the user typed may be lost. */
  #drop() {
    if (this.#typed && !confirm(t("script.dialog.discard"))) return false;
    this.#typed = false;
    return true;
  }

  /** Lets the form that removes the block lead back to the list, next to where the block was. */
  #removing(form) {
    const near = this.inside.querySelector(".around a[rel=next]") ?? this.inside.querySelector(".around a[rel=prev]");
    form.elements.next.value = this.#channel.slice(root().length);
    remember(near && { channel: this.#channel, block: near.href, back: true });
  }

  close() {
    view = latest = undefined;
    this.element.close();
    this.element.remove();
    document.title = this.#title;
    remember(null);
    focus(this.#address);
  }

  /** Follows links to neighbours within the view. */
  #follow(event) {
    if (!plain(event)) return;
    const part = event.target.closest?.("a[href^='#']")?.hash.slice(1);
    if (part) { // another entry in the history would be in the way
      event.preventDefault();
      this.inside.querySelector(`[id="${CSS.escape(part)}"]`)?.scrollIntoView();
    }
    const link = event.target.closest?.(".around a");
    if (!link || link.closest("dialog") !== this.element) return;
    event.preventDefault();
    if (link.rel === "prev" || link.rel === "next") this.turn(link.rel);
    else this.leave();
  }

  /** Shows a neighbour in place of the block, without another entry in the history. */
  async turn(way) {
    const link = this.inside.querySelector(`.around a[rel=${way}]`);
    if (!link || !this.#drop()) return;
    if (!(await this.show(link.href))) return;
    history.replaceState({ view: this.#channel }, "", this.#address);
    announce(document.title);
  }

  /** Shows a block. Navigates to its page if that fails. */
  async show(address) {
    this.#asked = address;
    let fresh;
    try {
      fresh = await this.#pages.get(address);
      if (!fresh?.querySelector("main .block-page")) throw new Error();
    } catch {
      location.assign(address);
      return false;
    }
    if (this.#asked !== address || latest !== this) return false; // the user has gone on
    this.#pages.forget(address);
    this.#address = address;
    view = this;
    const main = document.adoptNode(fresh.querySelector("main"));
    apart(main);
    const focused = this.element.contains(document.activeElement) ? document.activeElement.rel : "";
    this.inside.replaceChildren(...main.childNodes);
    this.inside.scrollTop = 0;
    this.inside.querySelector(".told")?.scrollTo(0, 0);
    document.title = fresh.title;
    this.element.setAttribute("aria-label", this.inside.querySelector("h1")?.textContent ?? "");
    remember({ channel: this.#channel, block: address });
    this.#neighbours();
    if (!this.element.isConnected) {
      document.body.append(this.element);
      this.element.showModal();
    }
    started(this.inside);
    (focused && this.inside.querySelector(`.around a[rel=${focused}]`) || this.element.querySelector(".close")).focus({ preventScroll: true });
    return true;
  }

  /** Shows the current block again after a change. */
  refresh() {
    this.#pages.forget();
    return this.show(this.#address);
  }

  /** Replaces the links to the neighbours in the channel by those in the list, which may have another order. */
  #neighbours() {
    const nav = this.inside.querySelector(".around");
    const all = [...document.querySelectorAll(tiles)];
    const at = all.findIndex((tile) => tile.pathname === path(this.#address));
    if (!nav || at < 0) return;
    if (at > all.length - 3 && this.#more !== all.length) {
      this.#more = all.length; // once for each end of the list
      more().then((loaded) => loaded && view === this && this.#neighbours());
    }
    for (const [way, tile] of [["prev", all[at - 1]], ["next", all[at + 1]]]) {
      const was = nav.querySelector(`[rel=${way}]`);
      if (was && tile) was.href = tile.href;
      else if (was) was.replaceWith(make("span"));
      else if (tile) this.#link(nav, way, tile.href);
    }
    const next = nav.querySelector("[rel=next]");
    if (next) this.#pages.prepare(next.href, ".shown img");
  }

  #link(nav, way, href) {
    const arrow = make("span", { "aria-hidden": "true" }, way === "prev" ? "←" : "→");
    const parts = way === "prev" ? [arrow, ` ${t("script.view.prev")}`] : [`${t("script.view.next")} `, arrow];
    const link = make("a", { rel: way, href, "data-key": way === "prev" ? "k ArrowLeft" : "j ArrowRight" }, ...parts);
    (way === "prev" ? nav.firstElementChild : nav.lastElementChild).replaceWith(link);
  }
}

/** Calls `turn` when a finger moves sideways over the picture or the player. */
function swipes(element, turn) {
  let from;
  element.addEventListener("touchstart", (event) => {
    from = event.touches.length === 1 && event.target.closest(".shown, .around") && !event.target.closest("input, pre, video, audio, iframe") ? event.touches[0] : undefined;
  }, { passive: true });
  element.addEventListener("touchend", ({ changedTouches: [to] }) => {
    const [x, y] = from ? [to.clientX - from.clientX, to.clientY - from.clientY] : [0, 0];
    from = undefined;
    if (Math.abs(x) < 50 || Math.abs(x) < 1.5 * Math.abs(y) || (globalThis.visualViewport?.scale ?? 1) > 1.01) return;
    turn((x < 0) === (getComputedStyle(element).direction !== "rtl") ? "next" : "prev");
  }, { passive: true });
}
