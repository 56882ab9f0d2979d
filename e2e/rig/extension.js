// The browser extension in Chromium.
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromiumProgram, quiet } from "./browser.js";
import { unzip } from "./zip.js";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "dist");

/** Returns the newest build for Chromium, which `make extension` writes. */
async function newestBuild() {
  const names = (await readdir(dist).catch(() => [])).filter((name) => /^vitrine-extension-.*-chromium\.zip$/.test(name));
  const all = await Promise.all(names.map(async (name) => ({ path: join(dist, name), at: (await stat(join(dist, name))).mtimeMs })));
  const newest = all.sort((a, b) => b.at - a.at)[0];
  if (!newest) throw new Error("there is no build of the extension: run make extension");
  return newest.path;
}

/** A browser with the extension. */
export class ExtensionBrowser {
  #folder;

  async start() {
    this.#folder = await mkdtemp(join(tmpdir(), "vitrine-extension-"));
    const build = join(this.#folder, "build");
    await mkdir(build);
    await unzip(await readFile(await newestBuild()), build);
    // Nobody can press the browser's own questions in a test, so it grants beforehand what they would.
    const manifest = JSON.parse(await readFile(join(build, "manifest.json"), "utf8"));
    manifest.permissions.push(...manifest.optional_permissions);
    manifest.host_permissions = ["http://127.0.0.1/*"];
    await writeFile(join(build, "manifest.json"), JSON.stringify(manifest));
    this.context = await chromium.launchPersistentContext(join(this.#folder, "profile"), { executablePath: chromiumProgram, headless: true,
      ignoreDefaultArgs: ["--disable-extensions"], args: [...quiet, `--disable-extensions-except=${build}`, `--load-extension=${build}`],
      viewport: { width: 1000, height: 800 } });
    this.context.setDefaultTimeout(60_000);
    this.worker = this.context.serviceWorkers()[0] ?? await this.context.waitForEvent("serviceworker");
    this.base = this.worker.url().replace(/background\.js$/, "");
    this.context.on("page", (page) => this.#watch(page));
  }

  wrong = [];

  #watch(page) {
    page.on("pageerror", (error) => this.wrong.push(`${page.url()}: ${error}`));
    page.on("console", (line) => {
      if (line.type() === "error" && page.url().startsWith(this.base) && !line.text().startsWith("Failed to load resource")) this.wrong.push(`${page.url()}: ${line.text()}`);
    });
  }

  async stop() {
    await this.context?.close();
    await rm(this.#folder, { recursive: true, force: true });
    if (this.wrong.length > 0) throw new Error(`pages complained:\n${this.wrong.join("\n")}`);
  }

  /** Opens a page of the extension. */
  async open(path) {
    const page = await this.context.newPage();
    await page.goto(this.base + path);
    return page;
  }

  /** Opens the popup for a tab, in a tab of its own. */
  async popup(page) {
    return this.open(`popup.html?tab=${await this.tabOf(page)}`);
  }

  /** Returns the id of the tab of a page. */
  async tabOf(page) {
    return this.worker.evaluate(async (url) => (await chrome.tabs.query({})).find((tab) => tab.url === url).id, page.url());
  }
}

/** Serves pages to save, by path. */
export async function servePages(pages) {
  const server = createServer((request, response) => {
    const found = pages[request.url.split("?")[0]];
    if (!found) return response.writeHead(404).end();
    const type = typeof found !== "string" ? "image/png" : request.url.endsWith(".css") ? "text/css" : "text/html; charset=utf-8";
    response.setHeader("Content-Type", type).end(found);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}
