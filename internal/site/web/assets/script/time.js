// Shows times in the reader's time zone and language, with the complete time as a tooltip. Without
// this script, they are in UTC as the server wrote them.

const { lang } = document.documentElement;
const language = lang === "en" ? "en-GB" : lang || undefined; // "1 March 2026", as the server writes it, so that nothing moves
const whole = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
const minute = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });
const day = new Intl.DateTimeFormat(language, { dateStyle: "long" });

/**
 * Shows a `<time datetime>` in the reader's time zone: `data-show="day"` without the time of day,
 * `data-show="as-is"` with its own text, such as "3 days ago".
 */
export function times(element) {
  const at = new Date(element.dateTime);
  if (!element.dateTime.includes("T") || Number.isNaN(at.getTime())) return;
  element.title = whole.format(at);
  if (element.dataset.show === "as-is") return;
  element.textContent = (element.dataset.show === "day" ? day : minute).format(at);
}
