/** The options of one call, and what ends it. */
import { CtxfoldError } from "./errors.js";
import { COMPACTOR_OPTIONS } from "./option-names.js";
import { checkOptions, type Names } from "./options.js";
import type { Options, Redact } from "./types.gen.js";
import type { CallOptions, Messages, Policy, State, Usage } from "./types.js";

/** What counts for one call, in place of the compactor's own. */
export interface Overrides {
  policy?: Policy;
  options?: CallOptions | undefined;
  state?: State | null | undefined;
  /**
   * What the provider counted for the last call: up to its message the count is taken as it is, and only what follows is
   * estimated. The state learns from it.
   */
  usage?: Counted | null | undefined;
}

/** A provider's count of tokens. `message` is the index of the message that the call ended with; −1 is the last one. */
export type Counted = Partial<Usage> &
  Pick<Usage, "message"> & {
    /** A tokenizer has counted these very messages: no compaction makes it stale, and it is not doubted. */
    exact?: boolean;
  };

/** An exact tokenizer: it says how many tokens a request with these messages takes. */
export type CountTokens = (messages: Messages) => number;

/** The usage that goes with an operation: what the caller gives, else what the tokenizer counts. */
export function usageOf(
  countTokens: CountTokens | undefined,
  messages: Messages,
  usage?: Counted | null,
): Counted | undefined {
  if (usage || !countTokens) return usage ?? undefined;
  const total = countTokens(messages);
  if (!Number.isSafeInteger(total) || total < 0) {
    throw new CtxfoldError("invalid_option", `countTokens must give a whole number, not ${total}`, {
      path: "countTokens",
    });
  }
  return { message: -1, total_tokens: total, exact: true };
}

/** What a caller's own options say of a request: whether all that is removed is kept. */
interface Hosting {
  store?: object | undefined;
  /** What is replaced by placeholders. */
  redact?: Redact | undefined;
}

/** What the host sets itself: the result comes back as the messages came in. */
const OF_HOST = ["answer", "only_known"];

/**
 * The options of a request: what the caller wants of this one call, and what the host knows and needs itself. Throws `invalid_option` for
 * those that are the host's alone.
 */
export function optionsOf(
  given: CallOptions | undefined,
  own: Pick<Options, "answer"> & { usage?: Counted | undefined },
  { store, redact }: Hosting = {},
): Options {
  const { usage, answer } = own;
  const taken = OF_HOST.find((name) => given && Object.hasOwn(given, name));
  if (taken !== undefined) {
    throw new CtxfoldError(
      "invalid_option",
      `options.${taken} is set by the package: a result comes back as the messages were given`,
      { path: `options.${taken}` },
    );
  }
  const { idle = 0 } = given ?? {};
  if (!(idle >= 0 && idle <= 1e9)) {
    // In JSON some of these would be null, and mean nothing.
    throw new CtxfoldError("invalid_option", `idle must be from 0 to 1,000,000,000 seconds, not ${idle}`, {
      path: "options.idle",
    });
  }
  return {
    ...given,
    ...(answer && { answer }),
    ...(usage && { usage }),
    ...(store && { archive: "bodies" }),
    ...(redact && { redact }),
  };
}

export interface CompactOptions extends Overrides {
  /** Ends the compaction: the promise rejects with the signal's reason, and nothing has changed. */
  signal?: AbortSignal;
  /** The longest that the whole compaction may take, in milliseconds; then it ends in the same way, with a `TimeoutError`. */
  timeoutMs?: number;
}

const OVERRIDES: Names<Overrides> = { policy: true, options: true, state: true, usage: true };
const COMPACT_OPTIONS: Names<CompactOptions> = {
  ...OVERRIDES,
  signal: true,
  timeoutMs: true,
};

/** Where the options of a compaction belong that somebody gives to what makes compactors. */
export const IN_COMPACT = [COMPACT_OPTIONS, "the call: compact(messages, { * })"] as const;

/** Throws `invalid_option` for an option that no operation reads. */
export function checkOverrides(given: Overrides, of: string): void {
  checkOptions(given, OVERRIDES, of);
}

/** Runs a compaction under the signal that ends it: the caller's, or that of its time limit. */
export async function ending<T>(options: CompactOptions, run: (signal?: AbortSignal) => Promise<T>): Promise<T> {
  checkOptions(options, COMPACT_OPTIONS, "compact", [COMPACTOR_OPTIONS, "createCompactor({ * })"]);
  const { signal, timeoutMs } = options;
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
