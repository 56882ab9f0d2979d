import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { noBrowser, withBrowser } from "../rig/browser.js";
import { fixture } from "../rig/fixture.js";
import { onSQLite } from "../rig/world.js";

const form = `<h1>Add</h1><form method="post" action="/add" enctype="multipart/form-data" data-upload data-presign="/save/file" data-done="/channel">
  <input type="hidden" name="channel" value="field-notes"><label for="file">Files</label><input id="file" type="file" name="file" multiple required>
  <button data-upload-button>Send</button></form>`;
const channel = (pending) => `<h1>Field notes</h1><p><a data-dialog data-drop href="/add">Add</a></p><ul id="cells" class="cells">
  <li class="cell${pending ? " pending" : ""}" id="c1"><a class="face" href="/block/1">${pending ? "Being made" : "A heron"}</a></li></ul>`;
const file = (name, size = 2000) => ({ name, mimeType: "image/png", buffer: Buffer.alloc(size, 1) });
const refusal = (words) => ({ status: 422, contentType: "text/html", body: `<main><h1>Add</h1><span class="why">${words}</span></main>` });

// The script of an upload form, with all kinds of responses.
onSQLite("uploads", (world) => {
  const browsers = withBrowser(world);
  let window, page, answers, asked, pending, made;
  before(async () => {
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block" });
    page = window.page;
    await fixture(window, "/add", form);
    await fixture(window, "/channel", () => channel(pending-- > 0));
    const route = (path, kind, method, answer) => window.context.route((url) => url.pathname.startsWith(path), (route) => {
      if (route.request().method() !== method) return route.fallback();
      asked.push([kind, route.request().postData()]);
      const next = answers[kind]?.shift();
      return next === "broken" ? route.abort("connectionreset") : route.fulfill(next ?? answer(route));
    });
    let n = 0;
    await route("/save/file", "presign", "POST", (route) => ({ json: { url: `${world.url}/sent/${++n}/${new URLSearchParams(route.request().postData()).get("name")}`, value: `key-${n}`, type: "image/png" } }));
    await route("/sent/", "put", "PUT", () => ({ status: 200 }));
    await route("/add", "add", "POST", () => ({ status: 201, json: [{ block: ++made, connection: made }] }));
    await route("/connections/take-back", "undo", "POST", () => ({ status: 204, headers: { "X-Location": "/channel" } }));
  });
  beforeEach(async () => {
    [answers, asked, pending, made] = [{}, [], 0, 10];
    await window.to("/add");
    await page.waitForFunction(() => document.querySelector("[data-upload-button]").hidden);
  });
  const row = (name) => page.locator(".uploads li", { hasText: name });
  const hold = async (name) => { // holds a file back until the returned function is called
    let resolve;
    const promise = new Promise((done) => { resolve = done; });
    await window.context.route(`**/sent/*/${name}`, async (route) => { await promise; await route.fallback(); });
    return resolve;
  };
  const kinds = () => asked.map(([kind]) => kind).join(" ");

  test("each file is sent and added, and then the page goes on", async () => {
    const second = await hold("b.png");
    await page.getByLabel("Files").setInputFiles([file("a.png"), file("b.png")]);
    await row("a.png").getByText("Added").waitFor();
    second();
    await page.waitForURL("**/channel");
    await window.context.unroute("**/sent/*/b.png");
    assert.deepEqual(asked.filter(([kind]) => kind === "presign").map(([, data]) => data), ["name=a.png&type=image%2Fpng", "name=b.png&type=image%2Fpng"]);
    assert.deepEqual(asked.filter(([kind]) => kind === "add").map(([, data]) => data).sort(),
      ["channel=field-notes&as=text&upload=key-1&filename=a.png", "channel=field-notes&as=text&upload=key-2&filename=b.png&beside=11&side=below"]);
  });

  test("a picture of a video is sent with it, unless the browser cannot play it", async () => {
    const recorded = await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
      const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: "video/webm" });
      const parts = [];
      const ended = new Promise((resolve) => { recorder.onstop = resolve; });
      recorder.ondataavailable = ({ data }) => parts.push(data);
      recorder.start();
      for (let n = 0; n < 20; n++) {
        canvas.getContext("2d").fillRect(n * 10, 0, 5, 180);
        await new Promise(requestAnimationFrame);
      }
      recorder.stop();
      await ended;
      return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
    });
    await page.getByLabel("Files").setInputFiles([{ name: "a.webm", mimeType: "video/webm", buffer: Buffer.from(recorded) }, { ...file("b.mp4"), mimeType: "video/mp4" }]);
    await page.waitForURL("**/channel");
    assert.deepEqual(asked.filter(([kind]) => kind === "presign").map(([, data]) => data).sort(),
      ["name=a.webm&type=video%2Fwebm", "name=b.mp4&type=video%2Fmp4", "name=poster.jpg&type=image%2Fjpeg"]);
    const added = asked.filter(([kind]) => kind === "add").map(([, data]) => new URLSearchParams(data));
    assert.match(added.find((fields) => fields.get("filename") === "a.webm").get("poster"), /^key-\d$/);
    assert.equal(added.find((fields) => fields.get("filename") === "b.mp4").get("poster"), null);
  });

  test("files that arrive in another order are placed in the order of the selection, and are undone together", async () => {
    const [first, last] = [await hold("a.png"), await hold("c.png")];
    answers = { add: [undefined, refusal("It is no picture.")] };
    await page.getByLabel("Files").setInputFiles([file("a.png"), file("b.png"), file("c.png")]);
    await row("b.png").getByText("Added").waitFor();
    last();
    await row("c.png").getByText("It is no picture.").waitFor();
    first();
    await row("a.png").getByText("Added").waitFor();
    await row("c.png").getByRole("button", { name: "Try again: c.png" }).click();
    await page.waitForURL("**/channel");
    const placed = asked.filter(([kind]) => kind === "add").map(([, data]) => new URLSearchParams(data)).map((fields) => ["filename", "side", "beside"].map((name) => fields.get(name)).join(" "));
    assert.deepEqual(placed, ["b.png  ", "c.png below 11", "a.png above 11", "c.png below 11"]);
    await page.locator("#notes").getByText("3 blocks were added.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    assert.deepEqual(new URLSearchParams(asked.at(-1)[1]).getAll("connection").sort(), ["11", "12", "13"]);
    await window.context.unroute("**/sent/*/a.png");
    await window.context.unroute("**/sent/*/c.png");
  });

  test("a title and a text of the form go with the first file only", async () => {
    await page.evaluate(() => document.querySelector("form[data-upload]").append(...["title", "value"].map((name) => Object.assign(document.createElement("input"), { name, value: name }))));
    await page.getByLabel("Files").setInputFiles([file("a.png"), file("b.png")]);
    await page.waitForURL("**/channel");
    const sent = asked.filter(([kind]) => kind === "add").map(([, data]) => new URLSearchParams(data));
    assert.deepEqual(sent.filter((fields) => fields.has("title") || fields.has("value")).map((fields) => fields.get("filename")), ["a.png"]);
  });

  test("what breaks is tried again by itself", async () => {
    answers = { put: ["broken", { status: 503 }] };
    await page.getByLabel("Files").setInputFiles(file("a.png"));
    await page.waitForURL("**/channel");
    assert.equal(kinds(), "presign put put put add");
  });

  test("what is refused says why, and can be tried again", async () => {
    answers = { presign: [refusal("There is no room for it.")], add: [undefined, refusal("It is no picture.")] };
    await page.getByLabel("Files").setInputFiles([file("a.png"), file("b.png"), file("c.png")]);
    await row("a.png").getByText("There is no room for it.").waitFor();
    await page.getByText("It is no picture.").waitFor();
    assert.equal(window.path, "/add", "the page stays while something failed");
    await row("a.png").getByRole("button", { name: "Try again: a.png" }).click();
    await row("a.png").getByText("Added").waitFor();
    assert.equal(window.path, "/add");
    await page.getByRole("button", { name: /^Try again/ }).click();
    await page.waitForURL("**/channel");
  });

  test("an upload is cancelled", async () => {
    let go;
    await window.context.route("**/sent/**", async (route) => { await new Promise((resolve) => { go = resolve; }); await route.abort().catch(() => {}); });
    await page.getByLabel("Files").setInputFiles(file("a.png"));
    await row("a.png").getByRole("button", { name: "Cancel: a.png" }).click();
    await row("a.png").waitFor({ state: "detached" });
    go?.();
    assert.ok(!kinds().includes("add"));
    await window.context.unroute("**/sent/**");
  });

  test("files dropped on a page, and a pasted picture, go into the form of its dialog", async () => {
    for (const kind of ["drop", "paste"]) {
      asked.length = 0;
      let seen; // the upload is in progress until the dialog was checked
      const held = new Promise((resolve) => { seen = resolve; });
      await window.context.route("**/sent/**", async (route) => { await held; await route.fallback(); }, { times: 1 });
      await window.to("/channel");
      await page.locator("[data-drop][aria-haspopup]").waitFor();
      await page.waitForFunction(() => { // the page shows that it accepts files
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([], "x"));
        document.body.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
        return document.documentElement.classList.contains("dropping");
      });
      await page.evaluate((kind) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(10)], "heron.png", { type: "image/png" }));
        document.body.dispatchEvent(kind === "drop" ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      }, kind);
      await page.locator("dialog.sheet").waitFor();
      seen();
      await page.locator("dialog.sheet").waitFor({ state: "detached" });
      assert.equal(kinds(), "presign put add", kind);
      assert.equal(window.path, "/channel");
    }
  });

  test("what is still being made is exchanged once it is ready", async () => {
    pending = 2;
    await window.to("/channel");
    await page.getByText("Being made").waitFor();
    await page.getByRole("link", { name: "A heron" }).waitFor();
    assert.equal(await page.locator(".pending").count(), 0);
  });
}, undefined, noBrowser);
