// What users would pick instead, over the same conversations; medians in milliseconds. Where text comes in and text goes out,
// JSON.parse, what turns messages into the peer's own, and JSON.stringify count.
import { coerceMessageLikeToMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { Tokenizer } from "ai-tokenizer";
import * as o200k from "ai-tokenizer/encoding/o200k_base";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokenCount } from "tokenx";
import { conversation } from "./corpus.js";
import { median } from "./module.js";

// The package exports these only together with its terminal.
const PI = new URL("./node_modules/@mariozechner/pi-coding-agent/dist/core/compaction/compaction.js", import.meta.url);

/** Messages of OpenAI's chat format as entries of a pi session. */
function piEntries(messages) {
  const text = (t) => [{ type: "text", text: t }];
  return messages.slice(1).map((m, i) => {
    let message = { role: "user", content: text(m.content) };
    if (m.role === "tool") message = { role: "toolResult", toolCallId: m.tool_call_id, toolName: "read", content: text(m.content) };
    if (m.role === "assistant") {
      const calls = (m.tool_calls ?? []).map((c) => ({
        type: "toolCall",
        id: c.id,
        name: c.function.name,
        arguments: JSON.parse(c.function.arguments),
      }));
      message = { role: "assistant", content: [...text(m.content), ...calls], stopReason: "stop" };
    }
    return { type: "message", id: `${i}`, parentId: i > 0 ? `${i - 1}` : null, message };
  });
}

/** Messages of OpenAI's chat format as ModelMessages of the AI SDK. */
function modelMessages(messages) {
  return messages.map((m) => {
    if (m.role === "tool") {
      const output = { type: "text", value: m.content };
      return { role: "tool", content: [{ type: "tool-result", toolCallId: m.tool_call_id, toolName: "read", output }] };
    }
    if (m.role !== "assistant") return m;
    const calls = (m.tool_calls ?? []).map((c) => ({
      type: "tool-call",
      toolCallId: c.id,
      toolName: c.function.name,
      input: JSON.parse(c.function.arguments),
    }));
    return { role: "assistant", content: [{ type: "text", text: m.content }, ...calls] };
  });
}

export async function measurePeers({ sizes, runs }) {
  const pi = await import(PI);
  const rows = [];
  for (const size of sizes) {
    for (const mixed of [false, true]) {
      const messages = conversation(size, mixed);
      const bytes = new TextEncoder().encode(JSON.stringify(messages)).length;
      const row = { size, text: mixed ? "mixed" : "ascii", bytes, compact: {}, decide: {}, estimate: {} };
      const keepRecentTokens = Math.ceil(bytes / 8);

      const entries = piEntries(messages);
      const piText = JSON.stringify(entries);
      row.compact.pi = median(runs, () => {
        const all = JSON.parse(piText);
        const plan = pi.prepareCompaction(all, { ...pi.DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
        const from = all.findIndex((e) => e.id === plan.firstKeptEntryId);
        return JSON.stringify(all.slice(from));
      });
      const live = entries.map((e) => e.message);
      row.decide.pi = median(Math.max(runs, 41), () => {
        const { tokens } = pi.estimateContextTokens(live);
        return pi.shouldCompact(tokens, 1e9, pi.DEFAULT_COMPACTION_SETTINGS);
      });

      const model = modelMessages(messages);
      const modelText = JSON.stringify(model);
      row.compact.pruneMessages = median(runs, () =>
        JSON.stringify(pruneMessages({ messages: JSON.parse(modelText), reasoning: "all", toolCalls: "before-last-2-messages" })),
      );

      // trimMessages takes quadratic time: 10 MB take minutes.
      if (size <= 1e6) {
        const text = JSON.stringify(messages);
        const tokenCounter = (list) => list.reduce((n, m) => n + Math.ceil(m.text.length / 4), 0);
        const times = [];
        for (let i = 0; i < Math.min(runs, 9); i++) {
          const from = performance.now();
          const list = JSON.parse(text).map(coerceMessageLikeToMessage);
          const kept = await trimMessages(list, { maxTokens: keepRecentTokens, strategy: "last", tokenCounter });
          JSON.stringify(kept);
          times.push(performance.now() - from);
        }
        row.compact.trimMessages = times.sort((a, b) => a - b)[times.length >> 1];
      }

      if (size <= 1e7) {
        const texts = messages.flatMap((m) => [m.content, ...(m.tool_calls ?? []).map((c) => c.function.arguments)]);
        const each = (count) => () => texts.reduce((n, t) => n + count(t), 0);
        const few = size > 1e6 ? 1 : runs;
        row.estimate.tokenx = median(few, each(estimateTokenCount));
        row.estimate["gpt-tokenizer"] = median(few, each((t) => countTokens(t)));
        const tokenizer = new Tokenizer(o200k);
        row.estimate["ai-tokenizer"] = median(few, each((t) => tokenizer.count(t)));
      }
      rows.push(row);
    }
  }
  return rows;
}
