// node run.js: measures everything and writes results.json and ../docs/BENCHMARKS.md. node run.js --short: measures some of it
// again and fails where a ratio is more than 1.5 times what results.json has. Times are never compared between runs, ratios are.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { brotliCompressSync, constants } from "node:zlib";
import { conversation } from "./corpus.js";
import { measure, policies } from "./engine.js";

const here = (path) => new URL(path, import.meta.url);
const short = process.argv.includes("--short");
const wasm = readFileSync(here("../host/ctxfold.wasm"));
const module = new WebAssembly.Module(wasm);
const decoder = new TextDecoder();
const info = (() => {
  const e = new WebAssembly.Instance(module).exports;
  const packed = BigInt.asUintN(64, e.ctxfold_info(e.ctxfold_alloc(0), 0));
  return JSON.parse(decoder.decode(new Uint8Array(e.memory.buffer, Number(packed >> 32n), Number(packed & 0xffffffffn))));
})();
// The estimator of the aims, or the default where the module is older.
const estimator = info.estimators.includes("script") ? "script" : "bytes4";
const plan = { sizes: short ? [1e6] : [1e5, 1e6, 1e7, 5e7], runs: 9, estimator };

console.error("Node");
const node = measure(module, plan);
console.error("Go");
const native = goRows(plan.sizes.filter((s) => s <= 1e7));

if (short) {
  const committed = JSON.parse(readFileSync(here("results.json"), "utf8"));
  const [now, then] = [ratios({ node, native }), ratios(committed)];
  let worse = 0;
  for (const [name, value] of Object.entries(now)) {
    const bad = value > then[name] * 1.5;
    worse += bad ? 1 : 0;
    console.log(`${bad ? "WORSE" : "ok   "} ${name}: ${value.toFixed(3)}, committed ${then[name]?.toFixed(3)}`);
  }
  if (worse > 0) {
    console.error(`${worse} ratios are more than 1.5 times the committed ones`);
    process.exit(1);
  }
} else {
  const { measurePeers } = await import("./peers.js");
  const { chromium } = await import("./browser.js");
  const { write } = await import("./report.js");
  console.error("Peers");
  const peers = await measurePeers(plan);
  console.error("Chromium");
  const browser = await chromium(wasm, { ...plan, sizes: plan.sizes.filter((s) => s <= 1e7) });
  const pinned = JSON.parse(readFileSync(here("package.json"), "utf8")).dependencies;
  const results = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0].model.trim()}`,
    versions: { ctxfold: info.version, node: process.version, chromium: browser.version, go: native.go, wazero: native.wazero, ...pinned },
    estimator,
    module: {
      bytes: wasm.length,
      brotli: brotliCompressSync(wasm, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length },
      }).length,
    },
    node,
    chromium: browser,
    native,
    peers,
  };
  writeFileSync(here("results.json"), `${JSON.stringify(results, null, 1)}\n`);
  await write(results);
}

/** What CI compares: by name, ctxfold's time as a multiple of the other's in the same run, at 1 MB. */
function ratios(r) {
  const all = {};
  for (const row of r.node.rows.filter((x) => x.size === 1e6)) {
    for (const what of ["plan", "compact", "estimate"]) all[`node, ${row.text}, ${what} / JSON.parse`] = row[what] / row.parse;
    all[`node, ${row.text}, turn / JSON.parse`] = row.turn / row.parse;
  }
  for (const row of r.native.rows.filter((x) => x.file.startsWith("1000000-"))) {
    all[`native ${row.file} / encoding/json`] = row.native / row.struct;
    all[`wazero ${row.file} / encoding/json`] = row.wazero / row.struct;
  }
  return all;
}

function goRows(sizes) {
  const folders = [];
  for (const size of sizes) {
    for (const mixed of [false, true]) {
      const folder = here(`../build/bench/${size}-${mixed ? "mixed" : "ascii"}/`);
      mkdirSync(folder, { recursive: true });
      const text = JSON.stringify(conversation(size, mixed));
      const policy = policies(Buffer.byteLength(text), estimator).clear;
      const put = (name, body) => writeFileSync(new URL(name, folder), body);
      put("messages.json", text);
      put("plan.json", `{"policy":${JSON.stringify({ ...policy, answer: "report" })},"messages":${text}}`);
      put("compact.json", `{"policy":${JSON.stringify(policy)},"messages":${text}}`);
      folders.push(folder.pathname);
    }
  }
  const out = execFileSync("go", ["run", "./bench/native", `${plan.runs}`, ...folders], { cwd: here(".."), maxBuffer: 1 << 24 });
  return JSON.parse(out.toString());
}
