import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { CtxfoldError, CtxfoldModule, createCompactor, load } from "ctxfold";
import { session, tight } from "./support/session.js";

const module = await load();
/** @type {import("ctxfold").Policy} */
const policy = { ...tight, format: "openai-chat" };
const encoder = new TextEncoder();

/** Returns the error that a call throws. @param {() => unknown} call @returns {CtxfoldError} */
function thrown(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof CtxfoldError, String(error));
    return error;
  }
  assert.fail("nothing was thrown");
}

test("an error names code, path and the byte in the caller's own text, and the next call is answered", () => {
  const compactor = createCompactor({ module, policy });
  /** @type {[string, string, string, number][]} */
  const cases = [
    [`[{"role":"user","content":"é"}, {"content":"x"}]`, "missing_role", "messages[1]", 33],
    [`[{"role":"user"`, "truncated_json", "messages[0]", 15],
    [`[{"role":"user","content":nul}]`, "invalid_json", "messages[0].content", 26],
    [`[{"role":"user","content":"é \\\ud800"}]`, "invalid_json", "messages", 30],
    ["{}", "no_messages", "messages", 0],
    [`"text"`, "wrong_type", "messages", 0],
    ["", "invalid_json", "messages", 0],
    [`[{"role":"user","content":"x","extra":${"[".repeat(100_000)}`, "too_deep", "messages[0].extra", -1],
  ];
  for (const [text, code, path, offset] of cases) {
    const error = thrown(() => compactor.estimate(text));
    const name = text.slice(0, 40);
    assert.equal(error.name, "CtxfoldError");
    assert.equal(error.code, code, name);
    assert.ok(error.path.startsWith(path), `${name}: ${error.path}`);
    if (offset >= 0) assert.equal(error.offset, offset, name);
    assert.ok(error.message.length > 0);
    assert.ok(compactor.estimate(session(1)).tokens > 0);
  }
});

test("bytes that are not UTF-8 are an error at their place", () => {
  const compactor = createCompactor({ module, policy });
  const bytes = encoder.encode(`[{"role":"user","content":"?"}]`);
  bytes[27] = 0xff;
  const error = thrown(() => compactor.validate(bytes));
  assert.deepEqual([error.code, error.offset], ["invalid_utf8", 27]);
});

test("an error in the policy names its place in the policy", () => {
  const wrong = (/** @type {any} */ given) =>
    thrown(() => createCompactor({ module, policy: given }).check(session(1)));
  assert.equal(wrong({ preset: "nope" }).code, "unknown_preset");
  assert.equal(wrong({ format: "nope" }).code, "unknown_format");
  assert.equal(wrong({ gate: { ratio: 7 } }).code, "out_of_range");
  const error = wrong({ window: { tokenz: 1 } });
  assert.equal(error.code, "unknown_field");
  assert.match(error.path, /^policy\.window/);
  const moved = wrong({ force: true });
  assert.deepEqual([moved.code, moved.path], ["unknown_field", "policy.force"]);
  assert.match(moved.message, /say it in options\.force$/);
  const cycle = { window: {} };
  cycle.window = cycle;
  assert.equal(wrong(cycle).code, "invalid_option");
});

test("compact rejects with the same errors", async () => {
  const compactor = createCompactor({ policy });
  await assert.rejects(compactor.compact(`[{"role":"user"`), { code: "truncated_json", offset: 15 });
  await assert.rejects(compactor.compact([undefined, ...session(1)]), { code: "wrong_type", path: "messages[0]" });
  await assert.rejects(compactor.compact(/** @type {any} */ (undefined)), { code: "not_serializable" });
  assert.equal((await compactor.compact(session(1))).report.reason, "under_budget");
});

test("there is no operation but those of the ABI", () => {
  assert.match(thrown(() => module.call("frobnicate", "{}")).message, /no operation "frobnicate"/);
  for (const op of ["alloc", "free", ""]) assert.equal(thrown(() => module.call(op, "{}")).code, "invalid_option");
});

/**
 * Counts the instances that are created until the test ends.
 * @param {import("node:test").TestContext} t
 */
function countInstances(t) {
  const Real = WebAssembly.Instance;
  const count = { made: 0 };
  WebAssembly.Instance = class extends Real {
    constructor(/** @type {WebAssembly.Module} */ module, /** @type {WebAssembly.Imports | undefined} */ imports) {
      super(module, imports);
      count.made++;
    }
  };
  t.after(() => {
    WebAssembly.Instance = Real;
  });
  return count;
}

test("an instance that died is replaced at the next call", async (t) => {
  const count = countInstances(t);
  const compiled = await WebAssembly.compile(await readFile(new URL("../ctxfold.wasm", import.meta.url)));
  const fresh = new CtxfoldModule(compiled);
  const compactor = createCompactor({ module: fresh, policy });
  const before = compactor.estimate(session(3));
  assert.equal(count.made, 1);
  // An instance traps if it needs more memory than it can have. No real request is that large, so its size is faked.
  const error = thrown(() => fresh.call("estimate", [/** @type {any} */ ({ length: 0xffff_0000 })]));
  assert.equal(error.code, "trap");
  assert.match(error.message, /died in estimate.*next call gets a new instance/);
  assert.ok(error.cause);
  assert.deepEqual(compactor.estimate(session(3)), before);
  assert.equal(count.made, 2);
});

test("an instance that has grown far beyond what its calls need is replaced after some of them", async (t) => {
  const count = countInstances(t);
  const fresh = new CtxfoldModule(
    await WebAssembly.compile(await readFile(new URL("../ctxfold.wasm", import.meta.url))),
  );
  const compactor = createCompactor({ module: fresh, policy });
  const large = encoder.encode(JSON.stringify([{ role: "user", content: "x".repeat(30_000_000) }]));
  for (let i = 0; i < 200; i++) compactor.estimate(i % 50 === 0 ? large : session(1));
  assert.equal(count.made, 1, "a memory that is needed now and then stays");
  for (let i = 0; i < 70; i++) compactor.estimate(session(1));
  assert.equal(count.made, 2);
});

test("an instance with sessions gives memory back, and sessions that need it are opened again ever more seldom", async (t) => {
  const count = countInstances(t);
  const fresh = new CtxfoldModule(
    await WebAssembly.compile(await readFile(new URL("../ctxfold.wasm", import.meta.url))),
  );
  const compactor = createCompactor({ module: fresh, policy });
  const small = compactor.session(session(3));
  const { tokens } = small.estimate();
  compactor.estimate(encoder.encode(JSON.stringify([{ role: "user", content: "x".repeat(30_000_000) }])));
  for (let i = 0; i < 70; i++) assert.equal(small.estimate().tokens, tokens);
  assert.equal(count.made, 2);
  for (let i = 0; i < 300; i++) small.estimate();
  assert.equal(count.made, 2, "the new instance is small");

  const large = compactor.session([{ role: "user", content: "x".repeat(12_000_000) }]);
  for (let i = 0; i < 1000; i++) large.estimate();
  assert.ok(count.made <= 2 + 5, `${count.made} instances for one session that needs its memory`);
});

test("an instance whose memory has grown very large is replaced, as memory never shrinks", (t) => {
  const count = countInstances(t);
  const compactor = createCompactor({ module, policy });
  compactor.estimate(session(1));
  const made = count.made;
  const huge = encoder.encode(JSON.stringify([{ role: "user", content: "x".repeat(150_000_000) }]));
  assert.ok(compactor.estimate(huge).tokens > 4_000_000);
  assert.equal(count.made, made);
  assert.ok(compactor.estimate(session(1)).tokens > 0);
  assert.equal(count.made, made + 1);
});
