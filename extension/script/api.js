// Requests to the server.
import { expire } from "./account.js";

/** An answer that is not a success, or no answer: then status is 0. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message what the server says, for people; "" if it says nothing
   * @param {number} wait seconds after which a request may succeed
   */
  constructor(status, message = "", wait = 0) {
    super(message || `status ${status}`);
    Object.assign(this, { status, text: message, wait });
  }
}

/**
 * Sends a request and returns the body of the answer. A Blob is sent as it is, any other body as JSON. A key makes a POST
 * take effect only once.
 * @param {import("./account.js").Account} account
 */
export async function request(account, method, path, body, key) {
  const headers = { Authorization: `Bearer ${account.token}`, Accept: "application/json" };
  const file = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = file ? body.type : "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  let response, answer;
  try {
    response = await fetch(account.api + path, { method, headers, body: body === undefined || file ? body : JSON.stringify(body),
      credentials: "omit", redirect: "error", cache: "no-store", signal: AbortSignal.timeout(file ? 240_000 : 30_000) });
    answer = await response.text();
  } catch {
    throw new Refusal(0);
  }
  if (response.status === 401) await expire(account.token);
  const json = parsed(answer);
  if (!response.ok) throw new Refusal(response.status, messageOf(json), waitOf(response.headers.get("Retry-After")));
  if (answer !== "" && json === null) throw new Refusal(0); // something on the way has answered instead of the server
  return json;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns what an error of the API says, in one line. */
export function messageOf(json) {
  const details = json?.details;
  const message = details?.message ?? json?.error?.message ?? json?.error_description ?? json?.error;
  const all = [typeof message === "string" ? message : "", ...(Array.isArray(details?.errors) ? details.errors : [])];
  return all.filter((text, i) => typeof text === "string" && text && all.indexOf(text) === i).slice(0, 3).join(". ");
}

/** Returns the seconds of a Retry-After header, at most an hour. */
export function waitOf(header, now = Date.now()) {
  if (!header) return 0;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), 3_600) : 0;
}
