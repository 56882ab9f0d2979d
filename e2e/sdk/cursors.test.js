import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ArenaValidationError, paginateCursor } from "@aredotna/sdk";
import { pagesOf } from "../rig/walk.js";
import { onEachDatabase } from "../rig/world.js";

const many = 23;

onEachDatabase("lists by cursors", (world) => {
  let ada, bea, channel, block;
  before(async () => {
    [ada, bea] = [await world.arenaOf("ada"), await world.arenaOf("bea")];
    await world.follow("ada", "users/bea");
    channel = await ada.channels.create({ title: "Mine", visibility: "public" });
    block = await ada.blocks.create({ value: "mine", channel_ids: [channel.id] });
    await say(many);
  });

  /** Lets bea comment, which adds to ada's feed and notifications. */
  const say = async (times) => {
    for (let i = 0; i < times; i++) await bea.blocks.comment(block.id, { body: `comment ${i}` });
  };
  const ids = (pages) => pages.flatMap((page) => page.data.map((a) => a.id));
  const descending = (list) => assert.deepEqual(list, [...list].sort((a, b) => b - a));

  for (const [name, read, paginate] of [
    ["feed", (query) => ada.me.feed(query), (query) => ada.me.paginateFeed(query)],
    ["notifications", (query) => ada.me.notifications(query), (query) => ada.me.paginateNotifications(query)],
    ["unread notifications", (query) => ada.me.notifications({ ...query, unread: true }),
      (query) => ada.me.paginateNotifications({ ...query, unread: true })],
  ]) {
    test(`${name}: pages to the end`, async () => {
      const all = (await read({ limit: 100 })).data.map((a) => a.id);
      assert.ok(all.length >= many);
      descending(all);
      for (const limit of [1, 5, 24, 100]) {
        const pages = await pagesOf(paginate({ limit }));
        assert.deepEqual(ids(pages), all);
        assert.equal(pages.length, Math.ceil(all.length / limit));
        pages.forEach(({ meta, data }, i) => {
          const last = i + 1 === pages.length;
          assert.equal(meta.limit, limit);
          assert.equal(meta.has_more, !last);
          assert.equal(meta.next_cursor === null, last);
          assert.equal(typeof meta.prev_cursor, "string");
          assert.ok(data.length === limit || last);
        });
      }
    });

    test(`${name}: to the end while new items arrive, then back to the newest`, async () => {
      const before = (await read({ limit: 100 })).data.map((a) => a.id);
      const older = [];
      for await (const page of paginate({ limit: 4 })) {
        older.push(page);
        await say(1);
      }
      assert.deepEqual(ids(older), before, "what arrives moves no page");
      const now = (await read({ limit: 100 })).data.map((a) => a.id);
      assert.equal(now.length, before.length + older.length);

      // From the last page backwards: nothing is skipped or repeated, although entries are added.
      const newer = [];
      for await (const page of paginate({ limit: 4, prev: older.at(-1).meta.prev_cursor })) {
        descending(page.data.map((a) => a.id));
        if (newer.push(page) === 2) await say(3);
      }
      const end = (await read({ limit: 100 })).data.map((a) => a.id);
      assert.equal(end.length, now.length + 3);
      const upwards = [...newer].reverse().flatMap((page) => page.data.map((a) => a.id));
      assert.deepEqual(upwards, end.slice(0, end.indexOf(older.at(-1).data[0].id)));
      assert.deepEqual(newer.at(-1).data, []);
      assert.equal(newer.at(-1).meta.prev_cursor, null);
      assert.equal(newer.at(-1).meta.has_more, false);
    });

    test(`${name}: polling for what is new`, async () => {
      let { prev_cursor: cursor } = (await read({ limit: 3 })).meta;
      for (const times of [0, 2, 0, 5]) {
        await say(times);
        const { data, meta } = await read({ limit: 100, prev: cursor });
        assert.equal(data.length, times);
        cursor = meta.prev_cursor ?? cursor;
      }
    });

    test(`${name}: cursors of others and such as nobody made`, async () => {
      const { next_cursor: next, prev_cursor: prev } = (await read({ limit: 2 })).meta;
      const other = name === "feed" ? (query) => ada.me.notifications(query) : (query) => ada.me.feed(query);
      for (const ask of [
        () => read({ next, prev }),
        () => read({ next: `${next}x` }),
        () => read({ next: "x".repeat(10_000) }),
        () => other({ next }),
        () => other({ prev }),
        () => bea.me.feed({ next }),
        () => bea.me.notifications({ prev }),
      ]) {
        const error = await ask().catch((e) => e);
        assert.equal(error.constructor, ArenaValidationError);
        assert.equal(error.status, 400);
        assert.match(error.details.message, /^(next|prev): /);
      }
    });
  }

  test("the SDK's own helper for cursors", async () => {
    const pages = await pagesOf(paginateCursor(({ query }) => ada.me.feed(query), { query: { limit: 10 } }));
    assert.deepEqual(ids(pages), (await pagesOf(ada.me.paginateFeed({ limit: 100 }))).flatMap((page) => page.data.map((a) => a.id)));
  });
});
