/**
 * Fits whole histories into the context window, for apps that keep their own list of messages and pass the complete
 * list each turn.
 */
import { loggingFailures } from "./callbacks.js";
import type { CompactorOptions } from "./compactor-options.js";
import type { Counted } from "./ending.js";
import { CtxfoldError, invalidOption } from "./errors.js";
import { model } from "./events.js";
import type { ModuleSource } from "./load.js";
import { FITTER_OPTIONS } from "./option-names.js";
import { checkOptions, checkStores, type Names } from "./options.js";
import { type Engine, Pool, type Settings } from "./pool.js";
import {
  type FitMemory,
  KeptRecords,
  MOST_REMEMBERED,
  OwnRecords,
  type Records,
  type SharedMemory,
} from "./records.js";
import { Slots } from "./slots.js";
import type { Body, CallOptions, Format, Messages, Policy, PolicyWindow, Report, Same } from "./types.js";
import type { Next } from "./uses.js";

/** Options of a fitter: those of a compactor except the state, which is remembered with each compaction. */
export interface FitterOptions<Source = ModuleSource> extends Omit<CompactorOptions, "state" | "module"> {
  /** The module, or a source to load it from. Default: the package's own. */
  module?: Source;
  /**
   * The model's context window in tokens: `policy.window.tokens`. `"unlimited"` means that there is no limit:
   * `policy.window.unlimited`.
   */
  window?: number | "unlimited";
  /** The model that the messages are for: `policy.model`. Its window applies if none is given. */
  model?: string;
  /** The wire format: `policy.format`. */
  format?: Format | "auto";
  /**
   * Where compactions are remembered. Default: in this process. In a page, `indexedDBStore()` remembers them across
   * reloads.
   */
  memory?: FitMemory | SharedMemory;
  /**
   * The maximum number of compactions remembered per `id`; the oldest are forgotten first. The default is 64, which is
   * also the maximum. Without `memory`, this option also limits the number of ids (default 256): the id that has been
   * unused for longest is forgotten first. A `SharedMemory` has its own limits and ignores this option.
   */
  remembered?: number;
  /**
   * Shares the memory with `fit`, and with all fitters that have this option, an equal policy (window, model and
   * format included), equal `remembered` and `concurrency`, and the same `memory`, `store` and `module` objects. Use
   * it in code that creates a fitter for each call. Default false: the fitter has its own memory.
   */
  shared?: boolean;
  /**
   * Whether the work is done in a worker, which all fitters of a page share. Even then it is done in the page if no
   * worker can be started, or if `module` can't be sent to one (a `Response`, a promise, the result of `load`).
   * Outside pages this has no effect. Default true.
   */
  worker?: boolean;
  /** Called after each new compaction, but not when an earlier one is reused. */
  onCompaction?: (report: Report) => void;
  /**
   * Called with the error of a background compaction. Aborts, and models that return no summary, are not reported.
   */
  onBackgroundError?: (error: unknown) => void;
  /**
   * Called with a promise for each compaction that begins in the background. The promise resolves when the compaction
   * has ended and never rejects. An edge worker passes it to the `waitUntil` of its platform, which would otherwise
   * freeze the compaction.
   */
  waitUntil?: (ended: Promise<void>) => void;
}

/** Options of one call. */
export interface FitCallOptions {
  /**
   * Identifies the conversation, or the user who has it. A compaction that is remembered under one id is never used
   * for another. A server for several users should set it. An app for one user doesn't need it, because conversations
   * are recognized by their content.
   */
  id?: string;
  /** Overrides the fitter's policy. */
  policy?: Policy;
  options?: CallOptions | undefined;
  /**
   * The model and the provider that will be called next, for `policy.gate.idle`. By default, the model is that of the
   * request body or of the policy. The idle time is measured; a caller who knows it better can set `options.idle`.
   */
  next?: Next;
  /** The provider's token count for the last call. `message` is the index of the last counted message in the history. */
  usage?: Counted | null | undefined;
  /**
   * The error of a model call with the messages of the last fit. If they were too long for the model, they are compacted
   * further, for the window that the error names, if it names one; otherwise the call rejects with `not_overflow`. If
   * that doesn't help, it rejects with `still_overflow`.
   */
  refused?: unknown;
  /** Aborts the call: it rejects with the signal's reason, and nothing is remembered. */
  signal?: AbortSignal | null | undefined;
  /** The time limit for the call in milliseconds. When it expires, the call is aborted with a `TimeoutError`. */
  timeoutMs?: number;
}

export type FitOptions<Source = ModuleSource> = Omit<FitterOptions<Source>, "shared"> & FitCallOptions;

/** The result of a fit. */
export interface FitResult<M extends Messages> {
  /**
   * The messages to send, in the form in which they were passed. Messages that are kept are the objects that you have
   * just passed, with their cache breakpoints. If there is nothing to do, this is the same list (`===`).
   */
  messages: Same<M>;
  /** What was done, with the sizes in tokens. */
  report: Report;
  /**
   * Whether an earlier compaction replaced the beginning of the history. `report.changed` is true if this call made a
   * new compaction.
   */
  known: boolean;
  /** The removed content, if the policy asks for it. If there is a `store`, it is already stored there. */
  archive?: Body[];
  /**
   * Set if a background compaction of this history is running (`policy.gate.start`). Resolves when the compaction has
   * ended, and never rejects. An edge worker passes it to `waitUntil`. Later calls reuse the compaction; if the
   * process ends before it is finished, they make it again.
   */
  background?: Promise<void>;
}

/** A `fit` with its own options and its own memory. With the option `shared` it shares the memory. */
export interface Fitter {
  /** Works like {@link Fit}. */
  <M extends Messages>(history: M, call?: FitCallOptions): Promise<FitResult<M>>;
  /**
   * Removes the fitter from the worker of `ctxfold/worker`. Elsewhere, or if the fitter is `shared`, it does nothing.
   */
  close(): void;
}

/**
 * Creates a {@link Fit} that has these options for all of its calls, and its own memory. Use it if your app has one
 * place to create it; otherwise use `fit`, which does the same, or a fitter that is `shared`.
 */
export type CreateFitter<Source = ModuleSource> = (options?: FitterOptions<Source>) => Fitter;

/**
 * Fits a whole history into the context window and returns the messages to send: the compactions of earlier calls are
 * applied to the beginning of the history, and a new one is made when it is due. The app keeps its own list and
 * passes all of it each turn; it may also continue from the messages returned. A beginning is recognized by what the
 * model sees of it: texts, tool calls and results. Cache breakpoints, metadata, ids and dates may change from call to
 * call. Concurrent calls for one conversation with the same memory share one compaction: within a process and, with
 * Web Locks, across all pages of an origin or all threads of a program.
 *
 * Compactions are remembered for calls that have an equal policy (window, model and format included), and the same
 * `memory`, `store` and `module` objects: create these once, not in each call. `summarize` and the other functions
 * may differ. At most 64 policies are remembered; the least recently used one is forgotten with all of its
 * compactions.
 *
 * With `policy.gate.start`, a compaction starts in the background before it is due, and calls continue without it; a
 * call waits for it only at the limit. Without a `store`, this needs a policy without `archive`. With
 * `policy.gate.idle`, a conversation whose prompt cache is cold is compacted even below the limit.
 *
 * If `summarize` fails, the digest is made without a model, and a later call tries `summarize` again: after a minute,
 * then after longer intervals while it keeps failing, up to an hour.
 *
 * Rejects with a {@link CtxfoldError} or with the signal's reason; then nothing has changed.
 */
export type Fit<Source = ModuleSource> = <M extends Messages>(
  history: M,
  options?: FitOptions<Source>,
) => Promise<FitResult<M>>;

/** The function with which a platform creates an engine, the object that runs operations of the module. */
type Create<Source> = (options: { module?: Source }, worker?: boolean) => unknown;

const FIT_CALL_OPTIONS: Names<FitCallOptions> = {
  id: true,
  policy: true,
  options: true,
  next: true,
  usage: true,
  refused: true,
  signal: true,
  timeoutMs: true,
};
const { shared: _, ...UNSHARED_OPTIONS } = FITTER_OPTIONS;
const FIT_OPTIONS: Names<FitOptions> = { ...UNSHARED_OPTIONS, ...FIT_CALL_OPTIONS };

const REMEMBERED = 256;
/** The maximum number of policies for which fitters share a pool. */
const POOLS = 64;

/** Returns the `createFitter` function for one platform, given the function that creates its compactors. */
export function fitterFactory<Source>(create: Create<Source>): CreateFitter<Source> {
  return (options = {}) => {
    checkOptions(options, FITTER_OPTIONS, "createFitter", [FIT_CALL_OPTIONS, "the call: fit(history, { * })"]);
    const { shared, ...own } = options;
    const settings = settingsOf(own);
    const kept = shared ? undefined : poolOf(create, own);
    const pool = kept ? () => kept : sharedPools(create).shared(settings, own);
    const fitter = async <M extends Messages>(history: M, call: FitCallOptions = {}) => {
      checkOptions(call, FIT_CALL_OPTIONS, "fit", [FITTER_OPTIONS, "createFitter({ * })"]);
      return pool().fit(history, settings, call);
    };
    return Object.assign(fitter, {
      close: () => kept?.close(),
    });
  };
}

/** Returns the `fit` function for one platform, given the function that creates its compactors. */
export function fitFunction<Source>(create: Create<Source>): Fit<Source> {
  return async (history, options = {}) => {
    checkOptions(options, FIT_OPTIONS, "fit");
    const { id, options: wanted, next, usage, refused, signal, timeoutMs, ...rest } = options;
    const call = { id, options: wanted, next, usage, refused, signal, timeoutMs } as FitCallOptions;
    const settings = settingsOf(rest);
    return sharedPools(create).shared(settings, rest)().fit(history, settings, call);
  };
}

/** The pools of fitters that share their memory. The keys are the functions that create compactors on a platform. */
const POOLS_OF = new WeakMap<Create<never>, Pools<never>>();

function sharedPools<Source>(create: Create<Source>): Pools<Source> {
  const known = POOLS_OF.get(create) as Pools<Source> | undefined;
  if (known) return known;
  const pools = new Pools(create);
  POOLS_OF.set(create, pools);
  return pools;
}

/** The pools of fitters that share their memory, one for all fitters with equal options. */
class Pools<Source> {
  readonly #create: Create<Source>;
  /** The pools by their options, from the least to the most recently used. */
  readonly #pools = new Map<string, Pool>();
  readonly #objectIds = new WeakMap<object, number>();
  #lastObjectId = 0;

  constructor(create: Create<Source>) {
    this.#create = create;
  }

  /**
   * Returns a function that returns the pool. It must be called again for each fit, because the pool may be removed
   * between two calls.
   */
  shared(settings: Settings, options: FitterOptions<Source>): () => Pool {
    const { log: _, prices: __, model: ___, ...policy } = settings.policy;
    const { memory, store, module, remembered, concurrency, worker } = options;
    const objects = [memory, store, module].map((each) => this.#objectIdOf(each));
    const key = JSON.stringify([policy, ...objects, remembered, concurrency, worker]);
    return () => this.#pool(key, options);
  }

  #pool(key: string, options: FitterOptions<Source>): Pool {
    const pools = this.#pools;
    const pool = pools.get(key) ?? poolOf(this.#create, options);
    pools.delete(key);
    pools.set(key, pool);
    for (const [oldest, each] of pools) {
      if (pools.size <= POOLS) break;
      if (!each.idle || each === pool) continue;
      each.close();
      pools.delete(oldest);
    }
    return pool;
  }

  /**
   * Returns a number that identifies an object. Other values are returned unchanged, except that
   * undefined and null become 0.
   */
  #objectIdOf(part: unknown): unknown {
    if (part !== Object(part)) return part ?? 0;
    const known = this.#objectIds.get(part as object);
    if (known !== undefined) return known;
    this.#objectIds.set(part as object, ++this.#lastObjectId);
    return this.#lastObjectId;
  }
}

function settingsOf(options: FitterOptions<unknown>): Settings {
  checkStores(options);
  const { store, countTokens, onCompaction, onBackgroundError, waitUntil } = options;
  const callbacks = {
    onCompaction: loggingFailures("onCompaction", onCompaction),
    onBackgroundError: loggingFailures("onBackgroundError", onBackgroundError),
    waitUntil: loggingFailures("waitUntil", waitUntil),
  };
  return { policy: policyOf(options), model: model(options), store, countTokens, ...callbacks };
}

/** Returns the policy with the three members that a caller may also pass as separate options. */
function policyOf({ policy = {}, window, model: name, format }: FitterOptions<unknown>): Policy {
  return {
    ...policy,
    ...(name !== undefined && { model: name }),
    ...(format !== undefined && { format }),
    ...(window !== undefined && { window: { ...policy.window, ...windowOf(window) } }),
  };
}

/**
 * Returns the policy's window. Throws `unknown_window` for 0, null and NaN, because in JSON NaN would become null,
 * which means no window, and `invalid_option` for any other value that is neither a positive whole number nor
 * "unlimited".
 */
function windowOf(window: unknown): PolicyWindow {
  if (window === "unlimited") return { unlimited: true };
  if (Number.isInteger(window) && (window as number) > 0) return { tokens: window as number };
  const none = window === 0 || window === null || Number.isNaN(window);
  throw new CtxfoldError(
    none ? "unknown_window" : "invalid_option",
    `window is the model's context window in tokens, such as 200_000, or "unlimited", not ${typeof window === "string" ? JSON.stringify(window) : String(window)}; policy.window has more`,
    { path: "window" },
  );
}

function poolOf<Source>(create: Create<Source>, options: FitterOptions<Source>): Pool {
  const { module, memory, remembered = memory ? MOST_REMEMBERED : REMEMBERED, concurrency, worker } = options;
  if (!(remembered >= 1)) {
    throw invalidOption("remembered must be 1 or more", "remembered");
  }
  const engine = create(module === undefined ? {} : { module }, worker) as Engine;
  return new Pool(
    engine,
    recordsOf(memory, Math.floor(remembered)),
    new Slots(concurrency ?? Number.POSITIVE_INFINITY),
  );
}

function recordsOf(memory: FitMemory | SharedMemory | undefined, remembered: number): Records {
  if (!memory) return new OwnRecords(remembered);
  return "records" in memory ? memory.records : new KeptRecords(memory, remembered);
}
