import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { databases } from "../rig/databases.js";
import { onSQLite, World } from "../rig/world.js";

const unlimited = { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0" };

// From one server into another, on its website.
onSQLite("imports", (world) => {
  const there = new World(databases[0], unlimited);
  const browsers = withBrowser(world);
  let token;
  before(async () => {
    await there.start();
    const bob = await there.arenaOf("bob");
    token = await there.token("bob", "read");
    for (const title of ["Moss", "Stones"]) {
      const channel = await bob.channels.create({ title, visibility: "private" });
      for (const value of ["one", "two"]) await bob.blocks.create({ value: `${title} ${value}`, channel_ids: [channel.id] });
    }
    await world.user("ada", "supporter", passwordOf("ada"));
  });
  after(() => there.stop());

  /** Waits until a page shows a text, either by its own polling or by reloading. */
  const until = async (window, words, scripts) => {
    for (let tries = 0; tries < 100 && !words.test(await window.text()); tries++) {
      if (scripts) await window.page.waitForTimeout(200);
      else await window.page.reload();
    }
    assert.match(await window.text(), words);
  };

  for (const javaScriptEnabled of [false, true]) {
    test(`channels are found, chosen and brought in, ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
      const ada = await browsers.open({ javaScriptEnabled });
      await ada.signIn("ada");
      await ada.to("/settings/import");
      await ada.fill({ "Address of its API": "file:///etc/passwd", "Your token there": token });
      await ada.press("Find channels");
      assert.match(await ada.text(), /Must be the address of a server/);
      await ada.fill({ "Address of its API": there.url, "Your token there": token });
      await ada.press("Find channels");
      await until(ada, /2 channels were found/, javaScriptEnabled);
      assert.equal((await ada.page.content()).includes(token), false);
      await ada.page.getByLabel("Stones").uncheck();
      await ada.press("Import these channels");
      await until(ada, /Earlier|All imports/, javaScriptEnabled);
      const text = await ada.text();
      assert.match(text, javaScriptEnabled ? /no new blocks/ : /2 new blocks/);
      assert.match(text, /Not chosen/);
      await ada.follow("All imports");
      assert.match(await ada.text(), /Earlier imports/);
      await ada.to("/ada");
      assert.match(await ada.text(), /Moss/);
      assert.doesNotMatch(await ada.text(), /Stones/);
      await ada.context.close();
    });
  }

  test("a file of bookmarks", async () => {
    const ada = await browsers.open();
    await ada.signIn("ada");
    await ada.to("/settings/import");
    const file = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF=\"https://example.org/\">A page</A><DT><A HREF=\"ftp://example.org/\">A file</A></DL>";
    await ada.page.getByLabel("File", { exact: true }).setInputFiles({ name: "marks.html", mimeType: "text/html", buffer: Buffer.from(file) });
    await ada.press("Import the file");
    await until(ada, /All imports/, false);
    assert.match(await ada.text(), /Imported 1 link into 1 new channel\. 1 skipped: line 2: ftp: is not a web address\./);
    assert.match(await ada.text(), /Skipped\s+These items could not be imported/);
  });
}, { ...unlimited, VITRINE_FETCH_ALLOW: "127.0.0.0/8" }, noBrowser);
