// Tests without a server: node --test test.js
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, SignedOutError, StartAgainError, VitrineError } from "./index.js";
import { verifyWebhook, WebhookError } from "./webhook.js";

const json = (body, status = 200) => new Response(JSON.stringify(body), { status });

/** A server whose tokens expire. A refresh token works once. */
function issuer({ lose = 0 } = {}) {
  const s = { n: 1, requests: 0, refused: [] };
  s.fetch = async (address, { headers, body }) => {
    if (!address.endsWith("/v3/oauth/token")) {
      if (headers.Authorization === `Bearer access${s.n}`) return json({ status: "ok" });
      s.refused.push(headers.Authorization);
      return json({}, 401);
    }
    s.requests++;
    const form = new URLSearchParams(body);
    const again = s.lost && form.get("refresh_token") === `refresh${s.n - 1}`;
    if (form.get("client_id") !== "app" || form.get("refresh_token") !== `refresh${s.n}` && !again) return json({ error: "invalid_grant" }, 400);
    if (!again) s.n++;
    if (lose-- > 0) {
      s.lost = true;
      throw new TypeError("lost");
    }
    return json({ access_token: `access${s.n}`, refresh_token: `refresh${s.n}`, expires_in: 3600 });
  };
  s.client = (onTokens, tokens) => new Client("https://x.example", { fetch: s.fetch, application: { id: "app" }, onTokens, tokens: { access: "old", refresh: "refresh1", ...tokens } });
  return s;
}

test("fetch is called as a function", async () => {
  const fetch = async function () {
    assert.equal(this, undefined);
    return json({ status: "ok" });
  };
  await new Client("https://x.example", { fetch }).getPing();
});

test("calls at the same time renew a token once", async () => {
  for (const expires of [undefined, new Date(Date.now() + 30_000)]) {
    const s = issuer(), saved = [];
    const client = s.client(async (tokens) => { saved.push(tokens); }, { expires });
    await Promise.all(Array.from({ length: 8 }, () => client.getPing()));
    assert.equal(s.requests, 1);
    assert.equal(saved.length, 1);
    assert.equal(saved[0].refresh, "refresh2");
    if (expires !== undefined) assert.deepEqual(s.refused, []);
  }
});

test("a lost response is requested again, and tokens that were not saved are saved later", async () => {
  const s = issuer({ lose: 1 });
  let full = true;
  const client = s.client(() => { if (full) throw new Error("disk full"); });
  await assert.rejects(client.getPing(), /disk full/);
  full = false;
  await client.getPing();
  assert.equal(s.requests, 2);
  assert.ok(!s.refused.includes("Bearer access2"));
});

test("a refresh token that is not valid", async () => {
  await assert.rejects(issuer().client(() => {}, { refresh: "stolen" }).getPing(), SignedOutError);
  assert.throws(() => new Client("https://x.example", { tokens: { access: "a", refresh: "b" } }), TypeError);
});

/** Follows until there were some batches. */
async function followed(answer, options, count = Infinity) {
  const asked = [], seen = [];
  const fetch = async (address, { headers }) => {
    asked.push([new URL(address).search, headers["Last-Event-ID"]]);
    return answer(asked.length, new URL(address));
  };
  for await (const batch of new Client("https://x.example", { fetch, retries: 0 }).ext.follow(options)) if (seen.push(batch) === count) break;
  return { asked, seen: seen.map(({ changes, cursor }) => [cursor, ...changes.map(({ id }) => id)].join(" ")) };
}

test("a stream continues after its last event", async () => {
  const { asked, seen } = await followed((n) => {
    if (n === 2) return json({}, 502);
    const parts = n > 2 ? ["event: change\nid: d\ndata: {\"id\": 2}\n\n"] :
      [": hello\r\nevent: start\r\nid: a\r\n", "data: {}\r\n\r\nevent: change\nid: b\nda", "ta: {\"id\":\ndata: 1}\n\nid: b\n\nid: c\n\nevent: change\nid: d\ndata: {\"id\": 2}"];
    return new Response(ReadableStream.from(parts.map((part) => new TextEncoder().encode(part))));
  }, { stream: true, channel: 4 }, 4);
  assert.deepEqual(seen, ["a", "b 1", "c", "d 2"]);
  assert.deepEqual(asked, [["?channel=4", undefined], ["?channel=4", "c"], ["?channel=4", "c"]]);
});

test("requests wait only with a cursor", async () => {
  const lists = { null: [[], "a"], a: [[1, 2], "b"], b: [[], "c"], c: [[3], "d"] };
  const { asked, seen } = await followed((_, url) => {
    const [ids, cursor] = lists[url.searchParams.get("cursor")];
    return json({ data: ids.map((id) => ({ id })), cursor, more: true });
  }, {}, 4);
  assert.deepEqual(seen, ["a", "b 1 2", "c", "d 3"]);
  assert.deepEqual(asked.slice(0, 2).map(([query]) => query), ["", "?cursor=a&wait=30"]);
});

test("following without waiting", async () => {
  const { asked, seen } = await followed((n) => json({ data: n === 1 ? [{ id: 1 }] : [], cursor: "b", more: n === 1 }), { cursor: "a", stream: true, wait: false });
  assert.deepEqual(seen, ["b 1"]);
  assert.deepEqual(asked.map(([query]) => query), ["?cursor=a", "?cursor=b"]);
});

test("following ends", async () => {
  for (const stream of [false, true]) {
    await assert.rejects(followed(() => json({}, 410), { cursor: "old", stream }), StartAgainError);
    await assert.rejects(followed(() => json({}, 401), { cursor: "a", stream }), VitrineError);
    const stop = new AbortController();
    await assert.rejects(followed(() => { stop.abort(new Error("stopped")); return json({}, 503); }, { stream, signal: stop.signal }), /stopped/);
  }
});

// The message and its signature are the example of the libraries of Standard Webhooks.
test("webhooks", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now = 1614265330_000, body = '{"test": 2432232314}';
  const headers = { "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330", "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" };
  assert.equal((await verifyWebhook(secret, headers, body, { now })).test, 2432232314);
  await verifyWebhook(["whsec_AAAA", secret], new Headers({ ...headers, "webhook-signature": `v1,AAAA v1a,x v1,? ${headers["webhook-signature"]}` }), new TextEncoder().encode(body), { now });
  for (const [change, text, at] of [[{ "webhook-id": "x" }], [{ "webhook-id": "" }], [{ "webhook-timestamp": "1614265331" }], [{ "webhook-timestamp": "" }],
    [{ "webhook-signature": "" }], [{ "webhook-signature": headers["webhook-signature"].replace("v1", "v2") }], [{}, `${body} `], [{}, body, now + 301_000], [{}, body, now - 301_000]]) {
    await assert.rejects(verifyWebhook(secret, { ...headers, ...change }, text ?? body, { now: at ?? now }), WebhookError, JSON.stringify(change));
  }
  await assert.rejects(verifyWebhook("whsec_", headers, body, { now }), TypeError);
});
