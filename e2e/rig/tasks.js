// Performs frequent tasks on the website with a mouse, with a keyboard and on a phone, and prints
// how many actions and seconds each takes, as a table for docs/tasks.md:
//
//	make tasks
//
// An action is a click, a tap, a drag, a drop, a paste, a pressed key, or a typed text of any length.
// With the keyboard, every Tab counts, and a shortcut is used where the page has one.
import assert from "node:assert/strict";
import { Browsers, passwordOf } from "./browser.js";
import { databases } from "./databases.js";
import { api } from "./flow.js";
import { picture } from "./gallery.js";
import { World } from "./world.js";

const wide = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const modes = { mouse: wide, keyboard: wide, phone };

const world = new World(databases[0], { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0" });
const browsers = new Browsers(world);

/** A user with one kind of input, who counts actions. */
class Hand {
  actions = 0;

  constructor(page, mode) {
    [this.page, this.mode] = [page, mode];
  }

  get keys() {
    return this.mode === "keyboard";
  }

  /** The open dialog, or else the page. */
  get here() {
    return this.page.locator("dialog[open]").last().or(this.page.locator("body:not(:has(dialog[open]))"));
  }

  link(name) {
    return this.here.getByRole("link", { name, exact: true }).filter({ visible: true }).first();
  }

  button(name) {
    return this.here.getByRole("button", { name, exact: true }).filter({ visible: true }).first();
  }

  field(name) {
    return this.here.getByLabel(name, { exact: true }).and(this.page.locator("input, textarea, select")).first();
  }

  async key(name) {
    this.actions++;
    await this.page.keyboard.press(name);
  }

  /** Moves the focus to an element with Tab, unless it has it. */
  async reach(element) {
    await element.waitFor();
    const focused = () => element.evaluate((e) => e === document.activeElement || (e.type === "radio" && e.name === document.activeElement?.name));
    for (let n = 0; !await focused(); n++) {
      assert.ok(n < 150, `Tab does not reach ${element}`);
      await this.key("Tab");
    }
  }

  /** Presses an element, with the keyboard by its shortcut if it has one. */
  async press(element, shortcut) {
    if (!this.keys) {
      this.actions++;
      return this.mode === "phone" ? element.tap() : element.click();
    }
    if (shortcut) return this.key(shortcut);
    await this.reach(element);
    await this.key(await element.evaluate((e) => e.matches("[type=checkbox], [type=radio]")) ? "Space" : "Enter");
  }

  /** Types a text into a field. */
  async type(element, text) {
    await element.waitFor();
    if (this.keys) await this.reach(element);
    else if (!await element.evaluate((e) => e === document.activeElement)) await this.press(element);
    this.actions++;
    await element.fill(text);
  }

  /** Sends a form. Enter in a line of text does that too. */
  async send(button) {
    if (this.keys && await this.page.evaluate(() => document.activeElement?.matches("input:not([type=checkbox], [type=radio], [type=file])"))) return this.key("Enter");
    return this.press(button);
  }

  /** Chooses an entry of the menu More. */
  async more(name, shortcut) {
    if (this.keys && shortcut) return this.key(shortcut);
    await this.press(this.page.locator("details.menu.more > summary"));
    await this.press(this.link(name));
  }

  /** Opens an item of the channel. */
  async open(n = 1) {
    if (this.keys) {
      for (let i = 0; i < n; i++) await this.key("j");
      await this.key("Enter");
    } else {
      await this.press(this.page.locator("#cells .face").nth(n - 1));
    }
    await this.page.locator("dialog.view[open] .block-page").waitFor();
  }

  /** Lets the page receive what a mouse drops, or a keyboard pastes. */
  async give(kind, types, files = []) {
    this.actions++;
    await this.page.evaluate(({ kind, types, files }) => {
      const data = new DataTransfer();
      for (const [type, value] of Object.entries(types)) data.setData(type, value);
      for (const { name, bytes } of files) data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
      const options = { bubbles: true, cancelable: true };
      document.body.dispatchEvent(kind === "drop" ? new DragEvent("drop", { dataTransfer: data, ...options }) : new ClipboardEvent("paste", { clipboardData: data, ...options }));
    }, { kind, types, files });
  }

  /** Chooses files in the dialog of the system, which is one action. */
  async choose(element, files) {
    const chooser = this.page.waitForEvent("filechooser");
    if (this.keys) {
      await this.reach(element);
      await this.key("Enter");
    } else {
      await this.press(element);
    }
    this.actions++;
    await (await chooser).setFiles(files.map(({ name, bytes }) => ({ name, mimeType: "image/png", buffer: Buffer.from(bytes) })));
  }

  /** Waits for a text. */
  async sees(text) {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }
}

const images = Array.from({ length: 20 }, (_, n) => ({ name: `${n}.png`, bytes: [...picture(n, [60, 40])] }));

/** The tasks: name, the path of the first page, and the actions. `at` has the paths of channels and of a block. */
const tasks = [
  ["Make a channel", () => "/", async (hand) => {
    await hand.press(hand.link("New"), "n");
    await hand.type(hand.field("Title"), `Made with ${hand.mode}`);
    await hand.send(hand.button("Make the channel"));
    await hand.page.waitForURL(/\/ada\/made-with/);
  }],
  ["Add 20 images", ({ channel }) => channel, async (hand) => {
    if (hand.mode === "mouse") {
      await hand.give("drop", {}, images);
    } else {
      await hand.press(hand.link("Add"), "a");
      await hand.choose(hand.field("Files"), images);
    }
    await hand.sees("20 blocks were added.");
  }],
  ["Paste a URL", ({ channel }) => channel, async (hand) => {
    if (hand.mode === "phone") {
      await hand.press(hand.link("Add"));
      await hand.type(hand.field("Text or address"), "https://example.org/");
      await hand.send(hand.button("Add"));
    } else {
      await hand.give("paste", { "text/plain": "https://example.org/" });
    }
    await hand.sees("Added.");
  }],
  ["Add a text", ({ channel }) => channel, async (hand) => {
    await hand.press(hand.link("Add"), "n");
    await hand.type(hand.field("Text or address"), "A few words");
    await hand.send(hand.button("Add"));
    await hand.sees("Added.");
  }],
  ["Connect a block to two channels", ({ channel }) => channel, async (hand) => {
    await hand.open();
    await hand.press(hand.link("Connect"), "c");
    for (const title of ["Moss", "Ferns"]) await hand.press(hand.here.getByRole("checkbox", { name: new RegExp(`^${title}`) }));
    await hand.press(hand.button("Connect"));
    await hand.sees("The connections have been saved.");
  }],
  ["Reorder one item", ({ channel }) => channel, async (hand) => {
    const [first, third] = [hand.page.locator("#cells > li").nth(0), hand.page.locator("#cells > li").nth(2)];
    if (hand.keys) {
      await hand.key("j");
      for (let n = 0; n < 2; n++) {
        await hand.key("Alt+ArrowRight");
        await hand.page.getByText(`Moved to place ${n + 2} of`).first().waitFor({ state: "attached" });
      }
      return;
    }
    if (hand.mode === "mouse") {
      hand.actions++;
      await first.dragTo(third);
    } else {
      hand.actions++;
      await drag(hand.page, first, third);
    }
    await hand.page.getByText(/Moved to place \d+ of/).first().waitFor({ state: "attached" });
  }],
  ["Reorder twelve items", ({ channel }) => channel, async (hand) => {
    const item = (n) => hand.page.locator("#cells > li").nth(n);
    if (hand.keys) {
      for (const key of ["j", "x", ...Array(11).fill("j"), "X", "Alt+ArrowRight"]) await hand.key(key);
    } else if (hand.mode === "mouse") {
      hand.actions += 3;
      await item(0).click({ modifiers: ["Control"] });
      await item(11).click({ modifiers: ["Shift"] });
      await item(0).dragTo(item(13));
    } else {
      hand.actions++;
      await hold(hand.page, item(0));
      for (let n = 1; n < 12; n++) await hand.press(item(n));
      hand.actions++;
      await drag(hand.page, item(11), item(13));
    }
    await hand.page.locator("#notes .note", { hasText: "12 " }).waitFor();
  }],
  ["Remove an item and undo", ({ channel }) => channel, async (hand) => {
    const item = hand.page.locator("#cells > li").first();
    if (hand.keys) {
      await hand.key("j");
      await hand.key("Delete");
    } else if (hand.mode === "mouse") {
      await item.hover();
      await hand.press(item.locator(".tile-tools summary"));
      await hand.press(item.getByRole("button", { name: "Remove from this channel" }));
    } else {
      hand.actions++;
      await hold(hand.page, item);
      await hand.press(hand.page.locator(".chosen-bar").getByRole("button", { name: "Remove" }));
    }
    await hand.button("Undo").waitFor();
    await hand.press(hand.button("Undo"), "u");
    await hand.sees("It is back where it was.");
  }],
  ["Find by a word", () => "/", async (hand) => {
    if (hand.keys) await hand.key("/");
    await hand.type(hand.page.locator("#seek"), "lichen");
    await hand.key("Enter");
    await hand.page.waitForURL(/search/);
  }],
  ["Edit the title of a block", ({ channel }) => channel, async (hand) => {
    await hand.open();
    await hand.press(hand.link("Edit"), "e");
    await hand.type(hand.field("Title"), "Another title");
    await hand.send(hand.button("Save"));
    await hand.sees("The block has been saved.");
  }],
  ["Comment with a mention", ({ block }) => block, async (hand) => {
    await hand.type(hand.field("Your comment"), `From the ${hand.mode}, @bea `);
    await hand.press(hand.button("Comment"));
    await hand.sees(`From the ${hand.mode}`);
  }],
  ["Invite a collaborator", ({ channel }) => channel, async (hand) => {
    await hand.more("Collaborators");
    await hand.type(hand.field("Add somebody"), { mouse: "bea", keyboard: "cy", phone: "dee" }[hand.mode]);
    await hand.send(hand.button("Add"));
    await hand.page.locator("ul.rows button").first().waitFor();
  }],
  ["Make a channel private", ({ open }) => open, async (hand) => {
    await hand.more("Edit", "e");
    const choice = hand.here.getByRole("radio", { name: /^Private/i });
    if (hand.keys) {
      await hand.reach(choice);
      for (let n = 0; n < 4 && !await choice.isChecked(); n++) await hand.key("ArrowDown");
    } else {
      await hand.press(choice);
    }
    await hand.send(hand.button("Save"));
    await hand.sees("The channel has been saved.");
  }],
  ["Save from another site", () => "/save?url=https%3A%2F%2Fexample.org%2Fpage&title=A+page", async (hand) => {
    hand.actions += hand.mode === "phone" ? 2 : 1; // Share and the name of the site; or the bookmark
    await hand.press(hand.page.getByRole("checkbox", { name: /^Moss/ }));
    await hand.press(hand.button("Save"));
    await hand.sees("Saved.");
  }],
];

/** Holds an item with a finger until it is selected. */
async function hold(page, item) {
  const cdp = await page.context().newCDPSession(page);
  const { x, y, width, height } = await item.boundingBox();
  await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: x + width / 2, y: y + height / 2 }] });
  await page.locator(".chosen").waitFor();
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

/** Drags with a finger, after a long press. */
async function drag(page, from, to) {
  const cdp = await page.context().newCDPSession(page);
  const middle = async (element) => { const box = await element.boundingBox(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; };
  await to.evaluate((e) => e.scrollIntoView({ block: "center" })); // not behind a bar
  const [start, end] = [await middle(from), await middle(to)];
  await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [start] });
  await page.waitForTimeout(600); // more than a long press
  for (let n = 1; n <= 10; n++) {
    await cdp.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: start.x + (end.x - start.x) * n / 10, y: start.y + (end.y - start.y) * n / 10 }] });
  }
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

/** Creates what the tasks of a mode need. */
async function prepare(ask, mode) {
  const channel = await ask("POST", "/v3/channels", { title: `Field notes, ${mode}`, visibility: "closed" });
  const open = await ask("POST", "/v3/channels", { title: `Open, ${mode}`, visibility: "closed" });
  let block;
  for (let n = 0; n < 14; n++) block = await ask("POST", "/v3/blocks", { value: `Note ${n} on lichen`, channel_ids: [channel.id] });
  return { channel: `/ada/${channel.slug}`, open: `/ada/${open.slug}`, block: `/block/${block.id}` };
}

const only = process.argv[2] ? new RegExp(process.argv[2]) : /./; // some tasks, by their names
const chosen = tasks.filter(([name]) => only.test(name));
const rows = new Map(chosen.map(([name]) => [name, []]));
await world.start();
await browsers.start();
try {
  for (const slug of ["ada", "bea", "cy", "dee"]) await world.user(slug, "supporter", passwordOf(slug));
  const ask = api(world, await world.token("ada"));
  for (const title of ["Moss", "Ferns"]) await ask("POST", "/v3/channels", { title, visibility: "closed" });
  for (const [mode, options] of Object.entries(modes)) {
    const at = await prepare(ask, mode);
    const window = await browsers.open({ ...options, javaScriptEnabled: true, serviceWorkers: "block" });
    window.context.setDefaultTimeout(15_000);
    await window.signIn("ada");
    await window.page.waitForURL(`${world.url}/`);
    for (const [name, from, act] of chosen) {
      await window.page.goto(from(at), { waitUntil: "networkidle" });
      // A key is lost if it is pressed before the scripts have started.
      await window.page.waitForFunction(() => document.querySelector("[data-key][aria-keyshortcuts]") && [...document.querySelectorAll("[data-tiles]")].every((list) => list.chosen && list.sorts));
      const hand = new Hand(window.page, mode);
      const begin = performance.now();
      try {
        await act(hand);
        rows.get(name).push(`${hand.actions}`, ((performance.now() - begin) / 1000).toFixed(1));
      } catch (error) {
        process.exitCode = 1;
        console.error(`${name}, ${mode}, after ${hand.actions} actions: ${error.message}`);
        rows.get(name).push("–", "–");
      }
    }
    await window.context.close();
  }
  console.log(`| task | ${Object.keys(modes).flatMap((mode) => [mode, "s"]).join(" | ")} |\n|---|${"--:|".repeat(6)}`);
  for (const [name, cells] of rows) console.log(`| ${name} | ${cells.join(" | ")} |`);
} finally {
  await browsers.stop();
  await world.stop();
}
