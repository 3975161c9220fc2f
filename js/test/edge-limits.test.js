// Measures the cost of requests to the edge example in workerd, and which platform limits they meet: the tables of docs/start/edge.md.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { client, endUpstream, example, post, upstream } from "./support/edge.js";
import { updating } from "./support/tested-on.js";
import { bundle, start, version } from "./support/workerd.js";

const page = new URL("../../docs/start/edge.md", import.meta.url);
const MB = 1e6;
/** Sizes of a history in bytes of JSON. Times are measured for all sizes, memory for the last ones. */
const ALL = { "10 KB": 10_000, "100 KB": 100_000, "500 KB": 500_000, "2 MB": 2 * MB, "4 MB": 4 * MB };
const SIZES = updating ? ALL : { "500 KB": ALL["500 KB"], "4 MB": ALL["4 MB"] };
/** The memory for JavaScript in addition to the module. V8 stops a worker that needs more. */
const HEAP_MB = 32;
/** Conversations of each size. The first one is the first request of its worker. */
const CONVERSATIONS = updating ? 8 : 1;

/** The worker, extended to report the memory of its largest module instance. */
const MEASURED = `
  let memories = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function (...given) {
    const made = new Instance(...given);
    memories.push(made.exports.memory);
    return made;
  };
  const { default: worker, ConversationObject } = await import("./src/worker.js");
  export { ConversationObject };
  export default {
    fetch(request, env) {
      const { pathname } = new URL(request.url);
      if (pathname !== "/memory") return worker.fetch(request, env);
      return Response.json(Math.max(...memories.map(({ buffer }) => buffer.byteLength)));
    },
  };
`;

/** Returns a session of an agent that reads files. @param {number} bytes @param {number} seed */
function history(bytes, seed) {
  /** @type {any[]} */
  const messages = [];
  for (let size = 0, i = 0; size < bytes; i++) {
    const id = `call_${seed}_${i}`;
    const call = { id, type: "function", function: { name: "read", arguments: `{"path":"src/file${i}.go"}` } };
    const turn = [
      { role: "user", content: `Question ${i} of ${seed}?` },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: `line ${i} of the file, as it is on disk\n`.repeat(40) },
      { role: "assistant", content: `Answer ${i}: ${"what the file says, in other words. ".repeat(8)}` },
    ];
    messages.push(...turn);
    size += JSON.stringify(turn).length;
  }
  return [...messages, { role: "user", content: `And now, ${seed}?` }];
}

const median = (/** @type {number[]} */ list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;

let address = "";
let folder = "";
before(async () => {
  address = await upstream();
  folder = await mkdtemp(`${tmpdir()}/ctxfold-workerd-`);
  await bundle({ contents: MEASURED, resolveDir: example }, folder);
});
after(async () => {
  endUpstream();
  await rm(folder, { recursive: true, force: true });
});

/** @typedef {Awaited<ReturnType<typeof measured>>} Measured */

/**
 * Measures the CPU time of requests in milliseconds, in a separate worker.
 * @param {import("node:test").TestContext} t
 * @param {number} bytes of a history
 * @param {number} window in tokens
 */
async function measured(t, bytes, window) {
  const worker = await start(t, folder, { UPSTREAM: address, WINDOW: window, MAX_BODY: 5 * MB }, [
    `--max-heap-size=${HEAP_MB}`,
  ]);
  const started = await worker.cpu();
  const costs = {
    first: /** @type {number[]} */ ([]),
    whole: /** @type {number[]} */ ([]),
    next: /** @type {number[]} */ ([]),
  };
  for (let i = 0; i < CONVERSATIONS; i++) {
    const messages = history(bytes, i);
    for (const kind of [i === 0 ? costs.first : costs.whole, i === 0 ? [] : costs.next]) {
      const before = await worker.cpu();
      const response = await post(worker.fetch, { model: "m", messages }, client(`c${i}`));
      assert.equal(response.status, 200, await response.text());
      kind.push((await worker.cpu()) - before);
      messages.push({ role: "assistant", content: "Well." }, { role: "user", content: "And then?" });
    }
  }
  const memory = Number(await (await worker.fetch("/memory")).text());
  await worker.stop();
  return { started, first: median(costs.first), whole: median(costs.whole), next: median(costs.next), memory };
}

test("what requests need in workerd, and what fits which limit", {
  skip: process.platform !== "linux",
}, async (t) => {
  const empty = await start(t, folder, undefined);
  const emptyStart = await empty.cpu();
  await empty.stop();
  /** @type {{name: string, idle: Measured, due: Measured, memory: number}[]} */
  const rows = [];
  for (const [name, bytes] of Object.entries(SIZES)) {
    const due = await measured(t, bytes, Math.max(2000, bytes / 10));
    const idle = updating ? await measured(t, bytes, 10_000_000) : due;
    rows.push({ name, idle, due, memory: due.memory / MB });
  }
  const startup = median(rows.map(({ due }) => due.started)) - emptyStart;
  const script = gzipSync(await readFile(`${folder}/worker.js`)).length;
  const packed = (gzipSync(await readFile(`${folder}/ctxfold.wasm`)).length + script) / MB;

  if (updating) {
    const ms = (/** @type {number} */ time) => (time < 10 ? time.toFixed(1) : time.toFixed(0));
    await section(
      "edge",
      ["history", "first request", "nothing due", "a compaction", "the turn after it", "memory of the module"],
      rows.map(({ name, idle, due, memory }) => [
        name,
        `${ms(idle.first)} ms`,
        `${ms(idle.whole)} ms`,
        `${ms(due.whole)} ms`,
        `${ms(due.next)} ms`,
        `${memory.toFixed(0)} MB`,
      ]),
      `workerd ${version} on ${cpus().length} cores of ${cpus()[0]?.model.trim()}.\n`,
    );
    const upTo = (/** @type {(row: typeof rows[number]) => boolean} */ fits) =>
      rows.filter(fits).at(-1)?.name ?? "none";
    await section(
      "edge-fits",
      ["limit", "what fits"],
      [
        [
          "10 ms of CPU (Workers, free)",
          `nothing due: up to ${upTo(({ idle }) => idle.whole < 10)}; the turn after a compaction: up to ` +
            `${upTo(({ due }) => due.next < 10)}; a compaction: ${upTo(({ due }) => due.whole < 10)}`,
        ],
        [
          "30 s of CPU (Workers, paid)",
          `all of these: the longest takes ${(Math.max(...rows.map(({ due }) => due.whole)) / 1000).toFixed(1)} s`,
        ],
        [
          "128 MB of memory",
          `up to ${upTo(({ memory }) => memory + HEAP_MB < 128)}, with ${HEAP_MB} MB for JavaScript`,
        ],
        ["1 s for the start", `the example starts in ${(startup / 1000).toFixed(2)} s, a small compaction included`],
        ["3 and 10 MB of script, compressed", `the example has ${packed.toFixed(2)} MB`],
        [
          "1, 2 and 4 MB of an Edge Function (Vercel: Hobby, Pro, Enterprise)",
          `${packed.toFixed(2)} MB: ${packed < 1 ? "all" : packed < 2 ? "Pro and Enterprise" : "only Enterprise"}`,
        ],
      ],
    );
  }

  // Checks only values that do not depend on the load of the machine.
  assert.ok(packed < 3, `${packed} MB`);
  for (const { name, memory } of rows) {
    assert.ok(memory + HEAP_MB < 128, `${name}: ${memory} MB`);
    const [said] =
      (await readFile(page, "utf8")).match(new RegExp(`(?<=^\\| ${name} \\|.*\\| )\\d+(?= MB \\|$)`, "m")) ?? [];
    assert.ok(
      Math.abs(memory / Number(said) - 1) < 0.25,
      `${name}: ${memory} MB, and docs/start/edge.md says ${said}: run npm run tested-on`,
    );
  }
});

/** Writes a table of the page, with the text below it. @param {string} name @param {string[]} head @param {string[][]} rows */
async function section(name, head, rows, below = "") {
  const text = await readFile(page, "utf8");
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const from = text.indexOf(open) + open.length;
  const to = text.indexOf(close);
  assert.ok(from >= open.length && to >= from, `docs/start/edge.md has no table ${name}`);
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  await writeFile(page, `${text.slice(0, from)}${lines.join("")}${below && `\n${below}`}${text.slice(to)}`);
}
