// What npm publishes, and its types as a strict program sees them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = `${root}node_modules/typescript/bin/tsc`;

test("the package holds what is built, its module and its papers, and nothing else", async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], { cwd: root });
  const [{ files }] = JSON.parse(stdout);
  const paths = files.map((/** @type {{path: string}} */ { path }) => path);
  /** @param {string} path */
  const built = (path) => /^dist\/[a-z-]+(\/[a-z-]+)?\.(js|d\.ts)$/.test(path);
  // LICENSE and NOTICE are put there by prepack.
  const others = paths.filter((/** @type {string} */ path) => !built(path) && !/^(LICENSE|NOTICE)$/.test(path));
  assert.deepEqual(others.sort(), ["README.md", "ctxfold.wasm", "package.json"]);
  for (const path of paths) {
    if (path.endsWith(".js") && !path.endsWith("inline-module.js")) {
      assert.ok(paths.includes(path.replace(/\.js$/, ".d.ts")), `${path} has no types`);
    }
  }
});

/** A program that uses all entries; what is marked must be refused. */
const PROGRAM = `
import { Conversation, createCompactor, CtxfoldError, indexedDBStore, load, memoryStore, recallFrom, restoreFrom } from "ctxfold";
import type { CompactorEvent, Done, LiveSession, Policy, RemoteSession, Report, Store, Summarize } from "ctxfold";
import * as core from "ctxfold/core";
import * as inline from "ctxfold/inline";
import { createCompactor as createRemote } from "ctxfold/worker";

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
  const answer = compactor.plan(history);
  if (answer.requests.length > 0 && "plan" in answer) compactor.step(history, answer.plan, []);
  const session: LiveSession = compactor.session(history);
  const tokens: number = session.append({ role: "user" });
  const remote: RemoteSession = createRemote({ policy }).session();
  const later: Promise<number> = remote.append({ role: "user" });
  for (const each of [compactor, createRemote()]) {
    const conversation = new Conversation(each, { messages: history, states: indexedDBStore() });
    const { value } = await conversation.call(async (messages) => messages.length);
    value satisfies number;
  }
  await restoreFrom(store, compactor, history);
  (await recallFrom(store, compactor, {})) satisfies string;
  core.createCompactor({ module: new URL("https://example.org/ctxfold.wasm") });
  await inline.load();
  try {
    compactor.check(history);
  } catch (error) {
    if (error instanceof CtxfoldError) [error.code, error.path, error.offset] satisfies [string, string, number];
  }
  [text, bytes, tokens, later];
  // @ts-expect-error a policy has no such key
  createCompactor({ policy: { windows: 1 } });
  // @ts-expect-error a compactor of the worker gives promises
  createRemote().check(history).due;
  const compacted: Done<Message[]> = await compactor.compact(history);
  return compacted.messages as Message[];
}
`;

/** The adapters; the packages beside them have types that a strict program does not check. */
const ADAPTERS = `
import { prepareStep, compactionMiddleware } from "ctxfold/ai-sdk";
import { compactingFetch as forAnthropic } from "ctxfold/anthropic";
import { compactMessages } from "ctxfold/langchain";
import { compactingFetch as forOpenAI } from "ctxfold/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, wrapLanguageModel, type LanguageModel } from "ai";
import OpenAI from "openai";

const options = { policy: { window: { tokens: 1000 } }, onCompaction: (report: { reason: string }) => report.reason };
new OpenAI({ apiKey: "", fetch: forOpenAI(options) });
new Anthropic({ apiKey: "", fetch: forAnthropic(options) });
export const runnable = compactMessages(options);
export const call = (model: LanguageModel) => generateText({ model, prompt: "", prepareStep: prepareStep(options) });
export const wrapped = (model: Parameters<typeof wrapLanguageModel>[0]["model"]) =>
  wrapLanguageModel({ model, middleware: compactionMiddleware({ ...options, specificationVersion: "v3" }) });
`;

const STRICT =
  "--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --verbatimModuleSyntax --pretty false --target es2022";

for (const [name, program, options] of /** @type {const} */ ([
  ["as Node finds them, without Node's own types", PROGRAM, "--module nodenext --lib es2024,dom"],
  ["as a bundler finds them", PROGRAM, "--module esnext --moduleResolution bundler --lib es2024,dom"],
  ["of the adapters", ADAPTERS, "--module nodenext --lib es2024,dom --types node --skipLibCheck"],
])) {
  test(`types in a strict program: ${name}`, { timeout: 120_000 }, async (t) => {
    const folder = `${root}build-types`; // inside the package, where its own name leads to it
    await mkdir(folder, { recursive: true });
    t.after(() => rm(folder, { recursive: true, force: true }));
    await writeFile(`${folder}/program.ts`, program);
    const args = [compiler, ...STRICT.split(" "), ...options.split(" "), "program.ts"];
    await run(process.execPath, args, { cwd: folder }).catch((error) => assert.fail(error.stdout || error));
  });
}
