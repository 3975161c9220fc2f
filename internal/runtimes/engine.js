// Runs a job of vectors in a JavaScript engine: engine.js MODULE JOB. It uses only what engines
// without a platform provide, so it runs in the shell of JavaScriptCore, in gjs, and in Node, Bun
// and Deno. Like the processes of the other runtimes, it prints one line of JSON.

const shell = typeof readFile === "function"; // of JavaScriptCore
const gjs = typeof imports !== "undefined";
const args = shell ? globalThis.arguments : gjs ? ARGV : process.argv.slice(2);
const print = shell || gjs ? globalThis.print : console.log;

const read = async (path) => {
  if (shell) return readFile(path, "binary");
  if (gjs) return imports.gi.GLib.file_get_contents(path)[1];
  return (await import("node:fs")).readFileSync(path);
};

async function main() {
  const [moduleFile, job] = args;
  const bytes = await read(moduleFile);
  const all = await read(job);
  const view = new DataView(all.buffer, all.byteOffset, all.byteLength);
  let at = 4;
  const next = () => {
    const size = view.getUint32(at, true);
    at += 4 + size;
    return all.subarray(at - size, at);
  };

  const started = Date.now();
  const module = new WebAssembly.Module(bytes);
  const open = () => new WebAssembly.Instance(module, {}).exports;
  let exported = open();
  const load = Date.now() - started;

  const call = (op, request) => {
    const p = exported.ctxfold_alloc(request.length) >>> 0;
    new Uint8Array(exported.memory.buffer).set(request, p);
    const r = BigInt.asUintN(64, exported[`ctxfold_${op}`](p, request.length));
    const from = Number(r >> 32n);
    const size = Number(r & 0xffffffffn);
    const answer = new Uint8Array(exported.memory.buffer).slice(from, from + size);
    exported.ctxfold_free(p);
    exported.ctxfold_free(from);
    return answer;
  };

  const failures = [];
  let passed = 0;
  let compaction = 0;
  const count = view.getUint32(0, true);
  for (let i = 0; i < count; i++) {
    const op = String.fromCharCode(...next());
    const request = next();
    const wanted = next();
    const begun = Date.now();
    const answer = call(op, request);
    compaction = Date.now() - begun;
    let same = answer.length === wanted.length;
    for (let k = 0; same && k < wanted.length; k++) same = answer[k] === wanted[k];
    if (same) passed++;
    else failures.push(`vector ${i}, ${op}`);
  }
  const memory = exported.memory.buffer.byteLength;

  // More than 32 bits can address: a trap, which ends the instance.
  let trapped = false;
  try {
    exported.ctxfold_alloc(-1);
  } catch {
    trapped = true;
  }
  exported = open();
  const after = call("info", new Uint8Array([0x7b, 0x7d])).length > 2;
  print(JSON.stringify({ passed, failures, load, compaction, memory, trapped, after }));
}

main().catch((error) => print(JSON.stringify({ failures: [`${error}\n${error.stack}`] })));
