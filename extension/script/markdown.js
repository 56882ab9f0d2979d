// Plain text as Markdown.

/** Returns Markdown that shows a plain text literally. Addresses in it become links. */
export function escapeMarkdown(text) {
  return text.replace(/\r\n?/g, "\n").split("\n").map((line) => escapeLine(line.trim())).join("\n").replace(/\n{3,}/g, "\n\n").trim();
}

function escapeLine(line) {
  // Characters that begin a block only matter at the beginning of a line.
  line = line.replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
  return line.split(/(\s+)/).map((word, i) => {
    if (/^https?:\/\/[A-Za-z0-9][^\s<>()[\]"'*_`\\]*$/.test(word)) return word;
    word = word.replace(/[\\`*_[\]<>~|&$^]/g, "\\$&");
    return i === 0 ? word.replace(/^(#{1,6}$|[-+]$|[-=]{2,}$|:)/, "\\$&") : word;
  }).join("");
}
