/**
 * The `@langchain/core` package judges compacted messages in its own formats: it loads them, and finds the same calls
 * in them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "@langchain/core/load";
import * as classes from "@langchain/core/messages";
import {
  AIMessage,
  coerceMessageLikeToMessage,
  FunctionMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from "@langchain/core/messages";
import { createCompactor, load as loadModule } from "ctxfold";
import { conversations, judgeAll, results } from "./results.js";

/** Loads messages in any of the formats as message objects. @param {any[]} messages @returns {Promise<any[]>} */
async function loaded(messages) {
  if (messages.every(({ lc }) => lc === 1)) {
    // Messages from Python need this map, because by default the package finds only JavaScript's classes.
    return load(JSON.stringify(messages), { importMap: { schema__messages: classes } });
  }
  if (messages.every(({ data }) => data !== undefined)) {
    const stored = messages.map((message) => ({ ...message, type: message.type.replace("AIMessageChunk", "ai") }));
    return mapStoredMessagesToChatMessages(stored);
  }
  assert.ok(
    messages.every(({ lc, data, type }) => lc === undefined && data === undefined && type !== undefined),
    "of one shape",
  );
  return messages.map(({ type, ...rest }) =>
    type === "function"
      ? new FunctionMessage(rest)
      : coerceMessageLikeToMessage({ ...rest, role: type.replace("AIMessageChunk", "ai") }),
  );
}

/** @param {any[]} messages */
async function judge(messages) {
  const read = await loaded(messages);
  const again = mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages(read));
  assert.deepEqual(
    again.map((/** @type {any} */ { type, content, tool_calls }) => [type, content, tool_calls]),
    read.map((/** @type {any} */ { type, content, tool_calls }) => [type, content, tool_calls]),
  );
  /** @type {string[]} */
  let open = [];
  for (const message of read) {
    assert.ok(message.content !== undefined && Array.isArray(message.contentBlocks), "a message has content");
    if (ToolMessage.isInstance(message)) {
      assert.ok(open.includes(message.tool_call_id), `the result ${message.tool_call_id} answers a call`);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    assert.deepEqual(open, [], "every call is answered before the conversation goes on");
    open = callsOf(message);
    assert.equal(new Set(open).size, open.length, "ids are unique");
    assert.ok(open.length > 0 || message.text.trim() !== "" || message.content.length > 0, "a message says something");
  }
}

/**
 * Returns the ids of a message's calls, after checking that all members of the message agree on them.
 * @param {any} message
 * @returns {string[]}
 */
function callsOf(message) {
  if (!AIMessage.isInstance(message)) {
    return [];
  }
  const ids = [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])].map(({ id }) => String(id));
  const raw = message.additional_kwargs.tool_calls;
  if (raw !== undefined) {
    assert.deepEqual(
      raw.map(({ id }) => id).toSorted(),
      ids.toSorted(),
      "the provider's calls are those of the message",
    );
  }
  const blocks = Array.isArray(message.content) ? message.content : [];
  const used = blocks.filter(({ type }) => type === "tool_use").map((/** @type {any} */ { id }) => id);
  assert.ok(used.length === 0 || used.toSorted().join() === ids.toSorted().join(), "so are those of the content");
  return ids;
}

test("the judge refuses what is broken", async () => {
  const user = { type: "human", data: { content: "hi" } };
  const call = { id: "1", name: "read", args: {}, type: "tool_call" };
  const raw = { id: "2", type: "function", function: { name: "read", arguments: "{}" } };
  const calling = { type: "ai", data: { content: "", tool_calls: [call] } };
  const result = { type: "tool", data: { content: "x", tool_call_id: "1" } };
  await judge([user, calling, result]);
  await assert.rejects(judge([{ type: "gpt", data: { content: "hi" } }]), /unexpected type/);
  await assert.rejects(judge([user, { type: "human", content: "hi" }]), /of one shape/);
  await assert.rejects(judge([user, calling, user]), /every call is answered/);
  await assert.rejects(judge([user, result]), /answers a call/);
  await assert.rejects(judge([user, { type: "tool", data: { content: "x" } }]), /Tool call ID/);
  const odd = { type: "ai", data: { content: "", tool_calls: [call], additional_kwargs: { tool_calls: [raw] } } };
  await assert.rejects(judge([user, odd, result]), /the provider's calls/);
  await assert.rejects(
    judge([{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "GPTMessage"], kwargs: {} }]),
  );
});

for (const shape of ["constructors", "constructors of Python", "stored", "flat"]) {
  test(`${shape}: compacted messages are loaded, with their calls`, (t) => judgeAll(t, "langchain", judge, shape));
}

const compactor = createCompactor({ module: await loadModule() });

/** The ways in which the package stores messages. @type {Record<string, (messages: any[]) => any[]>} */
const stores = {
  constructors: (messages) => JSON.parse(JSON.stringify(messages)),
  stored: (messages) => JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(messages))),
};

for (const [shape, store] of Object.entries(stores)) {
  test(`${shape}: real sessions that the package has stored`, async (t) => {
    let judged = 0;
    for (const conversation of await conversations("openai-chat")) {
      // The package omits refusals, so messages that contain only a refusal would be empty.
      const said = conversation.messages.filter(({ refusal }) => !refusal);
      const stored = store(said.map((message) => coerceMessageLikeToMessage(message)));
      const { messages } = compactor.repair(stored);
      await judge(messages);
      for (const result of await results("langchain", { ...conversation, messages })) {
        await assert.doesNotReject(judge(result.messages), result.name);
        judged++;
      }
    }
    assert.ok(judged > 0, "nothing was judged");
    t.diagnostic(`${judged} results judged`);
  });
}
