/** Calls a provider's own compaction. */
import type { SummaryMessages } from "ctxfold";

/**
 * Resolves to the messages that `ask` returns. If it fails, or the client is too old to have the API, resolves to no
 * messages; then the model is asked for a summary. If the signal is aborted, this rejects.
 */
export async function compacted(signal: AbortSignal, ask: () => Promise<unknown>): Promise<SummaryMessages> {
  try {
    const messages = await ask();
    return { messages: Array.isArray(messages) ? messages : [] };
  } catch {
    signal.throwIfAborted();
    return { messages: [] };
  }
}
