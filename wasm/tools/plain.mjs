// Removes the code that only serves to resume Go's functions.
//
// With wasm/collect.patch no stack moves and no goroutine is preempted, so a function is only entered at its beginning, except for those
// that continue after a panic (resume.mjs). So no function stores a return address, asks for a larger stack (too small a stack is a trap),
// or reads the stack pointer again after a call: it has its own copy, and sets the global one before each call. The global one must be
// restored at the end only for callers that read it, in assembly and in exports. Addresses relative to the stack pointer become offsets.
import { leb, Reader, sleb } from "./binary.mjs";
import { code, instructions } from "./instructions.mjs";
import { unknown } from "./calls.mjs";
import { resumed } from "./resume.mjs";

const UNREACHABLE = 0x00, LOOP = 0x03, IF = 0x04, END = 0x0b, BR_IF = 0x0d, BR_TABLE = 0x0e, RETURN = 0x0f, CALL = 0x10, CALL_INDIRECT = 0x11;
const LOCAL_GET = 0x20, LOCAL_SET = 0x21, LOCAL_TEE = 0x22, GLOBAL_GET = 0x23, GLOBAL_SET = 0x24, I32_LOAD = 0x28, I32_LOAD16_U = 0x2f;
const LOADS = [0x28, 0x35], STORES = [0x36, 0x3e], I64_STORE = 0x37, I32_CONST = 0x41, I64_CONST = 0x42, I32_ADD = 0x6a, I32_SUB = 0x6b, I64_ADD = 0x7c, I32_WRAP = 0xa7, I64_EXTEND_U = 0xad;
const SP = 0, VOID = 0x40, FIRST_FUNCTION = 0x1000;
// Assembly functions that call their argument and then set the stack pointer themselves or do not return.
const INDIRECT = ["runtime.systemstack", "runtime.mcall", "runtime.switchToCrashStack0", "wasm_pc_f_loop", "wasm_pc_f_loop_export"];

// The code of a function that need not be resumed when a call is unwound. A branch out of all blocks would have the same effect, but its
// label differs at each depth, which compresses worse.
const UNWIND = Buffer.from([IF, VOID, I32_CONST, 1, RETURN, END]);

// Functions that never return to their caller. Their arguments are only used in messages, which are empty.
const PANICS = ["runtime.sigpanic", "runtime.goPanicIndex", "runtime.goPanicIndexU", "runtime.goPanicSliceAlen", "runtime.goPanicSliceAcap", "runtime.goPanicSliceB",
  "runtime.goPanicSlice3Acap", "runtime.goPanicSlice3C"];

const PUSH = [LOCAL_GET, I32_CONST, I32_SUB, LOCAL_TEE, GLOBAL_SET, LOCAL_GET, I64_CONST, I64_STORE];
const FRAME = [LOCAL_GET, I32_CONST, I32_SUB, LOCAL_TEE, GLOBAL_SET];
const POP = [LOCAL_GET, I32_CONST, I32_ADD, LOCAL_TEE, GLOBAL_SET];
const OFFSET = [LOCAL_GET, I64_EXTEND_U, I64_CONST, I64_ADD, I32_WRAP];

const op = (code, n) => Buffer.concat([Buffer.from([code]), leb(n)]);
const constant = (n) => Buffer.concat([Buffer.from([I32_CONST]), sleb(n)]);

export class Plain {
  constructor(wasm, signatures, functions) {
    this.signatures = signatures;
    this.functions = functions;
    this.resumed = resumed(wasm, signatures, functions);
    this.panics = new Set(PANICS.map((name) => this.resumed.number(name) + signatures.imports));
    this.growing = new Set(["runtime.morestack", "runtime.morestack_noctxt"].map((name) => this.resumed.number(name) + signatures.imports));
    // The functions that must restore the stack pointer: those that are resumed, and those called by functions that rely on it.
    this.restoring = new Set(this.resumed.all);
    code(wasm, (body, index) => {
      const all = instructions(body);
      const assembly = this.rewrite(body, index) === body;
      const sp = pointer(body, all);
      let pushed = false;
      for (const [i, { op, at }] of all.entries()) {
        if (!assembly && this.pushes(body, all, i, sp, index)) pushed = true;
        if (op === CALL && !pushed) this.restoring.add(number(body, at) - signatures.imports);
        if (op === CALL_INDIRECT && !pushed && !INDIRECT.includes(functions.name(index))) throw unknown(index, "a call in assembly of what is not known");
        if (op === CALL || op === CALL_INDIRECT) pushed = false;
      }
    });
  }

  /** Whether a push of the function's return address begins at the i-th instruction. */
  pushes(body, all, i, sp, index) {
    if (!is(body, all, i, PUSH, sp) || number(body, all[i + 1].at) !== 8) return false;
    return Math.floor(number(body, all[i + 6].at) / 0x10000) === FIRST_FUNCTION + index;
  }

  /**
   * Returns the body of a function without the code that resumes it. Functions that are resumed keep their return addresses; functions that
   * set the stack pointer themselves stay unchanged.
   */
  rewrite(body, index) {
    const all = instructions(body);
    const sp = pointer(body, all);
    if (sp === undefined) return body;
    const keeps = this.resumed.all.has(index);
    const pushes = all.map((_, i) => this.pushes(body, all, i, sp, index));
    const calls = all.filter(({ op }) => op === CALL || op === CALL_INDIRECT).length;
    const bare = calls > pushes.filter((p) => p).length; // whether any call relies on the global stack pointer
    // A call that panics needs neither a frame nor its contents, unless deferred functions may read them.
    const ends = !keeps && this.functions.deferred(index) === 0;
    const panics = (i) => ends && pushes[i] && all[i + 9].op === CALL && this.panics.has(number(body, all[i + 9].at)) && is(body, all, i + 10, [GLOBAL_GET, LOCAL_SET, BR_IF], sp);
    const dropped = new Map(); // statements that store an index that is out of range: maps the first instruction to the last
    for (let i = 2; i < all.length; i++) {
      if (!panics(i)) continue;
      for (let last = i - 1, first; (first = argument(body, all, last, sp)) !== undefined; last = first - 1) dropped.set(first, last);
    }
    const out = [body.subarray(0, all[2].start)];
    let pushed = false;
    let framed = false;
    for (let i = 2; i < all.length; i++) {
      const { op: code, start, at, end } = all[i];
      if (dropped.has(i)) {
        i = dropped.get(i);
      } else if (panics(i)) {
        out.push(body.subarray(all[i + 8].start, all[i + 9].end), Buffer.from([RETURN]));
        i += 12;
      } else if (code === IF && pushes[i + 1] && all[i + 10].op === CALL && this.growing.has(number(body, all[i + 10].at))) {
        if (!is(body, all, i + 11, [GLOBAL_GET, LOCAL_SET, BR_IF, END], sp)) throw unknown(index, "a call for a larger stack");
        out.push(Buffer.from([IF, VOID, UNREACHABLE, END]));
        i += 14;
      } else if (pushes[i]) {
        pushed = true;
        if (keeps) out.push(body.subarray(start, all[i + 7].end));
        else out.push(op(LOCAL_GET, sp), constant(8), Buffer.from([I32_SUB]), op(GLOBAL_SET, SP));
        i += 7;
      } else if (!framed && is(body, all, i, FRAME, sp)) {
        framed = true;
        out.push(body.subarray(start, all[i + 2].end), bare ? body.subarray(all[i + 3].start, all[i + 4].end) : op(LOCAL_SET, sp));
        i += 4;
      } else if (is(body, all, i, POP, sp)) {
        // First the frame, if there is one, then the return address.
        const twice = is(body, all, i + 5, POP, sp);
        const last = twice ? i + 5 : i;
        const size = number(body, all[i + 1].at) + (twice ? number(body, all[i + 6].at) : 0);
        if (all[last + 5].op === I32_CONST && all[last + 6].op === RETURN) {
          if (number(body, all[last + 1].at) !== 8) throw unknown(index, "a return that leaves the stack in another way");
          if (this.restoring.has(index)) out.push(op(LOCAL_GET, sp), constant(size), Buffer.from([I32_ADD]), op(GLOBAL_SET, SP));
        } else out.push(body.subarray(start, all[last + 4].end));
        i = last + 4;
      } else if (code === CALL || code === CALL_INDIRECT) {
        if (!pushed && pushes.includes(true)) out.push(op(LOCAL_GET, sp), op(GLOBAL_SET, SP)); // earlier calls may have left it anywhere
        out.push(body.subarray(start, end));
        if (!pushed && is(body, all, i + 1, [GLOBAL_GET, LOCAL_SET], sp)) {
          out.push(body.subarray(all[i + 1].start, all[i + 2].end));
          i += 2;
        } else if (pushed) {
          if (!is(body, all, i + 1, [GLOBAL_GET, LOCAL_SET], sp)) throw unknown(index, "a call behind which the stack pointer is not read");
          if (keeps) out.push(op(LOCAL_GET, sp), constant(8), Buffer.from([I32_ADD]), op(LOCAL_SET, sp));
          i += 2;
          if (!keeps && all[i + 1].op === BR_IF) {
            out.push(UNWIND);
            i++;
          }
        }
        pushed = false;
      } else if ((code === GLOBAL_GET || code === GLOBAL_SET) && number(body, at) === SP || (code === LOCAL_SET || code === LOCAL_TEE) && number(body, at) === sp) {
        return body;
      } else if (is(body, all, i, OFFSET, sp)) {
        i += this.offset(body, all, i, sp, out);
      } else out.push(body.subarray(start, end));
    }
    return Buffer.concat(out);
  }

  /**
   * Writes the access to an offset from the stack pointer whose address begins at the i-th instruction. Returns the number of further
   * instructions that this consumed.
   */
  offset(body, all, i, sp, out) {
    const add = number(body, all[i + 2].at);
    const next = all[i + 5];
    if (next.op >= LOADS[0] && next.op <= LOADS[1]) {
      out.push(op(LOCAL_GET, sp), access(body, next, add));
      return 5;
    }
    // A value, computed without calls and jumps, and the instruction that stores it.
    let depth = 0;
    for (let j = i + 5; j < all.length; j++) {
      const effect = effectOf(all[j].op);
      if (effect === undefined || all[j].op >= STORES[0] && all[j].op <= STORES[1] && depth !== 1) break;
      if (all[j].op >= STORES[0] && all[j].op <= STORES[1]) {
        const value = [];
        for (let k = i + 5; k < j; k++) {
          if (is(body, all, k, OFFSET, sp)) k += this.offset(body, all, k, sp, value);
          else value.push(body.subarray(all[k].start, all[k].end));
        }
        out.push(op(LOCAL_GET, sp), ...value, access(body, all[j], add));
        return j - i;
      }
      depth += effect;
      if (depth < 0) break;
    }
    out.push(op(LOCAL_GET, sp), constant(add), Buffer.from([I32_ADD]));
    return 4;
  }

  /** Rewrites a loop that enters functions at the point where they continue, so that it traps for functions that are never resumed. */
  guarded(body, index) {
    const all = instructions(body);
    if (this.signatures.ofGo(index) || !all.some(({ op }) => op === CALL_INDIRECT)) return body;
    const loop = all.find(({ op }) => op === LOOP);
    if (loop === undefined || body[loop.at] !== VOID) throw unknown(index, "a call of any function, but not in a loop");
    const numbers = [...this.resumed.all, ...this.resumed.exports];
    const first = Math.min(...numbers), targets = new Array(Math.max(...numbers) - first + 1).fill(0);
    for (const i of numbers) targets[i - first] = 1;
    const below = Buffer.concat([op(GLOBAL_GET, SP), constant(8), Buffer.from([I32_SUB])]);
    return Buffer.concat([
      body.subarray(0, loop.end),
      below, Buffer.from([I32_LOAD16_U, 1, 0, IF, VOID, 0x02, VOID, 0x02, VOID]),
      below, Buffer.from([I32_LOAD, 1, 2]), constant(FIRST_FUNCTION + first), Buffer.from([I32_SUB, BR_TABLE]), leb(targets.length), ...targets.map(leb), leb(0),
      Buffer.from([END, UNREACHABLE, END, END]),
      body.subarray(loop.end),
    ]);
  }
}

/** Returns the local variable that holds the stack pointer in compiled Go code, or undefined in assembly. */
function pointer(body, all) {
  if (all.length < 2 || all[0].op !== GLOBAL_GET || number(body, all[0].at) !== SP || all[1].op !== LOCAL_SET) return undefined;
  return number(body, all[1].at);
}

const number = (body, at) => new Reader(body, at).u32();

/** Whether the instructions from the i-th on are these, with the stack pointer as their local and global variable. */
function is(body, all, i, codes, sp) {
  return codes.every((code, k) => {
    const found = all[i + k];
    if (found?.op !== code) return false;
    if (code === LOCAL_GET || code === LOCAL_SET || code === LOCAL_TEE) return number(body, found.at) === sp;
    if (code === GLOBAL_GET || code === GLOBAL_SET) return number(body, found.at) === SP;
    return code !== IF || body[found.at] === VOID;
  });
}

/**
 * Returns the start of the statement that stores an argument of a call and ends with the last-th instruction, or undefined if there is
 * none.
 */
function argument(body, all, last, sp) {
  if (all[last].op !== I64_STORE) return undefined;
  for (let i = last - 1, missing = 2; i > 1; i--) {
    const effect = effectOf(all[i].op);
    if (effect === undefined || effect < -1) return undefined;
    missing -= effect;
    if (missing === 0) return all[i].op === LOCAL_GET && number(body, all[i].at) === sp ? i : undefined;
  }
  return undefined;
}

/** Returns a memory access with `more` added to its offset. */
function access(body, { op: code, at }, add) {
  const r = new Reader(body, at);
  return Buffer.concat([op(code, r.u32()), leb(r.u32() + add)]);
}

/** Returns how many more values an instruction pushes than it pops, or undefined if it does more than compute. */
function effectOf(code) {
  if (code === 0x01 || code === LOCAL_TEE || code >= LOADS[0] && code <= LOADS[1]) return 0;
  if (code === LOCAL_GET || code === GLOBAL_GET || code >= I32_CONST && code <= 0x44) return 1;
  if (code === LOCAL_SET || code === GLOBAL_SET || code === 0x1a) return -1;
  if (code >= STORES[0] && code <= STORES[1] || code === 0x1b) return -2;
  if (code === 0x45 || code === 0x50 || code >= 0x67 && code <= 0x69 || code >= 0x79 && code <= 0x7b || code >= 0x8b && code <= 0x91 || code >= 0x99 && code <= 0x9f || code >= 0xa7 && code <= 0xc4) return 0;
  if (code >= 0x46 && code <= 0xa6) return -1;
  return undefined;
}
