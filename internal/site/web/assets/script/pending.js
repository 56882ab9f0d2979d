// Reloads parts of the page while their content is being processed. Without this script, users
// reload the page.
import { announce } from "./say.js";
import { ask, started } from "./page.js";
import { t } from "./texts.js";

const selector = ".pending[id], [data-pending][id]";
const first = 2000;
const longest = 30_000;
const most = 40; // consecutive requests without a change

let timer = 0;
let pause = first;
let asked = 0;

export function start() {
  pause = first;
  asked = 0;
  if (!timer) timer = setTimeout(look, pause);
}

async function look() {
  timer = 0;
  const pending = [...document.querySelectorAll(selector)];
  if (pending.length === 0) return;
  if (document.hidden) {
    document.addEventListener("visibilitychange", look, { once: true });
    return;
  }
  try {
    const { page } = await ask(location.href);
    for (const element of pending) exchange(element, page?.getElementById(element.id));
  } catch {
    // The site cannot be reached at the moment.
  }
  pause = Math.min(pause * 2, longest);
  if (++asked < most && !timer && document.querySelector(selector)) timer = setTimeout(look, pause);
}

function exchange(old, fresh) {
  if (!fresh || fresh.matches(selector) || !old.isConnected) return;
  const focused = old.contains(document.activeElement);
  const element = document.adoptNode(fresh);
  old.replaceWith(element);
  started(element);
  if (focused) element.querySelector("a, button")?.focus();
  announce(t("script.ready"));
}
