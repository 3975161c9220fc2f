import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, createCompactor, load, memoryJournal, memoryStore } from "ctxfold";
import { createCompactor as createRemote } from "ctxfold/worker";
import { LIMIT, noBrowser, openPage } from "./support/browser.js";
import { full, noFull } from "./support/full.js";
import { files, serve } from "./support/server.js";

const root = new URL("../../", import.meta.url);
const module = await load();
/** @type {import("ctxfold").Policy} */
const policy = { format: "openai-chat", window: { tokens: 20000 } };

/** Returns n long messages and a short one. @param {number} n */
const talk = (n) => [
  ...Array.from({ length: n }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i}${" word".repeat(2000)}`,
  })),
  { role: "user", content: "And now?" },
];

/** @param {any[]} messages @param {object} [more] @param {object} [options] of the compactor */
const conversation = (messages, more, options) =>
  new Conversation(createCompactor({ module, policy, ...options }), {
    messages,
    id: "c1",
    journal: memoryJournal(),
    ...more,
  });

test("after a turn it is compacted when due, and events tell", async () => {
  const journal = memoryJournal();
  /** @type {any[]} */
  const told = [];
  const messages = talk(12);
  const c = conversation(messages.slice(0, 2), {
    journal,
    afterCompact: (/** @type {any} */ end, /** @type {any} */ done) => told.push([end, done.report.changed]),
  });
  assert.equal((await c.afterTurn()).changed, false);
  assert.deepEqual(await journal.events("c1"), []);
  await c.append(...messages.slice(2));
  assert.equal((await c.check()).due, true);
  const r = await c.afterTurn();
  assert.equal(r.changed, true);
  assert.equal(c.state, r.done?.state);
  assert.deepEqual(c.messages, r.done?.messages);
  const [start, end] = await journal.events("c1");
  assert.deepEqual([start?.type, start?.trigger, start?.messages_before], ["compaction_start", "auto", 13]);
  assert.deepEqual(told, [[end, true]]);
  const gone = (end?.removed ?? []).reduce((n, [from, to]) => n + to - from, 0);
  assert.ok(gone > 0);
  assert.equal(end?.messages_after, 13 - gone + 1);
  assert.equal(c.messages.at(-1), messages.at(-1));
});

test("a compaction can be left out", async () => {
  const c = conversation(talk(12), { beforeCompact: async () => false });
  assert.deepEqual(await c.afterTurn(), { changed: false, reason: "skipped" });
});

test("a host gives a reason, or brings the summary", async () => {
  const options = { summarize: () => assert.fail("the summarizer was asked") };
  const c = conversation(talk(12), { beforeCompact: () => ({ cancel: "not while a tool runs" }) }, options);
  assert.deepEqual(await c.compact(), { changed: false, reason: "not while a tool runs" });
  for (const method of /** @type {const} */ (["afterTurn", "compact"])) {
    const own = conversation(talk(12), { beforeCompact: async () => ({ summary: "What the host knows." }) }, options);
    const { done } = await own[method]();
    assert.equal(done?.report.summary.source, "host");
    assert.match(JSON.stringify(own.messages), /What the host knows\./);
  }
});

test("a host says how much calls matter", async () => {
  const call = (/** @type {number} */ i) => ({
    id: `s${i}`,
    type: "function",
    function: { name: "search", arguments: "{}" },
  });
  const messages = [
    { role: "user", content: "Find the ship." },
    ...Array.from({ length: 12 }, (_, i) => [
      { role: "assistant", content: null, tool_calls: [call(i)] },
      { role: "tool", tool_call_id: `s${i}`, content: `harbour ${i}, pier ${3 * i}; `.repeat(120) },
    ]).flat(),
    { role: "user", content: "Where is it?" },
  ];
  /** @type {any} */
  const own = { ...policy, window: { tokens: 9000, reserve: 0 }, gate: { target: 0.9 }, summary: { mode: "local" } };
  /** @type {unknown[]} */
  const given = [];
  const score = (/** @type {readonly unknown[]} */ list) => {
    given.push(...list);
    return { calls: [{ id: "s8", score: -1 }] };
  };
  const c = conversation(messages, { score }, { policy: own });
  const { done } = await c.compact();
  assert.deepEqual(given, messages);
  assert.deepEqual([done?.report.actions[0]?.pass, done?.report.actions[0]?.message], ["score", 18]);
  const broken = conversation(messages, { score: () => assert.fail("it is broken") }, { policy: own });
  await assert.rejects(broken.compact(), /it is broken/);
  assert.deepEqual(broken.messages, messages);
  assert.equal((await conversation(messages, { score: () => undefined }, { policy: own }).compact()).changed, true);
});

test("options that nothing reads are refused, with what was probably meant", async () => {
  const compactor = createCompactor({ module, policy });
  for (const [make, path, text] of /** @type {[() => unknown, string, RegExp][]} */ ([
    [() => new Conversation(compactor, /** @type {any} */ ({ message: [] })), "message", /did you mean "messages"/],
    [
      () => createCompactor(/** @type {any} */ ({ polcy: {} })),
      "polcy",
      /createCompactor has .* did you mean "policy"/,
    ],
    [() => createCompactor(/** @type {any} */ ({ summary_timeout_ms: 1 })), "summary_timeout_ms", /"summaryTimeoutMs"/],
    [() => createCompactor(/** @type {any} */ ({ window: {} })), "window", /did you mean "policy\.window"/],
    [() => createCompactor(/** @type {any} */ ({ xyzzy: 1 })), "xyzzy", /it has module, policy, summarize/],
    [() => createRemote(/** @type {any} */ ({ formatt: "" })), "formatt", /did you mean "policy\.format"/],
  ])) {
    assert.throws(make, { code: "invalid_option", path, message: text });
  }
  await assert.rejects(compactor.compact([], /** @type {any} */ ({ singal: 1 })), { message: /did you mean "signal"/ });
  createCompactor(/** @type {any} */ ({ module, xyzzy: undefined }));
});

test("a journal that fails costs nothing", async () => {
  /** @type {unknown[]} */
  const errors = [];
  const journal = { append: () => Promise.reject(new Error("full")), events: () => [] };
  const c = conversation(talk(12), { journal, onJournalError: (/** @type {unknown} */ error) => errors.push(error) });
  assert.equal((await c.compact()).changed, true);
  assert.equal(errors.length, 2);
});

test("a failed compaction is an event", { skip: noFull }, async () => {
  const journal = memoryJournal();
  const strict = { preset: "agent-loop", wire_safe: false, format: "native", window: { tokens: 20000 } };
  const messages = talk(12);
  const c = conversation(
    messages,
    { journal },
    {
      module: await load(full),
      policy: strict,
      summarize: () => Promise.reject(new Error("boom")),
    },
  );
  await assert.rejects(c.compact(), /boom/);
  const [, end] = await journal.events("c1");
  assert.match(end?.error ?? "", /boom/);
  assert.equal(end?.messages_after, 13);
  assert.deepEqual(c.messages, messages);
});

const overflow = Object.assign(new Error("400"), {
  status: 400,
  error: { type: "invalid_request_error", message: "prompt is too long: 24011 tokens > 16000 maximum" },
});

for (const { name, answers, calls, rejects, folded } of [
  { name: "fits", answers: ["ok"], calls: 1, folded: false },
  { name: "an overflow, then it fits", answers: [overflow, "ok"], calls: 2, folded: true },
  {
    name: "two overflows",
    answers: [overflow, overflow],
    calls: 2,
    rejects: { code: "still_overflow", cause: overflow },
  },
  {
    name: "an overflow without an error",
    answers: [{ usage: { input_tokens: 21000 }, window: 20000 }, "ok"],
    calls: 2,
    folded: true,
  },
  {
    name: "a rate limit",
    answers: [Object.assign(new Error("too many tokens"), { status: 429 })],
    calls: 1,
    rejects: /too many/,
  },
]) {
  test(`a call is made again once: ${name}`, async () => {
    const messages = talk(8);
    const c = conversation(messages);
    let n = 0;
    const called = c.call(async (sent, told) => {
      assert.equal(sent.length === messages.length, n === 0);
      const answer = answers[n++];
      if (answer instanceof Error) throw answer;
      if (typeof answer === "object") told(answer);
      return answer;
    });
    if (rejects) await assert.rejects(called, rejects);
    else {
      const { value, compacted } = await called;
      assert.equal(value, "ok");
      assert.equal(compacted !== undefined, folded);
      assert.equal(c.messages.length === messages.length, !folded);
    }
    assert.equal(n, calls);
  });
}

for (const [name, message] of /** @type {const} */ ([
  ["no number", "context_length_exceeded"],
  ["the window that is known", "prompt is too long: 20001 tokens > 20000 maximum"],
])) {
  test(`a provider refuses what a compaction has just made, with ${name}`, async () => {
    const c = conversation(talk(12));
    assert.equal((await c.compact()).changed, true);
    /** @type {number[]} */
    const sizes = [];
    const { value, compacted } = await c.call(async (sent) => {
      if (sizes.push(JSON.stringify(sent).length) === 1) throw Object.assign(new Error(message), { status: 400 });
      return "ok";
    });
    assert.equal(value, "ok");
    assert.equal(compacted?.changed, true);
    assert.equal(sizes.length, 2);
    assert.ok(Number(sizes[1]) < Number(sizes[0]), String(sizes));
  });
}

/**
 * Wraps a compactor, and counts the sessions that are opened and the messages that are appended to them.
 * @param {any} compactor
 */
function counted(compactor) {
  const counts = { opened: 0, appended: 0 };
  const { session } = compactor;
  compactor.session = (/** @type {any[]} */ ...args) => {
    counts.opened++;
    const held = session.apply(compactor, args);
    const { append } = held;
    held.append = (/** @type {any[]} */ ...messages) => {
      counts.appended += messages.length;
      return append.apply(held, messages);
    };
    return held;
  };
  return { counts, compactor };
}

for (const [name, make] of /** @type {const} */ ([
  ["here", () => createCompactor({ module, policy })],
  ["in a worker", () => createRemote({ policy })],
])) {
  test(`a message crosses into the module once: ${name}`, async (t) => {
    const made = make();
    if ("close" in made) t.after(() => made.close());
    const { counts, compactor } = counted(made);
    const c = new Conversation(compactor);
    let compactions = 0;
    for (const message of talk(30)) {
      await c.append(message);
      if ((await c.afterTurn()).changed) compactions++;
    }
    assert.ok(compactions > 1);
    assert.deepEqual(counts, { opened: 1, appended: 31 });
    assert.equal((await createCompactor({ module, policy }).check([...c.messages])).messages, c.messages.length);
    await c.setMessages(talk(1));
    assert.equal(c.messages.length, 2);
    assert.equal((await c.afterTurn()).changed, false);
    await assert.rejects(c.setMessages([{ content: "no role" }]), { name: "CtxfoldError" });
    assert.equal(c.messages.length, 2);
    await c.close();
    assert.equal((await c.check()).messages, 2);
  });
}

test("compactions run one after the other; what is appended meanwhile stays", async () => {
  const late = { role: "user", content: "one more thing" };
  let asked = 0;
  const summarize = async () => {
    if (asked++ === 0) await c.append(late);
    return "## Summary\nThe user says words.";
  };
  const c = conversation(talk(12), {}, { summarize });
  const [first, second] = await Promise.all([c.compact(), c.compact()]);
  assert.equal(first.changed, true);
  assert.ok(second.done);
  assert.equal(c.messages.at(-1), late);
});

test("what was taken out comes back from the store", async () => {
  const messages = talk(12);
  const c = conversation(messages, {}, { store: memoryStore() });
  await c.compact();
  assert.ok(c.messages.length < messages.length);
  assert.equal((await c.restore()).report.changed, true);
  assert.deepEqual(c.messages, messages);
  assert.equal((await c.check()).messages, messages.length);
  await assert.rejects(conversation([]).restore(), { code: "invalid_option" });
});

test("what is appended while messages are replaced comes behind them", async (t) => {
  const remote = createRemote({ policy, store: memoryStore() });
  t.after(() => remote.close());
  const late = { role: "user", content: "one more thing" };
  const messages = talk(12);
  for (const compactor of [createCompactor({ module, policy, store: memoryStore() }), remote]) {
    const c = new Conversation(compactor, { messages });
    await c.compact();
    await Promise.all([c.append(late), c.restore(), c.append(late)]);
    assert.deepEqual(c.messages, [...messages, late, late]);
    await c.setMessages([]);
    await c.append(late);
    assert.deepEqual(c.messages, [late]);
    assert.equal((await c.check()).messages, 1);
  }
});

test("the state is kept, and another page goes on with it", async () => {
  const states = memoryStore();
  const first = conversation(talk(12), { states });
  await first.compact();
  const again = conversation([...first.messages], { states });
  assert.equal((await again.compact()).reason, "no_progress");
  assert.equal(/** @type {any} */ (again.state).round, 1);
  const other = conversation(talk(1), { states, id: "another" });
  await other.afterTurn();
  assert.equal(other.state, undefined);
});

test("a state that cannot be read is told, and asked for again", async () => {
  let fails = true;
  const states = {
    saveState() {},
    loadState: async () => {
      if (fails) throw new Error("no disk");
      return undefined;
    },
  };
  const c = conversation(talk(1), { states });
  await assert.rejects(c.afterTurn(), /no disk/);
  fails = false;
  assert.equal((await c.afterTurn()).changed, false);
});

/** Returns a store of states without swapState, such as a host may have. */
function plainStates() {
  /** @type {Map<string, any>} */
  const kept = new Map();
  return {
    saveState: async (/** @type {string} */ id, /** @type {any} */ state) => void kept.set(id, structuredClone(state)),
    loadState: async (/** @type {string} */ id) => structuredClone(kept.get(id)),
  };
}

for (const [name, make] of /** @type {const} */ ([
  ["that swaps", memoryStore],
  ["that only loads and saves", plainStates],
])) {
  test(`two tabs with one conversation over a store ${name}: the second one is told, and nothing is lost`, async () => {
    const states = make();
    const messages = talk(12);
    let asked = 0;
    const summarize = () => {
      asked++;
      return "## Summary\nThe user counted words, and nothing else is open.";
    };
    const first = conversation(messages, { states }, { summarize });
    const journal = memoryJournal();
    const second = conversation(messages, { states, journal }, { summarize });
    await Promise.all([first.check(), second.check()]); // both have read the state
    assert.equal((await first.afterTurn()).changed, true);
    const calls = asked;
    const said = { role: "user", content: "said in the second tab" };
    await second.append(said);
    for (const compact of [() => second.afterTurn(), () => second.compact()]) {
      await assert.rejects(compact(), { code: "conflict" });
    }
    assert.equal(asked, calls, "no model was asked");
    assert.deepEqual(await journal.events("c1"), []);
    assert.deepEqual(second.messages, [...messages, said]);
    assert.equal(second.state, undefined);
    assert.deepEqual(await states.loadState("c1"), first.state);

    await second.setMessages([...first.messages, said]);
    assert.deepEqual(second.state, first.state);
    await second.append(...talk(10));
    assert.equal((await second.afterTurn()).changed, true);
    assert.deepEqual(await states.loadState("c1"), second.state);
    await first.append(...talk(10));
    await assert.rejects(first.afterTurn(), { code: "conflict" });
  });
}

test("two tabs compact at the same moment: one of them does, the other keeps its messages", async () => {
  const states = memoryStore();
  const messages = talk(12);
  /** A model that is slow enough to be called by both if there are no Web Locks. */
  const summarize = async () => {
    await new Promise((later) => setTimeout(later, 20));
    return "## Summary\nThe user counted words, and nothing else is open.";
  };
  const tabs = [1, 2].map(() => conversation(messages, { states }, { summarize }));
  const ends = await Promise.allSettled(tabs.map((tab) => tab.afterTurn()));
  assert.deepEqual(ends.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const loser = tabs[ends.findIndex(({ status }) => status === "rejected")];
  const winner = tabs[ends.findIndex(({ status }) => status === "fulfilled")];
  assert.deepEqual(loser?.messages, messages);
  assert.equal(loser?.state, undefined);
  assert.deepEqual(await states.loadState("c1"), winner?.state);
  const again = await loser?.append({ role: "user", content: "It goes on." });
  assert.ok(Number(again) > 0);
});

test("a state that cannot be saved is told, and the compaction stays done", async () => {
  const states = { ...plainStates(), saveState: () => Promise.reject(new Error("no disk")) };
  const messages = talk(12);
  const c = conversation(messages, { states });
  await assert.rejects(c.afterTurn(), /no disk/);
  assert.ok(c.messages.length < messages.length);
});

test("pages that have one conversation compact one after the other", { skip: noBrowser }, async (t) => {
  const page = await openPage(t);
  const browser = await page.context().browser()?.newContext();
  assert.ok(browser);
  browser.setDefaultTimeout(LIMIT);
  const address = `${await serve(t, files(root))}/js/test/support/page.html`;
  const pages = await Promise.all([browser.newPage(), browser.newPage()]);
  await Promise.all(pages.map((each) => each.goto(address)));
  await Promise.all(
    pages.map((each) =>
      each.evaluate(
        async ({ messages, policy }) => {
          const { Conversation, createCompactor, indexedDBStore } = await import(
            /** @type {any} */ ("/js/dist/index.js")
          );
          let asked = 0;
          const summarize = async () => {
            asked++;
            return "## Summary\nThe user counted words, and nothing else is open.";
          };
          const compactor = createCompactor({ policy, summarize });
          const c = new Conversation(compactor, { messages, id: "shared", states: indexedDBStore("tabs") });
          await c.check();
          Object.assign(globalThis, {
            turn: async () => {
              const end = await c.afterTurn().then(
                () => "compacted",
                (/** @type {any} */ error) => error.code,
              );
              return { end, asked, left: c.messages.length };
            },
          });
        },
        { messages: talk(12), policy },
      ),
    ),
  );
  // Both have read the state by now.
  const ends = await Promise.all(pages.map((each) => each.evaluate(() => /** @type {any} */ (globalThis).turn())));
  assert.deepEqual(ends.map(({ end }) => end).sort(), ["compacted", "conflict"]);
  const { asked, left } = ends.find(({ end }) => end === "conflict") ?? { asked: -1, left: 0 };
  assert.deepEqual([asked, left], [0, 13]);
});

test("a tool's output that is too large is kept elsewhere", async () => {
  const c = conversation([]);
  const text = "line of output\n".repeat(20000);
  const store = memoryStore();
  const out = await c.limitOutput(text, {}, store);
  assert.equal(out.spilled, true);
  assert.match(out.text, new RegExp(`SHA256: ${out.handle}`));
  assert.equal(await store.get(out.handle ?? ""), text);
  for (const bad of [undefined, memoryStore({ maxLength: 10 })]) {
    const cut = await c.limitOutput(text, {}, bad);
    assert.deepEqual([cut.spilled, cut.changed, cut.text.includes("spill failed")], [false, true, bad !== undefined]);
  }
  assert.equal((await c.limitOutput("short", {}, store)).changed, false);
});

test("a journal in IndexedDB", { skip: noBrowser }, async (t) => {
  const page = await openPage(t);
  await page.goto(`${await serve(t, files(root))}/js/test/support/page.html`);
  const got = await page.evaluate(async () => {
    const { indexedDBJournal } = await import(/** @type {any} */ ("/js/dist/index.js"));
    const first = indexedDBJournal("journal");
    for (const [i, conversation] of ["a", "b", "a"].entries()) await first.append({ conversation, time: i });
    return indexedDBJournal("journal").events("a"); // as after reloading the page
  });
  assert.deepEqual(got, [
    { conversation: "a", time: 0 },
    { conversation: "a", time: 2 },
  ]);
});
