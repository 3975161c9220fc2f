import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, load } from "ctxfold";
import { createCompactor as createRemote } from "ctxfold/worker";
import { session } from "./support/session.js";

const module = await load();
/** @type {import("ctxfold").Policy} */
const policy = { format: "openai-chat", window: { tokens: 100_000 } };

test("usage is taken as it is, and the state learns from it", async () => {
  for (const compactor of [createCompactor({ module, policy }), createRemote({ policy })]) {
    const messages = session(20);
    const plain = await compactor.estimate(messages);
    assert.equal(plain.source, "estimated");
    const usage = { message: messages.length - 1, total_tokens: plain.tokens + 7000 };
    const check = await compactor.check(messages, { usage });
    assert.deepEqual([check.tokens, check.source], [usage.total_tokens, "measured"]);
    assert.ok(check.state);
    const next = await compactor.check(messages);
    assert.deepEqual([next.tokens, next.source], [usage.total_tokens, "calibrated"]);
    assert.equal(compactor.state?.calibration !== undefined, true);
    if ("close" in compactor) compactor.close();
  }
});

test("an exact tokenizer takes the place of the estimate", async () => {
  const countTokens = (/** @type {unknown} */ messages) => 100 + /** @type {unknown[]} */ (messages).length;
  for (const compactor of [createCompactor({ module, policy, countTokens }), createRemote({ policy, countTokens })]) {
    const messages = session(20);
    for (const sized of [await compactor.estimate(messages), await compactor.check(messages)]) {
      assert.deepEqual([sized.tokens, sized.source], [100 + messages.length, "measured"]);
    }
    const { report } = await compactor.compact(messages, { options: { force: true } });
    assert.equal(report.tokens.before, 100 + messages.length);
    if ("close" in compactor) compactor.close();
  }
  const bad = createCompactor({ module, policy, countTokens: () => Number.NaN });
  assert.throws(() => bad.check(session(1)), { code: "invalid_option", path: "countTokens" });
});

test("a session learns as well", () => {
  const live = createCompactor({ module, policy }).session(session(5));
  const check = live.check({ usage: { message: -1, total_tokens: 9000 } });
  assert.deepEqual([check.tokens, check.source], [9000, "measured"]);
  assert.equal(live.check().source, "calibrated");
});
