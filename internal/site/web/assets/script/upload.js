// `form[data-upload]` sends files that are selected, dropped or pasted, shows the progress of each,
// and retries failures. `[data-drop]` is a link to the page with such a form. Without this script,
// the form itself sends the files.
import { openSheet } from "./dialog.js";
import { ask, complaint, goTo } from "./page.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const atOnce = 3;
const pauses = [1000, 2000, 4000]; // before retries

export function start(element) {
  if (element.matches("form")) element.uploads = new Uploads(element);
  listen();
}

/** An error from the site with its message. */
class Refusal extends Error {}

class Uploads {
  #form;
  #list = make("ul", { class: "uploads", "aria-live": "polite" });
  #waiting = [];
  #running = 0;
  #failed = 0;
  #added = 0;

  constructor(form) {
    this.#form = form;
    const input = form.querySelector("input[type=file]");
    form.after(this.#list);
    for (const button of form.querySelectorAll("[data-upload-button]")) button.hidden = true;
    input.required = false;
    input.addEventListener("change", () => {
      this.take([...input.files]);
      input.value = "";
    });
    addEventListener("beforeunload", (event) => this.#running > 0 && form.isConnected && event.preventDefault());
  }

  /** Sends files, a few concurrently. */
  take(files) {
    for (const file of files) this.#waiting.push(new Upload(this, this.#form, file, this.#list));
    this.#next();
  }

  again(upload) {
    this.#failed--;
    this.#waiting.push(upload);
    this.#next();
  }

  #next() {
    while (this.#running < atOnce && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift().run().then((how) => {
        this.#running--;
        if (how === "added") this.#added++;
        if (how === "failed") this.#failed++;
        this.#next();
      });
    }
    if (this.#running === 0 && this.#waiting.length === 0) this.#finish();
  }

  /** Continues when all files are sent. Failed ones stay for a retry. */
  #finish() {
    if (this.#added === 0) return;
    announce(t("script.upload.added", this.#added));
    if (this.#failed > 0) return;
    const done = this.#form.dataset.done ?? location.href;
    const sheet = this.#form.closest("dialog.sheet")?.sheet;
    if (sheet) sheet.finish(done);
    else goTo(new URL(done, location.href));
  }
}

class Upload {
  #uploads;
  #form;
  #file;
  #place; // upload address, once requested
  #stop;
  #row;
  #bar;
  #state = make("span", { class: "state" });
  #button = make("button", { type: "button", class: "link" });

  constructor(uploads, form, file, list) {
    [this.#uploads, this.#form, this.#file] = [uploads, form, file];
    this.#bar = make("progress", { max: 1, value: 0, "aria-label": file.name });
    this.#row = make("li", {}, make("span", { class: "name", dir: "auto" }, file.name), this.#bar, this.#state, this.#button);
    this.#button.addEventListener("click", () => (this.#stop ? this.#stop.abort() : this.#again()));
    this.#offer("script.upload.cancel");
    this.#say(t("script.upload.waiting"));
    this.#stop = new AbortController();
    list.append(this.#row);
  }

  /** Sends the file. Returns "added", "failed" or "cancelled". */
  async run() {
    const { signal } = this.#stop;
    try {
      signal.throwIfAborted();
      this.#say("");
      await this.#retrying(async () => {
        this.#place ??= await this.#ask();
        await this.#send(signal);
      }, signal);
      this.#say(t("script.upload.making"));
      await this.#add(signal);
      this.#bar.value = 1;
      this.#say(t("script.upload.done"));
      this.#button.remove();
      return "added";
    } catch (error) {
      if (signal.aborted) {
        this.#row.remove();
        announce(t("script.upload.cancelled", this.#file.name));
        return "cancelled";
      }
      this.#stop = null;
      this.#row.classList.add("failed");
      this.#say(error instanceof Refusal && error.message ? error.message : t("script.upload.failed"));
      this.#offer("script.upload.retry");
      return "failed";
    }
  }

  #again() {
    this.#stop = new AbortController();
    this.#row.classList.remove("failed");
    this.#bar.value = 0;
    this.#say(t("script.upload.waiting"));
    this.#offer("script.upload.cancel");
    this.#uploads.again(this);
  }

  /** Retries with increasing pauses, unless the site refuses the file. */
  async #retrying(act, signal) {
    for (const pause of [...pauses, null]) {
      try {
        return await act();
      } catch (error) {
        if (error instanceof Refusal || signal.aborted || pause === null) throw error;
        this.#say(t("script.upload.again"));
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve, { once: true });
          setTimeout(resolve, pause);
        });
        signal.throwIfAborted();
      }
    }
  }

  /** Requests the upload address of the file. */
  async #ask() {
    const body = new URLSearchParams({ name: this.#file.name, type: this.#file.type || "application/octet-stream" });
    const { response, page, to } = await ask(this.#form.dataset.presign, { method: "POST", body, signal: this.#stop.signal });
    if (to) throw new Refusal();
    if (response.status >= 500 && response.status !== 507) throw new Error(complaint(page));
    if (!response.ok) throw new Refusal(complaint(page));
    return response.json();
  }

  /** Sends the bytes. Only XMLHttpRequest reports upload progress. */
  #send(signal) {
    this.#say("");
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", this.#place.url);
      request.setRequestHeader("Content-Type", this.#place.type);
      request.upload.onprogress = (event) => { this.#bar.value = event.lengthComputable ? event.loaded / event.total : 0; };
      request.onerror = () => reject(new Error());
      request.onabort = () => reject(signal.reason);
      request.onload = () => {
        if (request.status < 300) return resolve();
        if (request.status >= 500 || request.status === 429 || request.status === 408) return reject(new Error());
        this.#place = null; // the address was used or has expired
        reject(new Refusal(refusal(request)));
      };
      signal.addEventListener("abort", () => request.abort(), { once: true });
      request.send(this.#file);
    });
  }

  /** Creates a block of the file with the other fields of the form. */
  async #add(signal) {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(this.#form)) if (typeof value === "string") body.append(name, value);
    body.set("upload", this.#place.value);
    body.set("filename", this.#file.name);
    const { response, page, to } = await ask(this.#form.getAttribute("action") ?? location.href, { method: "POST", body, signal });
    if (!to && !(response.ok && !page)) throw new Refusal(complaint(page));
  }

  #say(text) {
    this.#state.textContent = text;
  }

  #offer(id) {
    const what = id === "script.upload.retry" ? t("script.upload.retry") : t("script.upload.cancel");
    this.#button.textContent = what;
    this.#button.setAttribute("aria-label", `${what}: ${this.#file.name}`);
  }
}

/** Returns the reason of the file storage's refusal from its JSON, if it gives one. */
function refusal(request) {
  try {
    const { error, details } = JSON.parse(request.responseText);
    return details?.message ?? (typeof error === "string" ? error : "");
  } catch {
    return "";
  }
}

let listening = false;

/** Handles files that are dropped on the page or pasted into it. */
function listen() {
  if (listening) return;
  listening = true;
  const carries = (event) => event.dataTransfer?.types.includes("Files") && target();
  addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    document.documentElement.classList.add("dropping");
  });
  for (const end of ["dragleave", "drop"]) {
    addEventListener(end, (event) => (end === "drop" || !event.relatedTarget) && document.documentElement.classList.remove("dropping"));
  }
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    give([...event.dataTransfer.files]);
  });
  addEventListener("paste", (event) => {
    const files = [...event.clipboardData?.files ?? []];
    const writes = event.target.closest?.("input, textarea, [contenteditable]") && event.clipboardData.types.includes("text/plain");
    if (files.length === 0 || writes || !target()) return;
    event.preventDefault();
    give(files);
  });
}

const target = () => document.querySelector("dialog[open] form[data-upload]") ?? (document.querySelector("dialog[open]") ? null : document.querySelector("form[data-upload], [data-drop]"));

async function give(files) {
  let to = target();
  if (to?.matches("[data-drop]")) {
    await openSheet(to.href);
    to = document.querySelector("dialog[open] form[data-upload]");
    if (to && !to.uploads) start(to);
  }
  if (to && files.length > 0) to.uploads.take(files);
}
