// Addresses of servers.

const loopback = /^(localhost|127\.0\.0\.1)$/;

/** Reports whether requests to an address are safe from listeners: https, or http on this machine. */
export function isSecure(address) {
  const url = tryParse(address);
  return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname)));
}

function tryParse(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/** Returns the address of a server as its metadata would name it, or null if the text is no address that may be used. */
export function serverAddress(text) {
  text = text.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) text = `${/^(localhost|127\.0\.0\.1)([:/]|$)/i.test(text) ? "http" : "https"}://${text}`;
  const url = tryParse(text);
  if (url === null || !isSecure(url.href) || url.username || url.password || url.hostname === "") return null;
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Returns the address of the metadata of a server (RFC 8414 section 3.1). */
export function metadataAddress(server) {
  const url = new URL(server);
  return `${url.origin}/.well-known/oauth-authorization-server${url.pathname === "/" ? "" : url.pathname}`;
}

/** Returns the address of a web page in its normal form, or "" if it cannot be saved. */
export function webPage(address) {
  const url = tryParse(address ?? "");
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : "";
}

/** Returns the host and path of an address for display. */
export function shown(address) {
  const url = tryParse(address);
  return url === null ? address : url.host.replace(/^www\./, "") + url.pathname.replace(/\/$/, "") + url.search;
}
