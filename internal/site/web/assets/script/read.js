// `[data-read]` has a text that somebody reads: it remembers how far they have read, and highlights what they select. Without this
// script, it begins at its top, and passages are pasted into a form.
import { ask, goTo, replaceMain } from "./page.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const whole = 10_000; // domain.MaxPlace
const pause = 3_000; // ms without scrolling after which the position is stored
const context = 32; // characters around a passage
const opened = new Set(); // texts that were scrolled to the stored position, by path

export function start(article) {
  const text = article.querySelector(":scope > .text");
  if (!text) return;
  remember(article, text);
  selecting(article, text);
  article.addEventListener("click", ({ target }) => {
    const mark = target.closest?.("mark[data-of]");
    if (!mark || target.closest("a") || !getSelection().isCollapsed) return;
    const note = document.getElementById(mark.dataset.of.replace("highlight", "note"));
    note?.scrollIntoView({ block: "center" });
    note?.querySelector("a")?.focus({ preventScroll: true });
  });
}

/** Returns the elements of a text with the number of characters before each. */
function pieces(text) {
  let before = 0;
  const all = [...text.children].map((element) => {
    const piece = { element, before, length: element.textContent.length };
    before += piece.length;
    return piece;
  });
  return { all, length: before };
}

/** Returns how much of a text is above the screen. The number of characters depends on no width, unlike the height. */
function placeOf(text) {
  const { all, length } = pieces(text);
  for (const { element, before, length: own } of all) {
    const box = element.getBoundingClientRect();
    if (box.bottom > 0) return Math.round((whole * (before + own * Math.max(0, Math.min(1, -box.top / box.height)))) / Math.max(1, length));
  }
  return whole;
}

/** Scrolls a text to a place. */
function scrollToPlace(text, place) {
  const { all, length } = pieces(text);
  const at = (place * length) / whole;
  const piece = all.findLast(({ before }) => before <= at);
  if (!piece) return;
  const box = piece.element.getBoundingClientRect();
  scrollTo({ top: scrollY + box.top + (box.height * (at - piece.before)) / Math.max(1, piece.length) - 24, behavior: "instant" });
}

function remember(article, text) {
  const path = article.dataset.read;
  let stored = Number(article.dataset.place);
  if (!opened.has(path) && !location.hash && scrollY === 0 && stored > 100 && stored < whole * 0.97) {
    scrollToPlace(text, stored);
    announce(t("script.read.resumed"));
  }
  opened.add(path);
  const store = () => {
    clearTimeout(timer);
    if (!article.isConnected) return stop();
    // The end of the text is on the screen before its last line is at the top.
    const place = text.getBoundingClientRect().bottom <= innerHeight ? whole : placeOf(text);
    if (Math.abs(place - stored) < 50) return;
    stored = place;
    fetch(`${path}/place`, { method: "POST", body: new URLSearchParams({ place }), keepalive: true }).catch(() => {});
  };
  let timer;
  const moved = () => {
    clearTimeout(timer);
    timer = setTimeout(store, pause);
  };
  const hidden = () => { if (document.visibilityState === "hidden") store(); };
  const stop = () => {
    removeEventListener("scroll", moved);
    document.removeEventListener("visibilitychange", hidden);
  };
  addEventListener("scroll", moved, { passive: true });
  document.addEventListener("visibilitychange", hidden);
}

/** Offers buttons for the selected passage. */
function selecting(article, text) {
  const form = article.querySelector("form[data-highlight]");
  if (!form) return;
  const bar = make("div", { class: "marker", role: "toolbar", "aria-label": t("script.read.passage"), hidden: true },
    make("button", { type: "button", "data-key": "h" }, t("script.read.highlight")), make("button", { type: "button", "data-key": "n" }, t("script.read.note")));
  article.append(bar);
  bar.addEventListener("pointerdown", (event) => event.preventDefault()); // the passage stays selected
  const [plain, noted] = bar.querySelectorAll("button");
  plain.addEventListener("click", () => {
    if (!fill(form, text)) return;
    bar.hidden = true;
    getSelection().removeAllRanges();
    send(form);
  });
  noted.addEventListener("click", () => {
    if (!fill(form, text)) return;
    bar.hidden = true;
    form.closest("details").open = true;
    form.elements.note.focus();
  });
  document.addEventListener("selectionchange", function changed() {
    if (!article.isConnected) return document.removeEventListener("selectionchange", changed);
    const range = passage(text);
    bar.hidden = !range;
    if (!range || matchMedia("(pointer: coarse)").matches) return;
    const [box, page] = [range.getBoundingClientRect(), bar.offsetParent?.getBoundingClientRect() ?? { left: 0, top: 0 }];
    const left = Math.max(8, Math.min(box.left + box.width / 2 - bar.offsetWidth / 2, innerWidth - bar.offsetWidth - 8));
    const above = box.top > bar.offsetHeight + 8;
    bar.style.left = `${left - page.left}px`;
    bar.style.top = `${(above ? box.top - bar.offsetHeight - 8 : box.bottom + 8) - page.top}px`;
  });
}

/** Returns the selected part of a text, or null. */
function passage(text) {
  const selection = getSelection();
  if (selection.isCollapsed || selection.rangeCount === 0 || !selection.toString().trim()) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(text)) return null;
  const part = range.cloneRange();
  if (!text.contains(part.startContainer)) part.setStart(text, 0);
  if (!text.contains(part.endContainer)) part.setEnd(text, text.childNodes.length);
  return part.toString().trim() ? part : null;
}

/** Enters the selected passage and its surroundings into the form. Positions count characters, not UTF-16. */
function fill(form, text) {
  const range = passage(text);
  if (!range) return false;
  const [before, after] = [document.createRange(), document.createRange()];
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  after.setStart(range.endContainer, range.endOffset);
  after.setEnd(text, text.childNodes.length);
  const [front, back] = [[...before.toString()], [...after.toString()]];
  const fields = form.elements;
  fields.exact.value = range.toString();
  fields.prefix.value = front.slice(-context).join("");
  fields.suffix.value = back.slice(0, context).join("");
  fields.start.value = front.length;
  return true;
}

async function send(form) {
  try {
    const { page, to } = await ask(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (to) return goTo(to);
    if (page) return replaceMain(page);
  } catch {
    // The message below suits any failure.
  }
  announce(t("script.failed"));
}

/** Remembers in this browser whether the reader wants larger text. */
export function larger(box) {
  const key = "vitrine.read.larger";
  try {
    box.checked = localStorage.getItem(key) === "1";
    box.addEventListener("change", () => localStorage.setItem(key, box.checked ? "1" : ""));
  } catch {
    // Storage may be disabled.
  }
}
