// A running server with users.
import { after, before, describe } from "node:test";
import { join } from "node:path";
import { createArena } from "@aredotna/sdk";
import { databases } from "./databases.js";
import { run, serve } from "./program.js";

/** Reads blocks until none is being processed, for up to a minute, and returns what was read last: a block or a list. */
export async function processed(read) {
  for (const end = Date.now() + 60_000; ; await new Promise((later) => setTimeout(later, 100))) {
    const last = await read();
    if (![last].flat().some(({ state }) => state === "processing")) return last;
    if (Date.now() > end) throw new Error("a block is still being processed after a minute");
  }
}

/** Whether everything is tested, as every night, and not only one variant of each slow case. */
export const heavy = Boolean(process.env.VITRINE_TEST_HEAVY);

const unlimited = { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0" };

/**
 * Defines tests that run on a new server on each database. When they have ended, the
 * server must stop in peace and every derived value in its database must be right.
 * @param {(world: World) => void} define calls `test`; the world is ready within tests.
 * @param {string} skip why the tests are to be skipped, if so.
 */
export function onEachDatabase(title, define, settings = unlimited, skip = undefined) {
  for (const database of databases) on(database, title, define, settings, skip);
}

/**
 * Does the same on PostgreSQL if a server is available, otherwise on SQLite, for tests of pages that use
 * the same queries on either. A heavy run uses each database.
 */
export function onOneDatabase(title, define, settings = unlimited, skip = undefined) {
  if (heavy) return onEachDatabase(title, define, settings, skip);
  const [sqlite, postgres] = databases;
  on(postgres.skip ? sqlite : postgres, title, define, settings, skip);
}

/** Does the same only on SQLite, for slow tests that do not depend on the database. */
export function onSQLite(title, define, settings = unlimited, skip = undefined) {
  on(databases[0], title, define, settings, skip);
}

function on(database, title, define, settings, skip) {
  describe(`${title}, on ${database.name}`, { skip: skip ?? database.skip }, () => {
    const world = new World(database, settings);
    before(() => world.start());
    after(() => world.stop());
    define(world);
  });
}

export class World {
  #database;
  #opened;
  #server;
  #away; // its former address while it is stopped
  #settings;
  #tokens = new Map();

  constructor(database, settings) {
    this.#database = database;
    this.#settings = settings;
  }

  async start() {
    this.#opened = await this.#database.open();
    await this.command("migrate");
    this.#server = await serve({ ...this.#opened.settings, ...this.#settings });
  }

  /** Stops the server temporarily. */
  async leave() {
    this.#away = new URL(this.url).host;
    await this.#server.stop();
  }

  /** Starts it again at the same address. */
  async comeBack() {
    this.#server = await serve({ ...this.#opened.settings, ...this.#settings, VITRINE_ADDR: this.#away });
    this.#away = undefined;
  }

  async stop() {
    try {
      if (!this.#away) await this.#server?.stop();
      await this.command("check");
    } finally {
      await this.#opened?.close();
    }
  }

  /** The server's address. */
  get url() {
    return this.#server.url;
  }

  /** The folder of mails, since the server has no SMTP. */
  get outbox() {
    return join(this.#opened.settings.VITRINE_DATA_DIR, "outbox");
  }

  /** Runs a command of the program on this world's database. */
  command(...args) {
    return run(this.#opened.settings, ...args);
  }

  /** Creates an account as an operator, and returns the program's output. */
  async user(slug, tier = "supporter", password = undefined) {
    const name = slug[0].toUpperCase() + slug.slice(1);
    const args = ["--slug", slug, "--name", name, "--email", `${slug}@example.org`, "--tier", tier, "--json"];
    if (password) args.push("--password", password);
    return JSON.parse(await this.command("user", "create", ...args));
  }

  token(slug, scope = "write") {
    return this.command("token", "create", "--user", slug, "--scope", scope);
  }

  /**
   * Lets a user follow or unfollow a path below /ext/v1, such as "users/ada": the public API has no
   * such operation.
   */
  async follow(slug, what, method = "PUT") {
    if (!this.#tokens.has(slug)) this.#tokens.set(slug, await this.token(slug));
    const headers = { Authorization: `Bearer ${this.#tokens.get(slug)}` };
    const response = await fetch(`${this.url}/ext/v1/${what}/follow`, { method, headers });
    if (!response.ok) throw new Error(`${method} ${what}: ${response.status} ${await response.text()}`);
  }

  unfollow(slug, what) {
    return this.follow(slug, what, "DELETE");
  }

  /** Returns the SDK of a guest, or of a token's user. */
  arena(token) {
    return createArena({ baseUrl: this.url, token });
  }

  /** Creates an account and returns the SDK with its write token. */
  async arenaOf(slug, tier) {
    await this.user(slug, tier);
    return this.arena(await this.token(slug));
  }
}
