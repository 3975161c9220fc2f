/** The `@langchain/core` package judges compacted messages: it coerces every message and finds each call's result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AIMessage,
  coerceMessageLikeToMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from "@langchain/core/messages";
import { judgeAll } from "./results.js";

/** @param {any[]} messages @param {string} provider whose blocks the package is to read */
function judge(messages, provider) {
  const coerced = messages.map((message) =>
    coerceMessageLikeToMessage({ ...message, response_metadata: { model_provider: provider } }),
  );
  const again = mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages(coerced));
  assert.deepEqual(
    again.map((message) => message.type),
    coerced.map((message) => message.type),
  );
  /** @type {string[]} */
  let open = [];
  for (const message of coerced) {
    const answered = resultsOf(message);
    for (const id of answered) {
      assert.ok(open.includes(id), `the result ${id} answers a call`);
      open = open.filter((other) => other !== id);
    }
    if (answered.length === 0) {
      assert.deepEqual(open, [], "every call is answered before the conversation goes on");
    }
    open.push(...callsOf(message));
    assert.equal(new Set(open).size, open.length, "ids are unique");
  }
}

/** Returns the ids of the calls that the package reads from a message. @param {any} message @returns {string[]} */
function callsOf(message) {
  if (!AIMessage.isInstance(message)) {
    return [];
  }
  assert.deepEqual(message.invalid_tool_calls ?? [], []);
  const calls = message.contentBlocks.filter((block) => block.type === "tool_call");
  return calls.map(({ id, name, args }) => {
    assert.ok(id && name && typeof args === "object", "a call has id, name and arguments");
    return id;
  });
}

/** Returns the ids of the calls that a message answers. @param {any} message @returns {string[]} */
function resultsOf(message) {
  if (ToolMessage.isInstance(message)) {
    return [message.tool_call_id];
  }
  const blocks = Array.isArray(message.content) ? message.content : [];
  return blocks
    .filter((/** @type {any} */ { type }) => type === "tool_result")
    .map((/** @type {any} */ block) => block.tool_use_id);
}

const providers = { "openai-chat": "openai", anthropic: "anthropic" };

test("the judge refuses what is broken", () => {
  const call = { id: "1", type: "function", function: { name: "read", arguments: "{}" } };
  const calling = { role: "assistant", content: null, tool_calls: [call] };
  assert.throws(() => judge([{ role: "gpt", content: "hi" }], "openai"), /Unable to coerce/);
  assert.throws(() => judge([calling, { role: "user", content: "hi" }], "openai"), /every call is answered/);
  assert.throws(() => judge([{ role: "tool", tool_call_id: "1", content: "hi" }], "openai"), /answers a call/);
  const toolUse = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "read", input: {} }] };
  assert.throws(() => judge([toolUse, { role: "user", content: "hi" }], "anthropic"), /every call is answered/);
});

for (const [format, provider] of Object.entries(providers)) {
  test(`${format}: every message is coerced after compaction, with its ids`, (t) =>
    judgeAll(t, format, (messages) => judge(messages, provider)));
}
