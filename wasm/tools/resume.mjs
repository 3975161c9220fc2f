// Finds the Go functions that are resumed if only recover resumes any (wasm/collect.patch): those that recover, and their callers.
import { Reader } from "./binary.mjs";
import { code, instructions } from "./instructions.mjs";

const CALL = 0x10;

/**
 * Returns the numbers of the functions that are resumed: `recovering` contains those with a deferred function that recovers, and `all` also
 * contains their direct and indirect callers, up to the exports, where the loop that resumes them ends. `number` finds a function by its
 * name.
 */
export function resumed(wasm, signatures, functions) {
  const names = new Map();
  for (let i = 0; i < functions.count; i++) names.set(functions.name(i), i);
  const recover = names.get("runtime.gorecover");
  const callers = new Map();
  code(wasm, (body, index) => {
    for (const { op, at } of instructions(body)) {
      if (op !== CALL) continue;
      const callee = new Reader(body, at).u32() - signatures.imports;
      if (!callers.has(callee)) callers.set(callee, new Set());
      callers.get(callee).add(index);
    }
  });
  const recovering = new Set();
  for (const index of callers.get(recover) ?? []) {
    const name = functions.name(index);
    if (name.startsWith("runtime.")) continue; // it only recovers while the process ends, which is a trap here
    const outer = names.get(name.replace(/\.(func)?\d+$/, ""));
    if (outer === undefined || outer === index || functions.deferred(outer) === 0) throw new Error(`resume.mjs: ${name} recovers, but is not a closure that a known function defers`);
    recovering.add(outer);
  }
  const all = new Set(recovering);
  const exports = new Set();
  for (const index of all) for (const caller of callers.get(index) ?? []) (signatures.ofGo(caller) ? all : exports).add(caller);
  return { recovering, all, exports, number: (name) => names.get(name) };
}
