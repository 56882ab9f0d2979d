// The worker: sends the queue, keeps copies of pages, and opens the popup after a click in the context menu.
import "./script/part.js";
import { account } from "./script/account.js";
import { request } from "./script/api.js";
import { copyPage, limits } from "./script/copy.js";
import { entries, send } from "./script/queue.js";
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
 * Adds a copy of the page in a tab to a block. Returns why that failed, as the id of a text or in the server's words, or
 * an empty object.
 */
async function keepCopy({ tab, url, block }) {
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
  try {
    await request(now, "POST", `/ext/v1/blocks/${block}/snapshots`, new Blob([copied.html], { type: "text/html" }));
    return {};
  } catch ({ status, text }) {
    return { reason: { 0: "copyOffline", 401: "expired", 403: "copyQuota", 413: "copyTooLarge" }[status] ?? "errorServer", text: status === 422 || status === 404 ? text : "" };
  }
}

chrome.alarms.onAlarm.addListener(sendAll);
chrome.runtime.onStartup.addListener(sendAll);

const results = {}; // of all entries sent since this worker started: a popup may ask for what an alarm has sent

/** Sends the queue. If entries remain that may succeed later, it wakes up again. */
async function sendAll() {
  const now = await account();
  if (now && !now.expired) Object.assign(results, await send(now));
  const left = await entries();
  const waiting = left.filter(({ state }) => state === "waiting");
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
