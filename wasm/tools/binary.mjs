// What the tools beside this file need of the binary format of modules.

/** Reads bytes; numbers are LEB128, unsigned, or signed and not negative. */
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

/** The sections of a module; each reader stands at the beginning of a section's content. */
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

/** A number of 32 bits as signed LEB128. */
export function sleb(n) {
  const out = [];
  for (;;) {
    const b = n & 0x7f;
    n >>= 7;
    if ((n === 0 && !(b & 0x40)) || (n === -1 && b & 0x40)) return out.push(b), Buffer.from(out);
    out.push(b | 0x80);
  }
}
