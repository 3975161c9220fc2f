/** Streams summaries, so that an app can display them while the model writes them. */
import { finished } from "./finish.js";
import type { Answer, Piece, Summarize, SummaryText } from "./summarize.js";

/** A piece of a summary that is being written. */
export interface SummaryDelta {
  /** The id of the request. */
  id: string;
  /** The scope of the request. */
  scope: string;
  /** The piece. */
  text: string;
}

/** Returns a summarizer that passes each piece that `summarize` reports, or returns in an iterable, to `onDelta`. */
export function streaming(summarize: Summarize, onDelta?: (delta: SummaryDelta) => void): Summarize {
  return async (request, given) => {
    const { signal } = given;
    const { id, scope } = request;
    const report = (text: string) => {
      if (!signal.aborted && text !== "") onDelta?.({ id, scope, text });
    };
    let over = false;
    try {
      const answer = await summarize(request, { ...given, onDelta: (text) => over || report(text) });
      if (!isPieces(answer)) return answer;
      return await joined(answer, signal, report);
    } finally {
      over = true; // ignore pieces that come later
    }
  };
}

/**
 * Joins the pieces of a stream. If any of them is an object, the result is an object with a finish reason; otherwise it
 * is the text. Throws if a piece is not a {@link Piece}, for instance if it is an SDK's own chunk object.
 */
async function joined(
  pieces: AsyncIterable<Piece>,
  signal: AbortSignal,
  report: (text: string) => void,
): Promise<SummaryText> {
  let whole = "";
  let hasObjects = false;
  let reason: string | undefined;
  for await (const piece of pieces) {
    if (signal.aborted) throw signal.reason;
    const { text = "", finish_reason } = typeof piece === "string" ? { text: piece } : partOf(piece);
    hasObjects ||= typeof piece !== "string";
    reason = finish_reason ?? reason;
    whole += text;
    report(text);
  }
  return hasObjects ? { text: whole, finish_reason: finished(reason) } : whole;
}

function partOf(piece: unknown): { text?: string; finish_reason?: string | null } {
  const { text, finish_reason } = (piece ?? {}) as { text?: unknown; finish_reason?: unknown };
  if (typeof text === "string" || typeof finish_reason === "string") return piece as object;
  throw new TypeError("a piece of a summary is neither a text nor an object with a text or a finish_reason");
}

function isPieces(answer: Answer): answer is AsyncIterable<Piece> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}
