// Parts of a page that htmx replaces. A response without the part is an error, which is shown next
// to the trigger. The part keeps its content, including typed text.
import { complaint } from "./page.js";
import { make } from "./say.js";
import { t } from "./texts.js";

export function keepParts() {
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    const select = requestConfig.elt.closest("[hx-select]")?.getAttribute("hx-select");
    if (!select || xhr.status < 400) return;
    const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
    if (page.querySelector(select)) return;
    event.detail.shouldSwap = false;
    refused(requestConfig.elt, complaint(page));
  });
  document.addEventListener("htmx:sendError", (event) => refused(event.detail.requestConfig.elt, ""));
}

function refused(element, why) {
  // A link still works without its part. The footer is hidden while a link has a part to load.
  if (element.localName !== "form") return element.removeAttribute("hx-get");
  element.querySelector(":scope > .alarm")?.remove();
  element.prepend(make("div", { class: "alarm", role: "alert" }, make("p", {}, why || t("script.failed"))));
}
