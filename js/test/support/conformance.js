/**
 * The conformance vectors, run against one module: in Node and, unchanged, in a page. It imports nothing.
 *
 * @typedef {{name: string, op: string, full?: boolean, request?: string, request_base64?: string, answer: string}} Vector
 * @typedef {{call(op: string, request: string | Uint8Array): Uint8Array}} Callable
 */

/**
 * Calls the module with every vector's request and compares the answers byte for byte. Vectors for the full module
 * are only run with the full module.
 * @param {Callable} module
 * @param {Vector[]} vectors
 * @returns {{passed: number, failures: string[]}}
 */
export function conform(module, vectors) {
  let passed = 0;
  const failures = [];
  const full = JSON.parse(new TextDecoder().decode(module.call("info", "{}"))).ops.includes("function");
  for (const { name, op, full: forFull, request, request_base64, answer } of vectors) {
    if (forFull && !full) continue;
    const input = request ?? Uint8Array.from(atob(request_base64 ?? ""), (c) => c.charCodeAt(0));
    const expected = new TextEncoder().encode(answer);
    let actual;
    try {
      actual = module.call(op, input);
    } catch (error) {
      failures.push(`${name}: ${error}`);
      continue;
    }
    const at = difference(actual, expected);
    if (at < 0) passed++;
    else failures.push(`${name}: byte ${at} of ${op} is ${around(actual, at)}, wanted ${around(expected, at)}`);
  }
  return { passed, failures };
}

/** Returns the offset of the first byte that differs, or -1. @param {Uint8Array} a @param {Uint8Array} b */
function difference(a, b) {
  const end = Math.max(a.length, b.length);
  for (let i = 0; i < end; i++) if (a[i] !== b[i]) return i;
  return -1;
}

/** Returns the text around an offset, as a JSON string. @param {Uint8Array} bytes @param {number} at */
function around(bytes, at) {
  return JSON.stringify(new TextDecoder().decode(bytes.subarray(Math.max(0, at - 20), at + 60)));
}
