/** One history that `fit` is given, and the operations of the module on it. */
import { type Counted, type CountTokens, optionsOf, usageOf } from "./ending.js";
import { type Answer, type HeadOf, valuesOf } from "./envelope.js";
import type { Model } from "./events.js";
import type { Fitted } from "./fit.js";
import { decode } from "./json.js";
import type { Asked, Printed, Remembered } from "./memories.js";
import { redactions } from "./redact.js";
import type { Ask } from "./session.js";
import type { Store } from "./store.js";
import type { Transcript } from "./transcript.js";
import type { Options } from "./types.gen.js";
import type { Body, CallOptions, Messages, Operation, Policy, Report, Same, Summary } from "./types.js";
import { chilled, chills, type Next, type Use } from "./uses.js";

/** What answers operations: a compactor, here or in a worker. */
export interface Asking {
  ready(): Promise<void>;
  /** Reads a history without blocking whoever waits meanwhile; undefined where it may be read in one go. */
  read?(messages: unknown): Promise<Transcript> | undefined;
  ask(ask: Ask): Answer | Promise<Answer>;
  close?(): void;
}

/** What a call is made with. */
export interface Settings {
  policy: Policy;
  model: Model;
  store: Store | undefined;
  countTokens: CountTokens | undefined;
  onCompaction: ((report: Report) => void) | undefined;
  onBackgroundError: ((error: unknown) => void) | undefined;
  waitUntil: ((ended: Promise<void>) => void) | undefined;
}

/** What the module describes a history before anything is compacted. */
interface Told extends Printed {
  model?: string;
}

/** One history, and the operations on it. */
export class Fitting implements Asked {
  readonly id: string;
  readonly settings: Settings;
  readonly #asking: Asking;
  readonly #source: Transcript;
  readonly #policy: Policy;
  #options: Options;
  #told: Promise<Told> | undefined;

  private constructor(id: string, asking: Asking, source: Transcript, settings: Settings, options: Options) {
    this.id = id;
    this.settings = settings;
    this.#asking = asking;
    this.#source = source;
    this.#policy = settings.policy;
    this.#options = options;
  }

  /** `options` are what the caller wants. */
  static of(id: string, asking: Asking, source: Transcript, settings: Settings, options?: CallOptions): Fitting {
    const { store, model } = settings;
    const own = optionsOf(options, source, {
      store,
      local: !model.summarize,
      prefix: model.prefix,
      redact: redactions(model.redact, source.piece),
    });
    return new Fitting(id, asking, source, settings, own);
  }

  /** The prints of the first message, of the first two, and so on. */
  async prints(): Promise<readonly string[]> {
    return (await this.printed()).prints;
  }

  printed(): Promise<Told> {
    this.#told ??= this.#ask("prints", { policy: this.#policy, options: this.#options }).then(
      (answer) => valuesOf(answer) as unknown as Told,
    );
    return this.#told;
  }

  /** The model that the request body names, or the policy. */
  async model(): Promise<string | undefined> {
    return (await this.printed()).model ?? this.#policy.model;
  }

  /** Whether the prompt cache is asked about. */
  get chills(): boolean {
    return chills(this.#policy);
  }

  /** Carries over what is known about the prompt cache. */
  chill(last: Use | undefined, next: Next, now: number): void {
    const { idle, cold } = chilled(this.#options, last, next, now);
    this.#options = { ...this.#options, ...(idle && { idle }), ...(cold && { cold }) };
  }

  /** `tried` are the tokens for which a compaction in the background came to nothing. */
  async begin(known: readonly Remembered[], usage: Counted | null | undefined, tried = 0): Promise<Answer> {
    const { countTokens } = this.settings;
    const counted = usage ?? (countTokens && usageOf(countTokens, await this.#recalled(known)));
    const options = { ...this.#options, ...(counted && { usage: counted }), ...(tried > 0 && { tried }) };
    return this.#ask("fit", { policy: this.#policy, options, memory: listOf(known) });
  }

  step(plan: Uint8Array, summaries: readonly Summary[], known: readonly Remembered[]): Promise<Answer> {
    return this.#ask("step", { plan, summaries, memory: listOf(known) });
  }

  /** The same for a compaction in the background: over the history as it is now, whatever the caller does to its bytes. */
  inBackground(): Fitting {
    const { piece } = this.#source;
    const source = { ...this.#source, ...(piece instanceof Uint8Array && { piece: piece.slice() }) };
    return new Fitting(this.id, this.#asking, source, this.settings, { ...this.#options, background: true });
  }

  /** The same where the model has failed just before: it is not asked. */
  paused(): Fitting {
    const summarize = () =>
      Promise.reject(new Error("the model has failed just before, and is not asked again so soon"));
    const model = { ...this.settings.model, summarize };
    return new Fitting(this.id, this.#asking, this.#source, { ...this.settings, model }, this.#options);
  }

  /** What is compacted. */
  get source(): Transcript {
    return this.#source;
  }

  report(answer: Answer): Report {
    return JSON.parse(decode(answer.get("report") as Uint8Array));
  }

  changed(answer: Answer): boolean {
    return this.report(answer).changed;
  }

  /** Whether a compaction should be begun in the background, of which nothing would be lost. */
  starts(answer: Answer): boolean {
    return answer.has("start") && this.background;
  }

  /** Whether compactions may run in the background. What they remove needs a store, where it should be kept. */
  get background(): boolean {
    const { model, store } = this.settings;
    const { gate, archive } = this.#policy;
    return model.summarize !== undefined && (gate?.start ?? 0) > 0 && (store !== undefined || !archive);
  }

  /** The index of the entry that was used, or -1. */
  known(answer: Answer): number {
    return JSON.parse(decode(answer.get("known") as Uint8Array));
  }

  result<M extends Messages>(answer: Answer): Fitted<M> {
    const { report, archive } = valuesOf(answer, "messages", "edits", "memory", "state", "requests", "start");
    return {
      messages: this.#source.restore(answer) as Same<M>,
      report: report as Report,
      known: this.known(answer) >= 0,
      ...(archive !== undefined && { archive: archive as Body[] }),
    };
  }

  /** What would be sent if nothing more were done. */
  async #recalled(known: readonly Remembered[]): Promise<Messages> {
    const options = { answer: this.#source.answer, only_known: true };
    const head = { policy: this.#policy, options, memory: listOf(known) };
    return this.#source.restore(await this.#ask("fit", head)) as Messages;
  }

  async #ask<Op extends Operation>(op: Op, head: HeadOf<Op>): Promise<Answer> {
    return this.#asking.ask({ op, head, source: this.#source });
  }
}

/** The request's member `memory`. */
function listOf(known: readonly Remembered[]): Uint8Array | undefined {
  if (known.length === 0) return undefined;
  return new TextEncoder().encode(`[${known.map(({ json }) => json).join()}]`);
}
