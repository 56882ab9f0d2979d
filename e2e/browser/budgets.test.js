import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { after, before, test } from "node:test";
import { launch, noBrowser, withBrowser } from "../rig/browser.js";
import { fillGallery, gallerySettings, openWebsite } from "../rig/gallery.js";
import { onSQLite } from "../rig/world.js";

// The cost of a channel with a hundred items for a reader, and its Lighthouse scores.
onSQLite("budgets", (world) => {
  const browsers = withBrowser(world);
  let site, channel, address;

  before(async () => {
    site = await openWebsite();
    channel = await fillGallery(await world.arenaOf("ada"), site);
    address = `/ada/${channel.slug}`;
  });
  after(() => site.close());

  test("the page of a channel: HTML, styles and scripts, requests, layout", async () => {
    const window = await browsers.open({ javaScriptEnabled: true, viewport: { width: 390, height: 844 }, isMobile: true });
    const got = [];
    window.page.on("response", async (response) => {
      const type = (await response.headerValue("content-type")) ?? "";
      got.push({ url: response.url(), type, size: Number((await response.headerValue("content-length")) ?? 0), body: /html|css|javascript/.test(type) ? await response.body().catch(() => Buffer.alloc(0)) : null });
    });
    await window.page.addInitScript(() => {
      globalThis.shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    const response = await window.page.goto(address, { waitUntil: "networkidle" });
    assert.equal(response.status(), 200);
    const html = (await response.body()).length;
    assert.ok(html <= 150 * 1024, `the page has ${html} bytes`);

    // Scrolls to the end of the channel, which loads all items and the related channels.
    await window.page.evaluate(async () => {
      for (let y = 0; document.querySelector("#pager > [rel=next], #related-lists:empty"); y = Math.min(y + 600, document.body.scrollHeight)) {
        scrollTo(0, y);
        await new Promise((drawn) => requestAnimationFrame(drawn));
      }
    });
    await window.page.locator("footer.foot").waitFor();
    await window.page.waitForLoadState("networkidle");
    const code = got.filter(({ type }) => /css|javascript/.test(type));
    const compressed = code.reduce((sum, { body }) => sum + gzipSync(body).length, 0);
    assert.ok(code.length > 0 && compressed <= 60 * 1024, `styles and scripts have ${compressed} bytes compressed`);
    const fonts = got.filter(({ type }) => type === "font/woff2");
    assert.deepEqual(await window.page.evaluate(() => [getComputedStyle(document.body), getComputedStyle(document.querySelector("h1"))].map(({ font }) => document.fonts.check(font))), [true, true]);
    const typefaces = fonts.reduce((sum, { size }) => sum + size, 0);
    assert.ok(fonts.length >= 2 && typefaces <= 60 * 1024, `${fonts.length} typefaces have ${typefaces} bytes`);
    assert.deepEqual(got.map(({ url }) => url).filter((url) => !url.startsWith(world.url) && !url.startsWith("blob:")), [], "requests to others");
    const shifted = await window.page.evaluate(() => globalThis.shifted);
    assert.ok(shifted < 0.02, `the layout shifts by ${shifted}`);
    const images = await window.page.locator("#cells img").evaluateAll((all) => all.map((i) => ["alt", "width", "height", "loading"].filter((name) => !i.hasAttribute(name))));
    assert.ok(images.length > 0);
    assert.deepEqual(images.flat(), [], "attributes that images lack");
  });

  test("Lighthouse on a phone", async (t) => {
    const { default: lighthouse } = await import("lighthouse");
    const { port, close } = await launch();
    try {
      const { artifacts, lhr } = await lighthouse(world.url + address, { port, output: "json", logLevel: "error", onlyCategories: ["performance", "accessibility", "best-practices", "seo"] });
      assert.ok(artifacts);
      const score = Object.fromEntries(Object.entries(lhr.categories).map(([name, { score }]) => [name, score]));
      const failed = Object.values(lhr.audits).filter((a) => a.score !== null && a.score < 0.9).map((a) => `${a.id} (${a.score}): ${a.displayValue ?? a.title}`);
      t.diagnostic(`${JSON.stringify(score)} ${failed.join("; ")}`);
      for (const [name, least] of [["accessibility", 1], ["best-practices", 0.95], ["seo", 0.95]]) {
        assert.ok(score[name] >= least, `${name}: ${score[name]}: ${failed.join("; ")}`);
      }
      // Speed depends on other load on the machine, so it is only compared on quiet machines.
      if (process.env.VITRINE_TEST_QUIET) assert.ok(score.performance >= 0.9, `performance: ${score.performance}: ${failed.join("; ")}`);
    } finally {
      await close();
    }
  });
}, gallerySettings, noBrowser);
