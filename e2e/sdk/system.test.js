import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, getOpenapiSpec, getOpenapiSpecJson } from "@aredotna/sdk/api";
import { onEachDatabase } from "../rig/world.js";

onEachDatabase("the system", (world) => {
  test("ping", async () => {
    assert.deepEqual(await world.arena().ping(), { status: "ok" });
  });

  test("the description comes as JSON and as YAML", async () => {
    const client = createClient({ baseUrl: world.url });
    const json = await getOpenapiSpecJson({ client });
    assert.match(json.data.openapi, /^3\.1/);
    assert.ok(json.data.paths["/v3/channels/{id}/contents"].get);
    const yaml = await getOpenapiSpec({ client, parseAs: "text" });
    assert.match(yaml.data, /^openapi: ["']?3\.1/m);
  });

  test("me", async () => {
    const account = await world.user("ada");
    const me = await world.arena(await world.token("ada", "read")).me();
    assert.equal(me.id, account.id);
    assert.equal(me.slug, "ada");
    assert.equal(me.email, "ada@example.org");
    assert.equal(me.tier, "supporter");
    assert.deepEqual(Object.keys(me.counts).sort(), ["channels", "followers", "following", "notifications"]);
    assert.equal(me._links.self.href, `${world.url}/v3/users/${me.id}`);
  });

  test("a user, by slug and by id, without the e-mail address", async () => {
    const { id } = await world.user("bea", "free");
    const bySlug = await world.arena().users.get("bea");
    assert.equal(bySlug.id, id);
    assert.equal("email" in bySlug, false);
    assert.deepEqual(await world.arena().users.get(id), bySlug);
  });
});
