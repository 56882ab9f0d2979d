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
