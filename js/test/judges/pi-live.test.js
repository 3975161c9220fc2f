/** pi judges compacted live messages: before a request it adds no missing result, and no result is without its call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { transformMessages } from "../../fixtures/pi/node_modules/@earendil-works/pi-ai/dist/api/transform-messages.js";
import { judgeAll } from "./results.js";

/** @type {any} */
const model = { provider: "anthropic", api: "anthropic-messages", id: "m", input: ["text", "image"] };

/** @param {any[]} messages */
function judge(messages) {
  /** @type {any[]} */
  const sent = transformMessages(messages.flatMap(said), model);
  assert.deepEqual(
    sent.filter(({ role }) => role === "toolResult"),
    messages.filter(({ role }) => role === "toolResult"),
    "every call has its result, and no other one is made up",
  );
  /** @type {string[]} */
  let open = [];
  for (const { role, content, toolCallId } of sent) {
    if (role === "toolResult") {
      assert.ok(open.includes(toolCallId), "a result answers a call of the answer before it");
      open = open.filter((id) => id !== toolCallId);
    } else if (role !== "system") {
      open = role === "assistant" ? content.filter((/** @type {any} */ p) => p.type === "toolCall").map(idOf) : [];
    }
  }
}

/** Returns the messages that pi's coding agent sends for a message. Its own message types become user messages. @param {any} message */
function said(message) {
  const { role, command, output, summary, excludeFromContext } = message;
  if (excludeFromContext) return [];
  return command === undefined && summary === undefined
    ? message
    : { ...message, role: "user", content: output ?? summary, was: role };
}

/** @param {any} part */
const idOf = ({ id }) => id;

test("the judge refuses what is broken", () => {
  const user = { role: "user", content: "hi", timestamp: 1 };
  const call = { type: "toolCall", id: "c", name: "read", arguments: {} };
  const calling = { role: "assistant", content: [call], provider: "a", api: "a", model: "m", stopReason: "toolUse" };
  const result = { role: "toolResult", toolCallId: "c", toolName: "read", content: [], isError: false, timestamp: 2 };
  assert.doesNotThrow(() => judge([user, calling, result]));
  assert.throws(() => judge([user, calling, user]), /no other one is made up/);
  assert.throws(() => judge([user, result]), /answers a call/);
  assert.throws(() => judge([user, { ...calling, stopReason: "aborted" }, result]), /answers a call/);
  assert.throws(() => judge([user, { ...calling, content: "x" }]), TypeError);
});

test("pi sends compacted messages", (t) => judgeAll(t, "pi", judge));
