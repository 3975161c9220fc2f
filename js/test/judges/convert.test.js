/**
 * Converters that nobody here wrote judge `convert`: what the AI SDK's providers would send for the same ModelMessages, told by a fetch
 * that keeps the request, and what its convertToModelMessages makes of UIMessages.
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

const module = await load();
const key = { apiKey: "none" };

/** @typedef {import("ctxfold").Format} Format */
/** @typedef {{ fetch: typeof fetch }} Fetch */

/** The models of providers, whose requests a fetch keeps. @type {Record<string, (fetch: Fetch) => any>} */
const models = {
  "openai-chat": (fetch) => createOpenAI({ ...key, ...fetch }).chat("gpt-4.1"),
  "openai-responses": (fetch) => createOpenAI({ ...key, ...fetch }).responses("gpt-4.1"),
  anthropic: (fetch) => createAnthropic({ ...key, ...fetch })("claude-sonnet-4-5"),
  gemini: (fetch) => createGoogleGenerativeAI({ ...key, ...fetch })("gemini-2.5-pro"),
  mistral: (fetch) => createMistral({ ...key, ...fetch })("mistral-large-latest"),
  "bedrock-converse": (fetch) =>
    createAmazonBedrock({ region: "us-east-1", ...key, ...fetch })("anthropic.claude-sonnet-4-5"),
};

/** The request body that the AI SDK makes of ModelMessages. @param {string} format @param {any[]} messages */
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

/** @param {any} value @returns {any} */
const sorted = (value) =>
  value && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([k, v]) => [k, sorted(v)]),
      )
    : value;

/** @param {unknown} given */
const json = (given) => {
  const value = typeof given === "string" ? given : JSON.stringify(given);
  try {
    return JSON.stringify(sorted(JSON.parse(value)));
  } catch {
    return value;
  }
};

/** The texts in what a tool has answered, in the shape of any format. @param {any} value @returns {string} */
function answered(value) {
  if (typeof value === "string") return json(value);
  if (Array.isArray(value)) return value.map((part) => (part.json ? json(part.json) : (part.text ?? ""))).join(" ");
  if (value && typeof value.type === "string") return answered(value.value ?? value.reason ?? "");
  const only = value && Object.keys(value).length === 1 ? (value.output ?? value.error) : undefined;
  if (only !== undefined) return answered(only);
  if (value && "content" in value && "name" in value) return answered(value.content); // the AI SDK's responses for Gemini
  return json(value);
}

/** The base64 of an image, in the shape of any format. @param {any} part @returns {string | undefined} */
function imageOf(part) {
  const url =
    part.image_url?.url ?? part.image_url ?? part.image ?? (part.type === "file" ? (part.url ?? part.data) : undefined);
  if (typeof url === "string") return url.replace(/^data:[^,]*,/, "");
  return part.source?.data ?? part.inlineData?.data ?? part.image?.source?.bytes;
}

/** What a list of messages says, in its order, in the words of no format: who says what, calls, results, images. @param {any[]} list */
function said(list) {
  /** @type {string[]} */
  const events = [];
  /** @param {string} who @param {string} text */
  const text = (who, text) => {
    const plain = text.split(/\s+/).filter(Boolean).join(" ");
    // What a repair lets the assistant say where Mistral refuses a user behind results; the AI SDK sends what is refused.
    if (plain && plain !== "[Noted.]") events.push(`${who}: ${plain}`);
  };
  /** @param {string} name @param {any} args */
  const call = (name, args) => events.push(`call ${name} ${json(args ?? {})}`);
  /** @param {any} value */
  const result = (value) => events.push(`result ${answered(value).split(/\s+/).filter(Boolean).join(" ")}`);
  for (const message of list) {
    const role = message.role === "model" ? "assistant" : message.role === "developer" ? "system" : message.role;
    if (message.type === "function_call") call(message.name, message.arguments);
    else if (message.type === "function_call_output") result(message.output);
    else if (role === "tool" && typeof message.tool_call_id === "string") result(message.content);
    else {
      const content = message.content ?? message.parts ?? [];
      for (const part of typeof content === "string" ? [{ text: content }] : content) {
        const made = part.functionCall ?? part.toolUse;
        const response = part.functionResponse ?? part.toolResult;
        const image = imageOf(part);
        if (made) call(made.name, made.args ?? made.input);
        else if (response) result(response.response ?? response.content);
        else if (part.type === "tool_use") call(part.name, part.input);
        else if (part.type === "tool-call") call(part.toolName, part.input);
        else if (part.type === "tool_result" || part.type === "tool-result") result(part.content ?? part.output);
        else if (image) events.push(`image ${image}`);
        else if (typeof part.text === "string" && part.type !== "reasoning" && !part.thought) text(role, part.text);
      }
      for (const { function: made } of message.tool_calls ?? []) call(made.name, made.arguments);
    }
  }
  return joined(events);
}

/** Texts of one speaker in a row are one: where formats part them is their own affair. @param {string[]} events */
function joined(events) {
  /** @type {string[]} */
  const all = [];
  for (const event of events) {
    const who = /^(user|assistant|system): /.exec(event)?.[0];
    if (who && all.at(-1)?.startsWith(who)) all[all.length - 1] += ` ${event.slice(who.length)}`;
    else all.push(event);
  }
  return all;
}

/** What a request says: the system prompt first. @param {any} body */
function saidIn(body) {
  const system = body.system ?? body.systemInstruction?.parts ?? body.instructions ?? [];
  const texts = typeof system === "string" ? [{ text: system }] : system;
  const head = texts.map((/** @type {any} */ part) => ({ role: "system", content: part.text }));
  return said([...head, ...(body.messages ?? body.input ?? body.contents)]);
}

const png = "iVBORw0KGgo=";
/** @param {string} toolCallId @param {string} toolName @param {unknown} input */
const call = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input });
/** @param {string} toolCallId @param {string} toolName @param {unknown} output */
const result = (toolCallId, toolName, output) => ({ type: "tool-result", toolCallId, toolName, output });

/** Conversations in which all is carried over by both. @type {Record<string, any[]>} */
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
  // Bedrock wants a toolConfig beside calls, which these conversations do not come with.
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
