import { messageOf } from "./errors.js";
import { failureOf } from "./failure.js";
import type { Slots } from "./slots.js";
import type { CallUsage, RequestConversation, Summary, SummaryRequest } from "./types.js";

/**
 * A model's answer: its text, why it ended if the caller knows (such as `stop`, `length`, `end_turn`, `max_tokens`), and what the
 * provider has counted, for the report.
 */
export type SummaryText = string | { text: string; finish_reason?: string | null; usage?: CallUsage | undefined };

/**
 * What a provider has made by itself, for a request with `provider` (`policy.summary.provider`): messages of its format, which go into the
 * result unchanged. An empty list says that it has failed, and the model is asked.
 */
export interface SummaryMessages {
  messages: readonly object[];
}

/**
 * A piece of a summary as it comes: text, or an object that may also say why the model ended. Where pieces are objects, the last
 * one has to: a stream that breaks off without a reason is half a summary, and is not taken.
 */
export type Piece = string | { text?: string; finish_reason?: string | null };

/** What `summarize` gives: the whole answer, or its pieces as they come. */
export type Answer = SummaryText | SummaryMessages | AsyncIterable<Piece>;

/**
 * Asks the caller's model. `signal` is aborted when the compaction is aborted or the time is over. The requests of one
 * round are asked at the same time, unless `concurrency` says otherwise. Pieces of the text, as they come, may be given to
 * `onDelta`; an answer may also be an iterable of pieces.
 */
export interface Summarize {
  (
    request: SummaryRequest,
    options: {
      signal: AbortSignal;
      onDelta?: (text: string) => void;
      /**
       * What to send where the request follows the conversation: the body that was given, with its messages and the instruction as the last
       * of them, or the list. `request.system` and `request.prompt` are in it already.
       */
      conversation?: object;
    },
  ): Answer | PromiseLike<Answer>;
  /** It can send requests that follow the conversation (docs/reference/policy.md, Summaries from the prompt cache). */
  readonly prefix?: boolean;
}

/** Timers take no more milliseconds than this, and fire at once for more. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** How a request is asked. */
export interface Asking {
  /** From the call of `summarize` on. */
  timeoutMs: number;
  slots?: Slots | undefined;
  signal?: AbortSignal | undefined;
  /** What to send for a request that follows the conversation. */
  conversation?: ((behind: RequestConversation) => object) | undefined;
}

/** An answer, or why there is none. A model that is busy says how long to wait before it is asked again, in milliseconds. */
export type Reply = Omit<Summary, "id" | "error"> | { error: string; busy?: boolean; after?: number };

/** The answer to one request. It never rejects. */
export async function reply(
  request: SummaryRequest,
  summarize: Summarize | undefined,
  { timeoutMs, slots, signal, conversation }: Asking,
): Promise<Reply> {
  if (!summarize) return { error: "there is no summarize function" };
  try {
    await slots?.take(signal);
  } catch (reason) {
    return { error: textOf(messageOf(reason)) };
  }
  try {
    const behind = request.conversation && conversation?.(request.conversation);
    if (request.conversation && !behind) return { error: "the conversation is not at hand" };
    return await asked(request, summarize, { timeoutMs, signal, behind });
  } catch (reason) {
    return { error: textOf(messageOf(reason)) };
  } finally {
    slots?.free();
  }
}

function asked(
  request: SummaryRequest,
  summarize: Summarize,
  { timeoutMs, signal, behind }: { timeoutMs: number; signal?: AbortSignal | undefined; behind?: object | undefined },
): Promise<Reply> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const given = { signal: controller.signal, ...(behind && { conversation: behind }) };
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
      .then(settle, (thrown) => settle({ error: textOf(messageOf(thrown)), ...busyOf(thrown) }));
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

/** The statuses of a provider that has no time now. */
const BUSY = [429, 503, 529];
const LONGEST_AFTER = 86_400;

/** Whether an SDK's error says that the provider has no time now, and for how long. */
function busyOf(error: unknown): { busy?: boolean; after?: number } {
  if (!BUSY.includes(failureOf(error).status ?? 0)) return {};
  const { headers, responseHeaders } = error as { headers?: unknown; responseHeaders?: Record<string, unknown> };
  const told = headers instanceof Headers ? headers.get(AFTER) : ((headers ?? responseHeaders) as Fields)?.[AFTER];
  const seconds = Number(told ?? Number.NaN);
  return { busy: true, ...(seconds > 0 && { after: Math.round(1000 * Math.min(seconds, LONGEST_AFTER)) }) };
}

const AFTER = "retry-after";
type Fields = Record<string, unknown> | null | undefined;

/** The counts alone: an SDK's own object may hold more, and the module takes whole numbers. */
function countsOf(usage: CallUsage): CallUsage {
  const whole = (n: unknown) => (Number.isSafeInteger(n) && (n as number) >= 0 ? (n as number) : 0);
  return {
    input_tokens: whole(usage.input_tokens),
    cache_read_tokens: whole(usage.cache_read_tokens),
    cache_write_tokens: whole(usage.cache_write_tokens),
    output_tokens: whole(usage.output_tokens),
  };
}

/** A model's text may be cut inside a surrogate pair, which UTF-8 cannot hold. */
function textOf(text: string): string {
  return text.toWellFormed();
}
