import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { answers, tokens } from "./protocol.js";

const sdks = createRequire(new URL("../../fixtures/sdks/package.json", import.meta.url));
const sdk = (/** @type {string} */ name) => import(pathToFileURL(sdks.resolve(name)).href);
const { ClearToolUsesEdit } = await sdk("langchain");
const { coerceMessageLikeToMessage } = await sdk("@langchain/core/messages");
const file = new URL("../../fixtures/sdks/node_modules/langchain/package.json", import.meta.url);
const { version } = JSON.parse(await readFile(file, "utf8"));

// It only clears the results of tools, and not the newest three, so it can't promise to stay within a limit.
answers(
  {
    name: "`ClearToolUsesEdit` of LangChain",
    version,
    format: "openai-chat",
    promises: ["valid", "newest", "rules", "unchanged"],
  },
  {
    async compact(messages, limit) {
      /** @type {any[]} */
      const list = messages.map(coerceMessageLikeToMessage);
      const countTokens = (/** @type {any[]} */ some) => tokens(some.map((message) => messages[list.indexOf(message)]));
      await new ClearToolUsesEdit({ trigger: { tokens: limit }, keep: { messages: 3 } }).apply({
        messages: list,
        countTokens,
      });
      if (list.length !== messages.length) throw new Error("it has removed messages, which no case asks for");
      return list.map(({ content, type }, i) => (type === "tool" ? { ...messages[i], content } : messages[i]));
    },
  },
);
