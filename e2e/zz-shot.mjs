import { Browsers, passwordOf } from "./rig/browser.js";
import { databases } from "./rig/databases.js";
import { fillGallery, gallerySettings, openWebsite } from "./rig/gallery.js";
import { World } from "./rig/world.js";
const world = new World(databases[0], gallerySettings);
const browsers = new Browsers(world);
const site = await openWebsite();
await world.start(); await browsers.start();
try {
  for (const s of ["ada", "bea"]) await world.user(s, "supporter", passwordOf(s));
  const ada = world.arena(await world.token("ada"));
  const channel = await fillGallery(ada, site, "Studio wall", 40);
  for (const title of ["Moss", "Ferns", "Kitchen, second floor, with a very long title that does not fit", "Water at night", "Pots and bowls", "Colour and distance", "Plans", "Letters", "Maps of small places", "Paper", "Chairs", "Type", "Bread", "Glass", "Roofs", "Stairs"]) await ada.channels.create({ title, visibility: ["public", "closed", "private"][title.length % 3] });
  const { default: act } = await import(process.argv[2]);
  await act({ world, browsers, ada, channel, shot: (page, name) => page.screenshot({ path: `/tmp/shots/${name}.png` }) });
} finally { await browsers.stop().catch((e) => console.error(e.message)); await world.stop().catch((e)=>console.error(e.message)); site.close(); }
