/** Runs the fits that share a memory. For a conversation that certainly fits, no job is started. */
import { unlessAborted } from "./archive.js";
import { candidate, reportOf, upperBound } from "./certain.js";
import { type CountTokens, ending } from "./ending.js";
import type { Answer } from "./envelope.js";
import { CtxfoldError, invalidOption, messageOf } from "./errors.js";
import type { Model } from "./events.js";
import type { FitCallOptions, FitResult } from "./fit.js";
import type { FitJobs } from "./fit-jobs.js";
import type { Records } from "./records.js";
import type { OperationRequest } from "./session.js";
import type { Slots } from "./slots.js";
import type { Store } from "./store.js";
import { type Transcript, transcript } from "./transcript.js";
import type { Messages, Policy, Report, Same } from "./types.js";

/** An object that runs operations: a compactor in this thread or in a worker. */
export interface Engine {
  /** Resolves when the module is loaded; rejects if it can't be. */
  ready(): Promise<void>;
  /**
   * Reads a history without blocking the thread. It is undefined, or returns undefined, if blocking doesn't matter.
   */
  read?(messages: unknown): Promise<Transcript> | undefined;
  /** Runs one operation of the module. Throws or rejects with a CtxfoldError. */
  runOperation(request: OperationRequest): Answer | Promise<Answer>;
  /** Loads the code and the module that `runOperation` will need, in the background. */
  preload?(): void;
  /** Releases what the object holds. It can't be used afterwards. */
  close?(): void;
}

/** The share of the limit above which the module is preloaded, because it will be needed soon. */
const SOON = 0.5;

/** The settings of a call. */
export interface Settings {
  /** The policy of the call. */
  policy: Policy;
  /** The caller's model and callbacks. */
  model: Model;
  /** Where removed content is stored; undefined if nowhere. */
  store: Store | undefined;
  /** The caller's tokenizer. */
  countTokens: CountTokens | undefined;
  /** Called with the report of each compaction. */
  onCompaction: ((report: Report) => void) | undefined;
  /** Called with the error of a background compaction that failed. */
  onBackgroundError: ((error: unknown) => void) | undefined;
  /**
   * Called with a promise for each background compaction; the platform should keep running until it
   * resolves.
   */
  waitUntil: ((ended: Promise<void>) => void) | undefined;
}

/** The memory and everything else that calls with the same memory share. */
export class Pool {
  readonly #engine: Engine;
  readonly #records: Records;
  readonly #slots: Slots;
  /** The object that runs jobs. It is loaded for the first history that may not fit. */
  #jobs: FitJobs | undefined;
  #loading: Promise<FitJobs> | undefined;
  #calls = 0;

  constructor(engine: Engine, records: Records, slots: Slots) {
    this.#engine = engine;
    this.#records = records;
    this.#slots = slots;
  }

  get idle(): boolean {
    return this.#calls === 0 && (this.#jobs?.idle() ?? true);
  }

  close(): void {
    this.#jobs?.stop();
    this.#engine.close?.();
  }

  async fit<M extends Messages>(history: M, settings: Settings, call: FitCallOptions): Promise<FitResult<M>> {
    const { signal, timeoutMs } = call;
    const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
    this.#calls++;
    try {
      return await ending(limits, (ends) => this.#fit(history, settings, call, ends));
    } finally {
      this.#calls--;
    }
  }

  async #fit<M extends Messages>(
    history: M,
    given: Settings,
    call: FitCallOptions,
    signal: AbortSignal | undefined,
  ): Promise<FitResult<M>> {
    signal?.throwIfAborted();
    const { id = "default", policy = given.policy, options, usage, refused } = call;
    if (typeof id !== "string") {
      const given: unknown = id; // only the text of a number differs from conversation to conversation
      const what = typeof given === "number" ? `, such as "${given}", not ${given}` : `, not ${given && typeof given}`;
      throw invalidOption(`id is a string${what}`, "id");
    }
    // This is read immediately, before the caller can modify its messages.
    const certain = given.countTokens === undefined && refused === undefined;
    const plain = certain ? candidate(history, policy, options, usage) : undefined;
    const source = await (this.#engine.read?.(history) ?? transcript(history));
    const owner = id === "default" ? "" : id;
    const bound = plain ? upperBound(plain, source) : Number.POSITIVE_INFINITY;
    if (plain && bound <= plain.most && (await unlessAborted(this.#knowsNothing(owner), signal))) {
      signal?.throwIfAborted();
      if (bound > plain.most * SOON) this.#engine.preload?.();
      return { messages: history as Same<M>, report: reportOf(plain, bound, source), known: false };
    }
    this.#loading ??= this.#load();
    const jobs = await unlessAborted(this.#loading, signal);
    return jobs.fit(source, given, owner, call, signal);
  }

  async #load(): Promise<FitJobs> {
    try {
      const { FitJobs } = await import("./fit-jobs.js");
      this.#jobs = new FitJobs(this.#engine, this.#records, this.#slots);
      return this.#jobs;
    } catch (cause) {
      this.#loading = undefined; // the network may be back for the next call
      throw new CtxfoldError("load_failed", `a part of ctxfold cannot be loaded: ${messageOf(cause)}`, { cause });
    }
  }

  /** Reports whether nothing is remembered for an owner, and no background compaction is running. */
  async #knowsNothing(owner: string): Promise<boolean> {
    if (this.#records.settings.records !== "owner") return false;
    if (this.#jobs && !this.#jobs.idle(owner)) return false;
    try {
      const { record } = await this.#records.load([owner || "default"]);
      return record === undefined;
    } catch {
      return false; // the job reports it
    }
  }
}
