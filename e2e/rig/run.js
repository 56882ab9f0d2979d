// Runs the given test files, or all, two at a time. Files with failures are repeated up to twice,
// one by one: browser tests have time limits, and CI machines stall. A file that fails three times
// has failed.
import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const named = process.argv.slice(2).map((file) => resolve(file));
const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "node_modules");
const all = folders.flatMap(({ name }) => readdirSync(join(here, name)).filter((file) => file.endsWith(".test.js")).map((file) => join(here, name, file)));

let failed = await failures(named.length > 0 ? named : all, 2);
for (let again = 0; failed.length > 0 && again < 2; again++) {
  console.log(`\nfailed, and run again: ${failed.join(" ")}\n`);
  failed = await failures(failed, 1);
}
process.exitCode = failed.length > 0 ? 1 : 0;

/** Runs files and returns those with failed tests. */
async function failures(files, concurrency) {
  const found = new Set();
  const events = run({ files, concurrency });
  events.on("test:fail", ({ file, name, todo }) => {
    if (todo === undefined) found.add(files.find((one) => one === file || one === name || one.endsWith(name)) ?? file);
  });
  const shown = events.compose(new Spec());
  shown.pipe(process.stdout, { end: false });
  await new Promise((ended, broken) => shown.on("end", ended).on("error", broken));
  return [...found];
}
