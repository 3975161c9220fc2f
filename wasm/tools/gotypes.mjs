// Finds Go types in a memory: internal/abi/type.go, Go 1.26.
import { sections } from "./binary.mjs";
import { read } from "./code.mjs";

// The layout of abi.Type: size, bytes with pointers, hash, flags, alignments, kind, equality, pointers, name, pointer to this type. The
// rest depends on the kind.
const TYPE = 48, FLAGS = 20, ALIGN = 21, KIND = 23, NAME = 40, POINTER = 44, UNCOMMON = 1, STAR = 2, MASK_ON_DEMAND = 16, FIELD = 24, TAGGED = 2, METHOD = 16;
const ARRAY = 17, CHAN = 18, FUNC = 19, INTERFACE = 20, MAP = 21, POINTER_TO = 22, SLICE = 23, STRUCT = 25, LAST = 26;
const sizes = new Map([[ARRAY, 72], [CHAN, 64], [FUNC, 56], [INTERFACE, 80], [MAP, 112], [POINTER_TO, 56], [SLICE, 56], [STRUCT, 80]]);

/** Returns the constants in all code. */
export function constantsOf(wasm) {
  const constants = new Set();
  for (const { id, r } of sections(wasm)) {
    if (id !== 10) continue;
    for (let n = r.u32(); n > 0; n--) {
      const length = r.u32();
      for (const value of read(wasm, r.at, r.at + length).constants) constants.add(value);
      r.at += length;
    }
  }
  return constants;
}

/**
 * Finds all types that a constant, a word of memory or another type may refer to. Returns their start addresses, in order, and their ends.
 * `bounds` is the result of moduleData; `top` is the end of the nonzero memory.
 */
export function typesOf(memory, top, bounds, constants) {
  const { types, endTypes, links } = bounds;
  const short = (at) => memory.readUInt16LE(at);
  const word = (at) => memory.readUInt32LE(at);
  const kindOf = (type) => memory[type + KIND] & 31;
  /** Reads a 64-bit word, or returns 0 if it is not an address. */
  const address = (at) => (word(at + 4) === 0 ? word(at) : 0);

  /** Reads a name: flags, the text, and the tag of a field. Returns its text and its end. */
  function nameAt(at) {
    const text = textAt(at + 1);
    return memory[at] & TAGGED ? { text: text.text, end: textAt(text.end).end } : text;
  }

  /** Reads a text: its length as a varint, then its bytes. */
  function textAt(at) {
    let length = 0, p = at;
    for (let shift = 0; ; shift += 7) {
      const b = memory[p++];
      length |= (b & 0x7f) << shift;
      if (b < 0x80) break;
    }
    return { text: memory.toString("latin1", p, p + length), end: p + length };
  }

  /** Whether there is a type at an address, judging by all of its fields. */
  function isType(at) {
    if (at % 8 !== 0 || at < types || at + TYPE > endTypes) return false;
    const kind = kindOf(at), name = word(at + NAME), to = word(at + POINTER);
    if (kind < 1 || kind > LAST || ![1, 2, 4, 8].includes(memory[at + ALIGN]) || memory[at + ALIGN] !== memory[at + ALIGN + 1]) return false;
    if (word(at + 4) !== 0 || word(at + 12) !== 0 || word(at + 8) > word(at)) return false; // a type has no more bytes with pointers than bytes
    for (const k of [24, 32]) if (word(at + k + 4) !== 0 || (word(at + k) !== 0 && !(types <= word(at + k) && word(at + k) < top))) return false;
    if (name === 0 || types + name >= endTypes || (to !== 0 && (types + to + TYPE > endTypes || kindOf(types + to) !== POINTER_TO))) return false;
    const { text, end } = nameAt(types + name);
    return text.length > 0 && end < endTypes && !/[\x00-\x1f]/.test(text) && (text[0] === "*" || !(memory[at + FLAGS] & STAR));
  }

  /** Returns the end of a type, including its methods and its parameters or fields. */
  function endOf(type) {
    const kind = kindOf(type);
    let end = type + (sizes.get(kind) ?? TYPE);
    let behind = end;
    if (memory[type + FLAGS] & UNCOMMON) {
      behind = end + 16; // the package, two numbers of methods, and their offset
      const methods = short(end + 4);
      end = methods > 0 ? Math.max(behind, end + word(end + 8) + 16 * methods) : behind;
    }
    if (kind === FUNC) return Math.max(end, behind + 8 * (short(type + TYPE) + (short(type + TYPE + 2) & 0x7fff)));
    const list = { [STRUCT]: 24, [INTERFACE]: 8 }[kind];
    const at = list ? address(type + TYPE + 8) : 0, count = list ? address(type + TYPE + 16) : 0;
    return count > 0 && at >= type ? Math.max(end, at + list * count) : end;
  }

  // All types that anything may refer to.
  const all = new Set();
  const note = (at) => {
    if (isType(at)) all.add(at);
  };
  for (const value of constants) note(value);
  for (let at = 0; at + 8 <= memory.length; at += 8) note(address(at));
  for (let i = 0; i < links.types.count; i++) note(types + word(links.types.at + 4 * i));
  for (const type of all) { // the set grows during the loop
    const end = endOf(type);
    for (let at = type + POINTER; at < end; at += 4) note(types + word(at));
  }
  const found = [...all].sort((a, b) => a - b);
  const ends = found.map(endOf);
  for (let i = 0; i + 1 < found.length; i++) {
    if (ends[i] > found[i + 1]) throw new Error(`the type at ${found[i]} runs into the next: see docs/inside/upgrading-go.md`);
  }

  /** Returns the addresses of a type's methods. An abi.Method has a name, a type and two functions, 4 bytes each. */
  const methodsAt = (type) => {
    if (!(memory[type + FLAGS] & UNCOMMON)) return [];
    const uncommon = type + (sizes.get(kindOf(type)) ?? TYPE);
    return Array.from({ length: short(uncommon + 4) }, (_, i) => uncommon + word(uncommon + 8) + METHOD * i);
  };
  /** Returns the numbers of the functions that implement a type's methods: with an interface's receiver, and with the type's own. */
  const methods = (type) => methodsAt(type).flatMap((at) => [word(at + 8), word(at + 12)]);
  // The names of methods in interfaces. A method with another name is in no interface's method table.
  const wanted = new Set();
  for (const type of found) {
    if (kindOf(type) !== INTERFACE) continue;
    const start = address(type + TYPE + 8), count = address(type + TYPE + 16);
    for (let i = 0; i < count; i++) wanted.add(nameAt(types + word(start + 8 * i)).text);
  }
  /** Returns the methods of a type that no interface has, as the addresses of the methods and of their names. */
  const unusedOf = (type) =>
    methodsAt(type).map((at) => ({ start: at, end: at + METHOD, name: word(at) })).filter(({ name }) => !wanted.has(nameAt(types + name).text));
  /**
   * Returns the fields of a structure: the address of the slice, of the fields, and of their names. Returns nothing if the collector needs
   * the fields to find the structure's pointers.
   */
  const fieldsOf = (type) => {
    const at = type + TYPE + 8, start = address(at), count = address(at + 8);
    if (kindOf(type) !== STRUCT || memory[type + FLAGS] & MASK_ON_DEMAND || count === 0) return undefined;
    const names = Array.from({ length: count }, (_, i) => address(start + FIELD * i));
    if (!names.every((name) => types < name && name < endTypes)) throw new Error(`the structure at ${type} has other fields: see docs/inside/upgrading-go.md`);
    return { at, list: { start, end: start + FIELD * count }, names };
  };
  return { found, ends, methods, unusedOf, fieldsOf, nameOf: (type) => word(type + NAME), endOfName: (name) => nameAt(types + name).end };
}
