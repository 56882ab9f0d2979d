// Scrolls the page, or a box, while something is dragged near its upper or lower edge.

const near = 72; // pixels
const fastest = 22; // pixels in a frame

/** Calls `scrolled` after each step. `at` takes where the pointer is; `stop` ends scrolling. */
export function edges(scrolled, box = document.scrollingElement) {
  let frame = 0;
  let y;
  const speed = () => {
    const { top, bottom } = box === document.scrollingElement ? { top: 0, bottom: innerHeight } : box.getBoundingClientRect();
    const up = top + near - y;
    const down = y - (bottom - near);
    return up > 0 ? -Math.min(fastest, up / 3) : down > 0 ? Math.min(fastest, down / 3) : 0;
  };
  const step = () => {
    frame = 0;
    const by = speed();
    if (!by) return;
    const before = box.scrollTop;
    box.scrollBy({ top: by, behavior: "instant" });
    if (box.scrollTop !== before) scrolled();
    frame = requestAnimationFrame(step);
  };
  return {
    at(clientY) { y = clientY; frame ||= requestAnimationFrame(step); },
    stop() { cancelAnimationFrame(frame); frame = 0; },
  };
}
