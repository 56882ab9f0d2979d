/**
 * Lets an address of the server return a page with the given content in the site's frame, with its
 * scripts. It tests what a script does with hooks, independently of the pages that have them.
 */
export async function fixture(window, address, content, headers = {}) {
  await window.context.route((url) => url.pathname === address, async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const frame = await route.fetch({ url: new URL("/sign-in", route.request().url()).href, headers: { Accept: "text/html" } });
    const main = `<main id="main" tabindex="-1"><div id="notes" aria-live="polite"></div>${typeof content === "function" ? content(new URL(route.request().url())) : content}</main>`;
    await route.fulfill({ response: frame, headers: { ...frame.headers(), ...headers }, body: (await frame.text()).replace(/<main[^]*<\/main>/, () => main) });
  });
}
