// Tests the component (wit/ctxfold.wit) as jco runs it, in Node and in a page.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createCompactor } from "ctxfold";
import { noBrowser, openPage } from "./support/browser.js";
import { instance, noComponent, SCRIPT, transpiled, witOf } from "./support/component.js";
import { conform } from "./support/conformance.js";
import { files, serve } from "./support/server.js";
import { session, summary, tight } from "./support/session.js";
import { names, vectors } from "./support/vectors.js";

const root = new URL("../../", import.meta.url);
const skip = noComponent;
const policy = JSON.stringify(tight);
const messages = JSON.stringify(session(20));

before(async () => {
  if (!noComponent) await transpiled();
});

/** Wraps the component in the interface of a module, for the vectors. @param {any} engine */
const callable = (engine) => ({
  call: (/** @type {string} */ op, /** @type {string | Uint8Array} */ request) =>
    engine.call(op.replaceAll("_", "-"), typeof request === "string" ? new TextEncoder().encode(request) : request),
});

/** @param {{passed: number, failures: string[]}} result */
function allPassed({ passed, failures }) {
  assert.deepEqual(failures.slice(0, 5), []);
  assert.equal(passed, vectors.length);
}

/** Returns the error that a function throws. @param {() => unknown} call */
function failure(call) {
  try {
    call();
  } catch (error) {
    return /** @type {any} */ (error);
  }
  assert.fail("no error");
}

/** Provides summaries until there is a result. @param {any} engine @param {any} outcome @param {string[]} memory */
function finished(engine, outcome, memory = []) {
  let last = outcome;
  let asked = 0;
  while (last.tag === "summaries") {
    const summaries = last.val.requests.map((/** @type {any} */ { id }) => ({
      id,
      answer: { tag: "ok", val: { text: summary, finishReason: "stop", streamed: false } },
    }));
    asked += summaries.length;
    last = engine.step(last.val.plan, summaries, memory, messages);
  }
  return { ...last.val, asked };
}

test("the component imports nothing", { skip }, async () => {
  const wit = await witOf();
  assert.doesNotMatch(wit, /^\s*import\s/m);
  assert.match(wit, /^\s*export ctxfold:ctxfold\/engine@\d+\.\d+\.\d+;$/m);
});

test("jco gives the answers of the vectors in Node, byte for byte", { skip }, async () => {
  const { engine } = await instance();
  allPassed(conform(callable(engine), vectors));
});

test("jco gives the answers of the vectors in Chromium, byte for byte", { skip: skip || noBrowser }, async (t) => {
  const page = await openPage(t);
  const address = await serve(t, files(root));
  await page.goto(`${address}/js/test/support/page.html`);
  const result = await page.evaluate(
    async ([script, names]) => {
      const { instantiate } = await import(`${location.origin}/${script}`);
      const { conform } = await import(/** @type {any} */ (`${location.origin}/js/test/support/conformance.js`));
      const core = fetch(`${location.origin}/build/component/ctxfold.core.wasm`);
      const { engine } = await instantiate(() => WebAssembly.compileStreaming(core), {});
      const parts = names.map(async (name) => (await fetch(`${location.origin}/testdata/vectors/${name}`)).json());
      const call = (/** @type {string} */ op, /** @type {string | Uint8Array} */ request) =>
        engine.call(op.replaceAll("_", "-"), typeof request === "string" ? new TextEncoder().encode(request) : request);
      return conform({ call }, (await Promise.all(parts)).flat());
    },
    /** @type {[string, string[]]} */ ([SCRIPT, names]),
  );
  allPassed(result);
});

test("plan and step make what the package makes", { skip }, async () => {
  const { engine } = await instance();
  const checked = engine.check({ policy, messages });
  assert.deepEqual([checked.due, checked.reason, checked.limit, checked.window], [true, "over-limit", 5600, 8000]);
  const planned = engine.plan({ policy, messages });
  assert.equal(planned.tag, "summaries");
  assert.equal(planned.val.report.reason, "needs-summaries");
  const [request] = planned.val.requests;
  assert.equal(request.scope, "session");
  assert.ok(request.prompt.length > request.system.length && request.maxOutputTokens > 0 && request.inputTokens > 0);
  const result = finished(engine, planned);
  const wanted = await createCompactor({ policy: tight, summarize: async () => summary }).compact(session(20));
  assert.deepEqual(JSON.parse(result.messages), wanted.messages);
  const { reason, changed, fits, tokensBefore, tokensAfter, limit, json } = result.report;
  assert.deepEqual([reason, changed, fits, limit], ["compacted", true, true, 5600]);
  assert.deepEqual(JSON.parse(json).tokens.after, tokensAfter);
  assert.ok(tokensAfter < tokensBefore);
  assert.equal(result.edits, undefined);
  const again = engine.plan({ policy, state: result.state, messages: result.messages });
  assert.deepEqual([again.tag, again.val.messages], ["done", result.messages]);
});

test("a summary that failed, the bodies of an archive, and edits", { skip }, async () => {
  const { engine } = await instance();
  const options = JSON.stringify({ archive: "bodies", answer: "edits" });
  let outcome = engine.plan({ policy, options, messages });
  while (outcome.tag === "summaries") {
    const summaries = outcome.val.requests.map((/** @type {any} */ { id }) => ({
      id,
      answer: { tag: "err", val: "the model is busy" },
    }));
    outcome = engine.step(outcome.val.plan, summaries, [], messages);
  }
  const { messages: none, edits, archive, report } = outcome.val;
  assert.equal(none, undefined);
  assert.ok(JSON.parse(edits).length > 1);
  assert.equal(JSON.parse(report.json).summary.source, "local");
  assert.ok(archive.length > 1);
  for (const { handle, body, bytes, kind, message } of archive) {
    assert.equal(Buffer.byteLength(body), bytes);
    assert.equal(createHash("sha256").update(body).digest("hex"), handle);
    assert.ok(kind !== "" && message >= -1);
  }
});

test("fit finds by its prints what it has made", { skip }, async () => {
  const { engine } = await instance();
  const first = finished(engine, engine.fit(policy, undefined, [], messages));
  assert.equal(first.known, undefined);
  const { print } = JSON.parse(first.memory);
  assert.ok(engine.prints(policy, undefined, messages).prints.includes(print));
  const second = engine.fit(policy, undefined, [first.memory], messages);
  assert.equal(second.tag, "done");
  assert.equal(second.val.known, 0);
  assert.equal(second.val.messages, first.messages);
});

test("an error has its code, its path, and the offset in its argument", { skip }, async () => {
  const { engine } = await instance();
  const cut = failure(() => engine.plan({ policy, messages: '[{"role":"user","content":"cut o' }));
  assert.deepEqual([cut.code, cut.argument, cut.offset], ["truncated-json", "messages", 32]);
  const wrong = '{"window":{"tokens":8000},"x":1}';
  const unknown = failure(() => engine.check({ policy: wrong, messages: "[]" }));
  assert.deepEqual([unknown.code, unknown.path, unknown.argument], ["unknown-field", "policy.x", "policy"]);
  const raw = engine.call("check", new TextEncoder().encode(`{"policy":${wrong},"messages":[]}`));
  const { error } = JSON.parse(new TextDecoder().decode(raw));
  assert.deepEqual([error.path, error.offset], [unknown.path, unknown.offset + '{"policy":'.length]);
  const stale = failure(() => engine.step(`{"version":2`, [], [], messages));
  assert.equal(stale.argument, "plan");
  const deep = failure(() => engine.fit(undefined, undefined, [], "[".repeat(1000)));
  assert.equal(deep.code, "too-deep");
  assert.match(deep.message, /\w/);
  assert.equal(engine.check({ policy, messages }).due, true, "the instance is as it was");
});

test("lone surrogates, empty texts and a megabyte of one string", { skip }, async () => {
  const { engine } = await instance();
  const lone = engine.plan({ policy, messages: '[{"role":"user","content":"\ud800"}]' });
  assert.equal(lone.val.messages, '[{"role":"user","content":"\ufffd"}]');
  assert.equal(failure(() => engine.plan({ policy: "", messages: "" })).code, "missing-field");
  const long = JSON.stringify([{ role: "user", content: "漢🙂".repeat(200_000) }]);
  assert.equal(engine.plan({ policy: '{"window":{"unlimited":true}}', messages: long }).val.messages, long);
  for (let i = 0; i < 50; i++) engine.plan({ policy: '{"window":{"unlimited":true}}', messages: long });
  assert.ok(engine.memoryBytes() < 128n << 20n, `${engine.memoryBytes()} bytes after 50 calls of 1.4 MB`);
});

test("the example compacts the sample session, as the package does", { skip }, async () => {
  const given = await readFile(new URL("testdata/sample.openai.json", root), "utf8");
  const running = promisify(execFile)(process.execPath, [fileURLToPath(new URL("examples/component/main.js", root))], {
    maxBuffer: 1 << 24,
  });
  running.child.stdin?.end(given);
  const { stdout, stderr } = await running;
  const compactor = createCompactor({
    policy: { window: { tokens: 16000 } },
    summarize: async ({ id }) => `Summary ${id}: the agent worked on the user's request and is not done yet.`,
  });
  const wanted = await compactor.compact(JSON.parse(given));
  assert.deepEqual(JSON.parse(stdout), wanted.messages);
  assert.equal(stderr, `${wanted.report.tokens.before} tokens before, ${wanted.report.tokens.after} after\n`);
});

test("a trap ends an instance, and another one works", { skip }, async () => {
  const { engine, memory } = await instance();
  assert.equal(engine.memoryBytes(), BigInt(memory.buffer.byteLength));
  memory.grow(65536 - memory.buffer.byteLength / 65536); // all memory that 32 bits can address, so that nothing is left to grow into
  const large = JSON.stringify([{ role: "user", content: "x".repeat(64 << 20) }]);
  assert.throws(() => engine.plan({ policy, messages: large }), WebAssembly.RuntimeError);
  const { engine: next } = await instance();
  assert.equal(next.plan({ policy, messages }).tag, "summaries");
});
