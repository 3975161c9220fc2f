/** The schemas of `@ag-ui/core` judge compacted messages: each message parses, and each call has its result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageSchema } from "@ag-ui/core/schemas";
import { judgeAll } from "./results.js";

/** @param {any[]} messages */
function judge(messages) {
  const parsed = messages.map((message) => MessageSchema.parse(message));
  assert.deepEqual(parsed, messages);
  assert.equal(new Set(parsed.map(({ id }) => id)).size, parsed.length, "ids are unique");
  /** @type {Set<string>} */
  const open = new Set();
  for (const message of parsed) {
    if (message.role === "assistant") {
      for (const { id } of message.toolCalls ?? []) {
        open.add(id);
      }
    } else if (message.role === "tool") {
      assert.ok(open.delete(message.toolCallId), "a result answers a call");
    } else if (message.role === "user") {
      assert.equal(open.size, 0, "every call is answered before the user speaks");
    }
  }
}

test("the judge refuses what is broken", () => {
  const user = { id: "1", role: "user", content: "hi" };
  const call = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
  const calling = { id: "2", role: "assistant", toolCalls: [call] };
  const result = { id: "3", role: "tool", toolCallId: "c", content: "x" };
  judge([user, calling, result]);
  assert.throws(() => judge([{ role: "user", content: "hi" }]));
  assert.throws(() => judge([{ ...user, role: "model" }]));
  assert.throws(() => judge([{ ...result, toolCallId: undefined }]));
  assert.throws(() => judge([user, user]), /unique/);
  assert.throws(() => judge([user, result]), /answers a call/);
  assert.throws(() => judge([user, calling, { ...user, id: "4" }]), /every call is answered/);
});

test("the schemas take compacted messages", (t) => judgeAll(t, "ag-ui", judge));
