// A typed client of the public v3 API, for browsers and Node 20 or later. It has no dependencies.
import { operations } from "./operations_gen.js";

/** A response with an error. */
export class VitrineError extends Error {
  constructor(status, message, fields, retryAfter, requestId) {
    const more = fields.filter((field) => field !== message);
    super(`${status} ${message}${more.length > 0 ? `: ${more.join("; ")}` : ""}`);
    this.name = "VitrineError";
    Object.assign(this, { status, fields, retryAfter, requestId });
  }
}

const repeated = new Set([429, 502, 503, 504]);

/** Waits, or rejects when the signal does. */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const end = () => { clearTimeout(timer); reject(signal.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", end); resolve(); }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/** Converts a response to an error. */
async function failure(response) {
  const seconds = Number(response.headers.get("Retry-After"));
  let message = response.statusText, fields = [];
  try {
    const body = await response.json();
    message = body.details?.message ?? body.error?.message ?? body.error_description ?? message;
    fields = body.details?.errors ?? [];
  } catch { /* not JSON: the status is all there is */ }
  return new VitrineError(response.status, message, fields, seconds > 0 ? seconds : 0, response.headers.get("X-Request-Id"));
}

/** The query of parameters that are set. Lists are joined with commas. */
function encodeQuery(params = {}) {
  const set = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(set.map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : String(value)])).toString();
  return query === "" ? "" : `?${query}`;
}

export class Client {
  #base;
  #token;
  #retries;
  #longest;
  #fetch;

  constructor(base, { token, retries = 4, longestWait = 60, fetch = globalThis.fetch } = {}) {
    const url = new URL(base);
    if (!/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") throw new TypeError(`${base} is no base address`);
    this.#base = url.href.replace(/\/$/, "");
    [this.#token, this.#retries, this.#longest, this.#fetch] = [token, retries, longestWait, fetch];
  }

  /** Calls an operation by name with the arguments of its method. */
  async #call(name, args) {
    const [method, path, hasBody, hasQuery, form] = operations[name];
    const rest = [...args];
    const filled = path.replace(/\{\w+\}/g, () => {
      const value = encodeURIComponent(String(rest.shift() ?? ""));
      if (value === "" || value === "." || value === "..") throw new TypeError(`${name}: an id or slug is missing`);
      return value;
    });
    const body = hasBody ? rest.shift() ?? {} : undefined;
    const query = hasQuery ? encodeQuery(rest.shift()) : "";
    const { signal } = rest.shift() ?? {};
    const headers = { Accept: "application/json" };
    if (this.#token !== undefined) headers.Authorization = `Bearer ${this.#token}`;
    if (hasBody) headers["Content-Type"] = form ? "application/x-www-form-urlencoded" : "application/json";
    const keyed = method === "POST" && hasBody && !form;
    if (keyed) headers["Idempotency-Key"] = crypto.randomUUID(); // the same for each repetition, so that it takes effect once
    const request = { method, headers, signal };
    if (hasBody) request.body = form ? new URLSearchParams(body).toString() : JSON.stringify(body);
    const response = await this.#send(this.#base + filled + query, request, method !== "POST" || keyed);
    return response.status === 204 ? undefined : response.json();
  }

  /** Sends a request, and repeats it if the server asks for that, or if it was lost and may be repeated. */
  async #send(address, request, repeatable) {
    for (let attempt = 0; ; attempt++) {
      let error;
      try {
        const response = await this.#fetch(address, request);
        if (response.ok) return response;
        error = await failure(response);
      } catch (lost) {
        error = lost;
      }
      const known = error instanceof VitrineError;
      let wait = 2 ** Math.min(attempt, 6) * (0.125 + 0.125 * Math.random());
      if (known && error.retryAfter > 0) wait = error.retryAfter;
      const again = known ? repeated.has(error.status) : repeatable && error.name !== "AbortError";
      if (!again || attempt >= this.#retries || wait > this.#longest || request.signal?.aborted) throw error;
      await pause(wait * 1000, request.signal);
    }
  }

  /** Returns the items of a list, page by page. */
  async* #all(name, args) {
    const [, path, hasBody,,, paging] = operations[name];
    const at = (path.match(/\{/g) ?? []).length + (hasBody ? 1 : 0);
    const params = { ...args[at] };
    for (;;) {
      const list = await this.#call(name, [...args.slice(0, at), params, ...args.slice(at + 1)]);
      yield* list.data;
      const { meta } = list;
      const more = paging === "page" ? meta.has_more_pages : meta.has_more && meta.next_cursor !== null && meta.next_cursor !== undefined;
      if (!more || list.data.length === 0) return;
      if (paging === "page") params.page = meta.current_page + 1;
      else params.next = meta.next_cursor;
    }
  }

  /** Sends a file, and returns the value to create a block with. */
  async upload(name, contentType, file, { signal } = {}) {
    const { files: [to] } = await this.presignUpload({ files: [{ filename: name, content_type: contentType }] }, { signal });
    await this.#send(to.upload_url, { method: "PUT", headers: { "Content-Type": to.content_type }, body: file, signal }, !(file instanceof globalThis.ReadableStream));
    return to.upload_url.split("?")[0];
  }

  static {
    for (const [name, [,,,,, paging]] of Object.entries(operations)) {
      this.prototype[name] = function (...args) { return this.#call(name, args); };
      if (paging !== "") {
        const bare = name.replace(/^get/, "");
        this.prototype[`all${bare[0].toUpperCase()}${bare.slice(1)}`] = function (...args) { return this.#all(name, args); };
      }
    }
  }
}
