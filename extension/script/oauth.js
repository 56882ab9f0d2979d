// Signing in with OAuth 2.0: authorization code with PKCE (RFC 7636), in a window of the browser.
import { request } from "./api.js";
import { isSecure, metadataAddress, webPage } from "./urls.js";

/** A reason to show to the user: the id of a text. */
export class SignInError extends Error {
  constructor(id, detail = "") {
    super(id);
    Object.assign(this, { id, detail });
  }
}

/**
 * Signs in to a server and returns the account.
 * @param {string} server from serverAddress
 * @returns {Promise<import("./account.js").Account>}
 */
export async function signIn(server) {
  const metadata = await discover(server);
  const redirect = chrome.identity.getRedirectURL();
  const client = await clientFor(metadata, redirect);
  const [verifier, state] = [secret(), secret()];
  const address = new URL(metadata.authorization_endpoint);
  for (const [name, value] of Object.entries({ response_type: "code", client_id: client, redirect_uri: redirect, scope: "write", state,
    code_challenge: await challengeOf(verifier), code_challenge_method: "S256" })) address.searchParams.set(name, value);
  let answer;
  try {
    answer = await chrome.identity.launchWebAuthFlow({ url: address.href, interactive: true });
  } catch {
    throw new SignInError("errorWindowClosed"); // also if the server shows an error instead of redirecting
  }
  const code = codeIn(answer, { redirect, state, issuer: metadata.issuer });
  const token = await exchange(metadata, { grant_type: "authorization_code", client_id: client, code, redirect_uri: redirect, code_verifier: verifier });
  return accountOf(server, metadata, token, client);
}

/** Signs in with a personal access token. */
export async function signInWithToken(server, token) {
  return accountOf(server, await discover(server), token, null);
}

/** Revokes the token of an account. Reports whether the server has confirmed it. */
export async function signOut({ revoke, client, token }) {
  if (!revoke || !client) return false;
  try {
    return (await post(revoke, { client_id: client, token })).ok;
  } catch {
    return false;
  }
}

/**
 * Returns the metadata of a server (RFC 8414). A server may only describe itself: if the address is another name of the
 * server, the metadata comes from the issuer. Otherwise a server could have codes of another one sent to itself.
 */
export async function discover(server) {
  let metadata = await metadataOf(server);
  if (metadata.issuer !== server) {
    const { issuer } = metadata;
    if (!isSecure(issuer)) throw new SignInError("errorNoVitrine");
    metadata = await metadataOf(issuer);
    if (metadata.issuer !== issuer) throw new SignInError("errorNoVitrine");
  }
  const { authorization_endpoint, token_endpoint, revocation_endpoint, registration_endpoint, code_challenge_methods_supported } = metadata;
  for (const endpoint of [authorization_endpoint, token_endpoint]) if (!isSecure(endpoint)) throw new SignInError("errorNoVitrine");
  for (const endpoint of [revocation_endpoint, registration_endpoint]) if (endpoint && !isSecure(endpoint)) throw new SignInError("errorNoVitrine");
  if (!code_challenge_methods_supported?.includes("S256") || metadata.authorization_response_iss_parameter_supported !== true) throw new SignInError("errorNoVitrine");
  return metadata;
}

async function metadataOf(server) {
  let response;
  try {
    response = await fetch(metadataAddress(server), { credentials: "omit", redirect: "error", cache: "no-store", signal: AbortSignal.timeout(15_000) });
  } catch {
    throw new SignInError("errorUnreachable");
  }
  const metadata = await response.json().catch(() => null);
  if (!response.ok || typeof metadata?.issuer !== "string") throw new SignInError("errorNoVitrine");
  return metadata;
}

/** Returns the client's id: the one built into the server, or a new one if the server lets clients register. */
async function clientFor(metadata, redirect) {
  const own = metadata.vitrine_browser_extension;
  if (own?.redirect_uris?.includes(redirect)) return own.client_id;
  const { clients = {} } = await chrome.storage.local.get("clients");
  const known = clients[`${metadata.issuer} ${redirect}`];
  if (known) return known;
  if (!metadata.registration_endpoint) throw new SignInError("errorNoClient");
  const body = { client_name: "Vitrine browser extension", redirect_uris: [redirect], token_endpoint_auth_method: "none", grant_types: ["authorization_code"] };
  let made;
  try {
    made = await (await fetch(metadata.registration_endpoint, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body), credentials: "omit", redirect: "error", signal: AbortSignal.timeout(15_000) })).json();
  } catch {
    throw new SignInError("errorUnreachable");
  }
  if (typeof made?.client_id !== "string") throw new SignInError("errorNoClient");
  await chrome.storage.local.set({ clients: { ...clients, [`${metadata.issuer} ${redirect}`]: made.client_id } });
  return made.client_id;
}

/** Returns the code in the address to which the server redirected. */
export function codeIn(answer, { redirect, state, issuer }) {
  let url;
  try {
    url = new URL(answer);
  } catch {
    throw new SignInError("errorAnswer");
  }
  const given = url.searchParams;
  if (url.origin + url.pathname !== redirect || given.get("state") !== state || given.get("iss") !== issuer) throw new SignInError("errorAnswer");
  if (given.get("error") === "access_denied") throw new SignInError("errorDenied");
  if (!given.get("code")) throw new SignInError("errorAnswer", given.get("error_description") ?? "");
  return given.get("code");
}

async function exchange(metadata, form) {
  let response, body;
  try {
    response = await post(metadata.token_endpoint, form);
    body = await response.json();
  } catch {
    throw new SignInError("errorUnreachable");
  }
  if (!response.ok || typeof body?.access_token !== "string") throw new SignInError("errorAnswer", body?.error_description ?? "");
  return body.access_token;
}

function post(address, form) {
  return fetch(address, { method: "POST", body: new URLSearchParams(form), credentials: "omit", redirect: "error", signal: AbortSignal.timeout(15_000) });
}

async function accountOf(server, metadata, token, client) {
  const of = { server, api: metadata.issuer, token, client, revoke: metadata.revocation_endpoint ?? null, expired: false };
  let user, site;
  try {
    [user, site] = await Promise.all([request(of, "GET", "/v3/me"), request(of, "GET", "/ext/v1/site")]);
  } catch (error) {
    throw new SignInError({ 0: "errorUnreachable", 401: "errorToken", 404: "errorNoVitrine" }[error.status] ?? "errorAnswer", error.text);
  }
  return { ...of, user: { id: user.id, name: user.name, slug: user.slug, avatar: user.avatar, initials: user.initials }, site: { name: site.name, url: webPage(site.web_url).replace(/\/+$/, "") } };
}

/** Returns 256 random bits. */
function secret() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Returns the S256 challenge of a verifier. */
export async function challengeOf(verifier) {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
