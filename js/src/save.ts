/** Writes the result of a compaction into session files. */
import type { Answer, HeadOf } from "./envelope.js";
import { decode } from "./json.js";
import { transcript } from "./transcript.js";
import type { Left } from "./types.js";

/** Returns the request to write a compacted conversation into its session file; undefined if nothing has changed. */
export function saving(file: string | Uint8Array, left: Left) {
  if (!left.report.changed) return undefined;
  // A file on disk contains no unpaired surrogates. U+FFFD, which replaces them, is also what was written to the file
  // in their place.
  const text = typeof file === "string" ? file.toWellFormed() : decode(file);
  const head: HeadOf<"save"> = { file: text, tokens: left.report.tokens.before, time: new Date().toISOString() };
  return { op: "save", head, source: transcript(left.messages) } as const;
}

/**
 * Returns the new file in the form of the original, a string or bytes: the part of the original that stays, followed by
 * the new text.
 */
export function fileOf<F extends string | Uint8Array>(file: F, answer: Answer): F {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : (file as Uint8Array);
  const kept = bytes.subarray(0, Number(decode(answer.get("kept") as Uint8Array)));
  const text: string = JSON.parse(decode(answer.get("text") as Uint8Array));
  if (typeof file === "string") return (decode(kept) + text) as F;
  const added = new TextEncoder().encode(text);
  const out = new Uint8Array(kept.length + added.length);
  out.set(kept);
  out.set(added, kept.length);
  return out as Uint8Array as F;
}
