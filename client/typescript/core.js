// What the clients of /v3 and /ext/v1 share: sending requests, repeating them, and renewing tokens.

/** A response with an error. */
export class VitrineError extends Error {
  constructor(status, message, fields, retryAfter, requestId) {
    const more = fields.filter((field) => field !== message);
    super(`${status} ${message}${more.length > 0 ? `: ${more.join("; ")}` : ""}`);
    this.name = "VitrineError";
    Object.assign(this, { status, fields, retryAfter, requestId });
  }
}

/** The refresh token is not valid any more: the person must sign in again. */
export class SignedOutError extends Error {
  constructor(cause) {
    super("the refresh token is not valid any more", { cause });
    this.name = "SignedOutError";
  }
}

const repeated = new Set([429, 502, 503, 504]);

/** Waits, or rejects when the signal does. */
export function pause(ms, signal) {
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

/** The query of parameters that are set. Lists are joined with commas, unless the parameter is repeated. */
function encodeQuery(params, repeat) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) && repeat.includes(name) ? value : [Array.isArray(value) ? value.join(",") : String(value)]) query.append(name, one);
  }
  return query.size === 0 ? "" : `?${query}`;
}

/** Encodes a body. */
function encodeBody(type, body) {
  switch (type) {
    case "application/json": return JSON.stringify(body ?? {});
    case "application/x-www-form-urlencoded": return new URLSearchParams(body).toString();
    default: return body;
  }
}

const early = 60_000; // before its end an access token is renewed
const renewalEnd = 25_000; // of all attempts; a lost response can be requested again for 30 seconds
const renewals = 2; // attempts whose response may have been lost; a third use of a refresh token looks like a theft

/** The tokens of a client. */
class Tokens {
  #now;
  #application;
  #save;
  #unsaved = false;
  #running;

  constructor({ token, tokens, application, onTokens }) {
    this.#now = tokens ?? { access: token };
    if (tokens === undefined) return;
    if (application?.id === undefined || typeof onTokens !== "function") throw new TypeError("tokens need an application and onTokens");
    [this.#application, this.#save] = [application, onTokens];
  }

  get renewable() { return this.#save !== undefined; }

  /** Returns the access token to send. */
  async current(transport) {
    const { expires } = this.#now;
    if (this.renewable && (this.#unsaved || expires !== undefined && new Date(expires).getTime() - Date.now() < early)) await this.renew(transport, this.#now.access);
    return this.#now.access;
  }

  /** Replaces an access token, unless another call has done so. */
  async renew(transport, used) {
    if (this.#now.access !== used && !this.#unsaved) return;
    this.#running ??= this.#run(transport).finally(() => { this.#running = undefined; });
    await this.#running;
  }

  async #run(transport) {
    if (!this.#unsaved) this.#now = await this.#request(transport, this.#now.refresh);
    this.#unsaved = true; // until they are saved
    await this.#save({ ...this.#now });
    this.#unsaved = false;
  }

  async #request(transport, refresh) {
    const { id, secret } = this.#application;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refresh });
    const headers = { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" };
    if (secret === undefined) body.set("client_id", id);
    else headers.Authorization = `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;
    const end = Date.now() + renewalEnd;
    for (let attempt = 0, lost = 0; ; attempt++) {
      try {
        const response = await transport.once("/v3/oauth/token", { method: "POST", headers, body: body.toString(), signal: AbortSignal.timeout(Math.max(end - Date.now(), 1)) });
        const { access_token: access, refresh_token: next, expires_in: seconds } = await response.json();
        if (typeof access !== "string" || typeof next !== "string") throw new TypeError("the server returned no new tokens");
        return { access, refresh: next, expires: seconds > 0 ? Date.now() + seconds * 1000 : undefined };
      } catch (error) {
        const { status } = error;
        if (status === 400 || status === 401) throw new SignedOutError(error);
        if (status === undefined || status === 502 || status === 504) lost++;
        const wait = transport.pauseAfter(error, true, attempt);
        if (wait === undefined || lost >= renewals || Date.now() + wait > end) throw error;
        await pause(wait);
      }
    }
  }
}

/** Sends the requests of a client. */
export class Transport {
  #base;
  #tokens;
  #retries;
  #longest;
  #fetch;

  constructor(base, { retries = 4, longestWait = 60, fetch = globalThis.fetch, ...tokens } = {}) {
    const url = new URL(base);
    if (!/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") throw new TypeError(`${base} is no base address`);
    this.#base = url.href.replace(/\/$/, "");
    [this.#retries, this.#longest] = [retries, longestWait];
    this.#fetch = (...args) => fetch(...args); // browsers refuse to call it as a method of something else
    this.#tokens = new Tokens(tokens);
  }

  /** Calls an operation by name with the arguments of its method. */
  async call(operations, name, args) {
    const [method, path, type, hasQuery, paging, repeat] = operations[name];
    const rest = [...args];
    const filled = path.replace(/\{\w+\}/g, () => {
      const value = encodeURIComponent(String(rest.shift() ?? ""));
      if (value === "" || value === "." || value === "..") throw new TypeError(`${name}: an id or slug is missing`);
      return value;
    });
    const body = type === "" ? undefined : encodeBody(type, rest.shift());
    const query = hasQuery ? encodeQuery(rest.shift(), repeat) : "";
    const response = await this.request(method, filled + query, type, body, rest.shift());
    if (paging === "file") return response;
    const text = await response.text();
    if (text === "") return undefined; // 204, and 202 without a body
    const result = JSON.parse(text);
    if (name.startsWith("show")) Object.defineProperty(result, "etag", { value: response.headers.get("ETag") });
    return result;
  }

  /** Sends a request with the token. After 401 it renews the token once, if it can. */
  async request(method, path, type, body, { signal, ifMatch, idempotencyKey, headers: more } = {}) {
    const headers = { Accept: "application/json", ...more };
    if (type !== "" && type !== undefined) headers["Content-Type"] = type;
    if (ifMatch !== undefined) headers["If-Match"] = ifMatch;
    const keyed = method === "POST" && type !== "application/x-www-form-urlencoded";
    if (keyed) headers["Idempotency-Key"] = idempotencyKey ?? crypto.randomUUID(); // the same for each repetition, so that it takes effect once
    for (let renewed = false; ; renewed = true) {
      const token = await this.#tokens.current(this);
      if (token !== undefined) headers.Authorization = `Bearer ${token}`;
      try {
        return await this.send(this.#base + path, { method, headers, body, signal }, method !== "POST" || keyed);
      } catch (error) {
        if (error.status !== 401 || renewed || !this.#tokens.renewable) throw error;
        await this.#tokens.renew(this, token);
      }
    }
  }

  /** Sends a request, and repeats it if the server asks for that, or if it was lost and may be repeated. */
  async send(address, request, repeatable) {
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await this.#fetch(address, request);
        if (response.ok) return response;
        throw await failure(response);
      } catch (error) {
        const wait = this.pauseAfter(error, repeatable, attempt);
        if (wait === undefined || request.signal?.aborted) throw error;
        await pause(wait, request.signal);
      }
    }
  }

  /** Sends a request once, without the token. */
  async once(path, request) {
    const response = await this.#fetch(this.#base + path, request);
    if (!response.ok) throw await failure(response);
    return response;
  }

  /** Returns how many milliseconds to wait before a request is repeated, or undefined if it may not be. */
  pauseAfter(error, repeatable, attempt) {
    const known = error instanceof VitrineError;
    let wait = 2 ** Math.min(attempt, 6) * (0.125 + 0.125 * Math.random());
    if (known && error.retryAfter > 0) wait = error.retryAfter;
    const again = known ? repeated.has(error.status) : repeatable && error.name !== "AbortError";
    return again && attempt < this.#retries && wait <= this.#longest ? wait * 1000 : undefined;
  }

  /** Returns the items of a list, page by page. */
  async* all(operations, name, args) {
    const [, path, type,, paging] = operations[name];
    const at = (path.match(/\{/g) ?? []).length + (type === "" ? 0 : 1);
    const params = { ...args[at] };
    for (;;) {
      const list = await this.call(operations, name, [...args.slice(0, at), params, ...args.slice(at + 1)]);
      const items = list.data ?? list.items;
      yield* items;
      if (items.length === 0 || !following[paging](list, params, items)) return;
    }
  }
}

const present = (value) => value !== null && value !== undefined;

/** Each kind of list: sets the parameters of the next page, and returns whether there is one. */
const following = {
  page: ({ meta }, params) => { params.page = meta.current_page + 1; return meta.has_more_pages; },
  cursor: ({ meta }, params) => { params.next = meta.next_cursor; return meta.has_more && present(meta.next_cursor); },
  place: (list, params) => { params.cursor = list.next_cursor; return present(list.next_cursor); },
  before: (list, params, items) => { params.before = items.at(-1).id; return list.more; },
  linked: (list, params) => { params.page = (params.page ?? 1) + 1; return present(list.next); },
};

/** Adds a method for each operation, and an iterator for each list. */
export function define(prototype, operations, transportOf) {
  for (const [name, [,,,, paging]] of Object.entries(operations)) {
    prototype[name] = function (...args) { return transportOf(this).call(operations, name, args); };
    if (paging in following) {
      const bare = name.replace(/^(get|list)/, "");
      prototype[`all${bare[0].toUpperCase()}${bare.slice(1)}`] = function (...args) { return transportOf(this).all(operations, name, args); };
    }
  }
}
