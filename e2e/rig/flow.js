// Actions on pages, written once and run with and without scripts, wide and narrow.
import { describe } from "node:test";
import { heavy } from "./world.js";

const wide = { viewport: { width: 1280, height: 900 } };
const narrow = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** The modes of flows. A mode's id may be part of names and addresses. */
const modes = [
  { name: "without scripts, at 1280 px", id: "plain-wide", scripts: false, options: wide },
  { name: "without scripts, at 390 px", id: "plain-narrow", scripts: false, options: narrow },
  { name: "with scripts, at 1280 px", id: "scripts-wide", scripts: true, options: wide },
  { name: "with scripts, at 390 px", id: "scripts-narrow", scripts: true, options: narrow },
];

/**
 * Defines a suite for two modes that together have each script setting and each width, or for all in a
 * heavy run. `define` receives the mode and a function that opens a window in it.
 */
export function inEachMode(browsers, define) {
  for (const mode of modes) {
    if (!heavy && !["plain-narrow", "scripts-wide"].includes(mode.id)) continue;
    const open = async (who) => {
      // The service worker has its own tests.
      const window = await browsers.open({ ...mode.options, javaScriptEnabled: mode.scripts, serviceWorkers: "block" });
      const person = new Person(window, mode);
      if (who) {
        await window.signIn(who);
        await person.arrives("/");
      }
      return person;
    };
    describe(mode.name, () => define(mode, open));
  }
}

const over = "dialog.sheet[open], body:not(:has(dialog.sheet[open])) dialog.view[open]";

/** A user at a page. All actions wait until they are possible, and find elements by name. */
export class Person {
  constructor(window, mode) {
    this.window = window;
    this.page = window.page;
    this.scripts = mode.scripts;
    this.page.on("dialog", (question) => question.accept()); // discards typed text
  }

  /** The open dialog, or else the block that is open over its channel, or else the page. */
  get here() {
    return this.page.locator(`${over}, body:not(:has(dialog.sheet[open], dialog.view[open]))`);
  }

  get main() {
    return this.page.locator(`${over}, body:not(:has(dialog.sheet[open], dialog.view[open])) main`);
  }

  get path() {
    return this.window.path;
  }

  /** Navigates to an address and returns its status. */
  to(address) {
    return this.window.to(address);
  }

  /** Waits until the page has an address: a path with or without a query, or one that matches both. */
  async arrives(at) {
    await this.page.waitForURL((url) => (at instanceof RegExp ? at.test(url.pathname + url.search) : at === (at.includes("?") ? url.pathname + url.search : url.pathname)));
  }

  /** Waits for a text on the page. */
  async sees(text, within = this.main) {
    await within.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Waits until a text is not visible. */
  async misses(text, within = this.main) {
    await within.getByText(text).filter({ visible: true }).first().waitFor({ state: "detached" });
  }

  /** Waits for the heading of the page or dialog. */
  async reads(heading) {
    await this.main.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  }

  link(name, within = this.main) {
    return within.getByRole("link", { name, exact: true });
  }

  button(name, within = this.main) {
    return within.getByRole("button", { name, exact: true });
  }

  /** Follows the first link with a name. If it opens a dialog, waits for it. */
  async follow(name, within = this.main) {
    await this.window.reveal("link", name, within);
    const link = this.link(name, within).first();
    await link.waitFor();
    const dialog = this.scripts && await link.getAttribute("data-dialog") !== null;
    if (dialog) await this.started();
    await link.click();
    if (dialog) await this.page.locator("dialog.sheet[open] h1").waitFor();
  }

  /** Presses the first button with a name. */
  async press(name, within = this.main) {
    if (this.scripts) await this.started();
    await this.window.reveal("button", name, within);
    await this.button(name, within).first().click();
    if (this.scripts) await this.settled();
  }

  field(label, within = this.here) {
    return within.getByLabel(label, { exact: true }).and(this.page.locator("input, textarea, select"));
  }

  /** Fills fields by their labels. */
  async fill(fields, within = this.here) {
    for (const [label, value] of Object.entries(fields)) await this.field(label, within).fill(value);
  }

  /** Waits until scripts have processed the hooks of the page. */
  started() {
    return this.page.waitForFunction(() => document.readyState === "complete" && globalThis.htmx !== undefined
      && !document.querySelector("a[data-dialog]:not([aria-haspopup])"));
  }

  /** Waits until no dialog or part of the page is loading. */
  settled() {
    return this.page.waitForFunction(() => !document.querySelector("dialog.sheet[aria-busy], .htmx-request"));
  }
}

/** Sends a request to the API as a user. */
export function api(world, token) {
  return async (method, path, body) => {
    const headers = { ...(token && { Authorization: `Bearer ${token}` }), ...(body && { "Content-Type": "application/json" }) };
    const response = await fetch(`${world.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
}
