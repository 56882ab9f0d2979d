// Measures the page of a channel in a browser whose processor is slowed four times: when the largest
// element is shown (LCP), the slowest interaction (INP), how much the layout shifts (CLS), also while
// scrolling, the transferred bytes, and the memory of the tab after 2,000 scrolled items:
//
//	make vitals
//
// Each figure is the median of several rounds, since the load of the machine changes it. The time of an empty
// page shows that load.
import { readFile } from "node:fs/promises";
import { Browsers } from "./browser.js";
import { databases } from "./databases.js";
import { picture } from "./gallery.js";
import { processed, World } from "./world.js";

const rounds = Number(process.env.VITALS_ROUNDS ?? 5);
const items = Number(process.env.VITALS_ITEMS ?? 2000);
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, deviceScaleFactor: 2 };
const wide = { viewport: { width: 1440, height: 900 } };

const world = new World(databases[0], { VITRINE_RATE_LIMITS: "guest=0,free=0,premium=0,supporter=0" });
const browsers = new Browsers(world);

/** Makes a channel with pictures and channels, so that the page has covers, and one with many pictures. */
async function fill() {
  const ada = await world.arenaOf("ada");
  const make = (title) => ada.channels.create({ title, visibility: "public" });
  const [wall, long] = [await make("Wall"), await make("Long")];
  const made = [];
  for (let n = 0; n < 60; n++) {
    const file = { data: picture(n), filename: `${n}.png`, contentType: "image/png" };
    made.push((await ada.uploads.createBlock({ file, channels: [{ id: wall.id }], block: { title: `Picture ${n}`, alt_text: `Picture ${n}` } })).id);
  }
  for (const id of made) await processed(() => ada.blocks.get(id));
  for (let c = 0; c < 12; c++) {
    const part = await make(`Part ${c}`);
    for (let n = 0; n < 4; n++) await ada.connections.create({ connectable_id: made[(c * 4 + n) % made.length], connectable_type: "Block", channel_ids: [part.id] });
    await ada.connections.create({ connectable_id: part.id, connectable_type: "Channel", channel_ids: [wall.id] });
  }
  for (let n = 0; n < items; n += 1) {
    if (n < made.length) await ada.connections.create({ connectable_id: made[n], connectable_type: "Block", channel_ids: [long.id] });
    else await ada.blocks.create({ value: `Note ${n}: what is kept together begins to speak to what is next to it.`, channel_ids: [long.id] });
  }
  return { wall: `/ada/${wall.slug}`, long: `/ada/${long.slug}` };
}

/** Opens a page in a slow browser, and observes its paints, shifts and interactions. */
async function open(options) {
  const window = await browsers.open({ ...options, javaScriptEnabled: true, serviceWorkers: "block" });
  const cdp = await window.context.newCDPSession(window.page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await window.page.addInitScript(() => {
    globalThis.vitals = { lcp: 0, inp: 0, cls: 0 };
    const watch = (type, take, more) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
    watch("largest-contentful-paint", (entry) => { vitals.lcp = entry.startTime; });
    watch("layout-shift", (entry) => { if (!entry.hadRecentInput) vitals.cls += entry.value; });
    watch("event", (entry) => { if (entry.interactionId) vitals.inp = Math.max(vitals.inp, entry.duration); }, { durationThreshold: 16 });
  });
  return { window, page: window.page, cdp };
}

const vitals = (page) => page.evaluate(() => globalThis.vitals);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Scrolls like a reader until the page has a number of items, or does not grow. */
async function scroll(page, most) {
  for (let last = 0, still = 0; still < 40;) {
    await page.mouse.wheel(0, 900);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 20))));
    const [count, end] = await page.evaluate(() => [document.querySelectorAll("#cells > li").length, scrollY + innerHeight >= document.body.scrollHeight - 2]);
    if (count >= most && end) return count;
    still = end && count === last ? still + 1 : 0;
    last = count;
  }
  return page.locator("#cells > li").count();
}

/** Loads a channel once, interacts with it, and scrolls to its end. */
async function measure(address, options) {
  const { window, page, cdp } = await open(options);
  let bytes = 0;
  await cdp.send("Network.enable");
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
  await page.goto(address, { waitUntil: "networkidle" });
  await page.waitForTimeout(300);
  const { lcp } = await vitals(page);
  const first = bytes;
  const menu = page.locator("details.menu.more > summary");
  await menu.click();
  await menu.click();
  await page.locator("#cells > li:not(.channel) .face").first().click();
  await page.locator("dialog.view[open] .block-page").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await page.locator("dialog.view[open]").waitFor({ state: "detached" });
  await page.waitForTimeout(300);
  await page.mouse.move(200, 400);
  await scroll(page, Infinity);
  await page.waitForTimeout(300);
  const { inp, cls } = await vitals(page);
  await window.context.close();
  return { lcp, inp, cls, kilobytes: first / 1024 };
}

/** Returns when a page with one word is painted, which shows how busy the machine is. */
async function empty() {
  const { window, page } = await open(wide);
  await page.goto("/healthz", { waitUntil: "networkidle" });
  await page.waitForTimeout(300);
  const { lcp } = await vitals(page);
  await window.context.close();
  return lcp;
}

/** Returns the private megabytes of the largest process that renders pages. */
async function privateMemory(browser) {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  await cdp.detach();
  const sizes = await Promise.all(processInfo.filter(({ type }) => type === "renderer").map(async ({ id }) => {
    const rows = (await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "")).matchAll(/^Private_\w+: +(\d+) kB/gm);
    return [...rows].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1024;
  }));
  return Math.max(...sizes);
}

/** Measures a tab that has shown many items. */
async function memory(address) {
  const { window, page, cdp } = await open(wide);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await page.goto(address, { waitUntil: "networkidle" });
  const before = await privateMemory(window.context.browser());
  await page.mouse.move(600, 500);
  const shown = await scroll(page, items);
  await cdp.send("HeapProfiler.collectGarbage");
  const { cls } = await vitals(page);
  const after = await privateMemory(window.context.browser());
  await window.context.close();
  return { shown, cls, before, after };
}

await world.start();
await browsers.start();
try {
  const { wall, long } = await fill();
  console.log("| page | LCP ms | ÷ empty page | INP ms | CLS | KB before scrolling |\n|---|--:|--:|--:|--:|--:|");
  for (const [name, address, options] of [["phone, grid", `${wall}?view=grid`, phone], ["phone, masonry", `${wall}?view=masonry`, phone],
    ["1440 px, grid", `${wall}?view=grid`, wide], ["1440 px, masonry", `${wall}?view=masonry`, wide]]) {
    const all = [];
    for (let n = 0; n < rounds; n++) all.push({ blank: await empty(), ...await measure(address, options) });
    const of = (key, digits) => median(all.map((one) => one[key])).toFixed(digits);
    console.log(`| ${name} | ${of("lcp", 0)} | ${(of("lcp", 3) / of("blank", 3)).toFixed(1)} | ${of("inp", 0)} | ${of("cls", 3)} | ${of("kilobytes", 0)} |`);
  }
  const { shown, cls, before, after } = await memory(long);
  console.log(`\n${shown} items scrolled: the tab has ${after.toFixed(0)} MB of its own, ${before.toFixed(0)} MB before; CLS ${cls.toFixed(3)}`);
} finally {
  await browsers.stop();
  await world.stop();
}
