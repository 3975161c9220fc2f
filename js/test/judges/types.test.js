/**
 * The TypeScript compiler judges compacted messages, written as literals, by the types that the providers' packages
 * publish.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "./compiler.js";
import { conversations, results } from "./results.js";

/** The type of each format's messages; one without a package is global. @type {Record<string, [type: string, from: string, of?: string]>} */
const types = {
  "openai-chat": ["ChatCompletionMessageParam", "openai/resources/chat/completions"],
  "openai-responses": ["ResponseInputItem", "openai/resources/responses/responses"],
  anthropic: ["MessageParam", "@anthropic-ai/sdk/resources/messages"],
  gemini: ["Content", "@google/genai"],
  "gemini-interactions": ["Interactions.Step", "@google/genai-3"],
  ollama: ["Message", "ollama"],
  mistral: ["ChatCompletionRequestMessage", "@mistralai/mistralai/models/components"],
  "ag-ui": ["Message", "@ag-ui/core"],
  mastra: ["MastraDBMessage", "@mastra/core/agent/message-list", "Omit<Imported, 'createdAt'> & { createdAt: string }"],
  "assistant-ui": ["ThreadMessageLike", "@assistant-ui/core"],
  tanstack: ["UIMessage", "@tanstack/ai"],
  pi: ["Message", "../fixtures/pi/node_modules/@earendil-works/pi-ai/dist/types.js"],
  adk: ["Event", "../fixtures/adk/node_modules/@google/adk/dist/types/index.js"],
  "bedrock-converse": ["Message", "@aws-sdk/client-bedrock-runtime"],
  "mcp-sampling": ["SamplingMessage", "@modelcontextprotocol/sdk/types.js"],
  "prompt-api": ["LanguageModelMessage", ""],
};

/**
 * Invalid messages, which the compiler must reject.
 * @type {Record<string, any>}
 */
const broken = {
  "openai-chat": { role: "tool", content: "no id" },
  "openai-responses": { type: "function_call_output", output: "no id" },
  anthropic: { role: "user", content: [{ type: "tool_result", content: "no id" }] },
  gemini: { role: "model", parts: [{ functionCall: "no object" }] },
  "gemini-interactions": { type: "function_result", result: "no id" },
  ollama: { role: "assistant", content: "", tool_calls: [{ function: { name: "read", arguments: "{}" } }] },
  mistral: { role: "assistant", content: "", toolCalls: [{ id: "Call00001" }] },
  "mcp-sampling": { role: "user", content: { type: "tool_result", content: [] } },
  "ag-ui": { id: "1", role: "tool", content: "no call" },
  mastra: { id: "1", role: "user", content: { format: 2, parts: [{ type: "text", content: "no text" }] } },
  "assistant-ui": { id: "1", role: "assistant", content: [{ type: "text", content: "no text" }] },
  tanstack: { id: "1", role: "user", parts: [{ type: "text", text: "no content" }] },
  pi: { role: "toolResult", toolCallId: "c", toolName: "read", content: "a text", isError: false, timestamp: 1 },
  adk: {
    id: "1",
    invocationId: "i",
    author: "user",
    timestamp: 1,
    content: { role: "user", parts: [{ text: "no actions" }] },
  },
  "bedrock-converse": { role: "user", content: [{ toolResult: { content: [{ text: "no id" }] } }] },
  "prompt-api": { role: "user", content: [{ type: "text", text: "no value" }] },
};

/** Returns the conversations of a format and what compacting each one gives. @param {string} format */
async function compacted(format) {
  const all = [];
  for (const conversation of await conversations(format)) {
    all.push({ ...conversation, results: await results(format, conversation) });
  }
  return all;
}

/** @param {string} format @param {Awaited<ReturnType<typeof compacted>>} all @returns {import("./compiler.js").Source} */
function sourceOf(format, all) {
  const [type, from, of = type.replace(/^\w+/, "Imported")] = types[format];
  const imported = `import type { ${type.split(".")[0]} as Imported } from "${from}"; type Message = ${of};`;
  const messages = all.flatMap((one) => [...one.messages, ...one.results.flatMap((result) => result.messages)]);
  return { head: from ? imported : `type Message = ${type};`, messages: [broken[format], ...messages] };
}

const compactions = Object.keys(types).map(async (format) => ({ format, all: await compacted(format) }));
const compiled = (await Promise.allSettled(compactions)).filter((one) => one.status === "fulfilled");
const errorsOf = await compile(
  Object.fromEntries(compiled.map(({ value: { format, all } }) => [format, sourceOf(format, all)])),
);

for (const [i, [format, [type, from]]] of Object.entries(types).entries()) {
  test(`${format}: results are ${type}s of ${from || "the browser"}`, async (t) => {
    const { all } = await compactions[i];
    const errors = errorsOf(format);
    assert.ok(errors.has(JSON.stringify(broken[format])), "the compiler refuses what is broken");
    /** @param {any[]} list */
    const errorsIn = (list) => list.flatMap((message) => errors.get(JSON.stringify(message)) ?? []);

    let judged = 0;
    let compared = 0;
    for (const one of all) {
      const before = errorsIn(one.messages);
      assert.ok(one.real || before.length === 0, `${one.name}: the input is refused: ${before[0]}`);
      for (const result of one.results) {
        // Real messages may have keys that the types don't know. Compacting them must not add other errors.
        const added = errorsIn(result.messages).filter((text) => !before.includes(text));
        assert.deepEqual(added, [], result.name);
        judged += before.length === 0 ? 1 : 0;
        compared += before.length === 0 ? 0 : 1;
      }
    }
    assert.ok(judged > 0, "nothing was judged");
    t.diagnostic(`${judged} results have these types; ${compared} break them only as their input did`);
  });
}
