import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as sdk from "@aredotna/sdk";
import { onEachDatabase } from "../rig/world.js";

onEachDatabase("errors", (world) => {
  let arena, reader, stranger, channel, block;
  before(async () => {
    arena = await world.arenaOf("ada");
    reader = world.arena(await world.token("ada", "read"));
    stranger = await world.arenaOf("bea");
    channel = await arena.channels.create({ title: "Closed" });
    block = await arena.blocks.create({ value: "https://example.org/", channel_ids: [channel.id] });
  });

  /** Expects an SDK error of a class with the standard phrase, and returns it. */
  const fails = async (ask, kind, status, phrase) => {
    const error = await ask().then(() => assert.fail("there is no error"), (e) => e);
    assert.equal(error.constructor, kind, String(error));
    assert.equal(error.status, status);
    assert.equal(error.error, phrase);
    assert.equal(error.message, error.details.message);
    assert.equal(error.cause.code, status);
    return error;
  };

  test("404", async () => {
    for (const ask of [
      () => arena.channels.get("nowhere"),
      () => arena.channels.get(99999),
      () => arena.channels.contents("nowhere"),
      () => arena.blocks.get(99999),
      () => arena.connections.get(99999),
      () => arena.users.get("nobody"),
      () => arena.blocks.create({ value: "x", channel_ids: [channel.id, 99999] }),
    ]) {
      await fails(ask, sdk.ArenaNotFoundError, 404, "Not Found");
    }
    assert.equal((await arena.channels.get(channel.id)).counts.contents, 1);
  });

  test("401 without a token, and with one that is not known", async () => {
    for (const arena of [world.arena(), world.arena("nonsense")]) {
      const error = await fails(() => arena.me(), sdk.ArenaAuthError, 401, "Unauthorized");
      assert.match(error.response.headers.get("WWW-Authenticate"), /^Bearer/);
      await fails(() => arena.channels.create({ title: "x" }), sdk.ArenaAuthError, 401, "Unauthorized");
    }
    await fails(() => world.arena("nonsense").ping(), sdk.ArenaAuthError, 401, "Unauthorized");
  });

  test("401 once a token is revoked or its user suspended", async () => {
    const token = await world.token("bea");
    assert.equal((await world.arena(token).me()).slug, "bea");
    const [newest] = JSON.parse(await world.command("token", "list", "--user", "bea", "--json")).sort((a, b) => b.id - a.id);
    await world.command("token", "revoke", String(newest.id));
    await fails(() => world.arena(token).me(), sdk.ArenaAuthError, 401, "Unauthorized");
    const cy = await world.arenaOf("cy");
    await world.command("user", "suspend", "cy");
    await fails(() => cy.me(), sdk.ArenaAuthError, 401, "Unauthorized");
  });

  test("403 with a token that may only read, and for a stranger", async () => {
    for (const arena of [reader, stranger]) {
      await fails(() => arena.channels.update(channel.id, { title: "Mine" }), sdk.ArenaForbiddenError, 403, "Forbidden");
      await fails(() => arena.channels.delete(channel.id), sdk.ArenaForbiddenError, 403, "Forbidden");
      await fails(() => arena.blocks.create({ value: "x", channel_ids: [channel.id] }), sdk.ArenaForbiddenError, 403, "Forbidden");
      await fails(() => arena.blocks.update(block.id, { title: "Mine" }), sdk.ArenaForbiddenError, 403, "Forbidden");
    }
    assert.equal((await arena.channels.get(channel.id)).title, "Closed");
  });

  test("422", async () => {
    const [item] = (await arena.channels.contents(channel.id)).data;
    for (const ask of [
      () => arena.connections.move(item.connection.id, { movement: "insert_at" }),
      () => arena.connections.create({ connectable_id: channel.id, connectable_type: "Channel", channel_ids: [channel.id] }),
      () => arena.blocks.update(block.id, { content: "no text" }),
    ]) {
      await fails(ask, sdk.ArenaApiError, 422, "Unprocessable Entity");
    }
  });

  test("400 names every violation", async () => {
    const error = await fails(
      () => arena.channels.contents(channel.id, { per: 101, page: 0, sort: "sideways" }),
      sdk.ArenaValidationError, 400, "Bad Request");
    const said = JSON.stringify(error.details.errors);
    for (const name of ["per", "page", "sort"]) assert.match(said, new RegExp(`\\b${name}\\b`));
    for (const ask of [
      () => arena.channels.create({ title: "  " }),
      () => arena.channels.create({ title: "x", visibility: "secret" }),
      () => arena.blocks.create({ value: "x" }),
      () => arena.blocks.create({ value: "x", channel_ids: [channel.id], channels: [{ id: channel.id }] }),
      () => arena.blocks.create({ value: "x", channel_ids: Array.from({ length: 21 }, (_, i) => i + 1) }),
      () => arena.connections.move(1, { movement: "insert_at", position: 0 }),
      () => arena.channels.update(channel.id, { metadata: { "no spaces": 1 } }),
    ]) {
      await fails(ask, sdk.ArenaValidationError, 400, "Bad Request");
    }
  });
});
