// The settings are kept in this browser; the key of an endpoint in this tab, under its origin, so that no other gets it.

/**
 * @typedef {object} Settings
 * @property {"script" | "builtin" | "endpoint"} kind who answers
 * @property {string} url the base URL of the endpoint
 * @property {string} model
 * @property {string} key
 * @property {number} window in tokens
 * @property {"model" | "summarizer" | "none"} writer who writes digests
 * @property {boolean} automatic compact when that is due
 */

const PLACE = "ctxfold-chat";
/** @type {Omit<Settings, "key">} */
const DEFAULTS = { kind: "script", url: "", model: "", window: 4000, writer: "model", automatic: true };

/** @returns {Settings} */
export function settings() {
  const kept = { ...DEFAULTS, ...read(localStorage.getItem(PLACE)) };
  return { ...kept, key: sessionStorage.getItem(keyOf(kept.url)) ?? "" };
}

/** What an older version or a hand has left may be anything. @param {string | null} text */
function read(text) {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
}

/** @param {Partial<Settings>} changes */
export function change(changes) {
  const { key, ...rest } = { ...settings(), ...changes };
  localStorage.setItem(PLACE, JSON.stringify(rest));
  if (changes.key !== undefined) sessionStorage.setItem(keyOf(rest.url), changes.key);
}

/** @param {string} url */
const keyOf = (url) => `${PLACE}-key ${URL.canParse(url) ? new URL(url).origin : ""}`;

/** Puts the settings into the form. @param {HTMLFormElement} form */
export function fill(form) {
  for (const [name, value] of Object.entries(settings())) {
    const field = /** @type {any} */ (form.elements.namedItem(name));
    if (typeof value === "boolean") field.checked = value;
    else field.value = String(value);
  }
  form.dataset.kind = settings().kind;
}

/** Takes one field over, where its value is a valid one. @param {HTMLFormElement} form @param {any} field */
export function take(form, field) {
  if (!field.checkValidity()) return field.reportValidity();
  const value =
    { checkbox: field.checked, number: Number(field.value) }[/** @type {string} */ (field.type)] ?? field.value;
  change({ [field.name]: typeof value === "string" ? value.trim() : value });
  fill(form);
  return true;
}
