import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, createCompactor, load, memoryJournal, memoryStore } from "ctxfold";
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
