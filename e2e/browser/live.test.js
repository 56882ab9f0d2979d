import assert from "node:assert/strict";
import { before, test } from "node:test";
import { passwordOf, withBrowser } from "../rig/browser.js";
import { api } from "../rig/flow.js";
import { onSQLite } from "../rig/world.js";

// Pages follow the changes of others. All pages of a browser share one stream.
onSQLite("live pages", (world) => {
  const browsers = withBrowser(world);
  let ada, bob, ask, channel, here, blocks;
  let streams = 0;

  before(async () => {
    for (const slug of ["ada", "bob"]) await world.user(slug, "supporter", passwordOf(slug));
    [ada, bob] = [api(world, await world.token("ada")), api(world, await world.token("bob"))];
    ask = ada;
    channel = await ask("POST", "/v3/channels", { title: "Harbour", visibility: "public" });
    blocks = [];
    for (const value of ["First words", "Second words", "Third words"]) blocks.push(await ask("POST", "/v3/blocks", { value, channel_ids: [channel.id] }));
    await world.follow("bob", "users/ada");
    const window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block" });
    window.context.on("request", (request) => { streams += new URL(request.url()).pathname === "/feed/changes"; });
    await window.signIn("bob");
    here = window;
  });

  const tiles = (page) => page.locator("#cells > li[data-connection]");
  const tile = (page, text) => tiles(page).filter({ hasText: text });
  const both = async (act) => { for (const page of here.context.pages()) await act(page); };

  test("a channel in two tabs shows what others change, with one stream", async () => {
    await here.to(`/ada/${channel.slug}`);
    await tile(here.page, "Third words").waitFor();
    const second = await here.context.newPage();
    await second.goto(`/ada/${channel.slug}`);
    await second.waitForLoadState("networkidle");
    streams = 0;
    await both((page) => page.evaluate(() => { document.querySelector("#cells > li").kept = true; }));

    const begun = Date.now();
    await ask("POST", "/v3/blocks", { value: "Fresh words", channel_ids: [channel.id] });
    await both((page) => tile(page, "Fresh words").waitFor());
    console.log(`both tabs show a new block after ${Date.now() - begun} ms`);

    await ask("PUT", `/v3/blocks/${blocks[0].id}`, { content: "Changed words" });
    await both((page) => tile(page, "Changed words").waitFor());
    await ask("PUT", `/v3/channels/${channel.id}`, { title: "Quay" });
    await both((page) => page.getByRole("heading", { level: 1, name: "Quay" }).waitFor());
    await ask("DELETE", `/v3/blocks/${blocks[1].id}`);
    await both((page) => tile(page, "Second words").waitFor({ state: "detached" }));

    const contents = await ask("GET", `/v3/channels/${channel.id}/contents`);
    const { connection } = contents.data.at(-1);
    await ask("POST", `/v3/connections/${connection.id}/move`, { position: 1 });
    const order = (await ask("GET", `/v3/channels/${channel.id}/contents`)).data.map((each) => String(each.connection.id));
    await both((page) => page.waitForFunction((want) => [...document.querySelectorAll("#cells > li[data-connection]")].map((li) => li.dataset.connection).join() === want, order.join()));
    await both(async (page) => assert.ok(await page.evaluate(() => [...document.querySelectorAll("#cells > li")].some((li) => li.kept)), "unchanged items are kept"));
    assert.equal(streams, 0, "no further stream was opened");
  });

  test("the other tab takes the stream over, and misses nothing", async () => {
    const [first, second] = here.context.pages();
    await first.close();
    await ask("POST", "/v3/blocks", { value: "Later words", channel_ids: [channel.id] });
    await tile(second, "Later words").waitFor();
    assert.equal(streams, 1);
  });

  test("what changes before the stream begins is shown, in a page with a cursor, without one, and in another tab", async () => {
    const page = here.context.pages()[0];
    const held = (address) => address.pathname === "/feed/changes";
    const between = async (text) => {
      let release;
      const changed = new Promise((resolve) => { release = resolve; });
      await page.route(held, async (route) => { await changed; await route.continue(); });
      await page.goto(`/ada/${channel.slug}`);
      await ask("POST", "/v3/blocks", { value: text, channel_ids: [channel.id] });
      release();
      await tile(page, text).waitFor();
      await page.unroute(held);
    };
    await between("Between words");
    assert.match(await page.locator("html").getAttribute("data-changes"), /./);
    await page.route("**/ada/*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/ data-changes="[^"]*"/, "") });
    }, { times: 1 });
    await between("Unknown words");

    const other = await here.context.newPage();
    let shown;
    await other.route("**/ada/*", async (route) => { // it was read before the change, and is shown after it
      const response = await route.fetch();
      await ask("POST", "/v3/blocks", { value: "Early words", channel_ids: [channel.id] });
      await tile(page, "Early words").waitFor();
      shown = !(await response.text()).includes("Early words");
      await route.fulfill({ response });
    }, { times: 1 });
    await other.goto(`/ada/${channel.slug}`);
    assert.ok(shown);
    await tile(other, "Early words").waitFor();
    await other.close();
  });

  test("nothing moves while the user has selected items", async () => {
    const [page] = here.context.pages();
    await tile(page, "Third words").locator(".face").click({ modifiers: ["Control"] });
    await ask("POST", "/v3/blocks", { value: "Patient words", channel_ids: [channel.id] });
    await page.waitForTimeout(1500);
    assert.equal(await tile(page, "Patient words").count(), 0);
    await page.keyboard.press("Escape");
    await tile(page, "Patient words").waitFor();
  });

  test("comments of an open block, and the number of notifications", async () => {
    const [page] = here.context.pages();
    const mine = await bob("POST", "/v3/blocks", { value: "Of Bob", channel_ids: [channel.id] });
    await page.goto(`/block/${mine.id}`);
    await page.waitForLoadState("networkidle");
    await ask("POST", `/v3/blocks/${mine.id}/comments`, { body: "Well said." });
    await page.locator("#comments li", { hasText: "Well said." }).waitFor();
    await page.getByRole("banner").getByRole("link", { name: /^Notifications (one|\d+) unread$/ }).waitFor();
  });

  test("the feed offers new items", async () => {
    const [page] = here.context.pages();
    await page.goto("/feed");
    await page.waitForLoadState("networkidle");
    await ask("POST", "/v3/channels", { title: "Lighthouse", visibility: "public" });
    const button = page.getByRole("button", { name: /^Show \d+ new items?$/ });
    await button.waitFor();
    assert.equal(await page.locator("#activities > li", { hasText: "Lighthouse" }).count(), 0);
    await button.click();
    await page.locator("#activities > li", { hasText: "Lighthouse" }).first().waitFor();
  });
});
