// Texts in the user's language, from _locales.

import { webPage } from "./urls.js";

/** Returns a text with its arguments. */
export function t(id, ...args) {
  return chrome.i18n.getMessage(id, args.map(String)) || id;
}

/** Returns the text for a number: the id ends in the plural form. */
export function count(id, n) {
  const form = new Intl.PluralRules(t("language")).select(n);
  return chrome.i18n.getMessage(`${id}_${form}`, [String(n)]) || t(`${id}_other`, n);
}

/** Fills in the texts of a document: data-t names the content of an element, data-t-label its label. */
export function translate(root = document) {
  root.documentElement.lang = t("language");
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
  for (const element of root.querySelectorAll("[data-t-hint]")) element.placeholder = t(element.dataset.tHint);
}

/** Creates an element. Properties are set, except for those with a hyphen, role and class, which are attributes. */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "href") element.href = webPage(value); // addresses come from the server
    else if (/-|^(role|class|for)$/.test(key)) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
