// Settings are stored in this browser. The key of an endpoint is stored in this tab under the endpoint's origin, so
// that no other endpoint gets it.

/**
 * @typedef {object} Settings
 * @property {"script" | "builtin" | "endpoint"} kind the model that answers
 * @property {string} url the base URL of the endpoint
 * @property {string} model
 * @property {string} key
 * @property {number} window the size of the context window, in tokens
 * @property {"model" | "summarizer" | "none"} writer the writer of digests
 * @property {boolean} automatic whether to compact as soon as compaction is due
 */

const PLACE = "ctxfold-chat";
/** @type {Omit<Settings, "key">} */
const DEFAULTS = { kind: "script", url: "", model: "", window: 4000, writer: "model", automatic: true };

/** @returns {Settings} */
export function settings() {
  const kept = { ...DEFAULTS, ...read(localStorage.getItem(PLACE)) };
  return { ...kept, key: sessionStorage.getItem(keyOf(kept.url)) ?? "" };
}

/**
 * Parses stored settings, which an older version or the user may have written in any form. @param {string | null} text
 */
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

/** Shows the settings in the form. @param {HTMLFormElement} form */
export function fill(form) {
  for (const [name, value] of Object.entries(settings())) {
    const field = /** @type {any} */ (form.elements.namedItem(name));
    if (typeof value === "boolean") field.checked = value;
    else field.value = String(value);
  }
  form.dataset.kind = settings().kind;
}

/** Applies the value of one field if it is valid. @param {HTMLFormElement} form @param {any} field */
export function take(form, field) {
  if (!field.checkValidity()) return field.reportValidity();
  const value =
    { checkbox: field.checked, number: Number(field.value) }[/** @type {string} */ (field.type)] ?? field.value;
  change({ [field.name]: typeof value === "string" ? value.trim() : value });
  fill(form);
  return true;
}
