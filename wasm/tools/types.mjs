// node types.mjs from.wasm to.wasm: clears the Go types that nothing refers to once the runtime has started, and the names of all types.
//
// Go's linker keeps a record for each type that code might look up by reflection. In the module, a type is only read if something holds its
// address: a constant in code, a word of memory, or another type. Types that are referred to by an offset (the type of a pointer to this
// one, the types of methods) are only used by reflection, or are compared but not read. So a type is dead if no constant and no word points
// into it, except words of other dead types. The name of a type is only used in messages and by reflection, and so are the fields of a
// structure, unless the collector needs them to find its pointers. The same is true of methods whose name no interface has, because code
// calls them by address. The names of the other methods and of packages stay.
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
const TYPE = 48; // the size of the fields that all types have, which contain no types
const other = (what) => new Error(`types.mjs: ${what}. See docs/inside/upgrading-go.md, or build with NO_TYPES=1.`);

const word = (at) => memory.readUInt32LE(at);
const address = (at) => (word(at + 4) === 0 ? word(at) : 0);

/** Returns the index of the type that contains an address, or -1. */
function holder(at) {
  let low = 0, high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at < ends[low - 1] ? low - 1 : -1;
}

// Clears fields. The remaining record says that the structure has none.
const named = new Map(); // the number of types that use each name
for (const type of found) named.set(nameOf(type), (named.get(nameOf(type)) ?? 0) + 1);
const erase = (start, end) => {
  clear(wasm, segments, start, end);
  memory.fill(0, start, end);
};
// Clears methods that are in no interface. The remaining record has neither a type nor a name, which the runtime looks for when it fills an
// interface's method table.
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
  if (at >= table && at < endTable) continue; // skips function values, which contain no types
  if (types <= at && at < endTypes && holder(at) >= 0) continue;
  point(address(at));
}
for (const i of live) for (let at = found[i] + TYPE; at < ends[i]; at += 8) point(address(at)); // the set grows during the loop
if (live.size === found.length) throw other("no type is dead");

// Clears names that only types and fields use.
const used = new Map(); // the number of words of types that contain each number
for (let at = types; at < endTypes; at += 4) if (named.has(word(at))) used.set(word(at), (used.get(word(at)) ?? 0) + 1);
const pointed = new Set(constants);
for (let at = 0; at + 8 <= memory.length; at += 4) pointed.add(address(at));

found.forEach((type, i) => {
  if (!live.has(i)) clear(wasm, segments, type, ends[i]);
});
for (const [name, count] of named) {
  if ((used.get(name) ?? 0) === count && !pointed.has(types + name)) clear(wasm, segments, types + name, endOfName(name));
}
// Clears the lists of all types and of all method tables, which only the startup reads.
clear(wasm, segments, links.types.at, links.types.at + 4 * links.types.count);
clear(wasm, segments, links.tables.at, links.tables.at + 8 * links.tables.count);
writeFileSync(to, wasm);
