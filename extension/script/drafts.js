// What is about to be saved, and the requests that save it.
import { escapeMarkdown } from "./markdown.js";

/** The limits of the server (api/v3.yaml). */
export const limits = { title: 255, description: 20_000, value: 200_000, alt: 2_000, address: 2_048, channels: 20, tabs: 100 };

/** Shortens a text to a number of characters as the server counts them. */
export function cut(text, most) {
  const all = Array.from((text ?? "").trim());
  return all.length > most ? all.slice(0, most).join("").trim() : all.join("");
}

/**
 * Returns the blocks of a draft, as bodies of createBlock without channels.
 * @param {{kind: "page"|"link"|"selection"|"image"|"tabs", url: string, title: string, note: string, text: string,
 *   page: {url: string, title: string}, images: {src: string, alt: string}[], tabs: {url: string, title: string}[]}} draft
 */
export function blocksOf(draft) {
  const { kind, page } = draft;
  const texts = { title: cut(draft.title, limits.title), description: cut(draft.note, limits.description) };
  const source = { original_source_url: page?.url && page.url.length <= limits.address ? page.url : "", original_source_title: cut(page?.title, limits.title) };
  switch (kind) {
    case "selection":
      return [filled({ value: cut(escapeMarkdown(draft.text), limits.value), ...texts, ...source })];
    case "image":
      return draft.images.map(({ src, alt }) => filled({ value: src, ...(draft.images.length === 1 ? texts : { description: texts.description }),
        alt_text: cut(alt, limits.alt), ...source }));
    case "tabs":
      return draft.tabs.map(({ url, title }) => filled({ value: url, title: cut(title, limits.title), description: texts.description }));
    default:
      return [filled({ value: draft.url, ...texts })];
  }
}

/** Returns an object without empty texts. */
function filled(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
