// `form[data-outbox]` also works without a connection: the device stores its fields and files, and the
// worker sends them later. Pages list the waiting forms. The form also receives the content that
// phones share with the installed site. Without this script, the form is sent at once.
import { ask, complaint, replaceMain } from "./page.js";
import { withPictures } from "./poster.js";
import { announce, make, onceKey } from "./say.js";
import { t } from "./texts.js";

const { reader } = document.documentElement.dataset;

/** Sends a message to the worker, and returns its answer. */
function tell(outbox, message = {}) {
  const worker = navigator.serviceWorker?.controller;
  if (!worker) return Promise.reject(new Error("no worker"));
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => (data.error ? reject(new DOMException("", data.error)) : resolve(data.result));
    worker.postMessage({ reader, ...message, outbox }, [port2]);
  });
}

/**
 * Stores the fields of a form until the site can be reached. Returns false if this browser cannot.
 * Several addresses become links, since nobody can be asked later.
 */
export async function keep(address, fields) {
  if (!reader || reader === "guest") return false;
  if (!fields.get("as")) fields.set("as", "links");
  const first = navigator.onLine ? Date.now() : undefined; // the site may have received it
  try {
    await tell("keep", { address: new URL(address, location.href).href, fields: [...fields].filter(sent), first });
  } catch (error) {
    if (error.name === "QuotaExceededError") announce(t("script.outbox.full"));
    return false;
  }
  await showWaiting();
  announce(t("script.outbox.kept"));
  return true;
}

/** Reports whether a field is worth keeping. Empty file fields and the search for channels are not. */
const sent = ([name, value]) => name !== "q" && value.size !== 0;

export function start(form) {
  if (form.outbox) return;
  form.outbox = true;
  form.addEventListener("submit", (event) => submit(form, event));
  fill(form);
}

async function submit(form, event) {
  const { submitter } = event;
  if (event.defaultPrevented || form.closest("dialog") || submitter?.getAttribute("formmethod") === "get") return;
  event.preventDefault();
  if (form.getAttribute("aria-busy")) return;
  let fields = new FormData(form, submitter);
  form.setAttribute("aria-busy", "true");
  try {
    fields = await withPictures(fields);
    if (!navigator.onLine) throw new TypeError();
    const { to, page } = await ask(form.action, { method: "POST", body: fields });
    if (to || page?.querySelector("main form[data-outbox]")) taken(form);
    if (to) return location.assign(to);
    if (page?.querySelector("main form")) replaceMain(page);
    else complain(complaint(page) || t("script.failed"));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (await keep(form.action, fields)) {
      taken(form);
      empty(form);
    } else {
      complain(t("script.failed"));
    }
  } finally {
    form.removeAttribute("aria-busy");
  }
}

function complain(text) {
  document.querySelector("#notes")?.replaceChildren(make("div", { class: "alarm", role: "alert" }, make("p", {}, text)));
}

/** Prepares a form for the next content. */
function empty(form) {
  for (const field of form.querySelectorAll("textarea, input:not([type=hidden], [type=checkbox], [type=radio])")) field.value = "";
  for (const box of form.querySelectorAll("input[name=upload]")) box.checked = false;
  form.elements.once.value = onceKey();
}

/** Deletes the shared content of a form that the site or the device has received. */
function taken(form) {
  if (form.dataset.shared) tell("unshare", { id: form.dataset.shared }).catch(() => {});
  delete form.dataset.shared;
}

/** Fills the form with shared content. A page from the cache does not know its address, so it is filled from there too. */
async function fill(form) {
  const query = new URLSearchParams(location.search);
  const id = query.get("shared");
  const entry = id ? await tell("shared", { id }).catch(() => undefined) : undefined;
  const given = (name) => (entry?.[name] || query.get(name) || "").trim();
  const { value, title, description } = form.elements;
  if (!value.value && !title.value && ["url", "title", "text"].some(given)) {
    const text = given("text");
    const address = given("url") || text.split(/\s+/).find((word) => /^https?:\/\/./i.test(word)) || "";
    const rest = given("url") ? text : text.replace(address, "").trim();
    value.value = address || rest;
    title.value = given("title");
    if (address) description.value = rest;
  } else if (entry?.text && !query.get("text") && !description.value && value.value !== entry.text) {
    description.value = entry.text;
  }
  if (!id) return;
  if (!entry) return complain(t("script.shared.gone"));
  form.dataset.shared = id;
  const files = new DataTransfer();
  for (const file of entry.files) files.items.add(file);
  form.querySelector("#file").files = files.files;
  if (entry.files.length > 0) form.querySelector("#file").after(make("ul", { class: "plain small" }, ...entry.files.map((file) => make("li", { dir: "auto" }, file.name))));
  if (entry.left.length > 0) complain(t("script.shared.left", entry.left.join(", ")));
}

/** Shows how many forms the worker has sent, and what still waits. */
export async function showWaiting(sent = 0) {
  const all = await tell("list").catch(() => []);
  document.querySelector(".outbox")?.remove();
  const notes = document.querySelector("#notes");
  if (sent > 0) {
    announce(t("script.outbox.sent", sent));
    notes?.replaceChildren(make("div", { class: "note" }, make("p", {}, t("script.outbox.sent", sent))));
  }
  if (all.length === 0 || !notes) return;
  notes.prepend(make("div", { class: "note outbox" }, make("details", { open: all.some(({ state }) => state !== "waiting") },
    make("summary", {}, t("script.outbox.waiting", all.length)), make("ul", { class: "plain" }, ...all.map(row)))));
}

function row(entry) {
  const of = (name) => entry.fields.filter(([field, value]) => field === name && value !== "").map(([, value]) => value);
  const what = [...of("title"), ...of("value"), ...of("file").map((file) => file.name)].join(" · ") || new URL(entry.address).pathname;
  const button = (name, act) => {
    const element = make("button", { type: "button", class: "other small", "aria-label": `${name}: ${what.slice(0, 100)}` }, name);
    element.addEventListener("click", async () => {
      element.disabled = true;
      await act().catch(() => {});
      await showWaiting();
    });
    return element;
  };
  return make("li", {}, make("p", { class: "what", dir: "auto" }, what), ...why(entry),
    button(t("script.upload.retry"), () => tell("retry", { id: entry.id })), " ",
    button(t("script.outbox.discard"), async () => confirm(t("script.outbox.sure")) && tell("discard", { id: entry.id })));
}

/** Returns why a form was not sent: the site's message. */
function why({ state, answer }) {
  if (state === "waiting") return [];
  const page = answer && new DOMParser().parseFromString(answer, "text/html");
  const text = state === "unsure" ? t("script.outbox.unsure") : complaint(page) || t("script.outbox.refused");
  return [make("p", { class: "why" }, text)];
}
