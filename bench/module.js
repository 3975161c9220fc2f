// Calls the module through its bare ABI, in the same way in Node and in a browser.

export function start(module, imports) {
  const wasm = new WebAssembly.Instance(module, imports).exports;
  wasm._initialize?.(); // a module that wasm/build.sh has not started
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const self = {
    memory: () => wasm.memory.buffer.byteLength,
    /**
     * Runs an operation on bytes. `read` receives the bytes of the answer, which are a view of the module's memory.
     */
    call(op, bytes, read = () => undefined) {
      const at = wasm.ctxfold_alloc(bytes.length) >>> 0;
      new Uint8Array(wasm.memory.buffer).set(bytes, at);
      const packed = BigInt.asUintN(64, wasm[`ctxfold_${op}`](at, bytes.length));
      const from = Number(packed >> 32n);
      const answer = new Uint8Array(wasm.memory.buffer, from, Number(packed & 0xffffffffn));
      const value = read(answer);
      wasm.ctxfold_free(at);
      wasm.ctxfold_free(from);
      return value;
    },
    json: (op, request) =>
      self.call(op, encoder.encode(JSON.stringify(request)), (answer) => {
        const value = JSON.parse(decoder.decode(answer));
        if (value.error) throw new Error(`${op}: ${value.error.code}: ${value.error.message}`);
        return value;
      }),
  };
  return self;
}

/** Returns a request, as bytes, with the policy before the messages. */
export function request(policy, list, options = {}) {
  return new TextEncoder().encode(`{"policy":${JSON.stringify(policy)},"options":${JSON.stringify(options)},"messages":${list}}`);
}

/** Returns the CPU time of this process over all threads, in milliseconds. Browsers don't report it, so there it is the elapsed time. */
const clock = globalThis.process?.cpuUsage
  ? () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e3;
    }
  : () => performance.now();

/** A task that is too short for the clock is repeated until it takes about this many milliseconds. */
const LEAST = 2;

/**
 * Returns the median time of n runs of each task, in milliseconds. The tasks take turns, so that other load on the machine affects all of
 * them. Before that, each task runs once, and then several times to find out how often it must be repeated.
 */
export async function medians(n, tasks) {
  const names = Object.keys(tasks);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  const timed = async (name, count) => {
    const from = clock();
    for (let i = 0; i < count; i++) await tasks[name]();
    return (clock() - from) / count;
  };
  const often = {};
  for (const name of names) {
    await timed(name, 1);
    let least = await timed(name, 1);
    for (let i = 0; i < 4 && least < 5 * LEAST; i++) least = Math.min(least, await timed(name, 1));
    often[name] = Math.max(1, Math.min(50, Math.ceil(LEAST / Math.max(least, 1e-3))));
  }
  for (let turn = 0; turn < n; turn++) for (const name of names) times[name].push(await timed(name, often[name]));
  return Object.fromEntries(names.map((name) => [name, times[name].sort((a, b) => a - b)[n >> 1]]));
}
