import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, withBrowser } from "../rig/browser.js";
import { fixture } from "../rig/fixture.js";
import { onSQLite } from "../rig/world.js";

const cell = (n) => `<li class="cell"><a class="face" href="/block/${n}"><span class="frame">${n}</span></a><a data-key="c" href="/block/${n}/connect">Connect ${n}</a></li>`;
const channel = `<h1>Field notes</h1><p><a data-key="e" href="/ada/field-notes/edit">Edit</a></p>
  <ul id="cells" class="cells">${[1, 2, 3, 4, 5, 6, 7, 8].map(cell).join("")}</ul>`;

onSQLite("keys", (world) => {
  const browsers = withBrowser(world);
  let window;
  const press = (key) => window.page.keyboard.press(key);
  const focused = () => window.page.evaluate(() => document.activeElement.textContent.trim());
  before(async () => {
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block", viewport: { width: 1280, height: 900 } });
    await fixture(window, "/ada/field-notes", channel);
    for (const path of ["/block/2", "/block/3/connect", "/ada/field-notes/edit"]) await fixture(window, path, `<h1>${path}</h1>`);
  });
  const start = async () => {
    await window.to("/ada/field-notes");
    await window.page.locator("[data-key=e][aria-keyshortcuts=e]").waitFor(); // the scripts have started
  };

  test("j and k go from item to item, arrows from one that has the focus", async () => {
    await start();
    await press("ArrowRight");
    assert.equal(await window.page.evaluate(() => document.activeElement.className), "", "an arrow alone scrolls");
    await press("j");
    assert.equal(await focused(), "1");
    await press("j");
    await press("ArrowRight");
    assert.equal(await focused(), "3");
    await press("k");
    await press("ArrowLeft");
    await press("ArrowLeft");
    assert.equal(await focused(), "1", "it stays at the first");
    const across = await window.page.evaluate(() => {
      const tops = [...document.querySelectorAll("#cells > li")].map((e) => e.getBoundingClientRect().top);
      return tops.filter((top) => top === tops[0]).length;
    });
    assert.ok(across > 1 && across < 8, `${across} in a row`);
    await press("ArrowDown");
    assert.equal(await focused(), String(1 + across));
    await press("ArrowUp");
    assert.equal(await focused(), "1");
  });

  test("a key that is pressed before the scripts have started acts when they have", async () => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await window.context.route(/\/main\.\w+\.js$/, async (route) => { await held; await route.fallback(); });
    await window.page.goto("/ada/field-notes", { waitUntil: "commit" });
    await window.page.locator("[data-key=e]").waitFor();
    await press("e");
    release();
    await window.page.waitForURL("**/edit");
    await window.context.unroute(/\/main\.\w+\.js$/);
  });

  test("Enter opens, c connects the item with the focus, e edits", async () => {
    await start();
    for (const key of ["j", "j", "Enter"]) await press(key);
    await window.page.waitForURL("**/block/2");
    await start();
    for (const key of ["j", "j", "j", "c"]) await press(key);
    await window.page.waitForURL("**/block/3/connect");
    await start();
    await press("e");
    await window.page.waitForURL("**/edit");
  });

  test("typing is typing, and a shortcut of the browser is not ours", async () => {
    await start();
    await press("/");
    assert.equal(await window.page.evaluate(() => document.activeElement.id), "seek");
    await window.page.keyboard.type("jce?/");
    assert.equal(await window.page.locator("#seek").inputValue(), "jce?/");
    assert.equal(window.path, "/ada/field-notes");
    await window.page.locator("h1").click();
    for (const key of ["Control+e", "Alt+e", "Meta+j"]) await press(key);
    assert.equal(window.path, "/ada/field-notes");
    assert.equal(await window.page.locator("dialog").count(), 0);
  });

  test("? lists them, and there they are switched off for good", async () => {
    await start();
    await press("?");
    const dialog = window.page.getByRole("dialog", { name: "Keys" });
    assert.match(await dialog.innerText(), /Next item[^]*Edit[^]*Search/);
    await press("j");
    assert.equal(await dialog.isVisible(), true);
    await dialog.getByLabel("Use these keys in this browser").uncheck();
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
    await press("j");
    assert.equal(await window.page.evaluate(() => document.activeElement.className), "");
    await start();
    await press("e");
    assert.equal(window.path, "/ada/field-notes");
    await window.page.getByRole("button", { name: "Keys", exact: true }).click();
    await dialog.getByLabel("Use these keys in this browser").check();
    await dialog.getByRole("button", { name: "Close" }).click();
    await press("e");
    await window.page.waitForURL("**/edit");
  });
}, undefined, noBrowser);
