// Asks the site for pages, and takes parts of them into the page that is open.
import { announce } from "./say.js";

/**
 * Asks for a page, or sends a form. Where the site would lead elsewhere it says so instead:
 * then `to` is that address. Otherwise `page` is what it answered, null if that is no page.
 * Rejects when the site cannot be reached.
 */
export async function ask(address, options = {}) {
  const response = await fetch(address, { ...options, headers: { Accept: "text/html", "X-Follow": "none", ...options.headers } });
  const to = response.headers.get("X-Location");
  if (to) return { response, to: new URL(to, location.href), page: null };
  const html = response.headers.get("Content-Type")?.startsWith("text/html");
  return { response, to: null, page: html ? new DOMParser().parseFromString(await response.text(), "text/html") : null };
}

/** Returns the path that all addresses of the site begin with, usually "". */
export const root = () => document.documentElement.dataset.root ?? "";

/** Gives what a page says is wrong, in one line. */
export function complaint(page) {
  const said = page?.querySelector("main [role=alert], main .why, main .lead");
  return said?.textContent.trim().replace(/\s+/g, " ") ?? "";
}

/** Goes to an address. The page that is open already is only asked for its content again. */
export async function goTo(to) {
  const here = new URL(location.href);
  if (to.origin !== here.origin || to.pathname !== here.pathname || to.search !== here.search) return location.assign(to);
  try {
    await refresh();
  } catch {
    location.reload();
  }
}

/** Takes the content of the page that is open anew, with its note, and keeps the focus. */
export async function refresh() {
  const { page, to } = await ask(location.href);
  if (to) return location.assign(to);
  const [main, fresh] = [document.querySelector("#main"), page?.querySelector("#main")];
  if (!main || !fresh) return location.reload();
  const focused = document.activeElement;
  main.replaceWith(fresh);
  document.title = page.title;
  started(fresh);
  if (!focused?.isConnected) same(focused)?.focus({ preventScroll: true });
  const note = fresh.querySelector("#notes")?.textContent.trim();
  if (note) announce(note);
}

/** Finds what stands for an element that is gone: of the same id or address. */
function same(element) {
  if (element?.id) return document.getElementById(element.id);
  const href = element?.getAttribute?.("href");
  return href ? document.querySelector(`main a[href="${CSS.escape(href)}"]`) : null;
}

/** Has htmx see to what has come into the page; our own modules see it by themselves. */
export function started(element) {
  globalThis.htmx?.process(element);
}
