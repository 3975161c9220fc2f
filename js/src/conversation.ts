/** One conversation, compacted over and over: after its turns, and when a model says that it does not fit. */
import { restoreFrom, unlessAborted } from "./archive.js";
import { Compaction } from "./compaction.js";
import type { Called, Compacted, ConversationCompactor, ConversationOptions } from "./conversation-options.js";
import { type CompactOptions, ending } from "./ending.js";
import { CtxfoldError, messageOf } from "./errors.js";
import { failureOf } from "./failure.js";
import { checkOptions, type Names } from "./options.js";
import type { LiveSession, RemoteSession, TurnHost, Turning } from "./session.js";
import { type MaybeState, type Store, sameState } from "./store.js";
import { telling } from "./tell.js";
import type { Effect, JobSettings, Turn, TurnNotes } from "./types.gen.js";
import type { Check, Failure, LimitedOutput, Message, OutputLimits, Restored, State, Verdict } from "./types.js";
import type { Next } from "./uses.js";

const CONVERSATION_OPTIONS: Names<ConversationOptions> = {
  messages: true,
  state: true,
  id: true,
  states: true,
  journal: true,
  beforeCompact: true,
  afterCompact: true,
  onJournalError: true,
  waitUntil: true,
};

type Live<M extends Message> = (LiveSession<M> | RemoteSession<M>) & Turning<M>;

/** A compaction in the background. */
interface BackgroundCompaction<M extends Message> {
  readonly id: number;
  readonly ended: Promise<void>;
  readonly controller: AbortController;
  compacted?: Compacted<M>;
}

/**
 * A conversation that continues. Its messages stay in the module too, in a session, so that a turn costs what the turn brings, whatever came
 * before. It compacts them after turns, says what happens, and gets them over a context window that turned out too small.
 *
 * Its compactor has the policy, the model, the store and the module, and may serve any number of conversations. Compactions run one after
 * the other; messages may be appended while a summary is written, and stay after its digest. With `policy.gate.start` `afterTurn` begins
 * them in the background, before they are due.
 */
export class Conversation<M extends Message = Message> {
  readonly #compactor: ConversationCompactor;
  readonly #options: ConversationOptions<M>;
  #ready: Promise<Live<M>> | undefined;
  #session: Live<M> | undefined;
  /** Until all messages have been replaced. */
  #shut: Promise<void> | undefined;
  /** What `states` has, as far as this conversation knows. */
  #stored: MaybeState;
  /** Another writer has saved a state since. */
  #stale = false;
  /** The end of what changes all messages and was called last. */
  #last: Promise<unknown> = Promise.resolve();
  #background: BackgroundCompaction<M> | undefined;
  #begun = 0;
  /** What turns leave for later ones. */
  #notes: TurnNotes | undefined;
  /** The messages were replaced since the last turn. */
  #edited = false;

  constructor(compactor: ConversationCompactor, options: ConversationOptions<M> = {}) {
    checkOptions(options, CONVERSATION_OPTIONS, "Conversation");
    this.#compactor = compactor;
    this.#options = options;
  }

  /** What to send: all messages, compacted. A new array after each change; the messages are not to be changed in place. */
  get messages(): readonly M[] {
    return this.#session?.messages ?? this.#options.messages ?? [];
  }

  /** That of the last compaction. Store it with the messages. */
  get state(): State | undefined {
    return this.#session ? this.#session.state : (this.#options.state ?? undefined);
  }

  /** Puts messages after the last one and returns the estimated tokens of all. Where one has a fault, none is put. */
  async append(...messages: M[]): Promise<number> {
    for (;;) {
      const session = await this.#start();
      if (!this.#shut) return session.append(...messages);
      await this.#shut;
    }
  }

  /**
   * Puts these messages in place of all that there are, for a user who goes back. It waits for a running compaction, and cancels one in the
   * background; what is appended until then is replaced, too. After a `conflict` it reads the state of `states` again: then give it the
   * messages that the other writer has stored.
   */
  setMessages(messages: readonly M[]): Promise<void> {
    return this.#instead((session) =>
      this.#shutFor(session, async () => {
        const { states, id = "" } = this.#options;
        if (!this.#stale || !states) return this.#replace(session, messages, session.state);
        const stored = await states.loadState(id);
        await this.#replace(session, messages, stored ?? undefined);
        this.#stored = stored;
        this.#stale = false;
      }),
    );
  }

  /** Whether compaction is due. */
  async check(): Promise<Check> {
    return (await this.#start()).check();
  }

  /**
   * Compacts if that is due. To be called when the model has ended its turn. Above `policy.gate.start` it begins a compaction in the
   * background and waits for nothing; the conversation continues with its result when it is there, and `afterCompact` is told. Only at the
   * limit it waits for that. Where the model fails in the background, the conversation stays as it is until it has grown.
   */
  afterTurn(options: CompactOptions = {}): Promise<Compacted<M>> {
    return this.#turn("after", options);
  }

  /**
   * Compacts if that is due before the model is called: where the prompt cache is cold, by `policy.gate.idle`, a conversation is compacted below
   * the limit too. It measures the time since the last `beforeTurn`, `afterTurn` or `call`; `options.idle` counts instead. `call` does
   * so itself. Where the model gives no summary, the conversation stays as it is.
   */
  beforeTurn(next: Next = {}, options: CompactOptions = {}): Promise<Compacted<M>> {
    const { model, provider } = next;
    return this.#turn("before", options, { ...(model && { model }), ...(provider && { provider }) });
  }

  /** Compacts although it is not due. */
  compact(options?: CompactOptions): Promise<Compacted<M>> {
    return this.#turn("forced", options);
  }

  /** Puts back what compactions have removed: the bodies of these handles, or without any all that the store has. */
  restore(...handles: string[]): Promise<Restored<M[]>> {
    return this.#instead((session) =>
      this.#shutFor(session, async () => {
        const { store } = this.#compactor;
        if (!store) throw new CtxfoldError("invalid_option", "the compactor has no store", { path: "store" });
        const wanted = handles.length > 0 ? handles : undefined;
        const state = session.state ?? null;
        const restored = await restoreFrom(store, this.#compactor, [...session.messages], wanted, state);
        if (restored.report.changed) await this.#replace(session, restored.messages, restored.state);
        return restored;
      }),
    );
  }

  /**
   * Calls a model: `send` sends the messages that it is given, and may tell what is known of the answer by `told`. With `policy.gate.idle` a
   * conversation that was idle is compacted before; what fails then costs nothing else. When the conversation does not fit, it is compacted and `send` is called once more, no more than that.
   *
   * Rejects with what `send` threw; where a compaction did not help, with `still_overflow`, whose cause that is. What is no
   * overflow, such as a rate limit, comes back as it is: whoever calls knows better when to try again.
   */
  async call<T>(
    send: (messages: readonly M[], told: (failure: Failure) => void) => Promise<T>,
    options?: CompactOptions,
  ): Promise<Called<T, M>> {
    let compacted = await this.#chilled(options);
    for (let again = false; ; again = true) {
      let known: Failure = {};
      let value: T | undefined;
      let thrown: { error: unknown } | undefined;
      try {
        value = await send(this.messages, (failure) => {
          known = failure;
        });
      } catch (error) {
        thrown = { error };
      }
      options?.signal?.throwIfAborted();
      const verdict = await this.classify(thrown ? { ...failureOf(thrown.error), ...known } : known);
      if (!verdict.overflow) {
        if (thrown) throw thrown.error;
        return { value: value as T, verdict, ...(compacted && { compacted }) };
      }
      const cause = thrown?.error ?? verdict;
      if (again) throw new CtxfoldError("still_overflow", STILL, { cause });
      const { limit_tokens: limit = 0 } = verdict;
      compacted = await this.#turn("forced", options, { refused: true, limit });
      if (!compacted.changed) throw new CtxfoldError("still_overflow", STILL, { cause });
    }
  }

  /** What a call of a model came to. */
  async classify(failure: Failure): Promise<Verdict> {
    await this.#compactor.ready();
    return this.#compactor.classifyError(failure);
  }

  /**
   * Shortens the output of a tool before it is added to the transcript. What is too large is kept in `store`, and a notice with its handle
   * represents it; where there is no store, or it fails, the output is cut, and says so. `limits` are the arguments of `limit_tool_output`
   * (docs/reference/abi.md).
   */
  async limitOutput(
    text: string,
    limits: OutputLimits = {},
    store: Store | undefined = this.#compactor.store,
  ): Promise<LimitedOutput> {
    await this.#compactor.ready();
    const run = (more: OutputLimits) => this.#compactor.limitToolOutput(text, { ...limits, ...more });
    if (!store) return run({ spill_chars: 0 });
    const out = await run({});
    if (!out.spilled) return out;
    try {
      await store.put(out.handle as string, text);
      return out;
    } catch (error) {
      return run({ spill_error: messageOf(error) });
    }
  }

  /**
   * Cancels a compaction in the background and gives the module's memory back. The conversation can be used again, and is then read once
   * more.
   */
  async close(): Promise<void> {
    await this.#cancel();
    await this.#session?.close();
  }

  /** The module, and the state that was stored. A failure is told, and the next call tries again. */
  async #start(): Promise<Live<M>> {
    this.#ready ??= (async () => {
      await this.#compactor.ready();
      const { messages, states, id = "", state } = this.#options;
      this.#stored = await states?.loadState(id);
      const own = state === undefined ? this.#stored : state;
      this.#session = this.#compactor.session(messages, { state: own ?? null }) as Live<M>;
      return this.#session;
    })();
    try {
      return await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  /** One after the other: each finds the messages as the one before has left them. */
  #alone<T>(work: (session: Live<M>) => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => work(await this.#start()));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Before `call`, which continues whatever comes of it. */
  async #chilled(options?: CompactOptions): Promise<Compacted<M> | undefined> {
    try {
      const compacted = await this.#turn("call", options);
      return compacted.changed ? compacted : undefined;
    } catch {
      options?.signal?.throwIfAborted();
      return undefined; // the journal and afterCompact know
    }
  }

  /** A turn, of which the module decides what it does. */
  #turn(moment: Turn["moment"], options: CompactOptions = {}, more: Partial<JobSettings> = {}): Promise<Compacted<M>> {
    return this.#alone((session) =>
      ending(options, (signal) => {
        const running = this.#background?.id ?? 0;
        const turn = {
          moment,
          running,
          ...(this.#edited && { edited: true }),
          ...(this.#notes && { notes: this.#notes }),
        };
        this.#edited = false;
        return this.#run(session, { ...more, turn }, options, signal);
      }),
    );
  }

  /** Instead of a compaction in the background. */
  #instead<T>(work: (session: Live<M>) => Promise<T>): Promise<T> {
    return this.#alone(async (session) => {
      await this.#cancel();
      return work(session);
    });
  }

  async #cancel(): Promise<void> {
    this.#background?.controller.abort();
    await this.#background?.ended;
  }

  /** Compacts while the conversation continues. */
  #begin(session: Turning<M>, effect: Effect, { timeoutMs: _, ...options }: CompactOptions): Promise<void> {
    const { settings = { now: 0 } } = effect;
    const { now: __, seed: ___, can: ____, ...own } = settings;
    const controller = new AbortController();
    const { signal } = controller;
    const work = async () => {
      try {
        background.compacted = await this.#run(session, own, options, signal);
      } catch {
        // The journal and afterCompact know.
      }
      this.#background = undefined;
    };
    const background: BackgroundCompaction<M> = { id: ++this.#begun, controller, ended: Promise.resolve().then(work) };
    this.#background = background;
    telling("waitUntil", this.#options.waitUntil)?.(background.ended);
    return background.ended;
  }

  /** Messages that are appended meanwhile wait for the end of the work. */
  async #shutFor<T>(session: Live<M>, work: () => Promise<T>): Promise<T> {
    let open = () => {};
    this.#shut = new Promise((opened) => {
      open = opened;
    });
    try {
      await session.append(); // what a worker has not appended yet comes before
      return await work();
    } finally {
      this.#shut = undefined;
      open();
    }
  }

  async #replace(session: Live<M>, messages: readonly M[], state: State | undefined = session.state): Promise<void> {
    const next = this.#compactor.session(messages, { state: state ?? null }) as Live<M>;
    await next.append(); // reads them: where one has a fault, the conversation stays as it is
    await session.close();
    this.#edited = true;
    this.#session = next;
    this.#ready = Promise.resolve(next);
  }

  /** Runs the job of a turn, or of a compaction in the background. */
  async #run(
    session: Turning<M>,
    settings: Partial<JobSettings>,
    options: CompactOptions,
    signal?: AbortSignal,
  ): Promise<Compacted<M>> {
    const { signal: _, timeoutMs: __, ...overrides } = options;
    const compaction = new Compaction(this.#options, {
      check: async () => {
        const { states, id = "" } = this.#options;
        if (states && !sameState(await states.loadState(id), this.#stored)) throw this.#conflict();
      },
      save: (state) => this.#save(state),
    });
    const earlier = this.#background;
    let background: Promise<void> | undefined;
    const host: TurnHost = {
      enter: async () => {
        if (settings.turn?.moment !== "background") await unlessAborted(earlier?.ended ?? Promise.resolve(), signal);
        return {};
      },
      before: (beginning) => compaction.before(beginning, signal),
      begin: (effect) => {
        background = this.#background?.ended ?? this.#begin(session, effect, options);
      },
      stop: () => earlier?.controller.abort(),
      commit: this.#options.states && ((state) => compaction.commit(state)),
    };
    const { done, check, notes } = await compaction.around(() => session.turn(settings, overrides, host, signal));
    if (notes && settings.turn?.moment !== "background") this.#notes = notes;
    if (done) return { changed: done.report.changed, reason: done.report.reason, done };
    if (compaction.skipped !== undefined) return { changed: false, reason: compaction.skipped };
    if (!background && earlier?.compacted?.changed) return earlier.compacted;
    return { changed: false, reason: check?.reason as string, ...(background && { background }) };
  }

  /** Another writer's state is not written over. */
  async #save(state: State): Promise<void> {
    const { id = "", states } = this.#options;
    if (states?.swapState && !(await states.swapState(id, this.#stored, state))) throw this.#conflict();
    if (!states?.swapState) await states?.saveState(id, state);
    this.#stored = state;
  }

  #conflict(): CtxfoldError {
    this.#stale = true;
    return new CtxfoldError("conflict", CONFLICT);
  }
}

const STILL = "the conversation does not fit in the context window, and a compaction did not help";

const CONFLICT =
  "another tab or process has compacted this conversation since its state was read, and nothing was changed here: read its " +
  "messages again and give them to setMessages, or go on with a new Conversation";
