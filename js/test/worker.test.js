import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { createFitter as fitterHere, load, createCompactor as onThisThread } from "ctxfold";
import { createCompactor, createFitter } from "ctxfold/worker";
import { slicedTranscript } from "../dist/transcript.js";
import { full, noFull } from "./support/full.js";
import { session, summary, tight } from "./support/session.js";

/**
 * Creates a compactor in a worker, which ends with the test.
 * @param {import("node:test").TestContext} t
 * @param {import("ctxfold/worker").RemoteOptions} options
 */
function remote(t, options = {}) {
  const compactor = createCompactor(options);
  t.after(() => compactor.close());
  return compactor;
}

/**
 * Calls `heard` with each message that a page sends to its worker.
 * @param {import("node:test").TestContext} t
 * @param {(message: any) => void} heard
 */
function listenIn(t, heard) {
  const { postMessage } = Worker.prototype;
  t.mock.method(
    Worker.prototype,
    "postMessage",
    /** @this {Worker} */ function (/** @type {any} */ message, /** @type {any} */ ...rest) {
      heard(message);
      return Reflect.apply(postMessage, this, [message, ...rest]);
    },
  );
}

test("the worker gives what this thread gives, for every kind, and live messages keep their identity", async (t) => {
  const live = session(20);
  live[0].when = new Date(0);
  const text = JSON.stringify(live);
  for (const messages of [live, text, new TextEncoder().encode(text), { model: "m", messages: live }]) {
    const options = { policy: tight, summarize: async () => summary };
    const compactor = remote(t, options);
    const there = await compactor.compact(messages);
    assert.deepEqual(there, await onThisThread(options).compact(messages));
    assert.deepEqual(compactor.state, there.state);
  }
  const { messages } = await remote(t, { policy: tight }).compact(live);
  assert.equal(messages[0], live[0]);
  assert.equal(messages.at(-1), live.at(-1));
});

test("nothing due: the very same array comes back", async (t) => {
  const messages = session(2);
  assert.equal((await remote(t, { policy: tight }).compact(messages)).messages, messages);
});

test("plan and step, and every operation that asks", async (t) => {
  const there = remote(t, { policy: tight });
  const here = onThisThread({ module: await load(), policy: tight });
  const messages = session(20);
  const pending = await there.plan(messages);
  assert.deepEqual(pending, here.plan(messages));
  assert.ok("plan" in pending);
  const summaries = [{ id: pending.requests[0].id, text: summary }];
  assert.deepEqual(await there.step(messages, pending.plan, summaries), here.step(messages, pending.plan, summaries));
  const broken = messages.toSpliced(7, 1);
  for (const op of /** @type {const} */ (["estimate", "check", "validate", "repair", "detect"])) {
    assert.deepEqual(await there[op](broken), here[op](broken), op);
  }
  for (const given of [broken, JSON.stringify(broken), new TextEncoder().encode(JSON.stringify(broken))]) {
    assert.deepEqual(await there.convert(given, "anthropic"), here.convert(given, "anthropic"));
  }
  assert.equal((await there.convert(messages, "openai-chat", "openai-chat")).messages, messages);
  assert.deepEqual(await there.estimateText("12345678"), here.estimateText("12345678"));
  assert.deepEqual(await there.info(), here.info());
  const file = await readFile(new URL("../../testdata/sessions/claude-code.jsonl", import.meta.url));
  assert.deepEqual(await there.open(file.toString()), here.open(file.toString()));
  assert.deepEqual(await there.open(file), here.open(file));
});

test("functions are called in the full module", { skip: noFull }, async (t) => {
  const there = remote(t, { policy: tight, module: full });
  const here = onThisThread({ module: await load(full), policy: tight });
  const messages = session(20);
  assert.deepEqual(await there.function("prefix_tokens", { messages }), here.function("prefix_tokens", { messages }));
  const text = { text: "hello world" };
  assert.deepEqual(await there.function("estimate_text", text), here.function("estimate_text", text));
});

test("errors come across with their code and their place", async (t) => {
  const compactor = remote(t, { policy: { format: "openai-chat", window: { unlimited: true } } });
  await assert.rejects(compactor.check(`[{"role": "user", "content": nul}]`), {
    name: "CtxfoldError",
    code: "invalid_json",
    path: "messages[0].content",
    offset: 29,
  });
  await assert.rejects(remote(t, { module: new URL("missing.wasm", import.meta.url) }).info(), { code: "load_failed" });
  assert.equal((await compactor.check(session(2))).due, false);
});

test("a summarizer that fails on the page costs no message", async (t) => {
  const summarize = async () => {
    throw new Error("no quota");
  };
  const { report } = await remote(t, { policy: tight, summarize }).compact(session(20));
  assert.deepEqual([report.summary.source, report.summary.why], ["local", "summarizer_failed"]);
});

test("abort ends the compaction and the summarizer", async (t) => {
  const controller = new AbortController();
  const reason = new Error("the user went away");
  /** @type {Promise<unknown>} */
  let stopped = Promise.resolve();
  const compactor = remote(t, {
    policy: tight,
    summarize: (_request, { signal }) => {
      stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
      controller.abort(reason);
      return new Promise(() => {});
    },
  });
  await assert.rejects(compactor.compact(session(20), { signal: controller.signal }), reason);
  await stopped;
  assert.equal(compactor.state, undefined);
  await assert.rejects(compactor.compact(session(20), { signal: AbortSignal.abort(reason) }), reason);
});

test("a summary that takes too long is not waited for", async (t) => {
  const options = { policy: tight, summaryTimeoutMs: 20, summarize: () => /** @type {any} */ (new Promise(() => {})) };
  const { report } = await remote(t, options).compact(session(20));
  assert.deepEqual([report.summary.source, report.summary.why], ["local", "summarizer_failed"]);
});

test("a closed compactor says so, and the others work on", async (t) => {
  const [closed, open] = [remote(t), remote(t)];
  closed.close();
  await assert.rejects(closed.info(), { code: "closed" });
  assert.equal((await open.info()).name, "ctxfold");
  open.close();
  assert.equal((await remote(t).info()).name, "ctxfold");
});

test("messages that are read in slices are the JSON that they are in one go", async () => {
  class Own {
    toJSON(/** @type {string} */ key) {
      return { key };
    }
  }
  const list = [
    { role: "user", content: "größer 🙂 \ud83d" },
    undefined,
    () => 1,
    null,
    new Date(0),
    new Own(),
    { data: new Uint8Array([1, 2, 3]), none: undefined },
    ...session(3),
  ];
  const bodies = [
    list,
    [],
    [undefined],
    { messages: list },
    { model: "m", messages: list, stream: true, at: new Own() },
    { input: [] },
  ];
  for (const messages of [...bodies, JSON.stringify(list), new TextEncoder().encode("[]")]) {
    const { piece } = await slicedTranscript(messages);
    if (typeof messages === "string" || messages instanceof Uint8Array) {
      assert.equal(piece, messages);
      continue;
    }
    const replaced = JSON.stringify(messages, (_, value) => (value instanceof Uint8Array ? "AQID" : value));
    assert.deepEqual(JSON.parse(String(piece)), JSON.parse(replaced));
  }
  const circular = /** @type {any} */ ({ role: "user" });
  circular.self = circular;
  await assert.rejects(slicedTranscript([circular]), { code: "not_serializable", path: "messages" });
});

test("a history of megabytes crosses in parts, and comes back as it does on this thread", async (t) => {
  const live = session(800);
  for (const turn of live) if (turn.role === "tool") turn.content = `${turn.content}größer 漢字 🙂`.repeat(2);
  const text = JSON.stringify(live);
  assert.ok(text.length > 2e6);
  for (const messages of [live, { model: "m", messages: live }, text, new TextEncoder().encode(text)]) {
    const options = { window: 100_000, format: /** @type {const} */ ("openai-chat"), summarize: async () => summary };
    const there = createFitter(options);
    t.after(() => there.close());
    const fitting = there(messages);
    live.push({ role: "user", content: "This came too late." }); // the newest messages were read first, and the list was taken as it was then
    const fitted = await fitting;
    live.pop();
    assert.deepEqual(fitted, await fitterHere(options)(messages));
  }
});

test("a large history crosses once, however often a compaction needs it", async (t) => {
  let units = 0;
  listenIn(t, ({ kind, part }) => {
    if (kind === "part") units += part.length;
  });
  const fit = createFitter({ policy: { window: { tokens: 100_000 } }, summarize: () => summary });
  t.after(() => fit.close());
  const history = [...session(600), { role: "user", content: "And now?" }];
  const { length } = JSON.stringify(history);
  assert.ok(length > 1_000_000, `${length}`);
  const { report } = await fit(history);
  assert.ok(report.changed);
  assert.equal(units, length);
});

test("operations continue from the last compaction, as they do on this thread", async (t) => {
  const there = remote(t, { policy: tight });
  const here = onThisThread({ module: await load(), policy: tight });
  const { messages, state } = await there.compact(session(20));
  await here.compact(session(20));
  assert.equal(state.round, 1);
  const next = [...messages, ...session(20).slice(1)];
  const pending = await there.plan(next);
  assert.equal("plan" in pending && pending.plan.state?.round, 1);
  assert.deepEqual(pending, here.plan(next));
  assert.deepEqual(await there.recall({ handle: "0123456789abcdef" }), here.recall({ handle: "0123456789abcdef" }));
});

test("a policy that cannot be cloned is sent as JSON, as on this thread", async (t) => {
  const module = await load();
  const odd = { ...tight, onDone: () => {} };
  for (const policy of [new Proxy(tight, {}), /** @type {import("ctxfold").Policy} */ (odd)]) {
    const messages = session(20);
    assert.deepEqual(await remote(t, { policy }).check(messages), onThisThread({ module, policy }).check(messages));
  }
  const circular = /** @type {any} */ ({});
  circular.self = circular;
  await assert.rejects(remote(t, { policy: circular }).check(session(1)), { code: "invalid_option", path: "policy" });
  const none = /** @type {any} */ (() => {});
  await assert.rejects(remote(t).recall(none), { code: "invalid_option", path: "arguments" });
});

test("a call that cannot be sent rejects, and does not keep the process alive", async (t) => {
  const held = t.mock.method(Worker.prototype, "ref");
  const released = t.mock.method(Worker.prototype, "unref");
  const compactor = remote(t, { policy: tight });
  await compactor.info();
  assert.ok(held.mock.callCount() > 0);
  const bytes = new TextEncoder().encode("[]");
  structuredClone(bytes, { transfer: [bytes.buffer] });
  held.mock.resetCalls();
  released.mock.resetCalls();
  await assert.rejects(compactor.check(bytes), { name: "CtxfoldError", code: "invalid_option", message: /check/ });
  assert.ok(held.mock.callCount() <= released.mock.callCount());
  assert.equal((await compactor.check(session(1))).due, false);
});

test("the worker keeps a large history only for a compaction", async (t) => {
  const kept = new Set();
  let parts = 0;
  listenIn(t, ({ kind, source }) => {
    if (kind === "part") parts++;
    if (kind === "part") kept.add(source);
    if (kind === "drop") kept.delete(source);
  });
  const compactor = remote(t, { policy: { window: { tokens: 100_000 } } });
  const history = JSON.stringify(session(200));
  assert.ok(history.length > 300_000, `${history.length}`);
  const broken = `${history.slice(0, -1)},]`;
  for (let i = 0; i < 10; i++) {
    await compactor.check(history);
    assert.equal(kept.size, 0);
    await assert.rejects(compactor.validate(broken), { code: "invalid_json" });
    assert.equal(kept.size, 0);
  }
  assert.equal(parts, 40);
  await compactor.compact(history);
  assert.equal(kept.size, 1);
});

test("arguments that are not objects make a promise that rejects", async (t) => {
  const compactor = remote(t);
  const none = /** @type {any} */ (null);
  const missing = /** @type {any} */ (undefined);
  for (const call of [
    () => compactor.check([], none),
    () => compactor.estimate([], none),
    () => compactor.compact([], none),
    () => compactor.plan([], none),
    () => compactor.step([], none, [], none),
    () => compactor.search(missing),
    () => compactor.handlesIn(none),
    () => compactor.function("estimate_text", none),
    () => compactor.save("", missing),
    () => compactor.open(none),
  ]) {
    await assert.rejects(call(), String(call));
  }
});

test("the offsets of violations are right even if the policy is modified in the meantime", async (t) => {
  /** @type {import("ctxfold").Policy} */
  const policy = { format: "openai-chat" };
  const broken = session(2).toSpliced(3, 1);
  const expected = await remote(t, { policy: { ...policy } }).validate(broken);
  assert.ok(expected.violations.length > 0);
  const validating = remote(t, { policy }).validate(broken);
  policy.model = "a model with a long name";
  assert.deepEqual(await validating, expected);
});

/** Secrets in the texts of the test below. @param {string} text */
const redact = (text) => (text.includes("Question 19") ? ["Question 19"] : []);
const agentFile = await readFile(new URL("../../testdata/sessions/claude-code.jsonl", import.meta.url));
/** @type {Record<string, (compactor: any, messages: any, left: any) => unknown>} */
const AFTER_COMPACT = {
  validate: (compactor, messages) => compactor.validate(messages),
  estimate: (compactor, messages) => compactor.estimate(messages),
  "estimate with a count": (compactor, messages) => compactor.estimate(messages, { usage: { total_tokens: 5000 } }),
  check: (compactor, messages) => compactor.check(messages),
  "check with a count": async (compactor, messages) => [
    await compactor.check(messages, { usage: { total_tokens: 5000 } }),
    compactor.state,
  ],
  digests: (compactor, messages) => compactor.digests(messages),
  prints: (compactor, messages) => compactor.prints(messages),
  restore: (compactor, messages, { archive }) =>
    compactor.restore(
      messages,
      archive.map((/** @type {any} */ { handle, body }) => ({ handle, body })),
    ),
  "plan with redact": (compactor, messages) => compactor.plan(messages),
};
const FORMS = {
  "live messages": (/** @type {any[]} */ live) => live,
  text: (/** @type {any[]} */ live) => JSON.stringify(live),
  bytes: (/** @type {any[]} */ live) => new TextEncoder().encode(JSON.stringify(live)),
};
for (const [form, given] of Object.entries(FORMS)) {
  test(`after a compaction every method gives in a worker what it gives on this thread: ${form}`, async (t) => {
    const options = { policy: { ...tight, archive: "bodies" }, redact, summarize: async () => summary };
    const there = remote(t, /** @type {any} */ (options));
    const here = onThisThread(/** @type {any} */ ({ ...options, module: await load() }));
    const left = await there.compact(given(session(20)));
    assert.deepEqual(left, await here.compact(given(session(20))));
    assert.ok(left.archive?.length);
    const live = form === "live messages" ? left.messages : JSON.parse(Buffer.from(left.messages).toString());
    const messages = given([...live, ...session(20).slice(1)]);
    for (const [method, call] of Object.entries(AFTER_COMPACT)) {
      assert.deepEqual(await call(there, messages, left), await call(here, messages, left), method);
    }
    const [request] = here.plan(messages).requests;
    assert.match(JSON.stringify(request), /Question 18/);
    assert.doesNotMatch(JSON.stringify(request), /Question 19/);
  });

  test(`a session file is saved by a worker as on this thread: ${form}`, async (t) => {
    const file = form === "bytes" ? new Uint8Array(agentFile) : agentFile.toString();
    t.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
    const policy = { window: { tokens: 20_000 }, passes: [{ pass: /** @type {const} */ ("fold"), keep_tokens: 20 }] };
    const there = remote(t, { policy });
    const here = onThisThread({ policy, module: await load() });
    const { messages } = await there.open(file);
    const given = /** @type {any} */ (form === "text" ? JSON.stringify(messages) : messages);
    const left = await there.compact(given, { options: { force: true } });
    assert.ok(left.report.changed);
    const saved = await there.save(file, left);
    assert.notDeepEqual(saved, file);
    assert.deepEqual(saved, here.save(file, left));
  });
}
