import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { api, inEachMode } from "../rig/flow.js";
import { picture } from "../rig/gallery.js";
import { inspectPage } from "../rig/inspect.js";
import { onSQLite, processed } from "../rig/world.js";

const sizes = [[600, 900], [900, 600], [500, 1500], [1200, 300], [60, 40], [700, 700]];

// How a channel is shown: grid, masonry, list and reading, in the size that the reader chooses.
onSQLite("layouts of a channel", (world) => {
  const browsers = withBrowser(world);
  let wall;

  before(async () => {
    await world.user("ada", "supporter", passwordOf("ada"));
    const token = await world.token("ada");
    const arena = world.arena(token);
    const ada = api(world, token);
    wall = await ada("POST", "/v3/channels", { title: "Wall", visibility: "public" });
    const made = [];
    for (let n = 0; n < 18; n++) {
      if (n % 3 === 2) {
        made.push((await arena.blocks.create({ value: `Text ${n}: ${"words that go on, ".repeat(n)}`, title: n % 2 ? `Words ${n}` : undefined, channel_ids: [wall.id] })).id);
        continue;
      }
      const file = { data: picture(n, sizes[n % sizes.length]), filename: `p${n}.png`, contentType: "image/png" };
      made.push((await arena.uploads.createBlock({ file, channels: [{ id: wall.id }], block: { title: `Picture ${n}` } })).id);
    }
    for (const id of made) await processed(() => arena.blocks.get(id));
  });

  const order = (page) => page.locator("#cells > li .face").evaluateAll((all) => all.map((face) => face.getAttribute("href")));
  const columns = (page) => page.locator("#cells").evaluate((list) => getComputedStyle(list).gridTemplateColumns.split(" ").length);

  inEachMode(browsers, (mode, open) => {
    let guest;
    before(async () => {
      guest = await open();
    });

    test("a layout is chosen by its link, and remembered", async () => {
      await guest.to("/ada/wall");
      await guest.page.locator("#cells.sized:not(.masonry)").waitFor();
      const first = await order(guest.page);
      for (const [name, list] of [["Masonry", "#cells.masonry"], ["List", "#cells.rowed"], ["Reading", "#cells.passages"]]) {
        await guest.follow(name);
        await guest.page.locator(list).waitFor();
        await guest.to("/ada/wall");
        await guest.page.locator(list).waitFor();
        assert.deepEqual([...new Set(await order(guest.page))], first, `the order of ${name}`);
      }
      await guest.follow("Grid");
      await guest.page.locator("#cells.sized:not(.masonry)").waitFor();
    });

    test("images keep their proportions", async () => {
      for (const view of ["grid", "masonry"]) {
        await guest.to(`/ada/wall?view=${view}`);
        const wrong = await guest.page.locator("#cells .image img").evaluateAll((all) => all.map((image) => {
          const box = image.getBoundingClientRect();
          const style = getComputedStyle(image);
          const [width, height] = [Number(image.getAttribute("width")), Number(image.getAttribute("height"))];
          const whole = style.objectFit === "contain" || style.objectFit === "scale-down";
          // In masonry, the space that is left over is less than a row and a half.
          const spare = image.closest(".masonry") && !image.matches(".tiny") && width < 4 * height ? box.height - box.width * height / width : 0;
          return whole && spare > -1 && spare < box.width / 16 ? "" : `${image.src}: ${style.objectFit} ${width}×${height} in ${box.width}×${box.height}`;
        }));
        assert.deepEqual(wrong.filter(Boolean), [], view);
      }
    });

    test("masonry: in the order of the channel, without overlaps", async () => {
      await guest.to("/ada/wall?view=masonry");
      const boxes = await guest.page.locator("#cells > li").evaluateAll((all) => all.map((item) => {
        const { left, top, right, bottom } = item.getBoundingClientRect();
        return { left, top, right, bottom };
      }));
      for (const [n, box] of boxes.entries()) {
        if (n > 0) assert.ok(box.top >= boxes[n - 1].top - 1, `item ${n} is above the one before it`);
        for (const other of boxes.slice(0, n)) {
          assert.ok(box.left >= other.right - 1 || box.right <= other.left + 1 || box.top >= other.bottom - 1 || box.bottom <= other.top + 1, `item ${n} overlaps another one`);
        }
      }
    });

    test("the size changes the number of columns, and is remembered", async () => {
      await guest.to("/ada/wall?view=masonry");
      const before = await columns(guest.page);
      const slider = guest.page.getByRole("slider", { name: "Size of the items" });
      if (mode.scripts) {
        const sent = guest.page.waitForResponse((response) => response.url().includes("size=5"));
        await guest.page.waitForFunction(() => document.querySelector("#cells[data-view]") !== null);
        await guest.page.waitForLoadState("networkidle");
        await slider.fill("5");
        await sent;
      } else {
        await slider.fill("5");
        await guest.press("Set size");
        await guest.arrives(/size=5/);
      }
      assert.ok(await columns(guest.page) < before);
      await guest.to("/ada/wall?view=grid");
      assert.ok(await columns(guest.page) < before);
      await guest.to("/ada/wall?view=grid&size=1");
      assert.ok(await columns(guest.page) > before);
    });

    test("the list is sorted by its columns", async () => {
      await guest.to("/ada/wall?view=list");
      const heads = guest.main.getByRole("list", { name: "Columns" });
      const newest = await order(guest.page);
      await heads.getByRole("link", { name: /^Added/ }).click();
      await guest.arrives(/sort=newest/);
      assert.deepEqual(await order(guest.page), newest);
      await heads.getByRole("link", { name: /newest first/ }).click();
      await guest.arrives(/sort=oldest/);
      assert.deepEqual(await order(guest.page), newest.toReversed());
    });

    test("the owner chooses what others see at first", async () => {
      const ada = await open("ada");
      for (const [name, list] of [["Reading", "passages"], ["Grid", "sized"]]) {
        await ada.to("/ada/wall/edit");
        await ada.page.getByRole("radio", { name: new RegExp(`^${name}`) }).check();
        await ada.press("Save");
        await ada.arrives(/^\/ada\/wall/);
        const other = await open();
        await other.to("/ada/wall");
        await other.page.locator(`#cells.${list}`).waitFor();
        await other.window.context.close();
      }
      await ada.window.context.close();
    });
  });

  test("nothing moves while images load and while the reader scrolls", async () => {
    for (const viewport of [{ width: 1280, height: 900 }, { width: 390, height: 844 }]) {
      const window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block", viewport });
      await window.page.addInitScript(() => {
        globalThis.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (entry.sources.some(({ node }) => node?.parentElement?.closest("#cells"))) globalThis.shifted += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
      });
      for (const view of ["grid", "masonry", "reading"]) {
        await window.to(`/ada/wall?view=${view}`);
        await window.page.evaluate(async () => {
          for (let y = 0; y < document.body.scrollHeight; y += 300) {
            scrollTo(0, y);
            await new Promise((drawn) => requestAnimationFrame(drawn));
          }
        });
        await window.page.waitForLoadState("networkidle");
        assert.ok(await window.page.evaluate(() => globalThis.shifted) <= 0.02, `${view} at ${viewport.width}`);
      }
      await window.context.close();
    }
  });

  test("each layout is accessible", async () => {
    for (const [look, options] of Object.entries({ light: { viewport: { width: 1280, height: 900 } }, phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } })) {
      const window = await browsers.open({ ...options, javaScriptEnabled: true, bypassCSP: true, reducedMotion: "reduce" });
      for (const view of ["grid", "masonry", "list", "reading"]) {
        await window.to(`/ada/wall?view=${view}`);
        assert.deepEqual(await inspectPage(window.page, look), [], `${view}, ${look}`);
        await window.page.emulateMedia({ colorScheme: "dark" });
        assert.deepEqual(await inspectPage(window.page, look === "light" ? "dark" : "phone-dark"), [], `${view}, dark`);
        await window.page.emulateMedia({ colorScheme: null });
      }
      await window.context.close();
    }
  });
}, undefined, noBrowser);
