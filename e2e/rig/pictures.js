// Renders screens of the website, with content of all kinds, into docs/images:
//
//	make pictures
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browsers, passwordOf } from "./browser.js";
import { databases } from "./databases.js";
import { gallerySettings, openWebsite, pdf } from "./gallery.js";
import { scene } from "./scene.js";
import { processed, World } from "./world.js";

const images = join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
const sizes = [[1200, 800], [800, 1200], [1000, 1000], [1300, 730], [760, 1100], [1100, 760]];

const world = new World(databases[0], gallerySettings);
const browsers = new Browsers(world);
let site;

/** Makes the people, channels and blocks. Returns addresses for the screens. */
async function collections() {
  for (const slug of ["desk", "ada", "bea", "cy"]) await world.user(slug, "supporter", passwordOf(slug));
  // The first account is the operator's.
  const [ada, bea, cy] = await Promise.all(["ada", "bea", "cy"].map(async (slug) => world.arena(await world.token(slug))));
  let n = 0;
  const made = [];
  const channel = (who, title, visibility, description) => who.channels.create({ title, visibility, description });
  const picture = async (who, to, kind, title, size = sizes[n % sizes.length]) => {
    const file = { data: scene(kind, n++, size), filename: `${title.toLowerCase().replaceAll(/\W+/g, "-")}.png`, contentType: "image/png" };
    made.push([who, (await who.uploads.createBlock({ file, channels: [{ id: to.id }], block: { title, alt_text: title } })).id]);
    return made.at(-1)[1];
  };
  const write = async (who, to, value, title) => {
    made.push([who, (await who.blocks.create({ value, title, channel_ids: [to.id] })).id]);
    return made.at(-1)[1];
  };

  const pots = await channel(bea, "Pots and bowls", "closed", "From the studio, before and after the kiln.");
  for (const title of ["Second firing", "Ash glaze", "A bowl for rain", "Test, cobalt", "Tall, with a neck", "Unglazed"]) await picture(bea, pots, "vessel", title);
  const water = await channel(cy, "Water at night", "public", "Bring yours.");
  for (const title of ["Harbour, low tide", "The ferry is late", "Moon over the mole", "Still"]) await picture(cy, water, "sea", title);
  const notes = await channel(ada, "Field notes", "public");
  await write(ada, notes, "Moss grows on the *north* side, and on every side of this valley.");
  await write(ada, notes, "A collection is a way of thinking with things.");
  await picture(ada, notes, "hills", "The ridge at six");
  const plans = await channel(ada, "Kitchen, second floor", "private");
  await picture(ada, plans, "tiles", "Tiles, first idea");
  await picture(ada, plans, "tiles", "Tiles, second idea");

  const wall = await channel(ada, "Colour and distance", "public", "What happens to a colour when it is far away. Pictures, notes and pages, in an order that may still change.");
  await picture(ada, wall, "hills", "Ridge after ridge");
  const text = await write(ada, wall, `The farther away a hill is, the more air is in front of it. So distant hills lose their dark tones first, and take on the colour of the light between.

Leonardo called it *the perspective of disappearance*, and gave a recipe: what is five times as far away, paint five times bluer. It is not a formula, but it is a good rule for a morning with haze.

> Things far away are not small. They are pale.

- shadows go first,
- then edges,
- and the light is the last.`, "Why far hills are blue");
  const stack = [["vessel", "Tall, in the dusk", [720, 1180]], ["sea", "The sea is lighter than the sky", [1200, 760]], ["tiles", "Nine fields", [1000, 1000]],
    ["vessel", "Glaze, three distances", [800, 1150]], ["hills", "Evening, five ridges", [1250, 800]], ["hills", "Grey is a colour", [900, 1200]],
    ["sea", "Where the path ends", [1200, 700]], ["vessel", "A vessel against the light", [860, 1120]], ["sea", "Low tide", [1280, 720]],
    ["tiles", "Pattern for a floor", [1000, 1000]], ["hills", "Before rain", [760, 1180]]];
  const links = [1, 2, 3];
  let image;
  for (const [i, [kind, title, size]] of stack.entries()) {
    const id = await picture(ada, wall, kind, title, size);
    if (i === 4) image = id;
    if (i === 2) await write(ada, wall, "Measure the room before you choose the table; then choose the table first.");
    if (i === 3) await write(ada, wall, `${site.url}/article/${links.shift()}`);
    if (i === 5) await ada.connections.create({ connectable_id: pots.id, connectable_type: "Channel", channel_ids: [wall.id] });
    if (i === 6) {
      const file = { data: pdf("A chart of greys"), filename: "a-chart-of-greys.pdf", contentType: "application/pdf" };
      made.push([ada, (await ada.uploads.createBlock({ file, channels: [{ id: wall.id }], block: { title: "A chart of greys" } })).id]);
    }
    if (i === 7) await write(ada, wall, "“Looking twice is cheap. Looking a third time is where the work begins.”");
    if (i === 8) await ada.connections.create({ connectable_id: water.id, connectable_type: "Channel", channel_ids: [wall.id] });
  }
  await picture(ada, wall, "sea", "Morning, from the train", [1300, 780]);
  for (const [who, id] of made) await processed(() => who.blocks.get(id));

  for (const [who, what] of [["ada", "users/bea"], ["ada", "users/cy"], ["ada", `channels/${water.id}`], ["bea", "users/ada"], ["cy", "users/ada"], ["cy", `channels/${wall.id}`]]) await world.follow(who, what);
  const call = async (who, path, body) => {
    const headers = { Authorization: `Bearer ${await world.token(who)}`, "Content-Type": "application/json" };
    const response = await fetch(`${world.url}/v3${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  await call("bea", `/blocks/${image}/comments`, { body: "The last ridge has the colour of my ash glaze, @ada." });
  await call("cy", `/blocks/${image}/comments`, { body: "Seen from the ferry it is the other way round." });
  await bea.connections.create({ connectable_id: image, connectable_type: "Block", channel_ids: [pots.id] });
  for (const title of ["Third firing", "Rim, detail"]) await picture(bea, pots, "vessel", title);
  await picture(cy, water, "sea", "The lamp on the pier");
  return { wall: `/ada/${wall.slug}`, image, text };
}

const wide = { viewport: { width: 1280, height: 860 } };
const tablet = { viewport: { width: 820, height: 1100 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** Opens a block over its channel. */
const open = (title) => async (page) => {
  await page.locator(`#cells a.face:has(img[alt*="${title}"]), #cells a.face:has-text("${title}")`).first().click();
  await page.locator("dialog.view[open] .block-page").waitFor();
};

/** The screens: name, path, window, colours, who is signed in, and what is done on the page. */
function screens({ wall, image, text }) {
  return [
    ["channel", `${wall}?view=masonry`, wide, "light", "ada"],
    ["channel-dark", `${wall}?view=masonry`, wide, "dark", "ada"],
    ["channel-grid", `${wall}?view=grid`, wide, "light"],
    ["channel-list", `${wall}?view=list`, wide, "light"],
    ["channel-reading", `${wall}?view=reading`, wide, "light"],
    ["channel-tablet", `${wall}?view=masonry`, tablet, "light"],
    ["channel-phone", `${wall}?view=masonry`, phone, "light"],
    ["image", `${wall}?view=masonry`, wide, "light", "ada", open("Evening, five ridges")],
    ["image-dark", `${wall}?view=masonry`, wide, "dark", "ada", open("Evening, five ridges")],
    ["image-phone", `/block/${image}`, phone, "dark"],
    ["text", `/block/${text}`, wide, "light"],
    ["home", "/", wide, "light", "ada"],
    ["home-dark", "/", wide, "dark", "ada"],
    ["feed", "/feed", wide, "light", "ada"],
    ["notifications", "/notifications", wide, "light", "ada"],
    ["welcome", "/", wide, "light"],
    ["explore", "/explore", wide, "light"],
    ["explore-phone", "/explore?type=channels", phone, "dark"],
    ["profile", "/ada", wide, "light"],
    ["search", "/search?q=glaze", wide, "light"],
    ["connect", `/block/${image}/connect`, wide, "light", "ada"],
    ["arrange", `${wall}/arrange`, wide, "light", "ada"],
  ];
}

await world.start();
await browsers.start();
try {
  site = await openWebsite();
  const all = screens(await collections());
  await mkdir(images, { recursive: true });
  for (const file of await readdir(images)) if (file.endsWith(".png")) await rm(join(images, file));
  for (const [name, path, options, colorScheme, who, act] of all) {
    const window = await browsers.open({ ...options, colorScheme, reducedMotion: "reduce", javaScriptEnabled: true, serviceWorkers: "block" });
    if (who) {
      await window.signIn(who);
      await window.page.waitForURL(`${world.url}/`);
    }
    await window.page.goto(path, { waitUntil: "networkidle" });
    await act?.(window.page);
    await window.page.waitForLoadState("networkidle");
    await window.page.evaluate(() => document.fonts.ready);
    await window.page.screenshot({ path: join(images, `${name}.png`) });
    await window.context.close();
  }
  console.log(`${all.length} screens are in ${images}`);
} finally {
  await browsers.stop();
  await site?.close();
  await world.stop();
}
