/** Code shared by the adapters for in-browser models. */
import type { Summarize } from "ctxfold";

/**
 * A summarizer that uses a model on the user's machine. Pass `summarize` and `concurrency` to `fit` or
 * `createCompactor`, and use `limits` as `policy.summary`. If the same model also serves the conversation, use
 * `contextWindow` as `policy.window.tokens`.
 */
export interface LocalModel {
  /** Calls the model. */
  summarize: Summarize;
  /** Requests are made one at a time, because the model can only work on one of them. */
  concurrency: 1;
  /** The size of the model's context window for prompt and output together, in tokens. */
  contextWindow: number;
  /**
   * For `policy.summary`: the maximum size of a request and of its output, in tokens, so that both fit into the
   * context window.
   */
  limits: { max_input_tokens: number; max_output_tokens: number };
}

/**
 * A request may take ESTIMATE_SHARE of the window that the output leaves, because estimates can be too low, minus
 * TEMPLATE_TOKENS for the chat template.
 */
const TEMPLATE_TOKENS = 64;
const ESTIMATE_SHARE = 0.9;

/** The maximum output in tokens, even if a quarter of the window would be more. */
const MAX_ANSWER = 1024;

/**
 * Returns a summarizer for a model on the user's machine, whose context window is given in tokens. The limits leave a
 * quarter of the window, but at most 1,024 tokens, for the output.
 */
export function localModel(summarize: Summarize, contextWindow: number): LocalModel {
  const max_output_tokens = Math.min(MAX_ANSWER, Math.floor(contextWindow / 4));
  const room = Math.floor((contextWindow - max_output_tokens) * ESTIMATE_SHARE) - TEMPLATE_TOKENS;
  return {
    summarize,
    concurrency: 1,
    contextWindow,
    limits: { max_input_tokens: Math.max(1, room), max_output_tokens },
  };
}

/**
 * Returns the first candidate that can be the size of a context window, rounded down: a number from 1, but not a huge
 * one that means "unlimited". Returns undefined if there is none.
 */
export function windowOf(...candidates: unknown[]): number | undefined {
  for (const n of candidates) if (typeof n === "number" && n >= 1 && n < 2 ** 31) return Math.floor(n);
  return undefined;
}
