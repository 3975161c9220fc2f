// node run.js: measures everything and writes results.json, ../docs/inside/benchmarks.md and the table of ../README.md. node run.js
// --short: measures a part again and fails if a ratio is more than twice that in results.json. Ratios are compared between runs, times
// never. node run.js --size: fails if the module has outgrown its budget.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { brotliCompressSync, constants } from "node:zlib";
import { conversation } from "./corpus.js";
import { first, measure, policies } from "./engine.js";
import { cold, warm, withFirst } from "./small.js";

/**
 * How many times worse a ratio may become, and how often a worse ratio is measured again, because the machine may
 * have been busy.
 */
const WORSE = 2;
const ATTEMPTS = 3;
/** How many times larger than the committed module a new one may be. */
const LARGER = 1.1;

const here = (path) => new URL(path, import.meta.url);
const short = process.argv.includes("--short");
const wasm = readFileSync(here("../host/module/ctxfold.wasm"));
const module = new WebAssembly.Module(wasm);
if (process.argv.includes("--first")) {
  console.log(first(module));
  process.exit();
}
if (process.argv.includes("--cold")) {
  const [kind, size, estimator] = process.argv.slice(process.argv.indexOf("--cold") + 1);
  console.log(JSON.stringify(await cold(module, kind, Number(size), estimator)));
  process.exit();
}
const decoder = new TextDecoder();
const info = (() => {
  const e = new WebAssembly.Instance(module).exports;
  const packed = BigInt.asUintN(64, e.ctxfold_info(e.ctxfold_alloc(0), 0));
  return JSON.parse(decoder.decode(new Uint8Array(e.memory.buffer, Number(packed >> 32n), Number(packed & 0xffffffffn))));
})();
const estimator = "script";
const plan = { sizes: short ? [1e6] : [1e5, 1e6, 1e7, 5e7], runs: 9, estimator };

/** Returns the compressed size of a module in bytes. Level 11 takes half a minute, so the short form uses level 9. */
const packed = (level, bytes = wasm) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;

if (process.argv.includes("--size")) size();
else if (process.argv.includes("--small")) console.log(JSON.stringify(await small(), null, 1));
else if (short) await compare();
else await everything();

async function compare() {
  const committed = JSON.parse(readFileSync(here("results.json"), "utf8"));
  const then = ratios(committed);
  let open = Object.keys(then);
  for (let attempt = 1; open.length > 0 && attempt <= ATTEMPTS; attempt++) {
    const now = ratios({ node: await measure(module, plan), native: goRows(plan.sizes) });
    const still = open.filter((name) => !(now[name] <= then[name] * WORSE));
    for (const name of open) console.log(`${still.includes(name) ? "WORSE" : "ok   "} ${name}: ${now[name]?.toFixed(3)}, committed ${then[name].toFixed(3)}`);
    open = still;
  }
  if (open.length > 0) {
    console.error(`Worse than ${WORSE} times what is committed in each of ${ATTEMPTS} attempts: ${open.join("; ")}`);
    process.exit(1);
  }
}

/** Measures conversations of typical sizes: the median of processes that fold one once, and of folds within one process. */
async function small() {
  return withFirst(await warm(module, plan), (kind, size) =>
    JSON.parse(execFileSync(process.execPath, ["run.js", "--cold", kind, `${size}`, estimator], { cwd: here(".") })),
  );
}

function size() {
  const bytes = packed(9);
  const most = Math.round(JSON.parse(readFileSync(here("results.json"), "utf8")).module.brotli9 * LARGER);
  console.log(`${bytes > most ? "LARGE" : "ok   "} module, brotli 9: ${bytes} bytes, at most ${most}`);
  if (bytes > most) process.exit(1);
}

async function everything() {
  const { measurePeers } = await import("./peers.js");
  const { chromium } = await import("./browser.js");
  const { write } = await import("./report.js");
  const slim = readFileSync(here("../js/ctxfold-slim.wasm"));
  const sizes = { bytes: wasm.length, brotli: packed(11), brotli9: packed(9), slim: packed(11, slim) };
  console.error("Node");
  const node = await measure(module, plan);
  // Each runs in its own process. The minimum is used, as for the instances.
  const firsts = Array.from({ length: 9 }, () => Number(execFileSync(process.execPath, ["run.js", "--first"], { cwd: here(".") })));
  node.starts.first = Math.min(...firsts);
  console.error("Small conversations");
  node.small = await small();
  console.error("Peers");
  const peers = await measurePeers(module, plan);
  console.error("Go");
  const native = goRows(plan.sizes.filter((s) => s <= 1e7));
  console.error("Chromium");
  const browser = await chromium(wasm, { ...plan, sizes: plan.sizes.filter((s) => s <= 1e7) });
  const pinned = JSON.parse(readFileSync(here("package.json"), "utf8")).dependencies;
  const results = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0].model.trim()}`,
    versions: { ctxfold: info.version, node: process.version, chromium: browser.version, go: native.go, wazero: native.wazero, ...pinned },
    estimator,
    module: sizes,
    node,
    chromium: browser,
    native,
    peers,
  };
  writeFileSync(here("results.json"), `${JSON.stringify(results, (_, v) => (typeof v === "number" && !Number.isInteger(v) ? +v.toPrecision(4) : v), 1)}\n`);
  await write(JSON.parse(readFileSync(here("results.json"), "utf8")));
}

/** Returns the ratios that CI compares: ctxfold's time divided by that of each peer in the same run, at 1 MB. */
function ratios(r) {
  const all = {};
  for (const row of r.node.rows.filter((x) => x.size === 1e6)) {
    for (const what of ["plan", "compact", "estimate", "turn", "sessionPlan"]) all[`node, ${row.text}, ${what} / JSON.parse`] = row[what] / row.parse;
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
      put("plan.json", `{"policy":${JSON.stringify(policy)},"options":{"answer":"report"},"messages":${text}}`);
      put("compact.json", `{"policy":${JSON.stringify(policy)},"messages":${text}}`);
      folders.push(folder.pathname);
    }
  }
  const out = execFileSync("go", ["run", "./bench/native", `${plan.runs}`, ...folders], { cwd: here(".."), maxBuffer: 1 << 24 });
  return JSON.parse(out.toString());
}
