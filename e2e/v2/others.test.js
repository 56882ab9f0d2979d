import assert from "node:assert/strict";
import { before, test } from "node:test";
import { onEachDatabase } from "../rig/world.js";
import * as promised from "./promised.js";

// Requests of libraries and sites that are not installed here, and the fields that they read.
onEachDatabase("other clients of version 2", (world) => {
  const id = {};
  const tokens = {};
  let notes, moss, stone;

  /** Sends a request like a program, and returns the status, the body and the headers. */
  async function ask(method, path, { token, headers, json, form } = {}) {
    const sent = new Headers(headers);
    if (token) sent.set("Authorization", `Bearer ${token}`);
    if (json) sent.set("Content-Type", "application/json");
    const body = form ? new URLSearchParams(form) : json && JSON.stringify(json);
    const answer = await fetch(`${world.url}/v2/${path}`, { method, headers: sent, body, redirect: "manual" });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
  }
  /** The ids of a channel's items, from the first position. */
  const order = async (slug) => (await ask("GET", `channels/${slug}/contents?per=100`)).body.contents.map((c) => c.id);

  before(async () => {
    for (const slug of ["ada", "bea", "cy"]) {
      id[slug] = (await world.user(slug)).id;
      tokens[slug] = await world.token(slug);
    }
    notes = (await ask("POST", "channels", { token: tokens.ada, json: { title: "Field notes", status: "closed" } })).body;
    const make = async (content) => (await ask("POST", "channels/field-notes/blocks", { token: tokens.ada, json: { content } })).body;
    [moss, stone] = [await make("Moss"), await make("Stone")];
  });

  test("arena-rb: parameters of a write in the address, nothing but 200 is success", async () => {
    const token = tokens.ada;
    const made = await ask("POST", `channels?${new URLSearchParams({ title: "Écoute & regarde", status: "private" })}`, { token });
    assert.equal(made.status, 200);
    promised.listed(made.body);
    assert.deepEqual([made.body.title, made.body.status], ["Écoute & regarde", "private"]);
    const block = await ask("POST", `channels/${made.body.id}/blocks?content=Two+words&title=T`, { token });
    assert.equal(block.status, 200);
    promised.item(block.body);
    assert.deepEqual([block.body.content, block.body.title], ["Two words", "T"]);
    const selected = () => ask("GET", `channels/${made.body.id}/contents`, { token }).then(({ body }) => body.contents[0].selected);
    for (const now of [true, false]) {
      const { status } = await ask("PUT", `connections/${block.body.connection_id}/selection`, { token });
      assert.ok(status === 200 || status === 204, `${status}`);
      assert.equal(await selected(), now);
    }
    await ask("PUT", `channels/${made.body.id}/blocks/${block.body.id}/selection`, { token });
    assert.equal(await selected(), true);
    assert.equal((await ask("DELETE", `channels/${made.body.id}`, { token })).status, 204);
  });

  test("slack-arena: the words of errors", async () => {
    const said = async (path, with_) => {
      const { body } = await ask("GET", path, with_);
      return `${body.code}: ${body.message} - ${body.description}`;
    };
    const gone = "404: Not Found - The resource you are looking for does not exist.";
    for (const path of ["channels/nowhere", "users/nobody", "groups/nobody", "blocks/987654", "blocks/moss", "nothing/here"]) {
      assert.equal(await said(path), gone, path);
    }
    const refused = "401: Unauthorized - Invalid credentials.";
    for (const path of ["me", "accounts", "feed", "notifications"]) {
      assert.equal(await said(path), refused, path);
      assert.equal(await said(path, { token: "nonsense" }), refused, path);
    }
    const empty = await ask("POST", "channels", { token: tokens.ada, json: { title: " " } });
    assert.equal(empty.body.code, empty.status);
    assert.match(empty.body.description, /title/);
  });

  test("arena-php, ervell: forms, and the token in X-AUTH-TOKEN", async () => {
    const headers = { "X-AUTH-TOKEN": tokens.ada };
    const made = await ask("POST", "channels", { headers, form: { title: "By form", status: "public" } });
    assert.deepEqual([made.status, made.body.slug], [200, "by-form"]);
    const put = await ask("PUT", "channels/by-form", { headers, form: { title: "By form", status: "closed" } });
    assert.deepEqual([put.status, put.body.status], [200, "closed"]);
    const connected = await ask("POST", "channels/by-form/connections", {
      headers, form: { connectable_type: "Block", connectable_id: `${moss.id}`, channel_id: "by-form" },
    });
    promised.item(connected.body);
    assert.deepEqual([connected.status, connected.body.id], [200, moss.id]);
    const both = await ask("POST", "channels/by-form/collaborators", { headers, form: [["ids[]", id.bea], ["ids[]", id.cy]] });
    assert.deepEqual(both.body.users.map((u) => u.slug).sort(), ["bea", "cy"]);
    const left = await ask("DELETE", "channels/by-form/collaborators", { headers, form: [["ids[]", id.bea]] });
    assert.deepEqual(left.body.users.map((u) => u.slug), ["cy"]);
    for (const [method, followers] of [["POST", ["bea"]], ["DELETE", []]]) {
      const { status } = await ask(method, "channels/by-form/follow", { headers: { "X-AUTH-TOKEN": tokens.bea } });
      assert.ok(status === 200 || status === 204, `${status}`);
      assert.deepEqual((await ask("GET", "channels/by-form/followers")).body.users.map((u) => u.slug), followers);
    }
    const comment = await ask("POST", `blocks/${moss.id}/comments`, { headers, form: { body: "Seen" } });
    promised.comment(comment.body);
    const account = await ask("GET", `accounts?auth_token=${tokens.ada}`);
    assert.deepEqual([account.status, account.body.user.slug, account.body.following_ids], [200, "ada", { channels: [], users: [] }]);
    assert.ok(account.body.channels.some((c) => c.slug === "by-form"));
    assert.ok((await ask("GET", "accounts/channels?per=5", { headers })).body.channels.length > 0);
    assert.equal((await ask("DELETE", `channels/by-form/connections/${connected.body.connection_id}`, { headers })).status, 204);
    assert.deepEqual(await order("by-form"), []);
  });

  test("arena-go: the token in the address, 204 for a changed block", async () => {
    const at = (path) => `${path}${path.includes("?") ? "&" : "?"}access_token=${tokens.ada}`;
    const made = await ask("POST", at("channels/field-notes/blocks"), { form: { content: "By form" } });
    assert.equal(made.status, 200);
    assert.equal((await ask("PUT", at(`blocks/${made.body.id}`), { form: { title: "Titled" } })).status, 204);
    const got = await ask("GET", at(`blocks/${made.body.id}`));
    assert.deepEqual([got.status, got.body.title], [200, "Titled"]);
    assert.equal((await ask("GET", at("channels/"))).status, 200);
    const found = await ask("GET", at("search/channels/?q=field&per=2"));
    promised.found(found.body, "field");
    assert.equal(found.body.authenticated, true);
    assert.equal((await ask("GET", at("search/users/?q=ada"))).body.users[0].slug, "ada");
    assert.equal((await ask("DELETE", at(`channel/field-notes/blocks/${made.body.id}`))).status, 204);
    const one = (...rest) => ask("GET", `me?access_token=${tokens.cy}&auth_token=nonsense`, ...rest);
    assert.equal((await one({ token: tokens.ada, headers: { "X-AUTH-TOKEN": tokens.bea } })).body.slug, "ada");
  });

  test("frnsys/arena, arena-typed: ids in each spelling, whole and partial orders", async () => {
    const token = tokens.ada;
    for (const json of [{ ids: [id.bea] }, { ids: [`${id.bea}`] }, { "ids[]": [id.bea] }, { "ids[]": [`${id.bea}`] }]) {
      const added = await ask("POST", "channels/field-notes/collaborators", { token, json });
      assert.equal(added.status, 200);
      assert.deepEqual(added.body.users.map((u) => u.slug), ["bea"]);
      assert.deepEqual(added.body.collaborators, added.body.users); // libraries read different names
      assert.deepEqual((await ask("DELETE", "channels/field-notes/collaborators", { token, json })).body.users, []);
    }
    const set = await ask("PUT", `channels/field-notes/collaborators?ids[]=${id.bea}&ids[]=${id.cy}`, { token });
    assert.equal(set.body.users.length, 2);
    assert.equal((await ask("PUT", "channels/field-notes/collaborators", { token, json: { ids: [] } })).body.users.length, 0);
    const sort = (json) => ask("PUT", "channels/field-notes/sort", { token, json }).then(({ status }) => status);
    const last = (await ask("POST", "channels/field-notes/blocks", { token, json: { content: "Last" } })).body;
    assert.deepEqual(await order("field-notes"), [moss.id, stone.id, last.id]);
    assert.ok((await sort({ ids: [last.id, `${moss.id}`] })) < 300);
    assert.deepEqual(await order("field-notes"), [last.id, stone.id, moss.id]);
    assert.ok((await sort({ connectable_type: "Block", connectable_id: `${last.id}`, new_position: "3" })) < 300);
    assert.deepEqual(await order("field-notes"), [stone.id, moss.id, last.id]);
    for (const wrong of [{ ids: [moss.id, 987654] }, { connectable_type: "Block", connectable_id: moss.id, new_position: 0 }, { ids: ["moss"] }]) {
      assert.ok([400, 422].includes(await sort(wrong)), JSON.stringify(wrong));
    }
    assert.deepEqual(await order("field-notes"), [stone.id, moss.id, last.id]);
    assert.equal((await ask("DELETE", `channels/field-notes/blocks/${last.id}`, { token })).status, 204);
  });

  test("a token that was never set", async () => {
    for (const Authorization of ["", "Bearer", "Bearer undefined", "Bearer null"]) { // arena-ts, plugins, arena-typed
      const got = await ask("GET", "channels/field-notes", { headers: { Authorization } });
      assert.deepEqual([got.status, got.body.slug], [200, "field-notes"], Authorization);
      assert.equal((await ask("GET", "me", { headers: { Authorization } })).status, 401);
      assert.equal((await ask("GET", "me", { headers: { Authorization, "X-AUTH-TOKEN": tokens.ada } })).body.slug, "ada");
    }
    assert.equal((await ask("GET", "channels/field-notes", { token: "nonsense" })).status, 401);
  });

  test("singular names, feeds, notifications", async () => {
    assert.equal((await ask("GET", "channel/field-notes")).body.id, notes.id);
    assert.equal((await ask("GET", `block/${moss.id}`)).body.id, moss.id);
    assert.equal((await ask("GET", `user/${id.ada}`)).body.slug, "ada");
    assert.equal((await ask("GET", "users/ada/channel")).status, 404);
    const feeds = ["channel/field-notes/feed?page=1", "user/ada/feed?page=1", "user/ada/network", "feed/global", "feed?offset=0"];
    for (const path of feeds) {
      const { status, body } = await ask("GET", path, { token: tokens.ada });
      assert.equal(status, 200, path);
      assert.ok(Array.isArray(body.items), path);
      assert.deepEqual([body.limit, body.total, body.range_start, body.range_end], [50, 0, "+inf", "-inf"], path);
    }
    assert.equal((await ask("GET", "user/ada/feed?per=1")).body.items.length, 1);
    const feed = (await ask("GET", "channel/field-notes/feed")).body;
    const added = feed.items.find((item) => item.action === "added" && item.item_id === moss.id);
    assert.deepEqual([added.connector, added.item_type, added.target_type, added.target.slug], ["to", "Block", "Channel", "field-notes"]);
    promised.block(added.item);
    promised.user(added.user);
    await ask("POST", `blocks/${moss.id}/comments`, { token: tokens.bea, json: { body: "Look, @cy" } });
    const unread = async () => Object.values((await ask("GET", "notifications/unread_count", { token: tokens.cy })).body);
    const news = (await ask("GET", "notifications?page=1&per=5", { token: tokens.cy })).body;
    const told = ["mentioned you", "is collaborating with", "is collaborating with"];
    assert.deepEqual(news.items.map((item) => [item.action, item.is_read]), told.map((action) => [action, false]));
    assert.deepEqual(await unread(), [told.length]);
    assert.ok((await ask("POST", "notifications/clear", { token: tokens.cy })).status < 300);
    assert.deepEqual(await unread(), [0]);
  });

  test("a static site: another origin, no cache, a thousand at once", async () => {
    const origin = "https://student.example";
    const preflight = await ask("OPTIONS", "channels/field-notes", {
      headers: { Origin: origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization,content-type,x-auth-token" },
    });
    assert.ok(preflight.status === 200 || preflight.status === 204, `${preflight.status}`);
    const allowed = preflight.headers.get("Access-Control-Allow-Headers").toLowerCase();
    for (const name of ["authorization", "content-type", "x-auth-token"]) assert.match(allowed, new RegExp(`\\*|${name}`));
    const page = await ask("GET", `channels/field-notes?per=1000&t=${Date.now()}&v=1&force=true&page=`, {
      token: tokens.bea, headers: { Origin: origin, "Content-Type": "application/json" },
    });
    assert.ok(["*", origin].includes(page.headers.get("Access-Control-Allow-Origin")));
    assert.equal(page.headers.get("Content-Type"), "application/json; charset=utf-8");
    promised.channel(page.body);
    assert.deepEqual([page.body.per, page.body.page, page.body.contents.map((c) => c.id)], [100, 1, [stone.id, moss.id]]);
    const newest = await ask("GET", "channels/field-notes/contents?direction=desc&per=400&page=0&sort=sideways&kind=x");
    assert.deepEqual(newest.body.contents.map((c) => c.id), [moss.id, stone.id]);
    assert.match(page.headers.get("Deprecation"), /^@\d+$/);
    assert.match(page.headers.get("Link"), /\/v3\/channels\/field-notes>; rel="successor-version"/);
    const again = await ask("GET", "channels/field-notes", { headers: { "If-None-Match": (await ask("GET", "channels/field-notes")).headers.get("ETag") } });
    assert.equal(again.status, 304);
    const missing = await ask("GET", "channels/nowhere", { headers: { Origin: origin } });
    assert.equal(missing.body.message, "Not Found");
    assert.ok(missing.headers.get("Access-Control-Allow-Origin"));
  });
});
