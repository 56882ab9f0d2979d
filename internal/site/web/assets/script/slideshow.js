// `[data-slideshow]` changes slides within the page, so that it stays in full screen, and preloads
// the next one. Without this script, each slide is a page with links to its neighbours.
import { Ahead, plain, started } from "./page.js";

const ahead = new Ahead();

export function start(show) {
  for (const button of show.querySelectorAll("[data-fullscreen]")) {
    if (!document.fullscreenEnabled) break;
    button.hidden = false;
    button.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
  }
  show.addEventListener("click", (event) => {
    const link = event.target.closest("a[rel~=next], a[rel~=prev]");
    if (!link || !plain(event)) return;
    event.preventDefault();
    turn(show, link);
  });
  const next = show.querySelector("a[rel~=next]");
  if (next) ahead.prepare(next.href, "[data-slideshow] img");
}

document.addEventListener("keydown", (event) => {
  const show = document.querySelector("[data-slideshow]");
  if (!show || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("button, a, input, video, audio, dialog") && event.key === " ") return;
  const way = { " ": "next", PageDown: "next", ArrowRight: "next", PageUp: "prev", ArrowLeft: "prev" }[event.key];
  const link = way && show.querySelector(`a[rel~=${way}]`);
  if (!link) return;
  event.preventDefault();
  turn(show, link);
});

async function turn(show, link) {
  const [address, way] = [link.href, link.rel];
  try {
    const fresh = (await ahead.get(address))?.querySelector("[data-slideshow]");
    if (!fresh || !show.isConnected) throw new Error();
    ahead.forget(address);
    show.replaceWith(document.adoptNode(fresh));
    history.replaceState(null, "", address);
    started(fresh);
    (fresh.querySelector(`a[rel~="${CSS.escape(way)}"]`) ?? fresh.querySelector("a"))?.focus({ preventScroll: true });
  } catch {
    location.assign(address);
  }
}
