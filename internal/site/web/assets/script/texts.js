// The texts of scripts in the page's language. Each language has a generated module that calls
// `say` before anything else runs.

let texts = {};
let plural = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

export function say(language, all) {
  texts = all;
  plural = new Intl.PluralRules(language);
  numbers = new Intl.NumberFormat(language);
}

/** Returns a text with its arguments filled in. The first one selects the plural form, or the text for an exact number. */
export function t(id, ...args) {
  const found = texts[id] ?? id;
  const text = typeof found === "string" ? found : found[`=${args[0]}`] ?? found[plural.select(args[0])] ?? found.other;
  let next = 0;
  return text.replace(/%(?:\[(\d+)\])?[sdv]/g, (_, at) => {
    const arg = args[at ? at - 1 : next++];
    return typeof arg === "number" ? numbers.format(arg) : String(arg ?? "");
  });
}
