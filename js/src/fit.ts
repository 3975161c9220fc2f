/** What to send for a whole history, for apps that keep their own list of messages and give all of it each turn. */
import { keep, unlessAborted } from "./archive.js";
import { COMPACTOR_OPTIONS, type CompactorOptions } from "./compactor.js";
import { type Counted, type CountTokens, ending, usageOf } from "./ending.js";
import { type Answer, type Head, requestsOf, valuesOf } from "./envelope.js";
import { CtxfoldError } from "./errors.js";
import { type Model, model, replies } from "./events.js";
import { decode, members } from "./json.js";
import { type FitMemory, find, KeptMemories, type Memories, OwnMemories, type Remembered } from "./memories.js";
import { checkOptions, type Names } from "./options.js";
import type { Ask } from "./session.js";
import { Slots } from "./slots.js";
import type { Store } from "./store.js";
import { type Transcript, transcript } from "./transcript.js";
import type { Body, Format, Messages, Policy, Report, Same } from "./types.js";

/** How a fitter is made: as a compactor, without a state, since that is remembered with each compaction. */
export interface FitterOptions extends Omit<CompactorOptions, "state"> {
  /** The model's context window in tokens: `policy.window.tokens`. */
  window?: number;
  /** The model that the messages are for: `policy.model`. Its window counts where none is given. */
  model?: string;
  /** The wire format: `policy.format`. */
  format?: Format;
  /** Where compactions are remembered; without it, in this process. */
  memory?: FitMemory;
  /**
   * How many compactions are remembered: in this process 256, and the one that was used longest ago is forgotten first; in a `memory`
   * the newest 64 under each key, which is also the most.
   */
  remembered?: number;
  /** Is told after each compaction that was made; not where an earlier one was found. */
  onCompaction?: (report: Report) => void;
}

/** What counts for one call. */
export interface FitCall {
  /**
   * Names the conversation, or the user whose it is: what is remembered under one id is never used for another. A server of
   * several users gives one; an app of one user needs none, since conversations are told apart by what is in them.
   */
  id?: string;
  /** In place of the fitter's own. */
  policy?: Policy;
  /** What the provider counted for the last call, of what was sent then; `message` is an index of the history. */
  usage?: Counted | null | undefined;
  /** Ends the call: it rejects with the signal's reason, and nothing is remembered. */
  signal?: AbortSignal | null | undefined;
  /** The longest that the call may take, in milliseconds; then it ends in the same way, with a `TimeoutError`. */
  timeoutMs?: number;
}

export type FitOptions = FitterOptions & FitCall;

/** What to send. */
export interface Fitted<M extends Messages> {
  /**
   * In the kind that was given. What is kept are your own messages as you have just given them, marks of a prompt cache included; the very
   * same list where there is nothing to do.
   */
  messages: Same<M>;
  report: Report;
  /** An earlier compaction stands in the place of the history's beginning. `report.changed` tells whether one was made in this call. */
  known: boolean;
  /** What was taken out, where the policy asks for it. A `store` has it already. */
  archive?: Body[];
}

/** A `fit` with options and a memory of its own. */
export interface Fitter {
  /** As {@link Fit}. */
  <M extends Messages>(history: M, call?: FitCall): Promise<Fitted<M>>;
  /** Gives the place in the worker back, of `ctxfold/worker`; elsewhere there is nothing to give back. */
  close(): void;
}

/**
 * Makes a {@link Fit} that has these options for all of its calls, and a memory of its own. For an app that has one place to make it;
 * else `fit` does the same.
 */
export type CreateFitter = (options?: FitterOptions) => Fitter;

/**
 * Tells what to send for a whole history: where an earlier call has compacted its beginning, the result stands in its place, and the
 * list is compacted when that is due. The app keeps its own list, and gives all of it each turn; it may also go on from what
 * it was given. A beginning is known by what the model sees of it: texts, tool calls, results. Marks of a prompt cache, metadata, ids and
 * dates may change from call to call. Calls of one conversation at the same time make one compaction.
 *
 * Compactions are remembered for calls that have an equal policy (window, model and format included), and the very same `memory`, `store`
 * and `module`: make these once, not in each call. `summarize` and the other functions may be others each time.
 *
 * Rejects with a {@link CtxfoldError}, or with the signal's reason; nothing has changed then.
 */
export type Fit = <M extends Messages>(history: M, options?: FitOptions) => Promise<Fitted<M>>;

/** What answers operations: a compactor, here or in a worker. */
export interface Asking {
  ready(): Promise<void>;
  ask(ask: Ask): Answer | Promise<Answer>;
  close?(): void;
}

const { state: _, ...MAKING } = COMPACTOR_OPTIONS;
const FITTER_OPTIONS: Names<FitterOptions> = {
  ...MAKING,
  window: true,
  model: true,
  format: true,
  memory: true,
  remembered: true,
  onCompaction: true,
};
const FIT_CALL: Names<FitCall> = { id: true, policy: true, usage: true, signal: true, timeoutMs: true };
const FIT_OPTIONS: Names<FitOptions> = { ...FITTER_OPTIONS, ...FIT_CALL };

const REMEMBERED = 256;
/** The module reads no more of a list. */
const REMEMBERED_KEPT = 64;
/** How many different policies the free function remembers for. */
const POOLS = 64;

/** The factory over the compactors of one platform. */
export function fitters(create: (options: Pick<FitterOptions, "module">) => unknown): CreateFitter {
  return (options = {}) => {
    checkOptions(options, FITTER_OPTIONS, "createFitter");
    const settings = settingsOf(options);
    const pool = poolOf(create, options);
    const fitter = async <M extends Messages>(history: M, call: FitCall = {}) => {
      checkOptions(call, FIT_CALL, "fit");
      return pool.fit(history, settings, call);
    };
    return Object.assign(fitter, { close: () => pool.close() });
  };
}

/** The free function over the compactors of one platform. */
export function freeFit(create: (options: Pick<FitterOptions, "module">) => unknown): Fit {
  /** The one that was used last is the last. */
  const pools = new Map<string, Pool>();
  const numbers = new WeakMap<object, number>();
  let objects = 0;
  const numberOf = (part: unknown): unknown => {
    if (part !== Object(part)) return part ?? 0;
    const known = numbers.get(part as object);
    if (known !== undefined) return known;
    numbers.set(part as object, ++objects);
    return objects;
  };
  return async (history, options = {}) => {
    checkOptions(options, FIT_OPTIONS, "fit");
    const { id, usage, signal, timeoutMs, ...rest } = options;
    const settings = settingsOf(rest);
    const { force: _, log: __, prices: ___, ...policy } = settings.policy;
    const { memory, store, module, remembered, concurrency } = rest;
    const key = JSON.stringify([policy, ...[memory, store, module].map(numberOf), remembered, concurrency]);
    const pool = pools.get(key) ?? poolOf(create, rest);
    pools.delete(key);
    pools.set(key, pool);
    for (const [oldest, { idle }] of pools) {
      if (pools.size <= POOLS) break;
      if (idle) pools.get(oldest)?.close();
      if (idle) pools.delete(oldest);
    }
    return pool.fit(history, settings, {
      usage,
      signal,
      ...(id !== undefined && { id }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  };
}

/** What a call is made with. */
interface Settings {
  policy: Policy;
  model: Model;
  store: Store | undefined;
  countTokens: CountTokens | undefined;
  onCompaction: ((report: Report) => void) | undefined;
}

function settingsOf(options: FitterOptions): Settings {
  const { window, model: name, format, policy = {}, store, countTokens, onCompaction } = options;
  if (window !== undefined && typeof window !== "number") {
    throw new CtxfoldError("invalid_option", "window is a number of tokens; policy.window has more", {
      path: "window",
    });
  }
  return {
    policy: {
      ...policy,
      ...(name !== undefined && { model: name }),
      ...(format !== undefined && { format }),
      ...(window !== undefined && { window: { ...policy.window, tokens: window } }),
    },
    model: model(options),
    store,
    countTokens,
    onCompaction,
  };
}

function poolOf(create: (options: Pick<FitterOptions, "module">) => unknown, options: FitterOptions): Pool {
  const { module, memory, remembered = memory ? REMEMBERED_KEPT : REMEMBERED, concurrency } = options;
  if (!(remembered >= 1)) {
    throw new CtxfoldError("invalid_option", "remembered must be 1 or more", { path: "remembered" });
  }
  const memories = memory
    ? new KeptMemories(memory, Math.min(remembered, REMEMBERED_KEPT))
    : new OwnMemories(remembered);
  const asking = create(module === undefined ? {} : { module }) as Asking;
  return new Pool(asking, memories, new Slots(concurrency ?? Number.POSITIVE_INFINITY));
}

/** A compaction that is being made. */
interface Flight {
  id: string;
  prints: readonly string[];
  landed: Promise<void>;
}

/** What the calls share that remember together. */
class Pool {
  readonly #asking: Asking;
  readonly #memories: Memories;
  readonly #slots: Slots;
  readonly #flights = new Set<Flight>();
  #running = 0;

  constructor(asking: Asking, memories: Memories, slots: Slots) {
    this.#asking = asking;
    this.#memories = memories;
    this.#slots = slots;
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  close(): void {
    this.#asking.close?.();
  }

  async fit<M extends Messages>(history: M, settings: Settings, call: FitCall): Promise<Fitted<M>> {
    const { signal, timeoutMs } = call;
    const own = {
      ...settings,
      policy: call.policy ?? settings.policy,
      model: { ...settings.model, slots: this.#slots },
    };
    const limits = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
    this.#running++;
    try {
      return await ending(limits, (ends) => this.#fit(history, own, call, ends));
    } finally {
      this.#running--;
    }
  }

  async #fit<M extends Messages>(
    history: M,
    settings: Settings,
    { id = "default", usage }: FitCall,
    signal: AbortSignal | undefined,
  ): Promise<Fitted<M>> {
    signal?.throwIfAborted();
    const fitting = new Fitting(this.#asking, transcript(history), settings);
    await unlessAborted(this.#asking.ready(), signal);
    for (;;) {
      const known = await this.#known(id, fitting);
      signal?.throwIfAborted();
      const answer = await fitting.begin(known, usage);
      if (known) this.#memories.used(id, known);
      if (requestsOf(answer).length === 0 && !fitting.changed(answer)) return fitting.result(answer);
      const prints = await fitting.prints();
      signal?.throwIfAborted();
      const other = [...this.#flights].find((flight) => flight.id === id && begins(prints, flight.prints));
      if (other) {
        await unlessAborted(other.landed, signal);
        continue;
      }
      const fitted = await this.#alone({ id, prints }, async () => {
        // Another call may have been faster, while this one looked.
        if ((await this.#known(id, fitting))?.json !== known?.json) return undefined;
        return this.#finish<M>(id, fitting, answer, known, signal);
      });
      if (fitted) return fitted;
    }
  }

  /** What is remembered of the beginning of a history. */
  async #known(id: string, fitting: Fitting): Promise<Remembered | undefined> {
    const entries = await this.#memories.of(id);
    return entries.length > 0 ? find(entries, await fitting.prints()) : undefined;
  }

  /** Makes a compaction for which the calls of the same conversation wait. */
  async #alone<T>(of: Omit<Flight, "landed">, work: () => Promise<T>): Promise<T> {
    let land = () => {};
    const landed = new Promise<void>((done) => {
      land = done;
    });
    const flight = { ...of, landed };
    this.#flights.add(flight);
    try {
      return await work();
    } finally {
      this.#flights.delete(flight);
      land();
    }
  }

  async #finish<M extends Messages>(
    id: string,
    fitting: Fitting,
    begun: Answer,
    known: Remembered | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Fitted<M>> {
    const { store, model, onCompaction } = fitting.settings;
    let answer = begun;
    for (let requests = requestsOf(answer); requests.length > 0; requests = requestsOf(answer)) {
      const plan = answer.get("plan") as Uint8Array;
      const summaries = await replies(requests, JSON.parse(decode(plan)), model, signal);
      answer = await fitting.step(plan, summaries, known);
    }
    const fitted = fitting.result<M>(answer);
    if (store) await keep(store, fitted.archive ?? [], signal);
    await model.onEvent?.({ type: "done", report: fitted.report });
    signal?.throwIfAborted();
    const memory = answer.get("memory");
    if (memory) await this.#memories.add(id, remembered(memory));
    if (fitted.report.changed) onCompaction?.(fitted.report);
    return fitted;
  }
}

/** Whether a history begins with another one, of which the prints are given. */
function begins(prints: readonly string[], beginning: readonly string[]): boolean {
  return beginning.length <= prints.length && prints[beginning.length - 1] === beginning.at(-1);
}

function remembered(memory: Uint8Array): Remembered {
  const values = members(memory);
  const value = (name: string) => JSON.parse(decode(values.get(name) as Uint8Array));
  const [messages, print, sent_messages, sent] = ["messages", "print", "sent_messages", "sent"].map(value);
  return { entry: { messages, print, sent_messages, sent }, json: decode(memory) };
}

/** One history, and the operations on it. */
class Fitting {
  readonly settings: Settings;
  readonly #asking: Asking;
  readonly #source: Transcript;
  readonly #policy: Policy & { answer: string };
  #prints: readonly string[] | undefined;

  constructor(asking: Asking, source: Transcript, settings: Settings) {
    const { policy, store, model } = settings;
    this.settings = settings;
    this.#asking = asking;
    this.#source = source;
    this.#policy = {
      ...policy,
      ...(store && { archive: "bodies" as const }),
      ...(!model.summarize && { summary: { ...policy.summary, mode: "local" as const } }),
      answer: source.answer,
    };
  }

  /** The prints of the first message, of the first two, and so on. */
  async prints(): Promise<readonly string[]> {
    this.#prints ??= valuesOf(await this.#ask("prints", { policy: this.#policy })).prints as string[];
    return this.#prints;
  }

  async begin(known: Remembered | undefined, usage: Counted | null | undefined): Promise<Answer> {
    const { countTokens } = this.settings;
    const memory = listOf(known);
    const counted = usage ?? (countTokens && usageOf(countTokens, await this.#recalled(known)));
    return this.#ask("fit", { policy: this.#policy, memory, usage: counted });
  }

  step(plan: Uint8Array, summaries: readonly unknown[], known: Remembered | undefined): Promise<Answer> {
    return this.#ask("step", { plan, summaries, memory: listOf(known) });
  }

  changed(answer: Answer): boolean {
    return (valuesOf(new Map([["report", answer.get("report") as Uint8Array]])).report as Report).changed;
  }

  result<M extends Messages>(answer: Answer): Fitted<M> {
    const { report, known, archive } = valuesOf(answer, "messages", "edits", "memory", "state", "requests");
    return {
      messages: this.#source.restore(answer) as Same<M>,
      report: report as Report,
      known: (known as number) >= 0,
      ...(archive !== undefined && { archive: archive as Body[] }),
    };
  }

  /** What would be sent if nothing more were done. */
  async #recalled(known: Remembered | undefined): Promise<Messages> {
    const { format = "auto" } = this.#policy;
    const policy = { format, answer: this.#policy.answer };
    return this.#source.restore(await this.#ask("fit", { policy, memory: listOf(known) })) as Messages;
  }

  async #ask(op: string, head: Head): Promise<Answer> {
    return this.#asking.ask({ op, head, source: this.#source });
  }
}

/** The list of entries that the module is given: the only one that counts. */
function listOf(known: Remembered | undefined): Uint8Array | undefined {
  return known && new TextEncoder().encode(`[${known.json}]`);
}
