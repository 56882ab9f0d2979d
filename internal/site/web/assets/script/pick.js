// A dialog for connecting items to a channel: one click on a channel connects them, typing finds others, and Enter
// selects the first one or makes a new one.
import { channels, connect, reason } from "./items.js";
import { announce, make, onceKey } from "./say.js";
import { t } from "./texts.js";

/** Opens the dialog for items of a list. Calls `then` when they are connected. */
export function pick(list, items, then) {
  const field = make("input", { type: "search", id: "pick-field", role: "combobox", "aria-expanded": "true", "aria-controls": "pick-list", "aria-autocomplete": "list", autocomplete: "off", maxlength: 200 });
  const options = make("ul", { class: "picks", role: "listbox", id: "pick-list", "aria-label": t("script.pick.channels") });
  const why = make("p", { class: "wrong", role: "alert" });
  const close = make("button", { type: "button", class: "close other", "aria-label": t("script.close") }, "×");
  const dialog = make("dialog", { class: "sheet pick", "aria-labelledby": "pick-title" }, close,
    make("div", { class: "inside" }, make("h2", { id: "pick-title" }, t("script.pick.title", items.length)), make("label", { class: "unseen", for: "pick-field" }, t("script.pick.find")), field, why, options));
  field.placeholder = t("script.pick.find");
  const once = onceKey();
  let found = [];
  let at = -1;
  let asked = 0;
  let timer;

  const mark = (to) => {
    at = to;
    [...options.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === to)));
    if (at < 0) return field.removeAttribute("aria-activedescendant");
    options.children[at].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", options.children[at].id);
  };
  const show = () => {
    const typed = field.value.trim();
    const all = found.map(({ label, hint }) => [make("bdi", {}, label), " ", make("small", { dir: "auto" }, hint ?? "")]);
    if (typed && !found.some(({ label }) => label.toLowerCase() === typed.toLowerCase())) all.push([t("script.pick.make", typed)]);
    options.replaceChildren(...all.map((parts, i) => make("li", { role: "option", id: `pick-${i}`, "aria-selected": "false" }, ...parts)));
    mark(typed && all.length > 0 ? 0 : -1);
    announce(t("script.options", all.length));
  };
  const look = async () => {
    const number = ++asked;
    try {
      const next = await channels(field.value, items.length === 1 ? items[0] : undefined);
      if (number !== asked) return false;
      found = next;
    } catch {
      if (number !== asked) return false;
      found = [];
    }
    show();
    return true;
  };
  const choose = async (i) => {
    if (dialog.hasAttribute("aria-busy") || i < 0 || i >= options.children.length) return;
    dialog.setAttribute("aria-busy", "true");
    why.textContent = "";
    try {
      await connect(list, items, found[i] ? { to: found[i].value } : { title: field.value.trim(), once }, () => {
        dialog.close();
        then();
      });
    } catch (error) {
      why.textContent = reason(error);
    } finally {
      dialog.removeAttribute("aria-busy");
    }
  };

  field.addEventListener("input", () => {
    clearTimeout(timer);
    asked++;
    timer = setTimeout(() => { timer = undefined; look(); }, 150);
  });
  field.addEventListener("keydown", async (event) => {
    if (event.isComposing) return;
    const n = options.children.length;
    if (event.key === "ArrowDown" && n) mark((at + 1) % n);
    else if (event.key === "ArrowUp" && n) mark((at <= 0 ? n : at) - 1);
    else if (event.key !== "Enter") return;
    event.preventDefault();
    if (event.key !== "Enter") return;
    if (timer) { // the list is that of an earlier text
      clearTimeout(timer);
      timer = undefined;
      if (!(await look())) return;
    }
    choose(at);
  });
  options.addEventListener("click", (event) => choose([...options.children].indexOf(event.target.closest("[role=option]"))));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("mousedown", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
  look();
}
