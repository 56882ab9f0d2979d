import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, withBrowser } from "../rig/browser.js";
import { fixture } from "../rig/fixture.js";
import { onSQLite } from "../rig/world.js";

const cell = (n) => `<li class="cell" id="c${n}" data-connection="${n}" data-position="${n - 10}"><a class="face" href="/block/${n}"><span class="frame">${n}</span></a>
  <input type="checkbox" name="connection" value="${n}" aria-label="${n}"></li>`;
const page = `<h1>Field notes</h1><form data-select method="post"><p><output data-select-count></output> <button type="button" data-select-all hidden>All</button>
  <button type="button" data-select-none hidden>None</button></p><ul id="cells" class="cells" data-sortable>${[11, 12, 13, 14, 15].map(cell).join("")}</ul></form>`;

onSQLite("moving and choosing", (world) => {
  const browsers = withBrowser(world);
  let window;
  let refuse = false;
  const sent = [];
  before(async () => {
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block", viewport: { width: 1280, height: 900 } });
    await fixture(window, "/arrange", page);
    await window.context.route("**/connection/*", (route) => {
      sent.push(`${new URL(route.request().url()).pathname} ${route.request().postData()}`);
      if (refuse) return route.fulfill({ status: 409, contentType: "text/html", body: '<main><p class="lead">It is no longer here.</p></main>' });
      return route.fulfill({ status: 204, headers: { "X-Location": "/arrange" } });
    });
  });
  const start = async () => {
    await window.to("/arrange");
    await window.page.waitForFunction(() => globalThis.Sortable?.get?.(document.querySelector("#cells")) && !document.querySelector("[data-select-all]").hidden);
    sent.length = 0;
  };
  const order = () => window.page.locator("#cells > li").evaluateAll((all) => all.map((e) => e.id.slice(1)).join(" "));
  const said = (text) => window.page.locator("[role=status]", { hasText: text }).waitFor({ state: "attached" });

  test("Alt and arrows move the item with the focus, and keep the focus", async () => {
    await start();
    await window.page.locator("#c12 .face").focus();
    await window.page.keyboard.press("Alt+ArrowRight");
    await said("Moved to place 3 of 5");
    assert.equal(await order(), "11 13 12 14 15");
    await window.page.keyboard.press("Alt+ArrowLeft");
    await said("Moved to place 2 of 5");
    assert.deepEqual(sent, ["/connection/12 do=move&position=3", "/connection/12 do=move&position=2"]);
    assert.equal(await window.page.evaluate(() => document.activeElement.closest("li").id), "c12");
  });

  test("an item is dragged to the place of another", async () => {
    await start();
    await window.page.locator("#c11").dragTo(window.page.locator("#c13"));
    await said("Moved to place 3 of 5");
    assert.equal(await order(), "12 13 11 14 15");
    assert.deepEqual(sent, ["/connection/11 do=move&position=3"]);
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
