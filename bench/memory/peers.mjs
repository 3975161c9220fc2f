// Shortens conversations with other packages, without a model. It reads one conversation per line,
// and answers each with a line: {messages: [{role, content, tokens}], sentences: [text], budgets:
// [tokens]} → {kept: {name: [[index of a message]]}, ranked: {name: [index of a sentence]},
// untouched: {name: messages left}}. By the token counts in the request, the kept messages never
// exceed the budget.
import { createInterface } from "node:readline";
import { AIMessage, HumanMessage, SystemMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { AbsoluteSummarizerConfig, NullLogger, SorensenDiceSimilarity, Summarizer } from "ts-textrank";

// The package exports these functions only together with its terminal interface.
const PI = new URL("../node_modules/@mariozechner/pi-coding-agent/dist/core/compaction/compaction.js", import.meta.url);
const { DEFAULT_COMPACTION_SETTINGS, prepareCompaction } = await import(PI);

const types = { user: HumanMessage, assistant: AIMessage, system: SystemMessage };

/** Returns the newest messages, as selected by LangChain. */
async function langchain(messages, maxTokens) {
  const list = messages.map((m, i) => new types[m.role]({ content: m.content, id: `${i}` }));
  const tokenCounter = (some) => some.reduce((n, m) => n + messages[m.id].tokens, 0);
  const kept = await trimMessages(list, { maxTokens, strategy: "last", tokenCounter });
  return kept.map((m) => Number(m.id));
}

/** Returns the point where pi cuts, with the largest setting that stays within the budget. pi counts tokens in its own way. */
function pi(entries, messages, budget) {
  const sums = [0];
  for (const m of [...messages].reverse()) sums.unshift(sums[0] + m.tokens);
  let [low, high, best] = [1, 2 * budget + 100, messages.length];
  while (low <= high) {
    const keepRecentTokens = (low + high) >> 1;
    const plan = prepareCompaction(entries, { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
    const from = plan ? entries.findIndex((e) => e.id === plan.firstKeptEntryId) : 0;
    if (sums[from] <= budget) {
      best = Math.min(best, from);
      low = keepRecentTokens + 1;
    } else high = keepRecentTokens - 1;
  }
  return messages.map((_, i) => i).slice(best);
}

function piEntries(messages) {
  return messages.map((m, i) => {
    const content = [{ type: "text", text: m.content }];
    const message = m.role === "assistant" ? { role: "assistant", content, stopReason: "stop" } : { role: "user", content };
    return { type: "message", id: `${i}`, parentId: i > 0 ? `${i - 1}` : null, message };
  });
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** Runs TextRank on sentences that are already divided, with words in any script. */
function textrank(sentences) {
  const numbers = new Map(); // the package compares words often, and comparing numbers is faster
  const number = (word) => numbers.get(word) ?? (numbers.set(word, numbers.size), numbers.size - 1);
  const parser = {
    parse: (text) => ({
      text,
      sentences: sentences.map((s, i) => {
        const words = [...segmenter.segment(s)].filter((w) => w.isWordLike).map((w) => ({ normalized: number(w.segment.toLowerCase()) }));
        return { raw: `${i}`, position: i, score: 0, words, getNormalized: () => s };
      }),
    }),
  };
  const config = new AbsoluteSummarizerConfig(sentences.length, new SorensenDiceSimilarity(), parser, 0.85, Summarizer.SORT_SCORE);
  return new Summarizer(config, new NullLogger()).summarize("", "en").map(Number);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { messages, sentences, budgets } = JSON.parse(line);
  const entries = piEntries(messages);
  const kept = { trimMessages: [], pi: [] };
  for (const budget of budgets) {
    kept.trimMessages.push(await langchain(messages, budget));
    kept.pi.push(pi(entries, messages, budget));
  }
  const plain = messages.map(({ role, content }) => ({ role, content }));
  const pruned = pruneMessages({ messages: plain, reasoning: "all", toolCalls: "all" });
  console.log(JSON.stringify({ kept, ranked: { TextRank: textrank(sentences) }, untouched: { pruneMessages: pruned.length } }));
}
