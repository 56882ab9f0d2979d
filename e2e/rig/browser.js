// Browsers driven by Playwright: Debian's Chromium, or the one in CHROMIUM.
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

/** The path of the browser. */
export const chromiumProgram = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The reason why no browser is available, if any. */
export const noBrowser = missing();

function missing() {
  if (existsSync(chromiumProgram)) return undefined;
  const reason = `no browser to test with: install Chromium, or have CHROMIUM name it (not ${chromiumProgram})`;
  if (process.env.VITRINE_TEST_REQUIRE_CHROMIUM) throw new Error(reason);
  return reason;
}

/** Options for no connections except to the server. */
export const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/**
 * Starts a browser that other programs can control through a local port.
 * @returns {Promise<{port: number, close: () => Promise<void>}>}
 */
export async function launch() {
  const profile = await mkdtemp(join(tmpdir(), "vitrine-browser-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath: chromiumProgram, headless: true, args: [...quiet, "--remote-debugging-port=0"] });
  const [port] = (await readFile(join(profile, "DevToolsActivePort"), "utf8")).split("\n"); // the free port that it chose
  return {
    port: Number(port),
    async close() {
      await context.close();
      await rm(profile, { recursive: true });
    },
  };
}

/**
 * Starts a browser with its own profile before the tests of a suite, and closes it after them.
 * @returns {Browsers} ready within tests
 */
export function withBrowser(world) {
  const browsers = new Browsers(world);
  before(() => browsers.start());
  after(() => browsers.stop());
  return browsers;
}

export class Browsers {
  #world;
  #chromium;
  #windows = [];

  constructor(world) {
    this.#world = world;
  }

  async start() {
    this.#chromium = await chromium.launch({ executablePath: chromiumProgram, headless: true, args: quiet });
  }

  async stop() {
    await this.#chromium?.close();
    const wrong = this.#windows.flatMap((window) => window.wrong);
    if (wrong.length > 0) throw new Error(`pages complained:\n${wrong.join("\n")}`);
  }

  /**
   * Opens a window with its own cookies. JavaScript is off by default.
   * @returns {Promise<Window>}
   */
  async open(options = {}) {
    const context = await this.#chromium.newContext({ baseURL: this.#world.url, javaScriptEnabled: false, ...options });
    context.setDefaultTimeout(60_000);
    const window = new Window(context, await context.newPage());
    this.#windows.push(window);
    return window;
  }
}

/** A page in its own context, with actions on it. */
export class Window {
  /** Errors that the browser reported, such as a style that the policy refused. */
  wrong = [];

  constructor(context, page) {
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.wrong.push(`${page.url()}: ${error}`));
    page.on("console", (line) => {
      const text = line.text();
      // Pages that answer 404 are also reported; tests check statuses themselves.
      if (line.type() === "error" && !text.startsWith("Failed to load resource")) this.wrong.push(`${page.url()}: ${text}`);
    });
  }

  /** Navigates to an address and returns its status. */
  async to(address) {
    return (await this.page.goto(address)).status();
  }

  /** Fills fields by their labels. */
  async fill(fields) {
    for (const [label, value] of Object.entries(fields)) await this.page.getByLabel(label, { exact: true }).fill(value);
  }

  /** Presses a button by its name. */
  async press(name) {
    await this.reveal("button", name);
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Opens the menu that contains an element, unless another one with the name is visible. */
  async reveal(role, name, within = this.page) {
    const shown = within.getByRole(role, { name, exact: true });
    const menu = within.locator("details.menu:not([open])", { has: this.page.getByRole(role, { name, exact: true, includeHidden: true }) });
    await shown.or(menu).first().waitFor();
    if (await shown.count() === 0) await menu.first().locator("summary").click();
  }

  /** Follows a link by its text. Links in the content take precedence over those in the frame. */
  async follow(name) {
    await this.reveal("link", name);
    const link = (within) => within.getByRole("link", { name, exact: true });
    const inside = link(this.page.getByRole("main"));
    await ((await inside.count()) > 0 ? inside : link(this.page)).click();
  }

  /** Returns the text of the page's content. */
  text() {
    return this.page.locator("main").innerText();
  }

  heading() {
    return this.page.locator("h1").innerText();
  }

  /** Returns the path of the page. */
  get path() {
    return new URL(this.page.url()).pathname;
  }

  async signIn(slug, password = passwordOf(slug)) {
    await this.to("/sign-in");
    await this.fill({ "E-mail address": `${slug}@example.org`, Password: password });
    await this.press("Sign in");
  }

  /** Fills the sign-up form on the current page. */
  async signUp(slug, password = passwordOf(slug)) {
    const name = slug[0].toUpperCase() + slug.slice(1);
    await this.fill({ Name: name, "Short name in addresses": slug, "E-mail address": `${slug}@example.org`, Password: password });
    await this.press("Sign up");
  }

  /** Reports whether the page shows a signed-in user: whether it offers to sign out. */
  async signedIn() {
    await this.to("/");
    return await this.page.locator('form[action$="/sign-out"]').count() > 0;
  }
}

/** The password of accounts in tests. */
export function passwordOf(slug) {
  return `the secret of ${slug}, long`;
}
