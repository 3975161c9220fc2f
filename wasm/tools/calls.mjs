// How Go compiles calls, as cmd/internal/obj/wasm/wasmobj.go and cmd/link/internal/wasm/asm.go write them in Go 1.26.
//
// A Go function takes the number of the block to start with and returns whether the WebAssembly stack must be unwound. When the
// runtime has switched goroutines or moved the stack, it enters the function again at a return address from Go's stack: the
// function's number, and 16 bits that select an entry of the function's jump table. A resume point that jumps.mjs misses would give a
// wrong answer and no error, so every call must have one of the forms below, or the build fails.
import { Reader, sections } from "./binary.mjs";

const UNREACHABLE = 0x00, IF = 0x04, END = 0x0b, BR_IF = 0x0d, RETURN = 0x0f, CALL = 0x10, LOCAL_GET = 0x20, LOCAL_SET = 0x21, GLOBAL_GET = 0x23, I64_STORE = 0x37, I32_CONST = 0x41, I32_ADD = 0x6a;
const I32 = 0x7f, VOID = 0x40;
const FIRST_FUNCTION = 0x1000;

export function unknown(index, what) {
  return new Error(`jumps.mjs: function ${index}: ${what}. This Go compiles calls or jumps in another way: see docs/inside/upgrading-go.md, or build with NO_JUMPS=1.`);
}

/** The signatures of a module's functions, as far as they show which functions are Go's. */
export class Signatures {
  constructor(wasm) {
    this.imports = 0;
    this.types = []; // whether each type is the type of Go functions
    this.functions = []; // whether each function is a Go function
    for (const { id, r } of sections(wasm)) {
      if (id === 1) {
        for (let n = r.u32(); n > 0; n--) {
          if (r.byte() !== 0x60) throw new Error("a type is not that of a function");
          const [params, results] = [r.bytesOf(r.u32()), r.bytesOf(r.u32())];
          this.types.push(params.length === 1 && params[0] === I32 && results.length === 1 && results[0] === I32);
        }
      } else if (id === 2) {
        for (let n = r.u32(); n > 0; n--) {
          r.bytesOf(r.u32());
          r.bytesOf(r.u32());
          if (r.byte() !== 0) throw new Error("what is imported is no function");
          r.u32();
          this.functions.push(false);
          this.imports++;
        }
      } else if (id === 3) {
        for (let n = r.u32(); n > 0; n--) this.functions.push(this.types[r.u32()]);
      } else if (id === 7) {
        // An export may have the same signature, but has no frame on a Go stack: a loop in it resumes what it calls.
        for (let n = r.u32(); n > 0; n--) {
          r.bytesOf(r.u32());
          const kind = r.byte();
          const which = r.u32();
          if (kind === 0) this.functions[which] = false;
        }
      }
    }
  }

  /** Whether the function whose code has this index is a Go function. */
  ofGo(index) {
    return this.functions[this.imports + index];
  }
}

/** The calls of one function, in order of appearance. */
export class Calls {
  constructor(signatures, index) {
    this.signatures = signatures;
    this.index = index;
    this.stored = undefined; // the low bits of the return address that is on the stack for the next call
  }

  /**
   * Records a return address. Call it at each i64.const, with `at` at the immediate. Returns the low bits if the address is in this
   * function.
   */
  address(body, at) {
    const r = new Reader(body, at);
    const address = r.u32();
    if (body[r.at] !== I64_STORE || Math.floor(address / 0x10000) !== FIRST_FUNCTION + this.index) return undefined;
    if (this.stored !== undefined) throw unknown(this.index, "a return address is stored twice");
    this.stored = address % 0x10000;
    return this.stored;
  }

  /**
   * Checks a call whose immediate is at `at` and ends at `end`. Returns { k, label, end } if the call may be resumed: the low bits of its
   * return address, the label that it unwinds to, and the offset at which the code continues.
   */
  call(body, op, at, end) {
    const k = this.stored;
    this.stored = undefined;
    const callee = new Reader(body, at).u32();
    const go = op === CALL ? this.signatures.functions[callee] : this.signatures.types[callee];
    // The function updates its copy of the stack pointer.
    if (body[end] === GLOBAL_GET && body[end + 1] === 0 && body[end + 2] === LOCAL_SET) {
      const r = new Reader(body, end + 3);
      r.skip();
      end = r.at;
    } else if (body[end] === LOCAL_GET) { // the form that plain.mjs writes: local.get, i32.const 8, i32.add, local.set
      const r = new Reader(body, end + 1);
      r.skip();
      if (body[r.at] === I32_CONST && body[r.at + 1] === 8 && body[r.at + 2] === I32_ADD && body[r.at + 3] === LOCAL_SET) {
        r.at += 4;
        r.skip();
        end = r.at;
      }
    }
    if (!this.signatures.ofGo(this.index)) {
      // These are the exports and the start of the runtime, which have no frame on a Go stack and are never resumed.
      return undefined;
    }
    if (!go) {
      // This is a helper written in assembly, which is called with a return address but never unwinds, or an import, which has no return
      // address.
      if (body[end] === BR_IF && k !== undefined) throw unknown(this.index, "a call of a helper may unwind");
      return undefined;
    }
    if (body[end] === RETURN) {
      if (k !== undefined) throw unknown(this.index, "a call that replaces a return has a return address");
      return undefined;
    }
    if (k === undefined) throw unknown(this.index, "a call has no return address");
    if (body[end] === IF && body[end + 1] === VOID && body[end + 2] === UNREACHABLE && body[end + 3] === END) return undefined;
    if (body[end] !== BR_IF) throw unknown(this.index, "a call is followed by neither br_if, nor a trap, nor return");
    const r = new Reader(body, end + 1);
    return { k, label: r.u32(), end: r.at };
  }
}
