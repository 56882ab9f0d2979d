import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBrowser, passwordOf, withBrowser } from "../rig/browser.js";
import { Provider } from "../rig/provider.js";
import { onOneDatabase } from "../rig/world.js";

const provider = noBrowser ? undefined : await new Provider().start();
after(() => provider?.stop());

onOneDatabase("single sign-on in a browser, without JavaScript", (world) => {
  const browsers = withBrowser(world);
  before(() => world.user("ada", "supporter", passwordOf("ada")));

  /** Goes from the sign-in page to the provider, enters a name, and returns. */
  const signOn = async (window, email) => {
    await window.follow("Sign in with Town Hall");
    await window.fill({ Address: email });
    await window.press("Let me in");
  };
  const here = (window) => new URL(window.page.url()).pathname;

  test("who is new gets an account, comes back to it, and goes where they wanted", async () => {
    for (let n = 0; n < 2; n++) {
      const bea = await browsers.open();
      await bea.to("/settings/profile");
      await signOn(bea, "bea@example.org");
      assert.equal(here(bea), "/settings/profile");
      assert.match(await bea.page.getByRole("main").innerText(), /Your short name is bea\./);
    }
  });

  test("who has an account signs in to it once, and then by the provider", async () => {
    const ada = await browsers.open();
    await ada.to("/sign-in?next=/settings/sessions");
    await signOn(ada, "ada@example.org");
    assert.match(await ada.page.getByRole("main").innerText(), /There is an account with the address ada@example\.org/);
    await ada.follow("Sign in");
    await ada.fill({ "E-mail address": "ada@example.org", Password: passwordOf("ada") });
    await ada.press("Sign in");
    await ada.press("Connect");
    assert.equal(here(ada), "/settings/sessions");
    const again = await browsers.open();
    await again.to("/sign-in");
    await signOn(again, "ada@example.org");
    await again.to("/settings/single-sign-on");
    assert.match(await again.page.getByRole("main").innerText(), /Sign in again with Town Hall/);
    await again.fill({ Password: passwordOf("ada") });
    await again.press("Confirm with your password");
    assert.match(await again.page.getByRole("main").innerText(), /Town Hall · ada@example\.org/);
    await again.press("Disconnect");
    assert.match(await again.page.getByRole("main").innerText(), /no longer connected/);
  });
}, { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0", ...provider?.settings }, noBrowser);
