import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, withBrowser } from "../rig/browser.js";
import { fixture } from "../rig/fixture.js";
import { onSQLite } from "../rig/world.js";

const content = `<h1>Fields</h1><form method="get" action="/fields"><label for="who">Person</label><input id="who" name="who" data-autocomplete="/people?q=">
  <label for="words">Comment</label><textarea id="words" name="words" data-mention="/people?q="></textarea>
  <label for="sort">Order</label><select id="sort" name="sort" data-submit><option>newest</option><option>oldest</option></select><button data-submit-button>Show</button></form>
  <form method="get" action="/fields"><label for="look">Search</label><input id="look" name="q" type="search" data-suggest="/found?q="></form>
  <label for="tags">Tags</label><input id="tags" data-autocomplete="/people?q=" data-many="yes">
  <p id="address">https://example.org/</p><button type="button" data-copy="#address" hidden>Copy</button>
  <p><time id="at" datetime="2026-03-01T23:30:00Z">1 March 2026, 23:30</time> <time id="ago" datetime="2026-03-01T23:30:00Z" data-show="as-is">3 days ago</time></p>`;
const people = [{ value: "ada", label: "Ada", hint: "@ada" }, { value: "adam", label: "<b>Adam", hint: "@adam" }];

onSQLite("fields and times", (world) => {
  const browsers = withBrowser(world);
  let window, page;
  before(async () => {
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block", timezoneId: "Asia/Tokyo", permissions: ["clipboard-read", "clipboard-write"] });
    page = window.page;
    await fixture(window, "/fields", content);
    await window.context.route("**/people?q=*", (route) => route.fulfill({ json: people.filter(({ value }) => value.startsWith(new URL(route.request().url()).searchParams.get("q"))) }));
  });

  test("a field is completed with the keyboard", async () => {
    await window.to("/fields");
    const field = page.getByRole("combobox", { name: "Person" });
    await field.pressSequentially("ad");
    const list = page.getByRole("listbox", { name: "Person" });
    await list.waitFor();
    assert.equal(await field.getAttribute("aria-expanded"), "true");
    assert.match(await list.innerText(), /<b>Adam/, "what people are called is text");
    await field.press("ArrowDown");
    await field.press("ArrowDown");
    const active = await field.getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`[id="${active}"]`).getAttribute("aria-selected"), "true");
    await field.press("Enter");
    assert.equal(await field.inputValue(), "adam");
    assert.equal(await list.isVisible(), false);
    assert.equal(window.path, "/fields");
  });

  test("the last of several parts is completed", async () => {
    await window.to("/fields");
    const field = page.getByRole("combobox", { name: "Tags" });
    await field.pressSequentially("moss, ad");
    await page.getByRole("option", { name: "Ada @ada", exact: true }).click();
    assert.equal(await field.inputValue(), "moss, ada, ");
  });

  test("results are suggested while typing, and recent searches until they are cleared", async () => {
    await window.context.route("**/found?q=mo*", (route) => route.fulfill({ json: [{ value: "/fields?at=1", label: "Moss wall", hint: "Ada" }] }));
    await window.to("/fields");
    await page.locator("#look").focus();
    const field = page.getByRole("combobox", { name: "Search" });
    await field.pressSequentially("mo");
    await page.getByRole("option", { name: "Moss wall Ada" }).waitFor();
    await field.press("Enter"); // nothing is selected
    await page.waitForURL("**/fields?*q=mo*");
    await page.locator("#look").focus();
    await page.getByRole("option", { name: "mo", exact: true }).waitFor();
    await field.press("ArrowUp");
    await field.press("Enter");
    assert.equal(await page.locator(".options li").count(), 0);
    assert.equal(await page.evaluate(() => localStorage.getItem("vitrine.searches.guest")), null);
    await field.pressSequentially("mos");
    await page.getByRole("option", { name: "Moss wall Ada" }).waitFor();
    await field.press("ArrowDown");
    await field.press("Enter");
    await page.waitForURL("**/fields?at=1");
  });

  test("an @ in a comment offers people, a click takes one, Escape none", async () => {
    await window.to("/fields");
    const area = page.getByRole("textbox", { name: "Comment" });
    await page.locator("textarea[aria-autocomplete]").waitFor();
    await area.pressSequentially("Look, @ad");
    await page.getByRole("option", { name: "Ada @ada", exact: true }).click();
    assert.equal(await area.inputValue(), "Look, @ada ");
    await area.pressSequentially("(@ad");
    await page.locator(".options li").first().waitFor();
    await area.press("Escape");
    assert.equal(await page.locator(".options li").count(), 0);
  });

  test("times are the reader's", async () => {
    await window.to("/fields");
    await page.locator("#at[title]").waitFor();
    assert.match(await page.locator("#at").innerText(), /2 March 2026 at 0?8:30/);
    assert.match(await page.locator("#at").getAttribute("title"), /Monday,? 2 March 2026/);
    assert.equal(await page.locator("#ago").innerText(), "3 days ago");
  });

  test("an address is copied, a choice is sent", async () => {
    await window.to("/fields");
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "https://example.org/");
    assert.equal(await page.getByRole("button", { name: "Show" }).count(), 0);
    await page.getByLabel("Order").selectOption("oldest");
    await page.waitForURL("**/fields?*sort=oldest");
  });
}, undefined, noBrowser);
