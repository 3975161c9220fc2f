/**
 * The converter of assistant-ui (`assistant-stream`) judges compacted messages: everything is sent to the model, and calls are paired with
 * results.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toGenericMessages } from "assistant-stream";
import { judgeAll } from "./results.js";

/** @param {any[]} messages */
function judge(messages) {
  assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length, "ids are unique");
  for (const message of messages) {
    assert.ok(toGenericMessages([message]).length > 0, "a message has content, and a role");
  }
  /** @type {Set<string>} */
  const open = new Set();
  const seen = new Set();
  for (const message of toGenericMessages(messages)) {
    if (message.role === "tool") {
      for (const { toolCallId, result } of message.content) {
        assert.ok(open.delete(toolCallId), "a result answers a call");
        assert.notDeepEqual(result, { error: "Tool call was not completed" }, "every call has a result");
      }
      continue;
    }
    assert.equal(open.size, 0, "every call is answered before the conversation goes on");
    for (const part of message.role === "assistant" ? message.content : []) {
      if (part.type === "tool-call") {
        assert.ok(!seen.has(part.toolCallId), "ids of calls are unique");
        seen.add(part.toolCallId);
        open.add(part.toolCallId);
      }
    }
  }
}

test("the judge refuses what is broken", () => {
  const user = { id: "1", role: "user", content: [{ type: "text", text: "hi" }] };
  const call = { type: "tool-call", toolCallId: "c", toolName: "read", args: {}, argsText: "{}", result: "x" };
  const calling = { id: "2", role: "assistant", content: [call] };
  judge([user, calling, { ...user, id: "3" }]);
  assert.throws(() => judge([{ ...user, content: [] }]), /has content/);
  assert.throws(() => judge([{ ...user, role: "tool" }]), /a role/);
  assert.throws(() => judge([user, { ...calling, content: [call, call] }]), /ids of calls/);
  assert.throws(() => judge([user, { ...calling, content: [{ ...call, isPreliminary: true }] }, user]), /unique/);
  assert.throws(
    () => judge([user, { ...calling, content: [{ ...call, isPreliminary: true }] }, { ...user, id: "3" }]),
    /every call has a result/,
  );
});

test("the converter takes compacted messages", (t) => judgeAll(t, "assistant-ui", judge));
