// Remembers the last key that is pressed before the modules have started (keys.js). Pages load this script before they
// are shown. Without it, such a key is lost.
{
  const remember = (event) => { globalThis.early.event = event; };
  globalThis.early = { stop: () => document.removeEventListener("keydown", remember) };
  document.addEventListener("keydown", remember);
}
