// The client of /ext/v1, the additions of Vitrine to the API.
import { define, pause, VitrineError } from "./core.js";
import { operations } from "./ext_operations_gen.js";

/** The changes since the cursor are no longer known: read everything again, and follow without a cursor. */
export class StartAgainError extends Error {
  constructor(cause) {
    super("the changes since the cursor are no longer known: read everything again, and start without a cursor", { cause });
    this.name = "StartAgainError";
  }
}

const waitSeconds = 30; // of a request that waits for changes
const silence = 60_000; // after which a stream counts as broken; the server sends something every 15 seconds
const longestPause = 60_000; // between attempts to reach the server
const shortRound = 2000; // the least time from one request without any change to the next one
const maxEvent = 1 << 20; // characters of an event

export class Ext {
  #transport;

  constructor(transport) { this.#transport = transport; }

  /** Saves a copy of a page with a link to it. */
  async savePage({ url, html, channel }, options) {
    const form = new FormData();
    form.set("file", new Blob([html], { type: "text/html" }), "page.html");
    form.set("url", url);
    const query = channel === undefined ? "" : `?channel=${encodeURIComponent(channel)}`;
    const encoded = new Response(form); // once, so that repetitions with the same key have the same body
    const type = encoded.headers.get("Content-Type");
    return (await this.#transport.request("POST", `/ext/v1/snapshots${query}`, type, await encoded.arrayBuffer(), options)).json();
  }

  /** Returns what changes, in order, as batches with the cursor after each. */
  async* follow({ cursor, channel, stream = false, wait: waits = true, signal } = {}) {
    let at = cursor;
    for (let failures = 0; ;) {
      const began = Date.now();
      let moved = false, wait = 0;
      try {
        for await (const { more, ...batch } of stream && waits ? this.#stream(at, channel, signal) : this.#poll(at, channel, waits, signal)) {
          if (batch.cursor !== at || batch.changes.length > 0) {
            [moved, failures, at] = [true, 0, batch.cursor];
            yield batch;
          }
          if (!waits && !more) return;
        }
        if (!moved) wait = shortRound - (Date.now() - began);
      } catch (error) {
        signal?.throwIfAborted();
        const known = error instanceof VitrineError;
        if (known && error.status === 410) throw new StartAgainError(error);
        if (known ? error.status !== 429 && error.status < 500 : !lost(error)) throw error;
        wait = Math.max(Math.min(1000 * 2 ** Math.min(failures, 10), longestPause) * (0.5 + Math.random() / 2), known ? error.retryAfter * 1000 : 0);
        failures++;
      }
      signal?.throwIfAborted();
      if (wait > 0) await pause(wait, signal);
    }
  }

  /** Requests the changes after the cursor, and waits for some if there are none. Without a cursor it gets one. */
  async* #poll(cursor, channel, waits, signal) {
    const wait = waits && cursor !== undefined ? waitSeconds : undefined;
    const { data: changes, cursor: next, more } = await this.listChanges({ cursor, channel, wait }, { signal });
    yield { changes, cursor: next, more };
  }

  /** Reads one stream to its end, which the server sets after five minutes. */
  async* #stream(cursor, channel, signal) {
    const broken = new AbortController();
    const end = () => broken.abort(signal.reason);
    let timer;
    const alive = () => { clearTimeout(timer); timer = setTimeout(() => broken.abort(new DOMException("the stream is silent", "TimeoutError")), silence); };
    signal?.addEventListener("abort", end, { once: true });
    try {
      const headers = { Accept: "text/event-stream", ...(cursor !== undefined && { "Last-Event-ID": cursor }) };
      const query = channel === undefined ? "" : `?channel=${channel}`;
      const response = await this.#transport.request("GET", `/ext/v1/changes/stream${query}`, "", undefined, { signal: broken.signal, headers });
      for await (const { event, id, data } of events(response.body, alive)) {
        const changes = event === "change" ? [JSON.parse(data)] : [];
        if (id !== undefined) yield { changes, cursor: id };
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      broken.abort();
    }
  }

  static { define(this.prototype, operations, (ext) => ext.#transport); }
}

/** Reports whether an error means that a request or its response was lost. fetch rejects with a TypeError. */
const lost = (error) => error instanceof TypeError || error instanceof DOMException;

/** Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). An event without its end is dropped. */
async function* events(body, alive) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "", event = "", id, data = [];
  try {
    for (;;) {
      alive();
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      if (rest.length > maxEvent) throw new RangeError("an event of the stream is too long");
      for (const line of lines.map((l) => l.replace(/\r$/, ""))) {
        const [, name, text] = /^([^:]*):? ?(.*)$/s.exec(line);
        if (line === "") {
          yield { event, id, data: data.join("\n") };
          [event, data] = ["", []];
        } else if (name === "event") event = text;
        else if (name === "id") id = text;
        else if (name === "data") data.push(text);
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // it may be broken already
  }
}
