import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { linkInMail } from "../rig/outbox.js";
import { onSQLite } from "../rig/world.js";

const axe = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));
const screenshots = process.env.VITRINE_SCREENSHOTS; // a folder, for people to look at

const looks = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  "phone-dark": { colorScheme: "dark", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

// How each page looks and reads, with things on it. The tests follow each other.
onSQLite("every page", (world) => {
  const browsers = withBrowser(world);
  const pages = new Map(); // the address of each by a name; whose starts with "guest" is not signed in

  before(() => screenshots && mkdir(screenshots, { recursive: true }));

  /** Opens a window in which scripts of ours may run, as they must to look at a page. */
  const open = async (look, who) => {
    const window = await browsers.open({ ...looks[look], javaScriptEnabled: true, bypassCSP: true });
    if (who) await window.signIn(who);
    return window;
  };

  /** Goes through pages in a look, and gives all that is wrong with them. */
  const inspect = async (window, look, addresses) => {
    const wrong = [];
    for (const [name, address] of addresses) {
      if (await window.to(address) >= 500) wrong.push(`${name}: the server fails`);
      wrong.push(...await see(window.page, name, look));
    }
    return wrong;
  };

  test("what is wrong is seen", async () => {
    const { page } = await open("light");
    await page.setContent('<html lang="en"><title>A page</title><main><h1>A page</h1><p style="color:#bbb">Pale</p><input><div style="width:4000px">Wide</div>');
    const wrong = (await inspectPage(page, "light")).join("\n");
    for (const what of [/pixels are beyond its width/, /color-contrast: .*Pale/, /label: <input>/]) assert.match(wrong, what);
  });

  test("pages of a server without accounts", async () => {
    for (const look of Object.keys(looks)) {
      const window = await open(look);
      assert.deepEqual(await inspect(window, look, [["guest-home-first", "/"], ["guest-sign-up-first", "/sign-up"]]), []);
      await window.context.close();
    }
  });

  test("things to show", async () => {
    for (const slug of ["ada", "bea", "cy"]) await world.user(slug, "supporter", passwordOf(slug));
    const token = await world.token("ada");
    const post = async (path, body) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const response = await fetch(`${world.url}/v3${path}`, { method: "POST", headers, body: body && JSON.stringify(body) });
      assert.ok(response.ok, `${path}: ${response.status}`);
      return response.json();
    };
    await post("/groups", { name: "The Society of Long Names and Small Things" });
    const group = "/groups/the-society-of-long-names-and-small-things";
    await post(`${group}/invitations`, { email: "bea@example.org" });
    await post(`${group}/invitations`, { email: "dot@example.org" });
    await post("/channels", { title: "Field notes" });
    const ada = await browsers.open();
    await ada.signIn("ada");
    await ada.to("/settings/personal-access-tokens");
    await ada.fill({ Name: "laptop, in the office on the third floor" });
    await ada.page.getByLabel("Read and write").check();
    await ada.press("Make the token");
    await ada.to("/oauth/applications");
    await ada.fill({ Name: "Clipper", "Redirect addresses": "https://clipper.example/a/rather/long/address/to/come/back/to\nurn:ietf:wg:oauth:2.0:oob" });
    await ada.page.getByLabel("On a server").check();
    await ada.press("Register");
    const id = await ada.page.locator("code.secret").last().innerText();
    const consent = `/oauth/authorize?${new URLSearchParams({ client_id: id, response_type: "code", scope: "write", redirect_uri: "urn:ietf:wg:oauth:2.0:oob" })}`;
    await ada.to(consent);
    await ada.press("Allow");
    await ada.to("/oauth/applications");
    await ada.follow("Clipper");
    const application = ada.path;
    await ada.to("/operator/sign-up");
    await ada.fill({ Note: "for Cy, who asked" });
    await ada.press("Make a link");
    const invite = await post(`${group}/invite`);

    for (const [name, address] of Object.entries({
      home: "/", profile: "/settings/profile", email: "/settings/email", password: "/settings/password",
      sessions: "/settings/sessions", tokens: "/settings/personal-access-tokens", authorised: "/settings/applications",
      delete: "/settings/delete", applications: "/oauth/applications", application, consent,
      "consent-read": consent.replace("scope=write", "scope=read"), refused: `${consent}x`,
      operator: "/operator", accounts: "/operator/accounts", account: "/operator/accounts/cy",
      "operator-sign-up": "/operator/sign-up", jobs: "/operator/jobs",
      invitation: await linkInMail(world.outbox, "bea@example.org", /^\/invitations\//),
      "group-invite": invite.url, missing: "/settings/nothing-here",
      "guest-home": "/", "guest-sign-in": "/sign-in", "guest-sign-up": "/sign-up", "guest-forgot": "/forgot-password",
      "guest-invitation": await linkInMail(world.outbox, "dot@example.org", /^\/invitations\//),
      "guest-group-invite": invite.url, "guest-dead-link": "/confirm/nothing",
    })) pages.set(name, address);
  });

  for (const look of Object.keys(looks)) {
    test(`nothing keeps anybody out: ${look}`, async () => {
      const guest = await open(look);
      const ada = await open(look, "ada");
      const of = (guests) => [...pages].filter(([name]) => name.startsWith("guest-") === guests);
      const wrong = [...await inspect(guest, look, of(true)), ...await inspect(ada, look, of(false))];
      assert.deepEqual(wrong, []);
      await guest.context.close();
      await ada.context.close();
    });

    test(`nor do answers to forms: ${look}`, async () => {
      const window = await open(look);
      const wrong = [];
      const note = async (name) => wrong.push(...await see(window.page, name, look));
      await window.to("/sign-in");
      await window.fill({ "E-mail address": "ada@example.org", Password: "not her secret" });
      await window.press("Sign in");
      await note("answer-sign-in-wrong");
      await window.signIn("cy");
      await window.to("/settings/profile");
      await window.press("Save");
      await note("answer-profile-saved");
      await window.to("/settings/personal-access-tokens");
      await window.fill({ Name: "one" });
      await window.page.getByLabel("Read and write").check();
      await window.press("Make the token");
      await note("answer-token-made");
      await window.to("/oauth/applications");
      await window.fill({ Name: "Bad", "Redirect addresses": "javascript:alert(1)" });
      await window.page.getByLabel("On a server").check();
      await window.press("Register");
      await note("answer-application-wrong");
      assert.deepEqual(wrong, []);
      await window.context.close();
    });
  }

  test("signing in with the keyboard alone", async () => {
    const bea = await browsers.open();
    await bea.to("/");
    const focused = () => bea.page.locator(":focus");
    const tabTo = async (what) => {
      for (let i = 0; i < 20; i++) {
        await bea.page.keyboard.press("Tab");
        if (await focused().evaluate((e, w) => (e.labels?.[0] ?? e).innerText.trim() === w, what).catch(() => false)) return;
      }
      assert.fail(`Tab does not lead to ${what}`);
    };
    await bea.page.keyboard.press("Tab");
    assert.equal(await focused().innerText(), "Skip to the content");
    await tabTo("Sign in");
    await Promise.all([bea.page.waitForURL("**/sign-in"), bea.page.keyboard.press("Enter")]);
    await tabTo("E-mail address");
    await bea.page.keyboard.type("bea@example.org");
    await bea.page.keyboard.press("Tab");
    await bea.page.keyboard.type(passwordOf("bea"));
    await Promise.all([bea.page.waitForURL(`${world.url}/`), bea.page.keyboard.press("Enter")]);
    await tabTo("Sign out");
    await bea.page.keyboard.press("Enter");
    await bea.page.getByText("You are signed out").waitFor();
  });

  test("with JavaScript switched on all is the same, and no page runs any", async () => {
    const window = await browsers.open({ javaScriptEnabled: true });
    await window.signIn("bea");
    assert.equal(await window.signedIn(), true);
    for (const [name, address] of pages) {
      await window.to(address);
      assert.equal(await window.page.locator("script, [onclick], [style], style").count(), 0, name);
    }
    await window.press("Sign out");
    assert.equal(await window.signedIn(), false);
  });
}, undefined, noBrowser);

/** Takes a picture of a page where they are wanted, and gives all that is wrong with it. */
async function see(page, name, look) {
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.${look}.png`), fullPage: true });
  return (await inspectPage(page, look)).map((what) => `${name}, ${look}: ${what}`);
}

/**
 * Gives what is wrong with a page for people who cannot see, or point, or see it small.
 * The same page in other colours is asked for its contrast only.
 */
async function inspectPage(page, look) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const wrong = wide > 0 ? [`${wide} pixels are beyond its width`] : [];
  if (look === "phone-dark") return wrong;
  await page.addScriptTag({ path: axe });
  const { violations, passes } = await page.evaluate((runOnly) => globalThis.axe.run({ runOnly }), look === "dark" ? ["color-contrast"] : undefined);
  if (passes.length === 0) wrong.push("nothing was looked at");
  const tell = (id, node) => `${id}: ${node.html.slice(0, 120)} (${node.failureSummary?.split("\n")[1]?.trim()})`;
  return wrong.concat(violations.flatMap(({ id, nodes }) => nodes.map((node) => tell(id, node))));
}
