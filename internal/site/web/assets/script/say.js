// Announces changes to users of screen readers without moving the focus.

let place;

export function announce(text) {
  // Screen readers ignore everything behind a modal dialog.
  const where = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (place?.parentNode !== where) {
    place?.remove();
    place = document.createElement("div");
    place.className = "unseen";
    place.setAttribute("role", "status");
    where.append(place);
  }
  const here = place;
  here.textContent = "";
  setTimeout(() => { here.textContent = text; }, 50); // a live region that is inserted with its text is not announced
}

/** Creates an element with attributes and children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Returns a new key for a form (`core.Once`). randomUUID needs https. */
export const onceKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join("-");
