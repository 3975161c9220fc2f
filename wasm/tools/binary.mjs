// The parts of the WebAssembly binary format that the other tools share.

/** Reads bytes. Numbers are LEB128: either unsigned, or signed but not negative. */
export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  u32() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const b = this.byte();
      value += (b & 0x7f) * 2 ** shift;
      if (b < 0x80) return value;
    }
  }
  bytesOf(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  skip() {
    while (this.byte() >= 0x80);
  }
}

/** Yields the sections of a module, each with a reader at the start of its content. */
export function* sections(wasm) {
  for (let at = 8; at < wasm.length; ) {
    const r = new Reader(wasm, at);
    const id = r.byte();
    const size = r.u32();
    const end = r.at + size;
    yield { id, start: at, end, r };
    at = end;
  }
}

export function leb(n) {
  const out = [];
  for (; n >= 0x80; n = Math.floor(n / 128)) out.push((n & 0x7f) | 0x80);
  out.push(n);
  return Buffer.from(out);
}

/** Encodes a 32-bit number as signed LEB128. */
export function sleb(n) {
  const out = [];
  for (;;) {
    const b = n & 0x7f;
    n >>= 7;
    if ((n === 0 && !(b & 0x40)) || (n === -1 && b & 0x40)) return out.push(b), Buffer.from(out);
    out.push(b | 0x80);
  }
}

const BLOCK = 0x02, LOOP = 0x03, IF = 0x04, BR = 0x0c, BR_IF = 0x0d, BR_TABLE = 0x0e, CALL = 0x10, CALL_INDIRECT = 0x11, I32_CONST = 0x41;

/** Skips the immediates of an instruction whose opcode has been read. */
export function immediates(r, op) {
  if (op === BLOCK || op === LOOP || op === IF || op === BR || op === BR_IF || op === CALL) r.skip();
  else if (op === BR_TABLE) for (let n = r.u32() + 1; n > 0; n--) r.skip();
  else if (op === CALL_INDIRECT) r.skip(), r.skip();
  else if (op >= 0x20 && op <= 0x26) r.skip();
  else if (op >= 0x28 && op <= 0x3e) r.skip(), r.skip();
  else if (op === 0x3f || op === 0x40) r.skip();
  else if (op === I32_CONST || op === 0x42) r.skip();
  else if (op === 0x43) r.at += 4;
  else if (op === 0x44) r.at += 8;
  else if (op === 0xfc) {
    const sub = r.u32();
    if (sub === 8 || sub === 10) r.skip(), r.skip();
    else if (sub === 9 || sub === 11) r.skip();
    else if (sub > 7) throw new Error(`there is no immediate known for 0xfc ${sub}`);
  } else if (op > 0xc4 || op === 0x06 || op === 0x07 || op === 0x08 || op === 0x09 || op === 0x1c) {
    throw new Error(`there is no immediate known for 0x${op.toString(16)}`);
  }
}
