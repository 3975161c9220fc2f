import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";
import { session, summary, tight } from "./support/session.js";

const module = await load();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Freezes a value recursively, so that any change to it throws. @param {any} value */
function freeze(value) {
  for (const each of Object.values(value)) if (typeof each === "object" && each !== null) freeze(each);
  return Object.freeze(value);
}

test("live messages: what is kept is the caller's own objects, and nothing of the caller's is changed", async () => {
  const messages = freeze(session(20));
  const compactor = createCompactor({ policy: tight, summarize: async () => summary });
  const { messages: after, report } = await compactor.compact(messages);

  assert.equal(report.reason, "compacted");
  assert.equal(report.summary.source, "model");
  assert.equal(report.messages.after, after.length);
  assert.ok(report.tokens.after < report.tokens.before);
  assert.equal(after[0], messages[0]);
  assert.equal(after.at(-1), messages.at(-1));
  const added = after.filter((/** @type {any} */ m) => !messages.includes(m));
  assert.ok(added.some((/** @type {any} */ m) => m.content.includes(summary)));
  assert.ok(added.length < after.length);
});

test("live messages hold what JSON cannot, and it survives in what is kept", async () => {
  const messages = session(20);
  const when = new Date();
  const run = () => "live";
  messages[messages.length - 1] = { ...messages[messages.length - 1], when, run };
  const { messages: after } = await createCompactor({ policy: tight }).compact(messages);
  assert.equal(after.at(-1).when, when);
  assert.equal(after.at(-1).run, run);
});

test("a cleared tool result is a new message around the caller's other objects", async () => {
  const messages = session(20);
  /** @type {import("ctxfold").Pass[]} */
  const passes = [{ pass: "clear", keep_recent: 2 }];
  const { messages: after, report } = await createCompactor({ policy: { ...tight, passes } }).compact(messages);
  assert.equal(report.cleared, 18);
  assert.equal(after.length, messages.length);
  assert.notEqual(after[3], messages[3]);
  assert.deepEqual({ ...after[3], content: "" }, { ...messages[3], content: "" });
  assert.equal(after[2], messages[2]);
  assert.match(messages[3].content, /line of module 0/);
});

test("nothing due: the very same array comes back", async () => {
  const messages = session(2);
  const { messages: after, report, state } = await createCompactor({ policy: tight }).compact(messages);
  assert.equal(after, messages);
  assert.equal(report.reason, "under_budget");
  assert.equal(report.changed, false);
  assert.ok(state);
});

test("a request body comes back as a request body, with its other members untouched", async () => {
  const body = { model: "gpt-5", temperature: 0.2, messages: session(20), stream: true };
  const { messages: after } = await createCompactor({ policy: tight }).compact(body);
  assert.deepEqual(Object.keys(after), ["model", "temperature", "messages", "stream"]);
  assert.equal(body.messages.length, 81);
  assert.ok(after.messages.length < 81);
  assert.equal(after.messages[0], body.messages[0]);
  const small = { messages: session(1) };
  assert.equal((await createCompactor({ policy: tight }).compact(small)).messages, small);
});

test("text in, text out: what is kept is the same characters", async () => {
  const kept = `{ "role":"system",\t"content":"r\\u00fcles 🙂", "x-number": 1e400 }`;
  const text = ` [${kept} , ${session(20)
    .slice(1)
    .map((m) => JSON.stringify(m))
    .join(" ,\n")}]`;
  const { messages: after, report } = await createCompactor({ policy: tight }).compact(text);
  assert.equal(typeof after, "string");
  assert.ok(after.includes(kept));
  assert.equal(JSON.parse(after).length, report.messages.after);
});

test("bytes in, bytes out, with the same content as text", async () => {
  const text = JSON.stringify(session(20));
  const compactor = () => createCompactor({ policy: tight, summarize: () => summary });
  const fromText = (await compactor().compact(text)).messages;
  const bytes = encoder.encode(text);
  const fromBytes = (await compactor().compact(bytes)).messages;
  assert.ok(fromBytes instanceof Uint8Array);
  assert.equal(decoder.decode(fromBytes), fromText);
  assert.equal(decoder.decode(bytes), text);
  const fromBuffer = (await compactor().compact(Buffer.from(text))).messages;
  assert.equal(decoder.decode(fromBuffer), fromText);
  const live = (await compactor().compact(session(20))).messages;
  assert.deepEqual(live, JSON.parse(fromText));
});

test("large texts outside ASCII cross whole", () => {
  const compactor = createCompactor({ module, policy: { format: "openai-chat" } });
  const messages = [{ role: "user", content: "漢字と🙂".repeat(200_000) }];
  const text = JSON.stringify(messages);
  const estimate = compactor.estimate(text);
  assert.ok(estimate.tokens >= (13 * 200_000) / 4, `${estimate.tokens}`);
  assert.deepEqual(compactor.estimate(messages), estimate);
  assert.deepEqual(compactor.estimate(encoder.encode(text)), estimate);
});

test("messages that were appended while a summary was made stay the caller's business", async () => {
  const messages = session(20);
  const compactor = createCompactor({
    policy: tight,
    summarize: async () => {
      messages.push({ role: "user", content: "one more thing" });
      return summary;
    },
  });
  const { messages: after } = await compactor.compact(messages);
  assert.equal(messages.length, 82);
  assert.equal(after.at(-1), messages[80]);
});

test("the compactor keeps the state from one compaction to the next, and starts from a stored one", async () => {
  const compactor = createCompactor({ policy: tight });
  assert.equal(compactor.state, undefined);
  const first = await compactor.compact(session(20));
  assert.deepEqual(compactor.state, first.state);
  const grown = [...first.messages, ...session(20).slice(1)];
  const second = await compactor.compact(grown);
  assert.equal(second.state.round, 2);

  const stored = JSON.parse(JSON.stringify(first.state));
  const resumed = await createCompactor({ policy: tight, state: stored }).compact(grown);
  assert.deepEqual(resumed, second);
});

test("running it again with nothing new changes nothing", async () => {
  const compactor = createCompactor({ policy: tight });
  const { messages } = await compactor.compact(session(20));
  assert.equal((await compactor.compact(messages)).messages, messages);
});

test("plan and step: the loop for callers that run it themselves, on other machines too", () => {
  const here = createCompactor({ module, policy: tight });
  const messages = session(20);
  const pending = here.plan(messages);
  assert.equal(pending.requests.length, 1);
  assert.ok("plan" in pending);
  const [request] = pending.requests;
  assert.match(request.prompt, /module0\.txt/);
  assert.ok(request.max_output_tokens > 0);

  const stored = JSON.parse(JSON.stringify(pending.plan));
  const there = createCompactor({ module });
  const done = there.step(messages, stored, [{ id: request.id, text: summary }]);
  assert.ok("state" in done);
  assert.equal(done.report.summary.source, "model");
  assert.equal(done.messages[0], messages[0]);
  assert.throws(() => there.step(JSON.stringify(messages), stored, [{ id: request.id, text: summary }]), {
    code: "invalid_option",
    path: "plan",
  });
  assert.throws(() => there.step(session(19), stored, []), { code: "plan_mismatch" });
});

test("estimate, check, validate, detect and info", () => {
  const compactor = createCompactor({ module, policy: tight });
  const messages = session(20);
  const estimate = compactor.estimate(messages);
  assert.equal(estimate.messages?.length, messages.length);
  assert.equal(compactor.estimateText("The quick brown fox jumps.").tokens, 6);
  const check = compactor.check(messages);
  assert.deepEqual([check.due, check.tokens, check.messages], [true, estimate.tokens, messages.length]);
  assert.equal(compactor.detect(messages).format, "openai-chat");
  assert.deepEqual(compactor.validate(messages).violations, []);
  assert.ok(compactor.info().presets.some((preset) => preset.name === "default"));
});

test("a violation names the place in the caller's own text", () => {
  const compactor = createCompactor({ module, policy: tight });
  const messages = session(3);
  messages.splice(7, 1);
  const text = JSON.stringify(messages);
  for (const given of [text, messages, encoder.encode(text)]) {
    const { valid, violations } = compactor.validate(given);
    assert.equal(valid, false);
    const [violation] = violations;
    assert.equal(violation.message, 6);
    assert.match(violation.path, /^messages\[6\]/);
    const from = decoder.decode(encoder.encode(text).subarray(violation.offset));
    assert.ok(from.startsWith(`{"id":"call_1"`), from.slice(0, 40));
  }
});

test("a transcript that lost a tool result is repaired, in the kind that was given", () => {
  const compactor = createCompactor({ module, policy: tight });
  const messages = freeze(session(3));
  const broken = messages.toSpliced(7, 1);
  const repaired = compactor.repair(broken);
  assert.deepEqual(
    [repaired.report.changed, repaired.valid, repaired.report.messages.after],
    [true, true, messages.length],
  );
  assert.equal(repaired.report.actions.length, 1);
  assert.equal(repaired.messages[7].tool_call_id, "call_1");
  assert.deepEqual([...repaired.messages.slice(0, 7), ...repaired.messages.slice(8)], broken);
  assert.equal(repaired.messages[6], broken[6]);
  assert.deepEqual(JSON.parse(compactor.repair(JSON.stringify(broken)).messages), repaired.messages);
  assert.equal(compactor.repair(messages).messages, messages);
});

test("two compactors share one module and mind their own conversations", async () => {
  const make = (/** @type {string} */ name) =>
    createCompactor({ module, policy: tight, summarize: async () => `${summary} This is ${name}.` });
  const [a, b] = [make("a"), make("b")];
  const [first, second] = await Promise.all([a.compact(session(20)), b.compact(session(30))]);
  assert.ok(first.messages.some((m) => m.content?.includes("This is a.")));
  assert.ok(second.messages.some((m) => m.content?.includes("This is b.")));
  assert.notDeepEqual(a.state, b.state);
});

test("half of an emoji stops nothing, and changes only the message that holds it", async () => {
  const half = "\ud83d";
  const words = "words and more words ".repeat(40);
  /** @param {number} n */
  const chat = (n) =>
    Array.from({ length: n }, (_, i) => [
      { role: "user", content: `Question ${i}. ${words}` },
      { role: "assistant", content: `Answer ${i}. ${words}` },
    ]).flat();
  const messages = [
    ...chat(12),
    { role: "user", content: `The last ${half} one.` },
    { role: "assistant", content: "Yes." },
  ];
  const compactor = createCompactor({
    module,
    policy: { window: { tokens: 2000, reserve: 100 }, summary: { mode: "local" } },
  });
  const result = await compactor.compact(messages);
  assert.equal(result.report.reason, "compacted");
  assert.equal(result.report.format, "plain");
  assert.equal(result.report.left, undefined);
  assert.ok(result.report.actions.some((/** @type {any} */ a) => a.action === "replace" && a.rule === "I8"));
  assert.deepEqual(result.messages.at(-2), { role: "user", content: "The last \ufffd one." });
  assert.equal(result.messages.at(-1), messages.at(-1));
  assert.ok(JSON.stringify(result.messages).isWellFormed() && !JSON.stringify(result.messages).includes("\\ud83d"));

  // As text, with half of the pair as an escape and as a raw character.
  for (const text of [JSON.stringify(messages), JSON.stringify(messages).replace("\\ud83d", half)]) {
    const again = createCompactor({
      module,
      policy: { window: { tokens: 2000, reserve: 100 }, summary: { mode: "local" } },
    });
    assert.deepEqual(JSON.parse((await again.compact(text)).messages), result.messages);
    assert.equal(
      (await createCompactor({ module, policy: { window: { tokens: 200000 } } }).compact(text)).messages,
      text,
    );
    assert.equal(again.validate(text).violations[0].rule, "I8");
  }
  const session = compactor.session(messages);
  assert.equal(session.check().due, true);
  assert.equal((await session.compact()).report.reason, "compacted");
});
