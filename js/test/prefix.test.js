// Tests summaries that are requested by extending the conversation, with a provider that has a prompt cache: the requests of its adapters,
// and the tokens read from the cache.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compactingFetch as anthropicFetch, summarizeWith as anthropicSummarizer } from "ctxfold/anthropic";
import { compactingFetch as openaiFetch, summarizeWith as openaiSummarizer } from "ctxfold/openai";
import { PromptCache } from "./support/prompt-cache.js";

const DIGEST =
  "# Objective\nThe user wants every file read.\n\n# Status\n## Shipped\nMuch is read.\n\n# Plan\nRead on.";
/** @type {import("ctxfold").Policy} */
const policy = {
  window: { tokens: 24_000, reserve: 2_000 },
  prices: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
};

/**
 * Returns a client's history after this many turns, with the question of the next one.
 * @param {number} turns
 * @param {typeof ANTHROPIC | typeof CHAT} format
 */
function history(turns, { user, loop, answer }) {
  const list = /** @type {any[]} */ ([]);
  for (let i = 0; i <= turns; i++) {
    list.push(user(`Question ${i}: ${`what is in line ${i} of the file? `.repeat(20)}`, i === turns));
    if (i === turns) break;
    list.push(
      ...loop(i, `file ${i} has a line which says that the limiter is on. `.repeat(60)),
      answer(`Answer ${i}.`),
    );
  }
  return list;
}

const ANTHROPIC = {
  user: (/** @type {string} */ text, /** @type {boolean} */ last) => ({
    role: "user",
    content: [{ type: "text", text, ...(last && { cache_control: { type: "ephemeral" } }) }],
  }),
  loop: (/** @type {number} */ i, /** @type {string} */ text) => [
    { role: "assistant", content: [{ type: "tool_use", id: `c${i}`, name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${i}`, content: text }] },
  ],
  answer: (/** @type {string} */ text) => ({ role: "assistant", content: [{ type: "text", text }] }),
};

const CHAT = {
  user: (/** @type {string} */ content, /** @type {boolean} */ _last) => ({ role: "user", content }),
  loop: (/** @type {number} */ i, /** @type {string} */ content) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${i}`, content },
  ],
  answer: (/** @type {string} */ content) => ({ role: "assistant", content }),
};

test("summaries behind the conversation are read from the prompt cache (Anthropic)", async () => {
  const cache = new PromptCache();
  const summaries = { input: 0, read: 0, write: 0 };
  const bodies = /** @type {any[]} */ ([]);
  const client = {
    messages: {
      create: async (/** @type {any} */ body) => {
        const n = cache.messages(body);
        summaries.input += n.input;
        summaries.read += n.read;
        summaries.write += n.write;
        bodies.push(body);
        const usage = {
          input_tokens: n.input,
          cache_read_input_tokens: n.read,
          cache_creation_input_tokens: n.write,
          output_tokens: 40,
        };
        return { content: [{ type: "text", text: DIGEST }], stop_reason: "end_turn", usage };
      },
    },
  };
  const reports = /** @type {any[]} */ ([]);
  const send = async (/** @type {any} */ _, /** @type {any} */ init) => {
    cache.messages(JSON.parse(init.body));
    return new Response("{}");
  };
  const fetch = anthropicFetch(
    {
      policy,
      summarize: anthropicSummarizer(client, { model: "m" }),
      shared: false,
      onCompaction: (r) => reports.push(r),
    },
    send,
  );
  for (let turn = 1; turn <= 70; turn++) {
    const body = {
      model: "m",
      max_tokens: 1024,
      stream: true,
      system: [{ type: "text", text: "You read.", cache_control: { type: "ephemeral" } }],
      tools: [{ name: "read", input_schema: { type: "object" } }],
      messages: history(turn, ANTHROPIC),
    };
    await fetch("https://api.example/v1/messages", { method: "POST", body: JSON.stringify(body) });
  }
  const asked = reports.filter(({ summary }) => summary.source === "model");
  assert.ok(asked.length > 2, `${asked.length} summaries`);
  for (const { summary } of asked) {
    assert.equal(summary.request, "prefix");
    assert.ok(summary.saved > 0 && summary.usage.cache_read_tokens > 0);
  }
  const share = summaries.read / (summaries.input + summaries.read + summaries.write);
  assert.ok(share > 0.85, `${(100 * share).toFixed(1)} % is read from the cache`);
  const [body] = bodies;
  assert.equal(body.stream, undefined);
  assert.equal(body.tools.length, 1);
  assert.match(JSON.stringify(body.messages.at(-1)), /The conversation is interrupted here/);
});

test("summaries behind the conversation are read from the prompt cache (OpenAI)", async () => {
  const cache = new PromptCache();
  const summaries = { input: 0, read: 0 };
  const create = async (/** @type {any} */ body) => {
    const n = cache.automatic(body);
    summaries.input += n.input;
    summaries.read += n.read;
    assert.equal(body.tool_choice, "none");
    const usage = {
      prompt_tokens: n.input + n.read,
      prompt_tokens_details: { cached_tokens: n.read },
      completion_tokens: 40,
    };
    return { choices: [{ message: { content: DIGEST }, finish_reason: "stop" }], usage };
  };
  const reports = /** @type {any[]} */ ([]);
  const send = async (/** @type {any} */ _, /** @type {any} */ init) => {
    cache.automatic(JSON.parse(init.body));
    return new Response("{}");
  };
  const summarize = openaiSummarizer({ chat: { completions: { create } } }, { model: "m" });
  const fetch = openaiFetch({ policy, summarize, shared: false, onCompaction: (r) => reports.push(r) }, send);
  for (let turn = 1; turn <= 70; turn++) {
    const tools = [{ type: "function", function: { name: "read" } }];
    const body = { model: "m", tools, messages: [{ role: "system", content: "You read." }, ...history(turn, CHAT)] };
    await fetch("https://api.example/v1/chat/completions", { method: "POST", body: JSON.stringify(body) });
  }
  const asked = reports.filter(({ summary }) => summary.source === "model");
  assert.ok(asked.length > 2, `${asked.length} summaries`);
  for (const { summary } of asked) assert.equal(summary.request, "prefix");
  const share = summaries.read / (summaries.input + summaries.read);
  assert.ok(share > 0.85, `${(100 * share).toFixed(1)} % is read from the cache`);
});

test("another model than the conversation's is sent a record", async () => {
  const bodies = /** @type {any[]} */ ([]);
  const create = async (/** @type {any} */ body) => {
    bodies.push(body);
    return { choices: [{ message: { content: DIGEST }, finish_reason: "stop" }] };
  };
  const reports = /** @type {any[]} */ ([]);
  const summarize = openaiSummarizer({ chat: { completions: { create } } }, { model: "small" });
  const options = { policy, summarize, shared: false, onCompaction: (/** @type {any} */ r) => reports.push(r) };
  const fetch = openaiFetch(options, async () => new Response("{}"));
  const tools = [{ type: "function", function: { name: "read" } }];
  const body = { model: "m", tools, messages: [{ role: "system", content: "You read." }, ...history(60, CHAT)] };
  await fetch("https://api.example/v1/chat/completions", { method: "POST", body: JSON.stringify(body) });
  assert.equal(reports.at(-1).summary.request, "flat");
  assert.ok(bodies.every(({ messages }) => messages.length === 2));
});
