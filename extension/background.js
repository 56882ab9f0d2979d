// The worker: sends the queue, and opens the popup after a click in the context menu.
import { account } from "./script/account.js";
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
  if (message !== "send" || sender.id !== chrome.runtime.id) return false;
  sendAll().then(respond, (error) => respond({ error: String(error) }));
  return true; // the answer comes later
});

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
