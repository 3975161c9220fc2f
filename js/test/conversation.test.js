import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, createCompactor, load, memoryJournal, memoryStore } from "ctxfold";
import { createCompactor as createRemote } from "ctxfold/worker";
import { noBrowser, openPage } from "./support/browser.js";
import { files, serve } from "./support/server.js";

const root = new URL("../../", import.meta.url);
const module = await load();
const policy = { format: "openai-chat", window: { tokens: 20000 } };

/** A conversation of n long messages and a short one. @param {number} n */
const talk = (n) => [
  ...Array.from({ length: n }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i}${" word".repeat(2000)}`,
  })),
  { role: "user", content: "And now?" },
];

/** @param {object} [more] */
const conversation = (more) =>
  new Conversation({
    create: createCompactor,
    compactor: { module },
    policy,
    id: "c1",
    journal: memoryJournal(),
    ...more,
  });

test("after a turn it is compacted when due, and events tell", async () => {
  const journal = memoryJournal();
  /** @type {any[]} */
  const told = [];
  const c = conversation({
    journal,
    afterCompact: (/** @type {any} */ end, /** @type {any} */ done) => told.push([end, done.report.changed]),
  });
  assert.equal((await c.afterTurn(talk(2))).changed, false);
  assert.deepEqual(await journal.events("c1"), []);
  const messages = talk(12);
  const r = await c.afterTurn(messages);
  assert.equal(r.changed, true);
  assert.equal(c.state, r.done?.state);
  const [start, end] = await journal.events("c1");
  assert.deepEqual([start?.type, start?.trigger, start?.messages_before], ["compaction_start", "auto", 13]);
  assert.deepEqual(told, [[end, true]]);
  const gone = (end?.removed ?? []).reduce((n, [from, to]) => n + to - from, 0);
  assert.ok(gone > 0);
  assert.equal(end?.messages_after, 13 - gone + 1);
  assert.equal(/** @type {any[]} */ (r.messages).at(-1), messages.at(-1));
});

test("a compaction can be left out", async () => {
  const c = conversation({ beforeCompact: async () => false });
  assert.deepEqual(await c.afterTurn(talk(12)).then((r) => [r.changed, r.reason]), [false, "skipped"]);
});

test("a journal that fails costs nothing", async () => {
  /** @type {unknown[]} */
  const errors = [];
  const journal = { append: () => Promise.reject(new Error("full")), events: () => [] };
  const c = conversation({ journal, onJournalError: (/** @type {unknown} */ error) => errors.push(error) });
  assert.equal((await c.compact(talk(12))).changed, true);
  assert.equal(errors.length, 2);
});

test("a failed compaction is an event", async () => {
  const journal = memoryJournal();
  const strict = { preset: "agent-loop", wire_safe: false, format: "native", window: { tokens: 20000 } };
  const c = conversation({ journal, policy: strict, summarize: () => Promise.reject(new Error("boom")) });
  await assert.rejects(c.compact(talk(12)), /boom/);
  const [, end] = await journal.events("c1");
  assert.match(end?.error ?? "", /boom/);
  assert.equal(end?.messages_after, 13);
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
    const c = conversation();
    const messages = talk(8);
    let n = 0;
    const called = c.call(messages, async (sent, told) => {
      assert.equal(sent === messages, n === 0);
      const answer = answers[n++];
      if (answer instanceof Error) throw answer;
      if (typeof answer === "object") told(answer);
      return answer;
    });
    if (rejects) await assert.rejects(called, rejects);
    else {
      const { value, compacted, messages: sent } = await called;
      assert.equal(value, "ok");
      assert.equal(compacted !== undefined, folded);
      assert.equal(sent === messages, !folded);
    }
    assert.equal(n, calls);
  });
}

/**
 * `create` that counts: sessions that were opened, and messages that were appended to them.
 * @param {(options: any) => any} create
 */
function counted(create) {
  const counts = { made: 0, opened: 0, appended: 0 };
  return {
    counts,
    create: (/** @type {any} */ options) => {
      counts.made++;
      const compactor = create(options);
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
      return compactor;
    },
  };
}

for (const [name, create, compactor] of /** @type {const} */ ([
  ["here", createCompactor, { module }],
  ["in a worker", createRemote, {}],
])) {
  test(`a live conversation crosses into the module once: ${name}`, async (t) => {
    const { counts, create: counting } = counted(create);
    const c = conversation({ create: counting, compactor });
    t.after(() => c.close());
    /** @type {any[]} */
    let messages = [];
    let compactions = 0;
    for (const message of talk(30)) {
      messages.push(message);
      const r = await c.afterTurn(messages);
      if (!r.changed) assert.equal(r.messages, messages);
      else compactions++;
      messages = /** @type {any[]} */ (r.messages);
    }
    assert.ok(compactions > 1);
    assert.deepEqual(counts, { made: 1, opened: 1, appended: 30 });

    // What was written on, and what is another list, is read again.
    const { tokens } = await createCompactor({ module, policy }).estimate(messages);
    messages.at(-1).content += " word".repeat(40000);
    assert.equal((await c.afterTurn(messages)).changed, true);
    assert.ok(tokens < 20000);
    assert.equal(counts.opened, 2);
    assert.equal((await c.afterTurn(talk(1))).changed, false);
    assert.equal(counts.opened, 3);
  });
}

test("text, bytes and bodies are read as a whole, under the same state", async () => {
  const c = conversation();
  const text = JSON.stringify(talk(12));
  for (const [round, messages] of [text, new TextEncoder().encode(text), { messages: talk(12) }].entries()) {
    const { changed, messages: got, done } = await c.afterTurn(messages);
    assert.equal(changed, true);
    assert.equal(typeof got, typeof messages);
    assert.equal(/** @type {any} */ (c.state).round, round + 1);
    assert.equal(c.state, done?.state);
  }
});

test("the state is kept, and another page goes on with it", async () => {
  const states = memoryStore();
  const { messages } = await conversation({ states }).compact(talk(12));
  const again = conversation({ states });
  const { reason } = await again.compact(messages);
  assert.equal(reason, "no_progress");
  assert.equal(/** @type {any} */ (again.state).round, 1);
  const other = conversation({ states, id: "another" });
  await other.afterTurn(talk(1));
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
  const c = conversation({ states });
  await assert.rejects(c.afterTurn(talk(1)), /no disk/);
  fails = false;
  assert.equal((await c.afterTurn(talk(1))).changed, false);
});

test("a tool's output that is too large is kept elsewhere", async () => {
  const c = conversation();
  const text = "line of output\n".repeat(20000);
  const store = memoryStore();
  const out = await c.limitOutput(text, store);
  assert.equal(out.spilled, true);
  assert.match(out.text, new RegExp(`SHA256: ${out.handle}`));
  assert.equal(await store.get(out.handle ?? ""), text);
  for (const bad of [undefined, memoryStore({ maxLength: 10 })]) {
    const cut = await c.limitOutput(text, bad);
    assert.deepEqual([cut.spilled, cut.changed, cut.text.includes("spill failed")], [false, true, bad !== undefined]);
  }
  assert.equal((await c.limitOutput("short", store)).changed, false);
});

test("a journal in IndexedDB", { skip: noBrowser }, async (t) => {
  const page = await openPage(t);
  await page.goto(`${await serve(t, files(root))}/js/test/support/page.html`);
  const got = await page.evaluate(async () => {
    const { indexedDBJournal } = await import(/** @type {any} */ ("/js/dist/index.js"));
    const first = indexedDBJournal("journal");
    for (const [i, conversation] of ["a", "b", "a"].entries()) await first.append({ conversation, time: i });
    return indexedDBJournal("journal").events("a"); // as after a reload of the page
  });
  assert.deepEqual(got, [
    { conversation: "a", time: 0 },
    { conversation: "a", time: 2 },
  ]);
});
