// node lines.mjs [--plain] from.wasm to.wasm: removes names, line numbers and the index of functions from a module that Go has built.
//
// Go's runtime keeps them for stack traces, which nobody sees here: a panic becomes an answer with the error code internal, and output is
// dropped. They are a tenth of the packed module. What the collector and the unwinder need (stack sizes, stack maps, inlining) stays,
// closer together, and once where several functions have the same. The index leads from an address to a function; build.sh builds a
// runtime that does without, since in WebAssembly the address begins with the function's number. It would be a megabyte of each instance.
// The layout is that of runtime/symtab.go and internal/abi/symtab.go, Go 1.26; another one is an error.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, sections, sleb } from "./binary.mjs";
import { Signatures } from "./calls.mjs";
import { functionTable, memoryOf } from "./memory.mjs";
import { resumed } from "./resume.mjs";

const [from, to] = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const wasm = readFileSync(from);

const { memory, segments, top } = memoryOf(wasm);
const found = functionTable(memory);
const { table, count, names, values, functions, record, field } = found;
if (functions >= top) throw new Error("the function table is broken");

const clean = Buffer.from(memory);
clean.fill(0, names, functions); // clears the names of functions, compile units, file names, and tables, some of which are restored below
let end = 1; // end of the tables that are kept; 0 means no table
const moved = new Map(); // the new offset of each table, by its old offset and by its bytes
/**
 * Keeps a table and returns its new offset. Tables are stored close together, because each page that is not empty makes instantiation
 * slower.
 */
const keep = (offset) => {
  if (offset === 0 || moved.has(offset)) return moved.get(offset) ?? 0;
  // A table consists of pairs of varints, up to a value delta of 0 that is not the first.
  let p = values + offset;
  const varint = () => {
    while (memory[p++] >= 0x80);
  };
  for (let first = true; first || memory[p] !== 0; first = false) varint(), varint();
  const table = memory.subarray(values + offset, p + 1);
  const bytes = table.toString("latin1");
  if (!moved.has(bytes)) {
    moved.set(bytes, end);
    table.copy(clean, values + end);
    end += table.length;
  }
  moved.set(offset, moved.get(bytes));
  return moved.get(offset);
};
// The pcdata and funcdata that are kept: the second pcdata is the number of the stack map, the fifth the index that was out of bounds;
// funcdata are the stack maps of arguments and variables, stack objects, and deferred calls.
const PCDATA = [1, 4];
const FUNCDATA = [0, 1, 2, 4];
const HEAD = 44, NONE = 0xffffffff;
// With --plain nothing walks a stack, and only recover looks up a function: the one in which execution continues.
const kept = process.argv.includes("--plain") ? resumed(wasm, new Signatures(wasm), found).recovering : undefined;
const held = new Set(), dropped = new Set(); // offsets of the data that funcdata refers to
let next = record(0); // offset of the next record; records become shorter
const last = record(count - 1);
clean.fill(0, next, last + HEAD + 4 * field(count - 1, 7) + 4 * memory[last + HEAD - 1]);
for (let i = 0; i < count; i++) {
  // The layout of _func: entryOff, nameOff, args, deferreturn, pcsp, pcfile, pcln, npcdata, cuOffset, startLine, funcID, flag, 0,
  // nfuncdata, then pcdata, then funcdata.
  const f = record(i), npcdata = field(i, 7), nfuncdata = memory[f + HEAD - 1];
  if (f < next) throw new Error("the records of functions are not in order");
  const pcdata = [], funcdata = [];
  for (let k = 0; k < npcdata; k++) pcdata.push(PCDATA.includes(k) && !kept ? keep(field(i, 11 + k)) : 0);
  for (let k = 0; k < nfuncdata; k++) {
    const offset = field(i, 11 + npcdata + k), holds = FUNCDATA.includes(k) && !kept;
    funcdata.push(holds ? offset : NONE);
    if (offset !== NONE) (holds ? held : dropped).add(offset);
  }
  if (kept && !kept.has(i)) {
    const entry = functions + 8 * i;
    clean.fill(0, i === 0 || kept.has(i - 1) ? entry + 4 : entry, entry + 8);
    continue;
  }
  while (pcdata.at(-1) === 0) pcdata.pop();
  while (funcdata.at(-1) === NONE) funcdata.pop();
  memory.copy(clean, next, f, f + HEAD);
  for (const k of [1, 5, 6, 8, 9]) clean.writeUInt32LE(0, next + 4 * k);
  clean.writeUInt32LE(kept ? 0 : keep(field(i, 4)), next + 4 * 4);
  clean.writeUInt32LE(pcdata.length, next + 4 * 7);
  clean[next + HEAD - 1] = funcdata.length;
  clean.writeUInt32LE(next - functions, functions + 8 * i + 4);
  next += HEAD;
  for (const value of [...pcdata, ...funcdata]) clean.writeUInt32LE(value, next), (next += 4);
}

// moduledata: the address of the table, six slices of it (names to functions, then its entries), the address of the index, twenty other
// words, and the start and end of the data that funcdata refers to. The index has a record for each bucket of addresses: the number of a
// function, and what to add for each sixteenth.
const pointer = Buffer.alloc(16);
pointer.writeBigUInt64LE(BigInt(table));
pointer.writeBigUInt64LE(BigInt(names), 8);
const data = memory.indexOf(pointer);
if (data < 0 || memory.indexOf(pointer, data + 1) >= 0) throw new Error("the table of the module's data is not found");
const index = Number(memory.readBigUInt64LE(data + 8 + 6 * 24));
const BUCKET = 256 * 16, RECORD = 20, ADDRESSES = 1 << 16;
for (let k = 0; k < ((count - 1) * ADDRESSES) / BUCKET; k++) { // for all functions except the last, whose record is a short one
  const bucket = index + k * RECORD;
  for (let j = 0; j < 16; j++) {
    const f = memory.readUInt32LE(bucket) + memory[bucket + 4 + j];
    if (f !== Math.floor((k * BUCKET) / ADDRESSES) || memory.readUInt32LE(functions + 8 * f) - memory.readUInt32LE(functions) !== f) throw new Error("the index of functions is not by their numbers");
  }
  clean.fill(0, bucket, bucket + RECORD);
}
const [named, endNamed] = [40, 41].map((k) => Number(memory.readBigUInt64LE(data + 8 * k)));
const offsets = [...held, ...dropped].sort((a, b) => a - b);
if (!(functions < named && named + offsets.at(-1) < endNamed && endNamed <= top)) throw new Error("what funcdata names is not found");
for (const [k, offset] of offsets.entries()) {
  if (!held.has(offset)) clean.fill(0, named + offset, named + (offsets[k + 1] ?? endNamed - named));
}
// Writes a single segment, because Go omits long runs of zeros, and moved data may lie in one.
const first = Math.min(...segments.map((s) => s.address));
const parts = [wasm.subarray(0, 8)];
for (const { id, start, end } of sections(wasm)) {
  if (id === 12) throw new Error("the number of data segments is stated");
  if (id !== 11) {
    parts.push(wasm.subarray(start, end));
    continue;
  }
  const head = Buffer.from([1, 0, 0x41, ...sleb(first), 0x0b, ...leb(top - first)]);
  parts.push(Buffer.from([id, ...leb(head.length + top - first)]), head, clean.subarray(first, top));
}
writeFileSync(to, Buffer.concat(parts));
