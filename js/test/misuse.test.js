/** Common mistakes of newcomers. Each is rejected by the types if possible, and otherwise by an error that says what to write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Conversation,
  createCompactor,
  createFitter,
  fit,
  keyValueStore,
  load,
  memoryStore,
  recallFrom,
  restoreFrom,
  searchFrom,
} from "ctxfold";
import { compactMessages } from "ctxfold/langchain";
import { postgresMemory, postgresStates } from "ctxfold/postgres";
import { redisMemory, redisStates } from "ctxfold/redis";
import { sharedMemory, sharedStates } from "ctxfold/shared";
import { createCompactor as createRemote } from "ctxfold/worker";
import { session, tight } from "./support/session.js";

const module = await load();
const history = session(2);

test("a window that is missing or useless is an error that says what to write", async () => {
  /** @type {[any, string, RegExp][]} */
  const cases = [
    [{}, "unknown_window", /"window":\{"tokens":200000\}/],
    [{ policy: {} }, "unknown_window", /"window":\{"unlimited":true\}/],
    [{ window: undefined }, "unknown_window", /there is no context window/],
    [{ model: "unheard-of-9" }, "unknown_window", /the model "unheard-of-9" is unknown/],
    [{ policy: { window: { tokens: Number.NaN } } }, "unknown_window", /"tokens":200000/],
    [{ policy: { window: { tokens: 0 } } }, "unknown_window", /"tokens":200000/],
    [{ window: Number.NaN }, "unknown_window", /such as 200_000, or "unlimited", not NaN/],
    [{ window: 0 }, "unknown_window", /not 0/],
    [{ window: null }, "unknown_window", /not null/],
    [{ window: -1 }, "invalid_option", /not -1/],
    [{ window: 0.5 }, "invalid_option", /not 0.5/],
    [{ window: Number.POSITIVE_INFINITY }, "invalid_option", /or "unlimited", not Infinity/],
    [{ window: "32k" }, "invalid_option", /not "32k"/],
    [{ policy: { window: 8000 } }, "wrong_type", /\{"window":\{"tokens":8000\}\}/],
  ];
  for (const [options, code, message] of cases) {
    const name = JSON.stringify(options);
    await assert.rejects(fit(history, { module, ...options }), { name: "CtxfoldError", code, message }, name);
    await assert.rejects((async () => createFitter({ module, ...options })(history))(), { code, message }, name);
    if (Object.hasOwn(options, "window") || options.model) continue;
    const { policy = {} } = options;
    const compactor = createCompactor({ module, policy });
    assert.throws(() => compactor.check(history), { code, message }, name);
    await assert.rejects(compactor.compact(history), { code, message }, name);
    const conversation = new Conversation(createCompactor({ module, policy }), { messages: history });
    await assert.rejects(conversation.afterTurn(), { code, message }, name);
  }
});

test("who wants no limit says so, and a compaction that is forced needs none", async () => {
  const { messages, report } = await fit(history, { module, window: "unlimited" });
  assert.equal(messages, history);
  assert.equal(report.reason, "unlimited");
  assert.equal((await fit(history, { module, policy: { max_bytes: 100_000 } })).report.reason, "unlimited");
  const conversation = new Conversation(createCompactor({ module }), { messages: session(20) });
  assert.equal((await conversation.compact()).changed, true);
});

test("options of other packages are named as ours, and a text that is no JSON is told what it should be", async () => {
  for (const name of ["maxTokens", "max_tokens", "contextWindow", "tokenLimit", "maxInputTokens"]) {
    const wrong = /** @type {any} */ ({ module, [name]: 8000 });
    await assert.rejects(fit(history, wrong), { code: "invalid_option", message: /did you mean "window"\?/ }, name);
    const says = { code: "invalid_option", message: /did you mean "policy.window.tokens"\?/ };
    assert.throws(() => createCompactor(wrong), says, name);
  }
  const says = { code: "wrong_type", path: "messages", message: /pass \[\{ role: "user", content: "hello" \}\]/ };
  await assert.rejects(fit("hello", { module, window: 9000 }), says);
  assert.throws(() => createCompactor({ module, policy: tight }).check(" hello"), says);
});

test("an id that is no string is an error that says what to write", async () => {
  const says = { code: "invalid_option", path: "id", message: /id is a string, such as "42", not 42/ };
  const fitter = createFitter({ module, window: 9000 });
  await assert.rejects(fitter(history, /** @type {any} */ ({ id: 42 })), says);
  // As an example, the text of any other value would be one id for all conversations.
  for (const [id, named] of /** @type {[any, string][]} */ ([
    [null, "null"],
    [{}, "object"],
    [Symbol("x"), "symbol"],
  ])) {
    const message = `id is a string, not ${named}`;
    await assert.rejects(fitter(history, { id }), { code: "invalid_option", path: "id", message });
  }
  assert.equal((await fitter(history, { id: "42" })).report.reason, "under_budget");
});

/** Values that are no store of any kind: an empty object, half an object, a promise that was not awaited, a class, … */
const NO_STORES = /** @type {any[]} */ ([
  {},
  [],
  { get() {} },
  { put: 1, get: 2 },
  Promise.resolve(memoryStore()),
  memoryStore,
  "x",
  false,
]);

test("a store of the wrong shape is refused before a compaction needs it", async () => {
  const history = session(2); // far below the limit, so that nothing is stored
  const says = (/** @type {string} */ path, /** @type {RegExp} */ message) => ({
    name: "CtxfoldError",
    code: "invalid_option",
    path,
    message,
  });
  const store = says("store", /put\(handle, body\).*get\(handle\).*memoryStore\(\)/);
  const memory = says("memory", /load\(key\).*save\(key, json\).*keyValueStore\(kv\)/);
  const states = says("states", /saveState\(conversation, state\).*loadState\(conversation\).*memoryStore\(\)/);
  const journal = says("journal", /append\(event\).*events\(conversation\).*memoryJournal\(\)/);
  const compactor = createCompactor({ module, policy: tight });
  for (const wrong of NO_STORES) {
    assert.throws(() => createCompactor({ module, policy: tight, store: wrong }), store);
    assert.throws(() => createRemote({ policy: tight, store: wrong }), store);
    assert.throws(() => createFitter({ module, window: 9000, store: wrong }), store);
    assert.throws(() => compactMessages({ window: 9000, store: wrong }), store);
    await assert.rejects(fit(history, { module, window: 9000, store: wrong }), store);
    await assert.rejects(fit(history, { module, window: 9000, memory: wrong }), memory);
    assert.throws(() => createFitter({ module, window: 9000, memory: wrong }), memory);
    assert.throws(() => new Conversation(compactor, { states: wrong }), states);
    assert.throws(() => new Conversation(compactor, { journal: wrong }), journal);
    await assert.rejects(new Conversation(compactor).limitOutput("short", {}, wrong), store);
  }
  await assert.rejects(fit(history, { module, window: 9000, memory: /** @type {any} */ ({ records: {} }) }), memory);
  for (const none of [undefined, null]) {
    createCompactor({ module, policy: tight, store: /** @type {any} */ (none) });
    const fitted = await fit(history, { module, window: 9000, store: /** @type {any} */ (none) });
    assert.equal(fitted.messages, history);
  }
});

test("what is no compactor is refused before anything is asked of it", async () => {
  const says = {
    name: "CtxfoldError",
    code: "invalid_option",
    path: "compactor",
    message: /createCompactor has returned/,
  };
  const whole = createCompactor({ module, policy: tight });
  for (const wrong of /** @type {any[]} */ ([
    undefined,
    null,
    {},
    { policy: tight },
    Promise.resolve(whole),
    [],
    "x",
  ])) {
    assert.throws(() => new Conversation(wrong), says);
    await assert.rejects(restoreFrom(memoryStore(), wrong, []), says);
    await assert.rejects(searchFrom(memoryStore(), wrong, "bees"), says);
    await assert.rejects(recallFrom(memoryStore(), wrong, { handle: "0123456789abcdef" }), says);
  }
});

test("restoring and searching need a store that can be read", async () => {
  const compactor = createCompactor({ module, policy: tight });
  await compactor.ready();
  const says = { name: "CtxfoldError", code: "invalid_option", path: "store", message: /get\(handle\)/ };
  for (const wrong of /** @type {any[]} */ ([undefined, null, {}, { get: 1 }, "x", memoryStore])) {
    await assert.rejects(restoreFrom(wrong, compactor, history), says);
    await assert.rejects(searchFrom(wrong, compactor, "bees", { messages: history }), says);
    await assert.rejects(recallFrom(wrong, compactor, { handle: "0123456789abcdef" }), says);
  }
  const read = /** @type {any} */ ({ get: () => undefined });
  assert.equal((await restoreFrom(read, compactor, history)).messages, history);
});

test("what stores are made of is checked when they are made", () => {
  const says = (/** @type {string} */ path, /** @type {RegExp} */ message) => ({
    name: "CtxfoldError",
    code: "invalid_option",
    path,
    message,
  });
  for (const wrong of /** @type {any[]} */ ([
    undefined,
    null,
    {},
    "redis://localhost",
    Promise.resolve({}),
    new Map(),
  ])) {
    assert.throws(() => keyValueStore(wrong), says("kv", /get\(key\).*put\(key, value\)/));
    for (const make of [sharedMemory, sharedStates]) {
      assert.throws(() => make(wrong), says("records", /find, keep, lease, renew, release and keepLeased/));
    }
    for (const make of [redisMemory, redisStates]) {
      assert.throws(() => make(wrong), says("client", /client of the package redis or ioredis/));
    }
    for (const make of [postgresMemory, postgresStates]) {
      assert.throws(() => make(wrong), says("client", /a Pool of pg or the sql function of postgres/));
    }
  }
});

test("a callback that is only told something costs nothing where it fails, and its text is logged", async () => {
  /** @type {string[]} */
  const logged = [];
  const { warn } = console;
  console.warn = (line) => logged.push(String(line));
  const broken = (/** @type {string} */ name) => () => {
    throw new Error(`${name} is broken`);
  };
  const rejecting = (/** @type {string} */ name) => () => Promise.reject(new Error(`${name} is broken`));
  const summarize = async (/** @type {any} */ _, /** @type {any} */ { onDelta }) => {
    onDelta("The user ");
    return "## Goal\nThe user wants every file read and counted. Much was done and is known.";
  };
  try {
    const policy = { ...tight, format: /** @type {const} */ ("openai-chat") };
    const told = { onEvent: rejecting("onEvent"), onDelta: broken("onDelta") };
    const long = session(20);
    const fitted = await fit(long, { module, policy, summarize, ...told, onCompaction: broken("onCompaction") });
    assert.equal(fitted.report.summary.source, "model");
    const done = await createCompactor({ module, policy, summarize, ...told, onEvent: broken("onEvent") }).compact(
      long,
    );
    assert.equal(done.report.summary.source, "model");
    const conversation = new Conversation(createCompactor({ module, policy, summarize }), {
      messages: long,
      journal: { append: rejecting("journal"), events: () => [] },
      afterCompact: broken("afterCompact"),
      onJournalError: broken("onJournalError"),
    });
    assert.equal((await conversation.afterTurn()).changed, true);
    for (const name of ["onEvent", "onDelta", "onCompaction", "afterCompact", "onJournalError"]) {
      assert.ok(logged.includes(`ctxfold: ${name} failed: ${name} is broken`), name);
    }
  } finally {
    console.warn = warn;
  }
});

test("what a summarizer throws is in the report", async () => {
  const summarize = async () => {
    throw new Error("the key is wrong");
  };
  const { report } = await createFitter({ module, policy: tight, format: "openai-chat", summarize })(session(20));
  assert.equal(report.summary.source, "local");
  assert.equal(report.summary.why, "summarizer_failed");
  assert.equal(report.summary.error, "the key is wrong");
});

/** Never run: the compiler refuses each line below `@ts-expect-error`. */
export async function misspelt() {
  const { report } = await fit(history, { window: "unlimited" });
  // @ts-expect-error a wire format that does not exist
  await fit(history, { format: "openai" });
  // @ts-expect-error a preset that does not exist
  await fit(history, { policy: { preset: "agent_loop" } });
  // @ts-expect-error an estimator that does not exist
  await fit(history, { policy: { estimator: "tiktoken" } });
  // @ts-expect-error a reason that does not exist
  if (report.reason === "compactd") return;
  // @ts-expect-error an object without messages
  await fit({ foo: 1 });
  // @ts-expect-error a window is an object in a policy
  createCompactor({ policy: { window: 8000 } });
  // @ts-expect-error a window is a number or "unlimited"
  await fit(history, { window: "32k" });
  await fit({ model: "m", messages: history }, { window: 1000 });
  await fit({ model: "m", input: history }, { window: 1000 });
  await fit({ contents: history }, { window: 1000 });
}
