import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ArenaForbiddenError, ArenaNotFoundError, ArenaValidationError } from "@aredotna/sdk";
import { pagesOf } from "../rig/walk.js";
import { onEachDatabase } from "../rig/world.js";

// The tests depend on each other: each uses the results of the previous ones.
onEachDatabase("comments", (world) => {
  let ada, bea, cy, channel, block, first;
  before(async () => {
    [ada, bea, cy] = [await world.arenaOf("ada"), await world.arenaOf("bea"), await world.arenaOf("cy")];
    channel = await ada.channels.create({ title: "Things", visibility: "public" });
    block = await ada.blocks.create({ value: "A *thing*", channel_ids: [channel.id] });
  });
  const kinds = async (arena) => (await arena.me.notifications()).data.map((n) => n.kind);

  test("create, with mentions", async () => {
    first = await bea.blocks.comment(block.id, { body: "Look, @cy and @nobody: **bold**" });
    assert.equal(first.type, "Comment");
    assert.equal(first.user.slug, "bea");
    assert.equal(first.body.plain, "Look, @cy and @nobody: bold");
    assert.match(first.body.html, new RegExp(`<a href="${world.url}/cy"[^>]*>@cy</a> and @nobody`));
    assert.deepEqual(await kinds(cy), ["mentioned_you"]);
    assert.deepEqual(await kinds(ada), ["commented_on_block"]);
    assert.deepEqual(await kinds(bea), []);
    const [told] = (await cy.me.notifications()).data;
    assert.equal(told.item.id, first.id);
    assert.equal(told.target.slug, "cy");
    assert.equal(told.parent.id, block.id);
  });

  test("list, oldest first, and count", async () => {
    for (let i = 2; i <= 5; i++) await cy.blocks.comment(block.id, { body: `comment ${i}` });
    const read = await pagesOf(world.arena().blocks.paginateComments(block.id, { per: 2 }));
    assert.deepEqual(read.map((page) => page.data.length), [2, 2, 1]);
    assert.equal(read[0].data[0].id, first.id);
    const newest = await ada.blocks.comments(block.id, { per: 1, sort: "created_at_desc" });
    assert.equal(newest.data[0].body.plain, "comment 5");
    assert.equal(newest.meta.total_count, 5);
    assert.equal((await ada.blocks.get(block.id)).comment_count, 5);
  });

  test("what is none", async () => {
    for (const body of ["", " \n ", "x".repeat(10_001)]) {
      const error = await bea.blocks.comment(block.id, { body }).catch((e) => e);
      assert.equal(error.constructor, ArenaValidationError);
      assert.match(error.details.message, /^body: /);
    }
    await assert.rejects(bea.blocks.comment(999999, { body: "x" }), ArenaNotFoundError);
    assert.equal((await ada.blocks.get(block.id)).comment_count, 5);
  });

  test("delete: one's own, with what was told of it", async () => {
    await assert.rejects(ada.comments.delete(first.id), ArenaForbiddenError);
    await bea.comments.delete(first.id);
    await assert.rejects(bea.comments.delete(first.id), ArenaNotFoundError);
    assert.equal((await ada.blocks.get(block.id)).comment_count, 4);
    assert.equal((await ada.blocks.comments(block.id)).meta.total_count, 4);
    assert.deepEqual(await kinds(cy), []);
    assert.equal((await cy.me()).counts.notifications, 0);
  });

  test("on what a stranger may not see", async () => {
    const secret = await ada.channels.create({ title: "Secret", visibility: "private" });
    const hidden = await ada.blocks.create({ value: "hidden", channel_ids: [secret.id] });
    await ada.blocks.comment(hidden.id, { body: "for @bea" });
    assert.equal((await bea.me()).counts.notifications, 4); // about cy's comments, since bea commented before
    await assert.rejects(bea.blocks.comments(hidden.id), ArenaNotFoundError);
    await assert.rejects(bea.blocks.comment(hidden.id, { body: "x" }), ArenaNotFoundError);
  });
});
