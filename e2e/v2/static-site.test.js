import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBrowser, withBrowser } from "../rig/browser.js";
import { onSQLite } from "../rig/world.js";
import { openSite, settings, settled } from "./site.js";

onSQLite("a static site in a browser, at an origin of its own", (world) => {
  const browsers = withBrowser(world);
  let site, page, token;

  /** Lets the page send a request, and returns the status and the body. */
  const ask = (path, options) => page.evaluate(async ([address, init]) => {
    const answer = await fetch(address, { cache: "no-store", ...init });
    const text = await answer.text();
    return { status: answer.status, body: text && JSON.parse(text) };
  }, [`${world.url}/v2/${path}`, options]);

  before(async () => {
    site = await openSite();
    await world.user("ada");
    token = await world.token("ada");
    const window = await browsers.open({ javaScriptEnabled: true });
    await window.to(`${site.url}/page`);
    page = window.page;
  });
  after(() => site.close());

  test("writes with a token in a header, in each spelling", async () => {
    const json = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const made = await ask("channels", { method: "POST", headers: json, body: JSON.stringify({ title: "Sketches", status: "closed" }) });
    assert.deepEqual([made.status, made.body.slug], [200, "sketches"]);
    const block = await ask("channels/sketches/blocks", {
      method: "POST", headers: { "X-AUTH-TOKEN": token, "Content-Type": "application/x-www-form-urlencoded" }, body: `source=${encodeURIComponent(`${site.url}/moss.png`)}`,
    });
    assert.equal(block.status, 200);
    assert.equal((await ask(`blocks/${block.body.id}?title=Moss&access_token=${token}`, { method: "PUT" })).status, 204);
    const text = await ask(`channels/sketches/blocks?content=Two+words`, { method: "POST", headers: { Authorization: json.Authorization } });
    assert.equal((await ask(`channels/sketches/blocks/${text.body.id}`, { method: "DELETE", headers: json })).status, 204);
  });

  test("shows what is in a channel", async () => {
    const moss = await settled(async () => (await ask("channels/sketches?per=1000")).body.contents[0]);
    assert.equal(moss.title, "Moss");
    const widths = await page.evaluate(async (image) => Promise.all(["thumb", "square", "display", "large", "original"].map(async (size) => {
      const shown = new Image();
      shown.src = image[size].url;
      await shown.decode();
      return shown.naturalWidth;
    })), moss.image);
    assert.deepEqual([widths.every((width) => width > 0), widths[4]], [true, 900]);
  });

  test("reads errors", async () => {
    const missing = await ask("channels/nowhere", { headers: { Authorization: `Bearer ${token}` } });
    assert.deepEqual([missing.status, missing.body.message], [404, "Not Found"]);
    const refused = await ask("channels?title=Mine", { method: "POST" });
    assert.deepEqual([refused.status, refused.body.description], [401, "Invalid credentials."]);
  });
}, settings, noBrowser);
