// `textarea[data-mention]` suggests people after an @. Without this script, users type their short
// names.
import { Options } from "./options.js";

const beginning = /(?:^|[\s(])@([\p{L}\p{N}_-]{1,40})$/u;

export function start(area) {
  const before = () => area.value.slice(0, area.selectionStart);
  const options = new Options(area, (name) => {
    const typed = beginning.exec(before());
    if (!typed) return;
    area.setRangeText(`${name} `, area.selectionStart - typed[1].length, area.selectionStart, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  area.addEventListener("input", () => {
    const typed = beginning.exec(before());
    if (typed && area.selectionStart === area.selectionEnd) options.ask(area.dataset.mention + encodeURIComponent(typed[1]));
    else options.close();
  });
}
