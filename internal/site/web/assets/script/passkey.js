// `button[data-passkey]` signs in with a passkey and the options from an address.
// `button[data-make]` creates a passkey with the options in the attribute. Both send their form
// with the result. Without this script, users need passwords and recovery codes.
import { ask, complaint } from "./page.js";
import { make } from "./say.js";
import { t } from "./texts.js";

export function start(button) {
  if (!globalThis.PublicKeyCredential || !navigator.credentials) return;
  button.hidden = false;
  button.form.querySelector("[data-without]")?.remove();
  const said = make("p", { class: "why", role: "alert", hidden: true });
  button.before(said);
  button.addEventListener("click", async () => {
    button.disabled = true;
    said.hidden = true;
    try {
      await answer(button);
    } catch (error) {
      said.textContent = error instanceof Refusal ? error.message : t(reasons[error.name] ?? "script.passkey.failed");
      said.hidden = false;
    }
    button.disabled = false;
  });
}

/** An error from the site with its message. */
class Refusal extends Error {}

/** Errors of the browser (WebAuthn, sections 5.1.3 and 5.1.4). */
const reasons = {
  NotAllowedError: "script.passkey.cancelled",
  AbortError: "script.passkey.cancelled",
  InvalidStateError: "script.passkey.there",
  TypeError: "script.failed", // the site could not be reached
};

async function answer(button) {
  const { form } = button;
  const options = button.dataset.make ? JSON.parse(button.dataset.make) : await offered(button.dataset.passkey);
  if (!options) return;
  const credential = button.dataset.make
    ? await navigator.credentials.create({ publicKey: creation(options.publicKey) })
    : await navigator.credentials.get({ publicKey: request(options.publicKey) });
  form.elements.passkey.value = JSON.stringify(written(credential));
  form.requestSubmit();
}

/** Requests the options for signing. A redirect means that the session has ended. */
async function offered(address) {
  const { response, to, page } = await ask(address, { headers: { Accept: "application/json" } });
  if (to) return location.assign(to);
  if (!response.ok) throw new Refusal(complaint(page) || t("script.passkey.failed"));
  return response.json();
}

const request = (options) => ({ ...options, challenge: bytes(options.challenge), allowCredentials: known(options.allowCredentials) });

const creation = (options) => ({
  ...options,
  challenge: bytes(options.challenge),
  user: { ...options.user, id: bytes(options.user.id) },
  excludeCredentials: known(options.excludeCredentials),
});

const known = (credentials = []) => credentials.map((one) => ({ ...one, id: bytes(one.id) }));

/** Converts a credential to JSON. Older browsers and some password managers lack toJSON. */
function written(credential) {
  const { response } = credential;
  const parts = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (response[name]) parts[name] = text(response[name]);
  }
  if (response.getTransports) parts.transports = response.getTransports();
  return { id: credential.id, rawId: text(credential.rawId), type: credential.type, response: parts, clientExtensionResults: {} };
}

const bytes = (base64) => Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
