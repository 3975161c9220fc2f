// Runs the adapters in the loops of real apps, with scripted providers. Each compaction is made only once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { load } from "ctxfold";
import * as aiSdk from "ctxfold/ai-sdk";
import * as anthropic from "ctxfold/anthropic";
import * as langchain from "ctxfold/langchain";
import * as openai from "ctxfold/openai";
import { summary } from "./support/session.js";

const module = await load();
const TURNS = 60;
const text = (/** @type {number} */ turn) => `Answer ${turn}: ${"the same words over and over ".repeat(20)}`;
const output = (/** @type {number} */ turn) => `Result ${turn}: ${"one more line of a file\n".repeat(40)}`;

let loops = 0;

/** Returns the costs of a loop, and options that count them. */
function counted() {
  /** @type {{compactions: number, calls: number, errors: unknown[]}} */
  const costs = { compactions: 0, calls: 0, errors: [] };
  const options = {
    module,
    id: `${loops++}`,
    window: 8000,
    policy: { window: { reserve: 500 } },
    summarize: () => {
      costs.calls++;
      return summary;
    },
    onCompaction: () => {
      costs.compactions++;
    },
    onError: (/** @type {unknown} */ error) => costs.errors.push(error),
  };
  return { costs, options };
}

/**
 * Checks the costs: continuing from each answer takes 7 or 8 compactions of this conversation, with one summary each.
 * @param {ReturnType<typeof counted>["costs"]} costs
 */
function cheap({ compactions, calls, errors }) {
  assert.deepEqual(errors, []);
  assert.ok(compactions >= 3 && compactions <= 8, `${compactions} compactions`);
  assert.ok(calls <= compactions, `${calls} calls of the summarizer in ${compactions} compactions`);
}

test("anthropic: marks of the prompt cache are on the newest message and at the digest", async () => {
  const { costs, options } = counted();
  /** @type {any[]} */
  let sent = [];
  const send = async (/** @type {any} */ _url, /** @type {any} */ init) => {
    sent = JSON.parse(init.body).messages;
    return Response.json({});
  };
  const fetch = anthropic.compactingFetch(options, send);
  /** @type {any[]} */
  const history = [];
  for (let turn = 0; turn < TURNS; turn++) {
    history.push({ role: "user", content: [{ type: "text", text: `Question ${turn}?` }] });
    const messages = structuredClone(history);
    messages.at(-1).content[0].cache_control = { type: "ephemeral" };
    await fetch("http://localhost/v1/messages", {
      method: "POST",
      body: JSON.stringify({ model: "m", max_tokens: 100, messages }),
    });
    const marked = sent.filter((message) => JSON.stringify(message).includes("cache_control"));
    const digest = sent.find((message) => JSON.stringify(message).includes("[session digest"));
    assert.deepEqual(marked, digest ? [digest, sent.at(-1)] : [sent.at(-1)], `turn ${turn}`);
    assert.deepEqual(sent.at(-1), messages.at(-1));
    const id = `toolu_${turn}`;
    history.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path: `${turn}.txt` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output(turn) }] },
      { role: "assistant", content: [{ type: "text", text: text(turn) }] },
    );
  }
  assert.ok(sent.length < history.length);
  cheap(costs);
});

test("openai: items of Responses lose their ids", async () => {
  const { costs, options } = counted();
  const fetch = openai.compactingFetch(options, async () => Response.json({}));
  /** @type {any[]} */
  const history = [];
  for (let turn = 0; turn < TURNS; turn++) {
    history.push({ role: "user", content: `Question ${turn}?` });
    const input = history.map(({ id, ...item }) => (turn % 2 ? item : { ...item, ...(id && { id: `${id}_${turn}` }) }));
    await fetch("http://localhost/v1/responses", { method: "POST", body: JSON.stringify({ model: "m", input }) });
    history.push(
      { type: "function_call", id: `fc_${turn}`, call_id: `c${turn}`, name: "read", arguments: `{"path":"${turn}"}` },
      { type: "function_call_output", call_id: `c${turn}`, output: output(turn) },
      { type: "message", id: `m_${turn}`, role: "assistant", content: [{ type: "output_text", text: text(turn) }] },
    );
  }
  cheap(costs);
});

/** Returns one turn of an app that uses the AI SDK. @param {number} turn */
const steps = (turn) => [
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: `c${turn}`, toolName: "read", input: { path: `${turn}` } }],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: `c${turn}`,
        toolName: "read",
        output: { type: "text", value: output(turn) },
      },
    ],
  },
];

test("ai-sdk: metadata changes from turn to turn, and the model's middleware compacts", async () => {
  const { costs, options } = counted();
  const middleware = aiSdk.compactionMiddleware(options);
  /** @type {any[]} */
  const history = [];
  /** @type {any[]} */
  let sent = [];
  const model = {
    doGenerate: async (/** @type {any} */ { prompt }) => {
      sent = prompt;
    },
  };
  for (let turn = 0; turn < TURNS; turn++) {
    history.push({ role: "user", content: [{ type: "text", text: `Question ${turn}?` }] });
    const prompt = history.map((message) => ({ ...message, providerOptions: { mastra: { createdAt: turn } } }));
    await middleware.wrapGenerate(/** @type {any} */ ({ params: { prompt }, model }));
    assert.equal(sent.at(-1), prompt.at(-1));
    history.push(...steps(turn), { role: "assistant", content: [{ type: "text", text: text(turn) }] });
  }
  assert.ok(sent.length < history.length);
  cheap(costs);
});

for (const carries of [true, false]) {
  test(`ai-sdk: prepareStep, whose messages the next step ${carries ? "goes on from" : "does not see"}`, async () => {
    const { costs, options } = counted();
    const prepare = aiSdk.prepareStep(options);
    /** @type {any[]} */
    const history = [];
    for (let turn = 0; turn < TURNS; turn++) {
      history.push({ role: "user", content: `Question ${turn}?` });
      let messages = [...history];
      messages = (await prepare({ messages })).messages ?? messages;
      history.push(...steps(turn));
      messages = carries ? [...messages, ...steps(turn)] : [...history];
      await prepare({ messages });
      history.push({ role: "assistant", content: text(turn) });
    }
    cheap(costs);
  });
}

test("ai-sdk: prepareStep is made anew for each call, as the SDK's pages have it", async () => {
  const { costs, options } = counted();
  /** @type {any[]} */
  const history = [];
  for (let turn = 0; turn < TURNS; turn++) {
    history.push({ role: "user", content: `Question ${turn}?` });
    const prepare = aiSdk.prepareStep({ ...options, policy: { window: { reserve: 500 } } });
    let messages = [...history];
    messages = (await prepare({ messages })).messages ?? messages;
    history.push(...steps(turn));
    await prepare({ messages: [...messages, ...steps(turn)] });
    history.push({ role: "assistant", content: text(turn) });
  }
  cheap(costs);
});

test("anthropic: a fetch for each request, of two users, and one that wants a memory of its own", async () => {
  const { costs, options } = counted();
  const refusal = { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } };
  let limit = Number.POSITIVE_INFINITY;
  let sent = 0;
  const send = async (/** @type {any} */ _url, /** @type {any} */ init) => {
    sent = init.body.length;
    return sent > limit ? Response.json(refusal, { status: 400 }) : Response.json({});
  };
  const messages = Array.from({ length: 81 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i}, to each ${"word ".repeat(120)}`,
  }));
  const ask = (/** @type {any} */ own) =>
    anthropic.compactingFetch({ ...options, ...own }, send)("http://localhost/v1/messages", {
      method: "POST",
      body: JSON.stringify({ model: "m", messages }),
    });
  for (const [own, compactions] of /** @type {const} */ ([
    [{}, 1],
    [{}, 1],
    [{ shared: undefined }, 1],
    [{ id: "ann" }, 2],
    [{ id: "ann" }, 2],
    [{ shared: false }, 3],
    [{ shared: false }, 4],
  ])) {
    assert.equal((await ask(own)).ok, true);
    assert.equal(costs.compactions, compactions, JSON.stringify(own));
  }
  // The compaction that was made for the provider's rejection is found by the next fetch, with the usual window.
  limit = sent * 0.9;
  for (let i = 0; i < 2; i++) {
    assert.equal((await ask({})).ok, true);
    assert.equal(costs.compactions, 5);
  }
  assert.deepEqual(costs.errors, []);
});

test("langchain: the messages are the app's own, whatever their ids", async () => {
  const { costs, options } = counted();
  const runnable = langchain.compactMessages(options);
  /** @type {any[]} */
  const history = [];
  /** @type {any[]} */
  let sent = [];
  for (let turn = 0; turn < TURNS; turn++) {
    history.push(new HumanMessage({ content: `Question ${turn}?`, id: `h${turn}` }));
    sent = await runnable.invoke(history);
    assert.equal(sent.at(-1), history.at(-1));
    for (const message of sent) {
      const own = history.find(({ id }) => id !== undefined && id === message.id);
      if (own) assert.equal(own.getType(), message.getType());
      if (message.getType() === "tool") assert.equal(message.id, `t${message.tool_call_id}`);
    }
    const call = { id: `${turn}`, name: "read", args: { path: `${turn}` } };
    history.push(
      new AIMessage({ content: "", id: `a${turn}`, tool_calls: [call] }),
      new ToolMessage({ content: output(turn), tool_call_id: `${turn}`, id: `t${turn}` }),
      new AIMessage({ content: text(turn), id: `b${turn}` }),
    );
  }
  assert.ok(sent.length < history.length);
  cheap(costs);
});

test("what a provider refuses as too long is compacted further, once, and stays so", async () => {
  const { costs, options } = counted();
  let limit = 20_000;
  let refused = 0;
  const send = async (/** @type {any} */ _url, /** @type {any} */ init) => {
    if (init.body.length <= limit) return Response.json({});
    refused++;
    const error = { type: "invalid_request_error", message: "prompt is too long: 9000 tokens > 8000 maximum" };
    return Response.json({ type: "error", error }, { status: 400 });
  };
  const fetch = anthropic.compactingFetch(options, send);
  const messages = Array.from({ length: 41 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i} ${"word ".repeat(120)}`,
  }));
  const ask = (/** @type {any[]} */ list) =>
    fetch("http://localhost/v1/messages", { method: "POST", body: JSON.stringify({ model: "m", messages: list }) });
  assert.equal((await ask(messages)).ok, true);
  assert.deepEqual([refused, costs.compactions], [1, 1]);
  const next = [...messages, { role: "assistant", content: "Well." }, { role: "user", content: "And now?" }];
  assert.equal((await ask(next)).ok, true);
  assert.deepEqual([refused, costs.compactions], [1, 1], "the next turn fits at once");
  limit = 10;
  assert.equal((await ask(next)).status, 400);
  assert.deepEqual(costs.errors, []);
});

test("if a compaction does not help, the provider's own error is thrown, after one call", async () => {
  const { costs, options } = counted();
  const tooLong = Object.assign(new Error("prompt is too long: 9000 tokens > 8000 maximum"), { statusCode: 400 });
  let calls = 0;
  const refuse = async () => {
    calls++;
    throw tooLong;
  };
  const prompt = [{ role: "user", content: [{ type: "text", text: "Hello!" }] }];
  const call = { params: { prompt }, model: { doGenerate: refuse }, doGenerate: refuse, doStream: refuse };
  await assert.rejects(aiSdk.compactionMiddleware(options).wrapGenerate(call), tooLong);
  const request = { messages: [new HumanMessage("Hello!")] };
  await assert.rejects(langchain.compactionMiddleware(options).wrapModelCall(request, refuse), tooLong);
  assert.deepEqual([calls, costs.errors], [2, []]);
});

test("options that nothing reads are refused by each adapter", () => {
  const wrong = /** @type {any} */ ({ onCompacted: () => {} });
  for (const make of [
    anthropic.compactingFetch,
    openai.compactingFetch,
    aiSdk.compactionMiddleware,
    aiSdk.prepareStep,
    langchain.compactMessages,
    langchain.compactionMiddleware,
  ]) {
    assert.throws(() => make(wrong), { code: "invalid_option", message: /did you mean "onCompaction"/ });
  }
});

/** @type {import("ctxfold").SummaryRequest} */
const request = { id: "1", scope: "session", system: "S", prompt: "P", max_output_tokens: 9, input_tokens: 1 };
const { signal } = new AbortController();

/** Returns a model of the AI SDK that reports this finish reason. @param {any} finishReason */
const aiModel = (finishReason) =>
  /** @type {any} */ ({
    specificationVersion: "v3",
    provider: "fake",
    modelId: "m",
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: "text", text: "half" }],
      finishReason,
      usage: { inputTokens: {}, outputTokens: {} },
      warnings: [],
    }),
  });

/** @param {any} metadata */
const chatModel = (metadata) => ({ invoke: async () => ({ text: "half", response_metadata: metadata }) });

/** @param {any} choice */
const openaiClient = (choice) => ({
  chat: { completions: { create: async () => ({ choices: [{ message: { content: "half" }, ...choice }] }) } },
});

/** @param {any} answer */
const anthropicClient = (answer) => ({
  messages: { create: async () => ({ content: [{ type: "text", text: "half" }], ...answer }) },
});

test("an answer that does not say why it ended is half of one", async () => {
  const m = { model: "m" };
  for (const [name, summarize, reason] of /** @type {[string, import("ctxfold").Summarize, string | null][]} */ ([
    ["openai", openai.summarizeWith(openaiClient({ finish_reason: "stop" }), m), "stop"],
    ["openai, null", openai.summarizeWith(openaiClient({ finish_reason: null }), m), "incomplete"],
    ["openai, none", openai.summarizeWith(openaiClient({}), m), "incomplete"],
    ["anthropic", anthropic.summarizeWith(anthropicClient({ stop_reason: "end_turn" }), m), "end_turn"],
    ["anthropic, null", anthropic.summarizeWith(anthropicClient({ stop_reason: null }), m), "incomplete"],
    ["ai", aiSdk.summarizeWith(aiModel({ unified: "stop", raw: "stop" })), "stop"],
    [
      "ai, no reason of the provider's",
      aiSdk.summarizeWith(aiModel({ unified: "other", raw: undefined })),
      "incomplete",
    ],
    ["ai, a reason of its own", aiSdk.summarizeWith(aiModel({ unified: "other", raw: "eos" })), "other"],
    ["ai, an error", aiSdk.summarizeWith(aiModel({ unified: "error", raw: "error" })), "incomplete"],
    ["langchain", langchain.summarizeWith(chatModel({ finish_reason: "stop" })), "stop"],
    ["langchain, Gemini", langchain.summarizeWith(chatModel({ finishReason: "STOP" })), "STOP"],
    [
      "langchain, a provider's stream that broke off",
      langchain.summarizeWith(chatModel({ model_provider: "openai" })),
      "incomplete",
    ],
    ["langchain, a model of nobody's", langchain.summarizeWith(chatModel({})), null],
  ])) {
    const answer = /** @type {any} */ (await summarize(request, { signal }));
    assert.equal(answer.finish_reason, reason, name);
    assert.equal(answer.text, "half", name);
  }
});
