/** Builds small WebAssembly modules byte by byte. */

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Returns a section of a module as bytes. @param {number} id @param {number[]} body */
const section = (id, body) => [id, body.length, ...body];

/** Returns a name as bytes, with its length. @param {string} text */
const name = (text) => [text.length, ...new TextEncoder().encode(text)];

/**
 * Returns a module that only imports functions with the given names.
 * @param {string} from
 * @param {string[]} names
 */
export function moduleImporting(from, names) {
  const imports = names.flatMap((each) => [...name(from), ...name(each), 0x00, 0x00]);
  const importSection = [...leb(names.length), ...imports];
  const sections = names.length > 0 ? [0x02, ...leb(importSection.length), ...importSection] : [];
  return new Uint8Array([...MAGIC, ...section(1, [1, 0x60, 0, 0]), ...sections]);
}

/** Encodes a number as unsigned LEB128. @param {number} n @returns {number[]} */
const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >> 7)]);
