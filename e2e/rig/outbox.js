// Reads the mails that a server without SMTP stores in a folder.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

const patience = 60_000; // milliseconds

/**
 * Waits for a mail to an address with a matching link, and returns its last link.
 * @param {RegExp} link what the path of the link must match
 * @param {Set<string>} seen links that are not meant; the one given is added
 */
export async function linkInMail(folder, address, link, seen = new Set()) {
  for (const end = Date.now() + patience; Date.now() < end; await soon()) {
    for (const text of await mails(folder)) {
      if (!new RegExp(`^To: .*<?${address}>?$`, "mi").test(text)) continue;
      const found = decode(text).match(/https?:\/\/\S+/g)?.find((url) => link.test(new URL(url).pathname) && !seen.has(url));
      if (found) {
        seen.add(found);
        return found;
      }
    }
  }
  throw new Error(`no mail to ${address} with a link like ${link}`);
}

/** Waits for mails that contain a text, and returns them. */
export async function mailsWith(folder, address, words) {
  for (const end = Date.now() + patience; Date.now() < end; await soon()) {
    const found = (await mails(folder)).filter((text) => text.includes(`<${address}>`) && words.test(decode(text)));
    if (found.length > 0) return found.map(decode);
  }
  throw new Error(`no mail to ${address} that says ${words}`);
}

async function mails(folder) {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.filter((name) => name.endsWith(".eml")).map(async (name) => {
    return (await readFile(join(folder, name), "utf8")).replaceAll("\r\n", "\n");
  }));
}

/** Decodes quoted-printable. */
function decode(text) {
  return text.replace(/=\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

function soon() {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
