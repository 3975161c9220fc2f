// node build.js FOLDER: measures the modules built by wasm/check/build.sh, and writes the table in ../docs/inside/build.md.
//
// The modules take turns in one process, and the results are ratios instead of times, so that other load on the machine affects all of them
// equally.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { chat, conversation } from "./corpus.js";
import { compaction, policies } from "./engine.js";
import { medians, request, start } from "./module.js";

/** The minimum gain in one of the columns that makes a build step worthwhile. */
const WORTH = 0.05;
const STEPS = {
  lean: "lean easyjson",
  small: "inlining where it pays",
  clear: "nothing left behind",
  quiet: "quiet runtime",
  collect: "collection at once",
  resume: "no resume points",
  lines: "no names and lines",
  jumps: "direct jumps",
  start: "started runtime",
  dead: "no dead functions and types",
  coalesce: "optimized code",
  segments: "few segments, Go's order",
};

// Without the lean easyjson there is code that opens files, but nothing calls it.
const imports = { wasi_snapshot_preview1: new Proxy({}, { get: () => () => 8 }) };
const [, script, folder, file] = process.argv;
if (folder === "--first") {
  console.log(firstFold(new WebAssembly.Module(readFileSync(file))));
  process.exit();
}

/** Returns the CPU time, in milliseconds, of the first fold of a chat of 100 KB. */
function firstFold(module) {
  const text = JSON.stringify(chat(1e5));
  const whole = request(policies(new TextEncoder().encode(text).length, "script").fold, text);
  const m = start(module, imports);
  const before = process.cpuUsage();
  m.call("plan", whole);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

const names = readdirSync(folder).filter((name) => name === "all.wasm" || name === "none.wasm" || /^no-\w+\.wasm$/.test(name)).map((name) => name.slice(0, -5));
const files = Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}.wasm`)]));
const modules = Object.fromEntries(names.map((name) => [name, new WebAssembly.Module(files[name])]));

console.error("brotli 11, half a minute for each module");
const packed = {};
await Promise.all(names.map(async (name) => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: files[name].length };
  packed[name] = (await promisify(brotliCompress)(files[name], { params })).length;
}));

console.error("instantiation, and what has to run before the first call");
const starts = Object.fromEntries(names.map((name) => [name, Infinity]));
for (let i = 0; i < 51; i++) {
  for (const name of names) {
    const from = performance.now();
    start(modules[name], imports);
    starts[name] = Math.min(starts[name], performance.now() - from); // the minimum is the best measurement on a busy machine
  }
}

console.error("first folds, each in a new process, without the optimizing compiler and the threads that it would need");
const firsts = Object.fromEntries(names.map((name) => [name, Infinity]));
for (let i = 0; i < 9; i++) {
  for (const name of names) {
    const args = ["--single-threaded", "--liftoff-only", script, "--first", `${folder}/${name}.wasm`];
    firsts[name] = Math.min(firsts[name], Number(execFileSync(process.execPath, args)));
  }
}

console.error("compactions of 1 MB");
const text = JSON.stringify(conversation(1e6, true));
const { clear, fold } = policies(new TextEncoder().encode(text).length, "script");
const time = async (policy) => await medians(15, Object.fromEntries(names.map((name) => [name, compaction(start(modules[name], imports), policy, text)])));
const [clears, folds] = [await time(clear), await time(fold)];

const row = (name) => [files[name].length, packed[name], starts[name], firsts[name], clears[name], folds[name]];
const all = row("all");
const times = (name) => row(name).map((n, i) => (n / all[i]).toFixed(2));
const group = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, ",");
const lines = [
  `Bytes of the module as it ships: ${group(files.all.length)}, brotli 11 ${group(packed.all)}. Each row is a build without one step, in multiples of that: its sizes, and its times in V8 (Node ${process.versions.node}):`,
  "",
  "| without | bytes | brotli 11 | instantiation | first fold, chat of 100 KB | compaction that clears, 1 MB | that folds |",
  "| --- | --- | --- | --- | --- | --- | --- |",
];
const idle = [];
for (const [step, title] of Object.entries(STEPS)) {
  const ratios = row(`no-${step}`).map((n, i) => n / all[i]);
  if (!ratios.some((ratio) => ratio >= 1 + WORTH)) idle.push(step);
  lines.push(`| ${title} (\`NO_${step.toUpperCase()}\`) | ${times(`no-${step}`).join(" | ")} |`);
}
lines.push(`| any of them | ${times("none").join(" | ")} |`);

const page = new URL("../docs/inside/build.md", import.meta.url);
const [BEGIN, END] = ["<!-- bench-build begins -->", "<!-- bench-build ends -->"];
const before = readFileSync(page, "utf8");
if (!before.includes(BEGIN) || !before.includes(END)) throw new Error(`${page.pathname} has no place for the table`);
writeFileSync(page, before.slice(0, before.indexOf(BEGIN) + BEGIN.length) + `\n${lines.join("\n")}\n` + before.slice(before.indexOf(END)));
console.log(lines.join("\n"));
if (idle.length > 0) {
  console.error(`These steps gain less than ${WORTH * 100} % in each column: ${idle.join(", ")}`);
  process.exit(1);
}
