// Fits a recorded session into a window, with a summarizer that answers asynchronously, as a model does.
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { fit } from "ctxfold";

const history = JSON.parse(await readFile(new URL("../../testdata/sample.anthropic.json", import.meta.url), "utf8"));
const { messages, report } = await fit(history, {
  window: 16000,
  format: "anthropic",
  summarize: ({ id }) => setTimeout(50, `Summary ${id}: the agent worked on the user's request and is not done yet.`),
});
console.log(`${report.reason}: ${history.length} -> ${messages.length} messages,`);
console.log(`${report.tokens.before} -> ${report.tokens.after} tokens, digest by the ${report.summary.source}`);
