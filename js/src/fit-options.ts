/** The options and the result of a fit. */
import type { CompactorOptions } from "./compactor-options.js";
import type { ModuleSource } from "./load.js";
import type { SharedMemory } from "./records.js";
import type { FitMemory } from "./store.js";
import type { Body, CallOptions, Format, Messages, Policy, Report, Same } from "./types.js";
import type { Counted } from "./usage.js";
import type { NextCall } from "./uses.js";

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
  /** The options for this call. */
  options?: CallOptions | undefined;
  /**
   * The model and the provider that will be called next, for `policy.gate.idle`. By default, the model is that of the
   * request body or of the policy. The idle time is measured; a caller who knows it better can set `options.idle`.
   */
  next?: NextCall;
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

/** Options of `fit`: those of a fitter and those of one call. */
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
