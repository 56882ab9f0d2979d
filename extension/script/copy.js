// Copies the page that the user is looking at into one HTML file.

/** The limits of a copy: bytes of a part (image, font or style sheet) and of all parts, their number, and the time to fetch them. */
export const limits = { part: 5 << 20, parts: 30 << 20, count: 300, milliseconds: 30_000 };

/**
 * Returns the page as it is displayed: one HTML file without scripts, with images, fonts and style sheets inside it. Parts
 * that exceed the limits stay out. It runs inside the page after part.js, so it uses nothing of this module. The worker
 * fetches the parts that the page may not read.
 * @returns {Promise<{url: string, html: string}?>} null if the page cannot be copied
 */
export async function copyPage(limits) {
  const inert = document.implementation.createHTMLDocument(); // nothing in it is fetched or run
  const images = []; // attributes that get the data: address of an image
  const styles = []; // CSS: a text or a style sheet, and a function that inserts it
  const frames = []; // copies of frames, inner ones first
  const parts = new Map(); // data: addresses by address
  const removed = new Set(["script", "noscript", "object", "embed", "applet", "base", "template", "source", "track", "param", "frame", "noframes", "noembed", "set", "animate"]);
  const unwanted = /^on|^(src|srcset|sizes|srcdoc|poster|background|data|imagesrcset|integrity|nonce|ping|action|formaction|autofocus|autoplay|manifest)$/i;
  const described = /^(viewport|description|author|keywords|color-scheme|theme-color)$/i; // others may contain tokens of the session
  const inCSS = /url\(\s*(?:"([^"\\]*(?:\\[^][^"\\]*)*)"|'([^'\\]*(?:\\[^][^'\\]*)*)'|([^\s"')\\]*(?:\\[^][^\s"')\\]*)*))\s*\)/gi;
  // A form has its fields as properties, which hide its own.
  const childrenOf = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(Node.prototype, "childNodes").get);

  function resolve(address, base) {
    try {
      return new URL(address, base).href;
    } catch {
      return "";
    }
  }

  function copyDocument(of) {
    const root = copyNode(of.documentElement, of);
    const head = Array.from(root.children).find(({ localName }) => localName === "head") ?? root.insertBefore(inert.createElement("head"), root.firstChild);
    const charset = inert.createElement("meta");
    charset.setAttribute("charset", "utf-8");
    head.prepend(charset);
    addAdopted(of, head, of);
    return root;
  }

  /** Returns the copy of a node of a document, or null if it is left out. */
  function copyNode(node, of) {
    if (node.nodeType === 3) return inert.createTextNode(node.data);
    if (node.nodeType !== 1) return null;
    let copy = inert.importNode(node, false);
    const name = copy.localName;
    if (removed.has(name)) return null;
    if (name === "link") return addSheet(node.sheet, inert.createElement("style"), of);
    if (name === "meta" && (!described.test(copy.getAttribute("name")) || copy.hasAttribute("http-equiv"))) return null;
    const background = copy.getAttribute("background");
    for (const attribute of Array.from(copy.attributes)) if (unwanted.test(attribute.name)) copy.removeAttributeNode(attribute);
    if (name === "style") return addSheet(node.sheet, copy, of);
    copyAddress(copy, of);
    if (background !== null) images.push({ copy, name: "background", address: resolve(background, of.baseURI) });
    if (name === "canvas") copy = pictureOf(node, copy);
    if (copy.hasAttribute("style")) styles.push({ text: copy.getAttribute("style"), base: of.baseURI, insert: (text) => copy.setAttribute("style", text) });
    if (name === "iframe") return copyFrame(node, copy);
    if (name === "img") images.push({ copy, name: "src", address: node.currentSrc || node.src });
    if (name === "video") images.push({ copy, name: "poster", address: node.poster });
    if (name === "input") copyField(node, copy);
    if (name === "option") copy.toggleAttribute("selected", node.selected);
    if (name === "textarea") return copy; // without its text: see copyField
    if (name !== "form" && node.shadowRoot) {
      const template = inert.createElement("template");
      template.setAttribute("shadowrootmode", "open");
      copyChildren(node.shadowRoot, template.content, of);
      addAdopted(node.shadowRoot, template.content, of);
      copy.append(template);
    }
    copyChildren(node, copy, of);
    return copy;
  }

  function copyChildren(node, copy, of) {
    for (const child of childrenOf(node)) copy.append(...[copyNode(child, of)].filter(Boolean));
  }

  /** Makes the address of a link absolute. Addresses that run a script, and those of other files in an SVG, are removed. */
  function copyAddress(copy, of) {
    for (const name of ["href", "xlink:href"]) {
      const value = copy.getAttribute(name)?.trim();
      if (value === undefined || value.startsWith("#")) continue;
      copy.removeAttribute(name);
      const address = resolve(value, of.baseURI);
      if (copy.localName === "image") images.push({ copy, name: "href", address });
      else if (/^(a|area)$/.test(copy.localName) && /^(https?|mailto|tel):/.test(address)) copy.setAttribute(name, address);
    }
  }

  /**
   * Copies whether a box is ticked, but nothing that was typed or is hidden in a field. The copy would otherwise contain
   * passwords, card numbers and the tokens of forms, which others could see once it is shared.
   */
  function copyField(node, copy) {
    if (/^(checkbox|radio)$/.test(node.type)) copy.toggleAttribute("checked", node.checked);
    else if (node.type === "image") images.push({ copy, name: "src", address: node.src });
    else if (!/^(button|submit|reset)$/.test(node.type)) copy.removeAttribute("value");
  }

  /**
   * Returns an image with the picture of a canvas and its size, because browsers do not display a canvas without scripts.
   * They do not return a picture that contains images of other sites.
   */
  function pictureOf(node, copy) {
    const image = inert.createElement("img");
    for (const { name, value } of copy.attributes) image.setAttribute(name, value);
    const { width, height } = getComputedStyle(node);
    image.setAttribute("style", `${copy.getAttribute("style") ?? ""};width:${width};height:${height}`);
    try {
      images.push({ copy: image, name: "src", address: node.toDataURL() });
    } catch {
      // it stays empty
    }
    return image;
  }

  /** Copies a frame of the same site. The browser does not return the documents of others. */
  function copyFrame(node, copy) {
    const inner = node.contentDocument;
    if (inner?.documentElement?.localName !== "html") return null;
    const root = copyDocument(inner);
    copy.setAttribute("sandbox", "");
    frames.push({ copy, inner, root });
    return copy;
  }

  function addAdopted(root, copy, of) {
    try {
      for (const sheet of root.adoptedStyleSheets) copy.append(...[addSheet(sheet, inert.createElement("style"), of)].filter(Boolean));
    } catch {
      // the browser does not show them to extensions
    }
  }

  /** Adds a style sheet that is in use to the ones to copy. Scripts may have changed its rules. */
  function addSheet(sheet, copy, of) {
    if (!sheet || sheet.disabled) return null;
    copy.removeAttribute("media");
    if (sheet.media.mediaText) copy.setAttribute("media", sheet.media.mediaText);
    styles.push({ sheet, of, text: "", base: sheet.href ?? of.baseURI, insert: (text) => { copy.textContent = text.replace(/<\/(style)/gi, "<\\/$1"); } });
    return copy;
  }

  /** Returns the CSS of a style sheet with absolute addresses and without imports. */
  async function textOf(sheet, of, base, depth = 0) {
    let rules = [];
    try {
      rules = Array.from(sheet.cssRules);
    } catch { // it comes from another site
      const file = await part(sheet.href);
      if (!file) return "";
      const known = new CSSStyleSheet();
      known.replaceSync(new TextDecoder().decode(Uint8Array.from(atob(file.slice(file.indexOf(",") + 1)), (byte) => byte.charCodeAt(0))));
      rules = Array.from(known.cssRules);
    }
    const texts = await Promise.all(rules.map(async (rule) => {
      switch (rule.type) {
        case CSSRule.IMPORT_RULE: {
          if (!rule.styleSheet || depth > 5) return "";
          let text = await textOf(rule.styleSheet, of, rule.styleSheet.href ?? base, depth + 1);
          if (typeof rule.layerName === "string") text = `@layer ${rule.layerName} {\n${text}\n}`;
          if (rule.supportsText) text = `@supports ${/^\(|^not\b/.test(rule.supportsText) ? rule.supportsText : `(${rule.supportsText})`} {\n${text}\n}`;
          return rule.media.mediaText ? `@media ${rule.media.mediaText} {\n${text}\n}` : text;
        }
        case CSSRule.NAMESPACE_RULE:
          return "";
        case CSSRule.FONT_FACE_RULE:
          return isUsed(rule.style, of) ? absolute(oneSource(rule), base) : "";
      }
      return absolute(rule.cssText, base).replaceAll(":defined", ":is(*)"); // custom elements are not defined in the copy
    }));
    return texts.filter(Boolean).join("\n");
  }

  /** Reports whether the document has loaded a font. */
  function isUsed(style, of) {
    const nameOf = (family, range) => `${family.replace(/["']/g, "")} ${(range || "U+0-10FFFF").replace(/\s/g, "")}`.toLowerCase();
    const name = nameOf(style.getPropertyValue("font-family"), style.getPropertyValue("unicode-range"));
    return Array.from(of.fonts).some((font) => font.status === "loaded" && nameOf(font.family, font.unicodeRange) === name);
  }

  /** Returns the text of a font with only the first file, since the others are the same font in other formats. */
  function oneSource(rule) {
    const sources = rule.style.getPropertyValue("src");
    const first = sources.match(new RegExp(`${inCSS.source}(\\s*(format|tech)\\([^)]*\\))*`, "i"))?.[0];
    return first ? rule.cssText.replace(sources, () => first) : "";
  }

  /** Replaces the addresses in CSS, except for those of parts of the document and data: addresses. */
  function replaceAddresses(text, replace) {
    return text.replace(inCSS, (all, double, single, bare) => {
      const address = (double ?? single ?? bare).replace(/\\(?:([0-9a-f]{1,6})\s?|\n|([^]))/gi, (_, code, character = "") => (code ? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)) : character));
      return /^\s*(#|data:)/i.test(address) ? all : `url("${replace(address)}")`;
    });
  }

  function absolute(text, base) {
    return replaceAddresses(text, (address) => resolve(address, base).replace(/["\\\n]/g, encodeURIComponent));
  }

  const signal = AbortSignal.timeout(limits.milliseconds);
  let fetched = 0;
  let left = limits.parts; // bytes to fetch

  /** Fetches a part and returns its data: address, or undefined if it stays out. */
  async function part(address) {
    if (parts.has(address)) return parts.get(address);
    if (!/^(https?|blob):/.test(address) || fetched >= limits.count || left <= 0 || signal.aborted) return undefined;
    fetched++;
    const found = await fetchPart(address, Math.min(limits.part, left), signal) ?? await chrome.runtime.sendMessage({ part: address });
    if (!found || left < found.length * 3 / 4) return undefined;
    left -= found.length * 3 / 4;
    parts.set(address, found);
    return found;
  }

  /** Reads the style sheets, and then fetches the images before what is named in CSS. */
  async function fetchAll() {
    await Promise.all(styles.map(async (style) => {
      style.text = style.sheet ? await textOf(style.sheet, style.of, style.base).catch(() => "") : absolute(style.text, style.base);
    }));
    const addresses = new Set(images.map(({ address }) => address));
    for (const { text } of styles) replaceAddresses(text, (address) => addresses.add(address));
    const next = addresses.values();
    await Promise.all(Array.from({ length: 6 }, async () => {
      for (const address of next) await part(address).catch(() => {});
    }));
  }

  let space = limits.parts * 4 / 3; // characters of data: addresses in the copy: a part can be in it several times

  function insertable(address) {
    const found = /^data:image\//i.test(address) ? address : parts.get(address);
    if (!found || found.length > space) return null;
    space -= found.length;
    return found;
  }

  function textOfDocument(of, root) {
    return (of.compatMode === "BackCompat" ? "" : "<!DOCTYPE html>\n") + root.outerHTML;
  }

  try {
    const url = location.href;
    if (document.documentElement?.localName !== "html") return null;
    const root = copyDocument(document);
    await Promise.race([fetchAll(), new Promise((done) => signal.addEventListener("abort", done))]);
    for (const { copy, name, address } of images) {
      const found = insertable(address);
      if (found) copy.setAttribute(name, found);
    }
    for (const { text, insert } of styles) insert(replaceAddresses(text, (address) => insertable(address) ?? "data:,"));
    for (const { copy, inner, root } of frames) copy.setAttribute("srcdoc", textOfDocument(inner, root));
    return { url, html: textOfDocument(document, root) };
  } catch {
    return null;
  }
}
