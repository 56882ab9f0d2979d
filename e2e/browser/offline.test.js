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
