// Measures the alternatives that users would choose, on the same conversations, as medians in milliseconds. For peers that work on objects,
// JSON.parse, the conversion to the peer's own messages, and JSON.stringify count too. ctxfold is measured in turns with them.
import { coerceMessageLikeToMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { Tokenizer } from "ai-tokenizer";
import * as o200k from "ai-tokenizer/encoding/o200k_base";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokenCount } from "tokenx";
import { conversation } from "./corpus.js";
import { compaction, live, policies } from "./engine.js";
import { medians, request, start } from "./module.js";

// The package exports these functions only together with its terminal interface.
const PI = new URL("./node_modules/@mariozechner/pi-coding-agent/dist/core/compaction/compaction.js", import.meta.url);

/** Converts messages in OpenAI's chat format to entries of a pi session. */
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

/** Converts messages in OpenAI's chat format to ModelMessages of the AI SDK. */
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

export async function measurePeers(module, { sizes, runs, estimator }) {
  const pi = await import(PI);
  const rows = [];
  for (const size of sizes) {
    for (const mixed of [false, true]) {
      const messages = conversation(size, mixed);
      const text = JSON.stringify(messages);
      const bytes = new TextEncoder().encode(text).length;
      const row = { size, text: mixed ? "mixed" : "ascii", bytes };
      const keepRecentTokens = Math.ceil(bytes / 8);
      const m = start(module);

      const entries = piEntries(messages);
      const piText = JSON.stringify(entries);
      const modelText = JSON.stringify(modelMessages(messages));
      const tasks = {
        ctxfold: compaction(m, policies(bytes, estimator).clear, text),
        pi: () => {
          const all = JSON.parse(piText);
          const plan = pi.prepareCompaction(all, { ...pi.DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
          const from = all.findIndex((e) => e.id === plan.firstKeptEntryId);
          return JSON.stringify(all.slice(from));
        },
        pruneMessages: () =>
          JSON.stringify(pruneMessages({ messages: JSON.parse(modelText), reasoning: "all", toolCalls: "before-last-2-messages" })),
      };
      // trimMessages takes quadratic time: minutes for 10 MB.
      if (size <= 1e6) {
        const tokenCounter = (list) => list.reduce((n, m) => n + Math.ceil(m.text.length / 4), 0);
        tasks.trimMessages = async () => {
          const list = JSON.parse(text).map(coerceMessageLikeToMessage);
          const kept = await trimMessages(list, { maxTokens: keepRecentTokens, strategy: "last", tokenCounter });
          return JSON.stringify(kept);
        };
      }
      row.compact = await medians(runs, tasks);

      const objects = entries.map((e) => e.message);
      row.decide = await medians(runs, {
        ctxfold: live(module, messages, mixed, estimator).turn,
        pi: () => {
          const { tokens } = pi.estimateContextTokens(objects);
          return pi.shouldCompact(tokens, 1e9, pi.DEFAULT_COMPACTION_SETTINGS);
        },
      });

      // All of these take time in proportion to the text.
      if (size <= 1e6) {
        const texts = messages.flatMap((m) => [m.content, ...(m.tool_calls ?? []).map((c) => c.function.arguments)]);
        const each = (count) => () => texts.reduce((n, t) => n + count(t), 0);
        const tokenizer = new Tokenizer(o200k);
        const whole = request({ format: "openai-chat", estimator }, text);
        row.estimate = await medians(runs, {
          ctxfold: () => m.call("check", whole),
          tokenx: each(estimateTokenCount),
          "gpt-tokenizer": each((t) => countTokens(t)),
          "ai-tokenizer": each((t) => tokenizer.count(t)),
        });
      }
      rows.push(row);
    }
  }
  return rows;
}
