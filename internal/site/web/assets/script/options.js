// A list of suggestions below a field, following the ARIA practices: the focus stays in the field,
// arrows move through the list, Enter or Tab selects, Esc closes it.
import { announce, make } from "./say.js";
import { t } from "./texts.js";

let lists = 0;

export class Options {
  #field;
  #list;
  #take;
  #found = [];
  #at = -1;
  #asked = 0;
  #timer;

  /** `take` receives the value of the selected option. */
  constructor(field, take) {
    [this.#field, this.#take] = [field, take];
    this.#list = make("ul", { class: "options", role: "listbox", id: `options-${++lists}`, hidden: true, "aria-label": field.labels?.[0]?.textContent.trim() ?? "" });
    field.after(this.#list);
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.#list.id);
    field.autocomplete = "off";
    field.addEventListener("keydown", (event) => this.#key(event));
    field.addEventListener("blur", () => this.close());
    this.#list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    this.#list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#choose([...this.#list.children].indexOf(option));
    });
  }

  /** Requests suggestions for the text after a pause in typing. */
  ask(address) {
    clearTimeout(this.#timer);
    const asked = ++this.#asked;
    this.#timer = setTimeout(async () => {
      try {
        const response = await fetch(address, { headers: { Accept: "application/json" } });
        const found = response.ok ? await response.json() : [];
        if (asked === this.#asked) this.#show(found);
      } catch {
        this.close();
      }
    }, 150);
  }

  /** Shows options at once, unless the same are shown. A marked one stays marked. */
  offer(options) {
    const marked = this.#found[this.#at];
    if (JSON.stringify(options) === JSON.stringify(this.#found)) return;
    this.#show(options);
    const at = marked ? options.findIndex(({ value }) => JSON.stringify(value) === JSON.stringify(marked.value)) : -1;
    if (at >= 0) this.#mark(at);
  }

  close() {
    this.#asked++;
    clearTimeout(this.#timer);
    this.#show([]);
  }

  #show(found) {
    const was = this.#found.length;
    [this.#found, this.#at] = [found, -1];
    this.#list.replaceChildren(...found.map((option, i) => make("li", { role: "option", id: `${this.#list.id}-${i}`, "aria-selected": "false" },
      make("bdi", {}, option.label), ...(option.hint ? [" ", make("small", { dir: "auto" }, option.hint)] : []))));
    this.#list.hidden = found.length === 0;
    if (this.#field.role === "combobox") this.#field.setAttribute("aria-expanded", String(found.length > 0));
    this.#field.removeAttribute("aria-activedescendant");
    if (found.length > 0 && found.length !== was) announce(t("script.options", found.length));
  }

  #key(event) {
    if (this.#found.length === 0 || event.isComposing) return;
    switch (event.key) {
      case "ArrowDown": this.#mark((this.#at + 1) % this.#found.length); break;
      case "ArrowUp": this.#mark((this.#at <= 0 ? this.#found.length : this.#at) - 1); break;
      case "Escape": this.close(); break;
      case "Enter":
      case "Tab":
        if (this.#at < 0) return;
        this.#choose(this.#at);
        break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #mark(at) {
    this.#list.children[this.#at]?.setAttribute("aria-selected", "false");
    this.#at = at;
    const option = this.#list.children[at];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.#field.setAttribute("aria-activedescendant", option.id);
  }

  #choose(at) {
    const { value } = this.#found[at];
    this.close();
    this.#take(value);
  }
}
