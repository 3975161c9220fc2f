// The module by its bare ABI, the same in Node and in a browser.

export function start(module) {
  const wasm = new WebAssembly.Instance(module).exports;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const self = {
    memory: () => wasm.memory.buffer.byteLength,
    /** Runs an operation on bytes; `read` gets the answer's bytes, which are those of the module's memory. */
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

/** A request with a policy before its messages, as bytes. */
export function request(policy, list) {
  return new TextEncoder().encode(`{"policy":${JSON.stringify(policy)},"messages":${list}}`);
}

/** The median time of n runs, in milliseconds. The first run warms up and does not count. */
export function median(n, run) {
  const times = [];
  for (let i = 0; i <= n; i++) {
    const from = performance.now();
    run();
    times.push(performance.now() - from);
  }
  return times.slice(1).sort((a, b) => a - b)[n >> 1];
}
