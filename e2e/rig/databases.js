// Creates databases for tests.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import pg from "pg";

const server = process.env.VITRINE_TEST_POSTGRES;

/** The names of the databases, and the reason if one is not available. */
export const databases = [
  { name: "SQLite", open: openSQLite },
  { name: "PostgreSQL", open: openPostgres, skip: missing() },
];

function missing() {
  if (server) return undefined;
  const reason = "no PostgreSQL to test on: VITRINE_TEST_POSTGRES holds no server's URL";
  if (process.env.VITRINE_TEST_REQUIRE_POSTGRES) throw new Error(reason);
  return reason;
}

/** Returns the settings for a new SQLite database, and a function to remove it. */
async function openSQLite() {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-e2e-"));
  return {
    settings: { VITRINE_DATA_DIR: folder },
    close: () => rm(folder, { recursive: true }),
  };
}

/** Returns the same for a new PostgreSQL database. */
async function openPostgres() {
  const files = await openSQLite();
  const now = Math.floor(Date.now() / 1000).toString(16);
  const name = `vitrine_test_${now}_${randomBytes(6).toString("hex")}`; // Go's tests delete leftover databases
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  return {
    settings: { ...files.settings, VITRINE_DATABASE_URL: server.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`) },
    async close() {
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
      await files.close();
    },
  };
}

async function onServer(statement) {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
