// The protocol's official client signs in and calls tools, in both revisions, over HTTP and through `vitrine mcp`.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { passwordOf } from "../rig/browser.js";
import { onOneDatabase } from "../rig/world.js";

const modes = { "2025-11-25": "legacy", "2026-07-28": "auto" };
const settings = { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0", VITRINE_OAUTH_REGISTRATION: "true" };

onOneDatabase("the official MCP client", (world) => {
  before(() => world.user("ada", "supporter", passwordOf("ada")));

  for (const [revision, mode] of Object.entries(modes)) {
    test(`registers, gets consent, calls tools and refreshes its token in revision ${revision}`, async () => {
      const app = new Application();
      const at = new URL("/mcp", world.url);
      const transport = new StreamableHTTPClientTransport(at, { authProvider: app });
      await assert.rejects(connect(transport, mode), UnauthorizedError);
      await transport.finishAuth(await allowed(app.address, world.url));
      const client = await connect(new StreamableHTTPClientTransport(at, { authProvider: app }), mode);
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      await use(client, revision);

      const { access_token, refresh_token } = app.stored;
      assert.ok(refresh_token, "no refresh token");
      app.stored = { ...app.stored, access_token: "expired" }; // the server answers 401, and the client refreshes
      await client.listTools();
      assert.notEqual(app.stored.access_token, access_token);
      assert.notEqual(app.stored.refresh_token, refresh_token);
      await client.close();
    });

    test(`calls tools through \`vitrine mcp\` in revision ${revision}`, async () => {
      const env = { VITRINE_TOKEN: await world.token("ada"), PATH: process.env.PATH };
      const client = await connect(new StdioClientTransport({ command: process.env.VITRINE_BIN, args: ["mcp", "--server", world.url], env }), mode);
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      await use(client, `${revision} by standard input`);
      await client.close();
    });
  }
}, settings);

async function connect(transport, mode) {
  const client = new Client({ name: "vitrine-e2e", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

/** Uses tools, resources and prompts. The client checks results against the schemas of the tools. */
async function use(client, title) {
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === "save"));
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result.content));
    return result.structuredContent;
  };
  const { channel } = await call("create_channel", { title, visibility: "private" });
  const { item } = await call("save", { value: "A grey heron", channels: [channel.slug] });
  assert.equal((await call("list_contents", { channel: channel.slug })).items[0].id, item.id);
  const failed = await client.callTool({ name: "read_block", arguments: { id: 999_999 } });
  assert.ok(failed.isError);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 2);
  const { contents } = await client.readResource({ uri: `vitrine://block/${item.id}` });
  assert.match(contents[0].text, /A grey heron/);
  const { prompts } = await client.listPrompts();
  assert.equal(prompts.length, 3);
}

/** An application that keeps its tokens, and the address that it would open in a browser. */
class Application {
  redirectUrl = "http://127.0.0.1:33418/";
  clientMetadata = { client_name: "Assistant", redirect_uris: [this.redirectUrl], grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "none" };
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.stored; }
  saveTokens(tokens) { this.stored = tokens; }
  redirectToAuthorization(address) { this.address = address; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovered = state; }
  discoveryState() { return this.discovered; }
}

/** Signs in, allows a request, and returns the parameters of the address to which the browser is sent. */
async function allowed(address, site) {
  const post = (to, fields, cookie) => fetch(to, { method: "POST", redirect: "manual", body: new URLSearchParams(fields), headers: { Origin: site, ...cookie && { Cookie: cookie } } });
  const signedIn = await post(`${site}/sign-in`, { email: "ada@example.org", password: passwordOf("ada") });
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
  const answer = await post(address, { answer: "allow" }, cookie);
  assert.equal(answer.status, 303, await answer.text());
  return new URL(answer.headers.get("Location")).searchParams;
}
