import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createClient, getBlock, getChannel, getChannelContents, getConnection, getUser } from "@aredotna/sdk/api";
import { onEachDatabase } from "../rig/world.js";

onEachDatabase("revalidation", (world) => {
  let arena, client, channel, block, connection;
  before(async () => {
    arena = await world.arenaOf("ada");
    client = createClient({ baseUrl: world.url, token: await world.token("ada") });
    channel = await arena.channels.create({ title: "Cached", visibility: "public" });
    block = await arena.blocks.create({ value: "text", channel_ids: [channel.id] });
    [{ connection }] = (await arena.channels.contents(channel.id)).data;
  });

  // Each read, and a change that must be visible in it.
  for (const [what, read, change] of [
    ["a channel", (o) => getChannel({ ...o, path: { id: channel.slug } }), () => arena.channels.update(channel.id, { description: "new" })],
    ["a block", (o) => getBlock({ ...o, path: { id: block.id } }), () => arena.blocks.update(block.id, { title: "new" })],
    ["a connection", (o) => getConnection({ ...o, path: { id: connection.id } }), () => arena.connections.update(connection.id, { metadata: { a: 1 } })],
    ["contents", (o) => getChannelContents({ ...o, path: { id: channel.id } }), () => arena.blocks.update(block.id, { title: "newer" })],
    ["a user", (o) => getUser({ ...o, path: { id: "ada" } }), () => arena.channels.create({ title: "One more" })],
  ]) {
    test(what, async () => {
      const first = await read({ client });
      const etag = first.response.headers.get("ETag");
      assert.match(etag, /^(W\/)?"[^"]+"$/);
      assert.equal(first.response.headers.get("Cache-Control"), "private, no-cache");
      const again = await read({ client, headers: { "If-None-Match": `"other", ${etag}` } });
      assert.equal(again.response.status, 304);
      assert.equal(again.response.headers.get("ETag"), etag);
      await change();
      const changed = await read({ client, headers: { "If-None-Match": etag } });
      assert.equal(changed.response.status, 200);
      assert.notEqual(changed.response.headers.get("ETag"), etag);
      assert.notDeepEqual(changed.data, first.data);
    });
  }

  test("a guest's answer is public and another than the owner's", async () => {
    const guest = createClient({ baseUrl: world.url });
    const path = { id: channel.slug };
    const own = await getChannel({ client, path });
    const seen = await getChannel({ client: guest, path, headers: { "If-None-Match": own.response.headers.get("ETag") } });
    assert.equal(seen.response.status, 200);
    assert.equal(seen.response.headers.get("Cache-Control"), "max-age=300, public");
    assert.equal(seen.data.can.update, false);
  });
});
