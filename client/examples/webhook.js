// Receives the events of a webhook and checks their signatures (https://www.standardwebhooks.com). It creates the webhook, tests it,
// prints the types of events until one is a "ping", and deletes it.
//
//   TOKEN=… node examples/webhook.js http://127.0.0.1:8080 8090
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const [server, port] = process.argv.slice(2);
const tolerance = 5 * 60; // seconds
const maxBody = 1 << 20;
const seen = new Set(); // a program with a database stores the ids there

async function call(method, path, body) {
  const response = await fetch(server + path, { method, body: body && JSON.stringify(body),
    headers: { Authorization: `Bearer ${process.env.TOKEN}`, ...(body && { "Content-Type": "application/json" }) } });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

/** Reports whether a message is signed with the secret, and current. */
function verify(secret, headers, body) {
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp || NaN)) <= tolerance)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const want = createHmac("sha256", key).update(`${headers["webhook-id"]}.${timestamp}.`).update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => {
    const [version, text = ""] = signature.split(",");
    const got = Buffer.from(text, "base64");
    return version === "v1" && got.length === want.length && timingSafeEqual(got, want);
  });
}

const listening = createServer(async (request, response) => {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    if ((size += part.length) > maxBody) return request.destroy();
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  if (!verify(webhook.secret, request.headers, body)) {
    response.writeHead(401).end();
    return;
  }
  response.writeHead(204).end();
  if (seen.has(request.headers["webhook-id"])) return;
  seen.add(request.headers["webhook-id"]);
  const { type } = JSON.parse(body);
  console.log(`received ${type}`);
  if (type === "ping") {
    await call("DELETE", `/ext/v1/webhooks/${webhook.id}`);
    listening.close();
    listening.closeAllConnections();
  }
});
await new Promise((resolve) => listening.listen(Number(port), "127.0.0.1", resolve));
const webhook = await call("POST", "/ext/v1/webhooks", { url: `http://127.0.0.1:${port}/`, name: "Example" });
await call("POST", `/ext/v1/webhooks/${webhook.id}/ping`);
