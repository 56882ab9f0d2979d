// A local OpenID Connect provider with a page for entering a name.
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";

const encode = (value) => Buffer.from(value).toString("base64url");

export class Provider {
  #codes = new Map();
  #keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

  async start() {
    this.server = createServer((request, response) => this.#answer(request, response));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  /** The settings of a server that uses it for sign-in. */
  get settings() {
    return { VITRINE_OIDC_ISSUER: this.url, VITRINE_OIDC_CLIENT_ID: "vitrine", VITRINE_OIDC_CLIENT_SECRET: "secret", VITRINE_OIDC_NAME: "Town Hall",
      VITRINE_OIDC_SIGN_UP: "yes" };
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  async #answer(request, response) {
    const url = new URL(request.url, this.url);
    const json = (value) => response.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json({ issuer: this.url, authorization_endpoint: `${this.url}/authorize`, token_endpoint: `${this.url}/token`, jwks_uri: `${this.url}/keys`,
          id_token_signing_alg_values_supported: ["RS256"] });
      case "/keys":
        return json({ keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] });
      case "/authorize":
        return response.setHeader("Content-Type", "text/html").end(`<!DOCTYPE html><title>Town Hall</title><form action="/let-in">
          <label>Address <input name="email"></label><input type="hidden" name="asked" value="${encode(url.search)}"><button>Let me in</button></form>`);
      case "/let-in": {
        const asked = new URLSearchParams(Buffer.from(url.searchParams.get("asked"), "base64url").toString());
        const code = randomBytes(12).toString("hex");
        this.#codes.set(code, { asked, email: url.searchParams.get("email") });
        const back = `${asked.get("redirect_uri")}?${new URLSearchParams({ code, state: asked.get("state"), iss: this.url })}`;
        return response.writeHead(302, { Location: back }).end();
      }
      case "/token":
        return json(this.#exchange(new URLSearchParams(await new Response(request).text())));
    }
    response.writeHead(404).end();
  }

  #exchange(form) {
    const { asked, email } = this.#codes.get(form.get("code"));
    this.#codes.delete(form.get("code"));
    if (createHash("sha256").update(form.get("code_verifier")).digest("base64url") !== asked.get("code_challenge")) return { error: "invalid_grant" };
    const now = Math.floor(Date.now() / 1000);
    const name = email.split("@")[0];
    const text = [{ alg: "RS256", kid: "1" }, { iss: this.url, aud: "vitrine", sub: `of ${email}`, nonce: asked.get("nonce"), iat: now, exp: now + 300,
      email, email_verified: true, preferred_username: name, name: name[0].toUpperCase() + name.slice(1) }].map((part) => encode(JSON.stringify(part))).join(".");
    return { access_token: "access", token_type: "Bearer", id_token: `${text}.${createSign("RSA-SHA256").update(text).sign(this.#keys.privateKey, "base64url")}` };
  }
}
