// Reads the code of a module built by Go, function by function and instruction by instruction.
import { immediates, Reader, sections } from "./binary.mjs";

/**
 * Returns the instructions of a function's body, each with its opcode and the offsets of the instruction, of its immediates and of the next
 * instruction.
 */
export function instructions(body) {
  const r = new Reader(body);
  for (let n = r.u32(); n > 0; n--) r.skip(), r.at++; // local declarations
  const found = [];
  while (r.at < body.length) {
    const start = r.at;
    const op = body[r.at++];
    const at = r.at;
    immediates(r, op);
    found.push({ op, start, at, end: r.at });
  }
  return found;
}

/** Calls `each` with the body of every function and the function's number. */
export function code(wasm, each) {
  for (const { id, r } of sections(wasm)) {
    if (id !== 10) continue;
    const n = r.u32();
    for (let i = 0; i < n; i++) each(r.bytesOf(r.u32()), i);
  }
}
