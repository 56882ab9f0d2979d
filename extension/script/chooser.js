// A field in which people type to choose channels (the combobox pattern of ARIA), and create new ones.
import { request } from "./api.js";
import { limits } from "./drafts.js";
import { el, t } from "./texts.js";

const visibilities = ["public", "closed", "private"];

/** Returns channels without those that are chosen already, each once. */
export function offered(lists, chosen) {
  const seen = new Set(chosen.map(({ id }) => id));
  return lists.flat().filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Reports whether a title has all words of a text. The last one may be the beginning of a word. */
export function begins(text, title) {
  const plain = (value) => value.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
  const words = plain(title).split(/[^\p{L}\p{N}]+/u);
  const typed = plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return typed.every((word, i) => words.some((other) => (i < typed.length - 1 ? other === word : other.startsWith(word))));
}

export class Chooser {
  chosen = [];
  #excluded = [];
  #options = [];
  #active = 0;
  #timer;
  #asked = 0; // number of the latest request
  #found = null; // the latest answer: its text and channels
  #picks = false; // Enter was pressed before the server had answered

  /**
   * @param {{field: HTMLInputElement, list: HTMLElement, chips: HTMLElement, account: object, recent: object[], changed: () => void, submit: () => void}} parts
   */
  constructor(parts) {
    Object.assign(this, parts);
    this.field.setAttribute("aria-controls", this.list.id);
    this.field.addEventListener("input", () => this.#typed());
    this.field.addEventListener("keydown", (event) => this.#pressed(event));
    this.#typed();
  }

  /** Sets the channels that contain the item already, which are not offered. */
  exclude(channels) {
    this.#excluded = channels;
    this.chosen = offered([this.chosen], channels);
    this.#chips();
    this.#offer();
  }

  choose(channel) {
    if (this.chosen.length >= limits.channels) return;
    this.chosen.push(channel);
    this.field.value = "";
    this.#chips();
    this.#typed();
  }

  #drop(channel) {
    this.chosen = this.chosen.filter((other) => other !== channel);
    this.#chips();
    this.#typed();
    this.field.focus();
  }

  #typed() {
    const text = this.field.value.trim();
    this.#active = text === "" && this.chosen.length > 0 ? -1 : 0; // with -1, Enter saves
    this.#picks = false;
    this.#offer();
    clearTimeout(this.#timer);
    this.#asked++; // earlier answers are of another text
    this.#timer = setTimeout(() => this.#ask(text), text === "" ? 0 : 120);
  }

  async #ask(text) {
    const number = ++this.#asked;
    let found = [];
    try {
      found = (await request(this.account, "GET", `/ext/v1/me/channels?per=24&query=${encodeURIComponent(text)}`)).data;
    } catch {
      // Recent channels still work.
    }
    if (number !== this.#asked) return;
    this.#found = { text, channels: found };
    this.#offer();
    if (this.#picks) this.#pick(this.#active);
  }

  /** Shows the recent channels that begin with the typed text, and those that the server has found for it. */
  #offer() {
    const text = this.field.value.trim(), answered = this.#found?.text === text;
    this.#show([...this.recent.filter(({ title }) => begins(text, title)), ...(answered ? this.#found.channels : [])], text, answered);
  }

  /** Shows channels, and a new one if the server has answered that there is none with this title. */
  #show(channels, text, answered = false) {
    const options = offered([channels], [...this.chosen, ...this.#excluded]).slice(0, 24).map((channel) => ({ channel }));
    const same = (title) => title.toLocaleLowerCase() === text.toLocaleLowerCase();
    if (text && answered && !options.some(({ channel }) => same(channel.title)) && !this.chosen.some(({ title }) => same(title))) options.push({ create: text });
    this.#options = options;
    this.#active = Math.min(this.#active, options.length - 1);
    if (this.#active < 0 && (text || this.chosen.length === 0)) this.#active = 0;
    this.list.replaceChildren(...options.map((option, i) => this.#option(option, i)));
    this.field.setAttribute("aria-expanded", String(options.length > 0));
    this.#mark();
  }

  #option({ channel, create }, i) {
    const content = create
      ? [el("span", { class: "new" }, t("chooserCreate", create))]
      : [el("span", { class: "title" }, channel.title), el("span", { class: `mark ${channel.visibility}` }, t(`visibility_${channel.visibility}`)),
        channel.owner && channel.owner !== this.account.user.name ? el("small", {}, channel.owner) : null];
    return el("li", { id: `option-${i}`, role: "option", onmousedown: (event) => event.preventDefault(), onclick: () => this.#pick(i) }, ...content);
  }

  #mark() {
    Array.from(this.list.children).forEach((option, i) => option.setAttribute("aria-selected", String(i === this.#active)));
    const active = this.list.children[this.#active];
    active?.scrollIntoView({ block: "nearest" });
    if (active) this.field.setAttribute("aria-activedescendant", active.id);
    else this.field.removeAttribute("aria-activedescendant");
  }

  #pick(i) {
    const { channel, create } = this.#options[i] ?? {};
    if (channel) this.choose(channel);
    else if (create) this.choose({ key: crypto.randomUUID(), title: Array.from(create).slice(0, 255).join(""), visibility: "closed" });
    this.field.focus();
  }

  #pressed(event) {
    if (event.isComposing) return;
    const last = this.#options.length - 1;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        this.#active = event.key === "ArrowDown" ? (this.#active >= last ? 0 : this.#active + 1) : (this.#active <= 0 ? last : this.#active - 1);
        this.#mark();
        break;
      case "Enter":
        if (event.ctrlKey || event.metaKey || (this.#active < 0 && this.field.value.trim() === "")) this.submit();
        else if (this.#options.length > 0) this.#pick(this.#active);
        else this.#picks = true;
        break;
      case "Backspace":
        if (this.field.value !== "" || this.chosen.length === 0) return;
        this.#drop(this.chosen.at(-1));
        break;
      case "Escape":
        if (this.field.value === "") return; // closes the popup
        this.field.value = "";
        this.#typed();
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  #chips() {
    this.chips.replaceChildren(...this.chosen.map((channel) => el("li", {},
      el("span", { class: "title" }, channel.title),
      channel.key && !channel.id ? el("select", { "aria-label": t("chooserVisibility", channel.title), onchange: (event) => { channel.visibility = event.target.value; } },
        ...visibilities.map((value) => el("option", { value, selected: value === channel.visibility }, t(`visibility_${value}`)))) : null,
      el("button", { type: "button", class: "drop", "aria-label": t("chooserDrop", channel.title), onclick: () => this.#drop(channel) }, "×"))));
    this.changed();
  }
}
