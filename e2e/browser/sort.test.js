import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, withBrowser } from "../rig/browser.js";
import { fixture } from "../rig/fixture.js";
import { onSQLite } from "../rig/world.js";

const cell = (n) => `<li class="cell" id="c${n}" data-connection="${n}" data-position="${n - 10}"><a class="face" href="/block/${n}"><span class="frame">${n}</span></a>
  <input type="checkbox" name="connection" value="${n}" aria-label="${n}"></li>`;
const page = `<h1>Field notes</h1><form data-select method="post"><p><output data-select-count></output> <button type="button" data-select-all hidden>All</button>
  <button type="button" data-select-none hidden>None</button></p><ul id="cells" class="cells" data-sortable data-removes data-tiles="/arrange">${[11, 12, 13, 14, 15].map(cell).join("")}</ul></form>`;

const shelfPage = `<h1>Found elsewhere</h1><button type="button" data-shelf="9" data-key="s">Shelf</button><ul id="cells" class="cells" data-tiles="/arrange">${[11, 12, 13, 14].map(cell).join("")}</ul>`;

onSQLite("moving and choosing", (world) => {
  const browsers = withBrowser(world);
  let window;
  let refuse = false;
  const sent = [];
  const offered = [{ value: "7", label: "Ferns", hint: "Ada" }];
  const answers = {
    "/arrange": (form) => ({ note: `${form.get("do")} done`, places: form.getAll("connection").map((id) => ({ connection: Number(id), position: id - 10 })), connections: form.getAll("connection").map(Number), undo: "key" }),
    "/connections/undo": () => ({ note: "undone", places: [{ connection: 112, position: 2 }, { connection: 114, position: 4 }] }),
    "/connections/choices": () => offered,
    "/connections/take-back": () => ({ note: "taken back" }),
  };
  before(async () => {
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block", viewport: { width: 1280, height: 900 } });
    await fixture(window, "/arrange", page);
    await fixture(window, "/shelf", shelfPage);
    await window.context.route((url) => url.pathname in answers, (route) => {
      const { pathname } = new URL(route.request().url());
      if (route.request().method() === "GET" && pathname === "/arrange") return route.fallback();
      const form = new URLSearchParams(route.request().postData() ?? "");
      form.delete("once");
      sent.push(`${pathname} ${form}`);
      if (refuse) return route.fulfill({ status: 409, contentType: "text/html", body: '<main><p class="lead">It is no longer here.</p></main>' });
      return route.fulfill({ json: answers[pathname](form) });
    });
  });
  const start = async () => {
    await window.to("/arrange");
    await window.page.waitForFunction(() => document.querySelector("#cells").chosen && document.querySelector("#cells").sorts && !document.querySelector("[data-select-all]").hidden);
    sent.length = 0;
  };
  const order = () => window.page.locator("#cells > li").evaluateAll((all) => all.map((e) => e.id.slice(1)).join(" "));
  const said = (text) => window.page.locator("[role=status]", { hasText: text }).waitFor({ state: "attached" });
  const chosen = () => window.page.locator(".chosen-bar output").innerText();
  const undo = () => window.page.getByRole("button", { name: "Undo" }).click();

  test("Alt and arrows move the item with the focus, and keep the focus", async () => {
    await start();
    await window.page.locator("#c12 .face").focus();
    await window.page.keyboard.press("Alt+ArrowRight");
    await said("Moved to place 3 of 5");
    assert.equal(await order(), "11 13 12 14 15");
    await window.page.keyboard.press("Alt+ArrowLeft");
    await said("Moved to place 2 of 5");
    assert.deepEqual(sent, ["/arrange do=move&connection=12&position=3", "/arrange do=move&connection=12&position=2"]);
    assert.equal(await window.page.evaluate(() => document.activeElement.closest("li").id), "c12");
  });

  test("an item is dragged to the place of another, and back with Undo", async () => {
    await start();
    await window.page.locator("#c11").dragTo(window.page.locator("#c14"), { targetPosition: { x: 10, y: 20 } });
    await said("Moved to place 3 of 5");
    assert.equal(await order(), "12 13 11 14 15");
    await undo();
    await said("move done");
    assert.equal(await order(), "11 12 13 14 15");
    assert.deepEqual(sent, ["/arrange do=move&connection=11&position=3", "/arrange do=move&connection=11&position=1"]);
    assert.equal(window.path, "/arrange", "the item was not opened");
  });

  test("selected items are moved together, with one request", async () => {
    await start();
    await window.page.locator("#c11 .face").click({ modifiers: ["Control"] });
    await window.page.locator("#c13 .face").click({ modifiers: ["Control"] });
    assert.equal(await chosen(), "2 selected");
    await window.page.locator("#c13 .face").dragTo(window.page.locator("#c15"), { targetPosition: { x: 10, y: 20 } });
    await said("move done");
    assert.equal(await order(), "12 14 11 13 15");
    assert.deepEqual(sent, ["/arrange do=move&connection=11&connection=13&position=3&position=4"]);
    await window.page.keyboard.press("Escape");
    assert.equal(await window.page.locator(".chosen").count(), 0);
  });

  test("a rectangle selects what it touches, and removing is undone", async () => {
    await start();
    const [from, to] = [await window.page.locator("#c11").boundingBox(), await window.page.locator("#c12").boundingBox()];
    await window.page.mouse.move(from.x - 10, from.y + 10);
    await window.page.mouse.down();
    await window.page.mouse.move(to.x + 20, to.y + 40, { steps: 3 });
    await window.page.mouse.up();
    assert.equal(await chosen(), "2 selected");
    await window.page.locator("#c11 .face").click();
    await window.page.locator("#c14 .face").focus();
    await window.page.keyboard.press("x");
    assert.equal(await chosen(), "2 selected");
    await window.page.locator(".chosen-bar").getByRole("button", { name: "Remove" }).click();
    await said("remove done");
    assert.equal(await order(), "11 13 15");
    const places = () => window.page.locator("#cells > li").evaluateAll((all) => all.map((e) => e.dataset.position).join(" "));
    assert.equal(await places(), "1 2 3");
    await undo();
    await said("undone");
    assert.equal(await order(), "11 112 13 114 15");
    assert.equal(await places(), "1 2 3 4 5");
  });

  test("connecting takes two actions, and Enter makes a channel", async () => {
    await start();
    await window.page.locator("#c12").hover();
    await window.page.locator("#c12").getByRole("button", { name: "Connect" }).click();
    await window.page.getByRole("option", { name: "Ferns" }).click();
    await said("connect done");
    await undo();
    await said("taken back");
    await window.page.locator("#c13 .face").focus();
    await window.page.keyboard.press("c");
    await window.page.getByRole("option", { name: "Ferns" }).waitFor();
    await window.page.keyboard.type("Mosses");
    await window.page.getByRole("option", { name: "Make the channel “Mosses”" }).waitFor();
    await window.page.keyboard.press("ArrowDown");
    await window.page.keyboard.press("Enter");
    await window.page.locator("dialog").waitFor({ state: "detached" });
    assert.deepEqual(sent.filter((each) => !each.includes("choices")), ["/arrange do=connect&connection=12&to=7", "/connections/take-back connection=12", "/arrange do=connect&connection=13&title=Mosses"]);
  });

  test("items dropped on a channel in the shelf are connected to it, with one request", async () => {
    offered.push({ value: "9", label: "Found elsewhere", hint: "Ada" });
    await window.to("/shelf");
    await window.page.waitForFunction(() => document.querySelector("#cells").sorts && document.querySelector("#cells").chosen);
    sent.length = 0;
    for (const id of ["#c12", "#c14"]) await window.page.locator(`${id} .face`).click({ modifiers: ["Control"] });
    const [from, ferns] = [await window.page.locator("#c14").boundingBox(), window.page.locator("#side-shelf li", { hasText: "Ferns" })];
    await window.page.mouse.move(from.x + 20, from.y + 20);
    await window.page.mouse.down();
    await window.page.mouse.move(from.x + 60, from.y + 40, { steps: 3 });
    await ferns.waitFor({ state: "attached" });
    await window.page.mouse.move(1270, 300, { steps: 3 });
    const to = await ferns.boundingBox();
    await window.page.mouse.move(to.x + 20, to.y + 20, { steps: 3 });
    assert.deepEqual(await window.page.locator("#side-shelf li").allInnerTexts(), ["Ferns\nAda"], "the channel of the page is not offered");
    await window.page.mouse.up();
    await said("connect done");
    await undo();
    await said("taken back");
    assert.equal(await order(), "11 12 13 14");
    assert.equal(await ferns.isVisible(), false, "the shelf closes with the drag");
    assert.deepEqual(sent.filter((each) => !each.includes("choices")), ["/arrange do=connect&connection=12&connection=14&to=7", "/connections/take-back connection=12&connection=14"]);
    await window.page.keyboard.press("s");
    await ferns.click();
    await said("connect done");
    assert.equal(sent.at(-1), "/arrange do=connect&connection=12&connection=14&to=7");
  });

  test("what the site refuses goes back to where it was", async () => {
    await start();
    refuse = true;
    await window.page.locator("#c15 .face").focus();
    await window.page.keyboard.press("Alt+ArrowUp");
    await said("It is no longer here.");
    assert.equal(await order(), "11 12 13 14 15");
    refuse = false;
  });

  test("a range, all and none are chosen, and counted", async () => {
    await start();
    const count = window.page.locator("[data-select-count]");
    await window.page.getByRole("checkbox", { name: "12" }).click();
    await window.page.getByRole("checkbox", { name: "14" }).click({ modifiers: ["Shift"] });
    assert.equal(await count.innerText(), "3 chosen");
    assert.equal(await window.page.getByRole("checkbox", { name: "13" }).isChecked(), true);
    await window.page.getByRole("button", { name: "All" }).click();
    assert.equal(await count.innerText(), "5 chosen");
    await window.page.getByRole("button", { name: "None" }).click();
    assert.equal(await count.innerText(), "");
  });
}, undefined, noBrowser);
