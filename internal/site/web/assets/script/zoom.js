// `a[data-zoom]` shows the large picture over the page. The wheel, two fingers, a double click or
// tap, and + and - change its size, and dragging moves it. Without this script, the link leads to
// the picture.
import { plain } from "./page.js";
import { make } from "./say.js";
import { t } from "./texts.js";

const most = 8; // times the size that fits

export function start(link) {
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", (event) => {
    if (!plain(event)) return;
    event.preventDefault();
    open(link);
  });
  link.addEventListener("wheel", (event) => { // the touchpad's pinch
    if (!event.ctrlKey) return;
    event.preventDefault();
    open(link);
  }, { passive: false });
}

function open(link) {
  if (document.querySelector("dialog.zoom")) return;
  const alt = link.querySelector("img")?.alt || link.getAttribute("aria-label") || "";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches && link.dataset.zoomStill;
  const image = make("img", { src: still || link.href, alt, width: link.dataset.zoomWidth, height: link.dataset.zoomHeight, draggable: "false" });
  const size = make("button", { type: "button", class: "other", "aria-pressed": "false" }, t("script.zoom.actual"));
  const close = make("button", { class: "close other", "aria-label": t("script.close") }, "×");
  const inside = make("div", { class: "inside", tabindex: "0" }, image);
  const dialog = make("dialog", { class: "zoom", "aria-label": alt || t("script.zoom.picture") }, make("form", { method: "dialog" }, size, close), inside);
  const lens = new Lens(inside, image, (scale) => size.setAttribute("aria-pressed", String(scale > 1)));
  size.addEventListener("click", () => lens.toggle());
  dialog.addEventListener("keydown", (event) => lens.key(event));
  dialog.addEventListener("click", (event) => !event.target.closest("img, button") && !lens.dragged && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}

/** The part of a picture that is shown: its scale, and the offset of its middle. */
class Lens {
  #scale = 1;
  #x = 0;
  #y = 0;
  #fingers = new Map(); // points of the pointers that are down
  #tapped; // the last click
  dragged = false; // the last pointer moved the picture

  constructor(inside, image, changed) {
    Object.assign(this, { inside, image, changed });
    inside.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.#by(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.0025)), event);
    }, { passive: false });
    image.addEventListener("click", (event) => this.#tap(event));
    inside.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      this.#fingers.set(event.pointerId, event);
    });
    inside.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) inside.addEventListener(name, ({ pointerId }) => this.#fingers.delete(pointerId));
  }

  /** Switches between the size that fits and the actual one, or twice the former if that is not larger. */
  toggle(at = this.#middle()) {
    if (this.#scale > 1) return this.#to(1, at);
    const actual = this.image.naturalWidth / this.image.clientWidth;
    this.#to(actual > 1.05 ? actual : 2, at);
  }

  /** Changes the size at the second of two quick clicks or taps; not all browsers have dblclick for fingers. */
  #tap(event) {
    const was = this.#tapped;
    this.#tapped = event;
    if (this.dragged || !was || event.timeStamp - was.timeStamp > 400 || Math.hypot(event.clientX - was.clientX, event.clientY - was.clientY) > 30) return;
    this.#tapped = undefined;
    this.toggle(event);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 80;
    switch (event.key) {
      case "+": case "=": this.#by(1.5, this.#middle()); break;
      case "-": this.#by(1 / 1.5, this.#middle()); break;
      case "0": this.#to(1, this.#middle()); break;
      case "ArrowLeft": this.#shift(step, 0); break;
      case "ArrowRight": this.#shift(-step, 0); break;
      case "ArrowUp": this.#shift(0, step); break;
      case "ArrowDown": this.#shift(0, -step); break;
      default: return;
    }
    event.preventDefault();
  }

  #middle() {
    const box = this.inside.getBoundingClientRect();
    return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
  }

  #by(factor, at) {
    this.#to(this.#scale * factor, at);
  }

  /** Changes the scale, so that the point of the picture at a place stays there. */
  #to(scale, { clientX, clientY }) {
    scale = Math.max(1, Math.min(Math.max(most, this.image.naturalWidth / this.image.clientWidth || 1), scale));
    const box = this.image.getBoundingClientRect();
    const factor = scale / this.#scale - 1;
    this.#scale = scale;
    this.#shift((box.left + box.width / 2 - clientX) * factor, (box.top + box.height / 2 - clientY) * factor);
    this.changed(scale);
  }

  /** Moves the picture, but not out of sight. */
  #shift(x, y) {
    const [width, height] = [this.image.clientWidth * this.#scale, this.image.clientHeight * this.#scale];
    const limit = (value, inner, outer) => Math.max(-Math.max(0, inner - outer) / 2, Math.min(Math.max(0, inner - outer) / 2, value));
    this.#x = limit(this.#x + x, width, this.inside.clientWidth);
    this.#y = limit(this.#y + y, height, this.inside.clientHeight);
    this.image.style.transform = this.#scale === 1 ? "" : `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})`;
    this.inside.classList.toggle("zoomed", this.#scale > 1);
  }

  #move(event) {
    const was = this.#fingers.get(event.pointerId);
    if (!was) return;
    if (this.#fingers.size === 1 && this.#scale > 1) {
      this.inside.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.#shift(event.clientX - was.clientX, event.clientY - was.clientY);
    } else if (this.#fingers.size === 2) {
      this.dragged = true;
      const other = [...this.#fingers.values()].find(({ pointerId }) => pointerId !== event.pointerId);
      const apart = (one) => Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
      const between = (one) => ({ clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2 });
      const [from, to] = [between(was), between(event)];
      this.#by(apart(event) / apart(was), to);
      this.#shift(to.clientX - from.clientX, to.clientY - from.clientY);
    }
    this.#fingers.set(event.pointerId, event);
  }
}
