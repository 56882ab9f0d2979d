import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { fillGallery, gallerySettings, openWebsite } from "../rig/gallery.js";
import { inspectPage } from "../rig/inspect.js";
import { linkInMail } from "../rig/outbox.js";
import { onSQLite, processed } from "../rig/world.js";

const screenshots = process.env.VITRINE_SCREENSHOTS; // a folder for screenshots

// With reduced motion, colours change at once, so that no transition is checked.
const looks = {
  light: { reducedMotion: "reduce", viewport: { width: 1280, height: 900 } },
  phone: { reducedMotion: "reduce", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

// The appearance and accessibility of each page with content. The tests depend on each other.
onSQLite("every page", (world) => {
  const browsers = withBrowser(world);
  let site;
  const pages = new Map(); // addresses by name; names that start with "guest" are visited without signing in

  before(async () => {
    if (screenshots) await mkdir(screenshots, { recursive: true });
    site = await openWebsite();
  });
  after(() => site?.close());

  /** Opens a window that allows our own scripts, which are needed to check a page. */
  const open = async (look, who) => {
    const window = await browsers.open({ ...looks[look], javaScriptEnabled: true, bypassCSP: true });
    if (who) await window.signIn(who);
    return window;
  };

  /** Visits pages in one look, and returns all problems. */
  const inspect = async (window, look, addresses) => {
    const wrong = [];
    for (const [name, address] of addresses) {
      if (await window.to(address) >= 500) wrong.push(`${name}: the server fails`);
      wrong.push(...await see(window.page, name, look));
    }
    return wrong;
  };

  test("what is wrong is seen", async () => {
    const { page } = await open("light");
    await page.setContent('<html lang="en"><title>A page</title><main><h1>A page</h1><p style="color:#bbb">Pale</p><input><div style="width:4000px">Wide</div>');
    const wrong = (await inspectPage(page, "light")).join("\n");
    for (const what of [/pixels are beyond its width/, /color-contrast: .*Pale/, /label: <input>/]) assert.match(wrong, what);
  });

  test("pages of a server without accounts", async () => {
    for (const look of Object.keys(looks)) {
      const window = await open(look);
      assert.deepEqual(await inspect(window, look, [["guest-home-first", "/"], ["guest-sign-up-first", "/sign-up"]]), []);
      await window.context.close();
    }
  });

  test("things to show", async () => {
    for (const slug of ["ada", "bea", "cy"]) await world.user(slug, "supporter", passwordOf(slug));
    const token = await world.token("ada");
    const post = async (path, body, method = "POST") => {
      const page = typeof body === "string";
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": page ? "text/html" : "application/json" };
      const response = await fetch(`${world.url}${page ? "" : "/v3"}${path}`, { method, headers, body: page ? body : body && JSON.stringify(body) });
      assert.ok(response.ok, `${path}: ${response.status}`);
      return response.json();
    };
    await post("/groups", { name: "The Society of Long Names and Small Things" });
    const group = "/groups/the-society-of-long-names-and-small-things";
    await post(`${group}/invitations`, { email: "bea@example.org" });
    await post(`${group}/invitations`, { email: "dot@example.org" });
    await post("/channels", { title: "Field notes" });
    const ada = await browsers.open();
    await ada.signIn("ada");
    await ada.to("/settings/personal-access-tokens");
    await ada.fill({ Name: "laptop, in the office on the third floor" });
    await ada.page.getByLabel("Read and write").check();
    await ada.press("Make the token");
    await ada.to("/oauth/applications");
    await ada.fill({ Name: "Clipper", "Redirect addresses": "https://clipper.example/a/rather/long/address/to/come/back/to\nurn:ietf:wg:oauth:2.0:oob" });
    await ada.page.getByLabel("On a server").check();
    await ada.press("Register");
    const id = await ada.page.locator("code.secret").last().innerText();
    const consent = `/oauth/authorize?${new URLSearchParams({ client_id: id, response_type: "code", scope: "write", redirect_uri: "urn:ietf:wg:oauth:2.0:oob" })}`;
    await ada.to(consent);
    await ada.press("Allow");
    await ada.to("/oauth/applications");
    await ada.follow("Clipper");
    const application = ada.path;
    await ada.to("/operator/sign-up");
    await ada.fill({ Note: "for Cy, who asked" });
    await ada.press("Make a link");
    const invite = await post(`${group}/invite`);

    await collections(token, post);
    for (const [name, address] of Object.entries({
      home: "/", profile: "/settings/profile", email: "/settings/email", password: "/settings/password",
      prove: "/settings/confirm",
      sessions: "/settings/sessions", tokens: "/settings/personal-access-tokens", authorised: "/settings/applications",
      delete: "/settings/delete", applications: "/oauth/applications", application, consent,
      "consent-read": consent.replace("scope=write", "scope=read"), refused: `${consent}x`,
      operator: "/operator", accounts: "/operator/accounts", account: "/operator/accounts/cy",
      "operator-sign-up": "/operator/sign-up", jobs: "/operator/jobs",
      invitation: await linkInMail(world.outbox, "bea@example.org", /^\/invitations\//),
      "group-invite": invite.url, missing: "/settings/nothing-here",
      "guest-home": "/", "guest-sign-in": "/sign-in", "guest-sign-up": "/sign-up", "guest-forgot": "/forgot-password",
      "guest-invitation": await linkInMail(world.outbox, "dot@example.org", /^\/invitations\//),
      "guest-group-invite": invite.url, "guest-dead-link": "/confirm/nothing",
    })) pages.set(name, address);
  });

  /** Fills collections, and adds their pages. */
  const collections = async (token, post) => {
    const arena = world.arena(token);
    const wall = await fillGallery(arena, site, "Studio wall", 24);
    const { data } = await (await fetch(`${world.url}/v3/channels/${wall.slug}/contents?per=100`)).json();
    const of = (type) => data.find((one) => one.type === type);
    const at = (type, more = "") => `/block/${of(type).id}${more}`;
    const text = of("Text");
    await post("/channels", { title: "دفتر الملاحظات", description: "ملاحظات من الميناء" });
    await post("/channels", { title: "Secret plans", visibility: "private" });
    await post(`/blocks/${text.id}/comments`, { body: "A *second* look, and a third: [here](https://example.org)." });
    await post(`/blocks/${text.id}/comments`, { body: "ونظرة أخرى" });
    for (const what of ["users/ada", `channels/${wall.slug}`]) await world.follow("bea", what);
    const failed = await post("/blocks", { value: `${site.url}/nothing`, channel_ids: [wall.id] });
    await post(`/blocks/${of("Link").id}`, { title: "How an article is made, and for whom" }, "PUT");
    const copies = at("Link", "/copies");
    const kept = [];
    for (const [year, words] of [[2025, "We sieve the ash three times."], [2026, "We wash the ash once, and sieve it twice."]]) {
      const page = `<!doctype html><title>On glazes</title>${"<p>It begins with a drawing.</p>".repeat(9)}<p>${words}</p>`;
      kept.push((await post(`/ext/v1${copies.replace("block", "blocks").replace("copies", "snapshots")}?taken_at=${year}-05-01T12:00:00Z`, page)).id);
    }
    const club = "/group/the-society-of-long-names-and-small-things";
    const [, first] = data.filter(({ type }) => type === "Text");
    for (const [name, address] of Object.entries({
      explore: "/explore", "explore-channels": "/explore?type=channels", "explore-people": "/explore?type=people", 
      search: "/search", "search-found": "/search?q=wall", "search-nothing": "/search?q=zebra", "search-wrong": `/search?q=${"x".repeat(600)}`,
      person: "/ada", "person-blocks": "/ada?view=blocks", "person-followers": "/ada?view=followers", "person-empty": "/cy",
      group: club, "group-members": `${club}?view=members`,
      channel: `/ada/${wall.slug}`, "channel-list": `/ada/${wall.slug}?view=list`, "channel-masonry": `/ada/${wall.slug}?view=masonry`, "channel-reading": `/ada/${wall.slug}?view=reading`,
      "channel-nothing": `/ada/${wall.slug}?q=zebra`, "channel-past": `/ada/${wall.slug}?page=99`, "channel-empty": "/ada/field-notes",
      slideshow: `/ada/${wall.slug}/slideshow?page=3`, print: `/ada/${wall.slug}/print`, embed: `/ada/${wall.slug}/embed`,
      "block-image": at("Image", `?in=${wall.id}`), "block-text": `/block/${text.id}`, "block-text-in": `/block/${first.id}?in=${wall.id}`,
      "block-link": at("Link"), "block-file": at("Attachment"), "block-embed": at("Embed"), "block-failed": `/block/${failed.id}`,
    })) {
      pages.set(`read-${name}`, address);
      if (["channel", "block-text", "person"].includes(name)) pages.set(`guest-read-${name}`, address);
    }
    for (const [name, address] of Object.entries({
      feed: "/feed", notifications: "/notifications", searches: "/search/saved", "text-read": `/block/${text.id}/read`, highlights: "/settings/highlights", "notifications-unread": "/notifications?filter=unread", groups: "/groups", "group-new": "/groups/new",
      members: `${club}/members`, "group-edit": `${club}/edit`, "group-delete": `${club}/delete`, collaborators: `/ada/${wall.slug}/collaborators`, subscriptions: `/ada/${wall.slug}/subscriptions`, "own-subscriptions": "/settings/subscriptions", "dead-links": "/settings/links", trash: "/settings/trash", feeds: "/settings/feeds",
      new: "/new", save: `/save?url=${encodeURIComponent(`${site.url}/article/1`)}&title=Notes`, add: `/ada/${wall.slug}/add`, "channel-edit": `/ada/${wall.slug}/edit`,
      arrange: `/ada/${wall.slug}/arrange`, "arrange-empty": "/ada/field-notes/arrange", connect: at("Image", "/connect"), "connect-found": at("Image", "/connect?q=wall"),
      "connect-channel": `/channel/${wall.id}/connect`, "block-edit": at("Text", "/edit"), "image-edit": at("Image", "/edit"), "block-delete": at("Text", "/delete"),
      copies, "copies-none": `/block/${failed.id}/copies`, compare: `${copies}/${kept[1]}/compare/${kept[0]}`, "block-history": at("Link", "/history"), "channel-history": `/ada/${wall.slug}/history`,
      "channel-delete": `/channel/${wall.id}/delete`, private: "/ada/secret-plans", "right-to-left": "/ada?view=channels&sort=updated",
    })) pages.set(name, address);
    await processed(async () => (await fetch(`${world.url}/v3/blocks/${failed.id}`)).json());
  };

  for (const look of Object.keys(looks)) {
    test(`nothing keeps anybody out: ${look}`, async () => {
      const guest = await open(look);
      const ada = await open(look, "ada");
      const of = (guests) => [...pages].filter(([name]) => name.startsWith("guest-") === guests);
      const wrong = [...await inspect(guest, look, of(true)), ...await inspect(ada, look, of(false))];
      assert.deepEqual(wrong, []);
      await guest.context.close();
      await ada.context.close();
    });

    test(`nor do answers to forms: ${look}`, async () => {
      const window = await open(look);
      const wrong = [];
      const note = async (name) => wrong.push(...await see(window.page, name, look));
      await window.to("/sign-in");
      await window.fill({ "E-mail address": "ada@example.org", Password: "not her secret" });
      await window.press("Sign in");
      await note("answer-sign-in-wrong");
      await window.signIn("cy");
      await window.to("/settings/profile");
      await window.press("Save");
      await note("answer-profile-saved");
      await window.to("/settings/personal-access-tokens");
      await window.fill({ Name: "one" });
      await window.page.getByLabel("Read and write").check();
      await window.press("Make the token");
      await note("answer-token-made");
      await window.to("/oauth/applications");
      await window.fill({ Name: "Bad", "Redirect addresses": "javascript:alert(1)" });
      await window.page.getByLabel("On a server").check();
      await window.press("Register");
      await note("answer-application-wrong");
      await window.to("/new");
      await window.fill({ Title: "x".repeat(500) });
      await window.press("Make the channel");
      await note("answer-channel-wrong");
      await window.fill({ Title: `Notes, ${look}` });
      await window.press("Make the channel");
      await note("answer-channel-made");
      const channel = window.path;
      await window.to(`${channel}/add`);
      await window.press("Add");
      await note("answer-add-nothing");
      await window.fill({ "Text or address": "Words." });
      await window.press("Add");
      await window.page.waitForURL(`**${channel}`);
      await note("answer-added");
      await window.to(`${channel}/arrange`);
      await window.press("To the top");
      await note("answer-arrange-nothing");
      await window.page.getByRole("checkbox").first().check();
      await window.press("Remove from the channel");
      await note("answer-removed");
      await window.to("/save");
      await window.fill({ "Text or address": "Words." });
      await window.press("Save");
      await note("answer-save-nowhere");
      await window.to("/groups/new");
      await window.fill({ Name: " " });
      await window.press("Make the group");
      await note("answer-group-wrong");
      assert.deepEqual(wrong, []);
      await window.context.close();
    });
  }

  test("nor in German", async () => {
    const window = await open("phone", "ada");
    await window.press("Deutsch");
    await window.page.locator("html[lang=de]").waitFor();
    const some = ["home", "read-explore", "read-channel", "read-block-image", "read-block-text", "read-person", "read-search-nothing", "arrange", "add", "save", "block-edit", "notifications", "members", "feeds"];
    const wrong = await inspect(window, "german", some.map((name) => [name, pages.get(name)]));
    assert.deepEqual(wrong, []);
    await window.context.close();
  });

  test("signing in with the keyboard alone", async () => {
    const bea = await browsers.open();
    await bea.to("/");
    const focus = () => bea.page.evaluate(() => (document.activeElement.labels?.[0] ?? document.activeElement).innerText.trim());
    const tabTo = async (what) => {
      for (let i = 0; i < 20; i++) {
        await bea.page.keyboard.press("Tab");
        if (await focus() === what) return;
      }
      assert.fail(`Tab does not lead to ${what}`);
    };
    await bea.page.keyboard.press("Tab");
    assert.equal(await focus(), "Skip to the content");
    await tabTo("Sign in");
    await Promise.all([bea.page.waitForURL("**/sign-in"), bea.page.keyboard.press("Enter")]);
    await tabTo("E-mail address");
    await bea.page.keyboard.type("bea@example.org");
    await bea.page.keyboard.press("Tab");
    await bea.page.keyboard.type(passwordOf("bea"));
    await Promise.all([bea.page.waitForURL(`${world.url}/`), bea.page.keyboard.press("Enter")]);
    while (!await bea.page.evaluate(() => document.activeElement.tagName === "SUMMARY")) await bea.page.keyboard.press("Tab");
    await bea.page.keyboard.press("Enter"); // opens the account menu
    await tabTo("Sign out");
    await bea.page.keyboard.press("Enter");
    await bea.page.getByText("You have been signed out").waitFor();
  });

  test("with JavaScript switched on all is the same, and pages run our files alone", async () => {
    const window = await browsers.open({ javaScriptEnabled: true });
    await window.signIn("ada");
    assert.equal(await window.signedIn(), true);
    for (const [name, address] of pages) {
      await window.to(address);
      const others = window.page.locator('script:not([src^="/assets/"]), style');
      assert.equal(await others.count(), 0, name);
      const html = await (await window.page.request.get(address)).text();
      assert.doesNotMatch(html, /<[a-z][^<>]*\s(?:on[a-z]+|style)=/, name);
      assert.deepEqual(html.match(/(?:href|src|action)="javascript:[^"]{0,14}/g) ?? [], name === "save" ? [`href="javascript:location.href=`] : [], name);
    }
    await window.press("Sign out");
    assert.equal(await window.signedIn(), false);
  });
}, gallerySettings, noBrowser);

/** Takes screenshots of a page if requested, and returns all problems with it in light and dark colours. */
async function see(page, name, look) {
  const wrong = [];
  for (const scheme of ["light", "dark"]) {
    const seen = scheme === "light" ? look : { light: "dark", phone: "phone-dark" }[look] ?? `${look}-dark`;
    await page.emulateMedia({ colorScheme: scheme });
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.${seen}.png`), fullPage: true });
    wrong.push(...(await inspectPage(page, seen)).map((what) => `${name}, ${seen}: ${what}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return wrong;
}
