import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { linkInMail } from "../rig/outbox.js";
import { onOneDatabase } from "../rig/world.js";

// The tests depend on each other: each uses the results of the previous ones.
onOneDatabase("the operator's pages, without JavaScript", (world) => {
  const browsers = withBrowser(world);
  let ada, bea;
  before(async () => {
    for (const slug of ["ada", "bea"]) await world.user(slug, "supporter", passwordOf(slug)); // the first is the operator
    [ada, bea] = [await browsers.open(), await browsers.open()];
    await ada.signIn("ada");
    await bea.signIn("bea");
  });
  const user = async (slug) => (await fetch(`${world.url}/v3/users/${slug}`)).json();
  const account = async (slug) => {
    await ada.to("/operator/accounts");
    await ada.fill({ "Find an account": slug });
    await ada.press("Find");
    await ada.follow(slug[0].toUpperCase() + slug.slice(1));
  };
  // Opens the confirmation.
  const asked = (name) => ada.page.locator("summary").getByText(name, { exact: true }).click();

  test("they are for operators alone", async () => {
    for (const path of ["/operator", "/operator/accounts", "/operator/accounts/ada", "/operator/sign-up", "/operator/jobs"]) {
      assert.equal(await bea.to(path), 404, path);
      const guest = await browsers.open();
      await guest.to(path);
      assert.equal(guest.path, "/sign-in");
      await guest.context.close();
    }
  });

  test("who may sign up", async () => {
    const guest = await browsers.open();
    for (const [mode, sentence] of [["Nobody", /takes no new accounts/], ["Invited people", /by invitation/]]) {
      await ada.to("/operator/sign-up");
      await ada.page.getByLabel(mode).check();
      await ada.press("Save");
      await guest.to("/sign-up");
      assert.match(await guest.text(), sentence);
    }
  });

  test("a link lets one person sign up", async () => {
    await ada.fill({ Note: "for Cy" });
    await ada.press("Make a link");
    const url = await ada.page.locator("code.secret").innerText();
    const cy = await browsers.open();
    await cy.to(url);
    await cy.signUp("cy");
    await cy.to(await linkInMail(world.outbox, "cy@example.org", /^\/confirm\//));
    await cy.fill({ Password: passwordOf("cy") });
    await cy.press("Confirm and sign in");
    assert.equal(await cy.signedIn(), true);
    const dot = await browsers.open();
    await dot.to(url);
    assert.match(await dot.text(), /already been used/);
    await ada.to("/operator/sign-up");
    assert.match(await ada.text(), /for Cy[^]*full[^]*1 person came/);
  });

  test("a link that is ended lets nobody in", async () => {
    await ada.fill({ Note: "for nobody" });
    await ada.press("Make a link");
    const url = await ada.page.locator("code.secret").innerText();
    await ada.press("End the link for nobody");
    const guest = await browsers.open();
    await guest.to(url);
    assert.match(await guest.text(), /already been used or has expired/);
  });

  test("a suspended user is out everywhere, until the suspension ends", async () => {
    const token = await world.token("bea");
    const me = () => fetch(`${world.url}/v3/me`, { headers: { Authorization: `Bearer ${token}` } });
    await account("bea");
    await asked("Suspend");
    await ada.press("Suspend bea");
    assert.match(await ada.text(), /Suspended since/);
    assert.deepEqual([await bea.signedIn(), (await me()).status], [false, 401]);
    await bea.signIn("bea");
    assert.equal(await bea.signedIn(), false);
    await account("bea");
    await ada.press("Lift the suspension");
    await bea.signIn("bea");
    assert.deepEqual([await bea.signedIn(), (await me()).status], [true, 200]);
  });

  test("tier and office", async () => {
    await account("bea");
    await ada.page.getByLabel("Rate limit and storage quota").selectOption("free");
    await ada.press("Set the tier");
    assert.equal((await user("bea")).tier, "free");
    await asked("Give the operator role");
    await ada.press("Make bea an operator");
    assert.equal(await bea.to("/operator"), 200);
    await account("bea");
    await asked("Remove the operator role");
    await ada.press("Take the role from bea");
    assert.equal(await bea.to("/operator"), 404);
  });

  test("failed jobs: there are none", async () => {
    await ada.to("/operator");
    assert.match(await ada.text(), /none failed/);
    await ada.to("/operator/jobs");
    assert.match(await ada.text(), /No job has failed/);
  });
}, undefined, noBrowser);
