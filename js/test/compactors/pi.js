import { readFile } from "node:fs/promises";
import { answers, summary, tokens } from "./protocol.js";

const pi = new URL("../../fixtures/agents/node_modules/@earendil-works/pi-coding-agent/", import.meta.url);
const { prepareCompaction, DEFAULT_COMPACTION_SETTINGS } = await import(
  new URL("dist/core/compaction/compaction.js", pi).href
);
const { version } = JSON.parse(await readFile(new URL("package.json", pi), "utf8"));

// Does what pi's agent does when the context is full. The summary, which a model would write, is invented here, so
// nothing is promised about its content.
answers(
  { name: "pi's compaction", version, format: "pi", promises: ["valid", "newest", "unchanged"] },
  {
    compact(messages, limit) {
      if (tokens(messages) <= limit) return messages;
      const entries = messages.map((message, i) => ({
        ...{ type: "message", id: `e${i}`, parentId: i > 0 ? `e${i - 1}` : null },
        ...{ timestamp: new Date(i).toISOString(), message },
      }));
      const settings = { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens: limit / 2 };
      const plan = prepareCompaction(entries, settings);
      if (!plan) return messages;
      const from = entries.findIndex(({ id }) => id === plan.firstKeptEntryId);
      const { tokensBefore } = plan;
      return [{ role: "compactionSummary", summary, tokensBefore, timestamp: 0 }, ...messages.slice(from)];
    },
  },
);
