import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { linkInMail, mailsWith } from "../rig/outbox.js";
import { onOneDatabase } from "../rig/world.js";

// The tests depend on each other: each uses the results of the previous ones.
onOneDatabase("accounts in a browser, without JavaScript", (world) => {
  const browsers = withBrowser(world);
  let ada, bea;
  const seen = new Set();
  const link = (slug, path) => linkInMail(world.outbox, `${slug}@example.org`, path, seen);
  before(async () => {
    ada = await browsers.open();
    bea = await browsers.open();
  });

  test("the first account is the operator's, and signed in at once", async () => {
    await ada.to("/");
    await ada.follow("Create the first account");
    await ada.signUp("ada");
    assert.equal(ada.path, "/");
    assert.match(await ada.text(), /Welcome/);
    await ada.follow("Server");
    assert.equal(await ada.heading(), "Server");
    assert.match(await ada.text(), /SQLite|PostgreSQL/);
  });

  test("nobody else signs up until the operator says so", async () => {
    assert.equal(await bea.to("/sign-up"), 200);
    assert.match(await bea.text(), /New accounts are by invitation/);
    await ada.to("/operator/sign-up");
    await ada.page.getByLabel("Everybody").check();
    await ada.press("Save");
    assert.match(await ada.text(), /The setting has been saved/);
    await ada.page.reload(); // notes are shown only once
    assert.doesNotMatch(await ada.text(), /The setting has been saved/);
    assert.equal(await ada.page.getByLabel("Everybody").isChecked(), true);
  });

  test("what is wrong with a form is said at its fields", async () => {
    await bea.to("/sign-up");
    await bea.signUp("bea", "password");
    const field = bea.page.getByLabel("Password", { exact: true });
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    const why = (await field.getAttribute("aria-describedby")).split(" ").find((id) => id.endsWith("-error"));
    assert.match(await bea.page.locator(`#${why}`).innerText(), /common|many/);
    assert.equal(await bea.page.getByLabel("Short name in addresses").inputValue(), "bea");
    assert.equal(await field.inputValue(), "", "a password is never written into a page");
    assert.match(await bea.page.title(), /^Error: /);
  });

  test("sign up, follow the mail, and be in", async () => {
    await bea.to("/sign-up");
    await bea.signUp("bea");
    assert.match(await bea.text(), /The link for bea@example.org/);
    assert.equal(await bea.signedIn(), false);
    const url = await link("bea", /^\/confirm\//);
    await bea.to(url);
    await bea.fill({ Password: passwordOf("bea") });
    await bea.press("Confirm and sign in");
    assert.match(await bea.text(), /Welcome/);
    assert.equal(await bea.signedIn(), true);
    await bea.to(url);
    assert.match(await bea.text(), /already been used/);
    assert.equal((await fetch(`${world.url}/v3/users/bea`)).status, 200);
  });

  test("signing up with a taken address looks the same, and its owner is told", async () => {
    const eve = await browsers.open();
    await eve.to("/sign-up");
    await eve.fill({ Name: "Eve", "Short name in addresses": "eve", "E-mail address": "BEA@example.org", Password: passwordOf("eve") });
    await eve.press("Sign up");
    assert.match(await eve.text(), /This server sends no mail\. The link for/);
    const mails = await mailsWith(world.outbox, "bea@example.org", /already|has an account/i);
    assert.equal(mails.length, 1);
    assert.equal((await fetch(`${world.url}/v3/users/eve`)).status, 404);
  });

  test("sign out and in; one sentence for all that is wrong", async () => {
    await bea.to("/settings/profile");
    await bea.press("Sign out");
    assert.match(await bea.text(), /You have been signed out/);
    await bea.to("/settings/profile");
    assert.equal(bea.path, "/sign-in");
    const answers = [];
    for (const [slug, password] of [["bea", "not her secret"], ["nobody", "not her secret"]]) {
      await bea.fill({ "E-mail address": `${slug}@example.org`, Password: password });
      await bea.press("Sign in");
      answers.push(await bea.page.getByRole("alert").innerText());
    }
    assert.equal(answers[0], answers[1]);
    await bea.fill({ "E-mail address": "bea@example.org", Password: passwordOf("bea") });
    await bea.press("Sign in");
    assert.equal(bea.path, "/settings/profile", "she is led where she wanted to go");
  });

  test("signing in leads nowhere else", async () => {
    for (const next of ["//evil.test/", "https://evil.test/", "/\\evil.test", "javascript:alert(1)"]) {
      const window = await browsers.open();
      await window.to(`/sign-in?next=${encodeURIComponent(next)}`);
      await window.fill({ "E-mail address": "bea@example.org", Password: passwordOf("bea") });
      await window.press("Sign in");
      assert.equal(new URL(window.page.url()).origin, world.url, next);
      await window.context.close();
    }
  });

  test("profile: the name is changed for everybody", async () => {
    await bea.to("/settings/profile");
    await bea.fill({ Name: "Bea B.", "About you": "I keep *things*." });
    await bea.press("Save");
    assert.match(await bea.text(), /Your profile has been saved/);
    const user = await (await fetch(`${world.url}/v3/users/bea`)).json();
    assert.equal(user.name, "Bea B.");
    assert.equal(user.bio.plain, "I keep things.");
  });

  test("sessions: see others, end one, end all", async () => {
    const [phone, desk] = [await browsers.open({ userAgent: "Mozilla/5.0 (iPhone) Safari/605" }), await browsers.open()];
    await phone.signIn("bea");
    await desk.signIn("bea");
    await bea.to("/settings/sessions");
    assert.match(await bea.text(), /Safari on iPhone/);
    await bea.press("End the session of Safari on iPhone");
    assert.match(await bea.text(), /The session has been ended/);
    assert.deepEqual([await phone.signedIn(), await desk.signedIn(), await bea.signedIn()], [false, true, true]);
    await bea.to("/settings/sessions");
    await bea.press("End all others");
    assert.deepEqual([await desk.signedIn(), await bea.signedIn()], [false, true]);
  });

  test("a changed password ends other sessions, and keeps this one", async () => {
    const other = await browsers.open();
    await other.signIn("bea");
    await bea.to("/settings/confirm?next=/settings/password");
    await bea.fill({ Password: "not her secret" });
    await bea.press("Confirm with your password");
    assert.equal(bea.path, "/settings/confirm");
    await bea.fill({ Password: passwordOf("bea") });
    await bea.press("Confirm with your password");
    assert.equal(bea.path, "/settings/password");
    assert.equal(await bea.page.getByLabel("Sign out all other browsers").isChecked(), true);
    await bea.fill({ "New password": passwordOf("bea again") });
    await bea.press("Change the password");
    assert.match(await bea.text(), /Your password has been changed/);
    assert.deepEqual([await other.signedIn(), await bea.signedIn()], [false, true]);
    await other.signIn("bea");
    assert.equal(await other.signedIn(), false, "the old password is none");
    await other.signIn("bea", passwordOf("bea again"));
    assert.equal(await other.signedIn(), true);
  });

  test("a forgotten password: the link works once and ends sessions", async () => {
    const lost = await browsers.open();
    const answers = [];
    for (const address of ["nobody@example.org", "bea@example.org"]) {
      await lost.to("/sign-in");
      await lost.follow("Forgot your password?");
      await lost.fill({ "E-mail address": address });
      await lost.press("Make the link");
      answers.push((await lost.text()).replace(address, ""));
    }
    assert.equal(answers[0], answers[1]);
    const url = await link("bea", /^\/reset-password\//);
    await lost.to(url);
    await lost.fill({ "New password": passwordOf("bea") });
    await lost.press("Set the password");
    assert.match(await lost.text(), /Your password is set/);
    assert.deepEqual([await lost.signedIn(), await bea.signedIn()], [true, false]);
    await bea.to(url);
    assert.match(await bea.text(), /already been used/);
    await bea.signIn("bea");
    assert.equal(await bea.signedIn(), true);
  });

  test("another e-mail address, when its link is followed", async () => {
    await bea.to("/settings/email");
    await bea.fill({ "New address": "new-bea@example.org" });
    await bea.press("Make the link");
    assert.match(await bea.text(), /Ask its operator for the link/);
    assert.match(await bea.text(), /bea@example\.org/);
    await bea.to(await link("new-bea", /^\/settings\/email\//));
    await bea.press("Confirm the address");
    await bea.to("/settings/email");
    assert.match(await bea.text(), /new-bea@example\.org/);
    const old = await browsers.open();
    await old.signIn("bea");
    assert.equal(await old.signedIn(), false);
    await old.signIn("new-bea", passwordOf("bea"));
    assert.equal(await old.signedIn(), true);
  });

  test("delete the account: signed out, gone, and the name stays taken", async () => {
    await bea.to("/settings/delete");
    assert.match(await bea.text(), /cannot be undone/);
    await bea.fill({ "Your short name": "ada" });
    await bea.press("Delete my account");
    assert.equal((await fetch(`${world.url}/v3/users/bea`)).status, 200, "another's name deletes nothing");
    await bea.fill({ "Your short name": "bea" });
    await bea.press("Delete my account");
    assert.match(await bea.text(), /Your account has been deleted/);
    assert.equal(await bea.signedIn(), false);
    assert.equal((await fetch(`${world.url}/v3/users/bea`)).status, 404);
    await bea.to("/sign-up");
    await bea.signUp("bea");
    assert.equal(await bea.page.getByLabel("Short name in addresses").getAttribute("aria-invalid"), "true");
    await bea.signIn("new-bea", passwordOf("bea"));
    assert.equal(await bea.signedIn(), false);
  });

  test("the only operator stays while there are others", async () => {
    await world.user("cy");
    await ada.to("/settings/delete");
    assert.match(await ada.text(), /the only operator/);
    assert.equal(await ada.page.getByRole("button", { name: "Delete my account" }).count(), 0);
  });
}, undefined, noBrowser);
