/** Calls a provider's own compaction. */
import type { SummaryMessages } from "ctxfold";

/**
 * Resolves to the messages that `ask` returns, or to none if it fails or the client is too old to have the API; then
 * the model is asked instead. An abort is passed on.
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
