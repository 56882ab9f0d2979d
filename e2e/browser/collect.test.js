import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { api, inEachMode } from "../rig/flow.js";
import { gallerySettings, openWebsite, picture } from "../rig/gallery.js";
import { onSQLite, processed } from "../rig/world.js";

// Users create channels, add to them and edit them. The tests of a mode depend on each other: each
// uses the results of the previous ones.
onSQLite("collecting", (world) => {
  const browsers = withBrowser(world);
  let site, ask;

  before(async () => {
    site = await openWebsite();
    await world.user("ada", "supporter", passwordOf("ada"));
    ask = api(world, await world.token("ada"));
    for (const name of ["Shelf", "Attic"]) for (const id of ["plain-wide", "plain-narrow", "scripts-wide", "scripts-narrow"]) await ask("POST", "/v3/channels", { title: `${name} ${id}` });
    for (let n = 1; n <= 20; n++) await ask("POST", "/v3/channels", { title: `Drawer ${n}` }); // enough to require a search
  });
  after(() => site?.close());

  const contents = async (slug) => (await ask("GET", `/v3/channels/${slug}/contents?per=100&sort=position_asc`)).data;
  const titles = async (slug) => (await contents(slug)).map((one) => one.title);
  const file = (name, n) => ({ name, mimeType: "image/png", buffer: picture(n, [90, 60]) });

  inEachMode(browsers, (mode, open) => {
    let ada;
    const birds = `birds-${mode.id}`;
    const channel = `/ada/${birds}`;
    const [shelf, attic] = [`Shelf ${mode.id}`, `Attic ${mode.id}`];
    const slug = (title) => title.toLowerCase().replaceAll(" ", "-");
    const cells = () => ada.page.locator("#cells > li");
    const tick = (name) => ada.main.getByRole("checkbox", { name }).first();
    const block = async (title) => (await contents(birds)).find((one) => one.title === title);
    /** Waits until all blocks of the channel are processed. */
    const allProcessed = () => processed(() => contents(birds));
    before(async () => {
      ada = await open("ada");
    });

    test("a channel is made; what is wrong is said, and what was typed stays", async () => {
      await ada.follow("New", ada.page.getByRole("banner"));
      await ada.reads("New channel");
      await ada.fill({ Title: "x".repeat(500), Description: "All that *flies*." });
      await ada.press("Make the channel");
      await ada.main.locator("[aria-invalid=true]").waitFor();
      assert.equal(await ada.main.getByLabel("Description", { exact: true }).inputValue(), "All that *flies*.");
      await ada.fill({ Title: `Birds ${mode.id}` });
      await ada.main.getByRole("radio", { name: /^Closed/ }).check();
      await ada.press("Make the channel");
      await ada.sees("The channel is ready.");
      await ada.arrives(channel);
      await ada.sees("All that flies.");
      await ada.sees("This channel is empty.");
      assert.equal((await ask("GET", `/v3/channels/${birds}`)).visibility, "closed");
    });

    test("nothing is added where nothing was typed", async () => {
      await ada.follow("Add");
      await ada.press("Add");
      await ada.sees("Type or paste something, or choose files");
      await ada.follow("Cancel");
      await ada.arrives(channel);
    });

    test("a text is added", async () => {
      await ada.follow("Add");
      await ada.fill({ "Text or address": "A heron *stands*." });
      await ada.main.getByText("Title and description").click();
      await ada.fill({ Title: "Heron" });
      await ada.press("Add");
      await ada.sees("Added.");
      await ada.arrives(channel);
      await cells().getByText("A heron stands.").waitFor();
      assert.equal(await cells().count(), 1);
    });

    test("an address becomes a link, which is shown when it has been fetched", async () => {
      await ada.follow("Add");
      await ada.fill({ "Text or address": `${site.url}/article/7` });
      await ada.press("Add");
      await ada.sees("Added.");
      if (!mode.scripts) {
        await allProcessed();
        await ada.page.reload();
      }
      await cells().getByText("How a article is made, part 7").filter({ visible: true }).first().waitFor();
    });

    test("files are added, many at once", async () => {
      await ada.follow("Add");
      await ada.here.getByLabel("Files", { exact: true }).setInputFiles([file("crane.png", 1), file("swift.png", 2)]);
      if (!mode.scripts) {
        await ada.press("Add");
        await ada.arrives(channel);
      }
      await ada.misses("Files", ada.page.locator("dialog.sheet[open]"));
      await allProcessed();
      await ada.to(channel);
      assert.equal(await cells().count(), 4);
      assert.equal(await cells().locator("img").count(), 3, "two pictures, and that of the link");
    });

    test("a block is connected to a channel that is found by typing", async () => {
      await cells().filter({ hasText: "A heron stands." }).getByRole("link").first().click();
      await ada.arrives(/^\/block\/\d+/);
      await ada.follow("Connect");
      await ada.reads("Connect Heron");
      assert.equal(await tick(new RegExp(`^${shelf}`)).count(), 0, "it is not among those at hand");
      await ada.fill({ "Find a channel": shelf });
      if (!mode.scripts) await ada.press("Find");
      await tick(new RegExp(`^${shelf}`)).check();
      await ada.press("Connect");
      await ada.sees("The connections have been saved.");
      await ada.sees("In 2 channels");
      assert.deepEqual(await titles(slug(shelf)), ["Heron"]);
    });

    test("and to one that is made on the spot", async () => {
      await ada.follow("Connect");
      await ada.main.getByText("Make a new channel for it").click();
      await ada.fill({ Title: `Nest ${mode.id}` });
      await ada.here.getByLabel("Who may see it").selectOption({ label: "Private" });
      await ada.press("Connect");
      await ada.sees("The connections have been saved.");
      await ada.sees("In 3 channels");
      await ada.main.locator("li.private").getByRole("link", { name: new RegExp(`^Nest ${mode.id}`) }).waitFor();
    });

    test("it leaves a channel by the same form", async () => {
      await ada.follow("Connect");
      await tick(new RegExp(`^${shelf}`)).uncheck();
      await ada.press("Connect");
      await ada.sees("In 2 channels");
      assert.deepEqual(await titles(slug(shelf)), []);
    });

    test("a channel is connected to another", async () => {
      await ada.to(channel);
      await ada.follow("Connect");
      await ada.fill({ "Find a channel": attic });
      if (!mode.scripts) await ada.press("Find");
      await tick(new RegExp(`^${attic}`)).check();
      await ada.press("Connect");
      await ada.sees("The connections have been saved.");
      assert.deepEqual(await titles(slug(attic)), [`Birds ${mode.id}`]);
    });

    test("a text is edited, with a preview before", async () => {
      const { id } = await block("Heron");
      await ada.to(`/block/${id}`);
      await ada.follow("Edit");
      await ada.fill({ Text: "## Two herons\n\nThey stand." });
      await ada.press("Preview");
      await ada.main.getByRole("region", { name: "Preview of the text" }).getByRole("heading", { name: "Two herons" }).waitFor();
      assert.equal(await ada.here.getByLabel("Text", { exact: true }).inputValue(), "## Two herons\n\nThey stand.");
      await ada.main.getByText("Metadata").first().click();
      await ada.fill({ Title: "Two herons", "Name 1": "seen", "Value 1": "in May" });
      await ada.press("Save");
      await ada.sees("The block has been saved.");
      await ada.main.locator(".shown").getByRole("heading", { name: "Two herons" }).waitFor();
      await ada.sees("in May");
    });

    test("a picture gets words for those who do not see it", async () => {
      const { id } = (await contents(birds)).find(({ type }) => type === "Image");
      await ada.to(`/block/${id}`);
      await ada.follow("Edit");
      await ada.fill({ Title: "Crane", "Alternative text": "A crane at the harbour" });
      await ada.press("Save");
      await ada.sees("The block has been saved.");
      await ada.main.getByRole("img", { name: "A crane at the harbour" }).waitFor();
    });

    test("what is in a channel is put in another order", async () => {
      for (const title of ["Gull", "Owl"]) {
        const { id } = await ask("GET", `/v3/channels/${birds}`);
        await ask("POST", "/v3/blocks", { value: `${title} words`, title, channel_ids: [id] });
      }
      await ada.to(channel);
      await ada.follow("Arrange");
      await ada.reads(`Arrange Birds ${mode.id}`);
      await ada.press("To the top");
      await ada.sees("Tick at least one item");
      await tick("Two herons").check();
      await ada.press("To the top");
      await ada.sees("One item was moved.");
      const top = await ada.main.locator(".arranged > li").first().innerText();
      assert.match(top, /Two herons/);
      await ada.fill({ "Place of Owl": "1" });
      await ada.press("Apply the numbers");
      await ada.sees(/moved\.$/);
      await ada.to(channel);
      assert.match(await cells().first().innerText(), /Owl/);
      assert.match(await cells().nth(1).innerText(), /Two herons/);
    });

    test("many are connected to another channel at once", async () => {
      await ada.follow("Arrange");
      await tick("Owl").check();
      await tick("Gull").check();
      if (mode.scripts) {
        await ada.sees("2 chosen");
        await ada.press("Tick all");
        await ada.sees("6 chosen");
        await ada.press("Tick none");
        await tick("Owl").check();
        await tick("Gull").check();
      }
      await ada.here.getByLabel("Another channel").selectOption({ label: "Drawer 20" });
      await ada.press("Connect");
      await ada.sees("2 items were connected.");
      const there = await titles("drawer-20");
      assert.ok(there.includes("Owl") && there.includes("Gull"), `${there}`);
    });

    test("what was removed comes back to its place", async () => {
      const was = await titles(birds);
      await ada.to(`${channel}/arrange`);
      await tick("Two herons").check();
      await tick("Gull").check();
      await ada.press("Remove from the channel");
      await ada.sees("2 items were removed from the channel.");
      assert.equal((await titles(birds)).length, was.length - 2);
      await ada.press("Undo");
      await ada.sees("It is back where it was.");
      assert.deepEqual(await titles(birds), was);
      await ada.misses("2 items were removed from the channel.");
    });

    test("one item: moved, and removed for good", async () => {
      await ada.to(`${channel}/arrange`);
      await ada.follow("More Gull");
      await ada.fill({ Place: "1" });
      await ada.press("Move");
      await ada.sees("Moved.");
      assert.equal((await titles(birds)).at(-1), "Gull");
      await ada.to(`${channel}/arrange`);
      await ada.follow("More Gull");
      await ada.press("Remove from the channel");
      await ada.sees("Removed from the channel.");
      assert.ok(!(await titles(birds)).includes("Gull"));
    });

    test("a block is deleted everywhere", async () => {
      const { id } = await block("Two herons");
      await ada.to(`/block/${id}`);
      await ada.follow("Delete");
      await ada.sees("It stands in 2 channels and will be gone from all of them.");
      await ada.press("Delete the block");
      await ada.sees("The block has been deleted.");
      assert.equal(await ada.to(`/block/${id}`), 404);
    });

    test("a page is saved from anywhere, by a guest who signs in first", async () => {
      const guest = await open();
      const query = new URLSearchParams({ url: `${site.url}/article/9`, title: `Notes ${mode.id}`, text: "Worth it" });
      await guest.to(`/save?${query}`);
      await guest.arrives(/^\/sign-in/);
      await guest.fill({ "E-mail address": "ada@example.org", Password: passwordOf("ada") });
      await guest.press("Sign in");
      await guest.arrives(/^\/save\?/);
      assert.equal(await guest.here.getByLabel("Text or address").inputValue(), `${site.url}/article/9`);
      assert.equal(await guest.here.getByLabel("Title", { exact: true }).first().inputValue(), `Notes ${mode.id}`);
      await guest.press("Save");
      await guest.sees("Choose a channel, or make a new one");
      await guest.fill({ "Find a channel": shelf });
      if (!mode.scripts) await guest.press("Find");
      await guest.main.getByRole("checkbox", { name: new RegExp(`^${shelf}`) }).check();
      await guest.press("Save");
      await guest.sees("Saved.");
      const [saved] = await contents(slug(shelf));
      assert.equal(saved.title, `Notes ${mode.id}`);
      assert.equal(saved.source.url, `${site.url}/article/9`);
      assert.equal(saved.description.plain, "Worth it");
      await guest.window.context.close();
    });

    test("what a phone shares is saved into a new channel", async () => {
      await ada.to(`/save?${new URLSearchParams({ title: "", text: `Look at ${site.url}/article/3` })}`);
      assert.equal(await ada.here.getByLabel("Text or address").inputValue(), `${site.url}/article/3`);
      await ada.main.getByText("Make a new channel for it").click();
      await ada.here.getByLabel("Title", { exact: true }).last().fill(`Found ${mode.id}`);
      await ada.press("Save");
      await ada.sees("Saved.");
      assert.equal((await contents(`found-${mode.id}`)).length, 1);
      await ada.to("/save");
      assert.match(await ada.link("Save here").getAttribute("href"), /^javascript:location\.href=.*\/save\?url=/);
    });

    test("the channel is renamed, and its old address leads to it; then it is deleted", async () => {
      await ada.to(channel);
      await ada.follow("Edit");
      await ada.fill({ Title: `Waders ${mode.id}` });
      await ada.press("Save");
      await ada.sees("The channel has been saved.");
      await ada.reads(`Waders ${mode.id}`);
      await ada.to(channel);
      await ada.arrives(`/ada/waders-${mode.id}`);
      await ada.follow("Edit");
      await ada.follow("Delete this channel…");
      await ada.sees("You can restore it from Trash for 30 days.");
      await ada.press("Delete the channel");
      await ada.sees("The channel has been deleted.");
      assert.equal(await ada.to(`/ada/waders-${mode.id}`), 404);
    });
  });
}, gallerySettings, noBrowser);
