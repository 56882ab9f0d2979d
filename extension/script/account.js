// The account that the user is signed in to, and its recent channels. Both are in storage.local.

/**
 * @typedef {{server: string, api: string, site: {name: string, url: string}, token: string, client: string?, revoke: string?,
 *   user: {id: number, name: string, slug: string, avatar: string?, initials: string}, expired: boolean}} Account
 * server is the address that the user entered, api the base address of the API.
 */

/** @returns {Promise<Account?>} */
export async function account() {
  return (await chrome.storage.local.get("account")).account ?? null;
}

export async function setAccount(value) {
  if (value === null) await chrome.storage.local.remove("account");
  else await chrome.storage.local.set({ account: value });
}

/** Records that the server has refused a token. */
export async function expire(token) {
  const now = await account();
  if (now?.token === token && !now.expired) await setAccount({ ...now, expired: true });
}

/** Returns a name for an account that stays the same when the user signs in again. */
export function keyOf({ api, user }) {
  return `${api} ${user.id}`;
}

const most = 12;

/** Returns the channels that the account used last, newest first. */
export async function recentChannels(of) {
  const { recent } = await chrome.storage.local.get("recent");
  return recent?.account === keyOf(of) ? recent.channels : [];
}

/** Puts channels before the other recent ones. */
export async function useChannels(of, channels) {
  const before = await recentChannels(of);
  const all = [...channels, ...before.filter(({ id }) => !channels.some((channel) => channel.id === id))];
  await chrome.storage.local.set({ recent: { account: keyOf(of), channels: all.slice(0, most) } });
}

/** Forgets a channel, for example because it was deleted. */
export async function forgetChannel(of, id) {
  const channels = (await recentChannels(of)).filter((channel) => channel.id !== id);
  await chrome.storage.local.set({ recent: { account: keyOf(of), channels } });
}
