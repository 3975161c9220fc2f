// With gate.idle, a conversation with a cold prompt cache is compacted below the limit. Hosts measure the idle time
// themselves.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Conversation, createCompactor, createFitter, fit, load, memoryJournal } from "ctxfold";
import { prepareStep } from "ctxfold/ai-sdk";
import { compactingFetch } from "ctxfold/openai";
import * as remote from "ctxfold/worker";
import { summary } from "./support/session.js";

const module = await load();
/** Half of the limit corresponds to about 17 turns. @type {import("ctxfold").Policy} */
const policy = {
  format: "openai-chat",
  window: { tokens: 30000 },
  gate: { idle: 300 },
  passes: [{ pass: "fold", keep_tokens: 2000 }],
};
const summarize = () => summary;
const MINUTE = 60_000;

/** @param {number} turns */
function chat(turns) {
  return Array.from({ length: turns }, (_, n) => [
    { role: "user", content: `Read file ${n}.` },
    { role: "assistant", content: `File ${n}: ${"It has lines and words. ".repeat(100)}` },
  ]).flat();
}
/** Returns the app's history before a model call. @param {number} turns */
const history = (turns) => [...chat(turns), { role: "user", content: `Read file ${turns}.` }];

/** @param {() => Promise<void>} work */
async function withClock(work) {
  mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  try {
    await work();
  } finally {
    mock.timers.reset();
  }
}

/** @type {Record<string, {after?: number, set?: number, turns?: number, next?: import("ctxfold").NextCall, model?: string, options?: any, cold?: string}[]>} */
const CALLS = {
  "the first call": [{}],
  "a busy conversation": [{}, { after: 4 * MINUTE, turns: 1 }, { after: 4 * MINUTE, turns: 2 }],
  "an idle one": [
    {},
    { after: 5 * MINUTE, turns: 1, cold: "idle" },
    { after: 1, turns: 2 },
    { after: 9 * MINUTE, turns: 3 },
  ],
  small: [{ turns: -12 }, { after: 60 * MINUTE, turns: -11 }],
  "another model": [{ next: { model: "a" } }, { next: { model: "b" }, turns: 1, cold: "model_changed" }],
  "another model in the options": [{ model: "a" }, { model: "b", turns: 1, cold: "model_changed" }],
  "another provider": [{ next: { provider: "x" } }, { next: { provider: "y" }, turns: 1, cold: "provider_changed" }],
  "idle, as the app says": [{ options: { idle: 3600 }, cold: "idle" }],
  "cold, as the app says": [{ options: { cold: "gone" }, cold: "gone" }],
  "a clock that goes back": [{}, { set: 0, turns: 1 }, { after: 6 * MINUTE, turns: 2, cold: "idle" }],
  "a clock that jumps": [{}, { set: 8.64e15, turns: 1, cold: "idle" }],
};

for (const [name, calls] of Object.entries(CALLS)) {
  for (const where of ["in this process", "in a memory", "by free calls"]) {
    test(`fit: ${name}, ${where}`, () =>
      withClock(async () => {
        /** @type {Map<string, string>} */
        const kept = new Map();
        const memory = {
          load: (/** @type {string} */ key) => kept.get(key),
          save: (/** @type {string} */ key, /** @type {string} */ json) => void kept.set(key, json),
        };
        const id = `${name} ${where}`;
        const fitter = createFitter({ module, policy, summarize });
        for (const { after = 0, set, turns = 0, next = {}, model, options, cold } of calls) {
          if (set === undefined) mock.timers.tick(after);
          else mock.timers.setTime(set);
          const own = { module, policy, summarize, ...(model && { model }) };
          const call = { id, next, options };
          const whole = history(26 + turns);
          const fitted =
            where === "by free calls" || model
              ? await fit(whole, { ...own, ...call })
              : where === "in a memory"
                ? await createFitter({ ...own, memory })(whole, call)
                : await fitter(whole, call);
          assert.equal(fitted.report.cold, cold);
          assert.equal(fitted.report.changed, cold !== undefined);
          if (cold) assert.ok(fitted.report.tokens.after <= fitted.report.tokens.before * 0.6);
        }
      }));
  }
}

test("without gate.idle nothing is measured", () =>
  withClock(async () => {
    const fitter = createFitter({ module, policy: { ...policy, gate: {} }, summarize });
    for (const turns of [26, 27]) {
      assert.equal((await fitter(history(turns), { next: { model: `${turns}` } })).report.changed, false);
      mock.timers.tick(60 * MINUTE);
    }
  }));

test("an odd time is refused", async () => {
  const fitter = createFitter({ module, policy, summarize });
  const conversation = new Conversation(createCompactor({ module, policy }), { messages: history(26) });
  for (const idle of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e10]) {
    const error = { code: "invalid_option", path: "options.idle" };
    await assert.rejects(fitter(history(26), { options: { idle } }), error);
    await assert.rejects(conversation.beforeTurn({}, { options: { idle } }), error);
  }
  // @ts-expect-error there is no such word
  await assert.rejects(fitter(history(26), { options: { cold: "frozen" } }), { code: "out_of_range" });
  await conversation.close();
});

test("a clock that is none measures nothing", async () => {
  const fitter = createFitter({ module, policy, summarize });
  const now = mock.method(Date, "now", () => Number.NaN);
  try {
    for (const turns of [26, 27]) assert.equal((await fitter(history(turns))).report.changed, false);
  } finally {
    now.mock.restore();
  }
});

test("a model that is away leaves the history as it is", async () => {
  const options = { idle: 3600 };
  const fails = () => Promise.reject(new Error("away"));
  const whole = history(26);
  const fitted = await createFitter({ module, policy, summarize: fails })(whole, { options });
  assert.equal(fitted.messages, whole);
  assert.equal(fitted.report.reason, "summary_failed");
});

test("a memory that fails costs the measure, and no call", async () => {
  const memory = {
    load: (/** @type {string} */ key) => {
      if (key.endsWith(":calls")) throw new Error("down");
      return undefined;
    },
    save: (/** @type {string} */ key) => {
      if (key.endsWith(":calls")) throw new Error("down");
    },
  };
  const fitter = createFitter({ module, policy, summarize, memory });
  assert.equal((await fitter(history(26))).report.reason, "under_budget");
});

/** @type {[string, () => import("ctxfold").Compactor | import("ctxfold/worker").RemoteCompactor][]} */
const COMPACTORS = [
  ["here", () => createCompactor({ module, policy, summarize })],
  ["in a worker", () => remote.createCompactor({ policy, summarize })],
];
for (const [where, create] of COMPACTORS) {
  test(`a Conversation ${where}`, () =>
    withClock(async () => {
      const journal = memoryJournal();
      const compactor = create();
      const conversation = new Conversation(compactor, { id: "c", messages: history(26), journal });
      const before = async (/** @type {import("ctxfold").NextCall} */ next) => {
        const { changed, reason, done } = await conversation.beforeTurn(next);
        return [changed, done?.report.cold ?? reason];
      };
      assert.deepEqual(await before({ model: "a" }), [false, "under_budget"]);
      mock.timers.tick(4 * MINUTE);
      await conversation.afterTurn();
      mock.timers.tick(4 * MINUTE);
      assert.deepEqual(await before({ model: "a" }), [false, "under_budget"]);
      assert.deepEqual(await before({ model: "b" }), [true, "model_changed"]);
      await conversation.setMessages(history(26));
      /** @type {number[]} */
      const sent = [];
      const send = async (/** @type {readonly unknown[]} */ messages) => sent.push(messages.length);
      assert.equal((await conversation.call(send)).compacted, undefined);
      mock.timers.tick(5 * MINUTE);
      assert.equal((await conversation.call(send)).compacted?.done?.report.cold, "idle");
      assert.ok(/** @type {number} */ (sent[1]) < /** @type {number} */ (sent[0]) / 2);
      const events = await journal.events("c");
      assert.deepEqual(
        events.map(({ type, trigger }) => [type, trigger]),
        [0, 1].flatMap(() => [
          ["compaction_start", "cold"],
          ["compaction_end", "cold"],
        ]),
      );
      await conversation.close();
      if ("close" in compactor) await compactor.close();
    }));
}

test("adapters tell which model and which provider are asked", async () => {
  /** @type {string[]} */
  const colds = [];
  const options = {
    module,
    policy,
    summarize,
    shared: false,
    onCompaction: (/** @type {import("ctxfold").Report} */ { cold }) => void colds.push(cold ?? ""),
  };
  const ask = compactingFetch(options, async () => new Response("{}"));
  const post = (/** @type {string} */ host, /** @type {string} */ model, /** @type {number} */ turns) =>
    ask(`https://${host}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model, messages: history(turns) }),
    });
  await post("a.example", "m", 26);
  await post("a.example", "m", 27);
  assert.deepEqual(colds, []);
  await post("a.example", "n", 28);
  assert.deepEqual(colds, ["model_changed"]);
  await post("b.example", "n", 52);
  await post("a.example", "n", 53);
  const steps = prepareStep(/** @type {any} */ ({ ...options, policy: { ...policy, format: "ai-sdk" } }));
  const step = (/** @type {unknown} */ model, /** @type {number} */ turns) =>
    steps({ messages: history(turns), model });
  await step({ modelId: "m", provider: "x" }, 26);
  await step({ modelId: "m", provider: "y" }, 27);
  await step("z", 52);
  assert.deepEqual(colds, ["model_changed", "provider_changed", "provider_changed", "model_changed"]);
});

test("waitUntil is given what runs in the background, of fit, adapters and conversations", async () => {
  /** @type {Promise<void>[]} */
  const waited = [];
  const waitUntil = (/** @type {Promise<void>} */ ended) => void waited.push(ended);
  const own = { module, policy: { ...policy, gate: { start: 0.7, target: 0.3 } }, summarize };
  const { background } = await createFitter({ ...own, waitUntil })(history(36));
  assert.equal(waited.length, 1);
  assert.equal(waited[0], background);
  const ask = compactingFetch({ ...own, shared: false, waitUntil }, async () => new Response("{}"));
  const body = JSON.stringify({ messages: history(36) });
  await ask("https://a.example/v1/chat/completions", { method: "POST", body });
  assert.equal(waited.length, 2);
  const conversation = new Conversation(createCompactor(own), { messages: history(36), waitUntil });
  assert.equal((await conversation.afterTurn()).background, waited[2]);
  await Promise.all(waited);
  assert.ok(conversation.messages.length < 60);
  await conversation.close();
});
