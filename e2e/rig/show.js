// Serves a gallery for viewing until it is interrupted:
//
//	VITRINE_BIN=bin/vitrine node e2e/rig/show.js
import { fillGallery, gallerySettings, openWebsite } from "./gallery.js";
import { passwordOf } from "./browser.js";
import { databases } from "./databases.js";
import { World } from "./world.js";

const world = new World(databases[0], gallerySettings);
await world.start();
const site = await openWebsite();
await world.user("ada", "supporter", passwordOf("ada"));
const channel = await fillGallery(world.arena(await world.token("ada")), site);
console.log(`${world.url}/ada/${channel.slug}, ada@example.org, ${passwordOf("ada")}`);
process.once("SIGINT", async () => {
  await world.stop();
  site.close();
});
