/**
 * Fits whole histories into the context window, for apps that keep their own list of messages and pass the complete
 * list each turn.
 */
import type { Engine } from "./engine.js";
import { CtxfoldError, invalidOption } from "./errors.js";
import type { FitCallOptions, FitOptions, FitResult, FitterOptions } from "./fit-options.js";
import { type Settings, settingsOf } from "./fit-settings.js";
import type { ModuleSource } from "./load.js";
import { FITTER_OPTIONS } from "./option-names.js";
import { checkOptions, type Names } from "./options.js";
import { Pool } from "./pool.js";
import { KeptRecords, MOST_REMEMBERED, OwnRecords, type Records, type SharedMemory } from "./records.js";
import { Slots } from "./slots.js";
import type { FitMemory } from "./store.js";
import type { Messages } from "./types.js";

/** A `fit` with its own options and its own memory. With the option `shared` it shares the memory. */
export interface Fitter {
  /** Works like {@link Fit}. */
  <M extends Messages>(history: M, call?: FitCallOptions): Promise<FitResult<M>>;
  /**
   * Releases the fitter's compactor in the worker of `ctxfold/worker`. Elsewhere, or if the fitter is `shared`, this
   * does nothing.
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
