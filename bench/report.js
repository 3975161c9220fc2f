// Writes docs/BENCHMARKS.md and its plots from results.json. It can be run by itself: node report.js.
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
  const at = (bytes, text) => ({ node: find(r.node.rows, bytes, text), peer: find(r.peers, bytes, text) });
  const fastest = (o) => Object.entries(o).sort((a, b) => a[1] - b[1])[0];
  const top = 1e7;
  const aims = [];
  const aim = (what, limit, value, format = ratio) => aims.push([what, `≤ ${limit}`, format(value), value <= limit ? "reached" : "not reached"]);
  for (const [text, plan, compact] of [["mixed", 0.6, 0.7], ["ascii", 1, 1]]) {
    const { node, peer } = at(top, text);
    aim(`text → plan / \`JSON.parse\`, ${kind[text]}, ${size(top)}`, plan, node.plan / node.parse);
    aim(`text → compacted text / fastest peer (${fastest(peer.compact)[0]}), ${kind[text]}, ${size(top)}`, compact, node.compact / fastest(peer.compact)[1]);
  }
  for (const text of ["mixed", "ascii"]) {
    const { node, peer } = at(top, text);
    const [name, time] = fastest(peer.estimate);
    aim(`estimate of a transcript / fastest tokenizer (${name}), ${kind[text]}, ${size(top)}`, 0.04, node.estimate / time);
  }
  for (const row of r.native.rows.filter((x) => x.file.startsWith(`${top}-`))) {
    aim(`native text → compacted text / encoding/json, ${kind[row.file.split("-")[1]]}, ${size(top)}`, 0.1, row.native / row.struct);
  }
  const big = r.node.rows.at(-1).size;
  for (const text of ["mixed", "ascii"]) {
    aim(`a turn in a session / pi's decision on live objects, ${kind[text]}, ${size(top)}`, 0.1, at(top, text).node.turn / at(top, text).peer.decide.pi);
    aim(`a turn at ${size(big)} / at 1 MB, ${kind[text]}`, 1.5, at(big, text).node.turn / at(1e6, text).node.turn);
    const [small, large] = [at(1e6, text).node, at(big, text).node];
    aim(`text → compacted text, time per byte at ${size(big)} / at 1 MB, ${kind[text]}`, 1.3, large.compact / large.bytes / (small.compact / small.bytes));
    aim(`memory of the instance / input, after 30 plans, ${kind[text]}, ${size(big)}`, 3, large.memory);
  }
  aim("instantiate a compiled module in V8, ms", 1, r.node.starts.instantiate, ms);
  aim("first answer of the first instance, ms", 5, r.node.starts.first, ms);
  aim("module, brotli 11, KB", 480, r.module.brotli / 1000, (x) => x.toFixed(0));

  const engines = (rows) =>
    table(
      ["text", "size", "`JSON.parse`", "plan", "compacted", "folded with digest", "estimate", "turn, ms", "memory / input"],
      rows.map((x) => [kind[x.text], size(x.size), ...[x.parse, x.plan, x.compact, x.fold, x.estimate].map((t) => speed(x, t)), ms(x.turn), x.memory.toFixed(1)]),
    );
  const peers = table(
    ["text", "size", "ctxfold", "pi", "pruneMessages", "trimMessages"],
    r.peers.map((x) => [kind[x.text], size(x.size), speed(x, find(r.node.rows, x.size, x.text).compact), ...["pi", "pruneMessages", "trimMessages"].map((n) => speed(x, x.compact[n]))]),
  );
  const tokenizers = table(
    ["text", "size", "ctxfold", "tokenx", "gpt-tokenizer", "ai-tokenizer"],
    r.peers.filter((x) => x.estimate.tokenx).map((x) => [kind[x.text], size(x.size), speed(x, find(r.node.rows, x.size, x.text).estimate), ...["tokenx", "gpt-tokenizer", "ai-tokenizer"].map((n) => speed(x, x.estimate[n]))]),
  );
  const go = table(
    ["text", "size", "native", "wazero", "encoding/json"],
    r.native.rows.map((x) => [kind[x.file.split("-")[1]], size(+x.file.split("-")[0]), speed(x, x.native), speed(x, x.wazero), speed(x, x.struct)]),
  );

  await plot("bench-compact.svg", "Text to compacted text in Node, MB/s", r.peers.flatMap((x) => [
    { size: size(x.size), text: kind[x.text], what: "ctxfold", value: +speed(x, find(r.node.rows, x.size, x.text).compact) },
    ...Object.entries(x.compact).map(([what, t]) => ({ size: size(x.size), text: kind[x.text], what, value: +speed(x, t) })),
  ]));
  await plot("bench-turn.svg", "A turn appended and checked, ms (pi: its decision on live objects)", r.peers.flatMap((x) => [
    { size: size(x.size), text: kind[x.text], what: "ctxfold session", value: find(r.node.rows, x.size, x.text).turn },
    { size: size(x.size), text: kind[x.text], what: "pi", value: x.decide.pi },
  ]), "log");

  writeFileSync(here("../docs/BENCHMARKS.md"), `# Benchmarks

Written by \`make bench\` from \`bench/results.json\`; do not edit. Measured on ${r.date}, on ${r.machine}, each number a median
of 9 runs or more, all in one run, in Node ${r.versions.node.slice(1)}, Chromium ${r.versions.chromium} and ${r.versions.go}. Compare numbers of one
run only: the machine was not idle, and ratios are steadier than times. Peers: ${Object.entries(r.versions).filter(([n]) => /pi-coding|langchain|^ai|token/.test(n)).map(([n, v]) => `${n} ${v}`).join(", ")}.

The conversations are those of a coding agent in OpenAI's chat format: questions, tool calls, results of files, answers, about
1 KB a message. In mixed scripts half of all prose is Chinese, Japanese, Russian, Hindi, Arabic or French with emoji. The
estimator is \`${r.estimator}\`.

## Aims

${table(["figure", "aim", "measured", ""], aims)}

## In Node

MB of input a second, but for the last two columns. *plan* clears old tool results and answers a report, *compacted* answers the
transcript, *folded with digest* folds half of it and writes the digest without a model, *estimate* is \`check\`. A *turn* is four
messages appended to a session and checked, as objects in and an object out.

${engines(r.node.rows)}

## In Chromium

${engines(r.chromium.rows)}

## Beside other packages

Text to compacted text, MB/s. \`JSON.parse\` before and \`JSON.stringify\` behind count. pi cuts and keeps the newest half;
\`pruneMessages\` of the AI SDK takes out tool calls and results, as ctxfold does here; \`trimMessages\` of LangChain takes quadratic
time and is left out above 1 MB. Not here: jasper-context-compactor, which has no function to call but a plugin that reads files.

${peers}

![Text to compacted text](bench-compact.svg)

![A turn](bench-turn.svg)

## Estimates beside tokenizers

MB/s of input. ctxfold reads the JSON too; the others are given the texts.

${tokenizers}

## In Go

MB/s. *encoding/json* is Unmarshal into structs, half of the messages dropped, Marshal.

${go}
`);
}

/** A bar chart, one group for each size. */
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
  writeFileSync(here(`../docs/${file}`), await view.toSVG());
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await write(JSON.parse(readFileSync(here("results.json"), "utf8")));
