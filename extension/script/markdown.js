// Plain text as Markdown.

/** Returns Markdown that shows a plain text literally. Addresses in it become links. */
export function escapeMarkdown(text) {
  return text.replace(/\r\n?/g, "\n").split("\n").map((line) => escapeLine(line.trim())).join("\n").replace(/\n{3,}/g, "\n\n").trim();
}

// Addresses without characters that Markdown may interpret (internal/markup/escape.go has the same).
const plainLink = /^https?:\/\/[A-Za-z0-9](?:[A-Za-z0-9/._~%&=?#:+,;@!-]*[A-Za-z0-9/])?$/;

function escapeLine(line) {
  return line.split(/(\s+)/).map((word, i) => {
    if (plainLink.test(word)) return word;
    const number = i === 0 && /^\d{1,9}[.)]$/.test(word);
    if (number) return `${word.slice(0, -1)}\\${word.at(-1)}`;
    word = word.replace(/[\\`*_[\]<>~|&$^]/g, "\\$&");
    return i === 0 ? word.replace(/^(#{1,6}$|[-+]$|[-=]{2,}$|:)/, "\\$&") : word; // these begin a block
  }).join("");
}
