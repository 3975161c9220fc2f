import { CtxfoldError, messageOf } from "./errors.js";
import { wasiImports } from "./wasi.js";

/** A request, in pieces that are written one after the other. */
export type Pieces = readonly (string | Uint8Array)[];

interface Exports {
  memory: WebAssembly.Memory;
  ctxfold_alloc(size: number): number;
  ctxfold_free(address: number): void;
  _initialize?(): void;
}

const REQUIRED = ["memory", "ctxfold_alloc", "ctxfold_free", "ctxfold_info", "ctxfold_plan", "ctxfold_step"];
/**
 * WebAssembly memory never shrinks, so an instance that grew past this many bytes is returned and made again; one that holds sessions, at
 * twice of what it had when the last one was opened, if that is more.
 */
const SWOLLEN = 128 * 1024 * 1024;
/** The same where an isolate has 128 MB for all: what one call leaves behind would make the next one need more than that. */
export const SWOLLEN_AT_THE_EDGE = 40 * 1024 * 1024;
/**
 * An instance of more than ROOMY bytes is made again, too, after CALM calls in a row whose requests and answers had less than one part in SHARE
 * of its memory, unless it holds sessions.
 */
const ROOMY = 32 * 1024 * 1024;
const CALM = 64;
const SHARE = 32;
/** Below this many UTF-16 units a string is encoded aside; above, straight into the module's memory. */
const ENCODE_IN_PLACE = 4096;

const encoder = new TextEncoder();

/**
 * The compiled module and its one instance, which every compactor of this module shares. All calls are synchronous, so
 * none can come between two halves of another. The instance is made at the first call, and again after a trap.
 */
export class CtxfoldModule {
  readonly #module: WebAssembly.Module;
  readonly #swollen: number;
  #instance: Exports | undefined;
  #started = 0;
  /** Bytes of memory when a session was opened last. */
  #opened = 0;
  /** How many calls in a row have used little of the memory. */
  #calm = 0;

  /** `swollen` is how many bytes an instance keeps. Throws `invalid_module` when the module is not ctxfold's. */
  constructor(module: WebAssembly.Module, swollen = SWOLLEN) {
    const names = new Set(WebAssembly.Module.exports(module).map((e) => e.name));
    const missing = REQUIRED.filter((name) => !names.has(name));
    if (missing.length > 0) {
      throw new CtxfoldError(
        "invalid_module",
        `this WebAssembly module is not ctxfold's: it does not export ${missing.join(", ")}`,
      );
    }
    this.#module = module;
    this.#swollen = swollen;
  }

  /** Counts the instances; 0 while there is none. Sessions end with their instance. */
  get instance(): number {
    return this.#instance ? this.#started : 0;
  }

  /**
   * Runs one operation on a request and returns the answer's bytes, as docs/reference/abi.md describes them; an answer that is an
   * error is returned like any other. Throws `trap` when the instance died, `invalid_option` when there is no such
   * operation, `invalid_module` when the module cannot be started.
   */
  call(op: string, request: string | Uint8Array | Pieces): Uint8Array<ArrayBuffer> {
    const pieces = typeof request === "string" || request instanceof Uint8Array ? [request] : request;
    this.#instance ??= this.#start();
    const instance = this.#instance;
    const run = (instance as unknown as Record<string, unknown>)[`ctxfold_${op}`];
    if (typeof run !== "function" || op === "alloc" || op === "free") {
      throw new CtxfoldError("invalid_option", `the module has no operation "${op}"`);
    }
    try {
      const { address, size } = write(instance, pieces);
      const packed = BigInt.asUintN(64, run(address, size));
      const from = Number(packed >> 32n);
      const answer = new Uint8Array(instance.memory.buffer).slice(from, from + Number(packed & 0xffffffffn));
      instance.ctxfold_free(address);
      instance.ctxfold_free(from);
      const grown = instance.memory.buffer.byteLength;
      if (op === "session_open") this.#opened = grown;
      this.#calm = (size + answer.length) * SHARE > grown ? 0 : this.#calm + 1;
      const roomy = grown > ROOMY && this.#calm >= CALM && this.#opened === 0;
      if (roomy || grown > Math.max(this.#swollen, 2 * this.#opened)) this.#instance = undefined;
      return answer;
    } catch (cause) {
      this.#instance = undefined;
      throw new CtxfoldError(
        "trap",
        `the module died in ${op}: ${messageOf(cause)}. The next call gets a new instance`,
        {
          cause,
        },
      );
    }
  }

  #start(): Exports {
    try {
      const instance = new WebAssembly.Instance(
        this.#module,
        wasiImports(this.#module, () => exports.memory),
      );
      const exports = instance.exports as unknown as Exports;
      // A build that was initialised ahead of time has no _initialize.
      exports._initialize?.();
      this.#started++;
      this.#opened = this.#calm = 0;
      return exports;
    } catch (cause) {
      throw new CtxfoldError("invalid_module", `the module does not start: ${messageOf(cause)}`, { cause });
    }
  }
}

/** Writes the pieces into a buffer of the module. */
function write(instance: Exports, pieces: Pieces): { address: number; size: number } {
  let room = 0;
  for (const piece of pieces) room += roomFor(piece);
  let address = instance.ctxfold_alloc(room) >>> 0;
  let at = 0;
  for (const piece of pieces) {
    room -= roomFor(piece);
    const bytes = typeof piece === "string" && piece.length < ENCODE_IN_PLACE ? encoder.encode(piece) : piece;
    const memory = new Uint8Array(instance.memory.buffer);
    if (typeof bytes !== "string") {
      memory.set(bytes, address + at);
      at += bytes.length;
      continue;
    }
    const { read, written } = encoder.encodeInto(bytes, memory.subarray(address + at, address + at + roomFor(bytes)));
    at += written;
    if (read === bytes.length) continue;
    // The text is not mostly ASCII: the rest is encoded aside, now that its size must be known, and the buffer moves.
    const rest = encoder.encode(bytes.slice(read));
    const larger = instance.ctxfold_alloc(at + rest.length + room) >>> 0;
    const moved = new Uint8Array(instance.memory.buffer);
    moved.copyWithin(larger, address, address + at);
    moved.set(rest, larger + at);
    instance.ctxfold_free(address);
    address = larger;
    at += rest.length;
  }
  return { address, size: at };
}

/** Bytes kept for a piece: exact for bytes, the worst case for a short text, and a guess (mostly ASCII) for a long one. */
function roomFor(piece: string | Uint8Array): number {
  if (typeof piece !== "string") return piece.length;
  return piece.length < ENCODE_IN_PLACE ? piece.length * 3 : piece.length + (piece.length >> 3);
}
