import assert from "node:assert/strict";
import { before, test } from "node:test";
import { onEachDatabase } from "../rig/world.js";

onEachDatabase("blocks", (world) => {
  let arena, channel, second;
  before(async () => {
    arena = await world.arenaOf("ada");
    channel = await arena.channels.create({ title: "First", visibility: "public" });
    second = await arena.channels.create({ title: "Second", visibility: "private" });
  });

  test("text", async () => {
    const made = await arena.blocks.create({
      value: "See [this](https://example.org/a), *please*",
      title: "A note",
      description: "On **things**",
      original_source_url: "https://example.org/source",
      original_source_title: "The source",
      metadata: { page: 12 },
      channel_ids: [channel.id, second.slug],
    });
    assert.equal(made.type, "Text");
    assert.equal(made.state, "available");
    assert.equal(made.visibility, "public");
    assert.equal(made.title, "A note");
    assert.equal(made.content.plain, "See this (https://example.org/a), please");
    assert.match(made.content.html, /<a href="https:\/\/example\.org\/a"[^>]*rel="nofollow noopener"/);
    assert.equal(made.source.url, "https://example.org/source");
    assert.equal(made.source.title, "The source");
    assert.deepEqual(made.metadata, { page: 12 });
    assert.deepEqual(await arena.blocks.get(made.id), made);
    const { data } = await arena.blocks.connections(made.id);
    assert.deepEqual(data.map((c) => c.id).sort(), [channel.id, second.id].sort());
    assert.deepEqual((await world.arena().blocks.connections(made.id)).data.map((c) => c.id), [channel.id]);
  });

  test("an address is kept as the source", async () => {
    const url = "https://www.example.org/page?q=1";
    const made = await arena.blocks.create({ value: ` ${url}\n`, channel_ids: [channel.id] });
    assert.ok(["Link", "PendingBlock"].includes(made.type), made.type);
    const { source } = await arena.blocks.get(made.id);
    assert.equal(source.url, url);
    assert.deepEqual(source.provider, { name: "example.org", url: "https://www.example.org" });
  });

  test("each channel takes the block at its own position, with metadata", async () => {
    const target = await arena.channels.create({ title: "Positions" });
    for (const value of ["one", "two"]) await arena.blocks.create({ value, channel_ids: [target.id] });
    await arena.blocks.create({ value: "between", channels: [{ id: target.slug, position: 2, metadata: { a: 1 } }] });
    await arena.blocks.create({ value: "bottom", channel_ids: [target.id], insert_at: 1 });
    const { data } = await arena.channels.contents(target.id, { sort: "position_asc" });
    assert.deepEqual(data.map((b) => b.content.plain), ["bottom", "one", "between", "two"]);
    assert.deepEqual(data.map((b) => b.connection.position), [1, 2, 3, 4]);
    assert.deepEqual(data[2].connection.metadata, { a: 1 });
  });

  test("update", async () => {
    const made = await arena.blocks.create({ value: "old", title: "T", description: "D", channel_ids: [channel.id] });
    const changed = await arena.blocks.update(made.id, { content: "new _words_", metadata: { k: "v" } });
    assert.equal(changed.content.html, "<p>new <em>words</em></p>");
    assert.equal(changed.title, "T");
    assert.deepEqual(changed.metadata, { k: "v" });
    const cleared = await arena.blocks.update(made.id, { title: "", description: "" });
    assert.equal(cleared.title, null);
    assert.equal(cleared.description, null);
    assert.equal(cleared.content.markdown, "new _words_");
    assert.deepEqual(await arena.blocks.get(made.id), cleared);
  });
});
