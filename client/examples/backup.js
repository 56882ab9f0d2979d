// Saves your channels as JSON, with the files of their blocks.
//
//   TOKEN=… node examples/backup.js http://127.0.0.1:8080 folder
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "../typescript/index.js";

const [, , base, folder] = process.argv;
const client = new Client(base, { token: process.env.TOKEN });
const me = await client.getCurrentUser();
await mkdir(join(folder, "files"), { recursive: true });
let blocks = 0;
for await (const channel of client.ext.allUserContents(me.slug, { type: ["Channel"], limit: 100 })) {
  const contents = [];
  for await (const item of client.ext.allChannelContents(channel.id, { limit: 100 })) { // each exactly once, even if others write
    contents.push(item);
    const file = item.attachment ?? item.image;
    if (file !== undefined && file !== null && item.type !== "Channel") {
      const response = await fetch(file.url ?? file.src);
      if (!response.ok) throw new Error(`${item.id}: ${response.status}`);
      await writeFile(join(folder, "files", String(item.id)), Buffer.from(await response.arrayBuffer()));
    }
    blocks++;
  }
  await writeFile(join(folder, `${channel.id}.json`), JSON.stringify({ channel, contents }, null, 2));
}
console.log(`saved ${blocks} blocks`);
