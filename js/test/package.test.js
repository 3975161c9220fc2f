// Tests the contents of the npm package, and its types in a strict program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createCompactor, load } from "ctxfold";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = `${root}node_modules/typescript/bin/tsc`;

test("the package holds what is built, its module and its papers, and nothing else", async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { cwd: root });
  const [{ files }] = JSON.parse(stdout);
  const paths = files.map((/** @type {{path: string}} */ { path }) => path);
  /** @param {string} path */
  const built = (path) => /^dist\/[a-z-]+(\/[a-z-]+|\.gen)?\.(js|d\.ts)$/.test(path);
  // LICENSE and NOTICE are copied by prepack.
  const others = paths.filter((/** @type {string} */ path) => !built(path) && !/^(LICENSE|NOTICE)$/.test(path));
  assert.deepEqual(others.sort(), ["README.md", "ctxfold-slim.wasm", "ctxfold.wasm", "package.json"]);
  for (const path of paths) {
    if (path.endsWith(".js") && !path.endsWith("inline-module.js")) {
      assert.ok(paths.includes(path.replace(/\.js$/, ".d.ts")), `${path} has no types`);
    }
  }
});

test("the package says where it comes from, and its README leads to what is there", async () => {
  const { repository } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  assert.deepEqual(repository, {
    type: "git",
    url: "git+https://github.com/ctxfold/ctxfold.git",
    directory: "js",
  });
  const readme = await readFile(`${root}README.md`, "utf8");
  const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(
    ([, text = ""]) =>
      `#${text
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .trim()
        .replaceAll(" ", "-")}`,
  );
  const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  assert.ok(links.length >= 4);
  for (const link of links) {
    // Links may not lead to other files of the repository, which are not in the tarball.
    const [, path] = link.match(/^https:\/\/github\.com\/ctxfold\/ctxfold\/(?:blob|tree)\/main\/([^#]+)/) ?? [];
    if (path) assert.ok(existsSync(`${root}../${path}`), `${link}: there is no such file`);
    else assert.ok(headings.includes(link), `${link} leads nowhere from the tarball`);
  }
  const named = [...readme.matchAll(/(?<!main\/)\bdocs\/[\w.-]+/g)].map(([name]) => name);
  for (const name of named) assert.ok(existsSync(`${root}../${name}`), name);
});

/** Returns the literals of a type in the declarations. @param {string} types @param {string} name */
function literals(types, name) {
  const [, union = ""] = types.match(new RegExp(`^export type ${name} =([^;]*);`, "m")) ?? [];
  return [...union.matchAll(/"([^"]*)"/g)].map(([, literal]) => literal).sort();
}

test("the names in the types are those of the module and of the documents", async () => {
  const types = await readFile(`${root}src/types.gen.ts`, "utf8");
  const info = createCompactor({ module: await load() }).info();
  const names = (/** @type {{name: string}[]} */ list) => list.map(({ name }) => name).sort();
  assert.deepEqual(literals(types, "Format"), names(info.formats));
  assert.deepEqual(literals(types, "Preset"), names(info.presets));
  assert.deepEqual(literals(types, "Estimator"), [...info.estimators].sort());
  assert.deepEqual(literals(types, "PassName"), [...info.passes].sort());
  assert.deepEqual(literals(types, "Operation"), [...info.ops, "function"].sort()); // which the full module has
  const page = await readFile(`${root}../docs/reference/report.md`, "utf8");
  for (const [heading, name] of [
    ["Reasons", "Reason"],
    ["Actions", "ActionName"],
  ]) {
    const [, table = ""] = page.match(new RegExp(`^## ${heading}\n(.*?)^## `, "ms")) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, row]) => row).sort();
    assert.deepEqual(literals(types, name ?? ""), rows);
  }
  const [, report = ""] = types.match(/^export interface Report \{\n(.*?)^\}/ms) ?? [];
  const keys = [...report.matchAll(/^ {2}(\w+)\??:/gm)].map(([, key]) => key).sort();
  const [, table = ""] = page.match(/^## Keys\n(.*?)^## /ms) ?? [];
  const rows = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, row = ""]) => row.replaceAll("`", "").split(" "));
  assert.deepEqual(keys, rows.sort());
});

/** A program that uses all entries. The marked lines must be rejected. */
const PROGRAM = `
import {
  Conversation, createCompactor, createFitter, CtxfoldError, digestOf, fit, indexedDBStore, isDigest, load, memoryStore, recallFrom, restoreFrom, searchFrom,
} from "ctxfold";
import type {
  CompactorEvent, Digest, Done, Estimator, FitMemory, Format, LiveSession, Policy, Preset, RemoteSession, Report, Store, Summarize,
} from "ctxfold";
import * as core from "ctxfold/core";
import * as inline from "ctxfold/inline";
import { createCompactor as createRemote, fit as remoteFit } from "ctxfold/worker";

interface Message { role: "user" | "assistant"; content: string; at?: Date }
const history: Message[] = [];
const policy: Policy = { format: "openai-chat", window: { tokens: 1000 } };
const summarize: Summarize = async ({ prompt }, { signal }) => (signal.aborted ? "" : prompt);
const store: Store = memoryStore();
const onEvent = (event: CompactorEvent) => {
  if (event.type === "done") event.report satisfies Report;
};

export async function uses(): Promise<Message[]> {
  const compactor = createCompactor({ module: await load(), policy, summarize, store, onEvent });
  const done = await compactor.compact({ model: "m", messages: history }, { signal: new AbortController().signal });
  done.messages.model satisfies string;
  const text: string = (await compactor.compact("[]")).messages;
  const bytes: Uint8Array = (await compactor.compact(new Uint8Array())).messages;
  let answer = compactor.plan(history);
  while ("plan" in answer) answer = compactor.step(history, answer.plan, []);
  answer.messages satisfies Message[];
  if (answer.report.reason === "compacted") answer.state;
  // @ts-expect-error nor is there such an action
  answer.report.actions[0]?.action === "cleared";
  const session: LiveSession<Message> = compactor.session(history);
  const tokens: number = session.append({ role: "user", content: "And now?" });
  session.messages[0]?.content satisfies string | undefined;
  (await session.compact()).messages.at(-1)?.at satisfies Date | undefined;
  const remote: RemoteSession = createRemote({ policy }).session();
  const later: Promise<number> = remote.append({ role: "user" });
  const memory: FitMemory = { load: (key) => localStorage.getItem(key), save: (key, json) => localStorage.setItem(key, json) };
  const { messages: sent } = await fit(history, { window: 128_000, model: "gpt-4o", format: "openai-chat", summarize, memory, id: "a" });
  sent satisfies Message[];
  (await fit({ model: "m", messages: history }, { window: 1 })).messages.model satisfies string;
  (await createFitter({ policy })(history, { signal: null })).messages.at(-1)?.role satisfies "user" | "assistant" | undefined;
  (await remoteFit("[]", { window: 1 })).messages satisfies string;
  createCompactor({ policy: { model: "gpt-4o", preset: "layered", passes: [{ pass: "fold", keep_tokens: 1000 }] } });
  // A name from an external source must be checked first.
  createCompactor({ policy: { preset: text as Preset, format: text as Format, estimator: text as Estimator } });
  // @ts-expect-error there is no such preset
  createCompactor({ policy: { preset: "agent_loop" } });
  // @ts-expect-error there is no such format
  createCompactor({ policy: { format: "openai" } });
  // @ts-expect-error a name is a text
  createCompactor({ policy: { preset: 7 } });
  // @ts-expect-error there is no such pass
  createCompactor({ policy: { passes: [{ pass: "summarize" }] } });
  // @ts-expect-error a pass has no parameter of another one
  createCompactor({ policy: { passes: [{ pass: "clear", keep_tokens: 1000 }] } });
  for (const each of [compactor, createRemote()]) {
    const conversation = new Conversation(each, { messages: history, states: indexedDBStore() });
    const { value } = await conversation.call(async (messages) => messages.length);
    value satisfies number;
    conversation.messages.at(-1)?.content satisfies string | undefined;
    (await conversation.afterTurn()).done?.messages satisfies Message[] | undefined;
  }
  await restoreFrom(store, compactor, history);
  const digest: Digest | undefined = (await digestOf({ role: "user" })) ?? compactor.digests(history).find(({ own }) => own);
  sent.filter(isDigest) satisfies Message[];
  digest?.sections.map(({ heading, lines }) => [heading, ...lines] satisfies string[]);
  (await recallFrom(store, compactor, {})) satisfies string;
  (await searchFrom(store, compactor, "who")).results satisfies { snippet: string }[];
  core.createCompactor({ module: new URL("https://example.org/ctxfold.wasm") });
  await inline.load();
  try {
    compactor.check(history);
  } catch (error) {
    if (error instanceof CtxfoldError) [error.code, error.path, error.offset] satisfies [string, string, number];
    // @ts-expect-error there is no such code
    if (error instanceof CtxfoldError && error.code === "not_ready") return history;
  }
  [text, bytes, tokens, later];
  // @ts-expect-error a fit has no such option
  fit(history, { windw: 1 });
  // @ts-expect-error a session has the app's own messages
  session.append({ role: "user" });
  // @ts-expect-error a policy has no such key
  createCompactor({ policy: { windows: 1 } });
  // @ts-expect-error a compactor of the worker gives promises
  createRemote().check(history).due;
  const compacted: Done<Message[]> = await compactor.compact(history);
  return compacted.messages;
}
`;

/** Programs that use the adapters. The packages next to them have types that a strict program doesn't check. */
const ADAPTERS = `
import { prepareStep, compactionMiddleware } from "ctxfold/ai-sdk";
import { compactingFetch as forAnthropic } from "ctxfold/anthropic";
import { compactMessages } from "ctxfold/langchain";
import { sharedMemory, type SharedRecords } from "ctxfold/shared";
import { compactingFetch as forOpenAI } from "ctxfold/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, wrapLanguageModel, type LanguageModel } from "ai";
import OpenAI from "openai";

const options = { policy: { window: { tokens: 1000 } }, onCompaction: (report: { reason: string }) => report.reason };
export const over = (records: SharedRecords) => forOpenAI({ ...options, memory: sharedMemory(records, { leaseMs: 1000 }) });
new OpenAI({ apiKey: "", fetch: forOpenAI(options) });
new Anthropic({ apiKey: "", fetch: forAnthropic(options) });
export const runnable = compactMessages(options);
export const call = (model: LanguageModel) => generateText({ model, prompt: "", prepareStep: prepareStep(options) });
export const wrapped = (model: Parameters<typeof wrapLanguageModel>[0]["model"]) =>
  wrapLanguageModel({ model, middleware: compactionMiddleware({ ...options, specificationVersion: "v3" }) });
`;

const STRICT =
  "--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --verbatimModuleSyntax --pretty false --target es2022";

const NODE = "--module nodenext --lib es2024,dom";

for (const [name, program, options] of /** @type {const} */ ([
  ["as Node finds them, without Node's own types", PROGRAM, NODE],
  ["as a bundler finds them", PROGRAM, "--module esnext --moduleResolution bundler --lib es2024,dom"],
  ["of the adapters", ADAPTERS, `${NODE} --types node --skipLibCheck`],
])) {
  test(`types in a strict program: ${name}`, (t) => compiles(t, program, options));
}

/** Declarations that the code blocks in documents expect from the reader's own program. */
const GIVEN = `
import type { Compactor, SummaryRequest } from "ctxfold";
export { createCompactor } from "ctxfold";
export { readFile } from "node:fs/promises";
export { setTimeout } from "node:timers/promises";
export declare const history: { role: string; content: string }[];
export declare const compactor: Compactor;
export declare const client: import("ctxfold/redis").NodeRedisClient;
export { text } from "node:stream/consumers";
export declare const engine: { plan(given: object): Outcome; step(plan: Uint8Array, answered: object[], known: object[], messages: string): Outcome };
type Outcome = { tag: "summaries"; val: { plan: Uint8Array; requests: { id: string }[] } } | { tag: "done"; val: object };
export declare function askMyModel(request: SummaryRequest | object): Promise<string>;
`;

/** Returns a code block as a complete program, with declarations of everything that it uses but doesn't declare. @param {string} code */
function program(code) {
  const given = [...GIVEN.matchAll(/^export (?:\{ (\w+) \}|declare (?:const|function) (\w+))/gm)].map(
    ([, a, b]) => a ?? b,
  );
  const wanted = given.filter((name) => {
    const own = new RegExp(
      `\\b(?:const|let|function)\\s+(?:\\{[^}]*\\b${name}\\b[^}]*\\}|${name}\\b)|^import .*\\b${name}\\b`,
      "m",
    );
    // The setTimeout of node:timers/promises has the time as its first argument.
    const used = new RegExp(name === "setTimeout" ? "\\bsetTimeout\\(\\d" : `\\b${name}\\b`);
    return used.test(code) && !own.test(code);
  });
  const messages = /^messages = /m.test(code) ? "let messages: object[] = [];\n" : "";
  return `import { ${wanted.join(", ")} } from "./given.js";\n${messages}${code}\nexport {};\n`;
}

/** The minimum number of JavaScript blocks in each document. All documents count; recipes.md is compiled with its frameworks. */
const LEAST = new Map([
  ["README.md", 1],
  ["js/README.md", 5],
  ["docs/start/javascript.md", 12],
  ["docs/start/integrations.md", 6],
]);

test("types in a strict program: the blocks of the documents", async (t) => {
  const blocks = [];
  const docs = await readdir(`${root}../docs`, { recursive: true });
  const pages = docs
    .filter((name) => name.endsWith(".md") && !name.endsWith("recipes.md"))
    .map((name) => `docs/${name}`);
  for (const name of ["README.md", "js/README.md", ...pages]) {
    const text = await readFile(`${root}../${name}`, "utf8");
    const found = [...text.matchAll(/^```(?:js|ts)\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    assert.ok(found.length >= (LEAST.get(name) ?? 0), `${name} has ${found.length} blocks`);
    // app.mjs is the reader's own program, which GIVEN declares.
    blocks.push(...found.filter((code) => !code.startsWith("// app.mjs\n")).map(program));
  }
  await compiles(t, blocks, `${NODE} --types node --skipLibCheck`, {
    "given.ts": GIVEN,
    "app.mts": GIVEN,
  });
});

/**
 * Fails with the compiler's errors, if there are any.
 * @param {import("node:test").TestContext} t
 * @param {string | string[]} programs
 * @param {string} options
 * @param {Record<string, string>} [files] other files
 */
async function compiles(t, programs, options, files = {}) {
  // The folder is inside the package, so that the package's own name resolves to it.
  const folder = await mkdtemp(`${root}build-types-`);
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(`${folder}/${name}`, text);
  const names = [programs].flat().map((_, i) => `program${i}.ts`);
  for (const [i, program] of [programs].flat().entries()) await writeFile(`${folder}/program${i}.ts`, program);
  const args = [compiler, ...STRICT.split(" "), ...options.split(" "), ...names];
  await run(process.execPath, args, { cwd: folder }).catch((error) => assert.fail(error.stdout || error));
}
