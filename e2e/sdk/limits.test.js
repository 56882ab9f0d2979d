import assert from "node:assert/strict";
import { test } from "node:test";
import { ArenaRateLimitError } from "@aredotna/sdk";
import { onEachDatabase } from "../rig/world.js";

onEachDatabase("limits", (world) => {
  test("the SDK reads limit, tier and window from every answer", async () => {
    const arena = await world.arenaOf("ada", "premium");
    assert.equal(arena.rateLimit, undefined);
    await arena.ping();
    assert.equal(arena.rateLimit.limit, 300);
    assert.equal(arena.rateLimit.tier, "premium");
    assert.equal(arena.rateLimit.window, 60);
    const ahead = arena.rateLimit.reset - Date.now();
    assert.ok(ahead > 0 && ahead <= 61_000, `the window ends in ${ahead} ms`);
  });

  test("over the limit: the SDK's own error, with the time to come back", async () => {
    const arena = await world.arenaOf("bea", "free");
    for (let i = 0; i < 5; i++) await arena.me();
    assert.equal(arena.rateLimit.limit, 5);
    const error = await arena.me().then(() => assert.fail("there is no limit"), (e) => e);
    assert.ok(error instanceof ArenaRateLimitError, String(error));
    assert.equal(error.status, 429);
    assert.ok(error.retryAfter > new Date());
    const wait = Number(error.response.headers.get("Retry-After"));
    assert.ok(wait > 0 && wait <= 60);
    const { error: said } = error.cause;
    assert.equal(said.type, "rate_limit_exceeded");
    assert.equal(said.tier, "free");
    assert.equal(said.limit, 5);
    assert.equal(said.retry_after, wait);
    // Another user is not affected.
    assert.equal((await (await world.arenaOf("cy", "premium")).me()).slug, "cy");
  });
}, { VITRINE_RATE_LIMITS: "guest=30,free=5,premium=300,supporter=600" });
