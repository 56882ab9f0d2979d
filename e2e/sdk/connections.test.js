import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { ArenaNotFoundError } from "@aredotna/sdk";
import { onEachDatabase } from "../rig/world.js";

onEachDatabase("connections", (world) => {
  let arena, channel, titled;
  before(async () => {
    arena = await world.arenaOf("ada");
  });

  /** The titles of the channel's items from the bottom. */
  const order = async () => {
    const { data } = await arena.channels.contents(channel.id, { sort: "position_asc" });
    assert.deepEqual(data.map((item) => item.connection.position), data.map((_, i) => i + 1));
    return data.map((item) => item.title).join("");
  };

  // A channel of four blocks. titled returns the id of a block's connection.
  beforeEach(async () => {
    channel = await arena.channels.create({ title: "Ordered" });
    for (const title of "abcd") await arena.blocks.create({ value: title, title, channel_ids: [channel.id] });
    const { data } = await arena.channels.contents(channel.id);
    titled = Object.fromEntries(data.map((item) => [item.title, item.connection.id]));
  });

  for (const [movement, position, item, want] of [
    ["move_to_top", undefined, "b", "acdb"],
    ["move_to_top", undefined, "d", "abcd"],
    ["move_to_bottom", undefined, "c", "cabd"],
    ["move_to_bottom", undefined, "a", "abcd"],
    ["move_up", undefined, "a", "bacd"],
    ["move_up", undefined, "d", "abcd"],
    ["move_down", undefined, "d", "abdc"],
    ["move_down", undefined, "a", "abcd"],
    ["insert_at", 1, "c", "cabd"],
    ["insert_at", 3, "a", "bcad"],
    ["insert_at", 99, "a", "bcda"],
    [undefined, 2, "d", "adbc"],
  ]) {
    test(`${movement} ${position ?? ""} of ${item}`, async () => {
      const moved = await arena.connections.move(titled[item], { movement, position });
      assert.equal(await order(), want);
      assert.equal(moved.position, want.indexOf(item) + 1);
    });
  }

  test("get, and links that lead on", async () => {
    const connection = await arena.connections.get(titled.c);
    assert.equal(connection.position, 3);
    assert.equal(connection.connected_by.slug, "ada");
    assert.deepEqual(connection.can, { remove: true });
    assert.equal(connection._links.channel.href, `${world.url}/v3/channels/${channel.id}`);
    assert.equal((await world.arena().connections.get(titled.c)).can.remove, false);
  });

  test("create: at a position, in several channels, of a channel, and only once", async () => {
    const other = await arena.channels.create({ title: "Other" });
    const [block] = (await arena.channels.contents(channel.id)).data;
    const item = { connectable_id: block.id, connectable_type: "Block" };
    const { data: made } = await arena.connections.create({ ...item, channels: [{ id: other.slug }, { id: channel.id }] });
    assert.equal(made.length, 2);
    assert.ok(made.some((c) => c.id === titled.d), "the item that is in the channel already keeps its connection");
    const again = await arena.connections.create({ ...item, channel_ids: [other.id] });
    assert.equal(again.data[0].id, made.find((c) => c.id !== titled.d).id);
    await arena.connections.create({ connectable_id: other.id, connectable_type: "Channel", channel_ids: [channel.id], position: 2 });
    assert.equal(await order(), "aOtherbcd");
    const within = await arena.channels.connections(other.id);
    assert.deepEqual(within.data.map((c) => c.id), [channel.id]);
  });

  test("metadata", async () => {
    await arena.connections.update(titled.a, { metadata: { note: "x", n: 1 } });
    const merged = await arena.connections.update(titled.a, { metadata: { note: null, ok: false } });
    assert.deepEqual(merged.metadata, { n: 1, ok: false });
    assert.deepEqual((await arena.connections.get(titled.a)).metadata, { n: 1, ok: false });
  });

  test("delete closes the gap", async () => {
    await arena.connections.delete(titled.b);
    assert.equal(await order(), "acd");
    await assert.rejects(arena.connections.get(titled.b), ArenaNotFoundError);
    assert.equal((await arena.channels.get(channel.id)).counts.blocks, 3);
  });
});
