// Runs the built program at the path in VITRINE_BIN.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const binary = process.env.VITRINE_BIN;

/** Runs a command of the program and returns its output. Settings are VITRINE_ variables. */
export async function run(settings, ...args) {
  const { stdout } = await promisify(execFile)(path(), args, { env: environment(settings) });
  return stdout.trim();
}

/**
 * Starts a server on a free port.
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function serve(settings) {
  const child = spawn(path(), ["serve"], {
    env: environment({ VITRINE_ADDR: "127.0.0.1:0", VITRINE_LOG_LEVEL: "warn", ...settings }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const url = await listening(child);
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`the server ended with code ${code}, signal ${signal}`);
    },
  };
}

/** Waits for the log line with the server's address. */
async function listening(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /listens on (\S+)/.exec(line);
    if (found) {
      child.stdout.resume();
      return found[1];
    }
  }
  throw new Error("the server has ended without listening");
}

function path() {
  if (!binary) throw new Error("VITRINE_BIN does not name the program: use `make e2e`");
  return binary;
}

/** The environment without settings for another server. */
function environment(settings) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("VITRINE_"));
  return { ...Object.fromEntries(inherited), ...settings };
}
