// `input[data-size]` changes the size of the items at once, and the site remembers it. Without this
// script, its form requests the page in the new size.
import { ask } from "./page.js";

export function start(input) {
  const list = document.getElementById("cells");
  input.addEventListener("input", () => { list.className = list.className.replace(/\bs\d\b/, `s${input.value}`); });
  input.addEventListener("change", () => {
    const at = new URL(location.href);
    at.searchParams.set("size", input.value);
    history.replaceState(history.state, "", at);
    ask(at, { method: "HEAD" }).catch(() => {}); // it is in the address anyway
  });
}
