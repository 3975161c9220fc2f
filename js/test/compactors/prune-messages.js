import { readFile } from "node:fs/promises";
import { pruneMessages } from "ai-7";
import { answers } from "./protocol.js";

const { version } = JSON.parse(
  await readFile(new URL("../../node_modules/ai-7/package.json", import.meta.url), "utf8"),
);

// It removes calls and results by their position in the list, and can't be given a limit.
answers(
  { name: "`pruneMessages` of the AI SDK", version, format: "ai-sdk", promises: ["valid", "newest", "rules"] },
  { compact: (messages) => pruneMessages({ messages, reasoning: "all", toolCalls: "before-last-2-messages" }) },
);
