/** What to send for a whole history, for apps that keep their own list of messages and give all of it each turn. */
import type { CompactorOptions } from "./compactor-options.js";
import type { Counted } from "./ending.js";
import { CtxfoldError } from "./errors.js";
import { model } from "./events.js";
import type { ModuleSource } from "./load.js";
import { FITTER_OPTIONS } from "./option-names.js";
import { checkMemory, checkOptions, type Names } from "./options.js";
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
import { telling } from "./tell.js";
import type { Body, CallOptions, Format, Messages, Policy, PolicyWindow, Report, Same } from "./types.js";
import type { Next } from "./uses.js";

/** How a fitter is made: as a compactor, without a state, since that is remembered with each compaction. */
export interface FitterOptions<Source = ModuleSource> extends Omit<CompactorOptions, "state" | "module"> {
  /** The module, or what it is made of; without it, the package's own. */
  module?: Source;
  /** The model's context window in tokens: `policy.window.tokens`. `"unlimited"` says that there is none: `policy.window.unlimited`. */
  window?: number | "unlimited";
  /** The model that the messages are for: `policy.model`. Its window counts where none is given. */
  model?: string;
  /** The wire format: `policy.format`. */
  format?: Format | "auto";
  /** Where compactions are remembered; without it, in this process. In a page `indexedDBStore()` remembers them after a reload. */
  memory?: FitMemory | SharedMemory;
  /**
   * How many compactions are remembered under each `id`: the newest 64, which is also the most. In this process it is also how many ids are
   * known, by default 256: the one that was used longest ago is forgotten first. A `SharedMemory` has limits of its own.
   */
  remembered?: number;
  /**
   * Remembers together with `fit`, and with all fitters that have this option and an equal policy (window, model and format included),
   * `remembered` and `concurrency`, and the very same `memory`, `store` and `module`: for code that makes a fitter for each call.
   * Default false: a memory of its own.
   */
  shared?: boolean;
  /**
   * In a page the work is done in a worker that all fitters share, and in the page where no worker can be started, or where `module` is
   * one that cannot cross (a `Response`, a promise, what `load` gave). False keeps it in the page. Elsewhere it is without effect. Default true.
   */
  worker?: boolean;
  /** Is told after each compaction that was made; not where an earlier one was found. */
  onCompaction?: (report: Report) => void;
  /** Is told what a compaction in the background has failed with. An abort, or a model that gives no summary, is no such error. */
  onBackgroundError?: (error: unknown) => void;
  /**
   * Is given each compaction that begins in the background, as a promise that resolves when it has ended and never rejects: an edge worker
   * hands it to the `waitUntil` of its platform, which freezes it otherwise.
   */
  waitUntil?: (ended: Promise<void>) => void;
}

/** What counts for one call. */
export interface FitCallOptions {
  /**
   * Names the conversation, or the user whose it is: what is remembered under one id is never used for another. A server of
   * several users gives one; an app of one user needs none, since conversations are told apart by what is in them.
   */
  id?: string;
  /** In place of the fitter's own. */
  policy?: Policy;
  options?: CallOptions | undefined;
  /**
   * The model and the provider that are asked next, for `policy.gate.idle`. Without it the model is that of a request body, or the policy's. How
   * long the conversation was idle is measured; a caller who knows it better says so in `options.idle`.
   */
  next?: Next;
  /** What the provider counted for the last call, of what was sent then; `message` is an index of the history. */
  usage?: Counted | null | undefined;
  /** Ends the call: it rejects with the signal's reason, and nothing is remembered. */
  signal?: AbortSignal | null | undefined;
  /** The longest that the call may take, in milliseconds; then it ends in the same way, with a `TimeoutError`. */
  timeoutMs?: number;
}

export type FitOptions<Source = ModuleSource> = Omit<FitterOptions<Source>, "shared"> & FitCallOptions;

/** What to send. */
export interface FitResult<M extends Messages> {
  /**
   * In the kind that was given. What is kept are your own messages as you have just given them, cache breakpoints included; the very same
   * list where there is nothing to do.
   */
  messages: Same<M>;
  report: Report;
  /** An earlier compaction is in place of the history's beginning. `report.changed` reports whether one was made in this call. */
  known: boolean;
  /** What was removed, where the policy asks for it. A `store` has it already. */
  archive?: Body[];
  /**
   * Where a compaction of this history runs in the background (`policy.gate.start`): resolves when it has ended, and never rejects. An edge
   * worker gives it to `waitUntil`. Later calls find what it has made; where the process ends before, they make it again.
   */
  background?: Promise<void>;
}

/** A `fit` with options of its own, and a memory of its own unless they say `shared`. */
export interface Fitter {
  /** As {@link Fit}. */
  <M extends Messages>(history: M, call?: FitCallOptions): Promise<FitResult<M>>;
  /** Gives the place in the worker back, of `ctxfold/worker`; elsewhere, and where it is `shared`, there is nothing to return. */
  close(): void;
}

/**
 * Makes a {@link Fit} that has these options for all of its calls, and a memory of its own. For an app that has one place to make it;
 * else `fit` does the same, and so does a fitter that is `shared`.
 */
export type CreateFitter<Source = ModuleSource> = (options?: FitterOptions<Source>) => Fitter;

/**
 * Returns what to send for a whole history: where an earlier call has compacted its beginning, the result is in its place, and the list is
 * compacted when that is due. The app keeps its own list, and gives all of it each turn; it may also continue from what it was given. A
 * beginning is known by what the model sees of it: texts, tool calls, results. Marks of a prompt cache, metadata, ids and dates may change
 * from call to call. Calls of one conversation at the same time, with one memory, make one compaction: in one process, and with Web Locks in all
 * pages of an origin and all threads of a program.
 *
 * Compactions are remembered for calls that have an equal policy (window, model and format included), and the very same `memory`, `store`
 * and `module`: make these once, not in each call. `summarize` and the other functions may be others each time. Of more than 64 different
 * policies, the one that was used longest ago is forgotten with all of its compactions.
 *
 * With `policy.gate.start` a compaction is begun before it is due, and calls continue without it: only at the limit one waits for it.
 * Without a `store` that needs a policy without `archive`. With `policy.gate.idle` a conversation is compacted below the limit where its
 * prompt cache is cold.
 *
 * Where `summarize` fails, the digest is made without a model, and made again by a later call: after a minute, and after longer each time
 * that it fails again, up to an hour.
 *
 * Rejects with a {@link CtxfoldError}, or with the signal's reason; nothing has changed then.
 */
export type Fit<Source = ModuleSource> = <M extends Messages>(
  history: M,
  options?: FitOptions<Source>,
) => Promise<FitResult<M>>;

/** Makes what answers operations, over a module. */
type Create<Source> = (options: { module?: Source }, worker?: boolean) => unknown;

const FIT_CALL_OPTIONS: Names<FitCallOptions> = {
  id: true,
  policy: true,
  options: true,
  next: true,
  usage: true,
  signal: true,
  timeoutMs: true,
};
const { shared: _, ...UNSHARED_OPTIONS } = FITTER_OPTIONS;
const FIT_OPTIONS: Names<FitOptions> = { ...UNSHARED_OPTIONS, ...FIT_CALL_OPTIONS };

const REMEMBERED = 256;
/** How many different policies are remembered for by those who share. */
const POOLS = 64;

/** The factory over the compactors of one platform. */
export function fitterFactory<Source>(create: Create<Source>): CreateFitter<Source> {
  return (options = {}) => {
    checkOptions(options, FITTER_OPTIONS, "createFitter", [FIT_CALL_OPTIONS, "the call: fit(history, { * })"]);
    const { shared, ...own } = options;
    const settings = settingsOf(own);
    const pool = shared ? sharedPools(create).shared(settings, own) : ownPool(create, own);
    const fitter = async <M extends Messages>(history: M, call: FitCallOptions = {}) => {
      checkOptions(call, FIT_CALL_OPTIONS, "fit", [FITTER_OPTIONS, "createFitter({ * })"]);
      return pool().fit(history, settings, call);
    };
    return Object.assign(fitter, {
      close: () => {
        if (!shared) pool().close();
      },
    });
  };
}

/** The free function over the compactors of one platform. */
export function fitFunction<Source>(create: Create<Source>): Fit<Source> {
  return async (history, options = {}) => {
    checkOptions(options, FIT_OPTIONS, "fit");
    const { id, options: wanted, next, usage, signal, timeoutMs, ...rest } = options;
    const settings = settingsOf(rest);
    return sharedPools(create)
      .shared(settings, rest)()
      .fit(history, settings, {
        options: wanted,
        usage,
        signal,
        ...(id !== undefined && { id }),
        ...(next !== undefined && { next }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
  };
}

function ownPool<Source>(create: Create<Source>, options: FitterOptions<Source>): () => Pool {
  const pool = poolOf(create, options);
  return () => pool;
}

/** The pools of those who share, by the compactors of their platform. */
const POOLS_OF = new WeakMap<Create<never>, Pools<never>>();

function sharedPools<Source>(create: Create<Source>): Pools<Source> {
  const known = POOLS_OF.get(create) as Pools<Source> | undefined;
  if (known) return known;
  const pools = new Pools(create);
  POOLS_OF.set(create, pools);
  return pools;
}

/** One pool for all who have equal options. */
class Pools<Source> {
  readonly #create: Create<Source>;
  /** The one that was used last is the last. */
  readonly #pools = new Map<string, Pool>();
  readonly #numbers = new WeakMap<object, number>();
  #objects = 0;

  constructor(create: Create<Source>) {
    this.#create = create;
  }

  /** A pool that may be forgotten between two calls: it is looked for at each. */
  shared(settings: Settings, options: FitterOptions<Source>): () => Pool {
    const { log: _, prices: __, model: ___, ...policy } = settings.policy;
    const { memory, store, module, remembered, concurrency, worker } = options;
    const objects = [memory, store, module].map((each) => this.#numberOf(each));
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

  #numberOf(part: unknown): unknown {
    if (part !== Object(part)) return part ?? 0;
    const known = this.#numbers.get(part as object);
    if (known !== undefined) return known;
    this.#numbers.set(part as object, ++this.#objects);
    return this.#objects;
  }
}

function settingsOf(options: FitterOptions<unknown>): Settings {
  const { memory, store, countTokens, onCompaction, onBackgroundError, waitUntil } = options;
  checkMemory(memory);
  const told = {
    onCompaction: telling("onCompaction", onCompaction),
    onBackgroundError: telling("onBackgroundError", onBackgroundError),
    waitUntil: telling("waitUntil", waitUntil),
  };
  return { policy: policyOf(options), model: model(options), store, countTokens, ...told };
}

/** The policy as a caller has written it, who may give three of its keys by themselves. */
function policyOf({ policy = {}, window, model: name, format }: FitterOptions<unknown>): Policy {
  return {
    ...policy,
    ...(name !== undefined && { model: name }),
    ...(format !== undefined && { format }),
    ...(window !== undefined && { window: { ...policy.window, ...windowOf(window) } }),
  };
}

/** In JSON a number that is none would be null, and so no window at all. */
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
    throw new CtxfoldError("invalid_option", "remembered must be 1 or more", { path: "remembered" });
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
