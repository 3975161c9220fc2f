// Finds the calls and the constants of a function in a linked module.
import { immediates, Reader } from "./binary.mjs";

const CALL = 0x10, CALL_INDIRECT = 0x11, LOCAL_GET = 0x20, LOCAL_SET = 0x21, LOCAL_TEE = 0x22, I32_LOAD = 0x28, I32_CONST = 0x41, I64_CONST = 0x42, I64_SHR_U = 0x88, I32_WRAP = 0xa7;
/** Reads a signed LEB128 number of up to 64 bits. */
export function signed(r) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const b = r.byte();
    value |= BigInt(b & 0x7f) << shift;
    if (b < 0x80) return b & 0x40 ? value - (1n << (shift + 7n)) : value;
  }
}

/** Returns the calls and the constants of a function, and whether it makes indirect calls by values that are not the upper half of a PC. */
export function read(wasm, start, end) {
  const r = new Reader(wasm, start);
  for (let n = r.u32(); n > 0; n--) r.skip(), r.at++; // local declarations
  const calls = new Set(), constants = new Set();
  let unknown = false;
  const upper = new Set(); // variables that hold the upper half of a PC
  const before = Array(6).fill([]); // the last instructions, each as its opcode and last immediate
  while (r.at < end) {
    const op = r.byte();
    const at = r.at;
    let value = 0;
    if (op === I32_CONST || op === I64_CONST) {
      value = Number(signed(r));
      constants.add(value);
    } else {
      immediates(r, op);
      if (op === CALL) calls.add(new Reader(wasm, at).u32());
      else if (op === I32_LOAD) value = new Reader(wasm, at + 1).u32(); // the offset; the alignment is one byte
      else if (op === LOCAL_GET || op === LOCAL_SET || op === LOCAL_TEE) value = new Reader(wasm, at).u32();
      else if (op === CALL_INDIRECT) {
        const [a, b, c, set, , last] = before;
        const shifted = a[0] === I64_CONST && a[1] === 16 && b[0] === I64_SHR_U && c[0] === I32_WRAP && set[0] === LOCAL_SET && last[0] === LOCAL_GET && set[1] === last[1];
        const loaded = last[0] === I32_LOAD && last[1] === 2; // loads the upper half of a 64-bit PC, whose lowest 16 bits are the block
        const kept = last[0] === LOCAL_GET && upper.has(last[1]);
        if (!shifted && !loaded && !kept) unknown = true;
      }
      if (op === LOCAL_TEE && before[5][0] === I32_LOAD && before[5][1] === 2) upper.add(value);
    }
    before.push([op, value]);
    before.shift();
  }
  return { calls, constants, unknown };
}
