// The worker: sends the queue, keeps copies of pages, and opens the popup after a click in the context menu.
import "./script/part.js";
import { account, keyOf } from "./script/account.js";
import { copies, deleteCopies, sendCopies } from "./script/copies.js";
import { copyPage, limits } from "./script/copy.js";
import { entries, keepWithEntry, send, sweepCopies } from "./script/queue.js";
import { t } from "./script/texts.js";
import { webPage } from "./script/urls.js";

const menu = { page: ["page", "frame"], selection: ["selection"], link: ["link"], image: ["image"] };

chrome.runtime.onInstalled.addListener(async () => {
  await chrome.contextMenus.removeAll();
  for (const [id, contexts] of Object.entries(menu)) {
    chrome.contextMenus.create({ id, contexts, title: t(`menu_${id}`), documentUrlPatterns: ["http://*/*", "https://*/*"] });
  }
});

// Scripts in pages cannot read the token.
chrome.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });

chrome.contextMenus.onClicked.addListener(async (info, tab) => {
  const draft = { kind: info.menuItemId, tab: tab?.id, page: { url: webPage(tab?.url ?? info.pageUrl), title: tab?.title ?? "" },
    link: webPage(info.linkUrl), image: webPage(info.mediaType === "image" ? info.srcUrl : ""), text: info.selectionText ?? "" };
  const opened = openPopup();
  await chrome.storage.session.set({ chosen: { ...draft, at: Date.now() } });
  if (!await opened) await chrome.windows.create({ url: chrome.runtime.getURL("popup.html?window"), type: "popup", width: 440, height: 680 });
});

/** Opens the popup at the button, and reports whether that is possible. Firefox permits it only at once after a click. */
async function openPopup() {
  try {
    await chrome.action.openPopup();
    return true;
  } catch {
    return false;
  }
}

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  const answer = sender.id === chrome.runtime.id ? answerTo(message, sender) : null;
  answer?.then(respond, (error) => respond({ error: String(error) }));
  return answer !== null; // the answer comes later
});

/** Answers a message of the popup, or of a page that is being copied. */
function answerTo(message, sender) {
  if (message === "send") return sendAll();
  if (message.copy && sender.url?.startsWith(chrome.runtime.getURL(""))) return keepCopy(message.copy);
  if (message.part && copying.has(sender.tab?.id)) return fetchPart(webPage(message.part), limits.part, AbortSignal.timeout(limits.milliseconds));
  return null;
}

const copying = new Set(); // tabs whose pages are being copied

/**
 * Copies the page in a tab, keeps the copy with its entry of the queue, and uploads it if the entry was sent. Returns what
 * became of it: the ids of texts, or the server's words.
 */
async function keepCopy({ tab, url, title, entry, block }) {
  const now = await account();
  let copied;
  copying.add(tab);
  try {
    const target = { tabId: tab };
    await chrome.scripting.executeScript({ target, files: ["script/part.js"] });
    [{ result: copied }] = await chrome.scripting.executeScript({ target, func: copyPage, args: [limits] });
  } catch {
    return { reason: "copyUnread" }; // the tab was closed, or the browser does not permit it
  } finally {
    copying.delete(tab);
  }
  if (!copied) return { reason: "copyUnread" };
  const withoutFragment = (address) => address.split("#")[0];
  if (withoutFragment(copied.url) !== withoutFragment(url)) return { reason: "copyOther" };
  const html = new Blob([copied.html], { type: "text/html" });
  let dropped;
  try {
    dropped = await keepWithEntry({ id: entry, account: keyOf(now), at: Date.now(), title, html, size: html.size, block, next: 0, tries: 0, reason: "", text: "" });
  } catch {
    return { reason: "copyNoSpace" }; // the browser's storage is full
  }
  if (dropped < 0) return { reason: "copyNoSpace" };
  await chrome.alarms.create("send", { delayInMinutes: 1 }); // in case that the browser ends this worker
  const left = (await sendCopies(now, entry)).find(({ id }) => id === entry);
  if (left?.reason) await deleteCopies([entry]); // the popup says why
  await sendAll();
  return left ? { waits: true, dropped, reason: left.reason, text: left.text } : { dropped };
}

chrome.alarms.onAlarm.addListener(sendAll);
chrome.runtime.onStartup.addListener(sendAll);

const results = {}; // of all entries sent since this worker started: a popup may ask for what an alarm has sent

/** Sends the queue. If entries remain that may succeed later, it wakes up again. */
async function sendAll() {
  const now = await account();
  if (now && !now.expired) Object.assign(results, await send(now));
  await sweepCopies();
  if (now && !now.expired) await sendCopies(now);
  const left = [...await entries(), ...(await copies()).filter(({ block }) => block !== null)];
  const waiting = left.filter(({ state, reason }) => (state ?? "waiting") === "waiting" && !reason);
  if (waiting.length > 0) {
    const next = Math.min(...waiting.map((entry) => entry.next));
    await chrome.alarms.create("send", { delayInMinutes: Math.max(1, (next - Date.now()) / 60_000) });
  } else {
    await chrome.alarms.clear("send");
  }
  await chrome.action.setBadgeText({ text: left.length > 0 ? String(left.length) : "" });
  await chrome.action.setBadgeBackgroundColor({ color: "#9a3b1f" });
  return results;
}
