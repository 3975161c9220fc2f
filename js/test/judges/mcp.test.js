/** The `@modelcontextprotocol/sdk` package judges compacted messages: its server sends them, and its client accepts them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { judgeAll } from "./results.js";

const info = { name: "judge", version: "1.0.0" };
const server = new Server(info, { capabilities: {} });
const client = new Client(info, { capabilities: { sampling: { tools: {} } } });
/** @type {any[]} */
let received = [];
client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
  received = params.messages;
  return {
    model: "m",
    role: /** @type {const} */ ("assistant"),
    content: { type: /** @type {const} */ ("text"), text: "ok" },
  };
});
const [there, here] = InMemoryTransport.createLinkedPair();
await Promise.all([client.connect(there), server.connect(here)]);

/**
 * Has the server check every beginning of the messages that ends with a user message, because it only examines the last two messages.
 * @param {any[]} messages
 */
async function judge(messages) {
  for (const [i, { role }] of messages.entries()) {
    if (role !== "user" && i < messages.length - 1) {
      continue;
    }
    const beginning = messages.slice(0, i + 1);
    if (role === "assistant") {
      // simulates the user's next message
      beginning.push({ role: "user", content: answers(messages[i]) });
    }
    await server.createMessage({ messages: beginning, maxTokens: 1 });
    assert.deepEqual(received, beginning);
  }
  // The calls of an assistant message are answered by the next message, whatever its role.
  for (const [i, message] of messages.entries()) {
    assert.ok(!calls(message).length || messages[i + 1]?.role !== "assistant", "tool uses are answered");
  }
}

/** @param {any} message @returns {any[]} */
const calls = ({ content }) => [content].flat().filter(({ type }) => type === "tool_use");

/** Returns results for the tool uses of a message, or a text if it has none. @param {any} message */
function answers(message) {
  const results = calls(message).map(({ id }) => ({ type: "tool_result", toolUseId: id, content: [] }));
  return results.length > 0 ? results : { type: "text", text: "and?" };
}

test("the judge refuses what is broken", async () => {
  const user = { role: "user", content: { type: "text", text: "hi" } };
  const calling = { role: "assistant", content: { type: "tool_use", id: "1", name: "read", input: {} } };
  const result = { type: "tool_result", toolUseId: "1", content: [] };
  await judge([user, calling, { role: "user", content: result }]);
  await assert.rejects(judge([{ role: "system", content: user.content }]));
  await assert.rejects(judge([{ role: "user", content: { type: "text" } }]));
  await assert.rejects(judge([user, calling, user]), /do not match/);
  await assert.rejects(judge([user, { role: "user", content: result }]), /not matching any tool_use/);
  await assert.rejects(
    judge([user, calling, { role: "user", content: [result, user.content] }]),
    /only tool_result content/,
  );
  await assert.rejects(judge([user, calling, calling]), /tool uses are answered/);
});

test("the server sends compacted messages", (t) => judgeAll(t, "mcp-sampling", judge));
