/** The `@mistralai/mistralai` package judges compacted messages: its request schema accepts them, and sends all of their content. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatCompletionRequest$outboundSchema as schema } from "@mistralai/mistralai/models/components";
import { judgeAll } from "./results.js";

const spellings = { tool_calls: "toolCalls", tool_call_id: "toolCallId", image_url: "imageUrl" };

/** Returns messages with the SDK's key names. @param {any[]} messages @returns {any[]} */
function sdk(messages) {
  /** @type {(key: string, value: any) => any} */
  const spelled = (_, value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    const keys = Object.entries(value).map(([key, member]) => [Reflect.get(spellings, key) ?? key, member]);
    return Object.fromEntries(keys);
  };
  return JSON.parse(JSON.stringify(messages), spelled);
}

/** Returns the content of a message, for comparison. @param {any} message */
function said({ role, content, toolCalls, toolCallId, name }) {
  const calls = toolCalls?.map((/** @type {any} */ call) => [call.id, call.function.name, call.function.arguments]);
  return { role, content, calls, toolCallId, name };
}

/** @param {any[]} messages */
function judge(messages) {
  const sent = schema.parse({ model: "mistral-large-latest", messages: sdk(messages) });
  assert.deepEqual(sdk(sent.messages).map(said), sdk(messages).map(said));
  /** @type {string[]} */
  let open = [];
  for (const [i, { role, tool_calls = [], tool_call_id }] of /** @type {any[]} */ (sent.messages).entries()) {
    if (role === "tool") {
      assert.ok(open.includes(tool_call_id), "a result answers a call");
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    assert.deepEqual(open, [], "every call is answered before the conversation goes on");
    assert.ok(role === "assistant" || sent.messages[i - 1]?.role !== "tool", "the assistant speaks behind results");
    open = (tool_calls ?? []).map((/** @type {any} */ { id }) => id);
    assert.match(open.join(""), /^([a-zA-Z0-9]{9})*$/, "ids have nine letters and digits");
  }
}

test("the judge refuses what is broken", () => {
  const user = { role: "user", content: "hi" };
  const calling = { role: "assistant", toolCalls: [{ id: "Call00001", function: { name: "read", arguments: "{}" } }] };
  const result = { role: "tool", toolCallId: "Call00001", content: "x" };
  assert.throws(() => judge([{ role: "model", content: "hi" }]));
  assert.throws(() => judge([{ role: "user", content: 7 }]));
  assert.throws(() => judge([user, calling, user]), /every call is answered/);
  assert.throws(() => judge([user, result]), /answers a call/);
  assert.throws(() => judge([user, calling, result, user]), /the assistant speaks/);
});

test("the SDK sends compacted messages", (t) => judgeAll(t, "mistral", judge));
