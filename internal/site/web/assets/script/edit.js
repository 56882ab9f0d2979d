// `[data-edit]` lets its user edit texts where they are shown: title, description and text. Leaving the
// field saves, Escape cancels, and saving can be undone. If somebody else has changed the text
// in the meantime, the form opens with both texts. Without this script, the form changes them.
import { undoable } from "./added.js";
import { openSheet, showSheet } from "./dialog.js";
import { ask, refresh, root } from "./page.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const places = {
  title: ".told > .title, .what > h1",
  description: ".told > .prose, .what > .prose",
  content: ".shown .piece.text > .prose",
};
const largestKept = 60_000; // browsers finish small requests after the page is closed

export function start(element) {
  const missing = make("p", { class: "editing missing" });
  for (const [name, place] of Object.entries(places)) {
    const text = element.querySelector(place);
    if (text) new Text(element, name, text);
    else if (name !== "content") missing.append(opener(t("script.edit.add." + name), (button) => new Text(element, name).open(button)));
  }
  if (missing.hasChildNodes()) element.querySelector(".told > .facts")?.before(missing); // not above the items of a channel, which would move
}

function opener(label, open, attributes = {}) {
  const button = make("button", { type: "button", class: "link", ...attributes }, label);
  button.addEventListener("click", () => open(button));
  return button;
}

/** A text that can be edited. */
class Text {
  #address;
  #name;
  #shown; // the text, its button or the field

  constructor(element, name, text) {
    this.#address = new URL(element.dataset.edit, location.href).href;
    this.#name = name;
    if (!text) return;
    const button = opener("✎", () => this.open(place), { class: "other", "aria-label": t("script.edit." + name), title: t("script.edit." + name) });
    const place = make("div", { class: "editing" });
    text.replaceWith(place);
    place.append(text, button);
  }

  /** Replaces the text by a field with its source. */
  async open(place) {
    if (this.#shown) return;
    this.#shown = place;
    let field, seen;
    try {
      const { page } = await ask(this.#address);
      const form = page?.querySelector("main form");
      [field, seen] = [form?.elements[this.#name], form?.elements[`was_${this.#name}`]?.value];
    } catch {
      // The form cannot be reached either.
    }
    if (!field || seen === undefined) {
      this.#shown = undefined;
      return openSheet(this.#address);
    }
    const hint = make("p", { class: "hint", id: "editing-hint" }, t(field.localName === "textarea" ? "script.edit.how.text" : "script.edit.how"));
    const label = field.labels[0]?.textContent ?? "";
    field = document.adoptNode(field);
    for (const name of ["id", "aria-describedby", "autofocus", "required"]) field.removeAttribute(name);
    field.setAttribute("aria-label", label);
    field.setAttribute("aria-describedby", hint.id);
    field.dir = "auto";
    const box = make("div", { class: `editing field ${this.#name}` }, field, hint);
    place.replaceWith(box);
    field.focus();
    field.setSelectionRange?.(field.value.length, field.value.length);
    this.#listen(field, box, place, seen);
  }

  #listen(field, box, place, seen) {
    let over = false;
    const cancel = () => {
      over = true;
      this.#shown = undefined;
      box.replaceWith(place);
      place.querySelector("button")?.focus({ preventScroll: true });
    };
    field.addEventListener("input", (event) => event.stopPropagation()); // the view would ask before it closes
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        cancel();
      } else if (event.key === "Enter" && (field.localName === "input" || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        field.blur();
      }
    });
    field.addEventListener("blur", async () => {
      if (over || document.activeElement === field) return; // it is over, or only the window lost the focus
      if (field.value === seen.replaceAll("\r\n", "\n")) return cancel();
      over = true;
      field.readOnly = true;
      const result = await this.#save(field.value, seen, box);
      if (result === "refused") cancel(); // the form has the text
      if (result !== "failed") return;
      over = false;
      field.readOnly = false;
    });
  }

  /** Saves a text, and shows the page with it. Resolves to "saved", "refused" or "failed". */
  async #save(text, seen, box) {
    const address = this.#address;
    let answer;
    try {
      answer = await send(address, this.#name, text, seen);
      if (!answer.to && !answer.page?.querySelector("main form")) throw new Error();
    } catch {
      box.querySelector(".why")?.remove();
      box.prepend(make("span", { class: "why" }, t("script.failed")));
      announce(t("script.failed"));
      return "failed";
    }
    if (!answer.to) { // refused: the form shows why, with the text
      showSheet(answer.page, address);
      return "refused";
    }
    await arrive(answer.to, box);
    offer(address, this.#name, seen, text);
    return "saved";
  }
}

function send(address, name, text, seen) {
  const body = new URLSearchParams([["do", "save"], [name, text], [`was_${name}`, seen], ["next", location.pathname.slice(root().length) + location.search]]);
  return ask(address, { method: "POST", body, keepalive: body.toString().length < largestKept });
}

/** Shows the changed page, whose address may have changed with its title. */
async function arrive(to, box) {
  const view = document.querySelector("dialog.view");
  if (!view && to.pathname !== location.pathname) history.replaceState(history.state, "", to);
  if (!box || box.isConnected) await refresh();
}

/** Offers to undo a change. */
function offer(address, name, seen, text) {
  undoable(t("script.edit.saved"), async () => {
    const { to, page } = await send(address, name, seen, text);
    if (to) {
      await arrive(to);
      announce(t("script.edit.undone"));
    } else if (page?.querySelector("main form")) {
      showSheet(page, address);
    } else {
      throw new Error();
    }
  }, "note", (document.querySelector("dialog.view") ?? document).querySelector("#notes, #over-notes"));
}
