/** Converts live objects to JSON and applies edits to them, so that unchanged objects remain the caller's own. */
import { CtxfoldError, messageOf } from "./errors.js";
import type { Edit } from "./types.js";

type Fields = Record<string, unknown>;

/**
 * Returns live messages as JSON text. Binary data is written as base64, as wire formats require. Throws
 * `not_serializable` if JSON cannot represent the messages.
 */
export function serialize(messages: unknown): string {
  try {
    const text = JSON.stringify(messages, binaryAsBase64);
    if (typeof text === "string") return text;
  } catch (cause) {
    throw new CtxfoldError("not_serializable", `the messages cannot be written as JSON: ${messageOf(cause)}`, {
      path: "messages",
      cause,
    });
  }
  throw new CtxfoldError("not_serializable", `the messages are ${typeof messages}, which JSON does not have`, {
    path: "messages",
  });
}

/** Applies edits to a list of live messages and returns a new list, or the same list if nothing changes. */
export function applyEdits(list: readonly unknown[], edits: readonly Edit[]): readonly unknown[] {
  const out: unknown[] = [];
  for (const edit of edits) {
    if ("keep" in edit) for (let i = edit.keep[0]; i < edit.keep[1]; i++) out.push(list[i]);
    else if ("insert" in edit) out.push(edit.insert);
    else out.push(graft(list[edit.set], edit.message));
  }
  return unlessSame(list, out);
}

/** Returns the result, or the original if both have the same elements. */
function unlessSame(original: readonly unknown[], result: readonly unknown[]): readonly unknown[] {
  return result.length === original.length && result.every((value, i) => value === original[i]) ? original : result;
}

/**
 * Returns the edited value, in which every part that equals its counterpart in the original is the original object
 * itself. Neither argument is modified.
 */
export function graft(original: unknown, edited: unknown): unknown {
  if (typeof original !== "object" || original === null) return edited;
  if (isBinary(original)) return typeof edited === "string" && base64(original) === edited ? original : edited;
  if (typeof (original as { toJSON?: unknown }).toJSON === "function") {
    return JSON.stringify(original) === JSON.stringify(edited) ? original : edited;
  }
  if (typeof edited !== "object" || edited === null || Array.isArray(original) !== Array.isArray(edited)) return edited;
  if (Array.isArray(edited)) return graftArray(original as unknown[], edited);

  const from = original as Fields;
  const to = edited as Fields;
  const result: Fields = {};
  let same = Object.keys(to).length === Object.keys(from).filter((key) => isCarried(from[key])).length;
  for (const key of Object.keys(to)) {
    const value = Object.hasOwn(from, key) ? graft(from[key], to[key]) : to[key];
    same &&= Object.hasOwn(from, key) && value === from[key];
    // A plain assignment would set the prototype if the key is __proto__.
    Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return same ? original : result;
}

function graftArray(original: unknown[], edited: unknown[]): readonly unknown[] {
  const aligned = original.length === edited.length;
  let next = 0;
  const result = edited.map((value, i) => {
    if (aligned) return graft(original[i], value);
    // Elements were removed or added, but those of the original are still in the same order.
    for (let at = next; at < original.length; at++) {
      const grafted = graft(original[at], value);
      if (grafted === original[at]) {
        next = at + 1;
        return grafted;
      }
    }
    return value;
  });
  return unlessSame(original, result);
}

function isCarried(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

function isBinary(value: unknown): value is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

/**
 * A replacer for JSON.stringify. It reads the value from the object that contains it (`this`), because toJSON has
 * already been applied to `value` if it is a Buffer.
 */
function binaryAsBase64(this: Fields, key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const held = this[key];
  return isBinary(held) ? base64(held) : value;
}

function base64(binary: ArrayBuffer | ArrayBufferView): string {
  const bytes = ArrayBuffer.isView(binary)
    ? new Uint8Array(binary.buffer, binary.byteOffset, binary.byteLength)
    : new Uint8Array(binary);
  let text = "";
  // The bytes are passed in blocks, because engines limit the number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
