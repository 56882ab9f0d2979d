// Runs ../conformance.json against a sandbox: node conformance.js http://127.0.0.1:8080
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client, VitrineError } from "./index.js";

const base = process.argv[2];
const list = JSON.parse(readFileSync(new URL("../conformance.json", import.meta.url)));
const control = (method, path, body) => fetch(base + path, { method, body: JSON.stringify(body) });
const { accounts } = await (await control("GET", "/ext/v1/sandbox")).json();
const saved = {}, tags = {};

/** Replaces saved values in arguments. */
function filled(value) {
  if (typeof value === "string" && value.startsWith("$") && value.slice(1) in saved) return saved[value.slice(1)];
  if (Array.isArray(value)) return value.map(filled);
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, filled(v)]));
  return value ?? undefined;
}

/** Checks that a value has everything that is wanted. */
function includes(got, want, at) {
  if (want !== null && typeof want === "object") for (const key of Object.keys(want)) includes(got?.[key], want[key], `${at}.${key}`);
  else assert.equal(got, want, at);
}

const kept = { saves: 0 };

/** Makes a client that begins with the saved tokens, like a program that starts again. */
function renewing() {
  kept.client = new Client(base, { tokens: kept.tokens, application: kept.application, onTokens: (tokens) => { kept.tokens = tokens; kept.saves++; } });
}

async function signIn(body) {
  const made = await (await control("POST", "/ext/v1/sandbox/sign-ins", body)).json();
  Object.assign(kept, { application: { id: made.client_id }, tokens: { access: made.access_token, refresh: made.refresh_token }, saves: 0 });
  renewing();
}

/** Follows changes in both ways, which must return the same ones. */
async function follow(c, options, atLeast) {
  const seen = [[], []];
  for (const [i, stream] of [false, true].entries()) {
    for await (const { changes } of c.ext.follow({ ...options, stream, signal: AbortSignal.timeout(60_000) })) {
      seen[i].push(...changes);
      if (seen[i].length >= atLeast) break;
    }
  }
  assert.deepEqual(seen[0].slice(0, atLeast), seen[1].slice(0, atLeast));
}

function client(as) {
  if (as === "signed in") return kept.client;
  const [slug, scope = "write"] = (as ?? "").split("/");
  return new Client(base, { token: accounts.find((a) => a.slug === slug)?.[`${scope}_token`] });
}

/** Null in a body removes a value; elsewhere it means that an argument is left out. */
const argumentsOf = (step) => (step.args ?? []).map((arg) => arg === null ? undefined : keptNull(arg));
const keptNull = (arg) => typeof arg === "object" && !Array.isArray(arg)
  ? Object.fromEntries(Object.entries(arg).map(([key, v]) => [key, v === null ? null : filled(v)])) : filled(arg);

async function result(step) {
  const c = client(step.as);
  if (step.upload !== undefined) return { value: await c.upload(...step.upload) };
  const [of, name] = step.call.startsWith("ext.") ? [c.ext, step.call.slice(4)] : [c, step.call];
  const args = argumentsOf(step);
  if (step.ifMatch !== undefined) args.push({ ifMatch: tags[step.ifMatch] });
  const called = of[name](...args);
  if (name.startsWith("all")) return collected(called);
  const got = await called;
  if (step.tag !== undefined) tags[step.tag] = got.etag;
  return got instanceof Response ? { file: (await got.arrayBuffer()).byteLength > 0 } : got;
}

async function collected(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

await control("POST", "/ext/v1/sandbox/reset");
for (const [i, step] of list.entries()) {
  const name = `${i}: ${step.call ?? JSON.stringify(step)} ${JSON.stringify(step.args ?? [])}`;
  if (step.faults !== undefined) {
    assert.equal((await control("PUT", "/ext/v1/sandbox/faults", { faults: step.faults })).status, 200, name);
    continue;
  }
  if (step.signIn !== undefined) {
    await signIn(step.signIn);
    continue;
  }
  if (step.expire) {
    kept.tokens = { ...kept.tokens, expires: new Date() };
    renewing();
    continue;
  }
  if (step.follow !== undefined) {
    await follow(client(step.as), filled(step.follow), step.atLeast);
    continue;
  }
  if (step.error !== undefined) {
    await assert.rejects(async () => result(step), (e) => e instanceof VitrineError && e.status === step.error && e.message !== "", name);
    continue;
  }
  const got = await result(step).catch((e) => assert.fail(`${name}: ${e.message}`));
  if (step.want !== undefined) includes(got, filled(step.want) === undefined ? undefined : keptNull(step.want), name);
  const items = Array.isArray(got) ? got : got?.data ?? got?.items;
  if (step.count !== undefined) assert.equal(items.length, step.count, name);
  if (step.length !== undefined) assert.equal(items.length, step.length, name);
  if (step.atLeast !== undefined) assert.ok(items.length >= step.atLeast, `${name}: ${items.length}`);
  if (step.renewed !== undefined) assert.equal(kept.saves, step.renewed, name);
  for (const [key, field] of Object.entries(step.save ?? {})) saved[key] = field.split(".").reduce((value, part) => value[part], got);
}
console.log(`${list.length} steps`);
