// Verifies the messages that webhooks send (https://www.standardwebhooks.com).

const tolerance = 5 * 60; // seconds; bounds replays

/** A message that is not valid. */
export class WebhookError extends Error {
  constructor(message) {
    super(message);
    this.name = "WebhookError";
  }
}

/** Decodes base64, or returns undefined. */
function decoded(text) {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Checks the signature and the time of a message, and returns its event with the id of the message. */
export async function verifyWebhook(secrets, headers, body, { now = Date.now() } = {}) {
  const header = (name) => (typeof headers.get === "function" ? headers.get(name) : headers[name]) ?? "";
  const [id, at] = [header("webhook-id"), header("webhook-timestamp")];
  if (id === "" || !/^\d+$/.test(at) || Math.abs(now / 1000 - Number(at)) > tolerance) throw new WebhookError("the timestamp is not current");
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const prefix = encoder.encode(`${id}.${at}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  const signatures = header("webhook-signature").split(" ").filter((s) => s.startsWith("v1,")).map((s) => decoded(s.slice(3)));
  let valid = false;
  for (const secret of [secrets].flat()) {
    const raw = decoded(secret.replace(/^whsec_/, ""));
    if (raw === undefined || raw.length === 0) throw new TypeError("a secret is not whsec_ followed by base64");
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) valid ||= signature !== undefined && await crypto.subtle.verify("HMAC", key, signature, signed);
  }
  if (!valid) throw new WebhookError("no signature matches");
  try {
    return { id, ...JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    throw new WebhookError("the body is no JSON");
  }
}
