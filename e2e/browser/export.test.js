import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { api, inEachMode } from "../rig/flow.js";
import { onSQLite } from "../rig/world.js";
import { unzip } from "../rig/zip.js";

// Users export their data, and read it without a server.
onSQLite("exporting", (world) => {
  const browsers = withBrowser(world);
  let folder;

  before(async () => { folder = await mkdtemp(join(tmpdir(), "vitrine-export-")); });
  after(() => rm(folder, { recursive: true }));

  inEachMode(browsers, (mode, open) => {
    const slug = `eva-${mode.id}`;
    const here = () => join(folder, mode.id);
    let eva, ask, zip;

    before(async () => {
      await world.user(slug, "supporter", passwordOf(slug));
      ask = api(world, await world.token(slug));
      const moss = await ask("POST", "/v3/channels", { title: "Moss & <stones>", visibility: "private" });
      await ask("POST", "/v3/blocks", { value: "It grows **slowly**.", title: "On moss", channel_ids: [moss.id] });
      await ask("POST", "/v3/blocks", { value: "<script>document.title = 'broken'</script>", title: "A script", channel_ids: [moss.id] });
      eva = await open(slug);
    });

    test("an export is made and downloaded", async () => {
      await eva.to("/settings/export");
      await eva.press("Make an export");
      const link = eva.main.locator("a[download]");
      if (mode.scripts) await link.waitFor();
      else while (await link.count() === 0) await eva.to("/settings/export");
      const [download] = await Promise.all([eva.page.waitForEvent("download"), link.click()]);
      zip = await readFile(await download.path());
      const names = await unzip(zip, here());
      for (const name of ["index.html", "manifest.json", "json/channels.jsonl"]) assert.ok(names.includes(name), name);
    });

    test("nobody else gets it", async () => {
      const address = await eva.main.locator("a[download]").getAttribute("href");
      const guest = await open();
      assert.equal((await guest.page.request.get(new URL(address, world.url).href, { maxRedirects: 0 })).status(), 303);
      await guest.window.context.close();
    });

    test("its index opens from a disk, with nothing from elsewhere", async () => {
      const asked = [];
      const context = await eva.page.context().browser().newContext({ ...mode.options });
      const page = await context.newPage();
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (line) => assert.notEqual(line.type(), "error", line.text()));
      page.on("pageerror", (error) => assert.fail(error));
      await page.goto(pathToFileURL(join(here(), "index.html")).href);
      await page.getByRole("link", { name: "Moss & <stones>" }).click();
      await page.getByRole("heading", { name: "Moss & <stones>" }).waitFor();
      await page.getByText("On moss", { exact: true }).first().waitFor();
      await page.getByRole("searchbox").fill("slowly");
      await page.getByRole("searchbox").press("Enter");
      await page.getByRole("link", { name: /On moss/ }).first().click();
      await page.getByRole("heading", { name: "On moss" }).waitFor();
      await page.getByRole("searchbox").fill("script");
      await page.getByRole("searchbox").press("Enter");
      await page.getByRole("link", { name: /A script/ }).first().click();
      await page.getByRole("heading", { name: "A script" }).waitFor();
      assert.notEqual(await page.title(), "broken");
      assert.deepEqual(asked.filter((url) => !url.startsWith("file:")), []);
      await context.close();
    });

    test("it is deleted", async () => {
      await eva.to("/settings/export");
      await eva.press("Delete");
      await eva.main.locator("a[download]").waitFor({ state: "detached" });
    });
  });
}, undefined, noBrowser);
