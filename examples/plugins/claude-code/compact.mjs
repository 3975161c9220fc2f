// Reads {"archive","messages"}, with messages in the form of Claude Code's function hooks. Writes {"digest","kept"}: the digest replaces all
// messages before index `kept`. Writes {} if the digest would not be shorter than these messages.
import { json } from "node:stream/consumers";
import { createCompactor } from "ctxfold";
import { directoryStore } from "ctxfold/directory";

/** Converts a message to Anthropic's wire format. @param {any} message */
function wire({ role, text, toolUses, toolResults = [] }) {
  const content = [
    ...toolResults.map((/** @type {any} */ { tool_use_id, text, isError }) => ({
      type: "tool_result",
      tool_use_id,
      content: text,
      ...(isError && { is_error: true }),
    })),
    ...(text ? [{ type: "text", text }] : []),
    ...toolUses.map((/** @type {any} */ { tool_use_id: id, tool: name, input }) => ({
      type: "tool_use",
      id,
      name,
      input,
    })),
  ];
  return { role, content: content.length > 0 ? content : "(no text)" };
}

/** @type {any} */
const { archive, messages } = await json(process.stdin);
const compactor = createCompactor({
  policy: { format: "anthropic", window: { unlimited: true }, passes: [{ pass: "fold", keep_tokens: 20_000 }] },
  store: directoryStore(archive),
});
const sent = messages.map(wire);
const { messages: left, report } = await compactor.compact(sent, { options: { force: true } });
const [digest, ...rest] = left;
const kept = sent.length - rest.length;
// All messages after the digest must be unchanged, because the hook returns Claude Code's own objects for them.
const whole = report.changed && rest.every((message, n) => message === sent[kept + n]);
console.log(JSON.stringify(whole ? { digest: textOf(digest), kept } : {}));

/** @param {any} message */
function textOf({ content }) {
  return typeof content === "string" ? content : content.map((/** @type {any} */ { text = "" }) => text).join("\n");
}
