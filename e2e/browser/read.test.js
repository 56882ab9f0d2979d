import assert from "node:assert/strict";
import { before, test } from "node:test";
import { passwordOf, withBrowser } from "../rig/browser.js";
import { onSQLite } from "../rig/world.js";

const paragraph = "The farther away a hill is, the more air is in front of it, and the paler it looks. ";
const text = Array.from({ length: 60 }, (_, i) => `## Ridge ${i + 1}\n\n${paragraph.repeat(3)}`).join("\n\n");

// Reading a text with scripts: the position is remembered, and the selected passage is highlighted.
onSQLite("reading", (world) => {
  const browsers = withBrowser(world);
  let window, page, path;
  before(async () => {
    await world.user("ada", "supporter", passwordOf("ada"));
    const ada = world.arena(await world.token("ada"));
    const wall = await ada.channels.create({ title: "Hills", visibility: "public" });
    const block = await ada.blocks.create({ value: text, title: "Why far hills are blue", channel_ids: [wall.id] });
    path = `/block/${block.id}/read`;
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block", reducedMotion: "reduce" });
    page = window.page;
    await window.signIn("ada");
  });

  test("a text opens where its reader left off", async () => {
    await window.to(path);
    const stored = page.waitForRequest((request) => request.url().endsWith(`${path}/place`));
    await page.getByRole("heading", { name: "Ridge 30" }).evaluate((heading) => heading.scrollIntoView({ block: "start" }));
    const answer = await (await stored).response();
    assert.equal(answer.status(), 204);
    await window.to("/");
    await window.to(path);
    await page.waitForFunction(() => scrollY > 0);
    const top = await page.getByRole("heading", { name: "Ridge 30" }).evaluate((heading) => heading.getBoundingClientRect().top);
    assert.ok(Math.abs(top) < 120, `the heading is at ${top}`);
  });

  test("a selected passage is highlighted, and its note can be written", async () => {
    await window.to("/");
    await window.to(`${path}#main`);
    const select = () => page.evaluate(() => {
      const node = document.querySelectorAll(".reading > .text p")[2].firstChild;
      getSelection().setBaseAndExtent(node, 4, node, 19);
    });
    await page.locator(".marker").waitFor({ state: "attached" });
    await select();
    await page.locator(".marker").getByRole("button", { name: "Highlight" }).click();
    const mark = page.locator(".reading > .text mark");
    await mark.waitFor();
    assert.equal(await mark.innerText(), "farther away a", "without the space at its end");
    assert.equal(await mark.evaluate((m) => m.closest("p").previousElementSibling.textContent), "Ridge 3", "of several places, the selected one");
    await page.evaluate(() => {
      const node = document.querySelectorAll(".reading > .text p")[4].firstChild;
      getSelection().setBaseAndExtent(node, 0, node, 10);
    });
    await page.locator(".marker").getByRole("button", { name: "Note" }).waitFor(); // otherwise the key opens the page for new things
    await page.keyboard.press("n");
    await page.getByLabel("Note").fill("Is it?");
    await page.locator("form[data-highlight] button").click();
    await page.getByText("Is it?").waitFor();
    assert.equal(await page.locator(".reading > .text mark").count(), 2);
  });
});
