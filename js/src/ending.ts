/** The options of one call, and its cancellation. */
import { invalidOption } from "./errors.js";
import { COMPACTOR_OPTIONS } from "./option-names.js";
import { checkOptions, type Names } from "./options.js";
import type { Options, Redact } from "./types.gen.js";
import type { CallOptions, Policy, State } from "./types.js";
import type { Counted } from "./usage.js";

/** Options for one call that override the compactor's. */
export interface Overrides {
  /** The policy for this call. */
  policy?: Policy;
  /** The options for this call. */
  options?: CallOptions | undefined;
  /** The state for this call; null for none. */
  state?: State | null | undefined;
  /**
   * The provider's count for the last call. It is used unchanged for the messages that it covers; only the messages
   * after them are estimated. The correction that follows from it is stored in the state, for later calls.
   */
  usage?: Counted | null | undefined;
}

/**
 * The options of a compactor that affect the options of its requests. If there is a store, all removed content is
 * archived for it.
 */
interface Hosting {
  /** Where removed content is archived; undefined if nowhere. */
  store?: object | undefined;
  /** Texts to replace with placeholders. */
  redact?: Redact | undefined;
}

/** Options that only this package sets, to get the result in the form of the input. */
const OF_HOST = ["answer", "only_known"];

/**
 * Returns the options of a request: the caller's options for this call, plus the host's own. Throws `invalid_option`
 * for options that only the host may set, and for an invalid `idle`.
 */
export function optionsOf(
  given: CallOptions | undefined,
  own: Pick<Options, "answer"> & { usage?: Counted | undefined },
  { store, redact }: Hosting = {},
): Options {
  const { usage, answer } = own;
  const taken = OF_HOST.find((name) => given && Object.hasOwn(given, name));
  if (taken !== undefined) {
    throw invalidOption(
      `options.${taken} is set by the package: a result comes back as the messages were given`,
      `options.${taken}`,
    );
  }
  const { idle = 0 } = given ?? {};
  if (!(idle >= 0 && idle <= 1e9)) {
    // In JSON, NaN and Infinity would become null, which the module ignores.
    throw invalidOption(`idle must be from 0 to 1,000,000,000 seconds, not ${idle}`, "options.idle");
  }
  return {
    ...given,
    ...(answer && { answer }),
    ...(usage && { usage }),
    ...(store && { archive: "bodies" }),
    ...(redact && { redact }),
  };
}

/** Options of `compact`: those of one call, its cancellation and its time limit. */
export interface CompactOptions extends Overrides {
  /** Aborts the compaction. The promise then rejects with the signal's reason, and nothing has changed. */
  signal?: AbortSignal;
  /**
   * The time limit for the whole compaction in milliseconds. When it expires, the promise rejects with a `TimeoutError`
   * and nothing has changed.
   */
  timeoutMs?: number;
}

const OVERRIDES: Names<Overrides> = { policy: true, options: true, state: true, usage: true };
const COMPACT_OPTIONS: Names<CompactOptions> = {
  ...OVERRIDES,
  signal: true,
  timeoutMs: true,
};

/** The options of `compact`, with advice on where to pass them, for users who pass them to `createCompactor`. */
export const IN_COMPACT = [COMPACT_OPTIONS, "the call: compact(messages, { * })"] as const;

/** Throws `invalid_option` for an unknown option. */
export function checkOverrides(given: Overrides, of: string): void {
  checkOptions(given, OVERRIDES, of);
}

/**
 * Runs a compaction with a signal that aborts it at the caller's request or at the time limit. Throws `invalid_option`
 * if the time limit is not above 0.
 */
export async function ending<T>(options: CompactOptions, run: (signal?: AbortSignal) => Promise<T>): Promise<T> {
  checkOptions(options, COMPACT_OPTIONS, "compact", [COMPACTOR_OPTIONS, "createCompactor({ * })"]);
  const { signal, timeoutMs } = options;
  if (timeoutMs === undefined) return run(signal);
  if (!(timeoutMs > 0)) {
    throw invalidOption("timeoutMs must be above 0", "timeoutMs");
  }
  // With AbortSignal.timeout, Node would not keep running, and would exit without an answer.
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
