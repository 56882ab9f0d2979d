// Fetches an image, font or style sheet of a page. It runs in the page and in the worker, and so is no module.

/** Returns a file as a data: address, or null if it cannot be read, is of another type, or has more bytes than `most`. */
globalThis.fetchPart = async (address, most, signal) => {
  try {
    const response = await fetch(address, { signal });
    const type = (response.headers.get("Content-Type") ?? "").split(";")[0].trim().toLowerCase();
    if (!response.ok || !/^(image|font)\/[\w.+-]+$|^text\/css$|^application\/(octet-stream|(x-)?font[\w-]*|vnd\.ms-fontobject)$/.test(type)) return null;
    const chunks = [];
    let size = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > most) {
        await reader.cancel();
        return null;
      }
      chunks.push(value);
    }
    return await new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.onerror = reject;
      reader.readAsDataURL(new Blob(chunks, { type }));
    });
  } catch {
    return null;
  }
};
