/** What a provider compacts by itself. */
import type { SummaryMessages } from "ctxfold";

/**
 * The messages that `ask` gives; none where it fails, or the client is too old to have the API: then the model is asked. An abort is
 * no such failure.
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
