// node main.js < transcript.json > shorter.json: compacts a transcript with the component, which jco has transpiled into build/component:
// jco transpile ctxfold.component.wasm --instantiation async --name ctxfold --out-dir build/component
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

const folder = new URL("../../build/component/", import.meta.url);
const { instantiate } = await import(new URL("ctxfold.js", folder).href);
const compile = async (name) => WebAssembly.compile(await readFile(new URL(name, folder)));
const { engine } = await instantiate(compile, {});

/** Stands in for a real model. */
const askMyModel = async ({ id }) => `Summary ${id}: the agent worked on the user's request and is not done yet.`;

const policy = JSON.stringify({ window: { tokens: 16000 } });
const messages = await text(process.stdin);
let outcome = engine.plan({ policy, messages });
while (outcome.tag === "summaries") {
  const { plan, requests } = outcome.val;
  const answered = requests.map(async (request) => {
    const val = { text: await askMyModel(request), streamed: false };
    return { id: request.id, answer: { tag: "ok", val } };
  });
  outcome = engine.step(plan, await Promise.all(answered), [], messages);
}
const { report, messages: shorter } = outcome.val;
process.stderr.write(`${report.tokensBefore} tokens before, ${report.tokensAfter} after\n`);
process.stdout.write(shorter);
