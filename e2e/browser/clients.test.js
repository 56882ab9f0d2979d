import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { onOneDatabase } from "../rig/world.js";

/** A client's web server, which records the addresses that browsers are redirected to, except for icons. */
class Client {
  visits = [];

  async start() {
    this.server = createServer((request, response) => {
      if (request.url !== "/favicon.ico") this.visits.push(new URL(request.url, this.url));
      response.end("Back at the client.");
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.redirect = `${this.url}/back?from=vitrine`;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  get visit() {
    return this.visits.at(-1);
  }
}

// The tests depend on each other: each uses the results of the previous ones.
onOneDatabase("tokens and applications in a browser, without JavaScript", (world) => {
  const browsers = withBrowser(world);
  const client = new Client();
  const verifier = randomBytes(32).toString("base64url");
  let ada, bea, id, secret, token;
  before(async () => {
    await client.start();
    for (const slug of ["ada", "bea"]) await world.user(slug, "supporter", passwordOf(slug));
    [ada, bea] = [await browsers.open(), await browsers.open()];
    await ada.signIn("ada");
  });
  after(() => client.stop());

  const me = (bearer) => fetch(`${world.url}/v3/me`, { headers: { Authorization: `Bearer ${bearer}` } });
  const authorize = (changes = {}) => `/oauth/authorize?${new URLSearchParams({
    client_id: id, redirect_uri: client.redirect, response_type: "code", scope: "write", state: "a state & more",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256", ...changes,
  })}`;
  const exchange = (code, changes = {}) => fetch(`${world.url}/v3/oauth/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: client.redirect, code_verifier: verifier, ...changes }),
  });

  test("a personal access token: shown once, used, revoked", async () => {
    await ada.to("/settings/personal-access-tokens");
    await ada.fill({ Name: "laptop" });
    await ada.page.getByLabel("Read and write").check();
    await ada.press("Make the token");
    const made = await ada.page.locator("code.secret").innerText();
    assert.equal((await (await me(made)).json()).slug, "ada");
    const channel = await fetch(`${world.url}/v3/channels`, {
      method: "POST", headers: { Authorization: `Bearer ${made}`, "Content-Type": "application/json" }, body: '{"title":"Finds"}',
    });
    assert.equal(channel.status, 201);
    await ada.to("/settings/personal-access-tokens");
    assert.doesNotMatch(await ada.page.content(), new RegExp(made));
    await ada.press("Revoke laptop");
    assert.match(await ada.text(), /The token has been revoked/);
    assert.equal((await me(made)).status, 401);
  });

  test("register an application; its secret is shown once", async () => {
    await ada.to("/oauth/applications");
    await ada.fill({ Name: "Bad", "Redirect addresses": "javascript:alert(1)" });
    await ada.page.getByLabel("On a server").check();
    await ada.press("Register");
    assert.equal(await ada.page.getByLabel("Redirect addresses").getAttribute("aria-invalid"), "true");
    await ada.fill({ Name: "Clipper <b>", "Redirect addresses": client.redirect });
    await ada.press("Register");
    assert.equal(await ada.heading(), "Clipper <b>");
    [secret, id] = await ada.page.locator("code.secret").allInnerTexts();
    await ada.to("/oauth/applications");
    await ada.follow("Clipper <b>");
    assert.equal((await ada.page.locator("code.secret").allInnerTexts()).join(), id);
  });

  test("consent: sign in first, then allow; the code becomes a token", async () => {
    await bea.to(authorize());
    assert.equal(bea.path, "/sign-in");
    await bea.fill({ "E-mail address": "bea@example.org", Password: passwordOf("bea") });
    await bea.press("Sign in");
    assert.equal(bea.path, "/oauth/authorize");
    assert.match(await bea.text(), /Clipper <b>/);
    assert.match(await bea.text(), /Bea \(bea\)/);
    await bea.press("Allow");
    await bea.page.waitForURL(`${client.url}/**`);
    assert.equal(client.visit.searchParams.get("state"), "a state & more");
    assert.equal(client.visit.searchParams.get("from"), "vitrine");
    assert.equal(client.visit.searchParams.get("error"), null);
    const code = client.visit.searchParams.get("code");
    const answer = await exchange(code);
    const body = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(body));
    assert.deepEqual([body.token_type, body.scope, "expires_in" in body], ["Bearer", "write", false]);
    token = body.access_token;
    assert.equal((await (await me(token)).json()).slug, "bea");
  });

  test("access is ended: the token is none", async () => {
    await bea.to("/settings/applications");
    assert.match(await bea.text(), /Clipper <b>/);
    await bea.press("End access of Clipper <b>");
    assert.match(await bea.text(), /no longer has access/);
    assert.equal((await me(token)).status, 401);
  });

  test("deny leads back with an error, and gives nothing", async () => {
    await bea.to(authorize());
    await bea.press("Deny");
    await bea.page.waitForURL(`${client.url}/**`);
    assert.equal(client.visit.searchParams.get("error"), "access_denied");
    assert.equal(client.visit.searchParams.get("code"), null);
    await bea.to("/settings/applications");
    assert.match(await bea.text(), /No application has access/);
  });

  test("a code used twice is used up, and ends what it gave", async () => {
    await bea.to(authorize());
    await bea.press("Allow");
    await bea.page.waitForURL(`${client.url}/**`);
    const code = client.visit.searchParams.get("code");
    const first = await (await exchange(code)).json();
    assert.equal((await me(first.access_token)).status, 200);
    const again = await exchange(code);
    assert.deepEqual([again.status, (await again.json()).error], [400, "invalid_grant"]);
    assert.equal((await me(first.access_token)).status, 401);
  });

  test("an address that is not registered is never led to", async () => {
    const before = client.visits.length;
    for (const redirect_uri of [`${client.url}/back`, `${client.url}/back?from=vitrine&more`, "https://evil.test/back?from=vitrine"]) {
      assert.equal(await bea.to(authorize({ redirect_uri })), 400);
      assert.equal(bea.path, "/oauth/authorize");
      assert.equal(await bea.page.getByRole("button", { name: "Allow" }).count(), 0);
    }
    assert.equal(client.visits.length, before);
  });

  test("an application for people's devices has no secret, and shows a code", async () => {
    await ada.to("/oauth/applications");
    await ada.fill({ Name: "Pocket", "Redirect addresses": "urn:ietf:wg:oauth:2.0:oob" });
    await ada.page.getByLabel("On people’s devices").check();
    await ada.press("Register");
    const pocket = await ada.page.locator("code.secret").innerText();
    await bea.to(authorize({ client_id: pocket, redirect_uri: "urn:ietf:wg:oauth:2.0:oob", scope: "read" }));
    await bea.press("Allow");
    const code = await bea.page.locator("code.secret").innerText();
    const answer = await fetch(`${world.url}/v3/oauth/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ grant_type: "authorization_code", code, client_id: pocket, redirect_uri: "urn:ietf:wg:oauth:2.0:oob", code_verifier: verifier }),
    });
    const { access_token, scope } = await answer.json();
    assert.deepEqual([answer.status, scope], [200, "read"]);
    assert.equal((await me(access_token)).status, 200);
  });

  test("a new secret ends the old; deleting the application ends its tokens", async () => {
    await bea.to(authorize());
    await bea.press("Allow");
    await bea.page.waitForURL(`${client.url}/**`);
    await ada.to("/oauth/applications");
    await ada.follow("Clipper <b>");
    await ada.page.getByText("Make a new secret").first().click();
    await ada.press("Make a new secret");
    const fresh = await ada.page.locator("code.secret").first().innerText();
    assert.notEqual(fresh, secret);
    const code = client.visit.searchParams.get("code");
    assert.equal((await exchange(code)).status, 401);
    secret = fresh;
    const { access_token } = await (await exchange(code)).json();
    assert.equal((await me(access_token)).status, 200);
    await ada.page.getByText("Delete this application").click();
    await ada.press("Delete Clipper <b>");
    assert.match(await ada.text(), /The application has been deleted/);
    assert.equal((await me(access_token)).status, 401);
  });
}, undefined, noBrowser);
