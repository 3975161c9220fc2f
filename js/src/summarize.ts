import { messageOf } from "./errors.js";
import type { Summary, SummaryRequest } from "./types.js";

/** A model's answer: its text, and why it ended if the caller knows (such as `stop`, `length`, `end_turn`, `max_tokens`). */
export type SummaryText = string | { text: string; finish_reason?: string | null };

/**
 * Asks the caller's model. `signal` is aborted when the compaction is aborted or the time is over. The requests of one
 * round are asked at the same time. Pieces of the text, as they come, may be given to `onDelta`; an answer may also be an
 * iterable of pieces.
 */
export type Summarize = (
  request: SummaryRequest,
  options: { signal: AbortSignal; onDelta?: (text: string) => void },
) => SummaryText | AsyncIterable<string> | PromiseLike<SummaryText | AsyncIterable<string>>;

/** Timers take no more milliseconds than this, and fire at once for more. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The summaries of one round. It never rejects: what cannot be had is a summary with an error. */
export function summaries(
  requests: readonly SummaryRequest[],
  summarize: Summarize | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Summary[]> {
  return Promise.all(requests.map((request) => summary(request, summarize, timeoutMs, signal)));
}

function summary(
  request: SummaryRequest,
  summarize: Summarize | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Summary> {
  const { id } = request;
  if (!summarize) return Promise.resolve({ id, error: "there is no summarize function" });
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
    new Promise<SummaryText | AsyncIterable<string>>((answer) =>
      answer(summarize(request, { signal: controller.signal })),
    )
      .then((answer) => summaryOf(id, answer))
      .then(settle, (thrown) => settle({ id, error: textOf(messageOf(thrown)) }));
  });
}

function summaryOf(id: string, answer: unknown): Summary {
  if (typeof answer === "string") return { id, text: textOf(answer) };
  const { text, finish_reason } = (answer ?? {}) as { text?: unknown; finish_reason?: unknown };
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
