import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ArenaNotFoundError } from "@aredotna/sdk";
import { onEachDatabase } from "../rig/world.js";

onEachDatabase("channels", (world) => {
  let arena;
  before(async () => {
    arena = await world.arenaOf("ada");
  });

  test("create with nothing but a title", async () => {
    const me = await arena.me();
    const channel = await arena.channels.create({ title: "Hello World" });
    assert.equal(channel.type, "Channel");
    assert.equal(channel.slug, "hello-world");
    assert.equal(channel.visibility, "closed");
    assert.equal(channel.state, "available");
    assert.equal(channel.owner.id, me.id);
    assert.equal(channel.description, null);
    assert.equal(channel.counts.contents, 0);
    assert.deepEqual(channel.can, { add_to: true, update: true, destroy: true, manage_collaborators: true });
  });

  test("create with everything", async () => {
    const me = await arena.me();
    const channel = await arena.channels.create({
      title: "Whole",
      visibility: "public",
      description: "Some *words*",
      owner: { id: me.id, type: "User" },
      metadata: { colour: "red", weight: 3, kept: true },
    });
    assert.equal(channel.visibility, "public");
    assert.equal(channel.description.html, "<p>Some <em>words</em></p>");
    assert.equal(channel.description.plain, "Some words");
    assert.deepEqual(channel.metadata, { colour: "red", weight: 3, kept: true });
  });

  test("get by slug and by id", async () => {
    const made = await arena.channels.create({ title: "Found twice" });
    assert.deepEqual(await arena.channels.get(made.slug), made);
    assert.deepEqual(await arena.channels.get(made.id), made);
    const seen = await world.arena().channels.get(made.id);
    assert.equal(seen.can.update, false);
  });

  test("update changes what is given and nothing else; the old address leads on", async () => {
    const made = await arena.channels.create({ title: "Before", description: "Stays", metadata: { a: 1, b: 2 } });
    const changed = await arena.channels.update(made.id, { title: "After", metadata: { b: null, c: "x" } });
    assert.equal(changed.title, "After");
    assert.equal(changed.slug, "after");
    assert.equal(changed.description.markdown, "Stays");
    assert.deepEqual(changed.metadata, { a: 1, c: "x" });
    assert.equal((await arena.channels.get("before")).id, made.id);
    const cleared = await arena.channels.update("after", { description: null });
    assert.equal(cleared.description, null);
    assert.equal(cleared.title, "After");
  });

  test("a private channel is not there for others", async () => {
    const made = await arena.channels.create({ title: "Hidden", visibility: "private" });
    await assert.rejects(world.arena().channels.get(made.id), ArenaNotFoundError);
    await assert.rejects(world.arena().channels.contents(made.slug), ArenaNotFoundError);
    assert.equal((await arena.channels.get(made.slug)).id, made.id);
  });

  test("delete takes the channel away and leaves its blocks", async () => {
    const made = await arena.channels.create({ title: "Short-lived" });
    const block = await arena.blocks.create({ value: "I stay", channel_ids: [made.id] });
    await arena.channels.delete(made.slug);
    await assert.rejects(arena.channels.get(made.id), ArenaNotFoundError);
    assert.equal((await arena.blocks.get(block.id)).visibility, "orphan");
  });
});
