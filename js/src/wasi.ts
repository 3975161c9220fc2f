/**
 * The few WASI functions that a module imports if it was built with plain Go. They provide a clock and random bytes
 * but no files, arguments or environment; output is discarded. A module without imports needs none of them.
 */

const SUCCESS = 0;
const BAD_FD = 8;
const NOT_SUPPORTED = 58;
const REALTIME = 0;
const EVENT_CLOCK = 0;
const SUBSCRIPTION_SIZE = 48;
const EVENT_SIZE = 32;
const ABSOLUTE_TIME = 1;
/** Web Crypto rejects requests for more bytes than this. */
const RANDOM_CHUNK = 65536;

type Shim = Record<string, (...args: never[]) => number>;

/**
 * Returns the functions for one memory. `memory` is called each time, since the memory exists only after instantiation.
 */
function shim(memory: () => WebAssembly.Memory): Shim {
  const view = () => new DataView(memory().buffer);
  // A host's clock may stop (in edge workers it does between events). This one advances with every read, and
  // by the whole timeout when the module waits, so that the scheduler cannot loop forever.
  let ahead = 0n;
  const last = { wall: 0n, monotonic: 0n };
  const now = (clock: number): bigint => {
    const key = clock === REALTIME ? "wall" : "monotonic";
    const host = key === "wall" ? BigInt(Date.now()) * 1_000_000n : BigInt(Math.round(performance.now() * 1e6));
    if (host + ahead <= last[key]) ahead = last[key] + 1n - host;
    last[key] = host + ahead;
    return last[key];
  };

  return {
    args_get: () => SUCCESS,
    environ_get: () => SUCCESS,
    sched_yield: () => SUCCESS,
    args_sizes_get: (count: number, size: number) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_sizes_get: (count: number, size: number) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    clock_res_get: (_clock: number, out: number) => {
      view().setBigUint64(out, 1n, true);
      return SUCCESS;
    },
    clock_time_get: (clock: number, _precision: bigint, out: number) => {
      view().setBigUint64(out, now(clock), true);
      return SUCCESS;
    },
    random_get: (at: number, size: number) => {
      for (let done = 0; done < size; done += RANDOM_CHUNK) {
        const chunk = new Uint8Array(memory().buffer, at + done, Math.min(RANDOM_CHUNK, size - done));
        crypto.getRandomValues(chunk as Uint8Array<ArrayBuffer>);
      }
      return SUCCESS;
    },
    fd_write: (_fd: number, vectors: number, count: number, out: number) => {
      let total = 0;
      for (let i = 0; i < count; i++) total += view().getUint32(vectors + 8 * i + 4, true);
      view().setUint32(out, total, true);
      return SUCCESS;
    },
    poll_oneoff: (subscriptions: number, events: number, count: number, out: number) => {
      const memoryView = view();
      for (let i = 0; i < count; i++) {
        const from = subscriptions + i * SUBSCRIPTION_SIZE;
        const to = events + i * EVENT_SIZE;
        const kind = memoryView.getUint8(from + 8);
        if (kind === EVENT_CLOCK) {
          const timeout = memoryView.getBigUint64(from + 24, true);
          const absolute = (memoryView.getUint16(from + 40, true) & ABSOLUTE_TIME) !== 0;
          const wait = absolute ? timeout - now(memoryView.getUint32(from + 16, true)) : timeout;
          if (wait > 0n) ahead += wait;
        }
        memoryView.setBigUint64(to, memoryView.getBigUint64(from, true), true);
        memoryView.setUint16(to + 8, kind === EVENT_CLOCK ? SUCCESS : BAD_FD, true);
        memoryView.setUint8(to + 10, kind);
      }
      memoryView.setUint32(out, count, true);
      return SUCCESS;
    },
    proc_exit: (code: number) => {
      throw new Error(`the module ended with code ${code}`);
    },
  };
}

/** Returns the imports that the module needs and no others; {} for a module without imports. */
export function wasiImports(module: WebAssembly.Module, memory: () => WebAssembly.Memory): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  const functions = shim(memory);
  for (const wanted of WebAssembly.Module.imports(module)) {
    imports[wanted.module] ??= {};
    const group = imports[wanted.module] as Record<string, WebAssembly.ImportValue>;
    // No files are open, so every other function on a descriptor returns "bad file descriptor".
    const absent = () => (wanted.name.startsWith("fd_") ? BAD_FD : NOT_SUPPORTED);
    group[wanted.name] = functions[wanted.name] ?? absent;
  }
  return imports;
}
