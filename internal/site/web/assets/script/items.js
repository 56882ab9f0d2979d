// The items of a channel in a list with `[data-tiles]`, and changes of them.
import { change, undoable } from "./added.js";
import { t } from "./texts.js";

export const items = (list) => [...list.querySelectorAll(":scope > li[data-connection]")];
export const itemOf = (element) => element.closest?.("[data-tiles] > li[data-connection]");

/** Returns the items that an action on an item changes: all selected ones if it is one of them. */
export const group = (list, item) => (list.chosen?.has(item) ? items(list).filter((each) => list.chosen.has(each)) : [item]);

/** Sends a change of items. `more` has a further value for each of them. */
export function send(list, action, all, more = {}) {
  const body = new URLSearchParams({ do: action });
  for (const item of all) body.append("connection", item.dataset.connection);
  for (const [name, values] of Object.entries(more)) for (const value of [values].flat()) body.append(name, value);
  return change(new URL(list.dataset.tiles, location.href), body);
}

/** Returns the text for what failed. */
export const reason = (error) => (error.message && !(error instanceof TypeError) ? error.message : t("script.failed"));

/** Shows what failed. */
export const failed = (error) => undoable(reason(error));
