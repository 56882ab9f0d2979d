// Finds elements at the start, and whenever a part of the page is replaced.

const watched = [];

/** Calls `act` once for each element that matches a selector, now and later. */
export function whenSeen(selector, act) {
  const watch = { selector, act, done: new WeakSet() };
  watched.push(watch);
  look(watch, document);
}

function look({ selector, act, done }, root) {
  const found = [...root.querySelectorAll(selector)];
  if (root.matches?.(selector)) found.unshift(root);
  for (const element of found) {
    if (done.has(element)) continue;
    done.add(element);
    act(element);
  }
}

new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) {
      if (node.nodeType === Node.ELEMENT_NODE && node.isConnected) for (const watch of watched) look(watch, node);
    }
  }
}).observe(document.documentElement, { childList: true, subtree: true });
