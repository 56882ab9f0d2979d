// `a[data-zoom]` shows the large picture over the page. Another click shows it in its original
// size. Without this script, the link leads to the picture.
import { make } from "./say.js";
import { t } from "./texts.js";

export function start(link) {
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(link);
  });
}

function open(link) {
  const alt = link.querySelector("img")?.alt || link.getAttribute("aria-label") || "";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches && link.dataset.zoomStill;
  const image = make("img", { src: still || link.href, alt, width: link.dataset.zoomWidth, height: link.dataset.zoomHeight });
  const size = make("button", { type: "button", class: "other", "aria-pressed": "false" }, t("script.zoom.actual"));
  const close = make("button", { class: "close other", "aria-label": t("script.close") }, "×");
  const dialog = make("dialog", { class: "zoom", "aria-label": alt || t("script.zoom.picture") },
    make("form", { method: "dialog" }, size, close), make("div", { class: "inside", tabindex: "0" }, image));
  const turn = () => size.setAttribute("aria-pressed", String(dialog.classList.toggle("actual")));
  size.addEventListener("click", turn);
  image.addEventListener("click", turn);
  dialog.addEventListener("click", (event) => !event.target.closest("img, button") && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}
