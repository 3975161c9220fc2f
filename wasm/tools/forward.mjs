// node forward.mjs from.wasm to.wasm: makes jumps forward of Go's functions direct.
//
// Go compiles each function to a loop around nested blocks, and every jump to "set a variable, branch to the loop", where a
// br_table takes the variable apart. A jump to a block further down can leave that block instead: code_k begins where block_k
// ends. That is shorter, and engines then see the control flow as it is. Jumps backward stay as they are.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, Reader, sections } from "./binary.mjs";

const [from, to] = process.argv.slice(2);
const source = readFileSync(from);

const BLOCK = 0x02, LOOP = 0x03, IF = 0x04, END = 0x0b, BR = 0x0c, BR_IF = 0x0d, BR_TABLE = 0x0e, LOCAL_GET = 0x20, LOCAL_SET = 0x21, I32_CONST = 0x41;
const VOID = 0x40;

/** Moves a reader over the immediates of an instruction whose opcode was read. */
function immediates(r, op) {
  if (op === BLOCK || op === LOOP || op === IF || op === BR || op === BR_IF || op === 0x10) r.skip();
  else if (op === BR_TABLE) for (let n = r.u32() + 1; n > 0; n--) r.skip();
  else if (op === 0x11) r.skip(), r.skip();
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

let direct = 0;

/** Rewrites the body of a function, or returns undefined where it has no loop of blocks. */
function rewrite(body) {
  const r = new Reader(body);
  for (let n = r.u32(); n > 0; n--) r.skip(), r.at++; // local declarations
  const out = [body.subarray(0, r.at)];
  let copied = r.at;
  const replace = (start, end, bytes) => {
    out.push(body.subarray(copied, start), bytes);
    copied = end;
    direct++;
  };
  let depth = 0; // of labels, the function's own not counted
  let loop; // of the dispatch: { depth, blocks, table, variable, ended }
  while (r.at < body.length) {
    const start = r.at;
    const op = body[r.at++];
    if (op === LOOP && !loop && body[r.at] === VOID) {
      const look = new Reader(body, r.at + 1);
      let blocks = 0;
      for (; body[look.at] === BLOCK && body[look.at + 1] === VOID; look.at += 2) blocks++;
      if (blocks > 0 && body[look.at++] === LOCAL_GET) {
        const variable = look.u32();
        if (body[look.at++] === BR_TABLE) {
          const table = [];
          for (let n = look.u32() + 1; n > 0; n--) table.push(look.u32());
          depth += 1 + blocks;
          loop = { depth, blocks, table, variable, ended: 0 };
          r.at = look.at;
          continue;
        }
      }
    }
    if (op === BLOCK || op === LOOP || op === IF) depth++;
    else if (op === END) {
      depth--;
      if (loop && depth === loop.depth - loop.ended - 1 && loop.ended < loop.blocks) loop.ended++;
    }
    const conditional = op === IF && body[r.at] === VOID;
    immediates(r, op);
    if (!loop || loop.ended === 0) continue;
    // i32.const K, local.set variable, br to the loop; for the conditional one, an if around it.
    const jump = new Reader(body, conditional ? r.at : start);
    if (body[jump.at++] !== I32_CONST) continue;
    const k = jump.u32();
    if (body[jump.at++] !== LOCAL_SET || jump.u32() !== loop.variable || body[jump.at++] !== BR) continue;
    const label = jump.u32();
    const inner = depth - (loop.depth - loop.ended); // labels that the code of this block has opened
    if (label !== inner + loop.blocks - loop.ended) continue; // not the loop's
    const target = loop.table[Math.min(k, loop.table.length - 1)];
    if (target < loop.ended || target >= loop.blocks) continue; // backward
    const to = inner + target - loop.ended;
    if (conditional) {
      if (body[jump.at] !== END) continue;
      replace(start, jump.at + 1, Buffer.concat([Buffer.from([BR_IF]), leb(to - 1)]));
      depth--; // the if and its end are gone
      r.at = jump.at + 1;
    } else {
      replace(start, jump.at, Buffer.concat([Buffer.from([BR]), leb(to)]));
      r.at = jump.at;
    }
  }
  out.push(body.subarray(copied));
  return Buffer.concat(out);
}

const parts = [source.subarray(0, 8)];
for (const { id, start, end, r } of sections(source)) {
  if (id === 10) {
    const count = r.u32();
    const bodies = [leb(count)];
    for (let i = 0; i < count; i++) {
      const length = r.u32();
      const body = rewrite(source.subarray(r.at, r.at + length));
      bodies.push(leb(body.length), body);
      r.at += length;
    }
    const code = Buffer.concat(bodies);
    parts.push(Buffer.from([id]), leb(code.length), code);
  } else {
    parts.push(source.subarray(start, end));
  }
}
if (direct === 0) throw new Error("this Go compiles jumps in another way");
writeFileSync(to, Buffer.concat(parts));
