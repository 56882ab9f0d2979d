import assert from "node:assert/strict";
import { before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { onOneDatabase } from "../rig/world.js";
import { Terminal } from "./terminal.js";

onOneDatabase("signing in with the command-line client", (world) => {
  const browsers = withBrowser(world);
  before(() => world.user("ada", "supporter", passwordOf("ada")));

  test("the browser opens, she signs in and consents, and the client knows her", async () => {
    const terminal = await Terminal.open(world.url);
    const login = terminal.login();
    const ada = await browsers.open();
    await ada.to(await login.address);
    assert.equal(ada.path, "/sign-in");
    await ada.fill({ "E-mail address": "ada@example.org", Password: passwordOf("ada") });
    await ada.press("Sign in");
    assert.match(await ada.text(), /Are\.na command line/);
    await ada.press("Allow");
    await ada.page.getByText("Authenticated").first().waitFor(); // the client's own page
    const { code, stdout } = await login.ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Ada/);
    assert.equal((await terminal.json("whoami")).slug, "ada");

    await ada.to("/settings/applications");
    await ada.press("End access of Are.na command line");
    assert.deepEqual((await terminal.failure(undefined, "whoami")).slice(1), [401, "unauthorized"]);
    await terminal.close();
  });

  test("she denies, and the client says so", async () => {
    const terminal = await Terminal.open(world.url);
    const login = terminal.login();
    const ada = await browsers.open();
    await ada.signIn("ada");
    await ada.to(await login.address);
    await ada.press("Deny");
    await ada.page.getByText("Authorization Failed").first().waitFor();
    const { stdout, stderr } = await login.ended;
    assert.match(stdout + stderr, /The user has not allowed this/);
    assert.notEqual((await terminal.arena(["whoami", "--json"])).code, 0);
    await terminal.close();
  });
}, undefined, noBrowser);
