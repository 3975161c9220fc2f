// Tests apps that keep their own list and pass all of it each turn: each compaction is made only once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, createFitter, fit, load, memoryStore, restoreFrom } from "ctxfold";
import { sharedMemory } from "ctxfold/shared";
import * as remote from "ctxfold/worker";
import { recordsOf } from "./support/records.js";
import { summary } from "./support/session.js";

const module = await load();
const TURNS = 60;

/** @param {number} n of words */
const words = (n) => Array.from({ length: n }, (_, i) => `word${i % 97}`).join(" ");

/**
 * One turn of a chat with a tool, in each wire format: the user's message, the steps of the agent, and its answer.
 * @type {Record<string, (turn: number) => {user: any, steps: any[][], answer: any}>}
 */
const SCRIPTS = {
  "openai-chat": (turn) => ({
    user: { role: "user", content: `Question ${turn}: what does src/file${turn}.ts say?` },
    steps: [0, 1].map((step) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: `call_${turn}_${step}`,
            type: "function",
            function: { name: "read", arguments: JSON.stringify({ path: `src/file${turn}_${step}.ts` }) },
          },
        ],
      },
      { role: "tool", tool_call_id: `call_${turn}_${step}`, content: `Result ${turn}.${step}: ${words(120)}` },
    ]),
    answer: { role: "assistant", content: `Answer ${turn}: ${words(60)}` },
  }),
  anthropic: (turn) => ({
    user: { role: "user", content: [{ type: "text", text: `Question ${turn}: what does src/file${turn}.ts say?` }] },
    steps: [0, 1].map((step) => [
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          {
            type: "tool_use",
            id: `toolu_${turn}_${step}`,
            name: "read",
            input: { path: `src/file${turn}_${step}.ts` },
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `toolu_${turn}_${step}`,
            content: [{ type: "text", text: `Result ${turn}.${step}: ${words(120)}` }],
          },
        ],
      },
    ]),
    answer: { role: "assistant", content: [{ type: "text", text: `Answer ${turn}: ${words(60)}` }] },
  }),
  "ai-sdk": (turn) => ({
    user: { role: "user", content: [{ type: "text", text: `Question ${turn}: what does src/file${turn}.ts say?` }] },
    steps: [0, 1].map((step) => [
      {
        role: "assistant",
        content: [
          {
            type: "tool-call",
            toolCallId: `c${turn}_${step}`,
            toolName: "read",
            input: { path: `src/file${turn}_${step}.ts` },
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: `c${turn}_${step}`,
            toolName: "read",
            output: { type: "text", value: `Result ${turn}.${step}: ${words(120)}` },
          },
        ],
      },
    ]),
    answer: { role: "assistant", content: [{ type: "text", text: `Answer ${turn}: ${words(60)}` }] },
  }),
};

/** Returns a policy whose window causes about one compaction in ten turns. @param {string} format @returns {import("ctxfold").Policy} */
const policyOf = (format) => ({
  format: /** @type {import("ctxfold").Format} */ (format),
  window: { tokens: 8000, reserve: 500 },
});

/** Counts the costs of a loop. */
class Costs {
  compactions = 0;
  calls = 0;
  summarize = () => {
    this.calls++;
    return summary;
  };
  /** @param {any} report */
  onCompaction = (report) => {
    assert.equal(report.reason, "compacted");
    this.compactions++;
  };

  /** Checks that the costs differ by at most one from those of another loop. @param {Costs} others @param {string} what */
  within(others, what) {
    const { compactions, calls } = this;
    for (const [name, mine, theirs] of /** @type {const} */ ([
      ["compactions", compactions, others.compactions],
      ["calls", calls, others.calls],
    ])) {
      assert.ok(
        Math.abs(mine - theirs) <= 1,
        `${what}: ${mine} ${name}, where going on from the answer takes ${theirs}`,
      );
    }
  }
}

/**
 * Returns the costs of a session that continues from each answer, which are the minimum. @param {string} format @param {boolean} bySteps
 */
async function leastCosts(format, bySteps) {
  const costs = new Costs();
  const session = createCompactor({ module, policy: policyOf(format), summarize: costs.summarize }).session();
  const compact = async () => {
    if (!session.check().due) return;
    const { report } = await session.compact();
    if (report.changed) costs.compactions++;
  };
  for (let turn = 0; turn < TURNS; turn++) {
    const { user, steps, answer } = SCRIPTS[format](turn);
    session.append(user);
    await compact();
    for (const step of steps) {
      session.append(...step);
      if (bySteps) await compact();
    }
    session.append(answer);
  }
  return costs;
}

/** @type {Map<string, Promise<Costs>>} */
const measured = new Map();

/** @param {string} format @param {boolean} bySteps */
function least(format, bySteps) {
  const key = `${format} ${bySteps}`;
  const costs = measured.get(key) ?? leastCosts(format, bySteps);
  measured.set(key, costs);
  return costs;
}

/** Checks that a provider would accept the messages. @param {string} format @param {any} messages */
function valid(format, messages) {
  const { violations } = createCompactor({ module, policy: policyOf(format) }).validate(messages);
  assert.deepEqual(violations, []);
}

/** Returns copies of the messages with a cache breakpoint on the newest, as Anthropic advises. @param {any[]} messages */
function marked(messages) {
  const copy = structuredClone(messages);
  copy.at(-1).content.at(-1).cache_control = { type: "ephemeral" };
  return copy;
}

/** Adds the data that frameworks write into messages and that changes from turn to turn. @param {any[]} messages @param {number} turn */
const dated = (messages, turn) =>
  messages.map((message, i) => ({ ...message, id: `${turn}-${i}`, providerOptions: { mastra: { createdAt: turn } } }));

/** @type {[name: string, format: string, (messages: any[], turn: number) => any[]][]} */
const HABITS = [
  ["the list as it is", "openai-chat", (messages) => messages],
  ["the list as it is", "anthropic", (messages) => messages],
  ["the list as it is", "ai-sdk", (messages) => messages],
  ["copies of all messages", "openai-chat", (messages) => structuredClone(messages)],
  ["a mark of the prompt cache that moves", "anthropic", marked],
  ["metadata that changes", "ai-sdk", dated],
];

for (const [at, [name, format, habit]] of HABITS.entries()) {
  // In make test the habits alternate, so that each format is fitted in both ways.
  for (const bySteps of process.env.CTXFOLD_LONG ? [false, true] : [at % 2 === 0]) {
    test(`${TURNS} turns, ${format}, ${name}${bySteps ? ", fitted before each step" : ""}`, async () => {
      const costs = new Costs();
      const { summarize, onCompaction } = costs;
      const fitter = createFitter({ module, policy: policyOf(format), summarize, onCompaction });
      /** @type {any[]} */
      const history = [];
      for (let turn = 0; turn < TURNS; turn++) {
        const { user, steps, answer } = SCRIPTS[format](turn);
        history.push(user);
        const given = habit(history, turn);
        const { messages, report, known } = await fitter(given);
        assert.ok(report.tokens.after <= report.tokens.limit, `turn ${turn}: ${JSON.stringify(report.tokens)}`);
        assert.equal(known || report.changed, costs.compactions > 0);
        assert.equal(messages === given, costs.compactions === 0);
        assert.equal(messages.at(-1), given.at(-1), "the newest message is the app's own");
        valid(format, messages);
        for (const step of steps) {
          history.push(...step);
          if (bySteps) await fitter(habit(history, turn));
        }
        history.push(answer);
      }
      const fewest = await least(format, bySteps);
      assert.ok(fewest.compactions >= 4 && fewest.calls >= 2, `${fewest.compactions} and ${fewest.calls}`);
      costs.within(fewest, name);
    });
  }
}

for (const format of Object.keys(SCRIPTS)) {
  test(`${TURNS} turns, ${format}: an agent goes on from what it was given, and has its whole history at the next turn`, async () => {
    const costs = new Costs();
    const { summarize, onCompaction } = costs;
    const fitter = createFitter({ module, policy: policyOf(format), summarize, onCompaction });
    /** @type {any[]} */
    const history = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const { user, steps, answer } = SCRIPTS[format](turn);
      history.push(user);
      let carried = [...(await fitter(history)).messages];
      for (const step of steps) {
        history.push(...step);
        carried.push(...step);
        carried = [...(await fitter(carried)).messages];
        valid(format, carried);
      }
      history.push(answer);
    }
    costs.within(await least(format, true), "steps that carry on");
  });
}

test("a list that goes on from the answer all the time costs what a session costs", async () => {
  const costs = new Costs();
  const { summarize, onCompaction } = costs;
  const fitter = createFitter({ module, policy: policyOf("openai-chat"), summarize, onCompaction });
  /** @type {any[]} */
  let list = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const { user, steps, answer } = SCRIPTS["openai-chat"](turn);
    list = [...(await fitter([...list, user])).messages, ...steps.flat(), answer];
  }
  costs.within(await least("openai-chat", false), "going on");
});

/** @param {number} turns @param {string} [format] */
const talk = (turns, format = "openai-chat") =>
  Array.from({ length: turns }, (_, turn) => {
    const { user, steps, answer } = SCRIPTS[format](turn);
    return [user, ...steps.flat(), answer];
  }).flat();

const question = { role: "user", content: "And now?" };

test("a user goes back and says something else: what was made of the beginning that is the same is found", async () => {
  const costs = new Costs();
  const { summarize, onCompaction } = costs;
  const fitter = createFitter({ module, policy: policyOf("openai-chat"), summarize, onCompaction });
  const history = [...talk(14), question];
  assert.equal((await fitter(history)).report.changed, true);
  for (const other of ["Another answer, please.", "In French.", "Shorter."]) {
    const { report, known } = await fitter([
      ...history,
      { role: "assistant", content: "Well." },
      { role: "user", content: other },
    ]);
    assert.deepEqual([report.changed, known], [false, true]);
  }
  assert.equal(costs.compactions, 1);
  // The folded messages have changed, so their digest does not belong to this conversation.
  const edited = structuredClone(history);
  edited[0].content = "A first question that is another one.";
  assert.equal((await fitter(edited)).known, false);
});

/**
 * Returns a fitter whose compactions and calls are counted. @param {Costs} costs @param {import("ctxfold").FitterOptions["memory"]} memory
 */
function counted({ summarize, onCompaction }, memory) {
  return createFitter({
    module,
    policy: policyOf("openai-chat"),
    summarize,
    onCompaction,
    ...(memory && { memory }),
  });
}

test("a list that goes on from the answer and is given again is compacted once", async () => {
  for (const memory of [undefined, sharedMemory(recordsOf().store)]) {
    const costs = new Costs();
    const fitter = counted(costs, memory);
    /** @type {any[]} */
    let list = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const { user, steps, answer } = SCRIPTS["openai-chat"](turn);
      const given = [...list, user];
      const { messages } = await fitter(given);
      assert.deepEqual((await fitter(given)).messages, messages, "a call that is made again");
      const { report, known } = await fitter([...list, { role: "user", content: "In other words." }]);
      assert.deepEqual([report.changed, known], [false, costs.compactions > 0], "another newest message");
      list = [...messages, ...steps.flat(), answer];
    }
    costs.within(await leastCosts("openai-chat", false), "giving a list again");
  }
});

test("where nothing that the user said is behind a compaction, the one before it counts", async () => {
  for (const memory of [undefined, sharedMemory(recordsOf().store)]) {
    const costs = new Costs();
    const fitter = counted(costs, memory);
    const history = talk(40);
    const ends = history.flatMap(({ role, tool_calls }, i) => (role === "assistant" && !tool_calls ? [i + 1] : []));
    for (const end of ends) await fitter([...history.slice(0, end), question]);
    assert.ok(costs.compactions >= 3);
    const made = costs.compactions;
    let sizes = 0;
    for (const end of ends) {
      const { report, known } = await fitter(history.slice(0, end));
      if (known) assert.ok(report.messages.before < end);
      if (report.changed)
        assert.ok(report.messages.before < 60, `${report.messages.before} of ${end} messages are compacted anew`);
      sizes = Math.max(sizes, report.tokens.before);
    }
    assert.ok(
      sizes < 2 * 8000 && costs.compactions - made <= made,
      `${costs.compactions - made} more, of ${sizes} tokens`,
    );
  }
});

test("conversations that are compacted at the same time over one memory are all remembered", async () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const later = () => new Promise((done) => setImmediate(done));
  const memory = {
    load: async (/** @type {string} */ key) => {
      await later();
      return kept.get(key);
    },
    save: async (/** @type {string} */ key, /** @type {string} */ text) => {
      await later();
      kept.set(key, text);
    },
  };
  const costs = new Costs();
  const { summarize, onCompaction } = costs;
  const make = () => createFitter({ module, memory, policy: policyOf("openai-chat"), summarize, onCompaction });
  const histories = [1, 2, 3].map((n) => [
    { role: "user", content: `Conversation ${n}.` },
    { role: "assistant", content: `This is conversation ${n}.` },
    ...talk(14),
    question,
  ]);
  await Promise.all([...histories, ...histories].map((history) => make()(history)));
  assert.equal(costs.compactions, 3);
  for (const history of histories) assert.deepEqual(pick(await make()(history)), [false, true]);
});

test("fitters over one memory make one compaction of a conversation, also through wrappers of their own", async () => {
  const later = () => new Promise((done) => setImmediate(done));
  /** @param {Map<string, string>} kept */
  const memoryOver = (kept) => ({
    load: async (/** @type {string} */ key) => {
      await later();
      return kept.get(key);
    },
    save: async (/** @type {string} */ key, /** @type {string} */ text) => {
      await later();
      kept.set(key, text);
    },
  });
  const history = [...talk(14), question];
  // With this policy a compaction begins before it is due.
  const early = {
    format: /** @type {const} */ ("openai-chat"),
    window: { tokens: 18_000 },
    gate: { start: 0.5, target: 0.4 },
    passes: [{ pass: /** @type {const} */ ("fold"), keep_tokens: 4000 }],
  };
  for (const create of [createFitter, remote.createFitter]) {
    for (const background of [false, true]) {
      const policy = background ? early : policyOf("openai-chat");
      const [shared, kept] = [memoryOver(new Map()), new Map()];
      for (const memories of [
        [shared, shared],
        [memoryOver(kept), memoryOver(kept)],
      ]) {
        const costs = new Costs();
        const fitters = memories.map((memory) =>
          create({
            policy,
            memory,
            onCompaction: costs.onCompaction,
            summarize: async () => {
              await new Promise((done) => setTimeout(done, 20));
              return costs.summarize();
            },
          }),
        );
        const fitted = await Promise.all(fitters.map((fitter) => fitter(structuredClone(history), { id: "user 7" })));
        assert.equal(
          fitted.some((each) => each.background),
          background,
        );
        for (const each of fitted) await each.background;
        const { calls } = costs;
        assert.equal(costs.compactions, 1);
        const again = await Promise.all(fitters.map((fitter) => fitter(history, { id: "user 7" })));
        assert.deepEqual(again[0]?.messages, again[1]?.messages);
        assert.deepEqual([costs.compactions, costs.calls], [1, calls]);
        for (const fitter of fitters) fitter.close();
      }
    }
  }
});

test("kept messages are the app's own, as it gives them now", async () => {
  const fitter = createFitter({ module, policy: policyOf("anthropic") });
  const history = [...talk(14, "anthropic"), { role: "user", content: [{ type: "text", text: "And now?" }] }];
  await fitter(history);
  const again = marked(history);
  const { messages, report } = await fitter(again);
  assert.equal(report.changed, false);
  const texts = again.map((message) => JSON.stringify(message));
  const kept = messages.filter((message) => texts.includes(JSON.stringify(message)));
  assert.ok(kept.length >= 8);
  for (const message of kept) assert.ok(again.includes(message), JSON.stringify(message));
  // One is the app's own breakpoint, the other belongs to the digest.
  assert.equal(JSON.stringify(messages).match(/cache_control/g)?.length, 2);
});

test("calls of one conversation at the same time make one compaction", async () => {
  for (const [name, create] of /** @type {const} */ ([
    ["here", createFitter],
    ["in a worker", remote.createFitter],
  ])) {
    const costs = new Costs();
    const { onCompaction } = costs;
    const fitter = create({
      policy: policyOf("openai-chat"),
      onCompaction,
      summarize: async () => {
        await new Promise((later) => setTimeout(later, 20));
        return costs.summarize();
      },
    });
    const history = [...talk(14), question];
    const longer = [...history, { role: "assistant", content: "Wait." }, question];
    const all = await Promise.all([fitter(history), fitter(structuredClone(history)), fitter(longer), fitter(history)]);
    assert.deepEqual([name, costs.compactions], [name, 1]);
    assert.deepEqual(all[0].messages, all[1].messages);
    assert.deepEqual(all.map(({ report }) => report.changed).filter(Boolean), [true]);
    const other = structuredClone(history);
    other[0].content = "Another conversation.";
    await fitter(other);
    assert.equal(costs.compactions, 2);
    fitter.close();
  }
});

test("a compaction that fails or is aborted is not remembered, and who waits for it makes it", async () => {
  const costs = new Costs();
  const controller = new AbortController();
  const fitter = createFitter({
    module,
    policy: policyOf("openai-chat"),
    onCompaction: costs.onCompaction,
    summarize: async () => {
      if (++costs.calls === 1) controller.abort(new Error("the user left"));
      await new Promise((later) => setTimeout(later, 20));
      return summary;
    },
  });
  const history = [...talk(14), question];
  const first = fitter(history, { signal: controller.signal });
  const second = fitter(history);
  await assert.rejects(first, /the user left/);
  assert.equal((await second).report.changed, true);
  assert.equal(costs.compactions, 1);
  await assert.rejects(fitter(history, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(
    createFitter({ module, policy: policyOf("openai-chat"), summarize: () => new Promise(() => {}) })(history, {
      timeoutMs: 20,
    }),
    { name: "TimeoutError" },
  );
});

test("a digest that was made because the model failed is made anew when it answers again", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  const minute = 60_000;
  /** @type {Map<string, string>} */
  const kept = new Map();
  const memory = {
    load: (/** @type {string} */ key) => kept.get(key),
    save: (/** @type {string} */ key, /** @type {string} */ json) => void kept.set(key, json),
  };
  for (const options of [{}, { memory }]) {
    let busy = true;
    let calls = 0;
    const fitter = createFitter({
      module,
      policy: policyOf("openai-chat"),
      ...options,
      summarize: () => {
        calls++;
        if (busy) throw new Error("429");
        return summary;
      },
    });
    const history = [...talk(14), question];
    const first = await fitter(history);
    assert.deepEqual([first.report.summary.source, calls], ["local", 1]);
    for (const [passed, asked] of [
      [0.9, 1],
      [0.2, 2], // a minute has passed
      [1.8, 2],
      [0.5, 3], // two more minutes, plus up to a tenth of that
      [3.9, 3],
    ]) {
      t.mock.timers.tick(passed * minute);
      history.push({ role: "assistant", content: "Well." }, question);
      await fitter(history);
      assert.equal(calls, asked);
    }
    busy = false;
    t.mock.timers.tick(minute);
    history.push({ role: "assistant", content: "Well." }, question);
    const again = await fitter(history);
    assert.deepEqual([again.report.summary.source, calls], ["model", 4]);
    t.mock.timers.tick(1000 * minute);
    assert.deepEqual(pick(await fitter(history)), [false, true]);
    assert.equal(calls, 4);
  }
});

test("what is taken out is in the store before it is sent", async () => {
  const store = memoryStore();
  const policy = policyOf("openai-chat");
  const fitter = createFitter({ module, policy, store });
  const history = [...talk(14), question];
  const { messages } = await fitter(history);
  const restored = await restoreFrom(store, createCompactor({ module, policy }), messages);
  assert.deepEqual(restored.messages, history);

  let full = true;
  const costs = new Costs();
  const failing = {
    put() {
      if (full) throw new Error("full");
    },
    get: () => undefined,
  };
  const careful = createFitter({ module, policy, store: failing, onCompaction: costs.onCompaction });
  await assert.rejects(careful(history), { code: "store_failed" });
  full = false;
  assert.deepEqual([(await careful(history)).report.changed, costs.compactions], [true, 1]);
});

test("a memory of the host's lives longer than the process, and each id has its own", async () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const memory = {
    load: async (/** @type {string} */ key) => kept.get(key),
    save: async (/** @type {string} */ key, /** @type {string} */ json) => void kept.set(key, json),
  };
  const history = [...talk(14), question];
  /** Makes a call in a process that ends afterwards. @param {any} [call] @param {any} [options] */
  const once = (call, options) =>
    createFitter({ module, policy: policyOf("openai-chat"), memory, ...options })(history, call);
  assert.deepEqual(pick(await once()), [true, false]);
  assert.deepEqual(pick(await once()), [false, true]);
  assert.deepEqual([...kept.keys()], ["default"]);
  assert.deepEqual(pick(await once({ id: "ann" })), [true, false]);
  assert.deepEqual(pick(await once({ id: "ann" })), [false, true]);
  assert.deepEqual(pick(await once({ id: "bob" })), [true, false]);
  for (const broken of ["", "{", "[1,null]", '{"a":1}', '[{"messages":3}]']) {
    kept.set("bob", broken);
    assert.deepEqual(pick(await once({ id: "bob" })), [true, false], broken);
  }
  for (let turn = 0; turn < 4; turn++) {
    const fitter = createFitter({ module, policy: policyOf("openai-chat"), memory, remembered: 2 });
    await fitter([{ role: "user", content: `Conversation ${turn}` }, ...history], { id: "many" });
  }
  assert.equal(JSON.parse(kept.get("many") ?? "").entries.length, 2);
  const failing = { load: () => Promise.reject(new Error("no disk")), save() {} };
  await assert.rejects(once({}, { memory: failing }), { code: "memory_failed" });
});

test("what another host has remembered in the records of all hosts is found", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  const history = [...talk(14), question];
  /** @type {Map<string, string>} */
  const kept = new Map();
  const memory = {
    load: async (/** @type {string} */ key) => kept.get(key),
    save: async (/** @type {string} */ key, /** @type {string} */ json) => void kept.set(key, json),
  };
  const { store, records } = recordsOf();
  const compactor = createCompactor({ module, policy: policyOf("openai-chat") });
  const { memory: entry } = /** @type {any} */ (
    compactor.plan(history, { memory: [], options: { summary: { mode: "local" } } })
  );
  const again = Date.now() + 60_000;
  for (const [more, known] of /** @type {const} */ ([
    [{}, true],
    [{ tries: 1, again }, true],
  ])) {
    const record = JSON.stringify({ version: 3, entries: [{ entry, ...more }], calls: [] });
    kept.set("default", record);
    const ours = createFitter({ module, policy: policyOf("openai-chat"), memory });
    assert.deepEqual(pick(await ours(history)), [!known, known]);
    records.clear();
    await createFitter({ module, policy: policyOf("openai-chat"), memory: sharedMemory(store) })(history);
    assert.ok(records.size > 0);
    for (const key of records.keys()) records.set(key, record);
    const shared = createFitter({ module, policy: policyOf("openai-chat"), memory: sharedMemory(store) });
    assert.deepEqual(pick(await shared(history)), [!known, known]);
  }
});

/** @param {{report: {changed: boolean}, known: boolean}} fitted */
const pick = ({ report, known }) => [report.changed, known];

test("ids keep what is remembered in the process apart, and the oldest is forgotten", async () => {
  const fitter = createFitter({ module, policy: policyOf("openai-chat"), remembered: 2 });
  const history = [...talk(14), question];
  assert.deepEqual(pick(await fitter(history, { id: "ann" })), [true, false]);
  assert.deepEqual(pick(await fitter(history, { id: "bob" })), [true, false]);
  assert.deepEqual(pick(await fitter(history, { id: "ann" })), [false, true]);
  assert.deepEqual(pick(await fitter(history)), [true, false]);
  assert.deepEqual(pick(await fitter(history, { id: "ann" })), [false, true]);
  assert.deepEqual(pick(await fitter(history, { id: "bob" })), [true, false], "forgotten");
});

test("the free function remembers by its options, whatever functions it is given", async () => {
  const history = [...talk(14), question];
  const costs = new Costs();
  const call = (/** @type {any} */ options) =>
    fit(history, {
      window: 8000,
      format: "openai-chat",
      summarize: () => costs.summarize(),
      onCompaction: (report) => costs.onCompaction(report),
      ...options,
    });
  assert.deepEqual(pick(await call({})), [true, false]);
  assert.deepEqual(pick(await call({})), [false, true]);
  assert.deepEqual(pick(await call({ policy: { log: true } })), [false, true]);
  assert.deepEqual(pick(await call({ window: 9000 })), [true, false]);
  assert.deepEqual(pick(await call({ module })), [true, false]);
  const store = memoryStore();
  assert.deepEqual(pick(await call({ store })), [true, false]);
  assert.deepEqual(pick(await call({ store })), [false, true]);
  assert.equal(costs.compactions, 4);
  const { messages, report } = await fit(JSON.stringify(history), { window: 8000, format: "openai-chat" });
  assert.deepEqual([typeof messages, report.changed], ["string", false]);
  const named = await fit({ model: "m", messages: history }, { model: "gpt-4", format: "openai-chat" });
  assert.equal(named.messages.model, "m");
  assert.equal(named.report.tokens.window, 8192);
  assert.ok(named.messages.messages.length < history.length);
});

test("fitters that are made anew for each call remember together where they are shared", async () => {
  const history = [...talk(14), question];
  const memory = { load: () => undefined, save() {} };
  /** @param {any} [options] @param {any} [call] */
  const anew = (options, call) => {
    const fitter = createFitter({ module, policy: { ...policyOf("openai-chat"), pins: [{ index: 3 }] }, ...options });
    return fitter(history, call).then(pick);
  };
  const shared = { shared: true };
  assert.deepEqual(await anew(shared), [true, false]);
  assert.deepEqual(await anew({ ...shared, summarize: () => summary }), [false, true]);
  assert.deepEqual(
    pick(await fit(history, { module, policy: { ...policyOf("openai-chat"), pins: [{ index: 3 }] } })),
    [false, true],
    "with the free function too",
  );
  for (const [what, options] of /** @type {const} */ ([
    ["its own", {}],
    ["another window", { ...shared, window: 7000 }],
    ["another memory", { ...shared, memory }],
    ["another store", { ...shared, store: memoryStore() }],
    ["another module", { ...shared, module: undefined }],
  ])) {
    assert.deepEqual(await anew(options), [true, false], what);
  }
  assert.deepEqual(await anew(shared, { id: "ann" }), [true, false]);
  assert.deepEqual(await anew(shared, { id: "ann" }), [false, true]);
  const policy = { ...policyOf("openai-chat"), window: { tokens: 6000 } };
  const force = { options: { force: true } };
  assert.deepEqual(await anew(shared, { policy, ...force }), [true, true], "a call of another window finds it too");
  assert.deepEqual(await anew(shared, { policy }), [false, true]);
});

test("a shared fitter works on where its policy was the oldest of many, also in a worker", async () => {
  for (const [name, create] of /** @type {const} */ ([
    ["here", createFitter],
    ["in a worker", remote.createFitter],
  ])) {
    const made = (/** @type {number} */ tokens) =>
      create({ shared: true, policy: { format: "openai-chat", window: { tokens } } });
    const oldest = made(100_000);
    assert.equal((await oldest([question])).messages.length, 1);
    for (let i = 1; i <= 70; i++) {
      const fitter = made(100_000 + i);
      await fitter([question]);
      fitter.close();
    }
    assert.deepEqual([name, (await oldest([question])).messages], [name, [question]]);
  }
});

test("an exact tokenizer counts what would be sent, not the history", async () => {
  const fitter = createFitter({
    module,
    policy: policyOf("openai-chat"),
    countTokens: (messages) => Math.ceil(JSON.stringify(messages).length / 4),
  });
  const history = [...talk(14), question];
  const first = await fitter(history);
  assert.equal(first.report.changed, true);
  const next = await fitter([...history, { role: "assistant", content: "Well." }, question]);
  assert.deepEqual([next.report.changed, next.known], [false, true]);
  assert.equal(next.report.tokens.before, Math.ceil(JSON.stringify(next.messages).length / 4));
});

test("the provider's count is of what was sent", async () => {
  const fitter = createFitter({ module, policy: policyOf("openai-chat") });
  const history = [...talk(5), question];
  assert.equal((await fitter(history)).report.reason, "under_budget");
  const full = await fitter(history, { usage: { message: history.length - 2, total_tokens: 7400 } });
  assert.deepEqual([full.report.changed, full.report.tokens.source], [true, "measured"]);
});

test("in a worker it is the same", async () => {
  const history = [...talk(14), question];
  const here = await createFitter({ module, policy: policyOf("openai-chat") })(history);
  const there = await remote.fit(history, { policy: policyOf("openai-chat") });
  assert.deepEqual(there, here);
  assert.equal(there.messages.at(-1), history.at(-1));
  const bytes = await remote.fit(new TextEncoder().encode(JSON.stringify(history)), {
    policy: policyOf("openai-chat"),
  });
  assert.deepEqual(pick(bytes), [false, true]);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes.messages)), here.messages);
});

test("a host that lives no longer than a request runs plan and step with what it remembers", async () => {
  const policy = policyOf("openai-chat");
  /** @type {import("ctxfold").MemoryEntry[]} */
  let memory = [];
  let stored = "[]";
  let calls = 0;
  let compactions = 0;
  /** @type {any[]} */
  const history = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const { user, steps, answer } = SCRIPTS["openai-chat"](turn);
    history.push(user);
    // Only the stored data survives from here on, and between plan and step.
    memory = JSON.parse(stored);
    let result = createCompactor({ module, policy }).plan(history, { memory });
    while ("plan" in result) {
      assert.equal(typeof result.known, "number");
      const { plan, requests } = JSON.parse(JSON.stringify(result));
      calls += requests.length;
      const summaries = requests.map((/** @type {any} */ { id }) => ({ id, text: summary }));
      result = createCompactor({ module, policy }).step(history, plan, summaries, { memory });
    }
    const { messages, report, memory: made, known = -1 } = result;
    assert.equal(report.changed, made !== undefined);
    assert.equal(known >= 0, compactions > 0);
    assert.equal(messages.at(-1), user);
    if (made) compactions++;
    stored = JSON.stringify(made ? [...memory, made] : memory);
    history.push(...steps.flat(), answer);
  }
  const fewest = await least("openai-chat", false);
  assert.deepEqual([compactions, calls], [fewest.compactions, fewest.calls]);

  const compactor = createCompactor({ module, policy });
  const prints = compactor.prints(history);
  assert.equal(prints.length, history.length);
  for (const { messages, print } of memory) assert.equal(prints[messages - 1], print);
  assert.deepEqual(compactor.prints(JSON.stringify(history)), prints);
  assert.throws(() => compactor.plan(history, /** @type {any} */ ({ memry: [] })), { code: "invalid_option" });

  const there = remote.createCompactor({ policy });
  assert.deepEqual(await there.prints(history), prints);
  assert.deepEqual(await there.plan(history, { memory }), compactor.plan(history, { memory }));
  there.close();
});

test("messages that a provider refuses as too long are compacted for the window that it names", async () => {
  const history = Array.from({ length: 60 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i}: ${words(400)}`,
  }));
  const tooLong = Object.assign(new Error("400"), {
    status: 400,
    error: { message: "prompt is too long: 70000 tokens > 20000 maximum" },
  });
  const fitter = createFitter({ module, window: 1_000_000 });
  const sent = await fitter(history);
  assert.equal(sent.messages, history);
  await assert.rejects(fitter(history, { refused: new Error("your card was declined") }), { code: "not_overflow" });
  const again = await fitter(history, { refused: new Error("no answer", { cause: tooLong }) });
  assert.ok(again.report.changed && again.report.tokens.after < 20_000, `${again.report.tokens.after} tokens`);
  const further = await fitter(history, { refused: tooLong });
  assert.ok(further.report.tokens.after < again.report.tokens.after, "what did not help is compacted further");
  const short = createFitter({ module, window: 1_000_000 });
  await assert.rejects(short([question], { refused: tooLong }), { code: "still_overflow" });
});

test("options that nothing reads are refused", async () => {
  for (const [options, text] of /** @type {const} */ ([
    [{ windw: 1000 }, /did you mean "window"/],
    [{ usage: null, sumarize: () => "" }, /did you mean "summarize"/],
    [{ state: {} }, /no option "state"/],
    [{ window: { tokens: 1000 } }, /window is the model's context window in tokens/],
    [{ remembered: 0 }, /remembered/],
  ])) {
    await assert.rejects(fit([question], /** @type {any} */ (options)), { code: "invalid_option", message: text });
  }
  assert.throws(() => createFitter(/** @type {any} */ ({ signal: null })), { code: "invalid_option" });
  await assert.rejects(createFitter({ module })([question], /** @type {any} */ ({ window: 3 })), {
    code: "invalid_option",
  });
});
