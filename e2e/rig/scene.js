// Pictures for the documentation: landscapes and compositions, computed from a number.
import { painted } from "./image.js";

const palettes = [
  ["#f6e3c5", "#e9a178", "#a2543c", "#4b3b47", "#2a2438"], ["#dfe9e6", "#9fc2bd", "#5b8a8a", "#2f5d62", "#1d3c45"],
  ["#fdf1d6", "#f2c078", "#d6764b", "#7d4f50", "#3b2c35"], ["#e7ecef", "#a3bcd6", "#6096ba", "#274c77", "#14213d"],
  ["#f1ede1", "#c9c5a3", "#8a9a5b", "#4f6f52", "#263a29"], ["#fbe4e6", "#eab5b8", "#c06c84", "#6c5b7b", "#355c7d"],
  ["#f4f1ea", "#d8cfc0", "#a99d8b", "#6b635a", "#33302c"], ["#fff3cf", "#ffd166", "#ef8354", "#4f5d75", "#2d3142"],
];

/** Returns numbers from 0 to 1 that depend on a seed only. */
function numbers(seed) {
  let state = seed * 2654435761 >>> 0;
  return () => {
    state = state + 0x6d2b79f5 >>> 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
}

const parsed = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
const mixed = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);

/** Hills in the haze, each darker than the one behind it, below a low sun. */
function hills(random, colours) {
  const sun = [0.2 + 0.6 * random(), 0.22 + 0.2 * random(), 0.06 + 0.05 * random()];
  const ridges = Array.from({ length: 5 }, (_, i) => {
    const waves = Array.from({ length: 4 }, (_, k) => [0.07 / (k + 1) * random(), (k + 1) * (1.5 + 2 * random()), 7 * random()]);
    return (x) => 0.42 + 0.11 * i + waves.reduce((sum, [height, often, shift]) => sum + height * Math.sin(x * often * 3 + shift), 0);
  });
  return (x, y, ratio) => {
    let colour = mixed(colours[1], colours[0], Math.min(1, y / 0.5));
    const away = Math.hypot((x - sun[0]) * ratio, y - sun[1]);
    colour = away < sun[2] ? colours[0] : mixed(colours[0], colour, Math.min(1, 0.55 + away));
    ridges.forEach((ridge, i) => {
      if (y > ridge(x)) colour = mixed(mixed(colours[1], colours[4], (i + 0.6) / 5), colours[0], Math.max(0, 0.25 - (y - ridge(x))));
    });
    return colour;
  };
}

/** The sea at night or by day, with a moon and its light on the water. */
function sea(random, colours) {
  const [mx, my, r, line] = [0.25 + 0.5 * random(), 0.2 + 0.15 * random(), 0.05 + 0.05 * random(), 0.55 + 0.1 * random()];
  const dark = random() < 0.5;
  const [top, low, water] = dark ? [colours[4], colours[3], colours[4]] : [colours[0], colours[1], colours[3]];
  return (x, y, ratio) => {
    if (y < line) {
      return Math.hypot((x - mx) * ratio, y - my) < r ? (dark ? colours[0] : colours[2]) : mixed(top, low, y / line);
    }
    const depth = (y - line) / (1 - line);
    const glitter = Math.sin(y * 260) * Math.sin(x * 90 + y * 400) > 0.2 && Math.abs(x - mx) * ratio < 0.04 + 0.16 * depth;
    return glitter ? mixed(water, colours[0], 0.75 - 0.4 * depth) : mixed(low, water, 0.35 + 0.65 * depth);
  };
}

/** Circles and quarters on a grid of plain fields. */
function tiles(random, colours) {
  const n = 3 + Math.floor(3 * random());
  const kinds = Array.from({ length: 64 }, () => [Math.floor(5 * random()), Math.floor(5 * random()), Math.floor(4 * random())]);
  return (x, y, ratio) => {
    const [cx, cy] = [x * n * Math.max(ratio, 1), y * n * Math.max(1 / ratio, 1)];
    const [ground, shape, kind] = kinds[(Math.floor(cx) * 7 + Math.floor(cy) * 3) % 64];
    const [u, v] = [cx % 1, cy % 1];
    const inside = [Math.hypot(u, v) < 1, Math.hypot(u - 0.5, v - 0.5) < 0.42, u + v < 1, Math.hypot(u - 1, v) < 1][kind];
    return colours[inside ? (shape === ground ? (shape + 2) % 5 : shape) : ground];
  };
}

/** A vessel on a table. */
function vessel(random, colours) {
  const waves = Array.from({ length: 3 }, (_, k) => [0.06 * random(), k + 1.2, 6 * random()]);
  const [wide, tall, glaze] = [0.17 + 0.07 * random(), 0.5 + 0.15 * random(), 0.3 + 0.3 * random()];
  return (x, y, ratio) => {
    const height = (0.82 - y) / tall; // from the foot to the rim
    const width = wide + waves.reduce((sum, [much, often, shift]) => sum + much * Math.sin(often * height * 3 + shift), 0);
    const side = (x - 0.5) * Math.min(ratio, 1.1) / width;
    if (height > 0 && height < 1 && Math.abs(side) < 1) {
      const body = height > glaze + 0.05 * Math.sin(side * 5) ? colours[2] : colours[1];
      return mixed(body, side > 0 ? colours[4] : colours[0], Math.abs(side) ** 2.2 * 0.55);
    }
    const shadow = y > 0.78 && Math.hypot((x - 0.56) * 1.6 * Math.min(ratio, 1.1), (y - 0.83) * 9) < wide * 2;
    const ground = y > 0.72 ? mixed(colours[1], colours[0], 0.45) : mixed(colours[0], colours[1], 0.25 * (1 - y));
    return shadow ? mixed(ground, colours[4], 0.3) : ground;
  };
}

const kinds = { hills, sea, tiles, vessel };

/** Returns a PNG file with a picture of a kind, a different one for each number. */
export function scene(kind, n, [width, height]) {
  const at = kinds[kind](numbers(n + 1), palettes[n * 5 % palettes.length].map(parsed));
  return painted(width, height, (x, y) => at(x / width, y / height, width / height));
}
