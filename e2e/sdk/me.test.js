import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ArenaAuthError, ArenaForbiddenError, ArenaNotFoundError } from "@aredotna/sdk";
import { onEachDatabase } from "../rig/world.js";

// The tests depend on each other: each uses the results of the previous ones.
onEachDatabase("me", (world) => {
  let ada, bea, channel, block;
  before(async () => {
    [ada, bea] = [await world.arenaOf("ada"), await world.arenaOf("bea")];
    channel = await bea.channels.create({ title: "Hers", visibility: "public" });
    block = await bea.blocks.create({ value: "first", channel_ids: [channel.id] });
  });
  const unread = async () => (await ada.me()).counts.notifications;

  test("me", async () => {
    const me = await ada.me();
    assert.equal(me.slug, "ada");
    assert.equal(me.email, "ada@example.org");
    assert.deepEqual(me.counts, { channels: 0, followers: 0, following: 0, notifications: 0 });
    await assert.rejects(world.arena().me(), ArenaAuthError);
    await assert.rejects(world.arena().me.feed(), ArenaAuthError);
    await assert.rejects(world.arena().me.notifications(), ArenaAuthError);
  });

  test("feed: nothing, until one follows; and what was before", async () => {
    const empty = await ada.me.feed();
    assert.deepEqual(empty.data, []);
    assert.equal(empty.meta.prev_cursor, null);
    await world.follow("ada", "users/bea");
    await bea.blocks.comment(block.id, { body: "my own" });
    const { data, meta } = await ada.me.feed();
    assert.deepEqual(data.map((a) => a.kind), ["commented_on_block", "added_block_to_channel", "created_channel"]);
    assert.equal(meta.has_more, false);
    const [commented, added, created] = data;
    assert.equal(commented.item.type, "Comment");
    assert.equal(commented.target.id, block.id);
    assert.equal(commented.parent.slug, channel.slug);
    assert.equal(added.actor.slug, "bea");
    assert.equal(added.item.id, block.id);
    assert.equal(added.target.id, channel.id);
    assert.equal(created.item.id, channel.id);
    assert.equal(created.target, null);
  });

  test("following and followers", async () => {
    await world.follow("ada", `channels/${channel.id}`);
    assert.deepEqual((await ada.users.following("ada")).data.map((f) => `${f.type} ${f.slug}`), ["Channel hers", "User bea"]);
    assert.deepEqual((await ada.users.following("ada", { type: "User" })).data.map((f) => f.slug), ["bea"]);
    assert.deepEqual((await world.arena().users.followers("bea")).data.map((u) => u.slug), ["ada"]);
    assert.deepEqual((await world.arena().channels.followers("hers")).data.map((u) => u.slug), ["ada"]);
    assert.equal((await ada.me()).counts.following, 2);
    assert.equal((await world.arena().users.get("bea")).counts.followers, 1);
  });

  test("notifications: read one, and once more", async () => {
    const own = await ada.channels.create({ title: "Own", visibility: "public" });
    for (let i = 1; i <= 3; i++) await bea.blocks.create({ value: `for you ${i}`, channel_ids: [own.id] });
    await world.follow("bea", "users/ada");
    const { data } = await ada.me.notifications();
    assert.deepEqual(data.map((n) => n.kind), ["followed_user", ...Array(3).fill("added_block_to_channel")]);
    assert.ok(data.every((n) => n.type === "Notification" && !n.is_read));
    assert.equal(await unread(), 4);
    for (let again = 0; again < 2; again++) {
      const read = await ada.me.markNotificationRead(data[1].id);
      assert.equal(read.data.id, data[1].id);
      assert.equal(read.data.is_read, true);
      assert.equal(read.meta.notifications, 3);
      assert.equal(await unread(), 3);
    }
    const left = await ada.me.notifications({ unread: true });
    assert.deepEqual(left.data.map((n) => n.id), [data[0], data[2], data[3]].map((n) => n.id));
    await assert.rejects(bea.me.markNotificationRead(data[0].id), ArenaNotFoundError);
    await assert.rejects(ada.me.markNotificationRead(999999), ArenaNotFoundError);
    const reader = world.arena(await world.token("ada", "read"));
    await assert.rejects(reader.me.markNotificationRead(data[0].id), ArenaForbiddenError);
    assert.equal(await unread(), 3);
  });

  test("notifications: read all", async () => {
    for (let again = 0; again < 2; again++) {
      assert.equal((await ada.me.markAllNotificationsRead()).meta.notifications, 0);
    }
    assert.equal(await unread(), 0);
    assert.deepEqual((await ada.me.notifications({ unread: true })).data, []);
    const all = await ada.me.notifications();
    assert.equal(all.data.length, 4);
    assert.ok(all.data.every((n) => n.is_read));
  });

  test("feed: no longer, when one does not follow", async () => {
    await world.unfollow("ada", "users/bea");
    const { data } = await ada.me.feed();
    assert.deepEqual(data.map((a) => a.kind), ["added_block_to_channel", "created_channel"]); // of the channel
    await world.unfollow("ada", "channels/hers");
    await world.unfollow("ada", "channels/hers");
    assert.deepEqual((await ada.me.feed()).data, []);
    assert.equal((await ada.me()).counts.following, 0);
  });
});
