// Receives the events of a webhook and checks their signatures (https://www.standardwebhooks.com). It creates the webhook, tests it,
// prints the types of events until one is a "ping", and deletes it.
//
//   TOKEN=… node examples/webhook.js http://127.0.0.1:8080 8090
import { createServer } from "node:http";
import { Client } from "../typescript/index.js";
import { verifyWebhook } from "../typescript/webhook.js";

const [server, port] = process.argv.slice(2);
const { ext } = new Client(server, { token: process.env.TOKEN });
const maxBody = 1 << 20;
const seen = new Set(); // a program with a database stores the ids there

const listening = createServer(async (request, response) => {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    if ((size += part.length) > maxBody) return request.destroy();
    parts.push(part);
  }
  let event;
  try {
    event = await verifyWebhook(webhook.secret, request.headers, Buffer.concat(parts));
  } catch {
    response.writeHead(401).end();
    return;
  }
  response.writeHead(204).end();
  if (seen.has(event.id)) return;
  seen.add(event.id);
  console.log(`received ${event.type}`);
  if (event.type === "ping") {
    await ext.deleteWebhook(webhook.id);
    listening.close();
    listening.closeAllConnections();
  }
});
await new Promise((resolve) => listening.listen(Number(port), "127.0.0.1", resolve));
const webhook = await ext.createWebhook({ url: `http://127.0.0.1:${port}/`, name: "Example" });
await ext.pingWebhook(webhook.id);
