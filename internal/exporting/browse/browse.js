// The pages of an export, from a disk and without a network. The data are scripts that call
// vitrine(name, value); a page loads those that it shows, and lets go of them again. Their folder
// has a random name, so that no other page on the disk can load them.
"use strict";
(function () {
  const folder = document.currentScript.dataset.folder;
  const waiting = new Map();
  window.vitrine = (name, value) => {
    if (waiting.has(name)) waiting.get(name).take(value);
  };

  function load(name) {
    if (waiting.has(name)) return waiting.get(name).value;
    const wait = {};
    waiting.set(name, wait);
    wait.value = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const done = (then, value) => { waiting.delete(name); script.remove(); then(value); };
      wait.take = (value) => done(resolve, value);
      script.onerror = () => done(reject, new Error(folder + name + ".js cannot be read"));
      script.src = folder + name + ".js";
      document.head.append(script);
    });
    return wait.value;
  }

  // make makes an element. Strings become texts: nothing of the data is read as HTML.
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) if (value) element.setAttribute(name, value);
    element.append(...children.filter((child) => child));
    return element;
  }

  // Only these lead anywhere: data may have been written by others.
  const web = (address) => (/^https?:\/\//i.test(address || "") ? address : "");
  const here = (path) => (/^(files|markdown)\//.test(path || "") ? path.split("/").map(encodeURIComponent).join("/") : "");
  const outside = { rel: "noopener noreferrer nofollow", target: "_blank" };
  const pictures = /\.(jpe?g|png|gif|webp|avif|svg)$/;

  const main = document.getElementById("main");
  const field = document.getElementById("q");
  let index, shelves;
  let turn = 0; // identifies the current page, so that content still loading for an earlier one is not shown

  const day = (at) => make("time", { datetime: at }, (at || "").slice(0, 10));
  const count = (n, one, more) => n + " " + (n === 1 ? one : more);

  async function allShelves() {
    if (!shelves) {
      const all = [];
      for (let n = 0; n < index.parts; n++) all.push(...(await load("channels-" + n)));
      shelves = all;
    }
    return shelves;
  }

  const title = (shelf) => shelf.t || (shelf.i === 0 ? "Blocks in no channel of this export" : "Untitled");
  const marks = { public: "open", closed: "closed", private: "private" };

  function shelfCell(shelf) {
    return make("li", null, make("a", { class: "cell", href: "#/c/" + shelf.i },
      make("span", { class: "box channel " + (shelf.v || "") }, make("b", { dir: "auto" }, title(shelf)),
        make("small", null, count(shelf.n, "item", "items") + (shelf.v ? " · " + marks[shelf.v] : ""))),
      make("span", { class: "under quiet" }, shelf.o || "")));
  }

  function itemCell(item, to) {
    const name = item.t || item.s || item.n || (item.x || item.u || "").slice(0, 80) || "Untitled";
    let box;
    if (item.k === "Channel") {
      return make("li", null, make("a", item.h ? { class: "cell", href: "#/c/" + item.i } : { class: "cell", href: web(item.o), ...outside },
        make("span", { class: "box channel" }, make("b", { dir: "auto" }, name), make("small", null, item.h ? "channel" : "channel, not in this export")),
        make("span", { class: "under quiet" }, item.b)));
    }
    if (pictures.test(item.g || "")) box = make("span", { class: "box" }, make("img", { src: here(item.g), alt: item.w || name, loading: "lazy", decoding: "async" }));
    else box = make("span", { class: "box" }, make("p", { dir: "auto" }, (item.x || item.u || item.n || item.d || name).slice(0, 400)));
    return make("li", null, make("a", { class: "cell", href: to }, box, make("span", { class: "under", dir: "auto" }, name)));
  }

  function grid(cells) {
    return make("ul", { class: "grid" }, ...cells);
  }

  async function home() {
    const all = await allShelves();
    const list = grid(all.map(shelfCell));
    const narrow = make("input", { type: "search", placeholder: "Channels by name", "aria-label": "Channels by name" });
    narrow.addEventListener("input", () => {
      const words = narrow.value.toLowerCase();
      list.replaceChildren(...all.filter((shelf) => title(shelf).toLowerCase().includes(words)).map(shelfCell));
    });
    return [make("h1", { dir: "auto" }, index.name), make("p", { class: "text", dir: "auto" }, index.bio),
      make("p", { class: "quiet" }, count(index.channels, "channel", "channels") + ", " + count(index.blocks, "block", "blocks") + ", exported on ", day(index.at)),
      all.length > 12 ? make("p", null, narrow) : null, list];
  }

  // The top of a channel comes first, which is in the last of its scripts.
  async function channel(id, part) {
    const shelf = (await allShelves()).find((one) => one.i === id);
    if (!shelf) return [make("h1", null, "There is no such channel in this export")];
    const items = shelf.c > part ? (await load("c" + id + "-" + (shelf.c - 1 - part))) : [];
    const cells = items.map((item, n) => itemCell(item, "#/b/" + id + "/" + (shelf.c - 1 - part) + "/" + n)).reverse();
    const pages = make("nav", { "aria-label": "Pages" });
    if (part > 0) pages.append(make("a", { href: "#/c/" + id + "/" + (part - 1), rel: "prev" }, "← Back up"));
    if (shelf.c > 1) pages.append(make("span", { class: "quiet" }, "Part " + (part + 1) + " of " + shelf.c));
    if (part + 1 < shelf.c) pages.append(make("a", { href: "#/c/" + id + "/" + (part + 1), rel: "next" }, "Further down →"));
    return [make("h1", { dir: "auto" }, title(shelf)),
      make("p", { class: "quiet" }, [marks[shelf.v], shelf.o, count(shelf.n, "item", "items")].filter(Boolean).join(" · "), shelf.u ? " · " : "", shelf.u ? day(shelf.u) : null,
        web(shelf.l) ? " · " : "", web(shelf.l) ? make("a", { href: shelf.l, ...outside }, "online") : null),
      make("p", { class: "text", dir: "auto" }, shelf.d || ""), items.length ? grid(cells) : make("p", { class: "quiet" }, "Nothing is in it."), shelf.c > 1 ? pages : null];
  }

  async function block(id, part, n) {
    const item = (await load("c" + id + "-" + part))[n];
    const shelf = (await allShelves()).find((one) => one.i === id);
    if (!item || !shelf) return [make("h1", null, "There is no such block in this export")];
    const facts = make("dl");
    const fact = (name, ...value) => { if (value.some(Boolean)) facts.append(make("dt", null, name), make("dd", { dir: "auto" }, ...value)); };
    fact("In", make("a", { href: "#/c/" + id + "/" + (shelf.c - 1 - part) }, title(shelf)));
    fact("By", item.b);
    fact("Made", item.a ? day(item.a) : null);
    fact("Source", web(item.u) ? make("a", { href: item.u, ...outside }, item.s || item.u) : item.u || "");
    fact("File", here(item.f) ? make("a", { href: here(item.f) }, item.n || "File") : "");
    fact("Text", here(item.m) ? make("a", { href: here(item.m) }, "Markdown, whole and with comments") : "");
    fact("Online", web(item.o) ? make("a", { href: item.o, ...outside }, item.o) : "");
    return [make("article", { class: "whole" }, make("h1", { dir: "auto" }, item.t || item.s || item.n || "Untitled"),
      pictures.test(item.g || "") ? make("p", null, make("a", { href: here(item.g) }, make("img", { src: here(item.g), alt: item.w || "" }))) : null,
      make("div", { class: "text", dir: "auto" }, item.x || ""), make("div", { class: "text", dir: "auto" }, item.d || ""), facts)];
  }

  const mostFound = 300;

  async function search(words, mine) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (...texts) => { const all = texts.filter(Boolean).join("\n").toLowerCase(); return wanted.every((word) => all.includes(word)); };
    const state = make("p", { class: "quiet", role: "status" }, "Searching…");
    const list = grid([]);
    main.replaceChildren(make("h1", { dir: "auto" }, "“" + words + "”"), state, list);
    const seen = new Set();
    let found = 0;
    const add = (cell) => { found++; list.append(cell); };
    const all = await allShelves();
    for (const shelf of all) if (fits(title(shelf), shelf.d) && found < mostFound) add(shelfCell(shelf));
    for (const shelf of all) {
      for (let part = 0; part < shelf.c && found < mostFound; part++) {
        const items = await load("c" + shelf.i + "-" + part);
        if (turn !== mine) return;
        items.forEach((item, n) => {
          if (item.k === "Channel" || found >= mostFound || seen.has(item.i) || !fits(item.t, item.x, item.d, item.s, item.u, item.n, item.w, item.b)) return;
          seen.add(item.i);
          add(itemCell(item, "#/b/" + shelf.i + "/" + part + "/" + n));
        });
      }
    }
    state.textContent = found === 0 ? "Nothing was found." : found >= mostFound ? "The first " + mostFound + " that were found." : count(found, "thing was found.", "things were found.");
  }

  async function show() {
    const mine = ++turn;
    const [, page, ...rest] = location.hash.split("/");
    const numbers = rest.map((text) => parseInt(text, 10) || 0);
    try {
      if (!index) {
        index = await load("index");
        document.getElementById("name").textContent = index.name;
      }
      let words = "";
      if (page === "s") {
        try { words = decodeURIComponent(rest.join("/")); } catch { words = rest.join("/"); }
        field.value = words;
        document.title = words + " · " + index.name;
        await search(words, mine);
        return;
      }
      const shown = page === "c" ? await channel(numbers[0], numbers[1] || 0) : page === "b" ? await block(...numbers) : await home();
      if (turn !== mine) return;
      main.replaceChildren(...shown.filter(Boolean));
      const heading = main.querySelector("h1");
      document.title = (heading && page ? heading.textContent + " · " : "") + index.name;
      scrollTo(0, 0);
      if (page) main.focus({ preventScroll: true });
    } catch (failure) {
      if (turn === mine) main.replaceChildren(make("h1", null, "Something is missing"), make("p", null, failure.message));
    }
  }

  document.getElementById("find").addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) location.hash = "#/s/" + encodeURIComponent(field.value.trim());
  });
  addEventListener("hashchange", show);
  show();
})();
