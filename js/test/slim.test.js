import assert from "node:assert/strict";
import { test } from "node:test";
import * as whole from "ctxfold";
import * as slim from "ctxfold/slim";
import { noSlim } from "./support/slim.js";

const options = { skip: noSlim };

/** Returns a chat that is larger than the window below. */
const chat = () =>
  Array.from({ length: 80 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i}. ${"The beans want more light, and the gardener will move them. ".repeat(8)}`,
  }));
const WINDOW = { window: 8000 };

test("the slim module gives the same messages", options, async () => {
  const [a, b] = await Promise.all([slim.fit(chat(), WINDOW), whole.fit(chat(), WINDOW)]);
  assert.equal(a.report.reason, "compacted");
  assert.deepEqual(a.messages, b.messages);
  assert.notEqual(await slim.load(), await whole.load());
});

test("it names the module that has what it lacks", options, async () => {
  const agent = [{ role: "user", content: [{ text: "hello" }] }];
  await assert.rejects(slim.fit(agent, { ...WINDOW, format: "bedrock-converse" }), {
    code: "needs_whole",
    message: /"bedrock-converse".*ctxfold\.wasm/,
  });
  const c = slim.createCompactor({ module: await slim.load() });
  assert.throws(() => c.open('{"type":"session","version":3}'), {
    code: "needs_whole",
    message: /"open".*ctxfold\.wasm/,
  });
  const all = whole.createCompactor({ module: await whole.load() }).info();
  assert.ok(c.info().formats.length < all.formats.length);
});

test("a conversation goes on in the whole module with the memory of the slim one", options, async () => {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const memory = {
    load: (/** @type {string} */ key) => kept.get(key),
    save: (/** @type {string} */ key, /** @type {string} */ json) => void kept.set(key, json),
  };
  let compactions = 0;
  const onCompaction = () => compactions++;
  const first = await slim.createFitter({ ...WINDOW, memory, onCompaction })(chat());
  const again = await whole.createFitter({ ...WINDOW, memory, onCompaction })(chat());
  assert.equal(compactions, 1);
  assert.deepEqual(again.messages, first.messages);
});
