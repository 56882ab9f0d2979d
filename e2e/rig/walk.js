/** Reads all pages that an asynchronous generator gives. */
export async function pagesOf(generator) {
  const pages = [];
  for await (const page of generator) pages.push(page);
  return pages;
}
