// `input[data-suggest]` suggests results while a query is typed, the reader's own first. An empty field shows recent
// searches, which only this browser stores. Without this script, Enter searches as well.
import { Options } from "./options.js";
import { t } from "./texts.js";

const most = 8;
const { root = "", reader = "" } = document.documentElement.dataset;
const kept = `vitrine.searches.${reader}`;
const guest = !reader || reader === "guest";
const pause = guest ? 400 : 120; // ms; suggestions count as searches, and guests may make fewer

function recent() {
  try {
    const all = JSON.parse(localStorage.getItem(kept));
    return Array.isArray(all) ? all.filter((one) => typeof one === "string").slice(0, most) : [];
  } catch {
    return [];
  }
}

function keep(all) {
  try {
    if (all.length > 0) localStorage.setItem(kept, JSON.stringify(all.slice(0, most)));
    else localStorage.removeItem(kept);
  } catch {
    // Storage may be disabled.
  }
}

async function found(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    return response.ok ? await response.json() : [];
  } catch {
    return [];
  }
}

export function start(input) {
  const typed = () => input.value.trim();
  let [asked, timer] = [0, 0];
  input.type = "text"; // the role combobox is for fields of this type
  input.enterKeyHint = "search";
  input.role = "combobox";
  input.setAttribute("aria-expanded", "false");
  const options = new Options(input, ({ path, query }) => {
    if (path) location.assign(root + path);
    else if (query) {
      input.value = query;
      input.form.requestSubmit();
    } else keep([]);
  });

  const suggest = async (query) => {
    const now = ++asked;
    const [own, all] = (guest ? [""] : ["&scope=mine", ""]).map((scope) => found(input.dataset.suggest + encodeURIComponent(query) + scope));
    let shown = [];
    for (const next of [own, all]) {
      for (const { value, label, hint } of await next ?? []) {
        if (shown.length < most && !shown.some(({ value: { path } }) => path === value)) shown = [...shown, { value: { path: value }, label, hint }];
      }
      if (now !== asked || document.activeElement !== input) return;
      options.offer(shown);
    }
  };
  const offer = () => {
    clearTimeout(timer);
    asked++;
    const query = typed();
    if (query) {
      timer = setTimeout(() => suggest(query), pause);
      return;
    }
    const all = recent().map((one) => ({ value: { query: one }, label: one }));
    options.offer(all.length > 0 ? [...all, { value: {}, label: t("script.searches.clear") }] : []);
  };
  input.addEventListener("input", offer);
  input.addEventListener("blur", () => asked++);
  input.addEventListener("focus", () => { if (!typed()) offer(); });
  input.form.addEventListener("submit", () => {
    if (typed()) keep([typed(), ...recent().filter((one) => one !== typed())]);
  });
  if (document.activeElement === input) offer();
}
