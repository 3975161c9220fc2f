// node run.js: runs a sample, simulates a day, and writes results.json and the tables of docs/guides/cost.md. node
// run.js --tables: simulates with the sample in results.json. node run.js --check: fails unless results.json and the
// page match that simulation.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { page } from "./page.js";
import { calibrated, checked, shares, simulate } from "./simulate.js";

const here = (path) => new URL(path, import.meta.url);
const json = (path) => JSON.parse(readFileSync(here(path), "utf8"));

/** The assumed load, and assumptions for everything that was not measured. */
const ASSUMED = {
  conversations: 1_000_000,
  agents: 0.1,
  window: 128_000,
  peak: 3,
  answerSeconds: 10,
  keptDays: 30,
  load: 0.5,
  leastReplicas: 3,
  replicaBytes: 1e9,
  copies: 2,
  rowsPerCompaction: 10,
  emptyObjectBytes: 12_000,
  drawn: 20_000,
};
/** Measures that reduce the largest costs. Each replaces an assumption. */
const CHANGES = { short: { keptDays: 3 }, passed: { objectSeconds: 0.1 }, both: { keptDays: 3, objectSeconds: 0.1 } };
const LIMITS = { storeBytes: 26e9, storeCores: 1, lineBits: 10e9 };
/** The sample has more agents and a smaller window than the simulated day, so that more of it is compacted. */
const SAMPLE = { seed: "sample", talks: 24, agents: 0.5, window: 64_000 };

const mode = process.argv[2];
const results = mode ? json("results.json") : { sample: await measured() };
const text = readFileSync(here("../../docs/guides/cost.md"), "utf8");
const made = { sample: results.sample, ...derived(results.sample) };
if (mode === "--check") {
  if (!isDeepStrictEqual(rounded(results), rounded(made)) || page(text, made) !== text) {
    console.error("bench/scale/results.json or docs/guides/cost.md is not what the sample and the shapes give: run `node bench/scale/run.js --tables`");
    process.exit(1);
  }
} else {
  writeFileSync(here("results.json"), `${JSON.stringify(made, null, 1)}\n`);
  writeFileSync(here("../../docs/guides/cost.md"), page(text, made));
}
process.exit();

async function measured() {
  const { sample } = await import("./sample.js");
  const before = loadavg()[0];
  const found = await sample(SAMPLE);
  const model = calibrated(found, SAMPLE);
  return { how: SAMPLE, machine: { cpu: cpus()[0].model, cores: cpus().length, node: process.version, workerd: found.workerd, load: [before, loadavg()[0]].map((n) => Math.round(n)) }, model };
}

function derived({ model, how }) {
  const prices = json("prices.json");
  const assumed = { ...ASSUMED, seed: "day" };
  const once = simulate(model, prices, assumed);
  const tenfold = simulate(model, prices, assumed, 10);
  const changed = Object.fromEntries(
    Object.entries(CHANGES).map(([name, change]) => [name, [1, 10].map((times) => simulate(model, prices, { ...assumed, ...change }, times))]),
  );
  return { assumed: ASSUMED, changes: CHANGES, limits: LIMITS, prices, check: checked(model, how), once, tenfold, changed, shares: { once: shares(once, LIMITS), tenfold: shares(tenfold, LIMITS) } };
}

/** Rounds numbers to nine digits, because the last digits may differ between engines. */
function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(rounded);
  if (value === Object(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rounded(each)]));
  return value;
}
