// `input[data-autocomplete]` suggests completions of the field, or of its last part if `data-many` says
// that commas separate parts. Without this script, users type the whole value.
import { Options } from "./options.js";

export function start(input) {
  const many = "many" in input.dataset;
  const first = () => many ? /^(?:.*,)? */.exec(input.value)[0] : "";
  input.role = "combobox";
  input.setAttribute("aria-expanded", "false");
  const options = new Options(input, (value) => {
    input.value = first() + value + (many ? ", " : "");
    input.dispatchEvent(new Event("change", { bubbles: true }));
    if ("autocompleteSubmit" in input.dataset) input.form.requestSubmit();
  });
  input.addEventListener("input", () => {
    const typed = input.value.slice(first().length).trim();
    if (typed) options.ask(input.dataset.autocomplete + encodeURIComponent(typed));
    else options.close();
  });
}
