/** A conversation that is compacted repeatedly: after turns, and when a model reports that it does not fit. */
import { unlessAborted } from "./abort.js";
import { restoreFrom } from "./archive.js";
import { loggingFailures } from "./callbacks.js";
import { Compaction } from "./compaction.js";
import type { Called, Compacted, ConversationCompactor, ConversationOptions } from "./conversation-options.js";
import { type CompactOptions, ending } from "./ending.js";
import { CtxfoldError, invalidOption, messageOf } from "./errors.js";
import { failureOf } from "./failure.js";
import { PLAN } from "./loop.js";
import { checkCompactor, checkOptions, checkStores, has, type Names, type StoreKind } from "./options.js";
import type { LiveSession, RemoteSession, TurnHost, Turning } from "./session.js";
import { type MaybeState, type Store, sameState } from "./store.js";
import type { Effect, JobSettings, Turn, TurnNotes } from "./types.gen.js";
import type { Check, Failure, LimitedOutput, Message, OutputLimits, Restored, State, Verdict } from "./types.js";
import type { NextCall } from "./uses.js";

const CONVERSATION_OPTIONS: Names<ConversationOptions> = {
  messages: true,
  state: true,
  id: true,
  states: true,
  journal: true,
  beforeCompact: true,
  score: true,
  afterCompact: true,
  onJournalError: true,
  waitUntil: true,
};

/** The kinds of stores that are options of a conversation, by the name of the option. */
const STORES: Readonly<Record<string, StoreKind>> = {
  states: [
    (value) => has(value, "saveState", "loadState"),
    "states is an object with saveState(conversation, state) and loadState(conversation), such as memoryStore(), indexedDBStore() and keyValueStore(kv) are, or states of ctxfold/redis, ctxfold/postgres or ctxfold/shared",
  ],
  journal: [
    (value) => has(value, "append", "events"),
    "journal is an object with append(event) and events(conversation), such as memoryJournal() and indexedDBJournal() are",
  ],
};

type Live<M extends Message> = (LiveSession<M> | RemoteSession<M>) & Turning<M>;

/** A compaction that runs in the background. */
interface BackgroundCompaction<M extends Message> {
  /** Identifies the compaction to the module. */
  readonly id: number;
  /** Resolves when the compaction has ended; never rejects. */
  readonly ended: Promise<void>;
  /** Aborts the compaction. */
  readonly controller: AbortController;
  /** The outcome; undefined while it runs, and if it failed. */
  compacted?: Compacted<M>;
}

/**
 * A live conversation. Its messages are also kept in a session of the module, so the cost of a turn depends on what
 * the turn adds, not on the length of the conversation. It compacts the messages after turns, emits events, and
 * recovers if a context window turns out to be too small.
 *
 * The compactor provides the policy, the model, the store and the module, and may serve any number of conversations.
 * One compaction runs at a time; messages appended while a summary is being written stay after the digest. If the
 * policy has `gate.start`, `afterTurn` starts compactions in the background before they are due.
 */
export class Conversation<M extends Message = Message> {
  readonly #compactor: ConversationCompactor;
  readonly #options: ConversationOptions<M>;
  #ready: Promise<Live<M>> | undefined;
  #session: Live<M> | undefined;
  /** Pending while all messages are being replaced; undefined otherwise. */
  #shut: Promise<void> | undefined;
  /** The state that this conversation last read from `states` or saved there. */
  #stored: MaybeState;
  /** Whether another writer has saved a state since this conversation read it. */
  #stale = false;
  /** Settles when the most recently queued exclusive call ends; see `#alone`. */
  #last: Promise<unknown> = Promise.resolve();
  #background: BackgroundCompaction<M> | undefined;
  #begun = 0;
  /** Notes that earlier turns have left for later turns. */
  #notes: TurnNotes = {};
  /** Whether the messages have been replaced since the last turn. */
  #edited = false;

  constructor(compactor: ConversationCompactor, options: ConversationOptions<M> = {}) {
    checkCompactor(compactor, "ready", "session");
    checkOptions(options, CONVERSATION_OPTIONS, "Conversation");
    checkStores(options, STORES);
    this.#compactor = compactor;
    this.#options = options;
  }

  /**
   * The compacted messages, to send to the model. A new array after each change; don't modify the messages in place.
   */
  get messages(): readonly M[] {
    return this.#session?.messages ?? this.#options.messages ?? [];
  }

  /**
   * The state of the last compaction, or the one in the options; undefined if there is none yet. Store it with the
   * messages.
   */
  get state(): State | undefined {
    return this.#session ? this.#session.state : (this.#options.state ?? undefined);
  }

  /**
   * Appends messages and returns the estimated tokens of the conversation. If one of the messages is invalid, none is
   * appended.
   */
  async append(...messages: M[]): Promise<number> {
    for (;;) {
      const session = await this.#start();
      if (!this.#shut) return session.append(...messages);
      await this.#shut;
    }
  }

  /**
   * Replaces all messages, for example after the user has gone back to an earlier one. Waits for a running
   * compaction, but cancels one in the background; messages appended until then are replaced too. After a `conflict`
   * it reads the state from `states` again: in that case, pass the messages that the other writer has stored.
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

  /** Reports whether compaction is due, and why. It changes nothing. */
  async check(): Promise<Check> {
    return (await this.#start()).check();
  }

  /**
   * Compacts the conversation if compaction is due. Call it when the model has ended its turn. Above
   * `policy.gate.start` it starts a compaction in the background and returns at once; when the compaction ends, the
   * conversation continues with its result, and `afterCompact` is called. Only at the limit does it wait for a
   * background compaction. If the model fails in the background, the conversation stays unchanged, and the next
   * attempt is made once the conversation has grown.
   */
  afterTurn(options: CompactOptions = {}): Promise<Compacted<M>> {
    return this.#turn("after", options);
  }

  /**
   * Compacts the conversation if compaction is due before a model call: if the policy has `gate.idle` and the prompt
   * cache is cold, the conversation is compacted even below the limit. The idle time is measured from the last
   * `beforeTurn`, `afterTurn` or `call`, unless `options.idle` is given. If the model returns no summary, the
   * conversation stays unchanged. `call` compacts when the prompt cache is cold or the provider refuses the messages,
   * but not at the limit of the policy.
   */
  beforeTurn(next: NextCall = {}, options: CompactOptions = {}): Promise<Compacted<M>> {
    const { model, provider } = next;
    return this.#turn("before", options, { ...(model && { model }), ...(provider && { provider }) });
  }

  /** Compacts the conversation even if compaction isn't due. The policy's minimum gain doesn't apply then. */
  compact(options?: CompactOptions): Promise<Compacted<M>> {
    return this.#turn("forced", options);
  }

  /**
   * Restores removed content from the store: the bodies with these handles or, without handles, everything that is in
   * the store. Rejects with `invalid_option` if the compactor has no store.
   */
  restore(...handles: string[]): Promise<Restored<M[]>> {
    return this.#instead((session) =>
      this.#shutFor(session, async () => {
        const { store } = this.#compactor;
        if (!store) throw invalidOption("the compactor has no store", "store");
        const wanted = handles.length > 0 ? handles : undefined;
        const state = session.state ?? null;
        const restored = await restoreFrom(store, this.#compactor, [...session.messages], wanted, state);
        if (restored.report.changed) await this.#replace(session, restored.messages, restored.state);
        return restored;
      }),
    );
  }

  /**
   * Calls a model. `send` sends the messages that it gets, and may call `report` to add details of the response.
   * With `policy.gate.idle`, an idle conversation is compacted first; if that compaction fails, the call is made
   * without it. If the conversation does not fit, it is compacted and `send` is called a second time, but not a
   * third.
   *
   * Rejects with the error of `send` or, if the compaction did not help, with `still_overflow` and that error as its
   * cause. Other errors, such as a rate limit, are passed on unchanged: it is up to the caller to retry.
   */
  async call<T>(
    send: (messages: readonly M[], report: (failure: Failure) => void) => Promise<T>,
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

  /** Classifies the error, or other outcome, of a model call. */
  async classify(failure: Failure): Promise<Verdict> {
    await this.#compactor.ready();
    return this.#compactor.classifyError(failure);
  }

  /**
   * Shortens a tool's output before it is added to the transcript. An oversized output is stored in `store` and
   * replaced by a notice with its handle; without a store, or if the store fails, the output is cut and a notice says
   * so. `limits` are the arguments of `limit_tool_output` (docs/reference/abi.md).
   */
  async limitOutput(
    text: string,
    limits: OutputLimits = {},
    store: Store | undefined = this.#compactor.store,
  ): Promise<LimitedOutput> {
    checkStores({ store });
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
   * Cancels a background compaction and removes the conversation from the module. It stays usable; the next call loads
   * its messages again.
   */
  async close(): Promise<void> {
    await this.#cancel();
    await this.#session?.close();
  }

  /** Loads the module and the stored state. If loading fails, the error is reported and the next call tries again. */
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

  /** Runs calls one after the other, so that each finds the messages as the previous one left them. */
  #alone<T>(work: (session: Live<M>) => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => work(await this.#start()));
    this.#last = result.catch(() => {});
    return result;
  }

  /**
   * Compacts a conversation that was idle, before `call`. Resolves to undefined if nothing was changed. If the
   * compaction fails, `call` continues without it; it rejects only if the signal aborts.
   */
  async #chilled(options?: CompactOptions): Promise<Compacted<M> | undefined> {
    try {
      const compacted = await this.#turn("call", options);
      return compacted.changed ? compacted : undefined;
    } catch {
      options?.signal?.throwIfAborted();
      return undefined; // the failure was reported to the journal and to afterCompact
    }
  }

  /**
   * Runs a turn at the given moment. The module decides whether it compacts the conversation. `more` has further
   * settings of the turn's job. Turns of one conversation wait for each other.
   */
  #turn(moment: Turn["moment"], options: CompactOptions = {}, more: Partial<JobSettings> = {}): Promise<Compacted<M>> {
    return this.#alone((session) =>
      ending(options, (signal) => {
        const running = this.#background?.id ?? 0;
        const turn = { moment, running, edited: this.#edited, notes: this.#notes };
        this.#edited = false;
        return this.#run(session, { ...PLAN, ...more, turn }, options, signal);
      }),
    );
  }

  /** Cancels a background compaction, and then runs `work` while no other call is running. */
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

  /**
   * Compacts in the background while the conversation continues. `effect` contains the settings of
   * the new job. The promise resolves when the compaction has ended, and never rejects.
   */
  #begin(session: Turning<M>, effect: Effect, { timeoutMs: _, ...options }: CompactOptions): Promise<void> {
    const { settings = { now: 0 } } = effect;
    const { now: __, seed: ___, can: ____, ...own } = settings;
    const controller = new AbortController();
    const { signal } = controller;
    const work = async () => {
      try {
        background.compacted = await this.#run(session, own, options, signal);
      } catch {
        // The failure has already been reported to the journal and to afterCompact.
      }
      this.#background = undefined;
    };
    const background: BackgroundCompaction<M> = { id: ++this.#begun, controller, ended: Promise.resolve().then(work) };
    this.#background = background;
    loggingFailures("waitUntil", this.#options.waitUntil)?.(background.ended);
    return background.ended;
  }

  /** Runs `work`, and returns what it returns. Messages appended in the meantime wait until it ends. */
  async #shutFor<T>(session: Live<M>, work: () => Promise<T>): Promise<T> {
    let open = () => {};
    this.#shut = new Promise((opened) => {
      open = opened;
    });
    try {
      await session.append(); // messages that a worker has not appended yet come first
      return await work();
    } finally {
      this.#shut = undefined;
      open();
    }
  }

  async #replace(session: Live<M>, messages: readonly M[], state: State | undefined = session.state): Promise<void> {
    const next = this.#compactor.session(messages, { state: state ?? null }) as Live<M>;
    await next.append(); // loads the messages: if one is invalid, the conversation stays unchanged
    await session.close();
    this.#edited = true;
    this.#session = next;
    this.#ready = Promise.resolve(next);
  }

  /**
   * Runs the job of a turn, or of a compaction in the background. Throws `conflict` if another writer has saved a
   * state.
   */
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
      before: async (beginning) => {
        const said = await compaction.before(beginning, signal);
        const score = said.skip ? undefined : this.#options.score?.(this.messages);
        return score ? { ...said, score } : said;
      },
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

  /**
   * Saves the state. If the store has `swapState`, that never overwrites a state that another writer has saved. Throws
   * `conflict` if another writer has saved one.
   */
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
