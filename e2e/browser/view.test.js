import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { api } from "../rig/flow.js";
import { picture } from "../rig/gallery.js";
import { inspectPage } from "../rig/inspect.js";
import { onSQLite, processed } from "../rig/world.js";

const perPage = 48;
const texts = 60;

// A block opens over its channel, which stays where it is.
onSQLite("a block over its channel", (world) => {
  const browsers = withBrowser(world);
  let wall, image, film;

  before(async () => {
    await world.user("ada", "supporter", passwordOf("ada"));
    const token = await world.token("ada");
    const arena = world.arena(token);
    wall = await api(world, token)("POST", "/v3/channels", { title: "Wall", visibility: "public" });
    const channels = [{ id: wall.id }];
    for (let n = 0; n < texts; n++) await arena.blocks.create({ value: `Text ${n}`, title: `Words ${n}`, channel_ids: [wall.id] });
    film = await arena.uploads.createBlock({ file: { data: Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x08free"), filename: "film.mp4", contentType: "video/mp4" }, channels, block: { title: "Film" } });
    image = await arena.uploads.createBlock({ file: { data: picture(1, [1600, 1200]), filename: "p.png", contentType: "image/png" }, channels, block: { title: "Picture" } });
    for (const { id } of [film, image]) await processed(() => arena.blocks.get(id));
  });

  const open = async (options = {}) => {
    const window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block", viewport: { width: 1280, height: 800 }, ...options });
    window.page.on("dialog", (question) => question.accept());
    return window;
  };
  const view = (page) => page.locator("dialog.view[open]");
  const tile = (page, name) => page.locator("#cells > li .face", { hasText: name }).first();
  /** Opens the channel, and waits for the script. */
  const channel = async (window, query = "") => {
    await window.to(`/ada/wall${query}`);
    await window.page.waitForLoadState("networkidle");
  };
  const shows = (page, name) => view(page).getByRole("heading", { level: 1, name, exact: true }).waitFor({ state: "attached" });
  const press = async (page, key, name) => {
    await page.keyboard.press(key);
    await shows(page, name);
    await page.waitForFunction((title) => document.title.startsWith(title), name);
  };
  const entries = (page) => page.evaluate(() => history.length);
  /** Waits until the view is closed, and returns what has the focus and how far the page is scrolled. */
  const closed = async (page) => {
    await view(page).waitFor({ state: "detached" });
    return page.evaluate(() => ({ at: document.activeElement.textContent.trim(), y: Math.round(scrollY) }));
  };

  test("it has its address, one entry in the history, and Esc and Back return to the tile", async () => {
    const window = await open();
    const { page } = window;
    for (const layout of ["grid", "masonry", "list", "reading"]) {
      await channel(window, `?view=${layout}`);
      const link = tile(page, "Words 40");
      await link.scrollIntoViewIfNeeded();
      const [y, length] = [await page.evaluate(() => Math.round(scrollY)), await entries(page)];
      await link.click();
      await shows(page, "Words 40");
      assert.match(page.url(), /\/block\/\d+\?in=/);
      await page.waitForFunction((count) => history.length === count, length + 1);
      await page.keyboard.press("Escape");
      const after = await closed(page);
      assert.match(after.at, /Words 40/, layout);
      assert.equal(after.y, y, layout);
      assert.match(page.url(), /\/ada\/wall/);
      await page.goForward();
      await shows(page, "Words 40");
      await page.goBack();
      assert.match((await closed(page)).at, /Words 40/, layout);
      assert.equal(await page.title(), "Wall · Vitrine");
    }
    await window.context.close();
  });

  test("the arrows follow the list as it is shown, without more entries, and the last tile gets the focus", async () => {
    const window = await open();
    const { page } = window;
    await channel(window, "?sort=oldest");
    await tile(page, "Words 3").click();
    await shows(page, "Words 3");
    const length = await entries(page);
    await press(page, "ArrowRight", "Words 4");
    await press(page, "j", "Words 5");
    await press(page, "ArrowRight", "Words 6");
    await press(page, "ArrowLeft", "Words 5");
    await view(page).getByRole("link", { name: "Next" }).click();
    await shows(page, "Words 6");
    assert.equal(await entries(page), length);
    await view(page).getByRole("button", { name: "Close" }).click();
    assert.match((await closed(page)).at, /Words 6/);
    await tile(page, "Words 0").click();
    await shows(page, "Words 0");
    assert.equal(await view(page).getByRole("link", { name: "Previous" }).count(), 0);
    await window.context.close();
  });

  test("the arrows go on where the list ends, and Back finds the tile in a channel that is loaded again", async () => {
    const window = await open();
    const { page } = window;
    await channel(window);
    const items = page.locator("#cells > li");
    const last = (await items.nth(perPage - 3).textContent()).match(/Words (\d+)$/m)[1];
    await items.nth(perPage - 3).locator(".face").click();
    await shows(page, `Words ${last}`);
    for (let n = last - 1; n > last - 6; n--) await press(page, "ArrowRight", `Words ${n}`);
    const name = `Words ${last - 5}`;
    await page.reload(); // now it is the page of the block
    await page.getByRole("heading", { level: 1, name }).waitFor({ state: "attached" });
    assert.equal(await view(page).count(), 0);
    await page.waitForLoadState("networkidle");
    await page.goBack();
    await page.waitForFunction((text) => document.activeElement.matches("#cells .face") && document.activeElement.textContent.includes(text), name);
    assert.ok(await items.count() > perPage);

    await page.goForward(); // and by Esc
    await shows(page, name);
    await page.reload();
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("Escape");
    await page.waitForFunction((text) => document.activeElement.matches("#cells .face") && document.activeElement.textContent.includes(text), name);
    await window.context.close();
  });

  test("from the page of a block, Esc leads to its tile", async () => {
    const window = await open();
    const { page } = window;
    await channel(window);
    const address = await tile(page, "Words 20").getAttribute("href");
    await window.to(address);
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("Escape");
    await page.waitForURL("**/ada/wall");
    await page.waitForFunction(() => document.activeElement.textContent.includes("Words 20"));
    await window.context.close();
  });

  test("what is changed over the channel is shown there, and typed text is not lost without a question", async () => {
    const window = await open();
    const { page } = window;
    await window.signIn("ada");
    await page.waitForURL(`${world.url}/`);
    await channel(window);
    await tile(page, "Words 30").click();
    await shows(page, "Words 30");
    await view(page).locator("[data-dialog][href$='/edit']").click();
    const sheet = page.locator("dialog.sheet[open]");
    await sheet.getByLabel("Title", { exact: true }).fill("Other words");
    await sheet.getByRole("button", { name: "Save" }).click();
    await shows(page, "Other words");
    assert.match(page.url(), /\/block\//);
    await view(page).locator("textarea").first().fill("A comment");
    let asked = "";
    page.removeAllListeners("dialog");
    page.once("dialog", (question) => { asked = question.message(); question.dismiss(); });
    await page.keyboard.press("Escape");
    assert.match(asked, /typed|text|discard/i);
    await view(page).waitFor();
    page.once("dialog", (question) => question.accept());
    await page.keyboard.press("Escape");
    await closed(page);
    await window.context.close();
  });

  test("texts are edited where they are shown, and a block is removed from its channel", async () => {
    const window = await open();
    const { page } = window;
    await window.signIn("ada");
    await page.waitForURL(`${world.url}/`);
    await channel(window);
    await tile(page, "Words 20").click();
    await shows(page, "Words 20");
    const opened = page.url();
    await view(page).getByRole("button", { name: "Edit title" }).click();
    const field = view(page).getByRole("textbox", { name: "Title", exact: true });
    await field.fill("Thrown away");
    await field.press("Escape");
    assert.equal(page.url(), opened, "Esc only closes the field");
    await shows(page, "Words 20");
    await view(page).getByRole("button", { name: "Edit title" }).click();
    await field.fill("Better words");
    await field.press("Enter");
    await shows(page, "Better words");
    await view(page).getByRole("button", { name: "Undo" }).click();
    await shows(page, "Words 20");
    await view(page).getByRole("button", { name: "Add a description" }).click();
    await view(page).getByRole("textbox", { name: "Description" }).fill("*New*");
    await view(page).locator(".title").click(); // leaves the field
    await view(page).locator(".told em", { hasText: "New" }).waitFor();

    // Another window changes the text while it is being edited.
    await view(page).getByRole("button", { name: "Edit text" }).click();
    const text = view(page).getByRole("textbox", { name: "Text", exact: true });
    await text.fill("Mine");
    const id = /block\/(\d+)/.exec(opened)[1];
    await world.arena(await world.token("ada")).blocks.update(id, { content: "Theirs" });
    await view(page).locator(".title").click();
    const sheet = page.locator("dialog.sheet[open]");
    await sheet.getByText("Was changed in the meantime").waitFor();
    assert.equal(await sheet.getByLabel("Text, as somebody else saved it").inputValue(), "Theirs");
    await sheet.getByRole("button", { name: "Save" }).click();
    await view(page).locator(".shown", { hasText: "Mine" }).waitFor();

    await view(page).getByRole("button", { name: "Remove from this channel" }).click();
    await page.locator("#notes", { hasText: "Removed from the channel." }).waitFor();
    assert.equal(await tile(page, "Words 20").count(), 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await tile(page, "Words 20").waitFor();
    await window.context.close();
  });

  test("a finger moves to the neighbours", async () => {
    const window = await open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    const { page } = window;
    await channel(window);
    await tile(page, "Words 50").tap();
    await shows(page, "Words 50");
    const swipe = (from, to) => view(page).locator(".shown").evaluate((element, [from, to]) => {
      const touch = (x) => new Touch({ identifier: 1, target: element, clientX: x, clientY: 200 });
      element.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(from)], changedTouches: [touch(from)], bubbles: true }));
      element.dispatchEvent(new TouchEvent("touchend", { touches: [], changedTouches: [touch(to)], bubbles: true }));
    }, [from, to]);
    await swipe(300, 100);
    await shows(page, "Words 49");
    await swipe(100, 300);
    await shows(page, "Words 50");
    await swipe(100, 130); // too short
    const box = await view(page).locator(".told").boundingBox();
    assert.ok(box.y > (await view(page).locator(".shown").boundingBox()).y, "the text is below");
    await window.context.close();
  });

  test("the picture is enlarged by wheel, double click, two fingers and keys, and moved by dragging", async () => {
    for (const options of [{}, { reducedMotion: "reduce" }]) {
      const window = await open(options);
      const { page } = window;
      await channel(window);
      await tile(page, "Picture").click();
      await shows(page, "Picture");
      await view(page).locator("[data-zoom][aria-haspopup]").click();
      const zoom = page.locator("dialog.zoom[open]");
      const picture = zoom.getByRole("img");
      await picture.evaluate((image) => image.decode());
      const at = () => picture.evaluate((image) => {
        const { width, left } = image.getBoundingClientRect();
        return { times: Math.round(100 * width / image.clientWidth) / 100, left };
      });
      const grows = async (act, what) => {
        const was = (await at()).times;
        await act();
        const is = (await at()).times;
        assert.ok(is > was + 0.01, `${what}: ${was} to ${is}`);
      };
      await page.mouse.move(500, 300);
      await grows(async () => {
        await page.mouse.wheel(0, -300);
        await page.waitForFunction(() => document.querySelector(".zoomed") !== null);
      }, "the wheel");
      const from = (await at()).left;
      await page.mouse.down();
      await page.mouse.move(400, 280, { steps: 4 });
      await page.mouse.up();
      assert.ok((await at()).left < from - 20, "dragging moves it");
      await page.keyboard.press("0");
      assert.equal((await at()).times, 1);
      await grows(() => picture.dblclick(), "a double click");
      assert.equal(await zoom.getByRole("button", { name: "Actual size" }).getAttribute("aria-pressed"), "true");
      await picture.dblclick();
      assert.equal((await at()).times, 1);
      await grows(() => page.keyboard.press("+"), "+");
      await page.keyboard.press("0");
      await grows(() => zoom.locator(".inside").evaluate((element) => {
        const send = (type, pointerId, clientX) => element.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: 300, pointerType: "touch", bubbles: true }));
        send("pointerdown", 11, 500);
        send("pointerdown", 12, 600);
        send("pointermove", 12, 800);
        send("pointerup", 11, 500);
        send("pointerup", 12, 800);
      }), "two fingers");
      assert.deepEqual(await page.evaluate(() => document.getAnimations().length), 0);
      await page.keyboard.press("Escape");
      await zoom.waitFor({ state: "detached" });
      await view(page).waitFor(); // only the picture is closed
      await window.context.close();
    }
  });

  test("a film has its place before anything of it is loaded", async () => {
    const window = await open();
    await window.to(`/block/${film.id}`);
    const { width, height } = await window.page.locator("video").boundingBox();
    assert.ok(Math.abs(width / height - 16 / 9) < 0.02, `${width} × ${height}`);
    await window.context.close();
  });

  test("without scripts, the tile leads to the page of the block, with links to its neighbours", async () => {
    const window = await browsers.open();
    await window.to("/ada/wall");
    await window.page.locator("#cells > li .face", { hasText: "Words 40" }).first().click();
    await window.page.waitForURL(/\/block\/\d+\?in=/);
    const around = window.page.getByRole("navigation", { name: "In this channel" });
    await around.getByRole("link", { name: "Next" }).click();
    await window.page.getByRole("heading", { level: 1, name: "Words 39" }).waitFor({ state: "attached" });
    await around.getByRole("link", { name: "Previous" }).click();
    await window.page.getByRole("heading", { level: 1, name: "Words 40" }).waitFor({ state: "attached" });
    await around.getByRole("link", { name: "Wall" }).click();
    await window.page.waitForURL("**/ada/wall");
    await window.context.close();
  });

  test("a click with a modifier opens the page in another tab", async () => {
    const window = await open();
    await channel(window);
    const [other] = await Promise.all([window.context.waitForEvent("page"), tile(window.page, "Words 50").click({ modifiers: ["ControlOrMeta"] })]);
    await other.waitForURL(/\/block\//);
    assert.equal(await view(window.page).count(), 0);
    await window.context.close();
  });

  test("it is accessible", async () => {
    for (const [look, options] of Object.entries({ light: {}, phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } })) {
      const window = await open({ ...options, bypassCSP: true, reducedMotion: "reduce" });
      for (const name of ["Picture", "Words 50", "Film"]) {
        await channel(window);
        await tile(window.page, name).click();
        await shows(window.page, name);
        assert.deepEqual(await inspectPage(window.page, look), [], `${name}, ${look}`);
        await window.page.emulateMedia({ colorScheme: "dark" });
        assert.deepEqual(await inspectPage(window.page, look === "light" ? "dark" : "phone-dark"), [], `${name}, dark`);
        await window.page.emulateMedia({ colorScheme: null });
      }
      await window.context.close();
    }
  });
}, undefined, noBrowser);
