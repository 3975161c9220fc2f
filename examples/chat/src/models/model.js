/**
 * Who answers.
 * @typedef {import("ctxfold/chrome").LocalModel} LocalModel
 * @typedef {{signal: AbortSignal, onText: (piece: string) => void}} Answering `onText` gets each piece as it comes
 * @typedef {object} Model
 * @property {(messages: readonly import("../history.js").Message[], answering: Answering) => Promise<string | void>} answer resolves
 *   when the answer is whole, with why it ended (such as `stop`, `length`) where the model tells
 * @property {import("ctxfold").Summarize} [summarize] writes digests
 * @property {number} [contextWindow] in tokens, where the model tells
 * @property {LocalModel["limits"]} [limits] of a summary request
 * @property {number} [concurrency] how many summaries it writes at once
 */

/** Safari has no asynchronous iterator of streams yet. @template T @param {ReadableStream<T>} stream */
export async function* pieces(stream) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
