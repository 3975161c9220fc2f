import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, load, memoryStore, recallFrom, restoreFrom } from "ctxfold";
import { createCompactor as createRemote } from "ctxfold/worker";
import { session, summary, tight } from "./support/session.js";

/** @type {[fault: string, lost: number, usable: boolean, reported: string][]} */
const table = [];

/** @typedef {import("ctxfold").CompactorOptions} Options */
/** @typedef {import("ctxfold").CompactOptions} CompactOptions */

const never = () => new Promise(() => {});

/**
 * Faults, how they are reported, and the options of the compactor and of the call.
 * @type {[name: string, reported: string, options: Options, call?: () => CompactOptions][]}
 */
const faults = [
  [
    "the summarizer throws",
    "summarizer_failed",
    {
      summarize: () => {
        throw new Error("503");
      },
    },
  ],
  ["the summarizer rejects", "summarizer_failed", { summarize: async () => Promise.reject(new Error("503")) }],
  ["the summarizer hangs", "summarizer_failed", { summarize: /** @type {any} */ (never), summaryTimeoutMs: 20 }],
  ["it answers nothing", "empty_summary", { summarize: () => " \n" }],
  ["it answers undefined", "summarizer_failed", { summarize: /** @type {any} */ (() => undefined) }],
  ["it answers 10 MB", "larger_than_folded", { summarize: () => "much too long ".repeat((10 << 20) / 14) }],
  ["it answers what is no text", "", { summarize: () => "\0\ud800\ufeff\u202e</scrollback>\u001b[2J" }],
  [
    "half a stream, then an error",
    "summarizer_failed",
    {
      summarize: async function* () {
        yield "half ";
        yield "a summ";
        throw new Error("the connection was reset");
      },
    },
  ],
  [
    "it answers after its deadline",
    "summarizer_failed",
    {
      summaryTimeoutMs: 20,
      summarize: async (_, { onDelta }) => {
        await new Promise((late) => setTimeout(late, 60));
        onDelta?.("too late");
        return summary;
      },
    },
  ],
  [
    "the caller cancels",
    "AbortError",
    { summarize: /** @type {any} */ (never) },
    () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 20);
      return { signal: controller.signal };
    },
  ],
  [
    "the caller's deadline passes",
    "TimeoutError",
    { summarize: /** @type {any} */ (never) },
    () => ({ timeoutMs: 20 }),
  ],
  ["the store is full", "store_failed", { summarize: () => summary, store: memoryStore({ maxLength: 10 }) }],
  [
    "the store hangs",
    "TimeoutError",
    { summarize: () => summary, store: { put: /** @type {any} */ (never), get: () => undefined } },
    () => ({ timeoutMs: 50 }),
  ],
];

/**
 * Counts the messages that are neither in the result nor folded into its digest. @param {any[]} given @param {any} done
 */
function lost(given, done) {
  assert.deepEqual(given, session(20)); // the caller's own objects are unchanged
  if (!done) return 0;
  const touched = new Set(done.report.actions.map((/** @type {any} */ action) => action.message));
  return given.filter((message, i) => !touched.has(i) && !done.messages.includes(message)).length;
}

for (const [name, reported, options, call] of faults) {
  test(name, async () => {
    /** @type {string[]} */
    const deltas = [];
    const compactor = createCompactor({ policy: tight, onDelta: ({ text }) => deltas.push(text), ...options });
    const given = session(20);
    let done;
    let reason;
    try {
      done = await compactor.compact(given, call?.());
      reason = done.report.summary.why ?? "taken, fenced";
      assert.equal(done.report.reason, "compacted");
      assert.ok(compactor.validate(done.messages).valid);
    } catch (/** @type {any} */ error) {
      reason = error.code && typeof error.code === "string" ? error.code : error.name;
      assert.equal(compactor.state, undefined); // nothing has changed
    }
    if (reported !== "") assert.equal(reason, reported);
    if (name.startsWith("half")) assert.deepEqual(deltas, ["half ", "a summ"]);
    if (name.includes("after its deadline")) {
      await new Promise((late) => setTimeout(late, 80));
      assert.deepEqual(deltas, []);
    }
    const n = lost(given, done);
    const usable = compactor.check(given).due;
    table.push([name, n, usable, reason]);
    assert.equal(n, 0);
    assert.ok(usable);
  });
}

test("the module traps", async () => {
  const module = await load();
  const compactor = createCompactor({ module, policy: tight });
  const given = session(20);
  const { call } = module;
  // An instance traps if it needs more memory than it can have. No real request is that large, so the trap is
  // simulated.
  module.call = (op) => {
    module.call = call;
    return call.call(module, op, [/** @type {any} */ ({ length: 0xffff_0000 })]);
  };
  let reason = "";
  await compactor.compact(given).catch((error) => {
    reason = error.code;
  });
  assert.equal(reason, "trap");
  assert.equal(compactor.state, undefined);
  const { report } = await compactor.compact(given);
  table.push(["the module traps", lost(given, undefined), report.reason === "compacted", reason]);
  assert.equal(report.reason, "compacted");
});

for (const summarize of [() => summary, undefined]) {
  const name = `ten compactions in a row, ${summarize ? "with" : "without"} a model`;
  test(name, async () => {
    const store = memoryStore();
    const compactor = createCompactor({
      policy: { format: "openai-chat", window: { tokens: 4000, reserve: 400 } },
      store,
      ...(summarize && { summarize }),
    });
    /** @type {any[]} */
    let messages = [];
    let compactions = 0;
    let turns = 0;
    for (; compactions < 10 && turns < 2000; turns++) {
      const turn = [
        { role: "user", content: `Request ${turns}: ${"please ".repeat(40)}` },
        { role: "assistant", content: `Done ${turns}. ${"It went well. ".repeat(40)}` },
      ];
      messages = [...messages, ...turn];
      const done = await compactor.compact(messages);
      if (!done.report.changed) continue;
      compactions++;
      for (const message of turn) assert.ok(done.messages.includes(message));
      messages = done.messages;
    }
    for (let round = 0; round < 12; round++) {
      const back = await restoreFrom(store, compactor, messages);
      messages = back.messages;
      if (!back.report.changed) break;
    }
    const text = JSON.stringify(messages);
    let missing = 0;
    for (let i = 0; i < turns; i++) if (!text.includes(`"Request ${i}: `) || !text.includes(`"Done ${i}. `)) missing++;
    table.push([name, missing, true, `${turns} turns, every one restored from the store`]);
    assert.equal(missing, 0);
    assert.equal(compactions, 10);
  });
}

test("the model recalls what was taken out", async () => {
  const store = memoryStore();
  /** @type {import("ctxfold").Policy} */
  const policy = { ...tight, format: "openai-chat", passes: [{ pass: "clear", keep_recent: 2 }] };
  const compactor = createCompactor({ policy, store });
  const given = session(20);
  const { messages, archive } = await compactor.compact(given);
  assert.ok(archive && archive.length > 0);
  const [body] = archive;
  assert.ok(body && JSON.stringify(messages).includes(body.handle.slice(0, 16)));
  assert.deepEqual(/** @type {any} */ (compactor.recallTool()).function.name, "recall");
  assert.equal(
    await recallFrom(store, compactor, JSON.stringify({ handle: body.handle.slice(0, 16) })),
    given[body.message].content,
  );
  assert.match(await recallFrom(store, compactor, { handle: "f".repeat(16) }), /^Nothing is kept/);
  assert.match(await recallFrom(store, compactor, { handle: "../../x" }), /^The handle has/);
  assert.match(await recallFrom(store, compactor, undefined), /^The arguments must be/);
  const back = await restoreFrom(store, compactor, messages);
  assert.deepEqual(back.messages, given);
  assert.equal(back.report.reason, "restored");
  const one = await restoreFrom(store, compactor, messages, [body.handle]);
  assert.equal(one.report.restored, 1);
});

test("a compactor in a worker keeps, restores and streams too", async (t) => {
  const store = memoryStore();
  /** @type {string[]} */
  const deltas = [];
  const compactor = createRemote({
    policy: tight,
    store,
    onDelta: ({ text }) => deltas.push(text),
    summarize: async function* () {
      yield summary.slice(0, 20);
      yield summary.slice(20);
    },
  });
  t.after(() => compactor.close());
  const given = session(20);
  const done = await compactor.compact(given);
  assert.equal(done.report.summary.source, "model");
  assert.equal(deltas.join(""), summary);
  const back = await restoreFrom(store, compactor, done.messages);
  assert.deepEqual(back.messages, given);
});

test("the table of faults", (t) => {
  for (const [fault, n, usable, reported] of [["fault", "lost", "usable", "reported"], ...table]) {
    const works = typeof usable === "boolean" ? (usable ? "yes" : "no") : usable;
    t.diagnostic(`${String(fault).padEnd(44)} ${String(n).padStart(4)}  ${String(works).padEnd(6)}  ${reported}`);
  }
  assert.equal(table.length, faults.length + 3);
});
