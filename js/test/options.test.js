// A misspelled option is rejected at every entry, with a suggestion of the option that was probably meant.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as main from "ctxfold";
import * as aiSdk from "ctxfold/ai-sdk";
import * as anthropic from "ctxfold/anthropic";
import * as chrome from "ctxfold/chrome";
import * as core from "ctxfold/core";
import * as inline from "ctxfold/inline";
import * as langchain from "ctxfold/langchain";
import * as openai from "ctxfold/openai";
import { transformers } from "ctxfold/transformers";
import { webllm } from "ctxfold/webllm";
import * as worker from "ctxfold/worker";

const module = await main.load();
const compactor = main.createCompactor({ module, policy: { format: "openai-chat", window: { unlimited: true } } });
/** @type {any} */
const messages = [{ role: "user", content: "Hello" }];
/** @type {any} */
const engine = { chat: { completions: {} }, model: {}, tokenizer: {} };

/** Calls with an unknown option. @type {[string, string, (options: any) => any][]} */
const CALLS = [
  ...Object.entries({ main, core, inline, worker }).flatMap(([name, entry]) => [
    /** @type {any} */ ([`${name} fit`, "summarize", (/** @type {any} */ o) => entry.fit(messages, o)]),
    [`${name} createFitter`, "summarize", (/** @type {any} */ o) => entry.createFitter(o)],
    [`${name} createCompactor`, "summarize", (/** @type {any} */ o) => entry.createCompactor(o)],
    [
      `${name} digestOf`,
      "policy",
      (/** @type {any} */ o) => entry.digestOf({ role: "user", content: "[Summary] Read." }, o),
    ],
  ]),
  ["a call of a fitter", "signal", (o) => main.createFitter({ module })(messages, o)],
  ["Conversation", "journal", (o) => new main.Conversation(compactor, o)],
  ["compact", "signal", (o) => compactor.compact(messages, o)],
  ["plan", "memory", (o) => compactor.plan(messages, o)],
  ["check", "usage", (o) => compactor.check(messages, o)],
  ["estimate", "usage", (o) => compactor.estimate(messages, o)],
  ["session", "state", (o) => compactor.session(messages, o)],
  ["check of a session", "usage", (o) => compactor.session(messages).check(o)],
  ["compact of a session", "signal", (o) => compactor.session(messages).compact(o)],
  ["prepareStep", "onError", aiSdk.prepareStep],
  ["compactionMiddleware (ai-sdk)", "onError", aiSdk.compactionMiddleware],
  ["compactingFetch (anthropic)", "onError", anthropic.compactingFetch],
  ["compactingFetch (openai)", "onError", openai.compactingFetch],
  ["compactionMiddleware (langchain)", "onError", langchain.compactionMiddleware],
  ["compactMessages", "onError", langchain.compactMessages],
  ["summarizeWith (anthropic)", "model", (o) => anthropic.summarizeWith(engine, o)],
  ["summarizeWith (openai)", "model", (o) => openai.summarizeWith(engine, o)],
  ["languageModel", "languages", chrome.languageModel],
  ["summarizer", "languages", chrome.summarizer],
  ["languageModelAvailability", "languages", chrome.languageModelAvailability],
  ["webllm", "contextWindow", (o) => webllm(engine, o)],
  ["transformers", "contextWindow", (o) => transformers(engine, o)],
];

for (const [name, option, call] of CALLS) {
  test(`${name}: a misspelt ${option}`, async () => {
    const misspelt = option.slice(0, -2) + option.slice(-1);
    Object.assign(globalThis, { LanguageModel: { availability: async () => "available" } });
    Object.assign(globalThis, { Summarizer: { availability: async () => "available" } });
    await assert.rejects(
      async () => call({ unread: undefined, [misspelt]: 1 }),
      (error) => {
        assert.ok(error instanceof main.CtxfoldError);
        assert.equal(error.code, "invalid_option");
        assert.match(error.message, new RegExp(`did you mean "${option}"`));
        return true;
      },
    );
  });
}

test("options that the package sets are refused everywhere, before anything is changed", async (t) => {
  const { fit } = main;
  const remote = worker.createCompactor({ policy: { format: "openai-chat" } });
  t.after(() => remote.close());
  const held = compactor.session(messages);
  const there = remote.session(messages);
  for (const options of [{ answer: "report" }, { answer: "messages" }, { answer: "edits" }, { only_known: true }]) {
    /** @type {any} */
    const given = { options };
    const [name] = Object.keys(options);
    for (const call of [
      () => compactor.compact(messages, given),
      () => compactor.plan(messages, given),
      () => compactor.check(messages, given),
      () => held.plan(given),
      () => held.check(given),
      () => held.compact(given),
      () => remote.compact(messages, given),
      () => remote.check(messages, given),
      () => there.plan(given),
      () => there.compact(given),
      () => fit(messages, { ...given, format: "openai-chat" }),
    ]) {
      await assert.rejects(async () => call(), { code: "invalid_option", path: `options.${name}` }, String(call));
    }
    assert.equal(held.messages[0], messages[0]);
  }
  assert.equal(held.check().due, false);
});

test("what other packages call it is answered with the name here", async () => {
  for (const [given, meant] of /** @type {const} */ ([
    ["maxTokens", "window"],
    ["context_window", "window"],
    ["force", "options.force"],
  ])) {
    await assert.rejects(async () => main.fit([], /** @type {any} */ ({ [given]: 1 })), {
      code: "invalid_option",
      message: new RegExp(`did you mean "${meant.replace(".", "\\.")}"`),
    });
  }
});

test("an option of a call that is given when the function is made is answered with the call, and the other way round", async () => {
  const { createFitter, CtxfoldError } = main;
  const made = createFitter({ module });
  /** @param {() => any} call @param {string} path @param {RegExp} message */
  const refused = (call, path, message) =>
    assert.rejects(
      async () => call(),
      (error) => {
        assert.ok(error instanceof CtxfoldError, String(error));
        assert.deepEqual([error.code, error.path], ["invalid_option", path]);
        assert.match(error.message, message);
        return true;
      },
    );
  for (const name of ["id", "usage", "signal", "next", "timeoutMs", "options"]) {
    /** @type {any} */
    const given = { [name]: 1 };
    for (const entry of [main, core, inline, worker]) {
      await refused(() => entry.createFitter(given), name, new RegExp(`the call: fit\\(history, \\{ ${name} \\}\\)`));
    }
  }
  for (const name of ["usage", "signal", "timeoutMs", "options"]) {
    /** @type {any} */
    const given = { [name]: 1 };
    for (const entry of [main, core, inline, worker]) {
      await refused(
        () => entry.createCompactor(given),
        name,
        new RegExp(`the call: compact\\(messages, \\{ ${name} \\}\\)`),
      );
    }
  }
  for (const name of ["memory", "summarize", "window", "store"]) {
    /** @type {any} */
    const given = { [name]: 1 };
    await refused(() => made(messages, given), name, new RegExp(`createFitter\\(\\{ ${name} \\}\\)`));
    if (name === "memory" || name === "window") continue;
    await refused(() => compactor.compact(messages, given), name, new RegExp(`createCompactor\\(\\{ ${name} \\}\\)`));
  }
});

test("what cannot remember is refused as a memory before anything is asked", async () => {
  const { load: _, ...noLoad } = main.memoryStore();
  const { save: __, ...noSave } = main.memoryStore();
  for (const memory of [noLoad, noSave, {}, new Map(), "redis://", 7, true, async () => {}, { memories: undefined }]) {
    /** @type {any} */
    const given = { memory };
    for (const entry of [main, core, inline, worker]) {
      for (const call of [
        () => entry.createFitter(given),
        () => entry.createFitter({ ...given, shared: true }),
        () => entry.fit(messages, given),
        () => aiSdk.prepareStep(given),
      ]) {
        await assert.rejects(
          async () => call(),
          (error) => {
            assert.ok(error instanceof main.CtxfoldError, String(error));
            assert.deepEqual([error.code, error.path], ["invalid_option", "memory"]);
            assert.match(error.message, /load\(key\).*save\(key, json\).*indexedDBStore\(\)/);
            return true;
          },
        );
      }
    }
  }
});
