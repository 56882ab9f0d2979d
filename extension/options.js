// The settings: signing in and out, and what waits to be saved.
import { account as readAccount, keyOf, setAccount } from "./script/account.js";
import { SignInError, signIn, signInWithToken, signOut } from "./script/oauth.js";
import { copies as readCopies, deleteCopies, onCopies, retryCopy } from "./script/copies.js";
import { discard, entries, forgetCopies, retry, why } from "./script/queue.js";
import { el, t, translate } from "./script/texts.js";
import { serverAddress } from "./script/urls.js";

const at = (id) => document.getElementById(id);

let signedIn; // the account that is shown

translate();
at("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(serverAddress(at("server").value), at("token").value.trim());
});
at("renew").addEventListener("click", () => enter(signedIn.server));
at("out").addEventListener("click", leave);
chrome.storage.local.onChanged.addListener((changes) => {
  if (changes.account || changes.queue) show();
});
onCopies(show);
await show();

async function show() {
  const account = signedIn = await readAccount();
  at("in").hidden = account === null;
  at("sign-in").hidden = account !== null;
  if (account) {
    at("user").textContent = account.user.name;
    Object.assign(at("site"), { href: account.site.url, textContent: account.site.name });
    at("avatar").replaceChildren(account.user.avatar ? el("img", { src: account.user.avatar, alt: "" }) : account.user.initials);
    at("expired").hidden = at("renew").hidden = !account.expired;
  }
  const all = await entries();
  const copies = await readCopies();
  const saved = copies.filter(({ block }) => block !== null);
  at("queue").hidden = all.length + saved.length === 0;
  at("entries").replaceChildren(...all.map((entry) => row(entry, account, copies.some(({ id }) => id === entry.copy))), ...saved.map((copy) => copyRow(copy, account)));
}

/** Returns the row of a copy whose item was saved. */
function copyRow({ id, title, reason, text, account: of }, account) {
  const foreign = account === null || of !== keyOf(account);
  const act = async (change) => {
    await change;
    await chrome.runtime.sendMessage("send");
  };
  return el("li", {},
    el("div", { class: "what" }, el("p", {}, t("copyOf", title)), el("p", { class: reason ? "why" : "" }, foreign ? t("queueForeign") : reason ? text || t(reason) : t("queueWaiting"))),
    el("div", { class: "actions" },
      !foreign && el("button", { type: "button", class: "other small", onclick: () => act(retryCopy(id)) }, t("tryAgain")),
      el("button", { type: "button", class: "away small", onclick: () => act(deleteCopies([id])) }, t("discard"))));
}

function row(entry, account, copied) {
  const { block, state, channels } = entry;
  const foreign = account === null || entry.account !== keyOf(account);
  const reason = foreign ? t("queueForeign") : state === "waiting" ? t("queueWaiting") : why(entry, t);
  return el("li", {},
    el("div", { class: "what" }, el("p", {}, block?.title || block?.value.slice(0, 200) || t("connect")), el("p", {}, channels.map(({ title }) => title).join(", ")), el("p", { class: state === "waiting" ? "" : "why" }, reason),
      copied && el("p", { class: "copy" }, t("copyWithItem")), entry.lost && el("p", { class: "why" }, t(entry.lost))),
    el("div", { class: "actions" },
      !foreign && el("button", { type: "button", class: "other small", onclick: async () => {
        if (state !== "waiting") await retry([entry.id]);
        await chrome.runtime.sendMessage("send");
      } }, t("tryAgain")),
      el("button", { type: "button", class: "away small", onclick: () => discard([entry.id]) }, t("discard"))));
}

/** Returns the pattern of a server's addresses, for permissions. */
function originOf(server) {
  const { protocol, hostname } = new URL(server);
  return `${protocol}//${hostname}/*`;
}

/** Signs in. The permission must be requested in the same moment as the button is pressed. */
async function enter(server, token = "") {
  wrong("");
  if (server === null) return wrong(t("errorAddress"));
  const permitted = await chrome.permissions.request({ origins: [originOf(server)] });
  if (!permitted) return wrong(t("errorPermission"));
  at("go").disabled = at("renew").disabled = true;
  try {
    const account = token === "" ? await signIn(server) : await signInWithToken(server, token);
    await setAccount(account);
    at("token").value = "";
    say(t("signedIn", account.site.name));
    await chrome.runtime.sendMessage("send");
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    wrong(error.detail ? `${t(error.id)} ${error.detail}` : t(error.id));
    if (error.id === "errorNoClient") at("by-token").open = true;
  } finally {
    at("go").disabled = at("renew").disabled = false;
  }
}

async function leave() {
  const account = await readAccount();
  const revoked = await signOut(account);
  await setAccount(null);
  await forgetCopies();
  await chrome.storage.local.remove("recent");
  await chrome.storage.session.clear();
  await chrome.permissions.remove({ origins: [originOf(account.server)] }).catch(() => {});
  at("server").value = account.server;
  say(t(revoked ? "signedOut" : "signedOutKept"));
}

function say(text) {
  at("notice").hidden = false;
  at("notice").textContent = text;
}

function wrong(text) {
  at("wrong").textContent = text;
  at("wrong").hidden = text === "";
  if (text !== "") at("notice").hidden = true;
}
