/** Returns all pages of an asynchronous generator. */
export async function pagesOf(generator) {
  const pages = [];
  for await (const page of generator) pages.push(page);
  return pages;
}
