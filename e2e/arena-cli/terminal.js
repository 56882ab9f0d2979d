// Runs the command-line client `arena` as in a separate terminal.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";

const client = fileURLToPath(new URL("../node_modules/@aredotna/cli/dist/cli.js", import.meta.url));

/** A home folder, where the client stores its token, and the address of its server. */
export class Terminal {
  #home;
  #url;

  static async open(url) {
    const terminal = new Terminal();
    terminal.#home = await mkdtemp(join(tmpdir(), "arena-cli-"));
    terminal.#url = url;
    return terminal;
  }

  close() {
    return rm(this.#home, { recursive: true });
  }

  /** Runs the client with some input. */
  async arena(args, { input = "", token, env: more } = {}) {
    const env = { PATH: process.env.PATH, HOME: this.#home, ARENA_API_URL: this.#url, ...more };
    if (token) env.ARENA_TOKEN = token;
    const child = spawn(process.execPath, [client, ...args], { cwd: this.#home, env });
    child.stdin.end(input);
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    return { stdout, stderr, code };
  }

  /**
   * Signs in with the client. Instead of a browser it starts a program that writes the address to a
   * file.
   * @returns {{address: Promise<string>, ended: Promise<{stdout: string, stderr: string, code: number}>}}
   */
  login() {
    const programs = join(this.#home, "bin");
    const note = join(this.#home, "address");
    const opened = mkdir(programs).then(() =>
      writeFile(join(programs, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$1" >'${note}.part' && mv '${note}.part' '${note}'\n`, { mode: 0o700 }));
    const env = { PATH: `${programs}:${process.env.PATH}`, ARENA_AUTHORIZE_URL: `${this.#url}/oauth/authorize` };
    const ended = opened.then(() => this.arena(["login"], { env }));
    return { address: Promise.race([written(note), ended.then(({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)))]), ended };
  }

  /** Runs a command that must succeed, and returns its JSON. */
  async json(...args) {
    return this.piped("", ...args);
  }

  async piped(input, ...args) {
    const { stdout, stderr, code } = await this.arena([...args, "--json"], { input });
    if (code !== 0) throw new Error(`arena ${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Runs a command that must fail, and returns its exit code with the status and type in its JSON. */
  async failure(token, ...args) {
    const { stderr, code } = await this.arena([...args, "--json"], { token });
    const { code: status, type } = JSON.parse(stderr);
    return [code, status, type];
  }
}

/** Waits for a file and returns the line in it. */
async function written(file) {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text) return text.trim();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
