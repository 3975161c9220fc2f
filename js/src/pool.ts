/** Runs the fits that share a memory. For a conversation that certainly fits, no job is started. */
import { unlessAborted } from "./abort.js";
import { candidate, reportOf, upperBound } from "./certain.js";
import { ending } from "./ending.js";
import type { Engine } from "./engine.js";
import { CtxfoldError, invalidOption, messageOf } from "./errors.js";
import type { FitJobs } from "./fit-jobs.js";
import type { FitCallOptions, FitResult } from "./fit-options.js";
import type { Settings } from "./fit-settings.js";
import type { Records } from "./records.js";
import type { Slots } from "./slots.js";
import { transcript } from "./transcript.js";
import type { Messages, Same } from "./types.js";

/**
 * The module is preloaded for a history that may take more than this share of the limit, because it will be needed
 * soon.
 */
const SOON = 0.5;

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

  /** Whether no call and no background compaction is running, so that the pool can be closed. */
  get idle(): boolean {
    return this.#calls === 0 && (this.#jobs?.idle() ?? true);
  }

  /** Aborts background compactions and releases the engine. The pool cannot be used afterwards. */
  close(): void {
    this.#jobs?.stop();
    this.#engine.close?.();
  }

  /**
   * Fits a history and returns the messages to send. Rejects with a CtxfoldError, with the signal's reason, or with a
   * `TimeoutError` after `timeoutMs`.
   */
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
