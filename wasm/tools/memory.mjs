// The memory that a module of Go begins with, and the table of functions in it: runtime/symtab.go and internal/abi/symtab.go, Go 1.26.
import { sections } from "./binary.mjs";

/** The memory, its end, and the segments it comes from: where they go in memory, and where they are in the file. */
export function memoryOf(wasm) {
  const segments = [];
  for (const { id, r } of sections(wasm)) {
    if (id !== 11) continue;
    for (let count = r.u32(); count > 0; count--) {
      const kind = r.u32();
      if (kind === 1 && wasm[r.at] === 0) {
        r.at++; // passive and empty: what starts the runtime leaves such ones
        continue;
      }
      if (kind !== 0 || r.byte() !== 0x41) throw new Error("a data segment is neither active nor empty");
      const address = r.u32(); // not negative: Go's data is in the first 2 GiB
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

/** Clears bytes of the memory, from start to end, where the file has them. */
export function clear(wasm, segments, start, end) {
  for (const s of segments) {
    const [first, last] = [Math.max(start, s.address), Math.min(end, s.address + s.length)];
    if (first < last) wasm.fill(0, s.at + first - s.address, s.at + last - s.address);
  }
}

/** The table of functions: where it and its parts are, the number of its entries, and their contents. */
export function functionTable(memory) {
  // pcHeader: magic, two zeros, the quantum of instructions, the size of a pointer.
  const magic = Buffer.from([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]);
  const table = memory.indexOf(magic);
  if (table < 0 || memory.indexOf(magic, table + 1) >= 0) throw new Error("this Go lays out its function table in another way: see docs/inside/upgrading-go.md");
  const header = (k) => Number(memory.readBigUInt64LE(table + 8 + 8 * k));
  const count = header(0);
  const [names, units, , values, functions] = [3, 4, 5, 6, 7].map((k) => table + header(k));
  if (!(table < names && names < units && units < values && values < functions && functions < memory.length)) throw new Error("the function table is broken");
  /** The address of function i's record, and one of its fields of 32 bits. */
  const record = (i) => functions + memory.readUInt32LE(functions + 8 * i + 4);
  const field = (i, k) => memory.readUInt32LE(record(i) + 4 * k);
  /** The address within function i at which deferred functions run; 0 where there are none. */
  const deferred = (i) => field(i, 3);
  /** The name of function i. */
  const name = (i) => memory.toString("latin1", names + field(i, 1), memory.indexOf(0, names + field(i, 1)));
  return { table, count, name, names, values, functions, record, field, deferred };
}

/**
 * What moduledata says of a module whose function table is at `table`: where types begin and end, where the function table and what it
 * names ends, where the lists of types (32 bits each) and of tables of methods (64 bits) are, and, in a memory, where the tasks that initialise packages are: 32 bits that are 2 when it is done, the number of functions,
 * and the functions.
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
