/** Token counts that the provider or the caller's tokenizer gives. */
import { invalidOption } from "./errors.js";
import type { Messages, Usage } from "./types.js";

/**
 * A provider's token count. `message` is the index of the last message that it covers; negative numbers count from the
 * end, so −1 is the last message.
 */
export type Counted = Partial<Usage> &
  Pick<Usage, "message"> & {
    /**
     * Whether a tokenizer has counted exactly these messages. Such a count can't be from before a compaction, and its
     * plausibility is not checked.
     */
    exact?: boolean;
  };

/** An exact tokenizer: returns how many tokens a request with these messages takes. */
export type CountTokens = (messages: Messages) => number;

/**
 * Returns the usage for an operation: the caller's, or else the tokenizer's count, or undefined. Throws
 * `invalid_option` if the tokenizer doesn't return a whole number.
 */
export function usageOf(
  countTokens: CountTokens | undefined,
  messages: Messages,
  usage?: Counted | null,
): Counted | undefined {
  if (usage || !countTokens) return usage ?? undefined;
  const total = countTokens(messages);
  if (!Number.isSafeInteger(total) || total < 0) {
    throw invalidOption(`countTokens must give a whole number, not ${total}`, "countTokens");
  }
  return { message: -1, total_tokens: total, exact: true };
}
