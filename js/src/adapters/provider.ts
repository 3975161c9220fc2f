/** Calls a provider's own compaction. */
import type { SummaryMessages } from "ctxfold";

/**
 * Resolves to the messages that `ask` returns. If `ask` fails, or the client is too old to have this API, it resolves
 * to an empty list, and the model is asked for a summary instead. It rejects only if `ask` fails because of an abort.
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
