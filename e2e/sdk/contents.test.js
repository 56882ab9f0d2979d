import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pagesOf } from "../rig/walk.js";
import { onEachDatabase } from "../rig/world.js";

const many = 60;

onEachDatabase(`contents of ${many} items`, (world) => {
  let arena, channel;
  before(async () => {
    arena = await world.arenaOf("ada");
    channel = await arena.channels.create({ title: "Long", visibility: "public" });
    for (let i = 1; i <= many; i++) {
      await arena.blocks.create({ value: `text ${i}`, title: `${i}`, channel_ids: [channel.id] });
    }
  });

  for (const [per, pages] of [[undefined, 3], [7, 9], [60, 1], [100, 1]]) {
    test(`pages of ${per ?? "the default of 24"}`, async () => {
      const read = await pagesOf(world.arena().channels.paginateContents(channel.slug, per && { per }));
      assert.equal(read.length, pages);
      const titles = read.flatMap((page) => page.data.map((item) => Number(item.title)));
      assert.deepEqual(titles, Array.from({ length: many }, (_, i) => many - i));
      read.forEach(({ meta }, i) => {
        assert.deepEqual(meta, {
          current_page: i + 1,
          per_page: per ?? 24,
          total_count: many,
          total_pages: pages,
          has_more_pages: i + 1 < pages,
          next_page: i + 1 < pages ? i + 2 : null,
          prev_page: i > 0 ? i : null,
        });
      });
    });
  }

  for (const sort of ["position_asc", "created_at_asc", "updated_at_asc"]) {
    test(`sorted by ${sort}`, async () => {
      const read = await pagesOf(arena.channels.paginateContents(channel.id, { per: 25, sort }));
      const titles = read.flatMap((page) => page.data.map((item) => Number(item.title)));
      assert.deepEqual(titles, Array.from({ length: many }, (_, i) => i + 1));
    });
  }

  test("only one person's items", async () => {
    const bea = await world.arenaOf("bea");
    const added = await bea.blocks.create({ value: "hers", channel_ids: [channel.id] });
    const { id } = await bea.me();
    const { data, meta } = await arena.channels.contents(channel.id, { user_id: id });
    assert.deepEqual(data.map((item) => item.id), [added.id]);
    assert.equal(meta.total_count, 1);
    await bea.connections.delete(data[0].connection.id);
  });

  test("a page past the end is empty", async () => {
    const { data, meta } = await arena.channels.contents(channel.id, { page: 99 });
    assert.deepEqual(data, []);
    assert.equal(meta.total_count, many);
    assert.equal(meta.next_page, null);
  });

  test("items carry their connection and no abilities", async () => {
    const { data } = await arena.channels.contents(channel.id, { per: 1 });
    assert.equal(data[0].type, "Text");
    assert.equal(data[0].connection.position, many);
    assert.equal("can" in data[0], false);
  });
});
