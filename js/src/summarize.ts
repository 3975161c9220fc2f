import { messageOf } from "./errors.js";
import type { Slots } from "./slots.js";
import type { Summary, SummaryRequest } from "./types.js";

/** A model's answer: its text, and why it ended if the caller knows (such as `stop`, `length`, `end_turn`, `max_tokens`). */
export type SummaryText = string | { text: string; finish_reason?: string | null };

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
export type Summarize = (
  request: SummaryRequest,
  options: { signal: AbortSignal; onDelta?: (text: string) => void },
) => Answer | PromiseLike<Answer>;

/** Timers take no more milliseconds than this, and fire at once for more. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What the requests of a round share. */
export interface Asking {
  /** From the call of `summarize` on. */
  timeoutMs: number;
  slots?: Slots | undefined;
  signal?: AbortSignal | undefined;
}

/** The summaries of one round. It never rejects: what cannot be had is a summary with an error. */
export function summaries(
  requests: readonly SummaryRequest[],
  summarize: Summarize | undefined,
  asking: Asking,
): Promise<Summary[]> {
  return Promise.all(requests.map((request) => summary(request, summarize, asking)));
}

async function summary(
  request: SummaryRequest,
  summarize: Summarize | undefined,
  { timeoutMs, slots, signal }: Asking,
): Promise<Summary> {
  const { id } = request;
  if (!summarize) return { id, error: "there is no summarize function" };
  try {
    await slots?.take(signal);
  } catch (reason) {
    return { id, error: textOf(messageOf(reason)) };
  }
  try {
    return await asked(request, summarize, timeoutMs, signal);
  } finally {
    slots?.free();
  }
}

function asked(
  request: SummaryRequest,
  summarize: Summarize,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Summary> {
  const { id } = request;
  return new Promise((resolve) => {
    const controller = new AbortController();
    const settle = (result: Summary) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve(result);
    };
    const giveUp = (reason: unknown) => {
      controller.abort(reason);
      settle({ id, error: textOf(messageOf(reason)) });
    };
    const abort = () => giveUp(signal?.reason);
    const late = () => giveUp(new DOMException(`no summary within ${timeoutMs} ms`, "TimeoutError"));
    const timer = timeoutMs <= LONGEST_TIMER ? setTimeout(late, timeoutMs) : undefined;
    signal?.addEventListener("abort", abort);
    new Promise<Answer>((answer) => answer(summarize(request, { signal: controller.signal })))
      .then((answer) => summaryOf(id, answer))
      .then(settle, (thrown) => settle({ id, error: textOf(messageOf(thrown)) }));
  });
}

function summaryOf(id: string, answer: unknown): Summary {
  if (typeof answer === "string") return { id, text: textOf(answer) };
  const { text, finish_reason, messages } = (answer ?? {}) as Record<string, unknown>;
  if (Array.isArray(messages)) return { id, messages };
  if (typeof text !== "string") {
    return { id, error: "summarize returned neither a string nor an object with a text" };
  }
  return typeof finish_reason === "string"
    ? { id, text: textOf(text), finish_reason: textOf(finish_reason) }
    : { id, text: textOf(text) };
}

/** A model's text may be cut inside a surrogate pair, which UTF-8 cannot hold. */
function textOf(text: string): string {
  return text.toWellFormed();
}
