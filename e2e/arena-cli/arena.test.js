import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onSQLite } from "../rig/world.js";
import { Terminal } from "./terminal.js";

// The tests depend on each other: each uses the results of the previous ones.
onSQLite("the command-line client", (world) => {
  let terminal, channel, note;
  before(async () => {
    await world.user("ada");
    terminal = await Terminal.open(world.url);
  });
  after(() => terminal.close());

  test("log in with a personal access token", async () => {
    const { stdout, code } = await terminal.arena(["login", "--token", await world.token("ada")]);
    assert.equal(code, 0);
    assert.match(stdout, /Authenticated as Ada/);
    const me = await terminal.json("whoami");
    assert.equal(me.slug, "ada");
    assert.equal(me.api_base, world.url);
  });

  test("ping and user", async () => {
    assert.equal((await terminal.json("ping")).status, "ok");
    assert.equal((await terminal.json("user", "ada")).name, "Ada");
  });

  test("make and change a channel", async () => {
    channel = await terminal.json("channel", "create", "My Research", "--visibility", "public", "--description", "All of it");
    assert.equal(channel.slug, "my-research");
    assert.equal(channel.description.plain, "All of it");
    const changed = await terminal.json("channel", "update", "my-research", "--title", "Our Research");
    assert.equal(changed.slug, "our-research");
    assert.equal((await terminal.json("channel", "my-research")).id, channel.id);
  });

  test("add text, piped text and an address", async () => {
    note = await terminal.json("add", "our-research", "Hello *world*", "--title", "Greeting", "--description", "A note");
    assert.equal(note.content.plain, "Hello world");
    const piped = await terminal.piped("from a\npipe", "add", "our-research");
    assert.equal(piped.content.markdown, "from a\npipe");
    await terminal.json("add", "our-research", "https://example.org/page", "--insert-at", "1");
    const { data } = await terminal.json("channel", "contents", "our-research", "--sort", "position_asc");
    assert.deepEqual(data.map((item) => item.source?.url ?? item.content.markdown),
      ["https://example.org/page", "Hello *world*", "from a\npipe"]);
    const page = await terminal.json("channel", "contents", "our-research", "--per", "2", "--page", "2");
    assert.equal(page.data.length, 1);
  });

  test("show them to a person", async () => {
    const { stdout, code } = await terminal.arena(["channel", "our-research"]);
    assert.equal(code, 0);
    for (const part of ["Our Research", "3 blocks", "Greeting", "https://example.org/page"]) {
      assert.ok(stdout.includes(part), stdout);
    }
    assert.match((await terminal.arena(["block", String(note.id)])).stdout, /Hello world/);
  });

  test("change a block", async () => {
    const changed = await terminal.json("block", "update", String(note.id), "--content", "Good *evening*");
    assert.equal(changed.content.plain, "Good evening");
    assert.equal((await terminal.json("block", String(note.id))).title, "Greeting");
  });

  test("connect, move and disconnect", async () => {
    await terminal.json("channel", "create", "Elsewhere");
    const { data: [made] } = await terminal.json("connect", String(note.id), "elsewhere");
    const within = await terminal.json("block", "connections", String(note.id));
    assert.deepEqual(within.data.map((c) => c.slug), ["elsewhere", "our-research"]);
    const { data: [nested] } = await terminal.json("connect", String(channel.id), "elsewhere", "--type", "Channel", "--position", "1");
    assert.equal(nested.position, 1);
    assert.equal((await terminal.json("connection", "move", String(nested.id), "--movement", "move_to_top")).position, 2);
    assert.equal((await terminal.json("connection", String(made.id))).position, 1);
    const found = await terminal.json("channel", "connections", "our-research");
    assert.deepEqual(found.data.map((c) => c.slug), ["elsewhere"]);
    await terminal.json("connection", "delete", String(made.id), "--yes");
    assert.deepEqual(await terminal.failure(undefined, "connection", String(made.id)), [3, 404, "not_found"]);
  });

  test("errors end it with the codes that scripts know", async () => {
    const read = await world.token("ada", "read");
    assert.deepEqual(await terminal.failure("nonsense", "whoami"), [2, 401, "unauthorized"]);
    assert.deepEqual(await terminal.failure(read, "channel", "create", "Mine"), [6, 403, "forbidden"]);
    assert.deepEqual(await terminal.failure(undefined, "channel", "nowhere"), [3, 404, "not_found"]);
    assert.deepEqual(await terminal.failure(undefined, "channel", "contents", "our-research", "--per", "101"), [4, 400, "bad_request"]);
    assert.deepEqual(await terminal.failure(undefined, "connect", String(channel.id), "our-research", "--type", "Channel"),
      [4, 422, "validation_error"]);
  });

  test("delete a channel", async () => {
    await terminal.json("channel", "delete", "elsewhere", "--yes");
    assert.deepEqual(await terminal.failure(undefined, "channel", "elsewhere"), [3, 404, "not_found"]);
    assert.deepEqual((await terminal.json("channel", "connections", "our-research")).data, []);
  });
});
