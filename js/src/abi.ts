import { CtxfoldError, messageOf } from "./errors.js";
import { wasiImports } from "./wasi.js";

/** A request in pieces, which are copied into the module's memory one after the other. */
export type Pieces = readonly (string | Uint8Array)[];

interface Exports {
  memory: WebAssembly.Memory;
  ctxfold_alloc(size: number): number;
  ctxfold_free(address: number): void;
  _initialize?(): void;
}

const REQUIRED = ["memory", "ctxfold_alloc", "ctxfold_free", "ctxfold_info", "ctxfold_plan", "ctxfold_step"];
/**
 * WebAssembly memory never shrinks. An instance whose memory exceeds this many bytes after a call is discarded and
 * replaced with a new one. If it has sessions, its limit is twice the memory that it had when the last session was
 * opened, if that is more.
 */
const SWOLLEN = 128 * 1024 * 1024;
/**
 * The same limit for isolates that have 128 MB in total. There, memory that is left over from one call could put the
 * next call over the isolate's limit.
 */
export const SWOLLEN_AT_THE_EDGE = 40 * 1024 * 1024;
/**
 * An instance with more than ROOMY bytes is also replaced after CALM consecutive calls whose request and answer took
 * at most 1/SHARE of its memory. Its sessions are then opened again. If a replacement doesn't halve the memory, the
 * next replacement takes twice as many calls.
 */
const ROOMY = 32 * 1024 * 1024;
const CALM = 64;
const SHARE = 32;
/**
 * Strings shorter than this (in UTF-16 units) are encoded into a buffer first; longer ones are encoded straight into
 * the module's memory.
 */
const ENCODE_IN_PLACE = 4096;

const encoder = new TextEncoder();

/**
 * The compiled module and its single instance, shared by all compactors of this module. All calls are synchronous, so
 * they never interleave. The instance is created by the first call, and again after a trap.
 */
export class CtxfoldModule {
  readonly #module: WebAssembly.Module;
  readonly #swollen: number;
  #instance: Exports | undefined;
  #started = 0;
  /** The memory size in bytes when a session was last opened. */
  #opened = 0;
  /** The number of consecutive calls that used little of the memory. */
  #calm = 0;
  /**
   * The memory size in bytes of the last instance that was replaced after calm calls, and the number of calm calls that
   * this took.
   */
  #left = 0;
  #patience = 0;

  /**
   * `swollen` is the memory size in bytes above which an instance is replaced. Throws `invalid_module` if `module`
   * isn't a ctxfold module.
   */
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

  /** The number of the current instance, counted from 1; 0 if there is none. A session ends with its instance. */
  get instance(): number {
    return this.#instance ? this.#started : 0;
  }

  /**
   * Runs one operation on a request and returns the bytes of the answer, as described in docs/reference/abi.md. An
   * answer that reports an error is returned like any other. Throws `trap` if the instance died, `invalid_option` if
   * there is no such operation, and `invalid_module` if the module cannot be started.
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
      if (this.#roomy(grown) || grown > Math.max(this.#swollen, 2 * this.#opened)) this.#instance = undefined;
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

  #roomy(grown: number): boolean {
    const patience = grown > this.#left / 2 ? Math.max(CALM, 2 * this.#patience) : CALM;
    if (grown <= ROOMY || this.#calm < patience) return false;
    this.#left = grown;
    this.#patience = patience;
    return true;
  }

  #start(): Exports {
    try {
      const instance = new WebAssembly.Instance(
        this.#module,
        wasiImports(this.#module, () => exports.memory),
      );
      const exports = instance.exports as unknown as Exports;
      // A build that was initialized ahead of time has no _initialize.
      exports._initialize?.();
      this.#started++;
      this.#opened = this.#calm = 0;
      return exports;
    } catch (cause) {
      throw new CtxfoldError("invalid_module", `the module does not start: ${messageOf(cause)}`, { cause });
    }
  }
}

/**
 * Copies the pieces into a buffer that the module allocates. Returns the buffer's address and the size of the
 * request in bytes.
 */
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
    // The text is not mostly ASCII. Encode the rest separately to learn its size, then move to a larger buffer.
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

/**
 * Returns the number of bytes to reserve for a piece: the exact number for bytes, the largest possible number for a
 * short string, and for a long string a guess that assumes mostly ASCII.
 */
function roomFor(piece: string | Uint8Array): number {
  if (typeof piece !== "string") return piece.length;
  return piece.length < ENCODE_IN_PLACE ? piece.length * 3 : piece.length + (piece.length >> 3);
}
