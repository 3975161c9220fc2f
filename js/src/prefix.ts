/** Makes summary requests that continue the conversation, from the caller's own messages. */
import { decode } from "./json.js";
import { type Transcript, transcript } from "./transcript.js";
import type { RequestConversation } from "./types.js";

/**
 * Returns the caller's body or list, with the request's edits applied to the messages and its changes applied to the
 * body.
 */
export function withRequestEdits(source: Transcript, { edits, body }: RequestConversation): object {
  const text = typeof source.piece === "string" ? source.piece : decode(source.piece);
  const live = source.answer === "edits" ? source : transcript(JSON.parse(text));
  const bytes = new TextEncoder().encode(JSON.stringify(edits));
  const given = live.restore(new Map([["edits", bytes]])) as object;
  return Array.isArray(given) ? given : (merged(given, body) as object);
}

/** Returns the result of applying a JSON Merge Patch (RFC 7396) to a value, which stays unchanged. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const out: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete out[name];
    else out[name] = merged(out[name], value);
  }
  return out;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
