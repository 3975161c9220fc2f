/**
 * Runs jobs. The module makes all decisions, and this file executes the effects that the module requests
 * (docs/inside/loop.md).
 */
import { unlessAborted } from "./abort.js";
import { type Answer, type Head, valueIn } from "./envelope.js";
import { CtxfoldError, invalidOption, messageOf } from "./errors.js";
import { members } from "./json.js";
import type { Model } from "./model.js";
import { withRequestEdits } from "./prefix.js";
import type { Records } from "./records.js";
import type { Store } from "./store.js";
import { LONGEST_TIMER, requestSummary } from "./summarize.js";
import type { Transcript } from "./transcript.js";
import type { Beginning, Effect, EffectName, EffectResult, JobFailure, JobSettings, TurnNotes } from "./types.gen.js";
import type { Check, Messages, Summary, SummaryRequest } from "./types.js";
import type { CountTokens } from "./usage.js";

/** The operations of jobs. */
export type JobOperation = "loop_start" | "loop_event";

/** The functions and stores with which the effects of a job are executed. */
export interface Means {
  /** Runs an operation. `needs` is true if the operation needs the messages or the session. */
  call(op: JobOperation, head: Head, needs: boolean): Answer | PromiseLike<Answer>;
  /** The caller's model and callbacks. */
  readonly model: Model;
  /** Where removed content is stored; undefined if nowhere. */
  readonly store: Store | undefined;
  /** The remembered compactions and the leases. */
  readonly records?: Records | undefined;
  /** The caller's tokenizer. */
  readonly countTokens?: CountTokens | undefined;
  /** The messages, if they are available. */
  readonly source?: Transcript | undefined;
  /** Starts a background job, unless the running job `target` already compacts the same messages. */
  begin?(effect: Effect): void;
  /** Aborts the background job with this id. */
  stop?(target: number): void;
  /**
   * Waits until no other job is compacting the conversation; no other compaction may begin before this job has ended.
   * Resolves to the exact size of the conversation if the host has a tokenizer, otherwise to an empty object.
   */
  enter?(): Promise<Given>;
  /** Tells the conversation that a compaction is about to begin. If the promise rejects, the job ends. */
  before?(beginning: Beginning): Promise<Given>;
  /** Called with the keys of each lease that the job requests. */
  leasing?(keys: readonly string[]): void;
}

/** The result of an effect. */
export type Given = Omit<EffectResult, "id">;

/** How a job ended. */
export interface Ended {
  /** The members of the result; undefined for a turn without a compaction, or a background job with nothing to do. */
  result: Answer | undefined;
  /** The result of the check, if the job is a turn without a compaction. */
  check: Check | undefined;
  /** Notes to pass to the conversation's next turn; undefined if there are none, or if the job isn't a turn. */
  notes: TurnNotes | undefined;
  /** Whether any summary was requested. */
  asked: boolean;
  /** Whether a background compaction ended without a result. */
  nothing: boolean;
  /** The error of a store, if one has failed. */
  cause: unknown;
}

/** The latest time that the module accepts, in milliseconds since 1970. */
const MAX_TIME = 9_999_999_999_999;
/** The maximum number of concurrent requests that the module accepts. */
const MOST_AT_ONCE = 64;

/**
 * Returns the current time within the range that the module accepts, because a platform's clock may be missing or far
 * off.
 */
const now = () => Math.min(Math.max(Math.trunc(Date.now()) || 0, 0), MAX_TIME);

/** The settings of a job that compacts a transcript, instead of fitting a history. */
export const PLAN: Partial<JobSettings> = { operation: "plan" };

/** Runs a job to its end. Rejects with the job's failure or with the signal's reason; then nothing has changed. */
export function runJob(means: Means, head: Head, settings: Partial<JobSettings>, signal?: AbortSignal): Promise<Ended> {
  return new Job(means, signal).run(head, settings);
}

/**
 * Runs a job that compacts a transcript, and emits the final event. The caller replaces the transcript with the
 * result. Resolves to the members of the result; rejects like {@link runJob}.
 */
export async function runPlan(means: Means, head: Head, signal?: AbortSignal): Promise<Answer> {
  return (await runTurn(means, head, PLAN, signal)).result as Answer;
}

/**
 * Like {@link runPlan}, but for a turn of a conversation: if no compaction was due, the result is undefined. The
 * settings include {@link PLAN}.
 */
export async function runTurn(
  means: Means,
  head: Head,
  settings: Partial<JobSettings>,
  signal?: AbortSignal,
): Promise<Ended> {
  const ended = await unlessAborted(runJob(means, head, settings, signal), signal);
  if (!ended.result) return ended;
  const report = valueIn(ended.result, "report");
  await means.model.onEvent?.({ type: "done", report });
  signal?.throwIfAborted();
  return ended;
}

class Job {
  readonly #means: Means;
  readonly #signal: AbortSignal | undefined;
  /** The pending requests for summaries. */
  readonly #asked = new Map<number, AbortController>();
  /** Leases that were requested or granted, by holder. */
  readonly #leases = new Map<string, Promise<unknown>>();
  #results: EffectResult[] = [];
  #summaries: Summary[] = [];
  #wake = () => {};
  /** The error that one of the caller's functions has thrown, if it ends the job. */
  #broken: { error: unknown } | undefined;
  #outcome: Ended = {
    result: undefined,
    check: undefined,
    notes: undefined,
    asked: false,
    nothing: false,
    cause: undefined,
  };

  constructor(means: Means, signal: AbortSignal | undefined) {
    this.#means = means;
    this.#signal = signal;
  }

  async run(head: Head, settings: Partial<JobSettings>): Promise<Ended> {
    const { model, records } = this.#means;
    const mine: JobSettings = {
      ...settings,
      ...records?.settings,
      seed: Math.floor(Math.random() * 2 ** 32),
      can: this.#can(),
      concurrency: Math.min(model.concurrency, MOST_AT_ONCE),
      summary_timeout: -1, // a request may have to wait for those of other jobs
      prefix: model.prefix,
      ...(records?.settings.records === "owner" && { loaded: await this.#loaded(settings.owner || "default") }),
      now: now(),
    };
    let answer = await this.#means.call("loop_start", { ...head, settings: mine }, true);
    this.#outcome.notes = valueIn(answer, "notes");
    const abort = () => this.#wake();
    this.#signal?.addEventListener("abort", abort, { once: true });
    try {
      while (answer.has("job")) {
        const event = await this.#execute(answer);
        answer = await this.#means.call("loop_event", { job: answer.get("job"), event }, answer.has("needs_messages"));
      }
      if (hasEffects(answer)) await this.#execute(answer);
    } catch (error) {
      await this.#leave(answer);
      throw error;
    } finally {
      this.#signal?.removeEventListener("abort", abort);
    }
    const failure: JobFailure | undefined = valueIn(answer, "failure");
    if (failure) throw this.#failed(failure);
    this.#outcome.check = valueIn(answer, "check");
    const result = answer.get("result") as Uint8Array;
    if (result[0] === OPEN) this.#outcome.result = members(result);
    return this.#outcome;
  }

  #failed({ code, message, path = "", offset = 0 }: JobFailure): CtxfoldError {
    const { cause } = this.#outcome;
    return new CtxfoldError(code as CtxfoldError["code"], message, {
      path,
      offset,
      ...(cause !== undefined && { cause }),
    });
  }

  #can(): EffectName[] {
    const { model, store, records, countTokens, begin, stop, enter, before } = this.#means;
    const can: EffectName[] = ["wait", "emit", "cancel", "release"];
    if (model.summarize) can.push("ask");
    if (store) can.push("put");
    if (records) can.push("load", "save", "lease");
    if (countTokens) can.push("count");
    if (begin) can.push("begin");
    if (stop) can.push("stop");
    if (enter) can.push("enter");
    if (before) can.push("before");
    return can;
  }

  /** Ends the job prematurely: cancels pending effects and releases the job's lease. */
  async #leave(answer: Answer): Promise<void> {
    for (const controller of this.#asked.values()) controller.abort(this.#signal?.reason);
    const job = answer.get("job");
    if (!job) return;
    try {
      const last = await this.#means.call("loop_event", { job, event: { now: now(), cancel: true } }, false);
      for (const effect of effectsOf(last)) if (effect.effect === "release") this.#start(effect);
    } catch {
      // The lease will expire.
    }
  }

  /**
   * Executes the effects that the module requested. Resolves to the next event, as soon as there are results or,
   * without results, when the wait is over. Rejects if the caller aborts the job.
   */
  async #execute(answer: Answer): Promise<{ now: number; results: EffectResult[] }> {
    let until: number | undefined;
    let key: string | undefined;
    const effects = effectsOf(answer);
    await this.#emitRequests(answer, effects);
    for (const effect of effects) {
      if (effect.effect === "wait") ({ until, key } = effect);
      else this.#start(effect);
    }
    if (!answer.has("job")) return { now: 0, results: [] };
    this.#signal?.throwIfAborted();
    let over = false;
    if (this.#results.length === 0) over = await this.#waited(until, key);
    this.#signal?.throwIfAborted();
    if (this.#broken) throw this.#broken.error;
    await this.#emitSummaries();
    const results = this.#results;
    this.#results = [];
    return { now: over ? Math.max(now(), Math.min(until ?? 0, MAX_TIME)) : now(), results };
  }

  /**
   * Waits for a result or for the end of a lease, but not beyond `until`. Resolves to true if the wait has ended
   * without a result.
   */
  async #waited(until: number | undefined, key: string | undefined): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise<boolean>((resolve) => {
        this.#wake = () => resolve(false);
        if (until !== undefined) {
          const ms = Math.max(0, until - now());
          timer = setTimeout(() => resolve(ms <= LONGEST_TIMER), Math.min(ms, LONGEST_TIMER));
        }
        // A job that waits for a lease requests it again as soon as that lease ends, even if the wait is not over.
        const ended = key === undefined ? undefined : this.#means.records?.ended(key);
        ended?.then(() => resolve(true));
      });
    } finally {
      clearTimeout(timer);
      this.#wake = () => {};
    }
  }

  #start(effect: Effect): void {
    const { begin, stop } = this.#means;
    const { id, target = 0 } = effect;
    switch (effect.effect) {
      case "cancel":
        this.#asked.get(target)?.abort(new DOMException("the compaction does not need it any more", "AbortError"));
        this.#asked.delete(target);
        return;
      case "begin":
        begin?.(effect);
        return;
      case "stop":
        stop?.(target);
        return;
      case "emit":
        if (effect.notice?.name === "background_failed") this.#outcome.nothing = true;
        return;
      case "release":
        void this.#release(effect);
        return;
      case "ask":
        this.#give(id, this.#ask(effect));
        return;
      default:
        this.#give(id, this.#stored(effect));
    }
  }

  #give(id: number | undefined, work: Promise<Given>): void {
    void work.then((result) => {
      if (id === undefined) return;
      this.#results.push({ ...result, id });
      this.#wake();
    });
  }

  async #ask({ id = 0, request }: Effect): Promise<Given> {
    const { summarize, slots, timeoutMs } = this.#means.model;
    const { source } = this.#means;
    const controller = new AbortController();
    const { signal } = controller;
    const abort = () => controller.abort(this.#signal?.reason);
    if (this.#signal?.aborted) abort();
    this.#signal?.addEventListener("abort", abort, { once: true });
    this.#asked.set(id, controller);
    this.#outcome.asked = true;
    const given = await requestSummary(request as SummaryRequest, summarize, {
      timeoutMs,
      slots,
      signal,
      conversation: source && ((conversation) => withRequestEdits(source, conversation)),
    });
    this.#signal?.removeEventListener("abort", abort);
    this.#asked.delete(id);
    const { id: of } = request as SummaryRequest;
    this.#summaries.push("error" in given ? { id: of, error: given.error } : { id: of, ...given });
    return "error" in given ? given : { summary: { id: of, ...given } };
  }

  /**
   * Executes an effect that calls no model. An exception of the caller's functions and stores becomes the `error` of
   * the result.
   */
  async #stored(effect: Effect): Promise<Given> {
    const { keys = [], holder = "", ttl = 0 } = effect;
    const { records, store, enter, before } = this.#means;
    try {
      switch (effect.effect) {
        case "enter":
          return { ...(await enter?.()) };
        case "before":
          return { ...(await before?.(effect.beginning as Beginning)) };
        case "put":
          await store?.put(effect.handle as string, effect.body as string);
          return {};
        case "load":
          return { ...(await records?.load(keys)) };
        case "save":
          return { done: (await records?.save(effect)) ?? false };
        case "lease": {
          if (keys.length > 1) this.#means.leasing?.(keys);
          const granted = (async () => records?.lease(keys, holder, ttl))();
          this.#leases.set(
            holder,
            granted.catch(() => {}),
          );
          return { ...(await granted) };
        }
        case "count":
          return { tokens: this.#counted(effect) };
        default:
          return { refused: true };
      }
    } catch (cause) {
      this.#outcome.cause = cause;
      if (BREAKING.includes(effect.effect)) this.#broken = { error: cause };
      return { error: messageOf(cause) };
    }
  }

  /**
   * Releases a lease. If the request for the lease is still pending, this method waits for it first, because the lease
   * could otherwise be granted after its release.
   */
  async #release({ keys: [key] = [], holder = "" }: Effect): Promise<void> {
    await this.#leases.get(holder);
    try {
      await this.#means.records?.release(key as string, holder);
    } catch {
      // The lease will expire.
    }
  }

  async #loaded(owner: string): Promise<EffectResult> {
    return { ...(await this.#stored({ effect: "load", keys: [owner] })), id: 0 };
  }

  /**
   * Counts the tokens of the messages that will be sent, in the form in which the caller passed them. Throws
   * `invalid_option` if the tokenizer doesn't return a whole number.
   */
  #counted({ edits, messages }: Effect): number {
    const { source, countTokens } = this.#means;
    const [name, value] = edits ? ["edits", edits] : ["messages", messages];
    const sent = source?.restore(new Map([[name as string, new TextEncoder().encode(JSON.stringify(value))]]));
    const total = countTokens?.(sent as Messages) as number;
    if (Number.isSafeInteger(total) && total >= 0) return total;
    throw invalidOption(`countTokens must give a whole number, not ${total}`, "countTokens");
  }

  /**
   * Emits an event with the requests for summaries, before they are made. Does nothing if there are none, or no
   * listener.
   */
  async #emitRequests(answer: Answer, effects: readonly Effect[]): Promise<void> {
    const { onEvent } = this.#means.model;
    const requests = effects.flatMap(({ request }) => (request ? [request as SummaryRequest] : []));
    const job = answer.get("job");
    if (!onEvent || requests.length === 0 || !job) return;
    await onEvent({ type: "requests", plan: valueIn(members(job), "plan"), requests });
  }

  /** Emits an event with the summaries, unless a request is still pending. */
  async #emitSummaries(): Promise<void> {
    if (this.#summaries.length === 0 || this.#asked.size > 0) return;
    const summaries = this.#summaries;
    this.#summaries = [];
    await this.#means.model.onEvent?.({ type: "summaries", summaries });
  }
}

/** The effects whose failure ends the job: those that call functions of the caller other than those of its stores. */
const BREAKING: readonly EffectName[] = ["count", "enter", "before"];

const OPEN = 0x7b;

const effectsOf = (answer: Answer): Effect[] => valueIn(answer, "effects");

/** Reports whether an answer has effects: it is longer than `[]`. */
const hasEffects = (answer: Answer) => (answer.get("effects") as Uint8Array).length > 2;
