import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { onOneDatabase } from "../rig/world.js";

// Operators invite people from the command line. Invitees follow the links in a browser.
onOneDatabase("invited people in a browser, without JavaScript", (world) => {
  const browsers = withBrowser(world);
  const pathOf = (link) => link.slice(new URL(link).origin.length);

  /** Follows a link in a new window, and signs up there. */
  async function comes(link, slug, fields = {}) {
    const window = await browsers.open();
    await window.to(pathOf(link));
    assert.equal(await window.page.getByLabel("Password", { exact: true }).count(), 1, await window.text());
    const name = slug[0].toUpperCase() + slug.slice(1);
    await window.fill({ Name: name, "Short name in addresses": slug, Password: passwordOf(slug), ...fields });
    await window.press("Sign up");
    return window;
  }

  /** Checks that a link no longer works. */
  async function dead(link) {
    const window = await browsers.open();
    await window.to(pathOf(link));
    assert.match(await window.text(), /already been used|expired/);
    assert.equal(await window.page.getByLabel("Password", { exact: true }).count(), 0);
  }

  test("by a link of their own: in at once, and it works once", async () => {
    const [gus] = JSON.parse(await world.command("user", "invite", "gus@example.org", "--link", "--json"));
    assert.equal(gus.outcome, "invited");
    const window = await comes(gus.link, "gus");
    assert.equal(await window.signedIn(), true);
    await dead(gus.link);
  });

  test("by a file: a row each, and a link given again ends the one before", async () => {
    const file = join(tmpdir(), `vitrine-people-${process.pid}-${Date.now()}.csv`);
    await writeFile(file, "email,name,slug\nhal@example.org,Hal,hal\nida@example.org,Ida,ida\n");
    const [hal, ida] = JSON.parse(await world.command("user", "import", file, "--link", "--json"));
    await rm(file);
    const [again] = JSON.parse(await world.command("user", "invite", "hal@example.org", "--link", "--again", "--json"));
    await dead(hal.link);
    for (const [slug, link] of [["hal", again.link], ["ida", ida.link]]) {
      const window = await comes(link, slug);
      assert.equal(await window.signedIn(), true, slug);
    }
  });

  test("by one link for a class: as many come as there are places", async () => {
    const made = JSON.parse(await world.command("user", "link", "create", "--places", "2", "--vouched", "--note", "Class 4b", "--json"));
    for (const slug of ["jan", "kim"]) {
      const window = await comes(made.link, slug, { "E-mail address": `${slug}@example.org` });
      assert.equal(await window.signedIn(), true, slug);
    }
    await dead(made.link);
    const [listed] = JSON.parse(await world.command("user", "link", "list", "--json"));
    assert.deepEqual([listed.left, listed.came.toSorted()], [0, ["jan", "kim"]]);
  });
}, undefined, noBrowser);
