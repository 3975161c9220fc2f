// A function to pass to `onCompaction` of a Cloudflare agents session (agents/sessions), instead of the result of their
// createCompactFunction. Without `summarize` no model is called. With it, ctxfold checks the model's summary, and writes the digest itself
// if the model fails.
//
//   this.sessions.session().onCompaction(createCompactFunction({ keepRecentTokens: 20_000 })).compactAfter(100_000);
import { createCompactor } from "ctxfold";

/** @typedef {{ id: string, role: string, parts: { type: string, text?: string }[] }} Message a SessionMessage */

/**
 * @param {object} [options]
 * @param {import("ctxfold").Summarize} [options.summarize] asks a model; see the package's Summarize
 * @param {number} [options.keepRecentTokens] how much of the end stays unchanged, in tokens
 * @param {import("ctxfold").Store} [options.store] stores the messages that the summary replaces, for restoreFrom and searchFrom
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
    if (!digest) return null; // there is nothing to gain
    // The replaced messages lie between the kept ones before and after the digest.
    const { id } = /** @type {Message} */ (done.messages[digest.message + 1] ?? {});
    const [first, last] = [messages[digest.message], messages[messages.findIndex((message) => message.id === id) - 1]];
    if (!first || !last) return null;
    const text = /** @type {Message} */ (done.messages[digest.message]).parts.map((part) => part.text ?? "").join("\n");
    return { fromMessageId: first.id, toMessageId: last.id, summary: text };
  };
}

/** Converts an earlier summary, which is an assistant message with its own id, to a digest in the user role. @param {Message} message */
function asDigest(message) {
  return message.id.startsWith("compaction_") ? { ...message, role: "user" } : message;
}
