// ZIP files as needed by tests: without encryption, in one part.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";

/**
 * Unpacks a ZIP into a folder, and gives the names in it.
 * @param {Buffer} file
 */
export async function unzip(file, folder) {
  const end = file.lastIndexOf(Buffer.from("PK\x05\x06"));
  const names = [];
  for (let at = file.readUInt32LE(end + 16), left = file.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size, nameLength, extra, comment, start] = [file.readUInt16LE(at + 10), file.readUInt32LE(at + 20),
      file.readUInt16LE(at + 28), file.readUInt16LE(at + 30), file.readUInt16LE(at + 32), file.readUInt32LE(at + 42)];
    const name = file.toString("utf8", at + 46, at + 46 + nameLength);
    const data = start + 30 + file.readUInt16LE(start + 26) + file.readUInt16LE(start + 28);
    const packed = file.subarray(data, data + size);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), method === 0 ? packed : inflateRawSync(packed));
    names.push(name);
    at += 46 + nameLength + extra + comment;
  }
  return names;
}
