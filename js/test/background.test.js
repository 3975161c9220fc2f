// With gate.start no turn waits for a summary, whatever happens, and nothing is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, createCompactor, createFitter, load, memoryJournal, memoryStore, restoreFrom } from "ctxfold";
import { compactingFetch } from "ctxfold/openai";
import * as remote from "ctxfold/worker";
import { summary } from "./support/session.js";

const module = await load();
// Otherwise the first fit and the first compaction would load these files, which takes real time, and the clock would
// advance.
for (const file of ["fit-jobs", "record-locks"]) await import(`../dist/${file}.js`);
const TURNS = process.env.CTXFOLD_LONG ? 200 : 80;
/** The duration of a turn, and of a summary, in seconds. */
const TURN = 5;
const SLOW = 20;

/** About 35 turns fit, ten of them between gate.start and the limit. @type {import("ctxfold").Policy} */
const policy = {
  format: "openai-chat",
  window: { tokens: 30000 },
  gate: { start: 0.7, target: 0.5 },
  passes: [{ pass: "fold", keep_tokens: 8000 }],
};

/** A clock that advances only when the test says so. */
class Clock {
  now = 0;
  /** @type {{at: number, done: () => void}[]} */
  #timers = [];
  /** @param {number} seconds @param {AbortSignal} [signal] @returns {Promise<void>} */
  sleep(seconds, signal) {
    return new Promise((done, reject) => {
      this.#timers.push({ at: this.now + seconds, done });
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  }
  /** @param {number} seconds */
  async advance(seconds) {
    for (let i = 0; i < seconds; i++) {
      this.now++;
      for (const timer of this.#timers.filter(({ at }) => at <= this.now)) timer.done();
      this.#timers = this.#timers.filter(({ at }) => at > this.now);
      for (let tick = 0; tick < 3; tick++) await new Promise((next) => setImmediate(next));
    }
  }
  /**
   * Resolves to the result of a call, and the seconds that it has waited.
   * @template T
   * @param {Promise<T>} call
   * @returns {Promise<{value: T, waited: number}>}
   */
  async timed(call) {
    let over = false;
    const end = () => {
      over = true;
    };
    call.then(end, end);
    const { now } = this;
    for (let idle = 0; !over; idle++) {
      await new Promise((next) => setTimeout(next, 1));
      if (!over && idle > 20) await this.advance(1);
    }
    return { value: await call, waited: this.now - now };
  }
}

/** A slow model. */
class Model {
  calls = 0;
  running = 0;
  most = 0;
  cancelled = 0;
  /** @param {Clock} clock @param {(call: number) => boolean} [fails] */
  constructor(clock, fails = () => false) {
    this.clock = clock;
    this.fails = fails;
  }
  /** @type {import("ctxfold").Summarize} */
  summarize = async (_, { signal }) => {
    const call = ++this.calls;
    this.most = Math.max(this.most, ++this.running);
    try {
      await this.clock.sleep(SLOW, signal);
    } catch (reason) {
      this.cancelled++;
      throw reason;
    } finally {
      this.running--;
    }
    if (this.fails(call)) throw new Error("the model is away");
    return summary;
  };
}

/** @param {number} n @param {number} edit */
function turnOf(n, edit) {
  const id = `c${edit}_${n}`;
  return [
    { role: "user", content: `Turn ${n} of edit ${edit}: read file ${n}.` },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id, type: "function", function: { name: "read", arguments: JSON.stringify({ path: `${n}.txt` }) } },
      ],
    },
    { role: "tool", tool_call_id: id, content: `File ${n}. ${"It has lines and words. ".repeat(100)}` },
    { role: "assistant", content: `File ${n} is read.` },
  ];
}

/**
 * Events in a loop besides turns: a model that fails, a user who goes back three turns every few turns, aborted calls, a process that ends.
 * Also whether turns may wait at the limit, and the minimum number of compactions in 200 turns.
 * @type {Record<string, {fails?: (call: number) => boolean, edits?: number, aborts?: number, ends?: number, waits?: boolean, least: number}>}
 */
const TROUBLES = {
  nothing: { least: 8 },
  "every second summary fails": { fails: (call) => call % 2 === 0, least: 8 },
  "the user edits": { edits: 6, least: 4 },
  "calls are aborted": { aborts: 3, least: 8 },
  "the process ends": { ends: 7, waits: true, least: 6 },
};

/** Returns the minimum number of compactions in a loop. @param {{least: number}} trouble */
const least = (trouble) => Math.floor((trouble.least * TURNS) / 200);

/** @param {any} a */
const text = (a) => JSON.stringify(a);

for (const [name, trouble] of Object.entries(TROUBLES)) {
  const { edits = 0, aborts = 0, ends = 0 } = trouble;

  test(`fit: ${name}`, async () => {
    const clock = new Clock();
    const model = new Model(clock, trouble.fails);
    const store = memoryStore();
    /** @type {Map<string, string>} */
    const kept = new Map();
    const memory = {
      load: (/** @type {string} */ key) => kept.get(key),
      save: (/** @type {string} */ key, /** @type {string} */ json) => void kept.set(key, json),
    };
    const make = () => createFitter({ module, policy, store, memory, summarize: model.summarize });
    let fitter = make();
    /** @type {any[]} */
    let history = [];
    let edit = 0;
    let compactions = 0;
    let front = "";
    /** @type {any} */
    let last;
    for (let turn = 0; turn < TURNS; turn++) {
      if (edits > 0 && turn % edits === edits - 1 && history.length > 16) {
        history = history.slice(0, -12);
        edit++;
      }
      if (ends > 0 && turn % ends === ends - 1) {
        fitter.close();
        fitter = make();
      }
      const [user, ...answer] = turnOf(turn, edit);
      history = [...history, user];
      if (aborts > 0 && turn % aborts === 0) {
        await assert.rejects(fitter(history, { signal: AbortSignal.abort(new Error("gone")) }), /gone/);
      }
      const { value, waited } = await clock.timed(fitter(history));
      if (!trouble.waits) assert.equal(waited, 0, `turn ${turn} waits ${waited} s`);
      const { messages, report } = value;
      assert.ok(report.tokens.after <= 30000);
      const tail = history.slice(-13);
      assert.ok(
        tail.every((message, i) => message === messages.at(i - tail.length)),
        `turn ${turn}: not the newest messages`,
      );
      if (messages.length < history.length && text(messages[1]) !== front) {
        front = text(messages[1]);
        compactions++;
      }
      last = { value, history };
      await clock.advance(TURN);
      history = [...history, ...answer];
    }
    await clock.advance(60);
    assert.ok(model.most <= 1, `${model.most} summaries at once`);
    assert.ok(compactions >= least(trouble), `${compactions} compactions`);
    if (edits > 0) assert.equal(model.cancelled, 0, "every edit is of what a compaction keeps");
    const restored = await restoreFrom(store, createCompactor({ module, policy }), last.value.messages);
    assert.deepEqual(restored.messages, last.history);
  });

  test(`Conversation: ${name}`, async () => {
    const clock = new Clock();
    const model = new Model(clock, trouble.fails);
    const store = memoryStore();
    const journal = memoryJournal();
    const compactor = createCompactor({ module, policy, store, summarize: model.summarize });
    let conversation = new Conversation(compactor, { id: "c", journal });
    /** @type {any[]} */
    let history = [];
    let edit = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const edited = edits > 0 && turn % edits === edits - 1 && history.length > 16;
      if (edited) {
        history = history.slice(0, -12);
        edit++;
      }
      const [user, ...answer] = turnOf(turn, edit);
      history.push(user);
      if (edited) await conversation.setMessages([...conversation.messages.slice(0, -12), user]);
      else {
        if (ends > 0 && turn % ends === ends - 1) {
          const { messages, state } = conversation;
          await conversation.close();
          conversation = new Conversation(compactor, { id: "c", journal, messages, state });
        }
        await conversation.append(user);
      }
      await clock.advance(TURN);
      await conversation.append(...answer);
      history.push(...answer);
      const signal = AbortSignal.abort(new Error("gone"));
      if (aborts > 0 && turn % aborts === 0) await conversation.afterTurn({ signal }).catch(() => {});
      const { waited } = await clock.timed(conversation.afterTurn());
      if (!trouble.waits) assert.equal(waited, 0, `turn ${turn} waits ${waited} s`);
      const tail = history.slice(-13);
      assert.deepEqual(conversation.messages.slice(-tail.length), tail);
      assert.ok((await conversation.check()).tokens <= 30000);
    }
    await clock.advance(60);
    assert.ok(model.most <= 1, `${model.most} summaries at once`);
    const events = await journal.events("c");
    const made = events.filter(({ type, reason }) => type === "compaction_end" && reason === "compacted");
    assert.ok(made.length >= least(trouble), `${made.length} compactions`);
    if (!trouble.waits) assert.ok(made.every(({ trigger }) => trigger === "background"));
    await conversation.restore();
    assert.deepEqual(conversation.messages, history);
    await conversation.close();
  });
}

/** Returns a history over gate.start or over the limit. @param {number} turns @param {number} [edit] */
const long = (turns, edit = 0) =>
  Array.from({ length: turns }, (_, n) => turnOf(n, edit))
    .flat()
    .concat(/** @type {any} */ ({ role: "user", content: "And now?" }));

test("a call at the limit waits for the compaction in the background, and a forced one takes its place", async () => {
  const clock = new Clock();
  const model = new Model(clock);
  const fitter = createFitter({ module, policy, summarize: model.summarize });
  const begun = await fitter(long(28));
  assert.ok(begun.background && !begun.report.changed);
  await clock.advance(15);
  const { value, waited } = await clock.timed(fitter([...long(28), ...long(12, 1)]));
  assert.ok(waited <= 8 && value.known && model.calls === 1, `${waited} s, ${model.calls} calls`);
  await begun.background;
  const other = long(28, 2);
  assert.ok((await fitter(other)).background);
  await clock.advance(1);
  const forced = await clock.timed(fitter(other, { options: { force: true } }));
  assert.ok(forced.value.report.changed && model.cancelled === 1);
  fitter.close();
});

test("a compaction in the background survives an edit of what it keeps, and ends with one of what it replaces", async () => {
  const clock = new Clock();
  const model = new Model(clock);
  const fitter = createFitter({ module, policy, summarize: model.summarize });
  const history = long(28);
  const ask = { role: "user", content: "And then?" };
  const { background } = await fitter(history);
  await clock.advance(1);
  await fitter([...history.slice(0, 100), ask]);
  assert.equal(model.cancelled, 0);
  await fitter([...history.slice(0, 64), ask]);
  await clock.advance(1);
  assert.equal(model.cancelled, 1);
  await background;
  assert.ok(!(await fitter(history)).known);
  fitter.close();
});

test("a compaction in the background needs gate.start, a model, and a store for what the policy archives", async () => {
  const clock = new Clock();
  const model = new Model(clock);
  const { summarize } = model;
  for (const options of [
    { policy: { ...policy, gate: {} }, summarize },
    { policy },
    { policy: { ...policy, archive: /** @type {const} */ ("bodies") }, summarize },
  ]) {
    assert.equal((await createFitter({ module, ...options })(long(28))).background, undefined);
  }
  assert.equal(model.calls, 0);
  const text = JSON.stringify(long(28));
  const bytes = new TextEncoder().encode(text);
  const fitter = createFitter({ module, policy, summarize });
  const { background } = await fitter(bytes);
  bytes.fill(0); // the app reuses its buffer
  await clock.advance(30);
  await background;
  const after = await fitter(text);
  assert.ok(after.known && after.messages.length < text.length);
});

test("what a store fails with in the background is told, and nothing has changed", async () => {
  const clock = new Clock();
  const model = new Model(clock);
  /** @type {unknown[]} */
  const errors = [];
  const store = { ...memoryStore(), put: () => Promise.reject(new Error("the disk is full")) };
  const fitter = createFitter({
    module,
    policy,
    store,
    summarize: model.summarize,
    onBackgroundError: (error) => errors.push(error),
  });
  const { background } = await fitter(long(28));
  await clock.advance(30);
  await background;
  assert.equal(errors.length, 1);
  const again = await fitter(long(28));
  assert.ok(!again.known && !again.background, "not before it has grown");
});

test("an adapter and a worker do the same", async () => {
  const clock = new Clock();
  const model = new Model(clock);
  const next = [...long(28), { role: "assistant", content: "Done." }, { role: "user", content: "And then?" }];
  /** @type {any[]} */
  const sent = [];
  const upstream = async (/** @type {any} */ _, /** @type {any} */ init) => {
    sent.push(JSON.parse(init.body));
    return new Response("{}");
  };
  const call = compactingFetch(
    { module, policy, summarize: model.summarize, shared: false },
    /** @type {any} */ (upstream),
  );
  const post = (/** @type {any[]} */ messages) =>
    call("https://api.example/v1/chat/completions", { method: "POST", body: JSON.stringify({ model: "m", messages }) });
  assert.equal((await clock.timed(post(long(28)))).waited, 0);
  assert.equal(sent[0].messages.length, 113);
  await clock.advance(30);
  await clock.timed(post(next));
  assert.ok(
    sent[1].messages.length < 80 && model.calls === 1,
    `${sent[1].messages.length} messages, ${model.calls} calls`,
  );
  assert.deepEqual(sent[1].messages.slice(-5), next.slice(-5));

  const fitter = remote.createFitter({ policy, summarize: model.summarize });
  const { background } = await fitter(long(28));
  assert.ok(background);
  const { waited } = await clock.timed(background);
  assert.ok(waited > 0);
  assert.ok((await fitter(next)).known);
  fitter.close();
});
