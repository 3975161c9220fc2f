// Compacts a recorded session with a summarizer that answers later, as a model does.
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { createCompactor } from "ctxfold";

const messages = JSON.parse(await readFile(new URL("../../testdata/sample.anthropic.json", import.meta.url), "utf8"));
const compactor = createCompactor({
  policy: { format: "anthropic", window: { tokens: 16000 } },
  summarize: ({ id }) => setTimeout(50, `Summary ${id}: the agent worked on the user's request and is not done yet.`),
});
const { report } = await compactor.compact(messages);
console.log(`${report.reason}: ${report.messages.before} -> ${report.messages.after} messages,`);
console.log(`${report.tokens.before} -> ${report.tokens.after} tokens, digest by the ${report.summary.source}`);
