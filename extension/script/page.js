// Reads the page that the user is looking at.

/**
 * Returns what may be saved of the page. It runs inside the page, so it uses nothing of this module.
 * @returns {{url: string, title: string, selection: string, images: {src: string, alt: string, width: number, height: number}[]}}
 */
export function capture() {
  const found = new Map();
  const add = (address, alt, width, height) => {
    let url;
    try {
      url = new URL(address, document.baseURI);
    } catch {
      return;
    }
    if (!/^https?:$/.test(url.protocol) || found.size >= 200) return;
    const known = found.get(url.href);
    if (!known || known.width * known.height < width * height) found.set(url.href, { src: url.href, alt: alt || known?.alt || "", width, height });
  };
  for (const image of Array.from(document.images).slice(0, 2_000)) {
    const { naturalWidth: width, naturalHeight: height } = image;
    if (width >= 64 && height >= 64) add(image.currentSrc || image.src, image.alt, width, height);
  }
  for (const video of document.querySelectorAll("video[poster]")) add(video.poster, "", video.videoWidth || 640, video.videoHeight || 360);
  const preview = document.querySelector('meta[property="og:image"], meta[name="twitter:image"]')?.content;
  if (preview) add(preview, "", 600, 315); // its size is unknown
  const images = Array.from(found.values()).sort((a, b) => b.width * b.height - a.width * a.height).slice(0, 60);
  return { url: location.href, title: document.title, selection: String(getSelection() ?? "").slice(0, 200_000), images };
}

/** Reads a tab, or returns null if the browser does not permit that, as on its own pages. */
export async function readTab(tabId) {
  try {
    const [{ result }] = await chrome.scripting.executeScript({ target: { tabId }, func: capture });
    return result ?? null;
  } catch {
    return null;
  }
}
