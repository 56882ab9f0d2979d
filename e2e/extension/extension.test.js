import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { noBrowser, passwordOf } from "../rig/browser.js";
import { ExtensionBrowser, servePages } from "../rig/extension.js";
import { api } from "../rig/flow.js";
import { png } from "../rig/image.js";
import { onSQLite, processed } from "../rig/world.js";

const settings = { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0", VITRINE_FETCH_ALLOW: "127.0.0.0/8" };
const axe = await readFile(fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");
const pages = {
  "/kelp": '<title>Kelp forests</title><p id="quote">Kelp *grows*\nup to half a metre a day.</p><a href="/tides">Tides</a><img src="/kelp.png" alt="Kelp from below" width="300">',
  "/tides": "<title>Tides</title><p>Twice a day.</p>",
  "/moss": "<title>Moss</title><p>Slowly.</p>",
  "/kelp.png": png(300, 200),
  "/reef": `<!DOCTYPE html><!-- not kept --><title>Reef</title><meta name="csrf-token" content="hunter3"><link rel="stylesheet" href="/reef.css"><style>p { background: url(/kelp.png) }</style><h1>Reef</h1>
    <img src="/kelp.png" alt="" width="300" onload="this.dataset.seen = 1"><a href="/tides">Tides</a><a href="javascript:alert(1)">Run</a>
    <input type="password" id="secret"><div id="host"></div><canvas></canvas><iframe srcdoc="<p>Inside a frame</p><script>1</script>"></iframe>
    <script>document.body.append(Object.assign(document.createElement("p"), { textContent: "Written by a script" }));
    document.getElementById("host").attachShadow({ mode: "open" }).innerHTML = "<p>In a shadow</p>";
    document.getElementById("secret").value = "hunter2";</script>`,
  "/reef.css": "@media all { h1 { color: rgb(1, 2, 3); background: url(kelp.png) } }",
};

// The tests depend on each other: each uses the results of the previous ones.
onSQLite("the browser extension", (world) => {
  const browser = new ExtensionBrowser();
  let site, call, channels, web, kelp;
  before(async () => {
    await world.user("ada", "free", passwordOf("ada")); // on the tier without search
    call = api(world, await world.token("ada"));
    channels = {};
    for (const title of ["Reading", "Field notes", "Kelp"]) channels[title] = (await call("POST", "/v3/channels", { title })).id;
    web = await servePages(pages);
    await browser.start();
    kelp = await browser.context.newPage();
    await kelp.goto(`${web.url}/kelp`);
    await kelp.bringToFront();
  });
  after(async () => {
    try {
      await browser.stop();
    } finally {
      web?.close();
    }
  });

  const contents = async (title) => (await call("GET", `/v3/channels/${channels[title]}/contents?sort=position_desc`)).data;
  const stored = (key, area = "local") => browser.worker.evaluate(async ([key, area]) => (await chrome.storage[area].get(key))[key], [key, area]);
  const field = (page) => page.getByPlaceholder("Find or create a channel");
  /** Opens the popup, and waits until it can be used. */
  const popup = async (page = kelp) => {
    const opened = await browser.popup(page);
    await field(opened).waitFor();
    return opened;
  };
  /** Chooses a channel by typing, with the keyboard only. */
  const choose = async (page, typed, title) => {
    await field(page).pressSequentially(typed);
    await page.keyboard.press("Enter");
    await page.locator("#chips").getByText(title, { exact: true }).waitFor();
  };
  const heading = (page, name) => page.getByRole("heading", { name, exact: true }).waitFor();
  /** Looks for barriers to accessibility in colour schemes. */
  const accessible = async (page, ...schemes) => {
    await page.evaluate(axe);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], colorScheme);
    }
  };
  /** Signs in on the settings page, in the browser's window. */
  const signIn = async (settings, button) => {
    const opened = browser.context.waitForEvent("page");
    await settings.getByRole("button", { name: button, exact: true }).click();
    const window = await opened;
    await window.waitForLoadState();
    if (new URL(window.url()).pathname === "/sign-in") {
      await window.getByLabel("E-mail address").fill("ada@example.org");
      await window.getByLabel("Password", { exact: true }).fill(passwordOf("ada"));
      await window.getByRole("button", { name: "Sign in", exact: true }).click();
    }
    return window;
  };

  test("without an account, the popup leads to the settings", async () => {
    const page = await browser.popup(kelp);
    await heading(page, "Keep what you find");
    const opened = browser.context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in" }).click();
    site = await opened;
    await site.getByLabel("Address of your Vitrine").waitFor();
    await page.close();
  });

  test("addresses that are no server's are refused", async () => {
    await accessible(site, "dark");
    for (const [address, message] of [["http://example.org", /begins with https/], ["127.0.0.1:1", /cannot be reached/], [web.url, /no Vitrine at this address/]]) {
      await site.getByLabel("Address of your Vitrine").fill(address);
      await site.getByRole("button", { name: "Sign in", exact: true }).click();
      await site.getByRole("alert").filter({ hasText: message }).waitFor();
    }
  });

  test("sign in: denied, then allowed, with PKCE", async () => {
    await site.getByLabel("Address of your Vitrine").fill(world.url);
    const denied = await signIn(site, "Sign in");
    await denied.waitForURL((url) => url.searchParams.has("client_id"));
    assert.equal(new URL(denied.url()).searchParams.get("code_challenge_method"), "S256");
    await denied.getByRole("button", { name: "Deny" }).click();
    await site.getByRole("alert").filter({ hasText: "You did not allow" }).waitFor();
    const asked = await signIn(site, "Sign in");
    await asked.getByText("Vitrine browser extension").first().waitFor();
    await asked.getByRole("button", { name: "Allow" }).click();
    await site.getByText("You are signed in to Vitrine").waitFor();
    const { token, client, user } = await stored("account");
    assert.match(token, /^vitrine_oat_/);
    assert.deepEqual([client, user.slug], ["vitrine-browser-extension", "ada"]);
  });

  test("save the page in two channels, chosen by typing and with the keyboard only", async () => {
    const page = await popup();
    assert.equal(await page.getByLabel("Title").inputValue(), "Kelp forests");
    await choose(page, "fie", "Field notes");
    await choose(page, "read", "Reading");
    await accessible(page, "light");
    await page.keyboard.press("Enter");
    await heading(page, "Saved");
    for (const title of ["Field notes", "Reading"]) {
      const [block] = await contents(title);
      assert.deepEqual([block.title, block.connection.position], ["Kelp forests", 1]);
    }
    assert.match(await page.getByRole("link", { name: "Open" }).getAttribute("href"), new RegExp(`^${world.url}/block/\\d+$`));
    await page.close();
  });

  test("the page is saved already: its channels, its title, another channel, and out of one", async () => {
    const page = await popup();
    await heading(page, "You saved this page");
    const already = page.locator("#already");
    assert.deepEqual((await already.locator(".places li a").allInnerTexts()).sort(), ["Field notes", "Reading"]);
    await already.getByLabel("Title of the saved page").fill("Forests of kelp");
    await already.getByLabel("Title of the saved page").press("Tab");
    await page.getByText("The title was changed").waitFor();
    await choose(page, "kel", "Kelp");
    await accessible(page, "light", "dark");
    await page.getByRole("button", { name: "Connect" }).click();
    await heading(page, "Connected");
    const [block] = await contents("Kelp");
    assert.equal(block.title, "Forests of kelp");
    assert.equal((await contents("Reading"))[0].id, block.id);
    await page.close();
    const again = await popup();
    await again.getByRole("button", { name: "Remove from Reading" }).click();
    await again.getByText("Removed from Reading").waitFor();
    assert.equal((await contents("Reading")).length, 0);
    await again.getByRole("button", { name: "Undo" }).click();
    await again.getByRole("button", { name: "Remove from Reading" }).waitFor();
    assert.equal((await contents("Reading"))[0].id, block.id);
    await again.close();
  });

  test("save the selection as a text with its source, in a new channel, and undo", async () => {
    await kelp.evaluate(() => getSelection().selectAllChildren(document.getElementById("quote")));
    const page = await popup();
    assert.equal(await page.getByRole("radio", { name: "Selection" }).isChecked(), true);
    await field(page).pressSequentially("Quotes");
    await page.getByRole("option", { name: "Create “Quotes”" }).click();
    await page.getByLabel("Visibility of Quotes").selectOption("private");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading(page, "Saved");
    const { data: [quotes] } = await call("GET", "/v3/users/ada/contents?type=Channel&sort=created_at_desc");
    assert.deepEqual([quotes.title, quotes.visibility, quotes.counts.contents], ["Quotes", "private", 1]);
    const { data: [block] } = await call("GET", `/v3/channels/${quotes.id}/contents`);
    assert.deepEqual([block.type, block.content.plain, block.source.url], ["Text", "Kelp *grows* up to half a metre a day.", `${web.url}/kelp`]);
    await page.getByRole("button", { name: "Undo" }).click();
    await heading(page, "Undone");
    await assert.rejects(call("GET", `/v3/blocks/${block.id}`), /404/);
    await assert.rejects(call("GET", `/v3/channels/${quotes.id}`), /404/);
    await page.close();
    await kelp.evaluate(() => getSelection().removeAllRanges());
  });

  test("save an image of the page, with its text and source", async () => {
    const page = await popup();
    await page.getByRole("radio", { name: "Images" }).check();
    assert.equal(await page.getByLabel("Kelp from below").isChecked(), true, "the only image is chosen");
    await accessible(page, "dark");
    await choose(page, "kelp", "Kelp");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading(page, "Saved");
    const [{ id }] = await contents("Kelp");
    const block = await processed(() => call("GET", `/v3/blocks/${id}`));
    assert.deepEqual([block.type, block.image.alt_text, block.source.url], ["Image", "Kelp from below", `${web.url}/kelp`]);
    await page.close();
  });

  test("save a link from the context menu, in the channel that was used last", async () => {
    const tab = await browser.tabOf(kelp);
    const opened = browser.context.waitForEvent("page");
    await browser.worker.evaluate(async ([tabId, linkUrl]) => {
      chrome.action.openPopup = () => Promise.reject(new Error("there is no button")); // popups at the button cannot be tested
      chrome.contextMenus.onClicked.dispatch({ menuItemId: "link", linkUrl, pageUrl: "" }, await chrome.tabs.get(tabId));
    }, [tab, `${web.url}/tides`]);
    const page = await opened;
    await page.locator("#chips").getByText("Kelp", { exact: true }).waitFor();
    await field(page).press("Enter");
    await heading(page, "Saved");
    const [{ id }] = await contents("Kelp");
    const block = await processed(() => call("GET", `/v3/blocks/${id}`));
    assert.deepEqual([block.type, block.source.url, block.title], ["Link", `${web.url}/tides`, "Tides"]);
    await page.close();
  });

  test("save all tabs after one confirmation, except for those that are unticked", async () => {
    const others = await Promise.all(["/tides", "/moss"].map(async (path) => {
      const other = await browser.context.newPage();
      await other.goto(web.url + path);
      return other;
    }));
    const page = await popup();
    await page.getByRole("radio", { name: "Tabs" }).check();
    for (const box of await page.locator(".tabs input").all()) await box.setChecked(/Tides|Moss/.test(await box.locator("xpath=..").innerText()));
    await choose(page, "read", "Reading");
    await accessible(page, "light");
    await page.getByRole("button", { name: "Save 2 items" }).click();
    await heading(page, "Saved 2 items");
    assert.deepEqual((await contents("Reading")).slice(0, 2).map(({ title }) => title).sort(), ["Moss", "Tides"]);
    await page.close();
    for (const other of others) await other.close();
  });

  test("a copy of the page as it is displayed is kept with the block", async () => {
    const reef = await browser.context.newPage();
    await reef.goto(`${web.url}/reef`);
    let page = await popup(reef);
    await page.getByLabel("Keep a copy").check();
    await accessible(page, "light", "dark");
    await page.close();
    page = await popup(reef);
    assert.equal(await page.getByLabel("Keep a copy").isChecked(), true, "the choice is remembered");
    await choose(page, "read", "Reading");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("A copy of the page was kept").waitFor();
    await accessible(page, "light", "dark");
    const [{ id }] = await contents("Reading");
    const { data: [copy] } = await call("GET", `/ext/v1/blocks/${id}/snapshots`);
    assert.deepEqual([copy.source, copy.shared, copy.title], ["browser", false, "Reef"]);
    const html = await (await browser.context.request.get(copy.web_url)).text(); // the browser is signed in on the website
    for (const part of ['<head><meta charset="utf-8">', "Written by a script", "In a shadow", "Inside a frame", 'shadowrootmode="open"', '<img style=";width:300px;height:150px" src="data:image/png;base64,', "rgb(1, 2, 3)", ' src="data:image/png;base64,', 'url("data:image/png;base64,', `href="${web.url}/tides"`]) assert.ok(html.includes(part), part);
    assert.doesNotMatch(html, /<script|&lt;script|<!--|javascript:|hunter|<link|onload/);
    assert.deepEqual(html.match(new RegExp(`(src="|url\\(["']?)${web.url}`)), null);
    await page.close();
    await browser.worker.evaluate(() => chrome.storage.local.remove("keepCopy"));
    await reef.close();
  });

  test("offline, an item waits on the device; later it is saved once", async () => {
    const before = (await contents("Field notes")).length;
    const moss = await browser.context.newPage();
    await moss.goto(`${web.url}/moss`);
    const page = await popup(moss);
    await page.getByRole("checkbox", { name: "Save it as a new block" }).check();
    await page.getByLabel("Note (optional)").fill("On the north wall");
    await choose(page, "fie", "Field notes");
    await world.leave();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading(page, "Kept on this device");
    assert.equal((await stored("queue")).length, 1);
    await page.close();
    const offline = await popup(moss);
    await offline.getByText("1 item waits to be saved").waitFor();
    await offline.getByRole("button", { name: "Save now" }).click();
    assert.equal((await stored("queue")).length, 1);
    await world.comeBack();
    const waiting = await stored("queue");
    const send = () => offline.evaluate(() => chrome.runtime.sendMessage("send"));
    await Promise.all([send(), send()]);
    assert.deepEqual(await stored("queue"), []);
    const now = await contents("Field notes");
    assert.deepEqual([now.length, now[0].title, now[0].description.plain], [before + 1, "Moss", "On the north wall"]);
    // If the answer was lost, the same entry is sent again, and has no further effect.
    await browser.worker.evaluate((queue) => chrome.storage.local.set({ queue }), waiting);
    assert.ok(waiting[0].id in await send());
    assert.deepEqual(await stored("queue"), []);
    assert.equal((await contents("Field notes")).length, before + 1);
    await offline.close();
    await moss.close();
  });

  test("offline, a copy of the page waits with its item, and is uploaded once", async () => {
    const moss = await browser.context.newPage();
    await moss.goto(`${web.url}/moss`);
    const settings = await browser.open("options.html");
    const waiting = () => settings.evaluate(async () => (await import("./script/copies.js")).copies());
    const page = await popup(moss);
    await page.getByRole("checkbox", { name: "Save it as a new block" }).check();
    await page.getByLabel("Keep a copy").check();
    await choose(page, "fie", "Field notes");
    await world.leave();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The copy of the page waits on this device too").waitFor();
    await settings.getByText("With a copy of the page").waitFor();
    await accessible(settings, "light", "dark");
    await moss.close(); // it is not needed any more
    const queue = await stored("queue");
    assert.deepEqual((await waiting()).map(({ id, block }) => [id, block]), [[queue[0].copy, null]]);
    await settings.evaluate(async () => { globalThis.kept = await (await import("./script/copies.js")).copies(); });
    await world.comeBack();
    const send = () => settings.evaluate(() => chrome.runtime.sendMessage("send"));
    const copied = async () => {
      await send();
      assert.deepEqual([await stored("queue"), await waiting()], [[], []]);
      const [{ id }] = await contents("Field notes");
      return [id, (await call("GET", `/ext/v1/blocks/${id}/snapshots`)).data.map(({ title }) => title)];
    };
    const [block, titles] = await copied();
    assert.deepEqual(titles, ["Moss"]);
    const before = (await contents("Field notes")).length;
    // The browser ends the worker after the server has created the block, and again after the upload: both are repeated.
    const restore = (block) => settings.evaluate(async (block) => (await import("./script/copies.js")).storeCopy({ ...globalThis.kept[0], block }), block);
    await restore(null);
    await browser.worker.evaluate((queue) => chrome.storage.local.set({ queue }), queue);
    assert.deepEqual(await copied(), [block, ["Moss"]]);
    await restore(block);
    assert.deepEqual(await copied(), [block, ["Moss"]]);
    assert.equal((await contents("Field notes")).length, before);
    // The block of a copy was deleted in the meantime: its user decides.
    await restore(999_999);
    await send();
    await settings.getByText("The item it belongs to was deleted").waitFor();
    await settings.getByRole("button", { name: "Discard" }).click();
    await settings.locator("#queue").waitFor({ state: "hidden" });
    assert.deepEqual(await waiting(), []);
    // A copy without an entry goes, since its item was discarded.
    await settings.evaluate(async () => (await import("./script/copies.js")).storeCopy({ id: "lost", account: "", at: 1, size: 1, block: null, reason: "" }));
    await send();
    assert.deepEqual(await waiting(), []);
    await page.close();
    await settings.close();
    await browser.worker.evaluate(() => chrome.storage.local.remove("keepCopy"));
  });

  test("a channel that is gone: the item stays until the user decides", async () => {
    const { id } = await call("POST", "/v3/channels", { title: "Brief" });
    const page = await popup();
    await page.getByRole("checkbox", { name: "Save it as a new block" }).check();
    await choose(page, "brief", "Brief");
    await call("DELETE", `/v3/channels/${id}`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading(page, "Not saved");
    await page.getByRole("button", { name: "Discard" }).click();
    await heading(page, "Undone");
    assert.deepEqual(await stored("queue"), []);
    await page.close();
  });

  test("an ended sign-in: what was saved waits until the user has signed in again", async () => {
    await world.command("app", "delete", "vitrine-browser-extension");
    const before = (await contents("Kelp")).length;
    const page = await popup();
    await page.getByText("Your sign-in has expired").waitFor();
    await choose(page, "kel", "Kelp");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading(page, "Kept on this device");
    await page.close();
    const settings = await browser.open("options.html");
    const window = await signIn(settings, "Sign in again");
    await window.getByRole("button", { name: "Allow" }).click();
    await settings.getByText("You are signed in to Vitrine").waitFor();
    await settings.locator("#queue").waitFor({ state: "hidden" });
    assert.equal((await contents("Kelp")).length, before + 1);
    await settings.close();
  });

  test("signing out revokes the token", async () => {
    const { token } = await stored("account");
    const me = () => fetch(`${world.url}/v3/me`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await me()).status, 200);
    const settings = await browser.open("options.html");
    await settings.evaluate(async () => (await import("./script/copies.js")).storeCopy({ id: "private", account: "", at: 1, size: 1, block: 1, reason: "copyQuota" }));
    await settings.getByRole("button", { name: "Sign out" }).click();
    await settings.getByText("no longer has access").waitFor();
    assert.deepEqual(await settings.evaluate(async () => (await import("./script/copies.js")).copies()), []);
    assert.equal((await me()).status, 401);
    assert.equal(await stored("account"), undefined);
    await settings.close();
  });
}, settings, noBrowser);
