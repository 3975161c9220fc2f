// node segments.mjs from.wasm to.wasm: merges the data of a module into few segments.
//
// Go writes tens of thousands of segments, split at the runs of zeros between them. The tool that starts the runtime keeps them, empty, and
// adds its own. Each segment costs bytes, and time when an engine instantiates the module.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, sections, sleb } from "./binary.mjs";

/** Shorter runs of zeros do not end a segment. */
const GAP = 512;

const [from, to] = process.argv.slice(2);
const wasm = readFileSync(from);

const parts = [wasm.subarray(0, 8)];
for (const { id, start, end, r } of sections(wasm)) {
  if (id === 12) {
    // Drops the data count section, which only instructions that refer to a segment by its number need; with it they would be invalid.
  } else if (id === 11) {
    const segments = [];
    for (let count = r.u32(); count > 0; count--) {
      const kind = r.u32();
      if (kind === 1 && wasm[r.at] === 0) {
        r.at++; // a passive, empty segment
        continue;
      }
      if (kind !== 0 || r.byte() !== 0x41) throw new Error("a data segment is neither active nor empty");
      const address = r.u32();
      if (r.byte() !== 0x0b) throw new Error("the address of a data segment is no constant");
      const length = r.u32();
      segments.push({ address, bytes: wasm.subarray(r.at, r.at + length) });
      r.at += length;
    }
    const memory = Buffer.alloc(Math.max(...segments.map((s) => s.address + s.bytes.length)));
    for (const s of segments) s.bytes.copy(memory, s.address);
    const out = [];
    for (let i = 0; ; ) {
      while (i < memory.length && memory[i] === 0) i++;
      if (i === memory.length) break;
      const first = i;
      let last = i;
      for (; i < memory.length && i - last <= GAP; i++) if (memory[i] !== 0) last = i;
      out.push(Buffer.from([0, 0x41, ...sleb(first), 0x0b, ...leb(last + 1 - first)]), memory.subarray(first, last + 1));
      i = last + 1;
    }
    const data = Buffer.concat([Buffer.from(leb(out.length / 2)), ...out]);
    parts.push(Buffer.from([id, ...leb(data.length)]), data);
  } else {
    parts.push(wasm.subarray(start, end));
  }
}
writeFileSync(to, Buffer.concat(parts));
