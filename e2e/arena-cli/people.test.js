import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onSQLite } from "../rig/world.js";
import { Terminal } from "./terminal.js";

// The tests depend on each other: each uses the results of the previous ones.
onSQLite("the command-line client, among people", (world) => {
  const terminals = {}; // by name, like their ids
  const id = {};
  let ada, bea, note;
  before(async () => {
    for (const name of ["ada", "bea", "cy"]) {
      id[name] = (await world.user(name)).id;
      terminals[name] = await Terminal.open(world.url);
      await terminals[name].arena(["login", "--token", await world.token(name)]);
    }
    ({ ada, bea } = terminals);
  });
  after(() => Promise.all(Object.values(terminals).map((terminal) => terminal.close())));

  test("a group: make, change, show", async () => {
    const made = await ada.json("group", "create", "Field Club", "--description", "For *all*");
    assert.equal(made.slug, "field-club");
    const changed = await ada.json("group", "update", "field-club", "--name", "Night Club", "--avatar-url", "https://example.org/a.png");
    assert.equal(changed.slug, "night-club");
    assert.equal(changed.description.plain, "For all");
    assert.equal((await bea.json("group", "field-club")).id, made.id);
    const { stdout, code } = await bea.arena(["group", "night-club"]);
    assert.equal(code, 0);
    assert.match(stdout, /Night Club/);
    assert.deepEqual((await ada.json("user", "groups", "ada")).data.map((g) => g.slug), ["night-club"]);
  });

  test("invitations: four outcomes, list, revoke", async () => {
    const invite = (who) => ada.json("group", "invite", "night-club", "--user-id", String(id[who]));
    const invited = await invite("bea");
    assert.equal(invited.outcome, "invited");
    assert.equal((await invite("bea")).outcome, "invitation_pending");
    await world.follow("cy", "users/ada");
    assert.equal((await invite("cy")).outcome, "added");
    assert.equal((await invite("cy")).outcome, "already_member");
    assert.equal((await ada.json("group", "invite", "night-club", "--email", "someone@example.org")).outcome, "invited");
    const { data } = await ada.json("group", "invitations", "night-club", "--per", "10");
    assert.equal(data.length, 2);
    await ada.json("group", "revoke-invitation", "night-club", String(invited.invitation.id), "--yes");
    assert.equal((await ada.json("group", "invitations", "night-club")).data.length, 1);
    assert.deepEqual(await bea.failure(undefined, "group", "invitations", "night-club"), [6, 403, "forbidden"]);
  });

  test("a link to join by; leaving and removing", async () => {
    assert.deepEqual(await ada.failure(undefined, "group", "invite-link", "night-club"), [3, 404, "not_found"]);
    const { code, url } = await ada.json("group", "create-invite-link", "night-club");
    assert.equal(url, `${world.url}/group/night-club/invite/${code}`);
    assert.equal((await ada.json("group", "invite-link", "night-club")).code, code);
    assert.deepEqual(await bea.failure(undefined, "group", "join", "night-club"), [6, 403, "forbidden"]);
    const joined = await bea.json("group", "join", "night-club", "--invite-token", code);
    assert.equal(joined.role, "member");
    const members = async () => (await ada.json("group", "members", "night-club")).data.map((m) => m.slug);
    assert.deepEqual(await members(), ["ada", "bea", "cy"]);
    await ada.json("group", "delete-invite-link", "night-club", "--yes");
    await bea.json("group", "leave", "night-club", "--yes");
    await ada.json("group", "remove-member", "night-club", String(id.cy), "--yes");
    assert.deepEqual(await members(), ["ada"]);
    assert.deepEqual(await ada.failure(undefined, "group", "leave", "night-club", "--yes"), [6, 403, "forbidden"]);
    assert.deepEqual(await bea.failure(undefined, "group", "join", "night-club", "--invite-token", code), [6, 403, "forbidden"]);
  });

  test("comments", async () => {
    await ada.json("channel", "create", "Things", "--visibility", "public");
    note = await ada.json("add", "things", "A thing");
    const made = await bea.json("comment", String(note.id), "Look, @cy");
    assert.equal(made.body.plain, "Look, @cy");
    const again = await bea.json("comment", String(note.id), "And again");
    const { data } = await ada.json("block", "comments", String(note.id), "--sort", "created_at_desc");
    assert.deepEqual(data.map((c) => c.id), [again.id, made.id]);
    assert.deepEqual(await ada.failure(undefined, "comment", "delete", String(again.id), "--yes"), [6, 403, "forbidden"]);
    await bea.json("comment", "delete", String(again.id), "--yes");
    assert.equal((await ada.json("block", String(note.id))).comment_count, 1);
  });

  test("followers and following", async () => {
    await world.follow("bea", "users/ada");
    await world.follow("bea", "channels/things");
    await world.follow("bea", "groups/night-club");
    for (const [kind, of] of [["user", "ada"], ["channel", "things"], ["group", "night-club"]]) {
      const { data } = await ada.json(kind, "followers", of);
      assert.ok(data.some((u) => u.slug === "bea"), kind);
    }
    assert.equal((await ada.json("user", "following", "bea")).data.length, 3);
    assert.deepEqual((await ada.json("user", "following", "bea", "--type", "User")).data.map((u) => u.slug), ["ada"]);
  });

  test("feed, page by page in both directions", async () => {
    const all = (await bea.json("feed", "--limit", "100")).data.map((a) => a.id);
    assert.ok(all.length >= 3);
    const first = await bea.json("feed", "--limit", "2");
    const second = await bea.json("feed", "--limit", "2", "--next", first.meta.next_cursor);
    assert.deepEqual([...first.data, ...second.data].map((a) => a.id), all.slice(0, 4));
    const back = await bea.json("feed", "--limit", "2", "--prev", second.meta.prev_cursor);
    assert.deepEqual(back.data, first.data);
    assert.deepEqual(await bea.failure(undefined, "feed", "--next", "nonsense"), [4, 400, "bad_request"]);
    const { stdout, code } = await bea.arena(["feed"]);
    assert.equal(code, 0);
    assert.match(stdout, /Ada/);
  });

  test("notifications: list, read one, read all", async () => {
    const { data } = await ada.json("notifications", "--unread");
    assert.deepEqual(data.map((n) => n.kind), ["followed_channel", "followed_user", "commented_on_block", "followed_user"]);
    const read = await ada.json("notifications", "read", String(data[0].id));
    assert.equal(read.meta.notifications, 3);
    assert.equal((await ada.json("notifications", "--unread", "--limit", "2")).data[0].id, data[1].id);
    await ada.json("notifications", "read-all", "--yes");
    assert.deepEqual((await ada.json("notifications", "--unread")).data, []);
    assert.equal((await ada.json("whoami")).counts.notifications, 0);
    assert.deepEqual(await bea.failure(undefined, "notifications", "read", String(data[0].id)), [3, 404, "not_found"]);
    const { stdout } = await ada.arena(["notifications"]);
    assert.match(stdout, /Bea/);
  });

  test("delete the group", async () => {
    await ada.json("group", "delete", "night-club", "--yes");
    assert.deepEqual(await bea.failure(undefined, "group", "night-club"), [3, 404, "not_found"]);
  });
});
