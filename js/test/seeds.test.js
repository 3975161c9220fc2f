import assert from "node:assert/strict";
import { existsSync, openSync, readSync } from "node:fs";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";
import { full, noFull } from "./support/full.js";

// The calls that the Go tests of the published systems made, one JSON object per line; `make test-js` records them.
const recorded = process.env.CTXFOLD_CALLS ?? "";
const missing = recorded === "" || !existsSync(recorded);

/** Yields the lines of a file, which is read in pieces because recordings are large. @param {string} file */
function* lines(file) {
  const descriptor = openSync(file, "r");
  const piece = Buffer.alloc(1 << 20);
  let rest = "";
  const decoder = new TextDecoder();
  for (let n = readSync(descriptor, piece); n > 0; n = readSync(descriptor, piece)) {
    const found = (rest + decoder.decode(piece.subarray(0, n), { stream: true })).split("\n");
    rest = found.pop() ?? "";
    yield* found;
  }
}

test("Node gives the answers that the Go tests of the published systems got", {
  skip: missing && process.env.CI !== "true" ? "CTXFOLD_CALLS names no recording; make test-js makes one" : noFull,
}, async () => {
  const module = await load(full);
  let calls = 0;
  for (const line of lines(recorded)) {
    const { op, request, request_base64, answer } = JSON.parse(line);
    const got = Buffer.from(module.call(op, request ?? Buffer.from(request_base64, "base64")));
    assert.equal(got.toString(), answer, `${op} ${String(request).slice(0, 400)}`);
    calls++;
  }
  assert.ok(calls > 0, "the recording is empty");
});

test("a function is called by its name", { skip: noFull }, async () => {
  const compactor = createCompactor({ module: await load(full), policy: { format: "native", estimator: "layered" } });
  const messages = [{ role: "user", content: "hello world" }];
  assert.equal(compactor.function("estimate_text", { text: "hello world" }), 3);
  assert.deepEqual(compactor.function("prefix_tokens", { messages }), [0, 7]);
  assert.equal(compactor.function("truncate_head_tail", { text: "1\n2\n3", arguments: { max_lines: 2 } }), "1\n3");
  assert.throws(() => compactor.function(/** @type {any} */ ("nope")), { code: "unknown_function", path: "name" });
  assert.equal(
    compactor.function("estimate_text", { text: "\ud800" }),
    compactor.function("estimate_text", { text: "\ufffd" }),
  );
});

test("the module that ships says that it has no functions and is not exact", async () => {
  const compactor = createCompactor({ module: await load(), policy: { wire_safe: false } });
  assert.throws(() => compactor.check([{ role: "user", content: "hello" }]), {
    code: "needs_full",
    path: "policy.wire_safe",
  });
  assert.deepEqual(compactor.info().functions, []);
});
