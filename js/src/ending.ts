/** The options of one call, and what ends it. */
import { CtxfoldError } from "./errors.js";
import type { Policy, State } from "./types.js";

/** What counts for one call, in place of the compactor's own. */
export interface Overrides {
  policy?: Policy;
  state?: State | null | undefined;
}

export interface CompactOptions extends Overrides {
  /** Ends the compaction: the promise rejects with the signal's reason, and nothing has changed. */
  signal?: AbortSignal;
  /** The longest that the whole compaction may take, in milliseconds; then it ends in the same way, with a `TimeoutError`. */
  timeoutMs?: number;
}

/** Runs a compaction under the signal that ends it: the caller's, or that of its time limit. */
export async function ending<T>(
  { signal, timeoutMs }: CompactOptions,
  run: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return run(signal);
  if (!(timeoutMs > 0)) {
    throw new CtxfoldError("invalid_option", "timeoutMs must be above 0", { path: "timeoutMs" });
  }
  // Not AbortSignal.timeout: its timer does not keep Node running, which would end without an answer.
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException(`the compaction took over ${timeoutMs} ms`, "TimeoutError"));
  const abort = () => controller.abort(signal?.reason);
  const timer = timeoutMs < 2 ** 31 ? setTimeout(late, timeoutMs) : undefined;
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
