import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, withBrowser } from "../rig/browser.js";
import { fixture } from "../rig/fixture.js";
import { onSQLite } from "../rig/world.js";

const slide = ({ searchParams }) => {
  const at = Number(searchParams.get("at") ?? 1);
  return `<div data-slideshow><h1>Slide ${at}</h1><img src="/favicon.ico?${at}" alt="">
    ${at > 1 ? `<a rel="prev" data-key="k ArrowLeft" href="/slides?at=${at - 1}">Previous</a>` : ""} ${at < 3 ? `<a rel="next" data-key="j ArrowRight" href="/slides?at=${at + 1}">Next</a>` : ""}
    <button type="button" data-fullscreen hidden>Whole screen</button></div>`;
};

onSQLite("a slideshow", (world) => {
  const browsers = withBrowser(world);
  let window, page;
  before(async () => {
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block" });
    page = window.page;
    await fixture(window, "/slides", slide);
  });
  const shown = (n) => page.getByRole("heading", { name: `Slide ${n}` }).waitFor();

  test("slides are exchanged within the page, by link and key, each once", async () => {
    await window.to("/slides");
    await page.getByRole("button", { name: "Whole screen" }).waitFor();
    await page.evaluate(() => { globalThis.still = true; });
    await page.keyboard.press("ArrowRight");
    await shown(2);
    assert.equal(new URL(page.url()).search, "?at=2");
    await page.getByRole("link", { name: "Next" }).click();
    await shown(3);
    await page.keyboard.press("ArrowRight"); // the last slide
    await page.keyboard.press("ArrowLeft");
    await shown(2);
    await page.keyboard.press("PageUp");
    await shown(1);
    assert.equal(await page.evaluate(() => globalThis.still), true, "the page was not loaded");
    await page.reload();
    await shown(1);
  });

  test("the whole screen stays from slide to slide", async () => {
    await page.getByRole("button", { name: "Whole screen" }).click();
    await page.waitForFunction(() => document.fullscreenElement !== null);
    await page.keyboard.press("ArrowRight");
    await shown(2);
    assert.equal(await page.evaluate(() => document.fullscreenElement !== null), true);
  });
}, undefined, noBrowser);
