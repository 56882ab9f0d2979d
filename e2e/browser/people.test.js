import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { api, inEachMode } from "../rig/flow.js";
import { png } from "../rig/image.js";
import { onSQLite } from "../rig/world.js";

// Users interact. The tests of a mode depend on each other: each uses the results of the previous
// ones.
onSQLite("people", (world) => {
  const browsers = withBrowser(world);

  inEachMode(browsers, (mode, open) => {
    const slugs = { hal: `hal-${mode.id}`, fay: `fay-${mode.id}`, gus: `gus-${mode.id}` };
    const names = { hal: `Hal-${mode.id}`, fay: `Fay-${mode.id}`, gus: `Gus-${mode.id}` };
    let hal, fay, gus, ask, channel, block;

    before(async () => {
      for (const slug of Object.values(slugs)) await world.user(slug, "supporter", passwordOf(slug));
      ask = api(world, await world.token(slugs.hal));
      channel = await ask("POST", "/v3/channels", { title: `Letters ${mode.id}`, visibility: "closed" });
      [hal, fay, gus] = [await open(slugs.hal), await open(slugs.fay), await open(slugs.gus)];
    });
    const place = () => `/${slugs.hal}/${channel.slug}`;

    test("a guest who follows signs in first, and is led back", async () => {
      const guest = await open();
      await guest.to(`/${slugs.hal}`);
      await guest.press("Follow");
      await guest.arrives(/^\/sign-in\?next=/);
      await guest.fill({ "E-mail address": `${slugs.gus}@example.org`, Password: passwordOf(slugs.gus) });
      await guest.press("Sign in");
      await guest.arrives(`/${slugs.hal}`);
      await guest.window.context.close();
    });

    test("somebody is followed, and no longer, and again", async () => {
      await fay.to(`/${slugs.hal}`);
      await fay.press("Follow");
      await fay.button("Following · stop following").waitFor();
      await fay.press("Following · stop following");
      await fay.button("Follow").waitFor();
      await fay.press("Follow");
      await fay.button("Following · stop following").waitFor();
      await fay.to(place());
      await fay.press("Follow");
      await fay.button("Following · stop following").waitFor();
      const followers = await ask("GET", `/v3/users/${slugs.hal}/followers`);
      assert.deepEqual(followers.data.map(({ slug }) => slug), [slugs.fay]);
    });

    test("a picture is sent, shown, and taken away", async () => {
      await hal.to("/settings/profile");
      await hal.page.getByLabel("Image file", { exact: true }).setInputFiles({ name: "hal.png", mimeType: "image/png", buffer: png(300, 200) });
      await hal.press("Save");
      const shown = hal.page.getByRole("img", { name: "The picture that is shown now", exact: true });
      do await hal.to("/settings/profile"); while (await shown.count() === 0); // a job creates it
      const { naturalWidth, naturalHeight } = await shown.evaluate(async (image) => {
        await image.decode();
        return { naturalWidth: image.naturalWidth, naturalHeight: image.naturalHeight };
      });
      assert.ok(naturalWidth > 0 && naturalWidth === naturalHeight, `${naturalWidth} × ${naturalHeight}`);
      await hal.page.getByLabel("Show no picture", { exact: true }).check();
      await hal.press("Save");
      await hal.to("/settings/profile");
      assert.equal(await shown.count(), 0);
    });

    test("what those do who are followed stands in the feed", async () => {
      block = await ask("POST", "/v3/blocks", { value: "A letter from the harbour.", title: "First letter", channel_ids: [channel.id] });
      await fay.follow("Feed", fay.page.getByRole("banner"));
      await fay.arrives("/feed");
      await fay.main.locator("#activities > li", { hasText: `${names.hal} added First letter to Letters ${mode.id}` }).waitFor();
      await fay.main.locator("#activities").getByRole("link", { name: /First letter/ }).first().waitFor();
      await gus.to("/feed");
      await gus.sees("Nothing yet.");
    });

    test("a comment is written, changed and deleted", async () => {
      await fay.to(`/block/${block.id}`);
      await fay.fill({ "Your comment": `Dear @${slugs.hal}, *what* a letter.` });
      await fay.press("Comment");
      await fay.main.getByRole("heading", { name: "1 comment" }).waitFor();
      await fay.sees("what a letter.");
      assert.equal(await fay.field("Your comment").inputValue(), "");
      await fay.follow(/^Edit · /, fay.main.locator("#comments"));
      await fay.reads("Edit your comment");
      await fay.fill({ "Your comment": "A letter like no other." });
      await fay.press("Save");
      await fay.sees("The comment has been saved.");
      await fay.sees("A letter like no other.");
      await fay.fill({ "Your comment": "And one more." });
      await fay.press("Comment");
      await fay.main.getByRole("heading", { name: "2 comments" }).waitFor();
      await fay.follow(/^Edit · /, fay.main.locator("#comments li").filter({ hasText: "And one more." }));
      await fay.main.getByText("Delete the comment", { exact: true }).click();
      await fay.press("Delete it");
      await fay.sees("The comment has been deleted.");
      await fay.main.getByRole("heading", { name: "1 comment" }).waitFor();
      await gus.to(`/block/${block.id}`);
      await gus.sees("A letter like no other.");
      assert.equal(await gus.link(/^Edit/, gus.main.locator("#comments")).count(), 0, "it is another's");
    });

    test("a comment on what has gone meanwhile says so, and what was typed stays", async () => {
      const { id } = await ask("POST", "/v3/blocks", { value: "Not for long.", channel_ids: [channel.id] });
      await fay.to(`/block/${id}`);
      await ask("DELETE", `/v3/blocks/${id}`);
      await fay.fill({ "Your comment": "Too late?" });
      await fay.press("Comment");
      await fay.sees(/There is nothing at this address|no longer here/i);
      if (mode.scripts) assert.equal(await fay.field("Your comment").inputValue(), "Too late?");
    });

    test("notifications: how many, which, one read, all read", async () => {
      await hal.to("/notifications");
      await hal.page.getByRole("banner").getByRole("link", { name: /^Notifications \d+ unread$/ }).waitFor();
      const unread = hal.page.locator("#activities > li.unread");
      const count = await unread.count();
      assert.ok(count >= 3, `${count} unread`);
      await hal.sees(`${names.fay} follows you`);
      const id = await unread.first().getAttribute("id");
      await hal.press("Mark as read", unread.first());
      await hal.page.locator(`#${id}:not(.unread)`).waitFor();
      await hal.follow("Unread", hal.page.getByRole("navigation", { name: "Which notifications" }));
      await hal.arrives("/notifications?filter=unread");
      await hal.page.locator(`#${id}`).waitFor({ state: "detached" });
      assert.equal(await unread.count(), count - 1);
      await hal.press("Mark all as read");
      await hal.sees("All notifications are marked as read.");
      await hal.sees("You have read everything.");
    });

    test("eight entries of the feed or of notifications fit on a screen", async () => {
      for (const [window, path] of [[fay, "/feed"], [hal, "/notifications"]]) {
        const before = window.page.viewportSize();
        await window.page.setViewportSize({ width: 1440, height: 900 });
        await window.to(path);
        const [top, highest] = await window.page.locator("#activities > li").evaluateAll((all) => [all[0].offsetTop, Math.max(...all.map((entry) => entry.offsetHeight))]);
        assert.ok(top + 8 * highest <= 900, `${path}: the list begins at ${top}, and an entry is up to ${highest} high`);
        await window.page.setViewportSize(before);
      }
    });

    test("a group is made, and others come into it and go", async () => {
      await hal.to("/groups");
      await hal.sees("You belong to no group yet.");
      await hal.follow("New group");
      await hal.fill({ Name: `Club ${mode.id}`, Description: "For *letters*." });
      await hal.press("Make the group");
      await hal.sees("The group is made.");
      const group = `/group/club-${mode.id}`;
      await hal.to(`${group}/members`);
      await hal.fill({ Whom: "no such person" });
      await hal.press("Invite");
      await hal.main.locator("[aria-invalid=true]").waitFor();
      assert.equal(await hal.field("Whom").inputValue(), "no such person");
      await hal.fill({ Whom: slugs.fay });
      await hal.press("Invite");
      await hal.sees("They follow you, and so are a member at once.");
      await hal.fill({ Whom: "dot@example.org" });
      await hal.press("Invite");
      await hal.press("Revoke dot@example.org");
      await hal.sees("The invitation has been taken back.");
      await hal.press("Make a link");
      await hal.sees("The link is made.");
      await gus.to(await hal.main.locator("#invite-link").innerText());
      await gus.press("Join");
      await gus.sees("You are now a member.");
      await hal.to(`${group}/members`);
      await hal.press(`Remove ${names.gus}`);
      await hal.sees("The member has been removed.");
      await fay.to(`${group}/members`);
      await fay.press("Leave the group");
      await fay.sees("You have left the group.");
      await hal.to(`${group}/members`);
      assert.equal(await hal.main.locator(".rows").first().getByRole("listitem").count(), 1);
      await hal.to(`${group}/edit`);
      await hal.fill({ Name: `Club of ${mode.id}` });
      await hal.press("Save");
      await hal.sees("The group has been saved.");
    });

    test("another works on a channel, and no longer", async () => {
      await fay.to(place());
      assert.equal(await fay.link("Add").count(), 0);
      await hal.to(place());
      await hal.follow("Collaborators");
      await hal.fill({ "Add somebody": slugs.fay });
      await hal.press("Add");
      await hal.sees("They collaborate now.");
      await fay.to(place());
      await fay.follow("Add");
      await fay.fill({ "Text or address": "My answer." });
      await fay.press("Add");
      await fay.sees("Added.");
      await hal.to(`${place()}/collaborators`);
      await hal.press(`Remove ${names.fay}`);
      await hal.sees("They no longer collaborate.");
      await fay.to(place());
      assert.equal(await fay.link("Add").count(), 0);
    });

    test("private feeds, and new addresses for them", async () => {
      await fay.to("/settings/feeds");
      const address = () => fay.main.locator("code.secret").first().innerText();
      const was = await address();
      assert.equal((await fetch(was)).status, 200);
      await fay.press("Make new addresses");
      await fay.sees("Your private feeds have new addresses.");
      assert.equal((await fetch(was)).status, 404);
      assert.equal((await fetch(await address())).status, 200);
    });
  });
}, undefined, noBrowser);
