// Scrolls the page while something is dragged near its upper or lower edge.

const near = 72; // pixels
const fastest = 22; // pixels in a frame

/** Calls `scrolled` after each step. `at` takes where the pointer is; `stop` ends scrolling. */
export function edges(scrolled) {
  let frame = 0;
  let y = 0;
  const speed = () => {
    const up = near - y;
    const down = y - (innerHeight - near);
    return up > 0 ? -Math.min(fastest, up / 3) : down > 0 ? Math.min(fastest, down / 3) : 0;
  };
  const step = () => {
    frame = 0;
    const by = speed();
    if (!by) return;
    const before = scrollY;
    scrollBy({ top: by, behavior: "instant" });
    if (scrollY !== before) scrolled();
    frame = requestAnimationFrame(step);
  };
  return {
    at(clientY) { y = clientY; frame ||= requestAnimationFrame(step); },
    stop() { cancelAnimationFrame(frame); frame = 0; y = innerHeight / 2; },
  };
}
