// `[data-drop]` is a link to a form for adding to the channel of the page. Files, texts and addresses
// that are dropped on the page or pasted into it are added, each with an offer to undo it. Without
// this script, users follow the link.
import { addOrKeep, keepFiles, mostKept, Refusal, show } from "./added.js";
import { openSheet, showSheet } from "./dialog.js";
import { announce, make, onceKey } from "./say.js";
import { t } from "./texts.js";
import { start as startUploads } from "./upload.js";

let listening = false;
let within = false; // something of this page is dragged

export function start() {
  if (listening) return;
  listening = true;
  const carries = (event) => !within && (hasFiles(event) || (hasText(event) && !writes(event.target))) && target();
  addEventListener("dragstart", () => { within = true; });
  addEventListener("dragend", () => { within = false; });
  addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    document.documentElement.classList.add("dropping");
  });
  for (const end of ["dragleave", "drop"]) {
    addEventListener(end, (event) => (end === "drop" || !event.relatedTarget) && document.documentElement.classList.remove("dropping"));
  }
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    give(event.dataTransfer);
  });
  addEventListener("paste", (event) => {
    const data = event.clipboardData;
    const files = data?.files.length > 0;
    if (!data || (writes(event.target) && !(files && !data.types.includes("text/plain"))) || !target()) return;
    if (!files && !data.getData("text/plain").trim()) return;
    event.preventDefault();
    give(data);
  });
}

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
const hasText = (event) => event.dataTransfer?.types.includes("text/plain") || event.dataTransfer?.types.includes("text/uri-list");

/** Reports whether an element takes what is typed or pasted. */
const writes = (element) => element.closest?.("input, textarea, [contenteditable]") != null;

/** Returns the form or the link that takes what is dropped: that of the open dialog, if there is one. */
function target() {
  const dialog = document.querySelector("dialog[open]");
  return (dialog ?? document).querySelector(dialog ? "form[data-upload]" : "form[data-upload], [data-drop]");
}

async function give(data) {
  const [to, files] = [target(), [...data.files]];
  if (files.length > 0) return giveFiles(to, files);
  const addresses = data.getData("text/uri-list").split(/\r?\n/).filter((line) => line && !line.startsWith("#"));
  const text = addresses.join("\n") || data.getData("text/plain");
  if (!text.trim()) return;
  if (to.matches("form")) {
    const field = to.querySelector("textarea[name=value]");
    field.value += (field.value && !field.value.endsWith("\n") ? "\n" : "") + text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    return field.focus();
  }
  const fields = keyed();
  fields.set("value", text);
  return giveText(to.href, fields);
}

/** Returns fields of a form with a key of its own. */
function keyed() {
  const fields = new FormData();
  fields.set("once", onceKey());
  return fields;
}

async function giveFiles(to, files) {
  if (!navigator.onLine && to.matches("[data-drop]") && files.length <= mostKept && await keepFiles(to.href, keyed(), files)) return;
  if (to.matches("[data-drop]")) {
    await openSheet(to.href);
    to = document.querySelector("dialog[open] form[data-upload]");
  }
  if (!to) return;
  startUploads(to);
  to.uploads.take(files);
}

/** Adds a text. If that fails, offers to try again, so that it is not lost. */
async function giveText(address, fields) {
  try {
    const { made, page, kept } = await addOrKeep(address, fields);
    if (kept) return;
    if (page) showSheet(page, address);
    else await show(new URL(location.href), made);
  } catch (error) {
    const text = error instanceof Refusal && error.message ? error.message : t("script.failed");
    const again = make("button", { type: "button", class: "other small" }, t("script.upload.retry"));
    again.addEventListener("click", () => giveText(address, fields));
    document.querySelector("#notes")?.replaceChildren(make("div", { class: "alarm" }, make("p", {}, text), again));
    announce(text);
  }
}
