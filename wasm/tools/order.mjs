// node order.mjs from.wasm to.wasm: restores the order in which Go linked the functions, package by package.
//
// Earlier tools sort functions by their number of calls. Then neighbors have little in common, which compresses worse, and the function
// table, which is in Go's order, becomes a list of unrelated numbers. The most frequently called functions stay in front, because their
// numbers take one byte.
//
// Local variables of a type are numbered in the order in which a function uses them, so that similar functions have the same bytes. Earlier
// tools sort them by how often they are used.
import { readFileSync, writeFileSync } from "node:fs";
import { immediates, leb, Reader, sections } from "./binary.mjs";
import { instructions } from "./instructions.mjs";

/** The number of function indexes that take one byte. */
const SHORT = 128;
const CALL = 0x10, LOCAL_GET = 0x20, LOCAL_TEE = 0x22, TYPE = 1, IMPORT = 2, FUNCTION = 3, EXPORT = 7, START = 8, ELEMENT = 9, CODE = 10;

const [from, to] = process.argv.slice(2);
const wasm = readFileSync(from);
const found = new Map([...sections(wasm)].map((section) => [section.id, section]));
const other = (what) => new Error(`order.mjs: ${what}. See docs/inside/upgrading-go.md, or build with NO_SEGMENTS=1.`);
const reader = (id) => new Reader(wasm, found.get(id).r.at);
/** Reads a vector of the binary format. */
const vector = (r, each) => Array.from({ length: r.u32() }, () => each(r));

if (found.has(START)) throw other("a function is started");
/** The number of imported functions, which have the first indexes. */
let imported = 0;
if (found.has(IMPORT)) {
  const r = reader(IMPORT);
  for (let n = r.u32(); n > 0; n--, imported++) {
    r.bytesOf(r.u32());
    r.bytesOf(r.u32());
    if (r.byte() !== 0) throw other("something else than a function is imported");
    r.skip();
  }
}
const types = vector(reader(FUNCTION), (r) => r.u32());
/** The number of parameters for each function type. */
const parameters = vector(reader(TYPE), (r) => {
  r.byte();
  const count = r.u32();
  r.bytesOf(count);
  r.bytesOf(r.u32());
  return count;
});
const bodies = vector(reader(CODE), (r) => r.bytesOf(r.u32())).map((body, i) => byUse(body, parameters[types[i]]));
const elements = reader(ELEMENT);
if (elements.u32() !== 1 || elements.u32() !== 0) throw other("the table of functions is no single list");
const offset = elements.at;
while (elements.byte() !== 0x0b);
const place = wasm.subarray(offset, elements.at);
const table = vector(elements, (r) => r.u32());

/** The calls of each function: the offsets at which the callee's index begins and ends, and the index. */
const calls = bodies.map((body) => {
  const r = new Reader(body);
  for (let n = r.u32(); n > 0; n--) r.skip(), r.at++; // local declarations
  const list = [];
  while (r.at < body.length) {
    const op = r.byte();
    const start = r.at;
    if (op === CALL) list.push({ to: r.u32(), start, end: r.at });
    else immediates(r, op);
  }
  return list;
});
/** The indexes of the module's own functions, and how often each is called. */
const own = bodies.map((_, i) => imported + i);
const count = new Array(imported + bodies.length).fill(0);
for (const list of calls) for (const call of list) count[call.to]++;

const order = new Set([...own].sort((a, b) => count[b] - count[a] || a - b).slice(0, SHORT - imported));
for (const f of [...table, ...own]) if (f >= imported) order.add(f);
/** The new index of each function. */
const now = [...count.keys()];
let next = imported;
for (const f of order) now[f] = next++;

/**
 * Renumbers a function's local variables in the order of their first use, separately for each type. Functions whose variables don't fit in
 * one-byte numbers stay unchanged.
 */
function byUse(body, first) {
  const r = new Reader(body);
  const groups = vector(r, () => {
    const group = { first, count: r.u32() };
    r.byte();
    first += group.count;
    return group;
  });
  if (first > SHORT) return body;
  const uses = instructions(body).filter(({ op }) => op >= LOCAL_GET && op <= LOCAL_TEE);
  const used = [...new Set(uses.map(({ at }) => body[at]))];
  const numbers = new Map();
  for (const group of groups) {
    used.filter((l) => l >= group.first && l < group.first + group.count).forEach((l, k) => numbers.set(l, group.first + k));
  }
  const ordered = Buffer.from(body);
  for (const { at } of uses) ordered[at] = numbers.get(body[at]) ?? body[at];
  return ordered;
}

const section = (id, ...parts) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([id]), leb(content.length), content]);
};
const list = (parts) => Buffer.concat([leb(parts.length), ...parts]);
const renumbered = (f) => {
  const before = bodies[f - imported];
  const parts = [];
  let at = 0;
  for (const call of calls[f - imported]) {
    parts.push(before.subarray(at, call.start), leb(now[call.to]));
    at = call.end;
  }
  const body = Buffer.concat([...parts, before.subarray(at)]);
  return Buffer.concat([leb(body.length), body]);
};
const exported = (r) => {
  const start = r.at;
  r.bytesOf(r.u32());
  const kind = r.byte();
  const named = wasm.subarray(start, r.at);
  const n = r.u32();
  return Buffer.concat([named, leb(kind === 0 ? now[n] : n)]);
};
const written = {
  [FUNCTION]: () => list([...order].map((f) => leb(types[f - imported]))),
  [EXPORT]: () => list(vector(reader(EXPORT), exported)),
  [ELEMENT]: () => Buffer.concat([leb(1), leb(0), place, list(table.map((f) => leb(now[f])))]),
  [CODE]: () => list([...order].map(renumbered)),
};
const parts = [wasm.subarray(0, 8)];
for (const { id, start, end } of sections(wasm)) parts.push(written[id] ? section(id, written[id]()) : wasm.subarray(start, end));
writeFileSync(to, Buffer.concat(parts));
