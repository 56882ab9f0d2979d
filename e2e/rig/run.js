// Runs the given test files, or all, two at a time.
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const named = process.argv.slice(2).map((file) => resolve(file));
const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "node_modules");
const all = folders.flatMap(({ name }) => readdirSync(join(here, name)).filter((file) => file.endsWith(".test.js")).map((file) => join(here, name, file)));

const events = run({ files: named.length > 0 ? named : all, concurrency: 2 });
events.on("test:fail", ({ todo }) => {
  if (todo === undefined) process.exitCode = 1;
});
events.compose(new Spec()).pipe(process.stdout);
