// A local website for blocks that are created from addresses.
import { createServer } from "node:http";
import { png } from "../rig/image.js";

/** The settings of a server that fetches from the site. */
export const settings = { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0", VITRINE_FETCH_ALLOW: "127.0.0.0/8" };

const page = `<!doctype html><title>On mosses</title><meta name="description" content="They grow.">`;

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"); // one pixel

/**
 * Serves `/page`, `/moss.png` and `/dot.gif`.
 * @returns {Promise<{url: string, close: () => void}>}
 */
export async function openSite() {
  const site = createServer((request, response) => {
    const answer = { "/page": ["text/html", page], "/moss.png": ["image/png", png(900, 600)], "/dot.gif": ["image/gif", gif] }[request.url];
    response.writeHead(answer ? 200 : 404, { "Content-Type": answer?.[0] ?? "text/plain" }).end(answer?.[1]);
  });
  await new Promise((listening) => site.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${site.address().port}`, close: () => site.close() };
}

/** Requests a block with a function until it has its content. */
export async function settled(get) {
  for (;;) {
    const block = await get();
    if (block.state !== "processing") return block;
    await new Promise((later) => setTimeout(later, 50));
  }
}
