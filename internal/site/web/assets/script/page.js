// Requests pages from the site, and inserts parts of them into the current page.
import { announce } from "./say.js";

/**
 * Requests a page or sends a form. If the site redirects, `to` is the target, which is not
 * followed. Otherwise `page` is the response, or null if it is not a page. Rejects if the site
 * cannot be reached.
 */
export async function ask(address, options = {}) {
  const response = await fetch(address, { ...options, headers: { Accept: "text/html", "X-Follow": "none", ...options.headers } });
  const to = response.headers.get("X-Location");
  if (to) return { response, to: new URL(to, location.href), page: null };
  const html = response.headers.get("Content-Type")?.startsWith("text/html");
  return { response, to: null, page: html ? new DOMParser().parseFromString(await response.text(), "text/html") : null };
}

/** Pages that are requested before the user needs them. */
export class Ahead {
  #pages = new Map(); // by address

  /** Returns a page, which may have been requested before. */
  get(address) {
    if (this.#pages.size > 8) this.#pages.clear();
    if (!this.#pages.has(address)) this.#pages.set(address, ask(address).then(({ page }) => page));
    return this.#pages.get(address);
  }

  /** Requests a page and some of its images. */
  prepare(address, images) {
    this.get(address).then((page) => { for (const image of page?.querySelectorAll(images) ?? []) new Image().src = image.src; }, () => {});
  }

  /** Forgets a page, or all. */
  forget(address) {
    if (address) this.#pages.delete(address);
    else this.#pages.clear();
  }
}

/** Reports whether a click has no other meaning, such as opening a link in a new tab. */
export const plain = (event) => !(event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

/** Returns the prefix of all paths of the site, usually "". */
export const root = () => document.documentElement.dataset.root ?? "";

/** Returns the error message of a page on one line. */
export function complaint(page) {
  const said = page?.querySelector("main [role=alert], main .why, main .lead");
  return said?.textContent.trim().replace(/\s+/g, " ") ?? "";
}

/** Navigates to an address. If it is the current page, only its content is refreshed. */
export async function goTo(to) {
  const here = new URL(location.href);
  const same = to.pathname === here.pathname && (to.search === here.search || document.querySelector("dialog.view"));
  if (to.origin !== here.origin || !same) return location.assign(to);
  try {
    await refresh();
  } catch {
    location.reload();
  }
}

/** Refreshes the content of the current page, shows its note, and keeps the focus. */
export async function refresh() {
  const over = document.querySelector("dialog.view");
  if (over) return over.view.refresh();
  const { page, to } = await ask(location.href);
  if (to) return location.assign(to);
  const [main, fresh] = [document.querySelector("#main"), page?.querySelector("#main")];
  if (!main || !fresh) return location.reload();
  const focused = document.activeElement;
  replaceMain(page);
  if (!focused?.isConnected) same(focused)?.focus({ preventScroll: true });
  const note = fresh.querySelector("#notes")?.textContent.trim();
  if (note) announce(note);
}

/** Replaces the content of the current page by that of another, such as the answer to its form. */
export function replaceMain(page) {
  const fresh = page.querySelector("#main");
  document.querySelector("#main").replaceWith(fresh);
  document.title = page.title;
  started(fresh);
  fresh.querySelector("[aria-invalid=true]")?.focus();
}

/** Finds the replacement of a removed element, which has the same id or address. */
function same(element) {
  if (element?.id) return document.getElementById(element.id);
  const href = element?.getAttribute?.("href");
  return href ? document.querySelector(`main a[href="${CSS.escape(href)}"]`) : null;
}

/** Lets htmx process new content. Our own modules do so by themselves. */
export function started(element) {
  globalThis.htmx?.process(element);
}
