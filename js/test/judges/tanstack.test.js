/** The converter of `@tanstack/ai` judges compacted messages: the resulting model messages are valid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { convertMessagesToModelMessages } from "@tanstack/ai";
import { judgeAll } from "./results.js";

/** @param {any[]} messages */
function judge(messages) {
  assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length, "ids are unique");
  assert.ok(
    messages.every(({ id, role }) => typeof id === "string" && ["system", "user", "assistant"].includes(role)),
    "each message has an id and a role",
  );
  const said = convertMessagesToModelMessages(messages);
  /** @type {Set<string>} */
  const open = new Set();
  for (const { role, content, toolCalls, toolCallId = "", thinking } of said) {
    if (role === "tool") {
      assert.ok(open.delete(toolCallId), "a result answers a call");
      assert.ok(content !== null && content !== undefined, "a result has content");
      continue;
    }
    assert.equal(open.size, 0, "every call is answered before the conversation goes on");
    assert.ok((content ?? "") !== "" || toolCalls || thinking, "a message has content");
    for (const { id } of toolCalls ?? []) {
      open.add(id);
    }
  }
}

test("the judge refuses what is broken", () => {
  const user = { id: "1", role: "user", parts: [{ type: "text", content: "hi" }] };
  const call = { type: "tool-call", id: "c", name: "read", arguments: "{}", state: "input-complete" };
  const result = { type: "tool-result", toolCallId: "c", content: "x", state: "complete" };
  const calling = { id: "2", role: "assistant", parts: [call, result] };
  judge([user, calling, { ...user, id: "3" }]);
  assert.throws(() => judge([{ ...user, parts: [] }]), /has content/);
  assert.throws(() => judge([{ ...user, role: "tool" }]), /a role/);
  assert.throws(() => judge([user, { ...calling, parts: [user.parts[0], result] }]), /answers a call/);
  assert.throws(() => judge([user, { ...calling, parts: [call] }, { ...user, id: "3" }]), /every call is answered/);
});

test("the converter takes compacted messages", (t) => judgeAll(t, "tanstack", judge));
