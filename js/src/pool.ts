/** The compactions of histories that are remembered together: at most one at a time for a conversation. */
import { keep, unlessAborted } from "./archive.js";
import { type Attempt, Background, type Running } from "./background.js";
import { type Counted, ending } from "./ending.js";
import { type Answer, requestsOf } from "./envelope.js";
import { replies } from "./events.js";
import type { FitCall, Fitted } from "./fit.js";
import { type Asking, Fitting, type Settings } from "./fitting.js";
import { decode, members } from "./json.js";
import {
  type Add,
  counts,
  type Entry,
  find,
  type Memories,
  matching,
  provisional,
  type Remembered,
  volatile,
} from "./memories.js";
import type { Slots } from "./slots.js";
import { transcript } from "./transcript.js";
import type { CallOptions, Messages } from "./types.js";
import type { Uses } from "./uses.js";

/** Up to so many entries the module itself looks which one fits; of more, prints tell. It is given no more of them. */
const FEW = 8;

/** A compaction that is being made. */
interface Flight {
  id: string;
  prints: readonly string[];
  landed: Promise<void>;
}

/** What the calls share that remember together. */
export class Pool {
  readonly #asking: Asking;
  readonly #memories: Memories;
  readonly #slots: Slots;
  readonly #flights = new Set<Flight>();
  readonly #background = new Background();
  readonly #uses: Uses;
  #running = 0;

  constructor(asking: Asking, memories: Memories, slots: Slots, uses: Uses) {
    this.#uses = uses;
    this.#asking = asking;
    this.#memories = memories;
    this.#slots = slots;
  }

  get idle(): boolean {
    return this.#running === 0 && this.#background.idle;
  }

  close(): void {
    this.#background.close();
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
    call: FitCall,
    signal: AbortSignal | undefined,
  ): Promise<Fitted<M>> {
    const { id = "default" } = call;
    signal?.throwIfAborted();
    // Read at once, or what the caller does to its messages meanwhile would be seen.
    const source = await (this.#asking.read?.(history) ?? transcript(history));
    const fitting = Fitting.of(id, this.#asking, source, settings, call.options);
    await unlessAborted(this.#asking.ready(), signal);
    if (!fitting.chills) return this.#fitted(fitting, call, signal);
    const prints = await fitting.prints();
    const next = { model: await fitting.model(), ...call.next };
    fitting.chill(await this.#uses.last(id, prints), next, Date.now());
    try {
      return await this.#fitted(fitting, call, signal);
    } finally {
      const last = prints.at(-1);
      if (last !== undefined) await this.#uses.note(id, last, { ...next, time: Date.now() });
    }
  }

  async #fitted<M extends Messages>(
    fitting: Fitting,
    { options, usage }: FitCall,
    signal: AbortSignal | undefined,
  ): Promise<Fitted<M>> {
    const { id } = fitting;
    for (;;) {
      let known = await this.#known(fitting);
      signal?.throwIfAborted();
      let found = known;
      const { running, edited, tried } = await this.#behind(fitting, known, options);
      let answer = await fitting.begin(known, usage, tried?.tokens);
      for (const unfit = [...known]; known.length > 0 && fitting.known(answer) < 0 && this.#memories.older; ) {
        known = await this.#memories.older(fitting, unfit);
        unfit.push(...known);
        if (known.length > 0) answer = await fitting.begin(known, usage, tried?.tokens);
      }
      const used = known[fitting.known(answer)];
      if (used) this.#memories.used(used);
      const fallback = used && !counts(used, Date.now()) ? used : undefined;
      if (requestsOf(answer).length === 0 && !fitting.changed(answer)) {
        const fitted = fitting.result<M>(answer);
        const goes =
          running ?? ((fallback || fitting.starts(answer)) && (await this.#begin(fitting, usage, edited, fallback)));
        return goes ? { ...fitted, background: goes.ended } : fitted;
      }
      const prints = await fitting.prints();
      signal?.throwIfAborted();
      if (running) {
        await unlessAborted(running.ended, signal);
        continue;
      }
      if (fallback) {
        known = await this.#known(fitting, false);
        found = known;
        answer = await fitting.begin(known, usage);
        if (requestsOf(answer).length === 0 && !fitting.changed(answer)) return fitting.result(answer);
      }
      const other = [...this.#flights].find((flight) => flight.id === id && begins(prints, flight.prints));
      if (other) {
        await unlessAborted(other.landed, signal);
        continue;
      }
      const make = async (add: Add) => {
        // Another call may have been faster, or another page or process, while this one looked or waited.
        const now = await this.#current(fitting, fitting.background && !fallback);
        if (find(now, prints)?.json !== find(found, prints)?.json) return undefined;
        return this.#finish<M>(tried?.failed ? fitting.paused() : fitting, answer, known, signal, add);
      };
      const fitted = await this.#alone({ id, prints }, () => this.#memories.once(fitting, signal, make));
      if (fitted) return fitted;
    }
  }

  /** What runs in the background for a history, and what came to nothing. Where a compaction is forced, it replaces that. */
  async #behind(fitting: Fitting, known: readonly Remembered[], options: CallOptions | undefined) {
    const { id } = fitting;
    if (!this.#background.has(id)) return { edited: [] };
    const prints = await fitting.prints();
    const { running, edited } = this.#background.behind(id, prints);
    if (options?.force && running) {
      running.cancel();
      await running.ended;
      return { edited };
    }
    const tried = this.#background.last(id, prints, whole(find(known, prints), prints));
    return { edited, ...(running && { running }), ...(tried && { tried }) };
  }

  /** Begins a compaction in the background; `fallback` is the entry made while the model failed. */
  async #begin(
    fitting: Fitting,
    usage: Counted | null | undefined,
    edited: readonly Running[],
    fallback: Remembered | undefined,
  ): Promise<Running | undefined> {
    const own = fitting.inBackground();
    const prints = await fitting.prints();
    const running = this.#background.begin(own.id, prints, async (signal, replaces): Promise<Attempt | undefined> => {
      for (const each of edited) await each.ended;
      let tokens = 0;
      const make = async (add: Add): Promise<Attempt | undefined> => {
        const known = await this.#known(own, false);
        signal.throwIfAborted();
        const answer = await own.begin(known, usage);
        const { tokens: size, cut_point } = own.report(answer);
        tokens = size.before;
        replaces(cut_point ?? 0);
        const { failed, fitted, answer: last } = await this.#summarized(own, answer, known, signal);
        if (fitted.report.changed && !failed) {
          await this.#kept(own, fitted, last, signal, add);
          return undefined;
        }
        if (!fallback) return { tokens, failed: failed || fitted.report.reason === "summary_failed" };
        await add(provisional(fallback, (fallback.entry.tries ?? 0) + 1, Date.now()));
        return undefined;
      };
      try {
        return await this.#memories.once(own, signal, make);
      } catch (error) {
        if (signal.aborted) return undefined;
        own.settings.onBackgroundError?.(error);
        return { tokens, failed: false };
      }
    });
    if (running) own.settings.waitUntil?.(running.ended);
    return running;
  }

  /** The entries that count. Those that should be made again count where `stale` says so. */
  async #current(fitting: Fitting, stale: boolean): Promise<readonly Remembered[]> {
    const now = Date.now();
    return (await this.#memories.of(fitting)).filter((each) => stale || counts(each, now));
  }

  /** The entries that may be of the beginning of a history. */
  async #known(fitting: Fitting, stale = fitting.background): Promise<readonly Remembered[]> {
    const entries = await this.#current(fitting, stale);
    if (entries.length <= FEW) return entries;
    return matching(entries, await fitting.prints()).slice(-FEW);
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
    fitting: Fitting,
    begun: Answer,
    known: readonly Remembered[],
    signal: AbortSignal | undefined,
    add: Add,
  ): Promise<Fitted<M>> {
    const { failed, fitted, answer } = await this.#summarized<M>(fitting, begun, known, signal);
    await this.#kept(fitting, fitted, answer, signal, add, failed);
    return fitted;
  }

  /** Asks for summaries until an answer is final. */
  async #summarized<M extends Messages>(
    fitting: Fitting,
    begun: Answer,
    known: readonly Remembered[],
    signal: AbortSignal | undefined,
  ): Promise<{ fitted: Fitted<M>; answer: Answer; failed: boolean }> {
    let answer = begun;
    let failed = false;
    for (let requests = requestsOf(answer); requests.length > 0; requests = requestsOf(answer)) {
      const plan = answer.get("plan") as Uint8Array;
      const summaries = await replies(
        requests,
        JSON.parse(decode(plan)),
        fitting.settings.model,
        signal,
        fitting.source,
      );
      // One after the conversation is asked for once more, from a record.
      failed ||= summaries.some((each, i) => "error" in each && !requests[i]?.conversation);
      answer = await fitting.step(plan, summaries, known);
    }
    return { fitted: fitting.result<M>(answer), answer, failed };
  }

  /** Stores what was removed, and remembers what was made. */
  async #kept(
    fitting: Fitting,
    { report, archive = [] }: Pick<Fitted<Messages>, "report" | "archive">,
    answer: Answer,
    signal: AbortSignal | undefined,
    add: Add,
    failed = false,
  ): Promise<void> {
    const { store, model, onCompaction } = fitting.settings;
    if (store) await keep(store, archive, signal);
    await model.onEvent?.({ type: "done", report });
    signal?.throwIfAborted();
    const memory = answer.get("memory");
    if (memory) await this.#remember(fitting, remembered(memory), add, failed);
    if (report.changed) onCompaction?.(report);
  }

  /** Keeps an entry. Where the model has failed it is asked again later. */
  async #remember(fitting: Fitting, made: Remembered, add: Add, failed: boolean): Promise<void> {
    if (!failed) return add(made);
    const { tries = 0 } = find(await this.#memories.of(fitting), await fitting.prints())?.entry ?? {};
    return add(provisional(made, tries + 1, Date.now()));
  }
}

/** Whether a history begins with another one, of which the prints are given, whatever its newest messages are. */
function begins(prints: readonly string[], beginning: readonly string[]): boolean {
  const last = beginning.length - volatile(beginning.length) - 1;
  return last < prints.length && prints[last] === beginning[last];
}

/** How many messages the history had that was compacted; 0 where there is no entry. */
function whole(made: Remembered | undefined, prints: readonly string[]): number {
  if (!made) return 0;
  const { given } = made.entry;
  const { points, messages } = given && prints[given.messages - 1] === given.print ? given : made.entry;
  return points?.[0]?.messages ?? messages;
}

const listed = ({ messages, print, points = [] }: Entry) => ({ messages, print, points });

function remembered(memory: Uint8Array): Remembered {
  const values = members(memory);
  const value = (name: string) => JSON.parse(decode(values.get(name) as Uint8Array));
  const [messages, print, sent_messages, sent] = ["messages", "print", "sent_messages", "sent"].map(value);
  const points = values.has("points") ? value("points") : [];
  const given = values.has("given") ? value("given") : undefined;
  return {
    entry: { messages, print, sent_messages, sent, points, ...(given && { given: listed(given) }) },
    json: decode(memory),
  };
}
