// The memory that a module of Go begins with, and the table of functions in it: runtime/symtab.go and internal/abi/symtab.go, Go 1.26.
import { sections } from "./binary.mjs";

/** The memory, its end, and the segments it comes from: where they go in memory, and where they stand in the file. */
export function memoryOf(wasm) {
  const segments = [];
  for (const { id, r } of sections(wasm)) {
    if (id !== 11) continue;
    for (let count = r.u32(); count > 0; count--) {
      if (r.u32() !== 0 || r.byte() !== 0x41) throw new Error("a data segment is not active");
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

/** The table of functions: where it and its parts stand, the number of its entries, and what they say. */
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
  return { table, count, names, values, functions, record, field, deferred };
}
