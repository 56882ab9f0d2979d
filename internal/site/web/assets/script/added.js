// Adds blocks to a channel, and offers to undo that. Without this script, the form of the channel adds
// them, and each can be removed on its own.
import { ask, complaint, goTo, root } from "./page.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const kept = "vitrine.added";
const atOnce = 100; // connections in one request
const here = ({ pathname, search }) => pathname + search;

/** An error from the site with its message. */
export class Refusal extends Error {}

/**
 * Sends the fields of a form for adding. `made` are the new blocks with their connections. If the
 * site asks back or refuses something, `page` has the form again, with its question or errors.
 */
export async function add(address, fields, signal) {
  const body = new URLSearchParams([...fields].filter(([, value]) => typeof value === "string"));
  const headers = { Accept: "application/json, text/html" };
  const { response, page, to } = await ask(address, { method: "POST", body, signal, headers });
  if (response.status === 201) return { made: await response.json() };
  if (page?.querySelector("main form[data-upload]")) return { page };
  if (response.status >= 500 && response.status !== 507) throw new Error(complaint(page));
  throw new Refusal(to ? "" : complaint(page));
}

/** Adds, or keeps the fields on this device if the site cannot be reached. */
export async function addOrKeep(address, fields) {
  try {
    return await add(address, fields);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (await (await import("./outbox.js")).keep(address, fields)) return { kept: true };
    throw error;
  }
}

/** The maximum number of files that a form can contain. */
export const mostKept = 100;

/** Keeps files on this device, with the other fields of their form. Returns false if that fails. */
export async function keepFiles(address, fields, files) {
  for (const file of files) fields.append("file", file);
  const [{ keep }, { withPictures }] = await Promise.all([import("./outbox.js"), import("./poster.js")]);
  return keep(address, await withPictures(fields));
}

/** Shows the channel with the new blocks and an offer to undo, also if that is another page. */
export async function show(address, made, finish = goTo) {
  const connections = [...new Set(made.map((each) => each.connection).filter(Boolean))];
  try {
    sessionStorage.setItem(kept, JSON.stringify({ at: here(address), connections }));
  } catch {
    // Storage may be disabled; then nothing is offered after another page is opened.
  }
  await finish(address);
  offer();
}

/** Offers to undo what was just added to the channel of this page. */
export function offer() {
  let last;
  try {
    last = JSON.parse(sessionStorage.getItem(kept) ?? "null");
    if (last?.at === here(location)) sessionStorage.removeItem(kept);
  } catch {
    return;
  }
  if (last?.at !== here(location) || !last.connections?.length) return;
  undoable(t("script.added", last.connections.length), () => undo(last.connections), "note");
}

/** Sends a form. Resolves to the site's JSON, or to null if the site only has a note for the next page. */
export async function change(address, body) {
  const { response, page, to } = await ask(address, { method: "POST", body, headers: { Accept: "application/json, text/html" } });
  if (response.ok && !page && !to) return response.json();
  if (to) return null;
  throw new Refusal(complaint(page));
}

/**
 * Shows a note about a change. If there is a function to undo it, the note has a button for that. By default, the note
 * stays in view while the page is scrolled. `place` is the element for notes.
 */
export function undoable(text, undo, classes = "note over", place = document.querySelector("#notes")) {
  const note = make("div", { class: classes }, make("p", {}, text));
  if (undo) {
    const button = make("button", { type: "button", class: "other small", "data-key": "u" }, t("script.undo"));
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await undo();
        note.remove();
      } catch (error) {
        button.disabled = false;
        const why = error.message && !(error instanceof TypeError) ? error.message : t("script.failed");
        note.querySelector("p").textContent = why;
        announce(why);
      }
    });
    note.append(button);
  }
  if (classes !== "note") {
    const close = make("button", { type: "button", class: "other small", "aria-label": t("script.close") }, "×");
    close.addEventListener("click", () => note.remove());
    note.append(close);
  }
  place?.replaceChildren(note);
  announce(text);
}

async function undo(connections) {
  for (let i = 0; i < connections.length; i += atOnce) {
    const body = new URLSearchParams(connections.slice(i, i + atOnce).map((id) => ["connection", id]));
    body.append("next", location.pathname.slice(root().length) + location.search);
    const { to, page } = await ask(new URL(`${root()}/connections/take-back`, location.href), { method: "POST", body });
    if (!to) throw new Error(complaint(page));
  }
  await goTo(new URL(location.href));
}
