import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { fixture } from "../rig/fixture.js";
import { onSQLite } from "../rig/world.js";

const links = `<h1>Behind</h1>
  <p><a id="profile" data-dialog href="/settings/profile">Profile</a> <a data-dialog href="/made">Made</a> <a data-dialog href="/none">Nothing</a></p>
  <label for="name">Here</label><input id="name" name="name"> <a data-zoom href="/favicon.ico"><img alt="A heron" src="/favicon.ico"></a>`;
const made = `<h1>Make one</h1><form method="post" action="/made"><input type="hidden" name="next" value=""><label for="name">Title</label>
  <input id="name" name="title"><button name="do" value="make">Make</button> <a href="/behind" data-close>Cancel</a></form>`;

// Forms of pages in a dialog over another page.
onSQLite("dialogs", (world) => {
  const browsers = withBrowser(world);
  let window, page, dialog;
  let lead = "/elsewhere";
  const sent = [];
  before(async () => {
    await world.user("ada", "supporter", passwordOf("ada"));
    window = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block" });
    page = window.page;
    dialog = page.locator("dialog.sheet");
    await window.signIn("ada");
    await fixture(window, "/behind", () => links.replace("Behind", sent.length > 1 ? "Behind, anew" : "Behind"));
    await fixture(window, "/made", made);
    await fixture(window, "/elsewhere", "<h1>Elsewhere</h1>");
    await window.context.route("**/made", async (route) => {
      const request = route.request();
      if (request.method() !== "POST") return route.fallback();
      assert.equal(await request.headerValue("X-Follow"), "none");
      if (lead === null) return route.abort("internetdisconnected");
      sent.push(request.postData());
      return route.fulfill({ status: 204, headers: { "X-Location": lead } });
    });
  });
  const open = async (name) => {
    if (window.path !== "/behind") await window.to("/behind");
    await page.locator("#profile[aria-haspopup]").waitFor();
    await page.getByRole("link", { name }).click();
    await dialog.locator("h1").waitFor();
  };

  test("a link opens the page that it leads to, and Escape goes back to it", async () => {
    await open("Profile");
    assert.equal(window.path, "/behind");
    assert.equal(await dialog.getByRole("heading", { level: 1 }).innerText(), "Profile");
    assert.equal(await page.evaluate(() => document.activeElement.closest("dialog") !== null), true, "the focus is in it");
    assert.equal(await page.evaluate(() => document.querySelectorAll("#name").length), 1, "no id is there twice");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.id), "profile");
  });

  test("what is wrong is said in it, and what was typed stays", async () => {
    await open("Profile");
    await dialog.getByLabel("Name", { exact: true }).fill("x".repeat(300));
    await dialog.getByLabel("About you").fill("I keep things");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    const field = dialog.locator("[aria-invalid=true]");
    await field.waitFor();
    assert.equal(await dialog.getByLabel("About you").inputValue(), "I keep things");
    assert.equal(await field.evaluate((e) => e === document.activeElement), true);
    assert.equal(window.path, "/behind");
    const asked = new Promise((resolve) => page.once("dialog", (question) => { resolve(question.message()); question.dismiss(); }));
    await page.keyboard.press("Escape");
    assert.match(await asked, /lose what you typed/);
    assert.equal(await dialog.isVisible(), true);
    await dialog.getByLabel("Name", { exact: true }).fill("Ada L.");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByText("Your profile has been saved").waitFor();
    assert.equal((await (await fetch(`${world.url}/v3/users/ada`)).json()).name, "Ada L.");
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("a form that leads elsewhere takes the page there", async () => {
    await open("Made");
    await dialog.getByLabel("Title").fill("Birds");
    await dialog.getByRole("button", { name: "Make" }).click();
    await page.waitForURL("**/elsewhere");
    assert.equal(sent.at(-1), "next=%2Fbehind&title=Birds&do=make");
  });

  test("one that leads back takes the content of the page anew", async () => {
    lead = "/behind";
    await open("Made");
    await page.evaluate(() => { globalThis.still = true; });
    await dialog.getByRole("button", { name: "Make" }).click();
    await page.getByRole("heading", { name: "Behind, anew" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => globalThis.still), true, "the page was not loaded");
  });

  test("a server that cannot be reached loses nothing", async () => {
    await open("Made");
    await dialog.getByLabel("Title").fill("Birds");
    lead = null;
    await dialog.getByRole("button", { name: "Make" }).click();
    await dialog.getByRole("alert").getByText("could not be reached").waitFor();
    assert.equal(await dialog.getByLabel("Title").inputValue(), "Birds");
    page.once("dialog", (question) => question.accept());
    await dialog.getByRole("link", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("a page that is not there is gone to, and so is signing in", async () => {
    await window.to("/behind");
    await page.locator("#profile[aria-haspopup]").waitFor();
    await page.getByRole("link", { name: "Nothing" }).click();
    await dialog.getByText("Nothing here").waitFor();
    const guest = await browsers.open({ javaScriptEnabled: true, serviceWorkers: "block" });
    await fixture(guest, "/behind", links);
    await guest.to("/behind");
    await guest.page.locator("#profile[aria-haspopup]").waitFor();
    await guest.follow("Profile");
    await guest.page.waitForURL("**/sign-in?next=*");
  });

  test("a picture is shown large, and goes by Escape", async () => {
    await window.to("/behind");
    await page.locator("[data-zoom][aria-haspopup]").click();
    const zoom = page.getByRole("dialog", { name: "A heron" });
    await zoom.getByRole("button", { name: "Actual size" }).click();
    assert.equal(await zoom.getByRole("button", { name: "Actual size" }).getAttribute("aria-pressed"), "true");
    await page.keyboard.press("Escape");
    await zoom.waitFor({ state: "detached" });
  });
}, undefined, noBrowser);
