// `form[data-select]` helps to select many items: a range with Shift, all, none, and the number of
// selected ones. Without this script, users tick each item.
import { t } from "./texts.js";

export function start(form) {
  let last = null;
  const boxes = () => [...form.querySelectorAll("li input[type=checkbox]")];
  const count = () => {
    const n = boxes().filter((box) => box.checked).length;
    for (const place of form.querySelectorAll("[data-select-count]")) place.textContent = n > 0 ? t("script.select.count", n) : "";
    for (const box of boxes()) box.closest("li").classList.toggle("chosen", box.checked);
  };
  const all = (checked) => {
    for (const box of boxes()) box.checked = checked;
    count();
  };
  for (const button of form.querySelectorAll("[data-select-all], [data-select-none]")) {
    button.hidden = false;
    button.addEventListener("click", () => all(button.matches("[data-select-all]")));
  }
  form.addEventListener("click", (event) => {
    if (!event.target.matches("li input[type=checkbox]")) return;
    const list = boxes();
    const [from, to] = [list.indexOf(last), list.indexOf(event.target)];
    if (event.shiftKey && from >= 0) {
      for (const box of list.slice(Math.min(from, to), Math.max(from, to) + 1)) box.checked = event.target.checked;
    }
    last = event.target;
    count();
  });
  form.addEventListener("reset", () => setTimeout(count));
  count();
}
