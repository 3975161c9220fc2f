/**
 * A model that answers.
 * @typedef {import("ctxfold/chrome").LocalModel} LocalModel
 * @typedef {{signal: AbortSignal, onText: (piece: string) => void}} Answering `onText` is called with each piece as it arrives
 * @typedef {object} Model
 * @property {(messages: readonly import("../history.js").Message[], answering: Answering) => Promise<string | void>} answer resolves when
 *   the answer is complete, to the finish reason (such as `stop` or `length`) if the model reports one
 * @property {import("ctxfold").Summarize} [summarize] writes digests
 * @property {number} [contextWindow] in tokens, if the model reports it
 * @property {LocalModel["limits"]} [limits] of a summary request
 * @property {number} [concurrency] how many summaries it can write at the same time
 */

/** Yields the pieces of a stream. Safari can't iterate over streams asynchronously yet. @template T @param {ReadableStream<T>} stream */
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
