import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { onSQLite } from "../rig/world.js";

// Reading stored pages while the server cannot be reached. The tests depend on each other.
onSQLite("offline", (world) => {
  const browsers = withBrowser(world);
  let window, page;
  const kept = () => page.evaluate(async () => {
    const found = {};
    for (const name of await caches.keys()) found[name] = (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname);
    return found;
  });
  /** Waits until the worker has stored or deleted something. */
  const until = (name, path, there = true) => page.waitForFunction(async ([name, path, there]) => {
    const has = await caches.has(name) && (await (await caches.open(name)).keys()).some((request) => new URL(request.url).pathname === path);
    return has === there;
  }, [name, path, there]);
  // Even in offline mode, browsers let some requests of workers through.
  const leave = () => Promise.all([world.leave(), window.context.setOffline(true)]);
  const comeBack = async () => {
    await world.comeBack();
    await window.context.setOffline(false);
  };
  before(async () => {
    for (const slug of ["ada", "bea"]) await world.user(slug, "supporter", passwordOf(slug));
    window = await browsers.open({ javaScriptEnabled: true });
    page = window.page;
  });

  test("the worker starts, and keeps what the site lets be kept", async () => {
    await window.signIn("ada");
    await window.to("/");
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    for (const path of ["/feed", "/settings/profile"]) assert.equal(await window.to(path), 200, path);
    await until("vitrine-pages-1", "/feed");
    const names = await kept();
    const all = Object.values(names).flat();
    assert.ok(!all.some((path) => path.startsWith("/settings")), `${all}`);
    assert.ok(Object.keys(names).some((name) => name.startsWith("vitrine-assets-")));
  });

  test("a page that was read is there and says from when it is", async () => {
    await leave();
    await page.goto("/feed");
    assert.equal(await window.heading(), "Feed");
    await page.locator("#notes").getByText("This is the page as of").waitFor();
    assert.match(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), /^rgb\((251|22), /, "it has its styles");
  });

  test("another leads to the list of those that are there", async () => {
    await page.goto("/feed?after=nothing");
    assert.equal(await window.heading(), "You are offline");
    await page.getByRole("main").getByRole("link", { name: /^Feed/ }).click();
    await page.locator("#notes").getByText("This is the page as of").waitFor();
    assert.equal(window.path, "/feed");
  });

  test("back at the site, the page is as it is now", async () => {
    await comeBack();
    await page.locator(".note.offline").waitFor({ state: "detached" });
    assert.equal(await window.heading(), "Feed");
  });

  const list = () => page.locator(".outbox");
  const found = async () => page.evaluate(async (slug) => (await (await fetch(`/v3/channels/${slug}/contents?per=50`, { cache: "no-store" })).json()).data.map((block) => [block.title, block.content?.plain].find(Boolean)), "moss");

  test("what is saved offline is sent once when the site is back", async () => {
    await world.arena(await world.token("ada")).channels.create({ title: "Moss", visibility: "public" });
    await until("vitrine-pages-1", "/save");
    await page.goto("/save"); // now the worker has the form with the channel
    await page.goto("/ada/moss/add");
    await leave();
    await window.fill({ "Text or address": "from the add form" });
    await page.getByRole("main").getByRole("button", { name: "Add", exact: true }).click();
    await list().getByText("1 item is waiting").waitFor();
    await page.goto("/save?title=Shared+title&text=see+https%3A%2F%2Fexample.org%2Fx");
    assert.equal(await window.heading(), "Save");
    assert.equal(await page.getByLabel("Title", { exact: true }).first().inputValue(), "Shared title");
    await page.getByLabel("Moss").check();
    await page.getByLabel("Text or address").fill("a text");
    await page.locator("#file").setInputFiles(["one", "two"].map((name) => ({ name: `${name}.txt`, mimeType: "text/plain", buffer: Buffer.from(name) })));
    await page.getByRole("main").getByRole("button", { name: "Save", exact: true }).click();
    await list().getByText("2 items are waiting").waitFor();
    assert.equal(await page.getByLabel("Text or address").inputValue(), "", "the form is ready for the next text");
    await comeBack();
    await page.goto("/ada/moss");
    await list().waitFor({ state: "detached" });
    await page.reload();
    assert.deepEqual(await found(), ["Shared title", "one.txt", "two.txt", "from the add form"]);
  });

  test("the site's refusal is shown, and nothing is lost", async () => {
    await page.goto("/save");
    await page.getByLabel("Text or address").fill("kept although refused");
    await leave();
    await page.getByRole("main").getByRole("button", { name: "Save", exact: true }).click();
    await list().getByText("1 item is waiting").waitFor();
    await comeBack();
    await page.goto("/");
    await list().getByText("Choose a channel, or make a new one").waitFor();
    await list().getByText("kept although refused").waitFor();
    page.once("dialog", (dialog) => dialog.accept());
    await list().getByRole("button", { name: "Discard" }).click();
    await list().waitFor({ state: "detached" });
  });

  test("shared files lead to the form for saving", async () => {
    await page.setContent(`<form method="post" action="${world.url}/save/share" enctype="multipart/form-data"><input name="title" value="Two leaves"><input type="file" name="file" multiple><button>Share</button></form>`);
    await page.locator("input[type=file]").setInputFiles(["a", "b"].map((name) => ({ name: `${name}.png`, mimeType: "image/png", buffer: Buffer.from(name) })));
    await page.getByRole("button", { name: "Share" }).click();
    await page.waitForURL("**/save?shared=*");
    await page.getByRole("main").getByText("b.png").waitFor();
    assert.deepEqual(await page.locator("#file").evaluate((input) => [...input.files].map((file) => file.name)), ["a.png", "b.png"]);
    await page.getByLabel("Moss").check();
    await page.getByRole("main").getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL("**/block/*");
    assert.equal(await window.heading(), "Two leaves");
  });

  test("what waits for one reader is not sent for another", async () => {
    await page.goto("/save");
    await page.getByLabel("Moss").check();
    await page.getByLabel("Text or address").fill("of ada");
    await leave();
    await page.getByRole("main").getByRole("button", { name: "Save", exact: true }).click();
    await list().getByText("1 item is waiting").waitFor();
    await window.context.clearCookies(); // and somebody else signs in
    await comeBack();
    await window.signIn("bea");
    await page.goto("/feed");
    await until("vitrine-pages-2", "/feed");
    assert.equal(await list().count(), 0);
    await window.context.clearCookies();
    const sent = window.context.waitForEvent("response", (response) => response.request().method() === "POST" && response.url().endsWith("/save"));
    await window.signIn("ada");
    assert.equal((await sent).status(), 204);
    await page.goto("/ada/moss");
    assert.equal(await page.locator("#cells").getByText("of ada").count(), 1);
    await window.to("/feed");
    await until("vitrine-pages-1", "/feed");
  });

  test("after signing out nothing is left of it", async () => {
    await window.press("Sign out");
    await page.getByText("You have been signed out").waitFor();
    await until("vitrine-pages-1", "/feed", false);
    await leave();
    await page.goto("/feed");
    assert.equal(await window.heading(), "You are offline");
    assert.equal(await page.getByRole("link", { name: /^Feed/ }).count(), 0);
    await comeBack();
  });

  test("nor for another who signs in", async () => {
    await window.signIn("ada");
    await window.to("/feed");
    await until("vitrine-pages-1", "/feed");
    await window.context.clearCookies(); // a session that ends without signing out
    await window.signIn("bea");
    await until("vitrine-pages-1", "/feed", false);
    assert.deepEqual(Object.keys(await kept()).filter((name) => /pages|images/.test(name) && !/-(2|guest)$/.test(name)), []);
  });
}, undefined, noBrowser);
