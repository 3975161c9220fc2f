import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, load, memoryStore, restoreFrom } from "ctxfold";
import { createCompactor as createRemote } from "ctxfold/worker";
import { session, summary, tight } from "./support/session.js";

const module = await load();
/** @type {import("ctxfold").Policy} */
const policy = { ...tight, format: "openai-chat" };
const make = (options = {}) => createCompactor({ module, policy, ...options });

/** Returns the same messages with different ids. @param {number} turns @param {string} name */
const renamed = (turns, name) => JSON.parse(JSON.stringify(session(turns).slice(1)).replaceAll("call_", `${name}_`));

/**
 * Both kinds of sessions: one returns results directly, the other as promises.
 * @type {[name: string, make: (t: import("node:test").TestContext, options?: object) => any][]}
 */
const kinds = [
  ["a session", (_, options) => make(options)],
  [
    "a session in a worker",
    (t, options) => {
      const compactor = createRemote({ policy, ...options });
      t.after(() => compactor.close());
      return compactor;
    },
  ],
];

for (const [name, made] of kinds) {
  test(`${name} that is appended to gives what a compactor of the whole gives`, async (t) => {
    const messages = session(20);
    const options = { summarize: async () => summary };
    const held = made(t, options).session();
    for (const message of messages) await held.append(message);
    const whole = make(options);
    assert.deepEqual(await held.check(), whole.check(messages));
    assert.deepEqual(await held.estimate(), whole.estimate(messages));
    const loose = { policy: { ...policy, window: { tokens: 100_000 } } };
    assert.deepEqual(await held.check(loose), whole.check(messages, loose));
    const done = await held.compact();
    assert.deepEqual(done, await whole.compact(messages));
    assert.deepEqual(held.state, whole.state);
    assert.equal(held.messages[0], messages[0], "the caller's own objects");
    assert.equal(held.messages.at(-1), messages.at(-1));
    assert.equal((await held.check()).due, false);
    await held.close();
  });

  test(`${name} takes the options of one call, and has forgotten them at the next`, async (t) => {
    const messages = session(4);
    const held = made(t).session(messages);
    assert.equal((await held.check()).due, false);
    const { window, due } = await held.check({ options: { window: 400, no_reserve: true } });
    assert.deepEqual([window, due], [400, true]);
    assert.equal((await held.check()).window, tight.window.tokens);
    assert.equal((await held.compact()).report.changed, false);
    const options = { force: true, window: 400, no_reserve: true };
    const { report } = await held.compact({ options });
    assert.deepEqual([report.changed, report.tokens.window], [true, 400]);
    assert.deepEqual(report, (await make().compact(messages, { options })).report);
    await assert.rejects(held.compact({ options: { forc: true } }), { code: "unknown_field", path: "options.forc" });
  });

  test(`${name} goes on after a compaction, and compacts again`, async (t) => {
    const held = made(t).session(session(20));
    await held.compact();
    const { tokens } = await held.estimate();
    assert.ok((await held.append(...renamed(20, "again"))) > tokens);
    const { report, state } = await held.compact();
    assert.equal(report.reason, "compacted");
    assert.equal(state.round, 2);
    assert.deepEqual(make().validate([...held.messages]).violations, []);
  });

  test(`${name}: plan and step by hand`, async (t) => {
    const messages = session(20);
    const held = made(t).session(messages);
    const pending = await held.plan();
    const late = { role: "user", content: "one more thing" };
    await held.append(late);
    const done = await held.step(
      pending.plan,
      pending.requests.map((/** @type {{id: string}} */ { id }) => ({ id, text: summary })),
    );
    const whole = make();
    const same = whole.plan(messages);
    assert.ok("plan" in same);
    const summaries = same.requests.map(({ id }) => ({ id, text: summary }));
    const expected = /** @type {any} */ (whole.step([...messages, late], same.plan, summaries));
    assert.deepEqual(done, expected);
    assert.deepEqual(held.messages, done.messages);
    assert.equal((await held.check()).messages, done.messages.length);
  });

  test(`${name}: messages that come while a summary is made stay behind the result`, async (t) => {
    const late = { role: "user", content: "one more thing" };
    const held = made(t, {
      summarize: async () => {
        await held.append(late);
        return summary;
      },
    }).session(session(20));
    const { messages } = await held.compact();
    assert.equal(messages.at(-1), late);
    assert.equal(held.messages.at(-1), late);
    assert.equal((await held.check()).messages, messages.length);
  });

  test(`${name}: one compaction runs at a time; an abort leaves everything as it was`, async (t) => {
    const controller = new AbortController();
    const held = made(t, { summarize: () => new Promise(() => {}) }).session(session(20));
    const before = held.messages;
    const running = held.compact({ signal: controller.signal });
    await assert.rejects(held.compact(), { code: "invalid_option", message: /under way/ });
    controller.abort(new Error("enough"));
    await assert.rejects(running, /enough/);
    assert.equal(held.messages, before);
    assert.equal((await held.check()).messages, before.length);
  });

  test(`${name}: a store that fails leaves it as it was, also in the module`, async (t) => {
    const held = made(t, { store: memoryStore({ maxLength: 10 }) }).session(session(20));
    const check = await held.check();
    await assert.rejects(held.compact(), { code: "store_failed" });
    assert.equal(held.messages.length, check.messages);
    assert.deepEqual(await held.check(), check);
    assert.equal(held.state, undefined);
  });

  test(`${name}: what is taken out is in the store`, async (t) => {
    const store = memoryStore();
    const messages = session(20);
    const held = made(t, { store }).session(messages);
    await held.compact();
    const restored = await restoreFrom(store, make(), [...held.messages]);
    assert.deepEqual(restored.messages, messages);
  });

  test(`${name}: a message with a fault is not put, and it works on`, async (t) => {
    const held = made(t).session(session(2));
    const { length } = held.messages;
    await assert.rejects(async () => held.append({ content: "no role" }), { name: "CtxfoldError" });
    assert.equal(held.messages.length, length);
    assert.equal((await held.check()).messages, length);
  });

  test(`${name} that was closed is opened again when it is used`, async (t) => {
    const held = made(t).session(session(20));
    const check = await held.check();
    await held.close();
    await held.close();
    assert.deepEqual(await held.check(), check);
  });

  test(`${name} outlives its instance, and is not taken for another`, async (t) => {
    const compactor = made(t);
    const first = compactor.session(session(20));
    const second = compactor.session(session(4));
    const checks = [await first.check(), await second.check()];
    // This exceeds the memory that an instance may keep, so it is replaced, and the next one numbers its sessions from
    // 1 again.
    await compactor.estimate([{ role: "user", content: "x".repeat(80 << 20) }]);
    assert.deepEqual(await second.check(), checks[1]);
    assert.deepEqual(await first.check(), checks[0]);
  });
}

test("the policy crosses as it was given, whatever a call wants and a host needs", async () => {
  const watched = await load();
  /** @type {string[]} */
  const policies = [];
  const call = watched.call.bind(watched);
  watched.call = (op, request) => {
    const text = [request].flat().map((each) => (typeof each === "string" ? each : new TextDecoder().decode(each)));
    const { policy: crossed, plan, job } = JSON.parse(text.join(""));
    if (op !== "info") policies.push(JSON.stringify(crossed ?? (plan ?? job)?.policy));
    return call(op, request);
  };
  const compactor = createCompactor({ module: watched, policy, store: memoryStore() });
  const { state } = await compactor.compact(session(20), { options: { force: true } });
  await compactor.session(session(20)).compact({ options: { summary: { text: summary } }, state });
  compactor.repair(session(2));
  compactor.plan(session(4), { memory: [], options: { force: true, summary: { mode: "minimal" } } });
  const sent = policies.filter((each) => each !== undefined);
  assert.ok(sent.length >= 4);
  assert.deepEqual([...new Set(sent)], [JSON.stringify(policy)]);
});

test("a conversation larger than an instance may keep otherwise stays in it", () => {
  const held = make().session([{ role: "user", content: "x".repeat(80 << 20) }]);
  held.check();
  const { instance } = module;
  held.append({ role: "assistant", content: "Long." });
  held.check();
  assert.equal(module.instance, instance);
  held.close();
});

test("a compactor in a worker takes its sessions with it", async (t) => {
  const [gone, stays] = [createRemote({ policy }), createRemote({ policy })];
  t.after(() => stays.close());
  const open = () => stays.session(session(2));
  const other = open();
  await other.check();
  const held = gone.session(session(20));
  await held.check();
  gone.close();
  await assert.rejects(held.check(), { code: "closed" });
  assert.equal((await other.check()).messages, 9);
});
