import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { api } from "../rig/flow.js";
import { picture } from "../rig/gallery.js";
import { onSQLite, processed } from "../rig/world.js";

// What is pasted into a channel's page, or dropped on it, is added to the channel.
onSQLite("paste and drop", (world) => {
  const browsers = withBrowser(world);
  let ask, ada, page, n = 0, slug;

  before(async () => {
    await world.user("ada", "supporter", passwordOf("ada"));
    ask = api(world, await world.token("ada"));
    ada = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block" });
    page = ada.page;
    await ada.signIn("ada");
  });
  beforeEach(async () => {
    slug = `pile-${++n}`;
    await ask("POST", "/v3/channels", { title: `Pile ${n}`, visibility: "closed" });
    await ada.to(`/ada/${slug}`);
    await page.waitForFunction(() => { // the script is there once the page accepts what is dragged over it
      const data = new DataTransfer();
      data.setData("text/plain", "x");
      document.body.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true }));
      return document.documentElement.classList.contains("dropping");
    });
  });

  const contents = async () => (await ask("GET", `/v3/channels/${slug}/contents?per=100&sort=position_desc`)).data;
  const shown = async () => (await contents()).map((one) => one.content?.markdown ?? one.source?.url ?? one.attachment?.filename ?? one.title ?? one.type);
  /** Pastes or drops data of the types. */
  const give = (kind, types, files = [], onto = "body") => page.evaluate(({ kind, types, files, onto }) => {
    const data = new DataTransfer();
    for (const [type, value] of Object.entries(types)) data.setData(type, value);
    for (const { name, bytes } of files) data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
    const options = { bubbles: true, cancelable: true };
    const event = kind === "drop" ? new DragEvent("drop", { dataTransfer: data, ...options }) : new ClipboardEvent("paste", { clipboardData: data, ...options });
    return !document.querySelector(onto).dispatchEvent(event);
  }, { kind, types, files, onto });
  const undo = () => page.getByRole("button", { name: "Undo" });

  for (const kind of ["paste", "drop"]) {
    test(`${kind}: a text becomes a block, and undoing deletes it`, async () => {
      assert.ok(await give(kind, { "text/plain": "A heron *stands*.\nAlone." }));
      await page.locator("#cells").getByText("A heron").waitFor();
      assert.deepEqual(await shown(), ["A heron *stands*.\nAlone."]);
      const [{ id }] = await contents();
      await undo().click();
      await page.getByText("This channel is empty.").waitFor();
      assert.equal((await fetch(`${world.url}/v3/blocks/${id}`)).status, 404);
    });

    test(`${kind}: an address becomes a link`, async () => {
      assert.ok(await give(kind, kind === "drop" ? { "text/uri-list": "# a comment\r\nhttps://example.org/herons\r\n", "text/plain": "Herons" } : { "text/plain": " https://example.org/herons " }));
      await undo().waitFor();
      assert.deepEqual(await shown(), ["https://example.org/herons"]);
    });
  }

  test("several addresses become several links, in their order, after one confirmation", async () => {
    const addresses = ["https://example.org/a", "https://example.org/b", "https://example.org/c"];
    await give("paste", { "text/plain": addresses.join("\n") });
    await page.getByRole("button", { name: "Add 3 links" }).click();
    await page.locator("#notes").getByText("3 blocks were added.").waitFor();
    assert.deepEqual(await shown(), addresses);
    await undo().click();
    await page.getByText("This channel is empty.").waitFor();
    assert.deepEqual(await shown(), []);
  });

  test("or one text", async () => {
    await give("paste", { "text/plain": "https://example.org/a\nhttps://example.org/b" });
    await page.getByRole("button", { name: "Add one text" }).click();
    await undo().waitFor();
    assert.deepEqual(await shown(), ["https://example.org/a\nhttps://example.org/b"]);
  });

  test("pictures keep their order, above what is already there", async () => {
    await ask("POST", "/v3/blocks", { value: "Old", channel_ids: [slug] });
    const files = ["one.png", "two.png", "three.png", "four.png", "five.png"].map((name, i) => ({ name, bytes: [...picture(i + 1, [60, 40])] }));
    assert.ok(await give("drop", {}, files));
    await page.locator("#notes").getByText("5 blocks were added.").waitFor();
    assert.deepEqual((await processed(contents)).map((one) => one.image?.filename ?? one.content?.markdown), ["one.png", "two.png", "three.png", "four.png", "five.png", "Old"]);
  });

  test("what is pasted into a field stays there", async () => {
    await ask("POST", "/v3/blocks", { value: "Old", channel_ids: [slug] });
    await page.reload();
    await page.locator("#q").waitFor();
    assert.equal(await give("paste", { "text/plain": "heron" }, [], "#q"), false);
    assert.deepEqual(await shown(), ["Old"]);
  });

  test("if the server cannot be reached, nothing is lost", async () => {
    await page.route(`**/${slug}/add`, (route) => route.abort(), { times: 1 });
    await give("paste", { "text/plain": "Kept" });
    await page.getByRole("button", { name: "Try again" }).click();
    await undo().waitFor();
    assert.deepEqual(await shown(), ["Kept"]);
  });

  test("the keys n and a open the form with the cursor in it", async () => {
    for (const key of ["n", "a"]) {
      await page.keyboard.press(key);
      await page.locator("dialog.sheet[open] textarea[name=value]:focus").waitFor();
      await page.keyboard.type("typed");
      page.once("dialog", (dialog) => dialog.accept());
      await page.keyboard.press("Escape");
      await page.locator("dialog.sheet").waitFor({ state: "detached" });
    }
  });
}, undefined, noBrowser);
