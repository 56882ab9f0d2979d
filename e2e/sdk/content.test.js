import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { onEachDatabase } from "../rig/world.js";
import { png } from "../rig/image.js";

const settings = { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0", VITRINE_FETCH_ALLOW: "127.0.0.0/8" };

const page = `<!doctype html><title>Plain</title><meta property="og:title" content="On mosses">
<meta property="og:image" content="/moss.png"><meta name="description" content="They grow.">
<article>${"<p>Mosses are small, soft plants that grow where it is damp, and have neither flowers nor seeds.</p>".repeat(8)}</article>`;

onEachDatabase("content", (world) => {
  let arena, channel, web, site;
  before(async () => {
    arena = await world.arenaOf("ada");
    channel = await arena.channels.create({ title: "Finds", visibility: "private" });
    web = createServer((request, response) => {
      const answer = { "/page": ["text/html", page], "/moss.png": ["image/png", png(900, 600)] }[request.url];
      response.writeHead(answer ? 200 : 404, { "Content-Type": answer?.[0] ?? "text/plain" }).end(answer?.[1]);
    });
    await new Promise((listening) => web.listen(0, "127.0.0.1", listening));
    site = `http://127.0.0.1:${web.address().port}`;
  });
  after(() => web.close());

  /** Requests a block until it has its content. */
  async function settled(id) {
    for (;;) {
      const block = await arena.blocks.get(id);
      if (block.state !== "processing") return block;
      await new Promise((later) => setTimeout(later, 50));
    }
  }

  /** Fetches an image of a block without a token. */
  async function bytes(address) {
    const response = await fetch(address);
    assert.equal(response.status, 200, address);
    return { type: response.headers.get("content-type"), body: Buffer.from(await response.arrayBuffer()) };
  }

  test("an uploaded image", async () => {
    const data = png(1000, 500);
    const made = await arena.uploads.createBlock({
      file: { data, filename: "Green hill.png", contentType: "image/png" },
      channels: [{ id: channel.id }],
      block: { alt_text: "A hill" },
    });
    const block = await settled(made.id);
    assert.equal(block.type, "Image");
    assert.equal(block.title, "Green hill.png");
    const { image } = block;
    assert.deepEqual([image.width, image.height, image.aspect_ratio], [1000, 500, 2]);
    assert.deepEqual([image.content_type, image.filename, image.file_size], ["image/png", "Green hill.png", data.length]);
    assert.equal(image.alt_text, "A hill");
    assert.ok(image.blurhash);
    assert.deepEqual((await bytes(image.src)).body, Buffer.from(data));
    for (const name of ["small", "medium", "large", "square"]) {
      assert.match((await bytes(image[name].src)).type, /^image\//);
      assert.match((await bytes(image[name].src_2x)).type, /^image\//);
    }
    assert.deepEqual([image.small.width, image.small.height], [400, 200]);
    assert.deepEqual([image.square.width, image.square.height], [400, 400]);
  });

  test("uploaded files", async () => {
    const files = ["one", "two"].map((text) => ({ data: Buffer.from(`${text},1\n`), filename: `${text}.csv`, contentType: "text/csv" }));
    const uploaded = await arena.uploads.uploadMany(files);
    for (const [i, { url }] of uploaded.entries()) {
      const made = await arena.blocks.create({ value: url, channel_ids: [channel.id] });
      const block = await settled(made.id);
      assert.equal(block.type, "Attachment");
      const { attachment } = block;
      assert.deepEqual([attachment.filename, attachment.file_extension, attachment.file_size], [files[i].filename, "csv", 6]);
      assert.deepEqual((await bytes(attachment.url)).body, files[i].data);
    }
  });

  test("a web page, and what is not there", async () => {
    const made = await arena.blocks.create({ value: `${site}/page`, channel_ids: [channel.id] });
    assert.equal(made.type, "PendingBlock");
    const block = await settled(made.id);
    assert.equal(block.type, "Link");
    assert.equal(block.title, "On mosses");
    assert.equal(block.description.plain, "They grow.");
    assert.match(block.content.plain, /Mosses are small, soft plants/);
    assert.deepEqual([block.image.width, block.image.height], [900, 600]);
    assert.equal(block.source.url, `${site}/page`);
    const gone = await arena.blocks.create({ value: `${site}/gone`, channel_ids: [channel.id] });
    const failed = await settled(gone.id);
    assert.deepEqual([failed.type, failed.state, failed.source.url], ["Link", "failed", `${site}/gone`]);
  });

  test("a batch, in order", async () => {
    const target = await arena.channels.create({ title: "Batch", visibility: "private" });
    const blocks = ["one", `${site}/moss.png`, "three"].map((value) => ({ value }));
    const { batch_id, total } = await arena.blocks.batchCreate({ channel_ids: [target.id], blocks });
    assert.equal(total, 3);
    let status;
    do {
      status = await arena.blocks.batchStatus(batch_id);
    } while (status.status === "pending" || status.status === "processing");
    assert.deepEqual([status.status, status.successful_count, status.failed_count], ["completed", 3, 0]);
    assert.deepEqual(status.successful.map((s) => s.index), [0, 1, 2]);
    const { data } = await arena.channels.contents(target.id, { sort: "position_asc" });
    assert.deepEqual(data.map((b) => b.id), status.successful.map((s) => s.block_id));
    assert.equal((await settled(data[1].id)).type, "Image");
  });
}, settings);
