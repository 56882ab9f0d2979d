// `[data-sheets]` has the pages of a document as images. A page that cannot be drawn has a message instead. Without this
// script, it has the alternative text of its image.
import { make } from "./say.js";
import { t } from "./texts.js";

export function start(list) {
  list.addEventListener("error", ({ target }) => refused(target), { capture: true });
  for (const image of list.querySelectorAll("img")) if (image.complete && image.naturalWidth === 0) refused(image);
}

function refused(image) {
  image.closest("a.large")?.replaceWith(make("p", { class: "refused" }, `${image.alt}: ${t("script.sheet.refused")}`));
}
