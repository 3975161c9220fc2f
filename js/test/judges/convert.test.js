/**
 * Independent converters judge `convert`: the requests that the AI SDK's providers would send for the same ModelMessages, captured by a
 * fetch, and the result of its convertToModelMessages for UIMessages.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMistral } from "@ai-sdk/mistral";
import { createOpenAI } from "@ai-sdk/openai";
import { convertToModelMessages, generateText, jsonSchema, tool } from "ai";
import { createCompactor, load } from "ctxfold";
import { sessions } from "./ai-sessions.js";
import { said, saidIn } from "./said.js";

const module = await load();
const key = { apiKey: "none" };

/** @typedef {import("ctxfold").Format} Format */
/** @typedef {{ fetch: typeof fetch }} Fetch */

/** The models of providers, whose requests a fetch captures. @type {Record<string, (fetch: Fetch) => any>} */
const models = {
  "openai-chat": (fetch) => createOpenAI({ ...key, ...fetch }).chat("gpt-4.1"),
  "openai-responses": (fetch) => createOpenAI({ ...key, ...fetch }).responses("gpt-4.1"),
  anthropic: (fetch) => createAnthropic({ ...key, ...fetch })("claude-sonnet-4-5"),
  gemini: (fetch) => createGoogleGenerativeAI({ ...key, ...fetch })("gemini-2.5-pro"),
  mistral: (fetch) => createMistral({ ...key, ...fetch })("mistral-large-latest"),
  "bedrock-converse": (fetch) =>
    createAmazonBedrock({ region: "us-east-1", ...key, ...fetch })("anthropic.claude-sonnet-4-5"),
};

/** Returns the request body that the AI SDK creates from ModelMessages. @param {string} format @param {any[]} messages */
async function requested(format, messages) {
  /** @type {any} */
  let body;
  const model = models[format]?.({
    fetch: async (_, init) => {
      body = JSON.parse(String(init?.body));
      throw new Error("kept");
    },
  });
  const names = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .map(({ toolName }) => toolName);
  const inputSchema = jsonSchema({ type: "object" });
  const tools = Object.fromEntries(names.filter(Boolean).map((name) => [name, tool({ inputSchema })]));
  await assert.rejects(generateText({ model, messages, tools, maxRetries: 0, allowSystemInMessages: true }));
  assert.ok(body, `${format}: nothing was sent`);
  return body;
}

const png = "iVBORw0KGgo=";
/** @param {string} toolCallId @param {string} toolName @param {unknown} input */
const call = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input });
/** @param {string} toolCallId @param {string} toolName @param {unknown} output */
const result = (toolCallId, toolName, output) => ({ type: "tool-result", toolCallId, toolName, output });

/** Conversations whose content both converters carry over completely. @type {Record<string, any[]>} */
const conversations = {
  "a chat": [
    { role: "system", content: "Be short." },
    { role: "user", content: "How is the weather?" },
    { role: "assistant", content: "Dry." },
    {
      role: "user",
      content: [
        { type: "text", text: "And" },
        { type: "text", text: "tomorrow?" },
      ],
    },
  ],
  "an image": [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image", image: png, mediaType: "image/png" },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "A dot." }] },
    { role: "user", content: "Sure?" },
  ],
  "calls at once, one of which fails": [
    { role: "system", content: "Be short." },
    { role: "user", content: "Read a.txt and b.txt." },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I read both." },
        call("call_1", "read", { path: "a.txt" }),
        call("call_2", "read", { path: "b.txt", deep: { list: [1, "x"] } }),
      ],
    },
    {
      role: "tool",
      content: [
        result("call_1", "read", { type: "text", value: "one two" }),
        result("call_2", "read", { type: "error-text", value: "There is no b.txt." }),
      ],
    },
    { role: "assistant", content: [call("call_3", "list", {})] },
    { role: "tool", content: [result("call_3", "list", { type: "json", value: { files: ["a.txt"], more: false } })] },
    { role: "assistant", content: "Only a.txt is there." },
    { role: "user", content: "Thanks." },
  ],
  "reasoning that nobody has signed": [
    { role: "user", content: "Think." },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "I do." },
        { type: "text", text: "Done." },
      ],
    },
    { role: "user", content: "Good." },
  ],
};

/** @param {string} format @param {any[]} messages */
function ours(format, messages) {
  const a = createCompactor({ module, policy: { format: "ai-sdk" } }).convert(
    { messages },
    /** @type {Format} */ (format),
  );
  // Bedrock requires a toolConfig next to calls, which these conversations don't have.
  assert.deepEqual(
    (a.report.left ?? []).filter(({ rule }) => rule !== "BC9"),
    [],
  );
  return a;
}

for (const format of Object.keys(models)) {
  for (const [name, messages] of Object.entries(conversations)) {
    test(`${format}: ${name} is what the AI SDK sends`, async () => {
      assert.deepEqual(saidIn(ours(format, messages).messages), saidIn(await requested(format, messages)));
    });
  }
}

for (const { name, models: messages, ui } of await sessions()) {
  for (const format of Object.keys(models)) {
    test(`${name}: in ${format} it is what the AI SDK sends`, async () => {
      const theirs = saidIn(await requested(format, messages));
      assert.deepEqual(saidIn(ours(format, messages).messages), theirs);
    });
  }
  test(`${name}: UIMessages become the ModelMessages that convertToModelMessages makes`, async () => {
    const a = createCompactor({ module, policy: { format: "ai-sdk-ui" } }).convert(ui, "ai-sdk");
    assert.deepEqual(said(a.messages), said(await convertToModelMessages(ui)));
  });
}

test("the kind that was given comes back", () => {
  const compactor = createCompactor({ module, policy: { format: "ai-sdk" } });
  const messages = conversations["a chat"] ?? [];
  const live = compactor.convert(messages, "anthropic");
  assert.equal(live.system, "Be short.");
  assert.deepEqual(live.messages[0], { role: "user", content: "How is the weather?" });
  assert.deepEqual(JSON.parse(compactor.convert(JSON.stringify(messages), "anthropic").messages), live.messages);
  const bytes = compactor.convert(new TextEncoder().encode(JSON.stringify(messages)), "anthropic").messages;
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), live.messages);
  assert.equal(compactor.convert(messages, "ai-sdk").messages, messages);
  assert.throws(() => compactor.convert(messages, /** @type {any} */ ("antropic")), { code: "unknown_format" });
});
