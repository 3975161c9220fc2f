import { messageOf } from "./errors.js";
import { failureOf } from "./failure.js";
import type { Slots } from "./slots.js";
import type { CallFailure } from "./types.gen.js";
import type { CallUsage, RequestConversation, Summary, SummaryRequest } from "./types.js";

/**
 * A model's answer: its text, the finish reason if known (such as `stop`, `length`, `end_turn`, `max_tokens`), and the
 * provider's token counts for the report.
 */
export type SummaryText = string | { text: string; finish_reason?: string | null; usage?: CallUsage | undefined };

/**
 * The result of the provider's own compaction, for a request with `provider` (`policy.summary.provider`). The messages
 * are in the provider's format and are inserted into the result unchanged. An empty list means that the compaction
 * failed; then the model is asked for a summary.
 */
export interface SummaryMessages {
  /** The messages that replace the compacted ones. */
  messages: readonly object[];
}

/**
 * A piece of a streamed summary: text, or an object that may also contain the finish reason. If pieces are objects, the
 * last one must have it: a stream that ends without a reason is an incomplete summary and is discarded.
 */
export type Piece = string | { text?: string; finish_reason?: string | null };

/** What `summarize` returns: the whole answer, or an iterable of its pieces. */
export type Answer = SummaryText | SummaryMessages | AsyncIterable<Piece>;

/**
 * Calls your model. `signal` is aborted if the compaction is aborted or the time limit expires. The requests of one
 * round are made concurrently, up to `concurrency`. Pass pieces of the text to `onDelta` as they arrive, or return an
 * iterable of them.
 */
export interface Summarize {
  /**
   * Returns the summary, or a promise or an iterable of it. If it throws or rejects, a local digest replaces the
   * summary.
   */
  (
    request: SummaryRequest,
    options: {
      signal: AbortSignal;
      onDelta?: (text: string) => void;
      /**
       * The request to send if it continues the conversation: your own body or list with changed messages and the
       * instruction at the end. It already includes `request.system` and `request.prompt`.
       */
      conversation?: object;
    },
  ): Answer | PromiseLike<Answer>;
  /**
   * Whether the function can send requests that continue the conversation (docs/reference/policy.md, Summaries from
   * the prompt cache).
   */
  readonly prefix?: boolean;
}

/** The maximum timeout in milliseconds; timers with a longer one fire immediately. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** The settings for model calls. */
export interface ReplySettings {
  /** The time limit in milliseconds, counted from the call of `summarize`. */
  timeoutMs: number;
  /** Limits how many summaries are written at a time. */
  slots?: Slots | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
  /** Returns the body or list to send for a request that continues the conversation. */
  conversation?: ((conversation: RequestConversation) => object) | undefined;
}

/** An answer, or the reason why there is none. `failure` is what is known about a call that failed. */
export type Reply = Omit<Summary, "id" | "error"> | { error: string; failure?: CallFailure };

/**
 * Requests one summary. Never rejects: a failure, a missing function and the end of the time limit are the `error` of
 * the reply.
 */
export async function requestSummary(
  request: SummaryRequest,
  summarize: Summarize | undefined,
  { timeoutMs, slots, signal, conversation }: ReplySettings,
): Promise<Reply> {
  if (!summarize) return { error: "there is no summarize function" };
  try {
    await slots?.take(signal);
  } catch (reason) {
    return { error: textOf(messageOf(reason)) };
  }
  try {
    const body = request.conversation && conversation?.(request.conversation);
    if (request.conversation && !body) return { error: "the conversation is not at hand" };
    return await callSummarize(request, summarize, { timeoutMs, signal, body });
  } catch (reason) {
    return { error: textOf(messageOf(reason)) };
  } finally {
    slots?.free();
  }
}

function callSummarize(
  request: SummaryRequest,
  summarize: Summarize,
  { timeoutMs, signal, body }: { timeoutMs: number; signal?: AbortSignal | undefined; body?: object | undefined },
): Promise<Reply> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const given = { signal: controller.signal, ...(body && { conversation: body }) };
    const settle = (result: Reply) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve(result);
    };
    const giveUp = (reason: unknown) => {
      controller.abort(reason);
      settle({ error: textOf(messageOf(reason)) });
    };
    const abort = () => giveUp(signal?.reason);
    const late = () => giveUp(new DOMException(`no summary within ${timeoutMs} ms`, "TimeoutError"));
    const timer = timeoutMs <= LONGEST_TIMER ? setTimeout(late, timeoutMs) : undefined;
    signal?.addEventListener("abort", abort);
    new Promise<Answer>((answer) => answer(summarize(request, given)))
      .then(summaryOf)
      .then(settle, (thrown) => settle({ error: textOf(messageOf(thrown)), failure: callFailureOf(thrown) }));
  });
}

function summaryOf(answer: unknown): Reply {
  if (typeof answer === "string") return { text: textOf(answer) };
  const { text, finish_reason, usage, messages } = (answer ?? {}) as Record<string, unknown> & { usage?: CallUsage };
  if (Array.isArray(messages)) return { messages };
  if (typeof text !== "string") {
    return { error: "summarize returned neither a string nor an object with a text" };
  }
  return {
    text: textOf(text),
    ...(typeof finish_reason === "string" && { finish_reason: textOf(finish_reason) }),
    ...(usage && { usage: countsOf(usage) }),
  };
}

/**
 * The headers of a response that say whether and when to call again. The module gets each in the member that is named
 * before it.
 */
const RETRY_HEADERS = [
  ["retry_after", "retry-after"],
  ["retry_after_ms", "retry-after-ms"],
  ["should_retry", "x-should-retry"],
] as const;

/** Returns what an SDK's error says about the provider's response. The module decides by it whether to call again. */
function callFailureOf(error: unknown): CallFailure {
  const { headers, responseHeaders } = Object(error) as Record<string, unknown>;
  const { body = "", status } = failureOf(error);
  const failure: CallFailure = { body: textOf(body), ...(status !== undefined && { status }) };
  for (const [member, name] of RETRY_HEADERS) {
    const value = headers instanceof Headers ? headers.get(name) : Object(headers ?? responseHeaders)[name];
    if (value != null) failure[member] = textOf(String(value));
  }
  return failure;
}

/**
 * Returns the counts as whole numbers. Other members of an SDK's usage object are left out, because the module
 * rejects them.
 */
function countsOf(usage: CallUsage): CallUsage {
  const whole = (n: unknown) => (Number.isSafeInteger(n) && (n as number) >= 0 ? (n as number) : 0);
  return {
    input_tokens: whole(usage.input_tokens),
    cache_read_tokens: whole(usage.cache_read_tokens),
    cache_write_tokens: whole(usage.cache_write_tokens),
    output_tokens: whole(usage.output_tokens),
  };
}

/**
 * Replaces unpaired surrogates, which UTF-8 cannot represent. They occur if a model's text was cut between the two
 * halves of a pair.
 */
function textOf(text: string): string {
  return text.toWellFormed();
}
