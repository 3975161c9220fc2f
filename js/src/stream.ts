/** Summaries that are shown while they are written. */
import type { Summarize, SummaryText } from "./summarize.js";

/** A piece of a summary that is being written. */
export interface Delta {
  /** The request's. */
  id: string;
  scope: string;
  text: string;
}

/** A summarizer whose pieces go to `onDelta`, and that may answer with an iterable of pieces. */
export function streaming(summarize: Summarize, onDelta?: (delta: Delta) => void): Summarize {
  return async (request, { signal }) => {
    const { id, scope } = request;
    const told = (text: string) => {
      if (!signal.aborted && text !== "") onDelta?.({ id, scope, text });
    };
    let over = false;
    try {
      const answer = await summarize(request, { signal, onDelta: (text) => over || told(text) });
      if (!isPieces(answer)) return answer;
      let text = "";
      for await (const piece of answer) {
        if (signal.aborted) throw signal.reason;
        text += piece;
        told(piece);
      }
      return text;
    } finally {
      over = true; // a piece that comes later belongs to nothing any more
    }
  };
}

function isPieces(answer: SummaryText | AsyncIterable<string>): answer is AsyncIterable<string> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}
