// `input[data-autocomplete]` suggests completions of the field. Without this script, users type the
// whole value.
import { Options } from "./options.js";

export function start(input) {
  input.role = "combobox";
  input.setAttribute("aria-expanded", "false");
  const options = new Options(input, (value) => {
    input.value = value;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    if ("autocompleteSubmit" in input.dataset) input.form.requestSubmit();
  });
  input.addEventListener("input", () => {
    const typed = input.value.trim();
    if (typed) options.ask(input.dataset.autocomplete + encodeURIComponent(typed));
    else options.close();
  });
}
