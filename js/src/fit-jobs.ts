/** Runs the jobs of fits that share a memory. It is loaded for the first conversation that may not fit. */
import { unlessAborted } from "./abort.js";
import { optionsOf } from "./ending.js";
import type { Engine, OperationRequest } from "./engine.js";
import { type Answer, type Head, valueIn } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { failureOf, overflowOf } from "./failure.js";
import type { FitCallOptions, FitResult } from "./fit-options.js";
import type { Settings } from "./fit-settings.js";
import { type Ended, type Means, runJob } from "./loop.js";
import type { Records } from "./records.js";
import { redactions } from "./redact.js";
import type { Slots } from "./slots.js";
import type { Transcript } from "./transcript.js";
import type { Effect, JobSettings } from "./types.gen.js";
import type { Body, Messages, Report, Same } from "./types.js";

/** A compaction that runs in the background. */
interface Running {
  /** Whose history it compacts. */
  readonly owner: string;
  /** Aborts the compaction. */
  readonly controller: AbortController;
  /** Resolves when the compaction has ended; never rejects. */
  readonly ended: Promise<void>;
  /** The keys of its lease. */
  keys: readonly string[];
}

/** A history and everything that is needed to compact it. */
interface FitContext {
  /** Identifies whose history it is. */
  readonly owner: string;
  /** The members that all requests about the history share. */
  readonly head: Head;
  /** The history. */
  readonly source: Transcript;
  /** The settings of the call. */
  readonly settings: Settings;
}

/** Runs the jobs of one memory: those that calls wait for, and those in the background. */
export class FitJobs {
  readonly #engine: Engine;
  readonly #records: Records;
  readonly #slots: Slots;
  readonly #background = new Map<number, Running>();
  #begun = 0;

  constructor(engine: Engine, records: Records, slots: Slots) {
    this.#engine = engine;
    this.#records = records;
    this.#slots = slots;
  }

  /** Reports whether no background compaction is running, for the given owner or, without an owner, for anyone. */
  idle(owner?: string): boolean {
    return [...this.#background.values()].every((running) => owner !== undefined && running.owner !== owner);
  }

  /** Aborts all background compactions. */
  stop(): void {
    for (const { controller } of this.#background.values()) controller.abort();
  }

  /**
   * Fits a history and returns the messages to send. `source` is the history, `given` are the fitter's settings, and
   * `owner` identifies whose history it is. Rejects if the operation fails, or with the signal's reason.
   */
  async fit<M extends Messages>(
    source: Transcript,
    given: Settings,
    owner: string,
    { policy = given.policy, options, next, usage, refused }: FitCallOptions,
    signal: AbortSignal | undefined,
  ): Promise<FitResult<M>> {
    const settings = { ...given, policy, model: { ...given.model, slots: this.#slots } };
    const redact = redactions(settings.model.redact, source.piece);
    const { answer } = source;
    const head = { policy, options: optionsOf(options, { answer, usage: usage ?? undefined }, { redact }) };
    const context = { owner, head, source, settings };
    await unlessAborted(this.#engine.ready(), signal);
    const refusal =
      refused === undefined ? undefined : ((await overflowOf(refused, this.#engine)) ?? failureOf(refused));
    let background: Promise<void> | undefined;
    const begin = (effect: Effect) => {
      background = this.#begin(context, effect);
    };
    const means = { ...this.#meansOf(context), begin, stop: (target: number) => this.#stop(target) };
    const running = [...this.#background]
      .filter(([, { owner, keys }]) => owner === context.owner && keys.length > 0)
      .map(([of, { keys }]) => ({ id: of, keys: [...keys] }));
    const called = { ...(next?.model && { model: next.model }), ...(next?.provider && { provider: next.provider }) };
    const job = runJob(means, head, { owner: context.owner, running, ...called, ...(refusal && { refusal }) }, signal);
    const { result } = await unlessAborted(
      job.then((ended) => this.#announce(context, ended, signal)),
      signal,
    );
    return {
      messages: source.restore(result as Answer) as Same<M>,
      report: valueIn(result as Answer, "report") as Report,
      known: valueIn(result as Answer, "known") >= 0,
      ...(result?.has("archive") && { archive: valueIn(result, "archive") as Body[] }),
      ...(background && { background }),
    };
  }

  #meansOf({ source, settings }: FitContext): Means {
    const { model, store, countTokens } = settings;
    const call = (op: OperationRequest["op"], head: Head, needs: boolean) =>
      this.#engine.runOperation({ op, head, source: needs ? source : undefined });
    return { call, model, store, countTokens, source, records: this.#records };
  }

  /** Emits `done` and calls `onCompaction` for a compaction that this job has made. */
  async #announce({ settings }: FitContext, ended: Ended, signal?: AbortSignal): Promise<Ended> {
    const { result, asked, nothing } = ended;
    if (!result || nothing) return ended;
    const report: Report = valueIn(result, "report");
    if (!report.changed && !asked) return ended;
    await settings.model.onEvent?.({ type: "done", report });
    signal?.throwIfAborted();
    if (report.changed) settings.onCompaction?.(report);
    return ended;
  }

  /**
   * Starts a compaction in the background. It compacts a copy of the history, because the caller may modify the bytes
   * that it has passed. Returns a promise that resolves when the compaction has ended. If the compaction that the
   * module names as `target` is still running, none is started, and the promise of the running one is returned.
   */
  #begin(context: FitContext, { settings = { now: 0 }, target = 0 }: Effect): Promise<void> | undefined {
    const known = this.#background.get(target);
    if (known) return known.ended;
    const { source } = context;
    const { piece } = source;
    const own = { ...context, source: piece instanceof Uint8Array ? { ...source, piece: piece.slice() } : source };
    const controller = new AbortController();
    const id = ++this.#begun;
    const ended = this.#compactInBackground(own, settings, controller.signal, (keys) => {
      running.keys = keys;
    }).finally(() => this.#background.delete(id));
    const running: Running = { owner: context.owner, controller, ended, keys: [] };
    this.#background.set(id, running);
    own.settings.waitUntil?.(ended);
    return ended;
  }

  async #compactInBackground(
    context: FitContext,
    { now: _, seed: __, can: ___, ...settings }: JobSettings,
    signal: AbortSignal,
    leasing: NonNullable<Means["leasing"]>,
  ): Promise<void> {
    const { onBackgroundError } = context.settings;
    try {
      await Promise.resolve(); // let the caller's code run first
      const ended = await runJob({ ...this.#meansOf(context), leasing }, context.head, settings, signal);
      await this.#announce(context, ended, signal);
      const { nothing, cause } = ended;
      if (nothing && cause !== undefined) {
        const message = "a compaction in the background came to nothing: what it removed could not be stored";
        onBackgroundError?.(new CtxfoldError("store_failed", message, { cause }));
      }
    } catch (error) {
      if (!signal.aborted) onBackgroundError?.(error);
    }
  }

  #stop(target: number): void {
    this.#background.get(target)?.controller.abort();
  }
}
