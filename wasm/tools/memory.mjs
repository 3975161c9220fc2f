// The initial memory of a Go module, and its function table: runtime/symtab.go and internal/abi/symtab.go, Go 1.26.
import { sections } from "./binary.mjs";

/** Returns the memory, its end, and its segments with their offsets in memory and in the file. */
export function memoryOf(wasm) {
  const segments = [];
  for (const { id, r } of sections(wasm)) {
    if (id !== 11) continue;
    for (let count = r.u32(); count > 0; count--) {
      const kind = r.u32();
      if (kind === 1 && wasm[r.at] === 0) {
        r.at++; // a passive, empty segment, as left by the tool that starts the runtime
        continue;
      }
      if (kind !== 0 || r.byte() !== 0x41) throw new Error("a data segment is neither active nor empty");
      const address = r.u32(); // not negative, because Go's data is in the first 2 GiB
      if (r.byte() !== 0x0b) throw new Error("the address of a data segment is no constant");
      const length = r.u32();
      segments.push({ address, length, at: r.at });
      r.at += length;
    }
  }
  const top = Math.max(...segments.map((s) => s.address + s.length));
  const memory = Buffer.alloc(top + 8);
  for (const s of segments) wasm.copy(memory, s.address, s.at, s.at + s.length);
  return { memory, segments, top };
}

/** Clears the bytes of the memory from start to end, and the same bytes in the file's segments. */
export function clear(wasm, segments, start, end) {
  for (const s of segments) {
    const [first, last] = [Math.max(start, s.address), Math.min(end, s.address + s.length)];
    if (first < last) wasm.fill(0, s.at + first - s.address, s.at + last - s.address);
  }
}

/** Returns the function table: its offset and those of its parts, the number of entries, and functions that read them. */
export function functionTable(memory) {
  // The header of the table: magic number, two zeros, the instruction quantum, the pointer size.
  const magic = Buffer.from([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]);
  const table = memory.indexOf(magic);
  if (table < 0 || memory.indexOf(magic, table + 1) >= 0) throw new Error("this Go lays out its function table in another way: see docs/inside/upgrading-go.md");
  const header = (k) => Number(memory.readBigUInt64LE(table + 8 + 8 * k));
  const count = header(0);
  const [names, units, , values, functions] = [3, 4, 5, 6, 7].map((k) => table + header(k));
  if (!(table < names && names < units && units < values && values < functions && functions < memory.length)) throw new Error("the function table is broken");
  /** Returns the address of function i's record. */
  const record = (i) => functions + memory.readUInt32LE(functions + 8 * i + 4);
  const field = (i, k) => memory.readUInt32LE(record(i) + 4 * k);
  /** Returns the address within function i at which deferred functions run, or 0 if it has none. */
  const deferred = (i) => field(i, 3);
  /** Returns the name of function i. */
  const name = (i) => memory.toString("latin1", names + field(i, 1), memory.indexOf(0, names + field(i, 1)));
  return { table, count, name, names, values, functions, record, field, deferred };
}

/**
 * Reads moduledata for the function table at `table`. Returns where types begin and end; where the function table and its data end; where
 * the lists of types (32 bits each) and of method tables (64 bits each) are; and a function that finds the initialization tasks of packages
 * in a memory. A task consists of a 32-bit state, which is 2 when it is done, the number of functions, and the functions.
 */
export function moduleData(memory, table) {
  const pointer = Buffer.alloc(16);
  pointer.writeBigUInt64LE(BigInt(table));
  pointer.writeBigUInt64LE(BigInt(functionTable(memory).names), 8);
  const data = memory.indexOf(pointer);
  if (data < 0 || memory.indexOf(pointer, data + 1) >= 0) throw new Error("the table of the module's data is not found");
  const field = (memory, k) => Number(memory.readBigUInt64LE(data + 8 * k));
  const [types, endTypes, endTable] = [37, 38, 41].map((k) => field(memory, k));
  if (!(types < endTypes && endTypes <= table && table < endTable)) throw new Error("the module's data is laid out in another way: see docs/inside/upgrading-go.md");
  const tasks = (memory) => Array.from({ length: field(memory, 60) }, (_, i) => Number(memory.readBigUInt64LE(field(memory, 59) + 8 * i)));
  const list = (k) => ({ at: field(memory, k), count: field(memory, k + 1) });
  return { data, types, endTypes, endTable, tasks, links: { types: list(45), tables: list(48) } };
}
