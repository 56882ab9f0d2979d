// Small improvements of single elements.
import { announce } from "./say.js";
import { t } from "./texts.js";

/**
 * `button[data-copy="#id"]` copies the text of an element. Without this script, users select and
 * copy it.
 */
export function copying(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const from = document.querySelector(button.dataset.copy);
    const say = (id) => {
      const [was, said] = [button.textContent, t(id)];
      announce(said);
      button.textContent = said;
      setTimeout(() => { button.textContent = was; }, 2000);
    };
    try {
      await navigator.clipboard.writeText(from.value ?? from.textContent.trim());
      say("script.copied");
    } catch {
      from.select?.();
      announce(t("script.copy.failed"));
    }
  });
}

/** `select[data-submit]` sends its form after a change. Without this script, there is a button. */
export function sending(select) {
  for (const button of select.form?.querySelectorAll("[data-submit-button]") ?? []) button.hidden = true;
  select.addEventListener("change", () => select.form.requestSubmit());
}

/** Closes menus when something else is clicked or one of their entries is, or with Esc. */
export function closeMenus() {
  const open = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("click", ({ target }) => {
    for (const menu of open()) if (!menu.querySelector("summary").contains(target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    for (const menu of open()) {
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    }
  });
}
