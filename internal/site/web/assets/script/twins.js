// `[data-twins]` lists the links that the user already has to the page whose address is typed into `#value`. This is only
// a hint, so errors are not shown.
import { ask } from "./page.js";

const pause = 400; // ms

export function start(hint) {
  const field = hint.closest("form, dialog, main")?.querySelector("#value");
  let [asked, timer] = [0, 0];
  field?.addEventListener("input", () => {
    clearTimeout(timer);
    const now = ++asked;
    timer = setTimeout(() => ask(hint.dataset.twins, { method: "POST", body: new URLSearchParams({ value: field.value }) }).then(({ page }) => {
      if (now === asked) hint.replaceChildren(...page?.querySelectorAll(".twins") ?? []);
    }, () => {}), pause);
  });
}
