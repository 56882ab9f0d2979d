import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { onSQLite } from "../rig/world.js";

// On plain HTTP, browsers offer passkeys only at localhost, so the server must know its address.
const port = 20_000 + Math.floor(Math.random() * 20_000);
const at = `http://localhost:${port}`;
const settings = { VITRINE_ADDR: `127.0.0.1:${port}`, VITRINE_SITE_URL: at };

// The tests depend on each other: each uses the results of the previous ones.
onSQLite("passkeys in a browser", (world) => {
  const browsers = withBrowser(world);
  let ada, authenticator, codes;
  const open = () => browsers.open({ baseURL: at, javaScriptEnabled: true, serviceWorkers: "block" });

  /** Adds an authenticator to a window, which stores credentials and verifies its user. */
  const withAuthenticator = async (window, options = {}) => {
    const devtools = await window.context.newCDPSession(window.page);
    await devtools.send("WebAuthn.enable");
    const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2", transport: "internal",
      hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, ...options } });
    return { authenticatorId, send: (method, more = {}) => devtools.send(`WebAuthn.${method}`, { authenticatorId, ...more }) };
  };
  const signOut = async (window) => {
    await window.context.clearCookies();
    await window.to("/sign-in");
  };

  before(async () => {
    ada = await open();
    authenticator = await withAuthenticator(ada);
    await ada.to("/sign-up");
    await ada.signUp("ada");
  });

  test("the first passkey comes with recovery codes", async () => {
    await ada.to("/settings/passkeys");
    assert.match(await ada.text(), /You have no passkeys/);
    await ada.fill({ Name: "Laptop" });
    await ada.press("Continue");
    await ada.press("Create the passkey");
    await ada.page.locator("#codes").waitFor();
    codes = (await ada.page.locator("#codes").innerText()).trim().split(/\s+/);
    assert.equal(codes.length, 10);
    await ada.follow("I have kept them");
    assert.match(await ada.text(), /Laptop[^]*never used[^]*10 codes are left/);
    const { credentials } = await authenticator.send("getCredentials");
    assert.equal(credentials.length, 1);
    assert.equal(credentials[0].isResidentCredential, true);
    assert.equal(credentials[0].rpId, "localhost");
  });

  test("a device is not asked to keep a second one", async () => {
    await ada.fill({ Name: "Laptop again" });
    await ada.press("Continue");
    await ada.press("Create the passkey");
    await ada.page.getByRole("alert").filter({ hasText: "already has a passkey" }).waitFor();
    await ada.follow("Cancel");
    assert.equal(ada.path, "/settings/passkeys");
  });

  test("the password asks for it, and leads where one wanted to go", async () => {
    await signOut(ada);
    await ada.to("/settings/sessions");
    await ada.fill({ "E-mail address": "ada@example.org", Password: passwordOf("ada") });
    await ada.press("Sign in");
    assert.equal(await ada.heading(), "One more step");
    await ada.press("Use a passkey");
    await ada.page.waitForURL("**/settings/sessions");
  });

  test("it signs in alone", async () => {
    await signOut(ada);
    await ada.press("Sign in with a passkey");
    await ada.page.waitForURL(`${at}/`);
    assert.equal(await ada.signedIn(), true);
  });

  test("who is not verified is told, and can try again", async () => {
    await signOut(ada);
    await authenticator.send("setUserVerified", { isUserVerified: false });
    await ada.press("Sign in with a passkey");
    await ada.page.getByRole("alert").filter({ hasText: "Nothing was used." }).waitFor();
    await authenticator.send("setUserVerified", { isUserVerified: true });
    await ada.press("Sign in with a passkey");
    await ada.page.waitForURL(`${at}/`);
  });

  test("it confirms who is there, and leads to the action", async () => {
    await ada.to("/settings/confirm?next=/settings/recovery-codes");
    await ada.press("Use a passkey");
    await ada.page.waitForURL("**/settings/recovery-codes");
    await ada.press("Make new codes");
    await ada.page.locator("#codes").waitFor();
    const fresh = (await ada.page.locator("#codes").innerText()).trim().split(/\s+/);
    assert.equal(fresh.some((code) => codes.includes(code)), false);
    codes = fresh;
  });

  test("without scripts a code lets in", async () => {
    const plain = await browsers.open({ baseURL: at });
    await plain.signIn("ada");
    assert.match(await plain.text(), /needs JavaScript/);
    await plain.fill({ "Recovery code": codes[0].toUpperCase() });
    await plain.press("Continue");
    assert.equal(await plain.signedIn(), true);
    await plain.to("/settings/passkeys");
    assert.match(await plain.text(), /9 codes are left/);
  });

  test("a passkey of another device is none", async () => {
    const other = await open();
    await withAuthenticator(other);
    await other.signIn("ada");
    await other.press("Use a passkey");
    await other.page.getByRole("alert").filter({ hasText: "Nothing was used." }).waitFor();
    assert.equal(await other.signedIn(), false);
  });

  test("removing the last one says what follows", async () => {
    await ada.to("/settings/passkeys");
    await ada.page.getByRole("link", { name: /^Remove/ }).click();
    assert.match(await ada.text(), /This is your last passkey/);
    await ada.press("Remove the passkey");
    assert.match(await ada.text(), /Your password alone is enough to sign in now/);
    await signOut(ada);
    await ada.signIn("ada");
    assert.equal(ada.path, "/");
  });
}, settings, noBrowser);
