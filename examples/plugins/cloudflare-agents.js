// Cloudflare agents: a function for `onCompaction` of a session (agents/sessions), in place of the one that createCompactFunction makes.
// Without `summarize` no model is called; with it, ctxfold checks what the model writes, and writes the digest itself where the model fails.
//
//   this.sessions.session().onCompaction(createCompactFunction({ keepRecentTokens: 20_000 })).compactAfter(100_000);
import { createCompactor } from "ctxfold";

/** @typedef {{ id: string, role: string, parts: { type: string, text?: string }[] }} Message a SessionMessage */

/**
 * @param {object} [options]
 * @param {import("ctxfold").Summarize} [options.summarize] asks a model; see the package's Summarize
 * @param {number} [options.keepRecentTokens] what stays as it is at the end, in tokens
 * @param {import("ctxfold").Store} [options.store] keeps what the summary replaces, for restoreFrom and searchFrom
 * @returns {(messages: Message[]) => Promise<{ fromMessageId: string, toMessageId: string, summary: string } | null>}
 */
export function createCompactFunction({ summarize, keepRecentTokens = 20_000, store } = {}) {
  const compactor = createCompactor({
    policy: {
      format: "ai-sdk-ui",
      window: { unlimited: true },
      passes: [{ pass: "fold", keep_tokens: keepRecentTokens }],
    },
    ...(summarize && { summarize }),
    ...(store && { store }),
  });
  return async (messages) => {
    const done = await compactor.compact(messages.map(asDigest), { options: { force: true }, state: null });
    const digest = compactor.digests(done.messages, done.state).find(({ own }) => own);
    if (!digest) return null; // nothing to gain
    // What the digest replaces lies between what stays before it and what stays after it.
    const { id } = /** @type {Message} */ (done.messages[digest.message + 1] ?? {});
    const [first, last] = [messages[digest.message], messages[messages.findIndex((message) => message.id === id) - 1]];
    if (!first || !last) return null;
    const text = /** @type {Message} */ (done.messages[digest.message]).parts.map((part) => part.text ?? "").join("\n");
    return { fromMessageId: first.id, toMessageId: last.id, summary: text };
  };
}

/** An earlier summary comes as an assistant's message with an id of its own; here a digest is the user's. @param {Message} message */
function asDigest(message) {
  return message.id.startsWith("compaction_") ? { ...message, role: "user" } : message;
}
