import { readFile } from "node:fs/promises";
import { answers, summary, tokens } from "./protocol.js";

const agents = new URL("../../fixtures/cloudflare/node_modules/agents/", import.meta.url);
const { createCompactFunction } = await import(new URL("dist/sessions/index.js", agents).href);
const { version } = JSON.parse(await readFile(new URL("package.json", agents), "utf8"));

// Does what a session does above its threshold: a summary, invented here, is shown in place of the messages that it
// covers.
answers(
  {
    name: "`createCompactFunction` of Cloudflare's agents",
    version,
    format: "ai-sdk-ui",
    promises: ["valid", "newest", "unchanged"],
  },
  {
    async compact(messages, limit) {
      if (tokens(messages) <= limit) return messages;
      const done = await createCompactFunction({ summarize: async () => summary, keepRecentTokens: limit / 2 })(
        messages,
      );
      if (!done) return messages;
      const [from, to] = [done.fromMessageId, done.toMessageId].map((id) =>
        messages.findIndex((message) => message.id === id),
      );
      const overlay = { id: "compaction_1", role: "assistant", parts: [{ type: "text", text: done.summary }] };
      return [...messages.slice(0, from), overlay, ...messages.slice((to ?? 0) + 1)];
    },
  },
);
