/** The schemas of `@openai/agents-core` judge compacted items: every item is valid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { protocol } from "@openai/agents-core";
import { judgeAll } from "./results.js";

const calls = /^(function|shell|apply_patch|computer|tool_search)_call$/;
const results = /^(function_call_result|computer_call_result|(shell_call|apply_patch_call|tool_search)_output)$/;

/** @param {any[]} items */
function judge(items) {
  /** @type {string[]} */
  const open = [];
  for (const item of items) {
    const read = protocol.ModelItem.safeParse(item);
    assert.ok(read.success, `${item.type ?? item.role} is no item: ${read.error}`);
    if (calls.test(item.type)) {
      assert.ok(!open.includes(item.callId), "ids are unique");
      open.push(item.callId);
    } else if (results.test(item.type)) {
      assert.ok(open.includes(item.callId), "a result answers a call");
      open.splice(open.indexOf(item.callId), 1);
    } else if (item.role === "user") {
      assert.deepEqual(open, [], "every call is answered before the user goes on");
    }
  }
}

test("the judge refuses what is broken", () => {
  const user = { role: "user", content: "hi" };
  const call = { type: "function_call", callId: "c", name: "read", arguments: "{}" };
  const result = { type: "function_call_result", callId: "c", name: "read", status: "completed", output: "x" };
  assert.doesNotThrow(() => judge([user, call, result, user]));
  assert.throws(() => judge([{ role: "assistant", content: "no list" }]), /is no item/);
  assert.throws(() => judge([user, { ...result, name: undefined }]), /is no item/);
  assert.throws(() => judge([user, result]), /answers a call/);
  assert.throws(() => judge([user, call, user]), /every call is answered/);
});

test("compacted items are items of the SDK", (t) => judgeAll(t, "openai-agents", judge));
