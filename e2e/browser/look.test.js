import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { api, inEachMode } from "../rig/flow.js";
import { fillGallery, gallerySettings, openWebsite } from "../rig/gallery.js";
import { onSQLite } from "../rig/world.js";

// Users read other people's collections.
onSQLite("looking", (world) => {
  const browsers = withBrowser(world);
  let site, wall, other, secret, items;

  before(async () => {
    for (const slug of ["ada", "bea"]) await world.user(slug, "supporter", passwordOf(slug));
    const token = await world.token("ada");
    const ada = api(world, token);
    site = await openWebsite();
    wall = await fillGallery(world.arena(token), site, "Studio wall", 54);
    items = await contents(ada, wall.slug);
    await ada("PUT", `/v3/channels/${wall.slug}`, { title: "Studio wall, old" });
    wall = await ada("PUT", `/v3/channels/${wall.id}`, { title: "Our studio wall" });
    secret = await ada("POST", "/v3/channels", { title: "Secret plans", visibility: "private" });
    other = await ada("POST", "/v3/channels", { title: "Second wall", visibility: "closed" });
    await ada("POST", "/v3/connections", { connectable_id: items.Image[0].id, connectable_type: "Block", channel_ids: [other.id] });
    await ada("POST", "/v3/groups", { name: "Harbour Club" });
    await ada("POST", "/v3/channels", { title: "Club papers", group_id: (await ada("GET", "/v3/groups/harbour-club")).id });
    await world.follow("bea", "users/ada");
    const operator = await browsers.open();
    await operator.signIn("ada");
    await operator.to("/operator/pages");
    await operator.fill({ Title: "Imprint", "Name in the address": "imprint", Text: "Kept by *Ada*." });
    await operator.press("Make the page");
  });
  after(() => site?.close());

  /** Returns the items of a channel by type. */
  const contents = async (ask, slug) => {
    const { data } = await ask("GET", `/v3/channels/${slug}/contents?per=100`);
    return Object.groupBy ? Object.groupBy(data, ({ type }) => type) : data.reduce((all, one) => ({ ...all, [one.type]: [...(all[one.type] ?? []), one] }), {});
  };
  const all = () => Object.values(items).flat().length;

  inEachMode(browsers, (mode, open) => {
    let guest, bea;
    before(async () => {
      guest = await open();
      bea = await open("bea");
    });
    const cells = (person) => person.page.locator("#cells > li");

    test("the start page tells guests what this is, and shows what is new", async () => {
      assert.equal(await guest.to("/"), 200);
      await guest.reads("A quiet place for what you keep");
      await guest.main.getByRole("heading", { name: "New channels" }).waitFor();
      await guest.main.getByRole("heading", { name: "New blocks" }).waitFor();
      await guest.follow("All channels");
      await guest.arrives("/explore?type=channels");
    });

    test("and those who have an account what is theirs", async () => {
      assert.equal(await bea.to("/"), 200);
      await bea.reads("Good to see you, Bea");
      await bea.sees("Ada made");
    });

    test("explore: kinds of things, orders, and from there to a thing", async () => {
      await guest.follow("Explore", guest.page.getByRole("banner"));
      await guest.arrives("/explore");
      const tabs = guest.page.getByRole("navigation", { name: "What to show" });
      for (const [tab, kind] of [["Channels", "channel"], ["People", "user"], ["Groups", "group"]]) {
        await guest.follow(tab, tabs);
        await guest.arrives(new RegExp(`^/explore\\?type=${tab.toLowerCase()}`));
        assert.equal(await guest.page.locator(`#cells > li:not(.${kind})`).count(), 0);
        assert.ok(await cells(guest).count() > 0, tab);
      }
      await guest.main.getByRole("link", { name: /Harbour Club/ }).click();
      await guest.arrives("/group/harbour-club");
    });

    test("search: from anywhere, by kind, and what is not there", async () => {
      const field = guest.page.locator("#seek");
      await field.fill("wall");
      await field.press("Enter");
      await guest.arrives("/search?q=wall");
      await guest.follow("Channels", guest.page.getByRole("navigation", { name: "What to show" }));
      await guest.main.getByRole("link", { name: /Our studio wall/ }).waitFor();
      await guest.fill({ Words: "nothing like this" }, guest.main);
      await guest.press("Search");
      await guest.sees("No results");
      await guest.fill({ Words: "secret" }, guest.main);
      await guest.press("Search");
      await guest.sees("No results");
    });

    test("a person: each of their lists", async () => {
      assert.equal(await guest.to("/ada"), 200);
      await guest.reads("Ada");
      const tabs = guest.page.getByRole("navigation", { name: "Lists" });
      for (const [tab, shows] of [["Blocks", /./], ["Groups", /Harbour Club/], ["Followers", /Bea/], ["Following", /Nothing is followed here/], ["Channels", /Our studio wall/]]) {
        await tabs.getByRole("link", { name: new RegExp(`^${tab}`) }).click();
        await tabs.locator("[aria-current=page]", { hasText: tab }).waitFor();
        await guest.sees(shows);
      }
      await guest.misses("Secret plans");
    });

    test("a group: its channels and members", async () => {
      assert.equal(await guest.to("/group/harbour-club"), 200);
      await guest.reads("Harbour Club");
      await guest.sees("Club papers");
      await guest.page.getByRole("navigation", { name: "Lists" }).getByRole("link", { name: /^Members/ }).click();
      await guest.main.locator("#cells").getByRole("link", { name: /Ada/ }).waitFor();
    });

    test("a channel: as a grid and as a list, by order, by kind, by words", async () => {
      await guest.to(`/ada/${wall.slug}`);
      await guest.reads("Our studio wall");
      await guest.sees("Open");
      await guest.follow("List");
      await guest.page.locator("#cells.rowed").waitFor();
      await guest.follow("Newest");
      await guest.arrives(/view=list.*sort=newest|sort=newest.*view=list/);
      await guest.page.locator("#cells.rowed").waitFor();
      await guest.follow("Grid");
      await guest.page.locator("#cells:not(.rowed)").waitFor();
      for (const [name, kind] of [["Images", "image"], ["Texts", "text"], ["Links", "link"], ["Files", "file"], ["Embeds", "embed"], ["Channels", "channel"]]) {
        await guest.follow(name, guest.page.getByRole("list", { name: "Kind" }));
        await guest.arrives(new RegExp(`type=${kind}`));
        assert.ok(await cells(guest).count() > 0, kind);
        assert.equal(await guest.page.locator(`#cells > li:not(.${kind})`).count(), 0, kind);
      }
      await guest.follow("All", guest.page.getByRole("list", { name: "Kind" }));
      await guest.fill({ "Find in this channel": "measure the room" }, guest.main);
      await guest.press("Find");
      await guest.sees(/thing(s fit|\sfits)/);
      await guest.sees("Measure the room before you choose the table");
      await guest.fill({ "Find in this channel": "zebra" }, guest.main);
      await guest.press("Find");
      await guest.sees("Nothing in this channel fits.");
      await guest.follow("Show all");
      await cells(guest).nth(40).waitFor();
    });

    test("more of a channel, by links or by scrolling", async () => {
      await guest.to(`/ada/${wall.slug}`);
      assert.equal(await cells(guest).count(), 48);
      if (mode.scripts) {
        await guest.page.locator("#pager").scrollIntoViewIfNeeded();
        await cells(guest).nth(all() - 1).waitFor();
        assert.equal(await cells(guest).count(), all());
        const ids = await cells(guest).evaluateAll((each) => each.map((e) => e.id));
        assert.equal(new Set(ids).size, all(), "nothing is there twice");
        return;
      }
      await guest.follow("Next");
      await guest.arrives(`/ada/${wall.slug}?page=2`);
      assert.equal(await cells(guest).count(), all() - 48);
      await guest.sees("Page 2 of 2");
      await guest.follow("Previous");
      await guest.sees("Page 1 of 2");
    });

    test("the blocks of a channel one after the other", async () => {
      await guest.to(`/ada/${wall.slug}?type=text`);
      await cells(guest).first().getByRole("link").first().click();
      await guest.arrives(/^\/block\/\d+\?in=/);
      const around = guest.page.getByRole("navigation", { name: "In this channel" });
      const first = guest.path;
      await guest.follow("Next", around);
      await guest.page.waitForURL((url) => url.pathname !== first);
      await guest.follow("Previous", around);
      await guest.arrives(first);
      await guest.follow("Our studio wall", around);
      await guest.arrives(`/ada/${wall.slug}`);
    });

    test("a picture, large, with who made it and where it is", async () => {
      const { id } = items.Image[0];
      await guest.to(`/block/${id}`);
      const picture = guest.main.locator(".shown").getByRole("img", { name: "Plain shapes in three colours" });
      await picture.waitFor();
      await guest.sees("Added by");
      await guest.sees("In 2 channels");
      await guest.main.getByRole("link", { name: /Second wall/ }).waitFor();
      await guest.main.getByRole("heading", { name: "No comments" }).waitFor();
      if (!mode.scripts) return;
      await guest.page.locator("[data-zoom][aria-haspopup]").click();
      const zoom = guest.page.getByRole("dialog");
      await zoom.waitFor();
      await guest.page.keyboard.press("Escape");
      await zoom.waitFor({ state: "detached" });
    });

    test("a text, a link, files", async () => {
      const text = items.Text.find(({ content }) => content.plain.includes("On attention"));
      await guest.to(`/block/${text.id}`);
      await guest.main.locator(".shown").getByRole("listitem").filter({ hasText: "what repeats" }).waitFor();
      const link = items.Link[0];
      await guest.to(`/block/${link.id}`);
      assert.equal(await guest.main.locator(".shown").getByRole("link", { name: /How a article is made/ }).first().getAttribute("href"), link.source.url);
      const file = items.Attachment.find(({ attachment }) => attachment.filename.endsWith(".pdf"));
      await guest.to(`/block/${file.id}`);
      const [download] = await Promise.all([guest.page.waitForEvent("download"), guest.follow("Download")]);
      assert.equal(download.suggestedFilename(), file.attachment.filename);
      await guest.follow("Show the pages");
      const leaf = guest.main.getByRole("img", { name: "Page 1 of 1" });
      await leaf.waitFor();
      const image = await guest.page.request.get(new URL(await leaf.getAttribute("src"), world.url).href);
      assert.deepEqual([image.status(), image.headers()["content-type"]], [200, "image/jpeg"]);
    });

    test("the player of an embed, when it is asked for", async () => {
      await guest.to(`/block/${items.Embed[0].id}`);
      await guest.sees("The player is loaded from 127.0.0.2.");
      assert.equal(await guest.page.locator("iframe").count(), 0);
      await guest.follow("Play");
      await guest.arrives(/play=1/);
      assert.match(await guest.page.locator("iframe").getAttribute("src"), /^https:\/\/127\.0\.0\.2\/film\//);
      guest.window.wrong.length = 0; // the film does not exist
    });

    test("a slideshow, by links", async () => {
      await guest.to(`/ada/${wall.slug}`);
      await guest.follow("Slideshow");
      await guest.sees(`1 of ${all()}`);
      await guest.follow("Next");
      await guest.sees(`2 of ${all()}`);
      await guest.follow("Next");
      await guest.sees(`3 of ${all()}`);
      await guest.follow("Previous");
      await guest.sees(`2 of ${all()}`);
      await guest.follow("Our studio wall");
      await guest.arrives(`/ada/${wall.slug}`);
    });

    test("on paper, all of it", async () => {
      await guest.follow("Print");
      await guest.reads("Our studio wall");
      await guest.sees("print it with your browser");
      assert.equal(await guest.page.locator(".sheet > li").count(), all());
      await guest.page.emulateMedia({ media: "print" });
      await guest.misses("print it with your browser");
      await guest.page.emulateMedia({ media: "screen" });
    });

    test("in a page of another site: the frame that is made for it, and no other page", async () => {
      const page = (path) => `<iframe src="${world.url}${path}" width="360" height="500"></iframe>`;
      const elsewhere = createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" })
        .end(`<!doctype html><title>Elsewhere</title>${page(`/ada/${wall.slug}/embed`)}${page(`/ada/${wall.slug}`)}${page("/sign-in")}`));
      await new Promise((listening) => elsewhere.listen(0, "127.0.0.2", listening));
      try {
        const reader = await open();
        await reader.page.goto(`http://127.0.0.2:${elsewhere.address().port}/`);
        const [embed, ...refused] = reader.page.frames().slice(1);
        await embed.getByRole("heading", { level: 1, name: "Our studio wall" }).waitFor();
        assert.ok(await embed.locator("#cells > li").count() > 40);
        assert.equal(await embed.getByRole("link", { name: "Our studio wall" }).getAttribute("target"), "_blank");
        for (const frame of refused) assert.equal(await frame.getByRole("heading").count(), 0, frame.url());
        assert.match(reader.window.wrong.join("\n"), /frame-ancestors/);
        reader.window.wrong.length = 0;
        await reader.window.context.close();
      } finally {
        elsewhere.close();
      }
    });

    test("an address from before leads on", async () => {
      const [was, now] = [`/ada/studio-wall?view=list`, `/ada/${wall.slug}?view=list`];
      assert.notEqual(was, now);
      const response = await fetch(world.url + was, { redirect: "manual" });
      assert.equal(response.status, 301);
      assert.equal(response.headers.get("location"), world.url + now);
      await guest.to(was);
      await guest.arrives(now);
    });

    test("what is private, and what is not there, look the same", async () => {
      const texts = [];
      for (const path of [`/ada/${secret.slug}`, "/ada/never-was-here", "/block/999999999"]) {
        assert.equal(await guest.to(path), 404, path);
        texts.push(await guest.window.text());
      }
      assert.equal(texts[0], texts[1]);
      assert.equal(texts[1], texts[2]);
      assert.match(texts[0], /Nothing here/);
      assert.equal(await bea.to(`/ada/${secret.slug}`), 404);
    });

    test("the pages that the law asks for stand at the foot", async () => {
      await guest.to("/");
      await guest.follow("Imprint", guest.page.getByRole("contentinfo"));
      await guest.reads("Imprint");
      await guest.sees("Kept by Ada.");
    });

    test("in another language", async () => {
      // The footer follows after everything above it is loaded.
      const atEnd = () => guest.page.waitForFunction(() => {
        scrollTo(0, document.documentElement.scrollHeight);
        return document.querySelector(".foot").checkVisibility();
      });
      await guest.to(`/ada/${wall.slug}`);
      await atEnd();
      await guest.press("Deutsch", guest.page.getByRole("contentinfo"));
      await guest.page.locator("html[lang=de]").waitFor();
      await guest.arrives(`/ada/${wall.slug}`);
      await guest.main.getByRole("link", { name: "Liste", exact: true }).waitFor();
      await atEnd();
      await guest.press("English", guest.page.getByRole("contentinfo"));
      await guest.page.locator("html[lang=en]").waitFor();
    });
  });

  test("a saved copy runs no script, loads nothing and leads nowhere by itself", async (t) => {
    const asked = [];
    const trap = createServer(({ url }, response) => response.end(String(asked.push(url))));
    t.after(() => trap.close());
    await new Promise((listening) => trap.listen(0, "127.0.0.3", listening));
    const away = `http://127.0.0.3:${trap.address().port}`;
    const page = `<!doctype html><meta http-equiv="refresh" content="0; url=${away}/refresh"><title>Kept</title><p>Words</p>
<script>document.title = "It ran"; fetch("${away}/fetch")</script><img src="${away}/image" onerror="document.title = 'It ran'">
<iframe src="${away}/frame"></iframe><form method="post" action="${away}/form"><button>Send</button></form>`;
    const block = `${world.url}/ext/v1/blocks/${items.Link[0].id}/snapshots`;
    const headers = { Authorization: `Bearer ${await world.token("ada")}`, "Content-Type": "text/html" };
    const response = await fetch(`${block}?shared=true`, { method: "POST", headers, body: page });
    const { id } = await response.json();
    const window = await browsers.open({ javaScriptEnabled: true });
    const refused = (what) => window.page.waitForEvent("console", (line) => what.test(line.text()));
    await Promise.all([refused(/http-equiv='refresh'/), window.to(`/block/${items.Link[0].id}/copies/${id}`)]);
    await Promise.all([refused(/form/), window.page.getByRole("button", { name: "Send" }).click()]);
    assert.deepEqual([await window.page.title(), await window.page.locator("p").innerText(), asked], ["Kept", "Words", []]);
    window.wrong.length = 0; // what the browser refused
    await window.context.close();
  });
}, gallerySettings, noBrowser);
