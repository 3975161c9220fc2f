// node dead.mjs reactor.wasm from.wasm to.wasm: empties functions that nothing can call once the runtime has started.
//
// The code that starts the runtime and initializes packages has run when the memory is taken, but the table of functions holds all of Go's
// functions, so no other tool can tell. In WebAssembly a function is entered in two ways:
//
// - by a call that names it;
// - by call_indirect, whose operand is a PC shifted to the right by 16 bits. Go computes no PC from that of another function, so it
//   has to be somewhere as a whole: as a constant in code, as a global, as a word of memory, or as the number of a method in a type.
//
// So every word of memory that could be a PC keeps its function alive, whatever it is (Go aligns them to 8 bytes), and so do the methods
// of all types. Not considered are: the table of functions, from which the runtime takes an entry of a function that is running; the list
// of functions that initialise packages, which `doInit1` alone reads; and the values of functions that Go's linker puts into one place,
// where nothing has their address.
//
// Dead functions have no record in the function table.
//
// The functions in `over` are never entered again, although the stack or other functions refer to them.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, sections } from "./binary.mjs";
import { read, signed } from "./code.mjs";
import { typesOf } from "./gotypes.mjs";
import { clear, functionTable, memoryOf, moduleData } from "./memory.mjs";

/** Functions that are never called again after the runtime has started. */
const over = new Map([
  ["runtime.rt0_go", "is at the bottom of the scheduler's stack, and traps if it continues"],
  ["runtime.main", "is at the bottom of the stack of all exports, and traps if it continues"],
  ["runtime.doInit1", "main alone initialises packages"],
  ["runtime.clearFree", "clears the garbage of the start"],
  ["runtime.clearFree.func1", "as clearFree"],
  ["runtime.newproc1", "the collection in clearFree has started the goroutines of the collector"],
  ["runtime.makechan", "what starts goroutines waits for them by channels"],
  ["runtime.chanrecv", "as makechan"],
  ["runtime.chansend", "as makechan"],
  ["runtime.closechan", "as makechan"],
  ["runtime.goexit1", "the goroutines of the runtime do not end"],
]);

/** Those of them that are called again if the module has no clearFree, because the first collection starts goroutines. */
const goroutines = ["newproc1", "makechan", "chanrecv", "chansend", "closechan", "goexit1"].map((name) => `runtime.${name}`);

const I32_CONST = 0x41, I64_CONST = 0x42;
const ENOUGH = 64; // the number of consecutive words that must be PCs to be recognized as function values
const NEAR = 16; // a constant is the start of a function or slightly above it; return addresses belong to the function that contains them
const other = (what) => new Error(`dead.mjs: ${what}. See docs/inside/upgrading-go.md, or build with NO_DEAD=1.`);

/** Returns the Go functions: their names, by number, and the number of the first. */
function functionsOf(memory) {
  const { table, count, name, functions } = functionTable(memory);
  return { table, names: Array.from({ length: count }, (_, i) => name(i)), first: memory.readUInt32LE(functions) };
}

const [reactor, from, to] = process.argv.slice(2);
const started = memoryOf(readFileSync(reactor)).memory;
const { table, names, first } = functionsOf(started);
const bounds = moduleData(started, table);
const { types, endTypes, endTable, tasks, links } = bounds;
const wasm = Buffer.from(readFileSync(from));
const { memory, segments, top } = memoryOf(wasm);

if (!names.includes("runtime.clearFree")) for (const name of goroutines) over.delete(name);

// The parts of the module.
let imports = 0;
const exported = [], globals = [], bodies = [], entries = new Map();
for (const { id, r } of sections(wasm)) {
  if (id === 2) imports = r.u32();
  else if (id === 6) {
    for (let n = r.u32(); n > 0; n--) {
      r.bytesOf(2);
      const op = r.byte();
      if (op !== I32_CONST && op !== I64_CONST) throw other("a global is no constant");
      globals.push(Number(signed(r)));
      r.byte();
    }
  } else if (id === 7) {
    for (let n = r.u32(); n > 0; n--) {
      r.bytesOf(r.u32());
      const kind = r.byte(), which = r.u32();
      if (kind === 0) exported.push(which);
    }
  } else if (id === 8) throw other("the module has a start");
  else if (id === 9) {
    for (let n = r.u32(); n > 0; n--) {
      if (r.u32() !== 0 || r.byte() !== I32_CONST) throw other("the table of functions is filled in another way");
      let at = r.u32();
      r.byte();
      for (let m = r.u32(); m > 0; m--) entries.set(at++, r.u32());
    }
  } else if (id === 10) {
    for (let n = r.u32(); n > 0; n--) {
      const length = r.u32();
      bodies.push([r.at, r.at + length]);
      r.at += length;
    }
  }
}
if (imports > 0) throw other("the module imports something");
const code = bodies.map(([start, end], i) => {
  const f = read(wasm, start, end);
  if (f.unknown) throw other(`function ${i} calls what is no PC`);
  return f;
});
for (let i = 0; i < names.length; i++) if (!entries.has(first + i)) throw other("a function is not in the table");
if (entries.size !== names.length) throw other("the table holds more than Go's functions");

/** Returns the function that a number could be a PC of. */
const functionOf = (pc) => entries.get(Math.floor(pc / 0x10000));

// Abandoned frames lie below the stack pointer, which is the first global. Another global points to the goroutine, which begins with the
// bounds of its stack. The code that resumes a function reads the 8 bytes below the stack pointer.
const stack = globals.slice(1).find((g) => g > 0 && g + 16 <= top && memory.readUInt32LE(g) < globals[0] && globals[0] <= memory.readUInt32LE(g + 8));
if (stack === undefined) throw other("the stack is not found");
const [low, high] = [memory.readUInt32LE(stack), globals[0] - 16];
clear(wasm, segments, low, high);
memory.fill(0, low, high);

// Finds the functions that memory refers to.
const tasked = new Set(); // words that only doInit1 reads
for (const task of tasks(memory)) {
  if (memory.readUInt32LE(task) !== 2) throw other("a package is not initialised");
  for (let n = memory.readUInt32LE(task + 4); n > 0; n--) tasked.add(task + 8 * n);
}
const live = new Set(); // live functions, by their index in the module
const words = new Set();
const pcs = []; // addresses of words that may be PCs
for (let at = 0; at + 8 <= memory.length; at += 8) {
  if (table <= at && at < endTable) continue;
  const word = memory.readUInt32LE(at);
  if (word === 0 || memory.readUInt32LE(at + 4) !== 0) continue;
  words.add(word);
  if (functionOf(word) !== undefined && !tasked.has(at)) pcs.push([at, word]);
}
const constants = new Set(code.flatMap((f) => [...f.constants]));
const { found, methods } = typesOf(memory, top, bounds, constants);
for (const type of found) for (const number of methods(type)) if (entries.has(number)) live.add(entries.get(number));
const tabled = new Set(); // words of method tables: the interface, the type, a hash, and the methods
for (let i = 0; i < links.tables.count; i++) {
  const at = memory.readUInt32LE(links.tables.at + 8 * i);
  const count = memory.readUInt32LE(memory.readUInt32LE(at) + 64); // number of the interface's methods
  for (let k = 0; k < count; k++) tabled.add(at + 24 + 8 * k);
}
const values = new Map(); // function values, which are called by address, with their functions
for (let i = 0; i < pcs.length; ) {
  let end = i + 1;
  while (end < pcs.length && pcs[end][0] === pcs[end - 1][0] + 8) end++;
  const row = pcs.slice(i, end);
  const lone = row.length >= ENOUGH && types <= row[0][0] && row.at(-1)[0] < endTypes && row.every(([, pc]) => pc % 0x10000 === 0);
  for (const [at, pc] of row) {
    if (lone && !tabled.has(at) && !words.has(at)) values.set(at, functionOf(pc));
    else live.add(functionOf(pc));
  }
  i = end;
}
for (const value of globals) if (functionOf(value) !== undefined) live.add(functionOf(value));
for (const f of exported) live.add(f);

const ended = new Set();
for (let i = 0; i < names.length; i++) if (over.has(names[i])) ended.add(entries.get(first + i));
for (let i = 0; i < names.length; i++) if (ended.has(entries.get(first + i)) && !over.has(names[i])) throw other(`${names[i]} shares its code with what is over`);
for (const f of ended) live.delete(f);
for (const f of live) { // it grows
  const { calls, constants } = code[f];
  const next = [...calls];
  for (const value of constants) next.push(value % 0x10000 < NEAR ? functionOf(value) : undefined, values.get(value));
  for (const g of next) if (g !== undefined && !ended.has(g)) live.add(g);
}

if (live.size === bodies.length) throw other("nothing is dead");
// Clears the records of dead functions. Functions that are over remain on the stacks that the collector reads, so they keep their records.
const { record, functions } = functionTable(memory);
const kept = new Set(), records = new Set();
for (let i = 0; i < names.length; i++) {
  if (record(i) === functions) continue; // lines.mjs --plain has dropped this record
  records.add(record(i));
  if (live.has(entries.get(first + i)) || over.has(names[i])) kept.add(record(i));
}
const places = [...records].sort((a, b) => a - b);
for (let i = 0; i + 1 < places.length; i++) if (!kept.has(places[i])) clear(wasm, segments, places[i], places[i + 1]);

const EMPTY = Buffer.from([3, 0, 0, 0x0b]); // the size of the body, no local variables, unreachable, end
const parts = [wasm.subarray(0, 8)];
for (const { id, start, end } of sections(wasm)) {
  if (id !== 10) {
    parts.push(wasm.subarray(start, end));
    continue;
  }
  const out = [leb(bodies.length)];
  for (const [i, [from, to]] of bodies.entries()) {
    if (live.has(i)) out.push(leb(to - from), wasm.subarray(from, to));
    else out.push(EMPTY);
  }
  const code = Buffer.concat(out);
  parts.push(Buffer.from([id]), leb(code.length), code);
}
writeFileSync(to, Buffer.concat(parts));
