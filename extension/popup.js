// The popup: what to save, where it is saved already, and where to save it.
import { account as readAccount, forgetChannel, keyOf, recentChannels, useChannels } from "./script/account.js";
import { request } from "./script/api.js";
import { Chooser } from "./script/chooser.js";
import { blocksOf, cut, limits } from "./script/drafts.js";
import { readTab } from "./script/page.js";
import { discard, enqueue, entries, entriesOf, undo, why } from "./script/queue.js";
import { count, el, t, translate } from "./script/texts.js";
import { shown, webPage } from "./script/urls.js";

const at = (id) => document.getElementById(id);
const given = new URLSearchParams(location.search);

const everySite = { origins: ["https://*/*"] };
const pageTypes = ["Link", "Embed", "Attachment", "PendingBlock"];

let account; // who is signed in
let draft; // what is saved: see blocksOf
let page; // the page in the tab: url, title, selection, images
let saved = []; // the blocks of the page, as listSaved describes them
let connect = null; // the block to connect instead of saving the page again
let asNew = false; // the user wants to save it again
let chooser;

translate();
at("settings").addEventListener("click", () => openSettings());
at("sign-in").addEventListener("click", () => openSettings());
at("keep-copy").addEventListener("change", async () => {
  await chrome.storage.local.set({ keepCopy: at("keep-copy").checked });
  await showKeep();
});
at("keep-more").addEventListener("click", async () => {
  await chrome.permissions.request(everySite).catch(() => {}); // the browser asks; without it, these images stay out
  await showKeep();
});
at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || at("saving").hidden || event.defaultPrevented) return;
  event.preventDefault();
  save();
});

async function start() {
  account = await readAccount();
  if (!account) return only("welcome");
  at("keep-copy").checked = (await chrome.storage.local.get("keepCopy")).keepCopy ?? false;
  at("site").href = account.site.url;
  at("site-name").textContent = account.site.name;
  await showQueue();
  await findPage();
  only("saving");
  const recent = await recentChannels(account);
  chooser = new Chooser({ field: at("channel"), list: at("channels"), chips: at("chips"), account, recent, changed: keep, submit: save });
  const before = (await chrome.storage.session.get("draft")).draft;
  if (before && !draft.chosen && before.url === page.url && before.selection === page.selection && before.account === keyOf(account)) {
    draft.kind = before.kind;
    Object.assign(draft, before.draft);
    for (const channel of before.channels) chooser.choose(channel);
  } else if (draft.chosen && recent.length > 0) {
    chooser.choose(recent[0]); // chosen in the context menu: Enter saves it
  }
  showKinds();
  await showKeep();
  await showWhat();
  at("channel").focus();
}

/** Shows one part of the page. */
function only(id) {
  for (const main of document.querySelectorAll("main")) main.hidden = main.id !== id;
}

function openSettings() {
  chrome.runtime.openOptionsPage();
  if (!given.has("tab")) window.close();
}

/** Starts the draft from the last click in the context menu, or else from the page in the tab. */
async function findPage() {
  const { chosen } = await chrome.storage.session.get("chosen");
  await chrome.storage.session.remove("chosen");
  const fresh = chosen && Date.now() - chosen.at < 60_000 ? chosen : null;
  const tab = fresh?.tab !== undefined ? await chrome.tabs.get(fresh.tab).catch(() => null)
    : given.has("tab") ? await chrome.tabs.get(Number(given.get("tab"))) : (await chrome.tabs.query({ active: true, lastFocusedWindow: true }))[0];
  const read = tab ? await readTab(tab.id) : null;
  page = { tab, url: webPage(read?.url ?? tab?.url ?? fresh?.page.url), title: read?.title || tab?.title || fresh?.page.title || "",
    selection: (read?.selection || fresh?.text || "").trim(), images: read?.images ?? [] };
  if (fresh?.image && !page.images.some(({ src }) => src === fresh.image)) page.images.unshift({ src: fresh.image, alt: "" });
  const kind = fresh?.kind ?? (page.selection ? "selection" : "page");
  draft = { kind, chosen: Boolean(fresh), page, link: fresh?.link, url: kind === "link" ? fresh.link : page.url, title: kind === "link" || kind === "image" ? "" : page.title, note: "",
    text: page.selection, images: fresh?.image ? page.images.filter(({ src }) => src === fresh.image) : [], tabs: [] };
}

// A popup closes when it loses the focus. The draft stays until the browser is closed or it is saved.
function keep() {
  const { title, note, text, images, tabs } = draft;
  chrome.storage.session.set({ draft: { account: keyOf(account), url: page.url, selection: page.selection, kind: draft.kind, draft: { title, note, text, images, tabs }, channels: chooser?.chosen ?? [] } });
}

function showKinds() {
  const kinds = [["page", page.url !== ""], ["link", Boolean(draft.link)], ["selection", page.selection !== ""], ["image", page.images.length > 0], ["tabs", true]];
  at("kinds").querySelectorAll("label").forEach((label) => label.remove());
  const possible = kinds.filter(([, there]) => there).map(([kind]) => kind);
  if (!possible.includes(draft.kind)) draft.kind = possible[0];
  at("kinds").append(...possible.map((kind) => el("label", {},
    el("input", { type: "radio", name: "kind", value: kind, checked: kind === draft.kind, onchange: () => choose(kind) }), el("span", {}, t(`kind_${kind}`)))));
}

async function choose(kind) {
  Object.assign(draft, { kind, url: kind === "link" ? draft.link : page.url, title: ["page", "selection"].includes(kind) ? page.title : "" });
  await showWhat();
  keep();
}

async function showWhat() {
  connect = null;
  saved = [];
  at("already").hidden = true;
  at("what").hidden = false;
  chooser.exclude([]);
  at("what").replaceChildren(...await { selection: quote, image: pictures, tabs }[draft.kind]?.() ?? titled());
  for (const area of at("what").querySelectorAll("textarea")) fit(area);
  label();
  if (draft.kind === "page" || draft.kind === "link") await findSaved();
}

/** Returns a field whose text is a part of the draft. */
function field(name, properties) {
  const area = properties.rows !== undefined;
  return el(area ? "textarea" : "input", { ...properties, value: draft[name], "aria-label": t(`field_${name}`), placeholder: t(`field_${name}`),
    oninput: (event) => {
      draft[name] = name === "title" ? event.target.value.replace(/\s*\n\s*/g, " ") : event.target.value;
      if (area) fit(event.target);
      keep();
    } });
}

/** Makes a field as high as its text, up to a limit. */
function fit(area) {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight + 2, 160)}px`;
}

function title() {
  return field("title", { rows: 1, class: "title", maxLength: limits.title, onkeydown: (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault(); // a title has one line
  } });
}

function note() {
  return field("note", { rows: 1, class: "note", maxLength: limits.description });
}

function source(address) {
  return el("p", { class: "address", title: address }, shown(address));
}

function titled() {
  return [title(), source(draft.url), note()];
}

function quote() {
  return [field("text", { rows: 3, class: "quote" }), source(page.url), note()];
}

function pictures() {
  const on = ({ src }) => draft.images.some((image) => image.src === src);
  const toggle = (image) => {
    draft.images = on(image) ? draft.images.filter(({ src }) => src !== image.src) : [...draft.images, image];
    keep();
    label();
  };
  if (draft.images.length === 0 && page.images.length === 1) draft.images = [page.images[0]];
  const list = el("ul", { class: "pictures" }, ...page.images.map((image, i) => el("li", {}, el("label", {},
    el("input", { type: "checkbox", checked: on(image), onchange: () => toggle(image), "aria-label": image.alt || t("imageNumber", i + 1) }),
    el("img", { src: image.src, alt: "", loading: "lazy", referrerPolicy: "no-referrer" })))));
  return [list, title(), source(page.url), note()];
}

/** Lists the tabs of the window. Their addresses need a permission, which the browser asks for. */
async function tabs() {
  const permissions = ["tabs"];
  // Browsers only ask directly after a click, so the request comes first.
  if (!await chrome.permissions.request({ permissions }).catch(() => chrome.permissions.contains({ permissions }))) {
    return [el("p", { class: "quiet" }, t("tabsDenied"))];
  }
  const windowId = page.tab?.windowId ?? chrome.windows.WINDOW_ID_CURRENT;
  const all = (await chrome.tabs.query({ windowId })).map(({ url, title }) => ({ url: webPage(url), title })).filter(({ url }, i, list) => url && list.findIndex((tab) => tab.url === url) === i).slice(0, limits.tabs);
  draft.tabs = draft.tabs.length > 0 ? all.filter(({ url }) => draft.tabs.some((tab) => tab.url === url)) : all;
  const box = (tab) => el("input", { type: "checkbox", checked: draft.tabs.includes(tab), onchange: ({ target }) => {
    draft.tabs = all.filter((other) => (other === tab ? target.checked : draft.tabs.includes(other)));
    everything.checked = draft.tabs.length === all.length;
    keep();
    label();
  } });
  const rows = all.map((tab) => el("li", {}, el("label", {}, box(tab), el("span", {}, el("span", { class: "title" }, tab.title || tab.url), el("small", {}, shown(tab.url))))));
  const everything = el("input", { type: "checkbox", checked: draft.tabs.length === all.length, onchange: ({ target }) => {
    draft.tabs = target.checked ? [...all] : [];
    for (const row of rows) row.querySelector("input").checked = target.checked;
    keep();
    label();
  } });
  return [el("label", { class: "everything" }, everything, el("span", {}, count("tabsAll", all.length))), el("ul", { class: "tabs" }, ...rows), note()];
}

/** Sets the texts of the button and of the field for channels. */
function label() {
  const n = { image: draft.images.length, tabs: draft.tabs.length }[draft.kind];
  at("where").textContent = t(connect !== null ? "whereConnect" : "where");
  at("go").textContent = connect !== null ? t("connect") : n > 1 ? count("saveMany", n) : t("save");
  at("keep").hidden = !copyable();
}

/** Reports whether the draft is a page to save that is shown in a tab. */
function copyable() {
  return draft.kind === "page" && connect === null && Boolean(page.tab);
}

/** Offers access to the images of other sites, which a copy otherwise lacks if these sites do not permit it. */
async function showKeep() {
  at("keep-more").hidden = !at("keep-copy").checked || await chrome.permissions.contains(everySite);
}

/** Stores a copy of the page with the saved item, and shows the result. */
async function keepCopy({ copy: entry }, block = null) {
  const show = (text, className) => {
    Object.assign(at("done-copy"), { textContent: text, className });
    at("done-copy").hidden = at("undo").hidden; // undone in the meantime
  };
  show(t("copying"), "quiet");
  const { reason, text, waits, dropped } = await chrome.runtime.sendMessage({ copy: { tab: page.tab.id, url: page.url, title: page.title, entry, block } }).catch(() => null) ?? { reason: "errorServer" };
  if (reason) show(t("copyFailed", text || t(reason)), "why");
  else show([t(waits ? "copyWaits" : "copyKept"), dropped > 0 ? count("copiesDropped", dropped) : ""].join(" ").trim(), "quiet");
}

/** Shows the blocks that were created from the page. */
async function findSaved() {
  const address = draft.url;
  let found;
  try {
    found = (await request(account, "GET", `/ext/v1/me/saved?url=${encodeURIComponent(address)}`)).data;
  } catch (error) {
    if (error.status === 401) await showQueue();
    return; // saving still works
  }
  if (draft.url !== address || !["page", "link"].includes(draft.kind)) return;
  saved = found.filter(({ own, type }) => !own || pageTypes.includes(type)); // not texts and images from the page
  asNew = draft.note !== "" || (draft.kind === "page" && draft.title !== page.title); // keep what was typed in the meantime
  showSaved();
}

function showSaved() {
  const own = saved.find((block) => block.own);
  const others = saved.filter((block) => !block.own && block.channels.length > 0);
  at("already").hidden = !own && others.length === 0;
  at("already").replaceChildren(...[
    own && el("h2", {}, t("alreadySaved")),
    own && el("input", { type: "text", class: "title", value: own.title ?? "", maxLength: limits.title, "aria-label": t("savedTitle"), onchange: (event) => rename(own, event.target) }),
    own && el("p", { class: "line" }, el("span", { class: "address" }, shown(draft.url)), el("a", { href: own.web_url, target: "_blank", rel: "noopener" }, t("open"))),
    own && places(own),
    own && el("label", { class: "again" }, el("input", { type: "checkbox", checked: asNew, onchange: ({ target }) => {
      asNew = target.checked;
      showTarget(own);
    } }), el("span", {}, t("saveAgain"))),
    others.length > 0 && el("p", { class: "quiet" }, t("savedByOthers"), " ", ...others.slice(0, 3).flatMap((block, i) => [i > 0 ? ", " : "",
      el("a", { href: block.web_url, target: "_blank", rel: "noopener" }, block.channels[0].channel.title)])),
  ].filter(Boolean));
  showTarget(own);
}

/** Shows what is saved: the page as a new block, or connections of the block that the user has. */
function showTarget(own) {
  connect = own && !asNew ? own.id : null;
  chooser.exclude(connect === null ? [] : own.channels.map(({ channel }) => channel));
  at("what").hidden = connect !== null; // connecting does not change the block
  for (const area of at("what").querySelectorAll("textarea")) fit(area);
  label();
}

function places(block) {
  if (block.channels.length === 0) return el("p", { class: "quiet" }, t("savedNowhere"));
  return el("ul", { class: "places" }, ...block.channels.map((place) => el("li", {},
    el("a", { href: place.channel.web_url, target: "_blank", rel: "noopener" }, place.channel.title),
    place.removable ? el("button", { type: "button", class: "drop", "aria-label": t("removeFrom", place.channel.title), onclick: () => remove(block, place) }, "×") : null)));
}

async function rename(block, input) {
  try {
    await request(account, "PUT", `/v3/blocks/${block.id}`, { title: cut(input.value, limits.title) });
    block.title = input.value;
    say(t("titleChanged"));
  } catch (error) {
    wrong(error); // the text stays in the field
  }
}

async function remove(block, place) {
  try {
    await request(account, "DELETE", `/ext/v1/channels/${place.channel.id}/blocks/${block.id}`);
  } catch (error) {
    if (error.status !== 404) return wrong(error);
  }
  block.channels = block.channels.filter((other) => other !== place);
  showSaved();
  say(t("removedFrom", place.channel.title), t("undo"), async () => {
    try {
      await request(account, "POST", "/v3/connections", { connectable_id: block.id, connectable_type: "Block", channel_ids: [place.channel.id] }, crypto.randomUUID());
      block.channels.unshift(place);
      showSaved();
      say("");
    } catch (error) {
      wrong(error);
    }
  });
}

async function save() {
  wrong(null);
  const blocks = connect === null ? blocksOf(draft) : [];
  if (connect === null && blocks.filter(({ value }) => value).length === 0) return wrong(null, t(draft.kind === "image" ? "chooseImage" : draft.kind === "tabs" ? "chooseTab" : "nothing"));
  if (chooser.chosen.length === 0) {
    at("channel").focus();
    return wrong(null, t("chooseChannel"));
  }
  if (at("go").disabled) return; // it is being saved
  at("go").disabled = true;
  const added = entriesOf(account, { blocks, connect, channels: chooser.chosen });
  if (!await enqueue(added).catch(() => false)) { // also if the browser's storage is full
    at("go").disabled = false;
    return wrong(null, t("queueFull"));
  }
  await chrome.storage.session.remove("draft");
  const results = await chrome.runtime.sendMessage("send").catch(() => null) ?? {};
  const keeps = copyable() && at("keep-copy").checked;
  await showDone(added, results);
  if (keeps && at("done-wrong").className !== "why") await keepCopy(added[0], results[added[0].id]?.block);
}

/** Shows what has become of the entries. */
async function showDone(added, results) {
  const ids = added.map(({ id }) => id);
  const done = ids.filter((id) => results[id]).map((id) => results[id]);
  const left = (await entries()).filter(({ id }) => ids.includes(id));
  const refused = left.find(({ state }) => state !== "waiting");
  const channels = done[0]?.channels ?? added[0].channels;
  if (done.length > 0) await useChannels(account, channels.filter(({ id }) => id).map(({ id, title, visibility, slug, owner, web_url }) => ({ id, title, visibility, slug, owner, web_url })));
  at("done-title").textContent = left.length === 0 ? (connect !== null ? t("connected") : done.length === 1 ? t("saved") : count("savedMany", done.length))
    : refused ? t("refused") : t("waits");
  at("done-channels").replaceChildren(...channels.map(({ title, web_url }) => el("li", {}, web_url ? el("a", { href: web_url, target: "_blank", rel: "noopener" }, title) : el("span", {}, title))));
  at("done-wrong").hidden = left.length === 0;
  at("done-wrong").className = refused ? "why" : "quiet";
  at("done-wrong").textContent = refused ? why(refused, t) : (await readAccount())?.expired ? t("waitsForSignIn") : t("waitsText");
  at("open").hidden = done.length === 0;
  if (done.length > 0) at("open").href = done.length === 1 ? `${account.site.url}/block/${done[0].block}` : channels[0].web_url ?? account.site.url;
  at("undo").textContent = t(refused ? "discard" : "undo");
  at("undo").onclick = async () => {
    at("undo").disabled = true;
    try {
      await discard(ids);
      for (const result of done.toReversed()) { // the first one created the channels
        await undo(account, result);
        for (const { id } of result.made) await forgetChannel(account, id);
      }
      await chrome.runtime.sendMessage("send");
      at("done-title").textContent = t("undone");
      at("done-channels").replaceChildren();
      at("done-wrong").hidden = at("done-copy").hidden = at("open").hidden = at("undo").hidden = true;
    } catch (error) {
      at("undo").disabled = false;
      at("done-wrong").hidden = false;
      at("done-wrong").className = "why";
      at("done-wrong").textContent = explain(error);
    }
  };
  only("done");
  await showQueue(ids);
  at("done-title").focus();
}

/** Says how many entries wait, except for those that were just saved. */
async function showQueue(except = []) {
  account = await readAccount() ?? account;
  const left = (await entries()).filter(({ id }) => !except.includes(id));
  if (account.expired) say(t("expired"), t("signInAgain"), () => openSettings());
  else if (left.some(({ state }) => state !== "waiting")) say(count("attention", left.length), t("look"), () => openSettings());
  else if (left.length > 0) say(count("waiting", left.length), t("sendNow"), async () => {
    await chrome.runtime.sendMessage("send");
    say("");
    await showQueue(except);
  });
}

/** Shows a message with an action. */
function say(text, action, act) {
  at("notice").hidden = text === "";
  at("notice").replaceChildren(el("span", {}, text), ...(action ? [el("button", { type: "button", class: "link", onclick: act }, action)] : []));
}

function wrong(error, text = "") {
  const message = error ? explain(error) : text;
  at("wrong").textContent = message;
  at("wrong").hidden = message === "";
}

function explain(error) {
  switch (error.status) {
    case 0: return t("errorOffline");
    case 401: return t("expired");
    case 429: return t("errorMany", error.wait || 60);
  }
  return error.text || t("errorServer");
}

chrome.storage.session.onChanged.addListener((changes) => {
  if (changes.chosen?.newValue) location.reload(); // it was chosen while the popup was being opened
});

await start();
