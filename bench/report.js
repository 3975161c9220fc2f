// Writes docs/inside/benchmarks.md and its plots from results.json. It can be run separately: node report.js.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import * as vega from "vega";
import { compile } from "vega-lite";

const here = (path) => new URL(path, import.meta.url);
const size = (bytes) => (bytes >= 1e6 ? `${bytes / 1e6} MB` : `${bytes / 1e3} KB`);
const ms = (x) => (x === undefined ? "–" : x < 10 ? x.toFixed(2) : x.toFixed(0));
const speed = (row, time) => (time === undefined ? "–" : (row.bytes / time / 1e3).toFixed(0));
const ratio = (x) => (x < 0.1 ? x.toFixed(3) : x.toFixed(2));
const table = (head, rows) => [head, head.map(() => "---"), ...rows].map((r) => `| ${r.join(" | ")} |`).join("\n");
const kind = { ascii: "ASCII", mixed: "mixed scripts" };

export async function write(r) {
  const find = (rows, bytes, text) => rows.find((x) => x.size === bytes && x.text === text);
  /** Returns the name and the time of the fastest peer. */
  const fastest = (o) => Object.entries(o).filter(([name]) => name !== "ctxfold").sort((a, b) => a[1] - b[1])[0];
  const top = 1e7;
  const big = r.node.rows.at(-1).size;
  const aims = [];
  const aim = (what, limit, value, format = ratio) => aims.push([what, `≤ ${limit}`, format(value), value <= limit ? "reached" : "not reached"]);
  const { small, starts } = r.node;
  const chat = small && small.rows.find((x) => x.kind === "chat" && x.size === 1e5);
  if (small) {
    aim("instantiate a compiled module / `JSON.parse` of 1 MB of chat (the median of 51)", 4, starts.instantiate / small.unit);
    aim("first fold of a chat of 100 KB in a new process / the same", 40, chat.ofFirst);
    aim("later ones / the same", 6, chat.fold / small.unit);
    aim("memory of the instance after them, MB", 12, chat.memory / 1e6);
  }
  for (const text of ["ascii", "mixed"]) {
    const row = find(r.node.rows, top, text);
    aim(`text → compacted text / \`JSON.parse\`, ${kind[text]}, ${size(top)}`, 2.9, row.compact / row.parse);
    for (const bytes of [1e6, top]) {
      const { ctxfold, ...others } = find(r.peers, bytes, text).compact;
      const [name, time] = fastest(others);
      aim(`text → compacted text / fastest peer (${name}), ${kind[text]}, ${size(bytes)}`, 1, ctxfold / time);
    }
    aim(`folded with digest, ${kind[text]}, ${size(top)}, ms per MB`, 8.33, row.fold / (row.bytes / 1e6), ms);
  }
  for (const text of ["ascii", "mixed"]) {
    const [few, many] = [find(r.node.rows, 1e6, text), find(r.node.rows, big, text)];
    aim(`a turn at ${size(big)} / at 1 MB, ${kind[text]}`, 1.5, many.turn / few.turn);
    aim(`memory of the instance / input, after all plans, ${kind[text]}, ${size(big)}`, 3, many.memory);
  }
  aim("module, brotli 11, KB", 700, r.module.brotli / 1000, (x) => x.toFixed(0));
  if (r.module.slim) aim("slim module, brotli 11, KB", 480, r.module.slim / 1000, (x) => x.toFixed(0));

  const engines = (rows) =>
    table(
      ["text", "size", "`JSON.parse`", "plan", "compacted", "folded with digest", "estimate", "turn, ms", "plan in a session, ms", "memory / input", "session / input"],
      rows.map((x) => [
        kind[x.text],
        size(x.size),
        ...[x.parse, x.plan, x.compact, x.fold, x.estimate].map((t) => speed(x, t)),
        ms(x.turn),
        ms(x.sessionPlan),
        x.memory.toFixed(1),
        x.sessionMemory.toFixed(1),
      ]),
    );
  const folds = (engine, { unit, rows }) =>
    table(
      [engine, "size", "first, ms", "later, ms", "memory, MB"],
      rows.map((x) => [x.kind === "chat" ? "a chat" : "an agent's session", size(x.size), `${ms(x.first)} (${x.ofFirst.toFixed(0)})`, `${ms(x.fold)} (${(x.fold / unit).toFixed(1)})`, (x.memory / 1e6).toFixed(1)]),
    );
  const browsed = r.chromium.small;
  /** The section on conversations of usual sizes; empty for older results, which lack these rows. */
  const conversations = small && browsed
    ? `## Conversations of the sizes that people have

Half of a conversation is folded, with a digest without a model. *First* is the first fold of a process that has compiled the module and nothing else, with
what the engine compiles then; *later* are folds of one instance, in Node as CPU time. In brackets, multiples of \`JSON.parse\` of 1 MB of chat in the
same process (${ms(small.unit)} ms in Node, ${ms(browsed.unit)} ms in Chromium). *Memory* is the instance's after them.

${folds("in Node", small)}

${folds("in Chromium", browsed)}

`
    : "";
  const peers = (what, names) =>
    table(["text", "size", ...names], r.peers.filter((x) => x[what]).map((x) => [kind[x.text], size(x.size), ...names.map((n) => speed(x, x[what][n]))]));
  const decisions = table(
    ["text", "size", "ctxfold, a turn appended and checked, ms", "pi, its decision, ms"],
    r.peers.map((x) => [kind[x.text], size(x.size), ms(x.decide.ctxfold), ms(x.decide.pi)]),
  );
  const go = table(
    ["text", "size", "native", "wazero", "encoding/json"],
    r.native.rows.map((x) => [kind[x.file.split("-")[1]], size(+x.file.split("-")[0]), speed(x, x.native), speed(x, x.wazero), speed(x, x.struct)]),
  );
  const module = table(
    ["module", "bytes"],
    [["as it is", r.module.bytes], ["brotli 11", r.module.brotli], ["brotli 9", r.module.brotli9], ...(r.module.slim ? [["the slim one, brotli 11", r.module.slim]] : [])].map(([what, n]) => [what, n.toLocaleString("en")]),
  );

  const bars = (x) => Object.entries(x.compact).map(([what, t]) => ({ size: size(x.size), text: kind[x.text], what, value: +speed(x, t) }));
  await plot("bench-compact.svg", "Text to compacted text in Node, MB/s", r.peers.flatMap(bars));
  const lines = (x) => Object.entries(x.decide).map(([what, value]) => ({ size: size(x.size), text: kind[x.text], what: what === "pi" ? what : "ctxfold session", value }));
  await plot("bench-turn.svg", "A turn appended and checked, ms (pi: its decision on live objects)", r.peers.flatMap(lines), "log");

  const others = Object.entries(r.versions).filter(([n]) => /pi-coding|langchain|^ai|token/.test(n)).map(([n, v]) => `${n} ${v}`);
  writeFileSync(here("../docs/inside/benchmarks.md"), `# Benchmarks

For anyone who compares ctxfold with other packages, or with itself. \`make bench\` writes this page from \`bench/results.json\`; don't edit it.

Measured on ${r.date}, on ${r.machine}, in Node ${r.versions.node.slice(1)}, Chromium ${r.versions.chromium} and
${r.versions.go.replace("go", "Go ")} with wazero ${r.versions.wazero}. Each number is the median of at least 9 runs. The cells of a row took turns in one process, except
turns and plans in sessions, which were timed separately. Times in Node and Go are CPU times of all threads, because the machine was busy and
such ratios stay steady. Chromium doesn't report CPU times, so its times are wall-clock. Peers: ${others.join(", ")}.

The conversations are a coding agent's, in OpenAI's chat format: questions, tool calls, file contents, answers, about 1 KB per message. "Mixed
scripts" means that half of the prose is Chinese, Japanese, Russian, Hindi, Arabic, or French with emoji. The estimator is
\`${r.estimator}\`.

\`make bench-short\` measures ratios at 1 MB and fails if one is more than twice the committed ratio. \`make test\` fails if the module has grown by more
than a tenth.

## Aims

The aims are those of somebody who adds ctxfold to a chat in a browser, and of an agent whose transcript has tens of megabytes: what a page
loads, the first fold and later ones at the sizes that chats have, and to be ahead of packages that only drop messages from 1 MB on. Where a time is
an aim, it is a multiple of \`JSON.parse\` in the same run, so that another machine has the same ones; but for a fold of 10 MB (120 MB/s).

${table(["figure", "aim", "measured", ""], aims)}

## The module

${module}

## In Node

MB of input per second, except in the last columns. *plan* clears old tool results and returns a report, *compacted* returns the transcript,
*folded with digest* folds half of it and writes the digest without a model, *estimate* is \`check\`. A *turn* appends four messages to a session
and checks it, objects in and an object out; *plan in a session* is one that isn't due. *Memory* is the instance's after all of these except the
fold, per byte of input; of a *session*, after it was opened. An empty instance has 5 MB.

${engines(r.node.rows)}

${conversations}## In Chromium

${engines(r.chromium.rows)}

## Comparison with other packages

Text to compacted text, MB/s, including \`JSON.parse\` and \`JSON.stringify\`. pi keeps the newest half. \`pruneMessages\` of the AI SDK removes
tool calls and results, as ctxfold does here. Neither estimates the whole text, checks its result, or archives anything. \`trimMessages\` of
LangChain takes quadratic time and is omitted above 1 MB. jasper-context-compactor is missing because it is a plugin that reads files, without
a function to call.

${peers("compact", ["ctxfold", "pi", "pruneMessages", "trimMessages"])}

![Text to compacted text](../images/bench-compact.svg)

Deciding whether compaction is due. pi adds up the lengths of live strings, so no JSON has to cross a boundary.

${decisions}

![A turn](../images/bench-turn.svg)

## Estimates compared with tokenizers

MB/s of input. ctxfold also reads the JSON; the others get the texts.

${peers("estimate", ["ctxfold", "tokenx", "gpt-tokenizer", "ai-tokenizer"])}

## In Go

MB/s. *encoding/json* unmarshals into structs, drops half of the messages, and marshals.

${go}
`);

  // Updates the figures in the README.
  const node = find(r.node.rows, top, "ascii");
  const wazero = r.native.rows.find((x) => x.file === `${top}-ascii`);
  const readme = readFileSync(here("../README.md"), "utf8");
  const fewer = find(r.peers, 1e6, "ascii").compact;
  const large = find(r.peers, top, "ascii").compact;
  const names = { ctxfold: "ctxfold", pruneMessages: "`pruneMessages` of the AI SDK", pi: "pi", trimMessages: "`trimMessages` of LangChain" };
  const perSecond = (bytes, time) => (time === undefined ? "–" : `${(bytes / time / 1e3).toPrecision(bytes / time < 1e4 ? 1 : 3)} MB/s`);
  const figures = [
    table(
      ["compacting a transcript in Node", size(1e6), size(top)],
      Object.entries(names).map(([key, name]) => [name, perSecond(1e6, fewer[key]), perSecond(top, large[key])]),
    ),
    "",
    "The others remove messages; ctxfold also counts tokens, checks what it returns, and can archive what it removes. It compacts",
    `${speed(wazero, wazero.native)} MB/s in Go and ${speed(wazero, wazero.wazero)} MB/s in a sandbox (wazero); \`JSON.parse\` alone reads ${speed(node, node.parse)} MB/s, Go's \`encoding/json\` ${speed(wazero, wazero.struct)}. A turn in`,
    `a live session of ${size(big)} takes ${ms(find(r.node.rows, big, "ascii").turn)} ms. The module is ${(r.module.brotli / 1e6).toFixed(1)} MB compressed. [Benchmarks](docs/inside/benchmarks.md)`,
  ].join("\n");
  writeFileSync(here("../README.md"), readme.replace(/(<!-- figures -->\n)[^]*?(<!-- \/figures -->)/, `$1${figures}\n$2`));
}

/** Draws a bar chart with one group per size. */
async function plot(file, title, values, scale = "linear") {
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title,
    data: { values },
    facet: { column: { field: "text", title: null } },
    spec: {
      width: 320,
      height: 200,
      mark: scale === "log" ? { type: "line", point: true } : "bar",
      encoding: {
        x: { field: "size", type: "nominal", sort: null, title: null, axis: { labelAngle: 0 } },
        ...(scale === "log" ? {} : { xOffset: { field: "what" } }),
        y: { field: "value", type: "quantitative", title: null, scale: { type: scale } },
        color: { field: "what", title: null },
      },
    },
  };
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: "none" });
  writeFileSync(here(`../docs/images/${file}`), await view.toSVG());
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await write(JSON.parse(readFileSync(here("results.json"), "utf8")));
