// node jumps.mjs [--plain] from.wasm to.wasm: makes the jumps of Go's functions direct. With --plain it also removes the code that resumes
// them (plain.mjs).
//
// Go compiles each function to a loop around nested blocks, and every jump to "set a variable, branch to the loop", where a br_table
// selects the block: so an engine sees one loop with a table instead of the loops of the source. In the result a forward jump leaves a
// block instead, and loops without calls become WebAssembly loops. The table stays for jumps backward over calls, and for resume points,
// where the runtime continues in the middle of a function (after a call) when it has moved the stack. The tool checks that each call, and
// each call that runs deferred functions, is resumed where it says (calls.mjs).
import { readFileSync, writeFileSync } from "node:fs";
import { immediates, leb, Reader, sections, sleb } from "./binary.mjs";
import { Calls, Signatures, unknown } from "./calls.mjs";
import { functionTable, memoryOf } from "./memory.mjs";
import { Plain } from "./plain.mjs";

const UNREACHABLE = 0x00, BLOCK = 0x02, LOOP = 0x03, IF = 0x04, END = 0x0b, BR = 0x0c, BR_IF = 0x0d, BR_TABLE = 0x0e, RETURN = 0x0f;
const CALL = 0x10, CALL_INDIRECT = 0x11, LOCAL_GET = 0x20, LOCAL_SET = 0x21, I32_CONST = 0x41, I64_CONST = 0x42;
const VOID = 0x40;

/**
 * Splits a function into the code before the loop and pieces, each of which begins at the end of a block. The items of a piece are code ({
 * bytes, opens }, where `opens` is the number of labels that it opens minus those that it closes), jumps to a piece ({ to, conditional }),
 * and branches to a label around the loop ({ op, out }). Returns undefined if there is no such loop.
 */
function parse(body, index, plainly = false) {
  const calls = plainly ? undefined : new Calls(signatures, index);
  const r = new Reader(body);
  for (let n = r.u32(); n > 0; n--) r.skip(), r.at++; // local declarations
  let depth = 0;
  for (;;) {
    if (r.at >= body.length) return undefined;
    const start = r.at;
    const op = body[r.at++];
    if (op === LOOP && body[r.at] === VOID) {
      const look = new Reader(body, r.at + 1);
      let blocks = 0;
      for (; body[look.at] === BLOCK && body[look.at + 1] === VOID; look.at += 2) blocks++;
      if (blocks > 0 && body[look.at++] === LOCAL_GET) {
        const variable = look.u32();
        if (body[look.at++] === BR_TABLE) {
          const table = [];
          for (let n = look.u32() + 1; n > 0; n--) table.push(look.u32());
          if (body[look.at++] !== END) throw unknown(index, "there is code after the jump table");
          const f = { head: body.subarray(0, start), variable, table, pieces: [], index, returns: new Set([0]) };
          if (!signatures.ofGo(index)) throw unknown(index, "a table of jumps in what is no function of Go");
          f.tail = pieces(body, look.at, blocks, f, calls);
          return f;
        }
      }
    }
    if (op === BLOCK || op === LOOP || op === IF) depth++;
    else if (op === END) depth--;
    const at = r.at;
    immediates(r, op);
    if (op === I64_CONST) calls?.address(body, at);
    if (!calls || (op !== CALL && op !== CALL_INDIRECT)) continue;
    // A function without a table restarts from its beginning when it is resumed, as it must if its stack was too small.
    const resumed = calls.call(body, op, at, r.at);
    if (resumed && body[resumed.end] !== END) throw unknown(index, "a call may be resumed, but there is no table of jumps");
  }
}

/** Reads the pieces of a function, and returns the code after the loop. */
function pieces(body, at, blocks, f, calls) {
  const r = new Reader(body, at);
  for (let i = 0; i < blocks; i++) {
    const piece = { index: i, items: [], calls: false, falls: true };
    f.pieces.push(piece);
    let inner = 0; // the number of labels that the piece has opened
    let copied = r.at;
    let at = 0; // the value of inner at `copied`
    const cut = (end, item) => {
      if (end > copied) piece.items.push({ bytes: body.subarray(copied, end), opens: inner - at });
      if (item) piece.items.push(item);
      copied = r.at;
      at = inner;
    };
    const around = blocks - 1 - i; // the number of blocks that are still open
    for (;;) {
      const start = r.at;
      const op = body[r.at++];
      if (op === END && inner === 0) {
        cut(start);
        break; // the end of the enclosing block, or of the loop
      }
      if (inner === 0) piece.falls = true;
      const conditional = op === IF && body[r.at] === VOID;
      const jump = jumpAt(body, conditional ? r.at + 1 : start, f.variable);
      if (jump && jump.label === inner + around + (conditional ? 1 : 0) && (!conditional || body[jump.end] === END)) {
        r.at = jump.end + (conditional ? 1 : 0);
        const to = f.table[Math.min(jump.k, f.table.length - 1)];
        if (to >= blocks) throw unknown(f.index, "a jump leaves the blocks");
        cut(start, { to, conditional });
        if (inner === 0 && !conditional) piece.falls = false;
        continue;
      }
      if (op === BLOCK || op === LOOP || op === IF) inner++;
      else if (op === END) inner--;
      else if (calls && (op === CALL || op === CALL_INDIRECT)) {
        piece.calls = true;
        const at = r.at;
        immediates(r, op);
        const resumed = calls.call(body, op, at, r.at);
        if (!resumed) continue;
        // The next piece begins after the call, where the function is resumed. Inside an if, it is resumed at the beginning of the piece.
        const behind = inner === 0 ? i + 1 : i;
        if (f.table[resumed.k] !== behind) throw unknown(f.index, `a call of block ${i} is resumed in block ${f.table[resumed.k]}`);
        if (body[resumed.end] !== END) throw unknown(f.index, "there is code after a call");
        if (resumed.label !== inner + around + 1) throw unknown(f.index, "a call does not unwind the function");
        continue;
      } else if (calls && op === I64_CONST) {
        const k = calls.address(body, r.at);
        if (k !== undefined) f.returns.add(f.table[k]);
      } else if (op === BR || op === BR_IF) {
        const label = new Reader(body, r.at).u32();
        if (label >= inner) {
          if (label <= inner + around) throw unknown(f.index, "a branch to a block, which is no jump");
          r.skip();
          cut(start, { op, out: label - inner - around - 1 });
          if (inner === 0 && op === BR) piece.falls = false;
          continue;
        }
      } else if (op === BR_TABLE) throw unknown(f.index, "a second table of jumps");
      else if (inner === 0 && (op === RETURN || op === UNREACHABLE)) piece.falls = false;
      immediates(r, op);
    }
  }
  return body.subarray(r.at);
}

/** Reads i32.const k, local.set variable, br label. */
function jumpAt(body, at, variable) {
  const r = new Reader(body, at);
  if (body[r.at++] !== I32_CONST) return undefined;
  const k = r.u32();
  if (body[r.at++] !== LOCAL_SET || r.u32() !== variable || body[r.at++] !== BR) return undefined;
  const label = r.u32();
  return { k, label, end: r.at };
}

/**
 * Returns the strongly connected components of some pieces, each as an array, in topological order. `next` returns the successors of a
 * piece.
 */
function components(nodes, next) {
  const number = new Map();
  const low = new Map();
  const open = [];
  const isOpen = new Set();
  const found = [];
  const within = new Set(nodes);
  for (const root of nodes) {
    if (number.has(root)) continue;
    const stack = [];
    const enter = (n) => {
      number.set(n, number.size);
      low.set(n, number.get(n));
      open.push(n);
      isOpen.add(n);
      stack.push({ n, edges: next(n).filter((m) => within.has(m)), at: 0 });
    };
    enter(root);
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top.at < top.edges.length) {
        const m = top.edges[top.at++];
        if (!number.has(m)) enter(m);
        else if (isOpen.has(m)) low.set(top.n, Math.min(low.get(top.n), number.get(m)));
        continue;
      }
      stack.pop();
      if (stack.length > 0) {
        const up = stack[stack.length - 1].n;
        low.set(up, Math.min(low.get(up), low.get(top.n)));
      }
      if (low.get(top.n) === number.get(top.n)) {
        const component = [];
        for (let m; m !== top.n; ) {
          m = open.pop();
          isOpen.delete(m);
          component.push(m);
        }
        found.push(component.sort((a, b) => a - b));
      }
    }
  }
  return found.reverse();
}

/**
 * Returns the loop that some pieces form: { head, items }, where the items are pieces or loops, ordered so that only jumps to heads go
 * backward. Returns undefined if the pieces contain calls or are entered at more than one place.
 */
function loopOf(f, nodes, before) {
  const within = new Set(nodes);
  if (nodes.some((n) => f.pieces[n].calls)) return undefined;
  const entries = nodes.filter((n) => f.resumed.has(n) || before[n].some((m) => !within.has(m)));
  if (entries.length !== 1) return undefined;
  const head = entries[0];
  const next = (n) => f.next[n].filter((m) => m !== head);
  const items = [];
  for (const part of components(nodes, next)) {
    if (part.length === 1 && !next(part[0]).includes(part[0])) {
      items.push(part[0]);
      continue;
    }
    const inner = loopOf(f, part, before);
    if (!inner) return undefined;
    items.push(inner);
  }
  return { head, items: inOrder(f, items, head, next) };
}

const headOf = (item) => (typeof item === "number" ? item : item.head);
const piecesOf = (item) => (typeof item === "number" ? [item] : item.items.flatMap(piecesOf));

/** Orders acyclic pieces so that jumps go forward and, where possible, each piece precedes the one that it falls into. */
function inOrder(f, items, head, next) {
  const owner = new Map();
  for (const item of items) for (const n of piecesOf(item)) owner.set(n, item);
  const waits = new Map(items.map((item) => [item, 0]));
  const after = new Map();
  for (const item of items) {
    const set = new Set();
    for (const n of piecesOf(item)) for (const m of next(n)) if (owner.has(m) && owner.get(m) !== item) set.add(owner.get(m));
    after.set(item, set);
    for (const m of set) waits.set(m, waits.get(m) + 1);
  }
  const ready = items.filter((item) => waits.get(item) === 0);
  const out = [];
  let last;
  while (ready.length > 0) {
    let pick = ready.findIndex((item) => headOf(item) === head);
    if (pick < 0 && last !== undefined) pick = ready.findIndex((item) => headOf(item) === last + 1 && f.pieces[last].falls);
    if (pick < 0) pick = ready.reduce((best, item, i) => (headOf(item) < headOf(ready[best]) ? i : best), 0);
    const [item] = ready.splice(pick, 1);
    out.push(item);
    last = typeof item === "number" ? item : undefined;
    for (const m of after.get(item)) {
      waits.set(m, waits.get(m) - 1);
      if (waits.get(m) === 0) ready.push(m);
    }
  }
  if (out.length !== items.length || headOf(out[0]) !== head) throw new Error("a loop without an order");
  return out;
}

/** Finds the outermost loops that can be written as WebAssembly loops. */
function loopsOf(f, nodes, before, next, found) {
  for (const part of components(nodes, next)) {
    if (part.length === 1 && !next(part[0]).includes(part[0])) continue;
    const loop = loopOf(f, part, before);
    if (loop) {
      found.push(loop);
      continue;
    }
    const within = new Set(part);
    const head = part.find((n) => f.resumed.has(n) || before[n].some((m) => !within.has(m))) ?? part[0];
    if (part.length > 1) loopsOf(f, part, before, (n) => next(n).filter((m) => m !== head), found);
  }
}

let loopCount = 0;

function rewrite(from, index) {
  parse(from, index); // throws unless all calls have the expected form
  const body = plain ? plain.guarded(plain.rewrite(from, index), index) : from;
  const resumable = !plain || plain.resumed.all.has(index);
  const f = parse(body, index, !resumable);
  if (!f) return body;
  const n = f.pieces.length;
  f.next = f.pieces.map((p) => {
    const to = new Set(p.items.filter((i) => i.to !== undefined).map((i) => i.to));
    if (p.falls && p.index + 1 < n) to.add(p.index + 1);
    return [...to];
  });
  // The points where the runtime may resume the function: after calls, and at the calls made by defer.
  f.resumed = f.returns;
  for (const p of f.pieces) if (p.calls && p.falls) f.resumed.add(p.index);
  const k = functions.deferred(index);
  if (resumable && k > 0 && !f.resumed.has(f.table[k])) throw unknown(index, "deferred functions run where nothing is resumed");
  const before = f.pieces.map(() => []);
  for (let i = 0; i < n; i++) for (const m of f.next[i]) before[m].push(i);
  const all = f.pieces.map((p) => p.index);
  const loops = [];
  loopsOf(f, all, before, (i) => f.next[i], loops);
  loopCount += loops.length;

  // A loop replaces its head in the layout. Its other pieces are only inside the loop.
  const places = all.slice();
  for (const loop of loops) {
    for (const i of piecesOf(loop)) places[i] = undefined;
    places[loop.head] = loop;
  }
  const layout = places.filter((p) => p !== undefined);
  const position = new Map(layout.map((item, i) => [headOf(item), i]));
  const owner = new Map();
  layout.forEach((item, i) => {
    for (const m of piecesOf(item)) owner.set(m, i);
  });

  // Determines which places are reached by direct jumps, and which through the table.
  const labelled = new Set();
  const tabled = new Set(f.resumed);
  for (const item of layout) {
    for (const i of piecesOf(item)) {
      for (const m of f.next[i]) {
        const p = position.get(m);
        if (p === undefined || (typeof layout[p] !== "number" && owner.get(i) === p)) continue; // the piece is inside a loop
        if (p > owner.get(i)) labelled.add(m);
        else tabled.add(m);
      }
    }
  }
  const dispatch = tabled.size > 1;
  const blocks = layout.filter((item) => labelled.has(headOf(item)) || (dispatch && tabled.has(headOf(item)))).map(headOf);

  const out = [f.head];
  const labels = []; // open labels, the outermost first: "dispatch", "trap", { block: head }, { loop: head }
  const open = (op, label) => {
    out.push(Buffer.from([op, VOID]));
    labels.push(label);
  };
  const close = () => {
    out.push(Buffer.from([END]));
    labels.pop();
  };
  const depthOf = (find) => {
    for (let i = labels.length - 1; i >= 0; i--) if (find(labels[i])) return labels.length - 1 - i;
    return undefined;
  };
  const target = (m) => depthOf((l) => l.loop === m || l.block === m);

  const emitJump = (inner, jump, m, k) => {
    let d = target(m);
    if (d !== undefined) {
      out.push(Buffer.from([jump]), leb(inner + d));
      return;
    }
    if (!tabled.has(m)) throw new Error("a jump to where no label is");
    d = depthOf((l) => l === "dispatch");
    const conditional = jump === BR_IF;
    if (conditional) out.push(Buffer.from([IF, VOID]));
    out.push(Buffer.from([I32_CONST]), sleb(k), Buffer.from([LOCAL_SET]), leb(f.variable));
    out.push(Buffer.from([BR]), leb(inner + d + (conditional ? 1 : 0)));
    if (conditional) out.push(Buffer.from([END]));
  };
  const emitPiece = (i, following) => {
    const piece = f.pieces[i];
    let inner = 0;
    for (const item of piece.items) {
      if (item.to !== undefined) emitJump(inner, item.conditional ? BR_IF : BR, item.to, f.k[item.to]);
      else if (item.op !== undefined) out.push(Buffer.from([item.op]), leb(inner + labels.length + item.out));
      else {
        out.push(item.bytes);
        inner += item.opens;
      }
    }
    if (piece.falls && i + 1 < n && following !== i + 1) emitJump(0, BR, i + 1, f.k[i + 1]);
  };
  const emit = (item, following) => {
    if (typeof item === "number") return emitPiece(item, following);
    open(LOOP, { loop: item.head });
    // A piece that is only reached by falling through needs no label, but an additional label costs nothing after compression.
    const heads = item.items.slice(1).map(headOf);
    for (const m of heads.slice().reverse()) open(BLOCK, { block: m });
    item.items.forEach((part, j) => {
      if (j > 0) close();
      emit(part, j + 1 < item.items.length ? headOf(item.items[j + 1]) : undefined);
    });
    close();
    return undefined;
  };

  if (!resumable) f.table = [...tabled, undefined]; // the function is only entered at its first piece, so only its own jumps use the table
  f.k = new Map();
  f.table.forEach((to, k) => {
    if (!f.k.has(to)) f.k.set(to, k);
  });
  f.k = all.map((i) => f.k.get(i));

  if (dispatch) open(LOOP, "dispatch");
  for (const m of blocks.slice().reverse()) open(BLOCK, { block: m });
  if (dispatch) {
    open(BLOCK, "trap");
    const targets = f.table.map((to) => (tabled.has(to) ? target(to) : depthOf((l) => l === "trap")));
    if (targets.includes(undefined)) throw unknown(index, "a resume point has no label");
    out.push(Buffer.from([LOCAL_GET]), leb(f.variable), Buffer.from([BR_TABLE]), leb(targets.length - 1), ...targets.map(leb));
    close();
    out.push(Buffer.from([UNREACHABLE]));
  }
  layout.forEach((item, i) => {
    if (blocks.includes(headOf(item))) close();
    emit(item, i + 1 < layout.length ? headOf(layout[i + 1]) : undefined);
  });
  if (dispatch) close();
  out.push(f.tail);
  return Buffer.concat(out);
}

const plainly = process.argv[2] === "--plain";
const [from, to] = process.argv.slice(plainly ? 3 : 2);
const source = readFileSync(from);
const signatures = new Signatures(source);
const functions = functionTable(memoryOf(source).memory);
const plain = plainly ? new Plain(source, signatures, functions) : undefined;
const parts = [source.subarray(0, 8)];
for (const { id, start, end, r } of sections(source)) {
  if (id !== 10) {
    parts.push(source.subarray(start, end));
    continue;
  }
  const n = r.u32();
  const bodies = [leb(n)];
  for (let i = 0; i < n; i++) {
    const length = r.u32();
    const body = rewrite(source.subarray(r.at, r.at + length), i);
    bodies.push(leb(body.length), body);
    r.at += length;
  }
  const code = Buffer.concat(bodies);
  parts.push(Buffer.from([id]), leb(code.length), code);
}
if (loopCount === 0) throw new Error("this Go compiles jumps in another way");
writeFileSync(to, Buffer.concat(parts));
