// `a[data-dialog]` opens its page in a dialog over the current one, and the page's forms are sent
// from there. Without this script, the link leads to that page, whose forms lead back.
import { ask, complaint, goTo, plain, root, started } from "./page.js";
import { make } from "./say.js";
import { t } from "./texts.js";

export function dialogs(link) {
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", (event) => {
    if (!plain(event)) return;
    event.preventDefault();
    const within = link.closest("dialog.sheet");
    if (within) within.sheet.load(link.href);
    else openSheet(link.href);
  });
}

/** Opens a page in a dialog, or navigates to it if that fails. Resolves when it is shown. */
export async function openSheet(address) {
  const sheet = new Sheet();
  await sheet.load(address);
  return sheet;
}

/** Shows a page that the site returned in a dialog. */
export function showSheet(page, address) {
  new Sheet().show(page, address);
}

class Sheet {
  #address;
  #typed = false; // the user would lose it

  constructor() {
    const close = make("button", { type: "button", class: "close other", "aria-label": t("script.close") }, "×");
    this.inside = make("div", { class: "inside" });
    this.element = make("dialog", { class: "sheet" }, close, this.inside);
    this.element.sheet = this;
    close.addEventListener("click", () => this.leave());
    this.element.addEventListener("cancel", (event) => {
      if (event.target !== this.element) return; // from a file field
      event.preventDefault();
      this.leave();
    });
    this.element.addEventListener("mousedown", (event) => event.target === this.element && this.leave());
    this.element.addEventListener("close", () => this.element.remove());
    this.element.addEventListener("input", () => { this.#typed = true; });
    this.element.addEventListener("click", (event) => {
      if (!event.target.closest?.("[data-close]")) return;
      event.preventDefault();
      this.leave();
    });
    this.element.addEventListener("submit", (event) => this.#send(event));
  }

  /** Closes the dialog. If the user typed something, asks for confirmation first. */
  leave() {
    if (!this.#typed || confirm(t("script.dialog.discard"))) this.element.close();
  }

  async load(address) {
    try {
      const answer = await ask(address);
      if (answer.to) await this.#arrive(answer.to, address);
      else if (answer.page?.querySelector("main")) this.show(answer.page, address);
      else location.assign(address);
    } catch {
      location.assign(address);
    }
  }

  /** Sends a form in the dialog, and shows its errors. */
  async #send(event) {
    if (event.defaultPrevented) return;
    event.preventDefault();
    const [form, button] = [event.target, event.submitter];
    const attribute = (name) => button?.getAttribute(`form${name}`) ?? form.getAttribute(name);
    const address = new URL(attribute("action") ?? this.#address, this.#address);
    const fields = new FormData(form, button);
    await this.sending(async () => {
      if (attribute("method")?.toLowerCase() !== "post") {
        address.search = new URLSearchParams(fields);
        return this.load(address.href);
      }
      const body = form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields);
      const answer = await ask(address, { method: "POST", body });
      if (answer.to || answer.response.ok) this.#typed = false; // otherwise the input is still unsaved
      if (answer.to) await this.#arrive(answer.to, address.href);
      else if (answer.page?.querySelector("main form")) this.show(answer.page, address.href);
      else this.#complain(complaint(answer.page) || t("script.failed"));
    });
  }

  /** Runs an action while the dialog is busy, and shows its failure. */
  async sending(act) {
    this.element.setAttribute("aria-busy", "true");
    try {
      await act();
    } catch (error) {
      this.#complain(error instanceof TypeError || !error.message ? t("script.failed") : error.message);
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  /**
   * Follows a redirect of a form: within the dialog if the target is the dialog's page, otherwise
   * behind it.
   */
  async #arrive(to, from) {
    if (to.pathname === new URL(this.#address ?? from).pathname && this.#address && to.pathname !== location.pathname) return this.load(to.href);
    this.#typed = false;
    this.element.close();
    await goTo(to);
  }

  /** Closes the dialog. Nothing that was typed is lost. */
  close() {
    this.#typed = false;
    this.element.close();
  }

  /** Closes the dialog and continues, like a form in it. */
  finish(address) {
    this.close();
    return goTo(new URL(address, location.href));
  }

  /** Shows a page of the site. */
  show(page, address) {
    this.#address = new URL(address, location.href).href;
    const main = document.adoptNode(page.querySelector("main"));
    apart(main);
    for (const next of main.querySelectorAll("input[name=next][value='']")) next.value = location.pathname.slice(root().length) + location.search;
    this.inside.replaceChildren(...main.childNodes);
    const heading = this.inside.querySelector("h1");
    if (heading) {
      heading.id ||= "sheet-title";
      heading.tabIndex = -1;
      this.element.setAttribute("aria-labelledby", heading.id);
    }
    started(this.inside);
    if (!this.element.open) {
      document.body.append(this.element);
      this.element.showModal();
    }
    this.inside.scrollTop = 0;
    const first = ["[aria-invalid=true]", "[autofocus]", "input:not([type=hidden]), textarea, select", "h1"]
      .map((selector) => this.inside.querySelector(selector)).find(Boolean);
    first?.focus();
  }

  #complain(text) {
    this.inside.querySelector(".alarm")?.remove();
    this.inside.prepend(make("div", { class: "alarm", role: "alert" }, make("p", {}, text)));
  }
}

/** Renames ids that also exist behind the dialog, and the references to them. */
export function apart(main) {
  for (const element of main.querySelectorAll("[id]")) {
    const id = element.id;
    if (!document.getElementById(id)) continue;
    element.id = `over-${id}`;
    for (const name of ["for", "aria-describedby", "aria-labelledby", "aria-controls", "list", "form"]) {
      for (const other of main.querySelectorAll(`[${name}~="${CSS.escape(id)}"]`)) {
        other.setAttribute(name, other.getAttribute(name).split(/\s+/).map((word) => (word === id ? element.id : word)).join(" "));
      }
    }
    for (const name of ["hx-target", "hx-select-oob", "data-copy"]) {
      for (const other of main.querySelectorAll(`[${name}="#${CSS.escape(id)}"]`)) other.setAttribute(name, `#${element.id}`);
    }
  }
}
