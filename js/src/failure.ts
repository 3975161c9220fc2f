/** What is known of a call of a model. */
import { messageOf } from "./errors.js";

/** What is known of a call of a model, whether it failed or not. Every field may be left out. */
export interface Failure {
  /** HTTP status. */
  status?: number;
  /** The body of the answer, or the error's text. */
  body?: string;
  /** A hint, by a name of docs/OVERFLOW.md. */
  provider?: string;
  /** The model that was called, and the one in use now: an error of another model says nothing about the conversation. */
  model?: string;
  current_model?: string;
  finish_reason?: string;
  /** Of a call that succeeded, in tokens; input is without what was read from or written to the cache. */
  usage?: { input_tokens?: number; cache_read_tokens?: number; cache_write_tokens?: number; output_tokens?: number };
  /** The model's context window, in tokens. */
  window?: number;
}

/** What the errors of the providers' SDKs tell: `status`, `statusCode`, and the body as text or JSON. */
export function failureOf(error: unknown): Failure {
  if (error !== Object(error)) return { body: String(error) };
  const e = error as Record<string, unknown>;
  const status = [e.status, e.statusCode].find((each) => Number.isInteger(each)) as number | undefined;
  const body = typeof e.responseBody === "string" && e.responseBody ? e.responseBody : messageOf(error);
  const more = [e.code, e.error === Object(e.error) ? JSON.stringify(e.error) : undefined];
  const all = [body, ...more.filter((each) => typeof each === "string")].join("\n");
  return { body: all, ...(status !== undefined && { status }) };
}

/**
 * The window for which messages are compacted that a provider has refused, where the window that is known leaves nothing to do:
 * 0.7 of the tokens that they are estimated at.
 */
export function refusedWindow(tokens: number): { tokens: number; reserve: number } {
  return { tokens: Math.max(1, Math.floor(tokens * 0.7)), reserve: 0 };
}
