/** `MessageList` of `@mastra/core` judges compacted messages: it keeps their order, and the messages that it sends to a model are valid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageList } from "@mastra/core/agent/message-list";
import { judgeAll } from "./results.js";

/** Returns Mastra's list of stored messages. @param {any[]} messages */
const stored = (messages) => new MessageList({ threadId: "t" }).add(structuredClone(messages), "memory");

/** Checks that copies of calls outside of the parts agree with the parts. @param {any[]} messages */
function inStep(messages) {
  for (const { content } of messages) {
    const inside = content.parts.flatMap((/** @type {any} */ p) => p.toolInvocation ?? []);
    const texts = content.parts.flatMap((/** @type {any} */ p) => (p.type === "text" ? p.text : []));
    for (const call of (inside.length > 0 && content.toolInvocations) || []) {
      assert.deepEqual(
        call,
        inside.find((/** @type {any} */ { toolCallId }) => toolCallId === call.toolCallId),
        "a call stands beside the parts as in them",
      );
    }
    assert.ok(!content.content || texts.includes(content.content), "a text stands beside the parts as in them");
  }
}

/** @param {any[]} messages */
async function judge(messages) {
  inStep(messages);
  assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length, "ids are unique");
  const talk = messages.filter(({ role }) => role !== "system"); // Mastra stores system messages separately
  const list = stored(messages);
  assert.deepEqual(
    list.get.all.db().map(({ id }) => id),
    talk.map(({ id }) => id),
    "messages stay in their order",
  );
  const { all } = list.get;
  const prompt = /** @type {any[]} */ (await all.aiV5.llmPrompt());
  /** @type {Set<string>} */
  let open = new Set();
  const seen = new Set();
  for (const { role, content } of prompt) {
    assert.ok(content.length > 0, "a message has content");
    if (role === "tool") {
      for (const { toolCallId, output } of content) {
        assert.ok(open.delete(toolCallId), "a result answers a call");
        assert.ok(typeof output.type === "string", "a result has an output");
      }
      continue;
    }
    assert.equal(open.size, 0, "every call is answered before the conversation goes on");
    open = new Set();
    for (const part of role === "assistant" ? content : []) {
      if (part.type === "tool-call") {
        assert.ok(!seen.has(part.toolCallId), "ids of calls are unique");
        seen.add(part.toolCallId);
        open.add(part.toolCallId);
      }
    }
  }
  assert.ok(all.aiV4.core().length > 0, "version 4 of the AI SDK takes it");
  const calls = messages.flatMap(({ content }) => content.parts.filter((/** @type {any} */ p) => p.toolInvocation));
  assert.equal(seen.size, calls.length, "every call is sent");
  for (const message of talk) {
    assert.ok(stored([message]).get.all.aiV5.model().length > 0, "a message has something that is sent");
  }
}

test("the judge refuses what is broken", async () => {
  const user = {
    id: "1",
    role: "user",
    createdAt: "2026-01-01T00:00:00.000Z",
    content: { format: 2, parts: [{ type: "text", text: "hi" }] },
  };
  const invocation = { state: "result", toolCallId: "c", toolName: "read", args: {}, result: "x" };
  const call = { type: "tool-invocation", toolInvocation: invocation };
  const calling = { ...user, id: "2", role: "assistant", content: { format: 2, parts: [call] } };
  /** @param {any} content @param {any} [rest] */
  const with2 = (content, rest) => [user, { ...calling, ...rest, content: { ...calling.content, ...content } }];
  await judge([user, calling, { ...user, id: "3" }]);
  await judge(with2({ toolInvocations: [invocation] }));
  await assert.rejects(() => judge(with2({ parts: [] })), /something that is sent/);
  await assert.rejects(() => judge(with2({}, { createdAt: "2025-01-01T00:00:00.000Z" })), /stay in their order/);
  await assert.rejects(() => judge(with2({ parts: [call, call] })), /unique|every call is sent/);
  await assert.rejects(() => judge(with2({ toolInvocations: [{ ...invocation, result: "y" }] })), /beside the parts/);
  const open = { ...call, toolInvocation: { ...invocation, state: "call" } };
  await assert.rejects(() => judge([...with2({ parts: [open, call] }), { ...user, id: "3" }]), /every call is sent/);
});

test("MessageList takes compacted messages", (t) => judgeAll(t, "mastra", judge));
