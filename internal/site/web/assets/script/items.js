// The items of a channel in a list with `[data-tiles]`, or items from anywhere in one with `[data-acts]`, and changes of them.
import { change, undoable } from "./added.js";
import { root } from "./page.js";
import { t } from "./texts.js";

export const items = (list) => [...list.querySelectorAll(":scope > li[data-connection]")];
export const itemOf = (element) => element?.closest?.("[data-tiles] > li[data-connection], [data-acts] > li[data-item]");

/** Returns the items that an action on an item changes: all selected ones if it is one of them. */
export const group = (list, item) => (list.chosen?.has(item) ? items(list).filter((each) => list.chosen.has(each)) : [item]);

/** Sends a change of items. `more` has a further value for each of them. */
export function send(list, action, all, more = {}) {
  const body = new URLSearchParams({ do: action });
  for (const item of all) body.append("connection", item.dataset.connection);
  for (const [name, values] of Object.entries(more)) for (const value of [values].flat()) body.append(name, value);
  return change(new URL(list.dataset.tiles, location.href), body);
}

/**
 * Connects items to a channel, calls `then`, and offers to remove exactly these connections. `to` has the channel or the
 * title of a new one.
 */
export async function connect(list, all, to, then = () => {}) {
  const done = await (list.dataset.tiles ? send(list, "connect", all, to)
    : change(new URL(`${root()}/${all[0].dataset.item}/connect`, location.href), new URLSearchParams(to.to ? { channel: to.to } : to)));
  then();
  undoable(done.note, done.connections && (() => takeBack(done.connections)));
}

async function takeBack(connections) {
  const body = new URLSearchParams(connections.map((id) => ["connection", id]));
  const done = await change(new URL(`${root()}/connections/take-back`, location.href), body);
  undoable(done?.note ?? "");
}

/** Requests channels to connect to, of which some may have the item already: the recent ones, or those that match a text. */
export async function channels(text, item) {
  const query = new URLSearchParams({ q: text.trim() });
  const [name, id] = item?.dataset.item?.split("/") ?? ["connection", item?.dataset.connection];
  if (id) query.set(name, id);
  const response = await fetch(`${root()}/connections/choices?${query}`, { headers: { Accept: "application/json" } });
  return response.ok ? response.json() : [];
}

/** Returns the text for what failed. */
export const reason = (error) => (error.message && !(error instanceof TypeError) ? error.message : t("script.failed"));

/** Shows what failed. */
export const failed = (error) => undoable(reason(error));
