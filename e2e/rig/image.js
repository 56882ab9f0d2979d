// Generated images.
import { crc32, deflateSync } from "node:zlib";

/** Returns a PNG file of a colour gradient. */
export function png(width, height) {
  return painted(width, height, (x, y) => [(x * 255) / width, (y * 255) / height, 128]);
}

/** Returns a PNG file. `at` returns the red, green and blue of a pixel, from 0 to 255. */
export function painted(width, height, at) {
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(at(x, y), y * (1 + 3 * width) + 1 + 3 * x);
  }
  return chunked(width, height, deflateSync(rows));
}

/** Returns a PNG file of compressed RGB rows, each preceded by its filter byte. */
function chunked(width, height, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits, RGB
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}
