// node types.mjs from.wasm to.wasm: clears the types of Go that nothing names once the runtime has started, and the names of all.
//
// Go's linker keeps a record for each type that code might ask for by reflection. In the module, types are read where something holds
// their address: a constant of code, a word of memory, or another type. Types that are held by an offset (the type of a pointer to
// this one, the types of methods) are of use to reflection alone, or are compared and not read. So a type is dead when neither a
// constant nor a word points into it, but for words of other dead types. A type's name is for messages and for reflection, and so are the
// fields of a structure, but for one that the collector asks where its pointers are. So are methods whose name no
// interface has, since code calls them by their address; what the others and packages are called by stays.
import { readFileSync, writeFileSync } from "node:fs";
import { constantsOf, typesOf } from "./gotypes.mjs";
import { clear, functionTable, memoryOf, moduleData } from "./memory.mjs";

const [from, to] = process.argv.slice(2);
const wasm = Buffer.from(readFileSync(from));
const { memory, segments, top } = memoryOf(wasm);
const { table } = functionTable(memory);
const bounds = moduleData(memory, table);
const { types, endTypes, endTable, links } = bounds;
const constants = constantsOf(wasm);
const { found, ends, nameOf, endOfName, fieldsOf, unusedOf } = typesOf(memory, top, bounds, constants);
const TYPE = 48; // the bytes that all types have, without types in them
const other = (what) => new Error(`types.mjs: ${what}. See docs/inside/upgrading-go.md, or build with NO_TYPES=1.`);

const word = (at) => memory.readUInt32LE(at);
const address = (at) => (word(at + 4) === 0 ? word(at) : 0);

/** The place of the type that an address is in, or -1. */
function holder(at) {
  let low = 0, high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at < ends[low - 1] ? low - 1 : -1;
}

// Fields. What is left of a structure says that it has none.
const named = new Map(); // how many types have a name
for (const type of found) named.set(nameOf(type), (named.get(nameOf(type)) ?? 0) + 1);
const erase = (start, end) => {
  clear(wasm, segments, start, end);
  memory.fill(0, start, end);
};
// Methods that are in no interface. What is left of one has no type and no name, where the runtime looks for an interface's methods.
for (const type of found) {
  for (const { start, end, name } of unusedOf(type)) {
    if (!named.has(name)) named.set(name, 0);
    erase(start, end);
  }
}
for (const type of found) {
  const fields = fieldsOf(type);
  if (!fields) continue;
  for (const name of fields.names) if (!named.has(name - types)) named.set(name - types, 0);
  erase(fields.list.start, fields.list.end);
  erase(fields.at, fields.at + 24);
}

const live = new Set();
const point = (value) => {
  const i = types <= value && value < endTypes ? holder(value) : -1;
  if (i >= 0) live.add(i);
};
for (const value of constants) point(value);
for (let at = 0; at + 8 <= memory.length; at += 4) {
  if (at >= table && at < endTable) continue; // functions, which have no types
  if (types <= at && at < endTypes && holder(at) >= 0) continue;
  point(address(at));
}
for (const i of live) for (let at = found[i] + TYPE; at < ends[i]; at += 8) point(address(at)); // it grows
if (live.size === found.length) throw other("no type is dead");

// Names of types and fields alone.
const used = new Map(); // how many words of types have its number
for (let at = types; at < endTypes; at += 4) if (named.has(word(at))) used.set(word(at), (used.get(word(at)) ?? 0) + 1);
const pointed = new Set(constants);
for (let at = 0; at + 8 <= memory.length; at += 4) pointed.add(address(at));

found.forEach((type, i) => {
  if (!live.has(i)) clear(wasm, segments, type, ends[i]);
});
for (const [name, count] of named) {
  if ((used.get(name) ?? 0) === count && !pointed.has(types + name)) clear(wasm, segments, types + name, endOfName(name));
}
// The lists of all types and of all tables of methods, which the start has read.
clear(wasm, segments, links.types.at, links.types.at + 4 * links.types.count);
clear(wasm, segments, links.tables.at, links.tables.at + 8 * links.tables.count);
writeFileSync(to, wasm);
