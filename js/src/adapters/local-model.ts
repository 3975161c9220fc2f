/** What the adapters of models in the browser have in common. */
import type { Summarize } from "ctxfold";

/**
 * A model on the user's own machine, as a summarizer: `summarize` and `concurrency` are options of `fit` and `createCompactor`, `limits` is
 * for `policy.summary`, and `contextWindow` for `policy.window.tokens` where the same model has the conversation.
 */
export interface LocalModel {
  summarize: Summarize;
  /** One request at a time: there is one model, and its requests would wait for each other anyway. */
  concurrency: 1;
  /** Tokens of the model's context window, as the engine says it, prompt and answer together. */
  contextWindow: number;
  /** For `policy.summary`: how large a request and its answer may be, in tokens, so that both fit into the context window. */
  limits: { max_input_tokens: number; max_output_tokens: number };
}

/** What a request is to leave of the window for the template of the chat, and for an estimate that is too low. */
const TEMPLATE_TOKENS = 64;
const ESTIMATE_SHARE = 0.9;

/** How large an answer may be: a quarter of the window, and no more than the rest of the digest is worth. */
const MAX_ANSWER = 1024;

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

/** The first of some numbers that is a context window: more than no token, and no constant that represents "unlimited". */
export function windowOf(...candidates: unknown[]): number | undefined {
  for (const n of candidates) if (typeof n === "number" && n >= 1 && n < 2 ** 31) return Math.floor(n);
  return undefined;
}
