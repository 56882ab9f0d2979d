// A channel with typical items of all kinds: pictures, texts, links, files, players, channels.
// Pages are checked and measured with it.
import { createServer } from "node:http";
import { painted } from "./image.js";
import { processed } from "./world.js";

/** The settings that a server needs for links to the gallery's website. */
export const gallerySettings = { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0", VITRINE_FETCH_ALLOW: "127.0.0.0/8" };

const palettes = [
  ["#2f4858", "#f6ae2d", "#f26419"], ["#e8dab2", "#4f6d7a", "#c0d6df"], ["#352f44", "#b9b4c7", "#faf0e6"],
  ["#1b4332", "#95d5b2", "#d8f3dc"], ["#bc4749", "#f2e8cf", "#386641"], ["#03045e", "#90e0ef", "#caf0f8"],
  ["#fefae0", "#dda15e", "#606c38"], ["#22223b", "#9a8c98", "#f2e9e4"], ["#ffb4a2", "#6d6875", "#ffe8d6"],
];
const sizes = [[1200, 800], [800, 1200], [1000, 1000], [1600, 700], [700, 1100]];
const titles = ["Stairs, morning", "Two chairs", "Moss on the north wall", "Untitled (blue)", "Sample sheet", "Harbour, low tide",
  "Paper, folded twice", "A plan for a small library", "Window in Porto", "Shadows of the tram wires"];
const words = ["A collection is a way of thinking with things.", "What is kept together begins to speak to what lies beside it.",
  "Measure the room before you choose the table; then choose the table first.",
  "## On attention\n\nLooking twice is cheap. *Looking a third time* is where the work begins:\n\n- what repeats\n- what is missing\n- what does not belong",
  "“The details are not the details. They make the design.” We kept this on the wall for a year, and took it down when we no longer saw it.",
  "Buy: thread, linen tape, two bone folders, wheat starch.",
  "An index is a second book, written by somebody who has read the first one to the end, and who wants others to begin in the middle."];

/** Returns a PNG file of a few plain shapes, a different one for each number. */
export function picture(n, [width, height] = sizes[n % sizes.length]) {
  const colours = palettes[n % palettes.length].map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
  const [cx, cy, r] = [width * (0.25 + 0.07 * (n % 8)), height * (0.3 + 0.05 * (n % 9)), Math.min(width, height) * (0.16 + 0.03 * (n % 6))];
  const slope = (n % 7) / 5 - 0.6;
  return painted(width, height, (x, y) => {
    const inside = (x - cx) ** 2 + (y - cy) ** 2 < r * r;
    const below = y > height * 0.62 + slope * (x - width / 2);
    return colours[inside ? 1 : below ? 2 : 0];
  });
}

/** A PDF file of one page with a line of text. */
export function pdf(text) {
  const content = `BT /F1 28 Tf 72 700 Td (${text}) Tj ET`;
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  let file = "%PDF-1.4\n";
  const at = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  file += `xref\n0 6\n0000000000 65535 f \n${at.map((n) => `${String(n).padStart(10, "0")} 00000 n \n`).join("")}`;
  return Buffer.from(`${file}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
}

/**
 * A local website with articles, and with films that have players. It must have another host than
 * the server, whose own players would be refused.
 */
export async function openWebsite() {
  const server = createServer((request, response) => {
    const [, kind, n] = /^\/(article|film|picture|player)\/?(\d*)/.exec(request.url) ?? [];
    const site = `http://${request.headers.host}`;
    if (kind === "picture") return response.writeHead(200, { "Content-Type": "image/png" }).end(picture(Number(n) + 3, [900, 600]));
    if (kind === "player") {
      response.writeHead(200, { "Content-Type": "application/json" });
      return response.end(JSON.stringify({ version: "1.0", type: "video", title: `Film ${n || 1}`, provider_name: "The Cinema", provider_url: site,
        width: 640, height: 360, html: `<iframe src="https://127.0.0.2/film/${n}" width="640" height="360"></iframe>`, thumbnail_url: `${site}/picture/1`, thumbnail_width: 900, thumbnail_height: 600 }));
    }
    const oembed = kind === "film" ? `<link rel="alternate" type="application/json+oembed" href="${site}/player/${n}">` : "";
    response.writeHead(kind ? 200 : 404, { "Content-Type": "text/html" });
    response.end(`<!doctype html><html lang="en"><title>${kind} ${n}</title>${oembed}<meta property="og:title" content="How a ${kind ?? "page"} is made, part ${n}">
<meta property="og:image" content="/picture/${n || 1}"><meta name="description" content="Notes from the workshop, with drawings."><article>${"<p>It begins with a drawing, and ends with another one.</p>".repeat(9)}</article>`);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.2", listening));
  return { url: `http://127.0.0.2:${server.address().port}`, close: () => server.close() };
}

/**
 * Fills a channel with a hundred items of all kinds, and waits until they are processed.
 * @param {object} arena the SDK with a token of whose channel it is to be
 * @returns {Promise<object>} the channel
 */
export async function fillGallery(arena, site, title = "Studio wall", count = 100) {
  const channel = await arena.channels.create({ title, visibility: "public", description: "What hangs on the wall this year, in no order that lasts." });
  const made = [];
  const add = async (value, more = {}) => made.push((await arena.blocks.create({ value, channel_ids: [channel.id], ...more })).id);
  for (let n = 0; n < count; n++) {
    if (n % 20 === 19) {
      const inside = await arena.channels.create({ title: ["Paper", "Rooms for reading", "Blue", "Tools we made", "Harbours"][(n / 20) | 0] ?? `Shelf ${n}`,
        visibility: ["public", "closed", "private"][n % 3] });
      await arena.connections.create({ connectable_id: inside.id, connectable_type: "Channel", channel_ids: [channel.id] });
    } else if (n % 5 === 1) await add(words[(n / 5 | 0) % words.length], n % 2 ? { title: titles[n % titles.length] } : {});
    else if (n % 7 === 3) await add(`${site.url}/article/${n}`);
    else if (n % 25 === 14) await add(`${site.url}/film/${n}`);
    else {
      const file = n % 13 === 12
        ? { data: pdf(`Plan ${n}`), filename: `plan-${n}.pdf`, contentType: "application/pdf" }
        : n % 33 === 22 ? { data: Buffer.from("a,b\n1,2\n"), filename: "measures.csv", contentType: "text/csv" }
          : { data: picture(n), filename: `${titles[n % titles.length]}.png`, contentType: "image/png" };
      made.push((await arena.uploads.createBlock({ file, channels: [{ id: channel.id }], block: { title: titles[n % titles.length], alt_text: "Plain shapes in three colours" } })).id);
    }
  }
  for (const id of made) await processed(() => arena.blocks.get(id));
  return channel;
}
