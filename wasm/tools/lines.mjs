// node lines.mjs [--keep-index] from.wasm to.wasm: takes names, line numbers and the index of functions out of a module that Go has built.
//
// Go's runtime keeps them for stack traces, which nobody sees here: a panic is answered by the code internal, and output is
// dropped. They are a tenth of the packed module. What the collector and the unwinder need (stack sizes, stack maps, inlining)
// stays, closer together, and once where several functions have the same. The index leads from an address to a function;
// build.sh builds a runtime that does without, since in WebAssembly the address begins with the function's number. It would be a
// megabyte of each instance. The layout is that of runtime/symtab.go and internal/abi/symtab.go, Go 1.26; another one is an error.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, sections, sleb } from "./binary.mjs";
import { functionTable, memoryOf } from "./memory.mjs";

const keepIndex = process.argv[2] === "--keep-index";
const [from, to] = process.argv.slice(keepIndex ? 3 : 2);
const wasm = readFileSync(from);

const { memory, segments, top } = memoryOf(wasm);
const { table, count, names, values, functions, record, field } = functionTable(memory);
if (functions >= top) throw new Error("the function table is broken");

const clean = Buffer.from(memory);
clean.fill(0, names, functions); // names of functions, compile units, names of files, and tables, of which some come back
let end = 1; // of the tables that are kept; 0 is none
const moved = new Map(); // where a table begins now, by where it began, and by its bytes
/** Keeps a table and returns where it begins now: they stand close together, since each page that is not empty costs an instance time. */
const keep = (offset) => {
  if (offset === 0 || moved.has(offset)) return moved.get(offset) ?? 0;
  // Pairs of varints, up to a value delta of 0 that is not the first.
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
for (let i = 0; i < count; i++) {
  // _func: entryOff, nameOff, args, deferreturn, pcsp, pcfile, pcln, npcdata, cuOffset, startLine, four bytes, then pcdata.
  const f = record(i);
  for (const k of [1, 5, 6, 8, 9]) clean.writeUInt32LE(0, f + 4 * k);
  clean.writeUInt32LE(keep(field(i, 4)), f + 4 * 4);
  for (let k = 11; k < 11 + field(i, 7); k++) clean.writeUInt32LE(keep(field(i, k)), f + 4 * k);
}

// moduledata: the address of the table, six slices of it (names to functions, then its entries), the address of the index. The
// index has a record for each bucket of addresses: the number of a function, and what to add for each sixteenth.
const pointer = Buffer.alloc(16);
pointer.writeBigUInt64LE(BigInt(table));
pointer.writeBigUInt64LE(BigInt(names), 8);
const data = memory.indexOf(pointer);
if (data < 0 || memory.indexOf(pointer, data + 1) >= 0) throw new Error("the table of the module's data is not found");
const index = Number(memory.readBigUInt64LE(data + 8 + 6 * 24));
const BUCKET = 256 * 16, RECORD = 20, ADDRESSES = 1 << 16;
for (let k = 0; !keepIndex && k < ((count - 1) * ADDRESSES) / BUCKET; k++) { // of all functions but the last, whose record is a short one
  const bucket = index + k * RECORD;
  for (let j = 0; j < 16; j++) {
    const f = memory.readUInt32LE(bucket) + memory[bucket + 4 + j];
    if (f !== Math.floor((k * BUCKET) / ADDRESSES) || memory.readUInt32LE(functions + 8 * f) - memory.readUInt32LE(functions) !== f) throw new Error("the index of functions is not by their numbers");
  }
  clean.fill(0, bucket, bucket + RECORD);
}
// One segment, for what has moved may stand where there was none: Go leaves out long runs of zeros.
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
