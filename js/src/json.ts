/**
 * Parses the outermost object of an answer without decoding the values in it, so that a transcript is returned byte
 * for byte.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Throws a TypeError if the bytes are not valid. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Returns the members of a JSON object, whose names have no escapes, as names with the bytes of their values. The bytes
 * are views of `source`. Throws a SyntaxError if the object is cut off.
 */
export function members(source: Uint8Array): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  let at = past(source, 0, OPEN_BRACE);
  while (at < source.length && source[at] !== CLOSE_BRACE) {
    const start = source.indexOf(QUOTE, at);
    const end = stringEnd(source, start);
    const value = past(source, end, COLON);
    at = valueEnd(source, value);
    found.set(decode(source.subarray(start + 1, end - 1)), source.subarray(value, at));
    if (source[at] === COMMA) at++;
  }
  return found;
}

function past(source: Uint8Array, from: number, byte: number): number {
  const at = source.indexOf(byte, from);
  if (at < 0) throw new SyntaxError("the answer is not a JSON object");
  return at + 1;
}

/**
 * Returns the offset after the string whose opening quote is at `start`. Throws a SyntaxError if the string has no end.
 */
function stringEnd(source: Uint8Array, start: number): number {
  for (let at = source.indexOf(QUOTE, start + 1); at >= 0; at = source.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (source[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  throw new SyntaxError("the answer ends inside a string");
}

/**
 * Returns the end of the value that starts at or after `start`, which is the offset of the comma or bracket after it.
 * Throws a SyntaxError if there is neither.
 */
function valueEnd(source: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const byte = source[at];
    if (byte === QUOTE) at = stringEnd(source, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth--;
    } else if (byte === COMMA && depth === 0) return at;
  }
  throw new SyntaxError("the answer ends inside an object");
}
