import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { linkInMail } from "../rig/outbox.js";
import { onOneDatabase } from "../rig/world.js";

// The tests depend on each other: each uses the results of the previous ones.
onOneDatabase("invitations in a browser, without JavaScript", (world) => {
  const browsers = withBrowser(world);
  let token;
  const as = async (method, path, body) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await fetch(`${world.url}/v3${path}`, { method, headers, body: body && JSON.stringify(body) });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response.status === 204 ? undefined : response.json();
  };
  const members = async () => (await as("GET", "/groups/club/members")).data.map((m) => m.slug ?? m.user.slug);
  const invited = async (slug) => {
    await as("POST", "/groups/club/invitations", { email: `${slug}@example.org` });
    return linkInMail(world.outbox, `${slug}@example.org`, /^\/invitations\//);
  };
  before(async () => {
    for (const slug of ["ada", "bea", "cy"]) await world.user(slug, "supporter", passwordOf(slug));
    token = await world.token("ada");
    await as("POST", "/groups", { name: "Club" });
  });

  test("with an account: sign in, and accept", async () => {
    const bea = await browsers.open();
    await bea.to(await invited("bea"));
    assert.match(await bea.text(), /Ada invites you to join the group Club/);
    await bea.follow("Sign in");
    await bea.fill({ "E-mail address": "bea@example.org", Password: passwordOf("bea") });
    await bea.press("Sign in");
    assert.match(bea.path, /^\/invitations\//);
    await bea.press("Accept");
    assert.match(await bea.text(), /You are now a member/);
    assert.deepEqual((await members()).sort(), ["ada", "bea"]);
  });

  test("without an account: sign up though it is by invitation, and accept", async () => {
    const dot = await browsers.open();
    await dot.to(await invited("dot"));
    await dot.follow("Sign up");
    await dot.signUp("dot"); // the mailed link proves the address
    assert.match(dot.path, /^\/invitations\//);
    await dot.press("Accept");
    assert.deepEqual((await members()).sort(), ["ada", "bea", "dot"]);
  });

  test("decline without an account; the link is used up", async () => {
    const url = await invited("eli");
    const eli = await browsers.open();
    await eli.to(url);
    await eli.press("Decline the invitation");
    assert.match(await eli.text(), /The invitation has been declined/);
    await eli.to(url);
    assert.match(await eli.text(), /already been used/);
  });

  test("an invitation of one user is not for another who is signed in", async () => {
    const { id } = await world.user("flo");
    await as("POST", "/groups/club/invitations", { user_id: id });
    const cy = await browsers.open();
    await cy.signIn("cy");
    await cy.to(await linkInMail(world.outbox, "flo@example.org", /^\/invitations\//));
    assert.match(await cy.page.getByRole("alert").innerText(), /This invitation is for Flo, and you are signed in as Cy/);
    assert.equal(await cy.page.getByRole("button", { name: "Accept" }).count(), 0);
  });

  test("a link to join by", async () => {
    const { url } = await as("POST", "/groups/club/invite");
    const cy = await browsers.open();
    assert.equal(new URL(url).origin, world.url);
    await cy.to(url);
    assert.match(await cy.text(), /join the group Club/);
    await cy.follow("Sign in to join");
    await cy.fill({ "E-mail address": "cy@example.org", Password: passwordOf("cy") });
    await cy.press("Sign in");
    await cy.press("Join");
    assert.ok((await members()).includes("cy"));
    await cy.to(url);
    assert.match(await cy.text(), /already a member of Club/);
    await as("DELETE", "/groups/club/invite");
    assert.equal(await cy.to(url), 404);
  });
}, undefined, noBrowser);
