import { readFile } from "node:fs/promises";
import { coerceMessageLikeToMessage, trimMessages } from "@langchain/core/messages";
import { answers, tokens } from "./protocol.js";

const { version } = JSON.parse(
  await readFile(new URL("../../node_modules/@langchain/core/package.json", import.meta.url), "utf8"),
);

// With the package's options for chats with tools: the rest begins with a user message and ends with a user or tool
// message.
answers(
  {
    name: "`trimMessages` of @langchain/core",
    version,
    format: "openai-chat",
    promises: ["valid", "fits", "newest", "unchanged"],
  },
  {
    async compact(messages, limit) {
      // The package returns copies, whose ids identify the originals.
      const list = messages.map((message, i) => coerceMessageLikeToMessage({ ...message, id: `${i}` }));
      const given = (/** @type {any[]} */ some) => some.map(({ id }) => messages[Number(id)]);
      const kept = await trimMessages(list, {
        maxTokens: limit,
        strategy: "last",
        startOn: "human",
        endOn: ["human", "tool"],
        tokenCounter: (/** @type {any[]} */ some) => tokens(given(some)),
      });
      return given(kept);
    },
  },
);
