// The entry point of all scripts. Each module improves something that also works without it, by
// links and forms. Modules for few pages are loaded when one of their hooks appears.
import { dialogs } from "./dialog.js";
import { keepForReading } from "./offline.js";
import { actLate, keys, keysButton } from "./keys.js";
import { keepParts } from "./part.js";
import { closeMenus, copying, sending } from "./small.js";
import { times } from "./time.js";
import { whenSeen } from "./seen.js";

whenSeen("time[datetime]", times);
whenSeen("a[data-dialog]", dialogs);
whenSeen("[data-key]", keys);
whenSeen("button[data-keys]", keysButton);
whenSeen("button[data-copy]", copying);
whenSeen("select[data-submit]", sending);

const later = (selector, load) => whenSeen(selector, (element) => load().then((module) => module.start(element), () => {}));
later("form[data-upload]", () => import("./upload.js"));
later("form[data-outbox]", () => import("./outbox.js"));
later("[data-drop], form[data-upload]", () => import("./drop.js"));
later("[data-tiles]", () => import("./tiles.js"));
later("[data-acts]", () => import("./tools.js"));
later("[data-tiles]", () => import("./sort.js"));
later("[data-shelf]", () => import("./shelf.js"));
later("form[data-select]", () => import("./select.js"));
later("textarea[data-mention]", () => import("./mention.js"));
later("input[data-autocomplete]", () => import("./complete.js"));
whenSeen("input[data-suggest]", (input) => {
  const load = () => import("./suggest.js").then((module) => module.start(input), () => {});
  if (document.activeElement === input) load();
  else input.addEventListener("focus", load, { once: true });
});
later("[data-twins]", () => import("./twins.js"));
later("[data-view]", () => import("./view.js"));
later("a[data-zoom]", () => import("./zoom.js"));
later("button[data-passkey], button[data-make]", () => import("./passkey.js"));
later("[data-live]", () => import("./live.js"));
later("[data-edit]", () => import("./edit.js"));
later("[data-sheets]", () => import("./sheets.js"));
later("[data-read]", () => import("./read.js"));
whenSeen("input[data-larger]", (box) => import("./read.js").then((module) => module.larger(box), () => {}));
later("input[data-size]", () => import("./size.js"));
later("[data-slideshow]", () => import("./slideshow.js"));
later(".pending[id], [data-pending][id]", () => import("./pending.js"));

try {
  if (sessionStorage.getItem("vitrine.added")) import("./added.js").then((module) => module.offer(), () => {});
} catch {
  // Storage may be disabled.
}
closeMenus();
keepParts();
keepForReading();
actLate();
