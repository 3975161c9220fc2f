/** Creates the module's option `redact` from the results of the caller's function (docs/guides/redact.md). */
import { decode } from "./json.js";
import type { Redact, Redaction } from "./types.gen.js";

/**
 * Finds the secrets in one text of a message, so that no summarizer, digest or archive gets them. Returns the strings
 * that are secret, or objects with such a string and its placeholder.
 */
export type FindSecrets = (
  text: string,
) => readonly (string | Pick<Redaction, "text" | "placeholder">)[] | null | undefined;

const MIN_BYTES = 4;
const MAX_PLACEHOLDER = 100;
const bytes = new TextEncoder();

/**
 * Returns the redactions for all texts of a transcript; undefined if there are none. If `find` fails for a text, the
 * whole text is redacted.
 */
export function redactions(find: FindSecrets | undefined, piece: string | Uint8Array): Redact | undefined {
  if (!find) return undefined;
  let messages: unknown;
  try {
    messages = JSON.parse(typeof piece === "string" ? piece : decode(piece));
  } catch {
    return undefined; // the module reports the error
  }
  const texts = new Set<string>();
  collect(messages, texts);
  const found = new Map<string, Redaction>();
  const failed: Redaction[] = [];
  for (const text of texts) {
    try {
      for (const secret of secretsIn(find, text)) if (!found.has(secret.text)) found.set(secret.text, secret);
    } catch {
      failed.push({ text: text.toWellFormed(), whole: true, failed: true });
    }
  }
  const all = [...found.values(), ...failed];
  return all.length > 0 ? { texts: all } : undefined;
}

/** Calls `find` and returns the secrets in text. Throws if the result of `find` is unusable. */
function secretsIn(find: FindSecrets, text: string): Redaction[] {
  return [...(find(text) ?? [])].map((secret) => {
    const { text: what, placeholder } = typeof secret === "string" ? { text: secret, placeholder: undefined } : secret;
    const usable =
      typeof what === "string" &&
      text.includes(what) &&
      what.isWellFormed() &&
      bytes.encode(what).length >= MIN_BYTES &&
      (placeholder === undefined ||
        (typeof placeholder === "string" &&
          placeholder.isWellFormed() &&
          bytes.encode(placeholder).length <= MAX_PLACEHOLDER));
    if (!usable) throw new TypeError("not a text that can be replaced");
    return { text: what, ...(placeholder && { placeholder }) };
  });
}

/** Collects the strings in a value, except keys and the values of `role` and `type`. */
function collect(value: unknown, into: Set<string>): void {
  const open: unknown[] = [value]; // no recursion: the nesting may exceed the stack
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "string") {
      if (next !== "") into.add(next);
    } else if (Array.isArray(next)) {
      for (const item of next) if (item != null) open.push(item);
    } else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        if (item != null && !(typeof item === "string" && (key === "role" || key === "type"))) open.push(item);
      }
    }
  }
}
