// Checks of pages with axe-core, in a window whose policy lets its script run (bypassCSP).
import { fileURLToPath } from "node:url";

const axe = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));

/**
 * Returns the accessibility problems of a page, including those on small screens. Colours do not
 * depend on the width, and nothing else depends on colours. So contrast, which takes longest, is
 * checked once in light and once in dark, and everything else once for each width.
 */
export async function inspectPage(page, look) {
  if (look.endsWith("-dark")) return [];
  const dark = look === "dark";
  const wide = dark ? 0 : await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const wrong = wide > 0 ? [`${wide} pixels are beyond its width`] : [];
  if (!dark) await page.addScriptTag({ path: axe });
  const options = dark ? { runOnly: ["color-contrast"] } : { rules: { "color-contrast": { enabled: look === "light" } } };
  const { violations, passes } = await page.evaluate((options) => globalThis.axe.run(options), options);
  if (passes.length === 0) wrong.push("nothing was looked at");
  const tell = (id, node) => `${id}: ${node.html.slice(0, 120)} (${node.failureSummary?.split("\n")[1]?.trim()})`;
  return wrong.concat(violations.flatMap(({ id, nodes }) => nodes.map((node) => tell(id, node))));
}
