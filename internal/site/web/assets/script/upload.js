// `form[data-upload]` sends files as soon as they are selected, shows the progress of each, and
// retries failures. The blocks keep the order of the files, whichever arrives first. Without this
// script, the form itself sends the files.
import { openSheet } from "./dialog.js";
import { add, addOrKeep, keepFiles, mostKept, Refusal, show } from "./added.js";
import { ask, complaint } from "./page.js";
import { announce, make } from "./say.js";
import { t } from "./texts.js";

const atOnce = 3;
const pauses = [1000, 2000, 4000]; // before retries

export function start(form) {
  form.uploads ??= new Uploads(form);
}

class Uploads {
  #form;
  #list = make("ul", { class: "uploads", "aria-live": "polite" });
  #all = []; // in the order in which they were selected
  #waiting = [];
  #running = 0;
  #failed = 0;
  #last = Promise.resolve(); // blocks are created one by one, so that each finds its neighbours

  constructor(form) {
    this.#form = form;
    const input = form.querySelector("input[type=file]");
    form.after(this.#list);
    for (const button of form.querySelectorAll("[data-upload-button]")) button.hidden = true;
    form.addEventListener("submit", (event) => this.#submit(event));
    input.required = false;
    input.addEventListener("change", () => {
      this.take([...input.files]);
      input.value = "";
    });
    addEventListener("beforeunload", (event) => this.#running > 0 && form.isConnected && event.preventDefault());
  }

  /** Sends files, a few concurrently. Without a connection, the device keeps them. */
  async take(files) {
    if (!navigator.onLine && files.length <= mostKept) {
      const fields = new FormData(this.#form);
      fields.delete("file");
      if (await keepFiles(this.#form.action, fields, files)) return this.#form.closest("dialog.sheet")?.sheet.close();
    }
    for (const file of files) {
      const upload = new Upload(this, this.#form, file, this.#list);
      this.#all.push(upload);
      this.#waiting.push(upload);
    }
    this.#next();
  }

  /** Sends the text of a form in a dialog, so that it can be undone. */
  async #submit(event) {
    const sheet = this.#form.closest("dialog.sheet")?.sheet;
    if (!sheet) return;
    event.preventDefault();
    await sheet.sending(async () => {
      const fields = new FormData(this.#form, event.submitter);
      const { made, page, kept } = await addOrKeep(this.#form.action, fields);
      if (kept) return sheet.close();
      if (page) return sheet.show(page, this.#form.action);
      return show(this.#done(), made, (to) => sheet.finish(to));
    });
  }

  #done() {
    return new URL(this.#form.dataset.done ?? location.href, location.href);
  }

  /** Reports whether the next block also gets the title and the text of the form: the first one that is added does. */
  get fresh() {
    return this.#all.every((each) => !each.made);
  }

  /** Runs an action when all earlier ones have ended. */
  inTurn(act) {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Returns where an upload belongs: below the nearest earlier one that was added, or above the nearest later one. */
  place(upload) {
    const at = this.#all.indexOf(upload);
    const before = this.#all.slice(0, at).findLast((each) => each.made);
    if (before) return { beside: before.made.connection, side: "below" };
    const after = this.#all.slice(at + 1).find((each) => each.made);
    return after ? { beside: after.made.connection, side: "above" } : {};
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
        if (how === "failed") this.#failed++;
        this.#next();
      });
    }
    if (this.#running === 0 && this.#waiting.length === 0) this.#finish();
  }

  /** Continues when all files are sent. Failed ones stay for a retry. */
  #finish() {
    const made = this.#all.flatMap((each) => each.made ? [each.made, ...each.others] : []);
    if (made.length === 0 || this.#failed > 0) return;
    const sheet = this.#form.closest("dialog.sheet")?.sheet;
    show(this.#done(), made, sheet && ((to) => sheet.finish(to)));
  }
}

class Upload {
  made; // the block and its connection, once added
  others = []; // blocks that were added with it: the text of the form
  #uploads;
  #form;
  #file;
  #place; // upload address, once requested
  #poster; // promise of the value of the uploaded picture of a video, "" if there is none
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
      this.#poster ??= this.#sendPoster(signal).catch(() => "");
      await this.#retrying(async () => {
        this.#place ??= await this.#ask();
        await this.#send(signal);
      }, signal);
      await this.#poster;
      this.#say(t("script.upload.making"));
      await this.#uploads.inTurn(() => this.#retrying(() => this.#add(signal), signal));
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
    this.#poster = null;
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
  async #ask({ name, type } = this.#file) {
    const body = new URLSearchParams({ name, type: type || "application/octet-stream" });
    const { response, page, to } = await ask(this.#form.dataset.presign, { method: "POST", body, signal: this.#stop.signal });
    if (to) throw new Refusal();
    if (response.status >= 500 && response.status !== 507) throw new Error(complaint(page));
    if (!response.ok) throw new Refusal(complaint(page));
    return response.json();
  }

  /** Takes a picture of a video and sends it. */
  async #sendPoster(signal) {
    if (!this.#file.type.startsWith("video/")) return "";
    const { pictureOf } = await import("./poster.js");
    const picture = await pictureOf(this.#file);
    if (!picture || signal.aborted) return "";
    const place = await this.#ask({ name: "poster.jpg", type: picture.type });
    const { ok } = await fetch(place.url, { method: "PUT", body: picture, headers: { "Content-Type": place.type }, signal });
    return ok ? place.value : "";
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

  /** Creates a block of the file. The first one also sends the other fields of the form. */
  async #add(signal) {
    signal.throwIfAborted();
    const fields = new FormData(this.#form);
    if (!this.#uploads.fresh) for (const name of ["value", "title", "description"]) fields.delete(name);
    fields.set("as", "text"); // lines of addresses would otherwise be asked about
    fields.set("upload", this.#place.value);
    fields.set("filename", this.#file.name);
    const poster = await this.#poster;
    if (poster) fields.set("poster", poster);
    for (const [name, value] of Object.entries(this.#uploads.place(this))) fields.set(name, value);
    const { made, page } = await add(this.#form.action, fields, signal);
    if (page) throw new Refusal(complaint(page));
    [this.made, ...this.others] = made;
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
