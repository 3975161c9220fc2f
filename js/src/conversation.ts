/** One conversation, compacted over and over: after its turns, and when a model says that it does not fit. */
import { restoreFrom, unlessAborted } from "./archive.js";
import type { Called, Compacted, ConversationCompactor, ConversationOptions } from "./conversation-options.js";
import { type CompactOptions, ending, type Overrides } from "./ending.js";
import { CtxfoldError, messageOf } from "./errors.js";
import { failureOf, refused } from "./failure.js";
import type { CompactionEvent } from "./journal.js";
import { checkOptions, type Names } from "./options.js";
import type { Committing, LiveSession, RemoteSession } from "./session.js";
import { alone } from "./sole.js";
import { type MaybeState, type Store, sameState } from "./store.js";
import { telling } from "./tell.js";
import type {
  Action,
  CallOptions,
  Check,
  Done,
  Failure,
  LimitedOutput,
  Message,
  OutputLimits,
  Restored,
  State,
  Verdict,
} from "./types.js";
import { chilled, chills, type Next, type Use } from "./uses.js";

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

/** A compaction in the background. */
interface Behind<M extends Message> {
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
  #ready: Promise<LiveSession<M> | RemoteSession<M>> | undefined;
  #session: LiveSession<M> | RemoteSession<M> | undefined;
  /** Until all messages have been replaced. */
  #shut: Promise<void> | undefined;
  /** What `states` has, as far as this conversation knows. */
  #stored: MaybeState;
  /** Another writer has saved a state since. */
  #stale = false;
  /** The end of what changes all messages and was called last. */
  #last: Promise<unknown> = Promise.resolve();
  #behind: Behind<M> | undefined;
  /** The tokens for which a compaction in the background came to nothing. */
  #tried = 0;
  /** The last call of the model. */
  #used: Use | undefined;

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
    const { signal } = options;
    this.#called();
    return this.#alone(async (session) => {
      const tried = () => session.check({ options: { tried: this.#tried } });
      let check = await tried();
      const behind = this.#behind;
      if (behind && !check.due) return { changed: false, reason: check.reason, background: behind.ended };
      if (behind) {
        await unlessAborted(behind.ended, signal);
        check = await tried();
      }
      if (check.due) return this.#compact(session, {}, "auto", check, options);
      if (check.start && this.#compactor.summarizes) {
        return { changed: false, reason: check.reason, background: this.#begin(session, check, options) };
      }
      return behind?.compacted?.changed ? behind.compacted : { changed: false, reason: check.reason };
    });
  }

  /**
   * Compacts if that is due before the model is called: where the prompt cache is cold, by `policy.gate.idle`, a conversation is compacted below
   * the limit too. It measures the time since the last `beforeTurn`, `afterTurn` or `call`; `options.idle` counts instead. `call` does
   * so itself. Where the model gives no summary, the conversation stays as it is.
   */
  beforeTurn(next: Next = {}, options: CompactOptions = {}): Promise<Compacted<M>> {
    return this.#alone(async (session) => {
      const asked = { model: this.#compactor.policy.model, ...next };
      try {
        const wanted = chilled(options.options, this.#used, asked, Date.now());
        let check = await session.check({ options: wanted });
        const behind = this.#behind;
        if (behind && !check.due) return { changed: false, reason: check.reason, background: behind.ended };
        if (behind) {
          await unlessAborted(behind.ended, options.signal);
          check = await session.check({ options: wanted });
        }
        if (!check.due) return { changed: false, reason: check.reason };
        return await this.#compact(session, wanted, check.cold ? "cold" : "auto", check, options);
      } finally {
        this.#called(asked);
      }
    });
  }

  /** Compacts although it is not due. */
  compact(options?: CompactOptions): Promise<Compacted<M>> {
    return this.#forced("manual", 0, options);
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
      this.#called();
      options?.signal?.throwIfAborted();
      const verdict = await this.classify(thrown ? { ...failureOf(thrown.error), ...known } : known);
      if (!verdict.overflow) {
        if (thrown) throw thrown.error;
        return { value: value as T, verdict, ...(compacted && { compacted }) };
      }
      const cause = thrown?.error ?? verdict;
      if (again) throw new CtxfoldError("still_overflow", STILL, { cause });
      compacted = await this.#forced("context_limit_recovery", verdict.limit_tokens ?? 0, options);
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
  async #start(): Promise<LiveSession<M> | RemoteSession<M>> {
    this.#ready ??= (async () => {
      await this.#compactor.ready();
      const { messages, states, id = "", state } = this.#options;
      this.#stored = await states?.loadState(id);
      const own = state === undefined ? this.#stored : state;
      this.#session = this.#compactor.session(messages, { state: own ?? null });
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
  #alone<T>(work: (session: LiveSession<M> | RemoteSession<M>) => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => work(await this.#start()));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Notes that the model is called now, or was. What is not known of it is as before. */
  #called({ model = this.#used?.model, provider = this.#used?.provider }: Next = {}): void {
    this.#used = { time: Date.now(), model, provider };
  }

  /** `beforeTurn` for `call`, which continues whatever comes of it. */
  async #chilled(options?: CompactOptions): Promise<Compacted<M> | undefined> {
    if (!chills(this.#compactor.policy)) return undefined;
    try {
      const compacted = await this.beforeTurn({}, options);
      return compacted.changed ? compacted : undefined;
    } catch {
      options?.signal?.throwIfAborted();
      return undefined; // the journal and afterCompact know
    }
  }

  /** Instead of a compaction in the background. */
  #instead<T>(work: (session: LiveSession<M> | RemoteSession<M>) => Promise<T>): Promise<T> {
    return this.#alone(async (session) => {
      await this.#cancel();
      return work(session);
    });
  }

  async #cancel(): Promise<void> {
    this.#behind?.controller.abort();
    await this.#behind?.ended;
  }

  /** Compacts while the conversation continues. */
  #begin(
    session: LiveSession<M> | RemoteSession<M>,
    check: Check,
    { timeoutMs: _, ...options }: CompactOptions,
  ): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const work = async () => {
      try {
        const own = { ...options, signal };
        behind.compacted = await this.#compact(session, { background: true }, "background", check, own);
      } catch {
        // The journal and afterCompact know.
      }
      if (!signal.aborted && !behind.compacted?.changed) this.#tried = check.tokens;
      this.#behind = undefined;
    };
    const behind: Behind<M> = { controller, ended: Promise.resolve().then(work) };
    this.#behind = behind;
    telling("waitUntil", this.#options.waitUntil)?.(behind.ended);
    return behind.ended;
  }

  /** Messages that are appended meanwhile wait for the end of the work. */
  async #shutFor<T>(session: LiveSession<M> | RemoteSession<M>, work: () => Promise<T>): Promise<T> {
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

  async #replace(
    session: LiveSession<M> | RemoteSession<M>,
    messages: readonly M[],
    state: State | undefined = session.state,
  ): Promise<void> {
    const next = this.#compactor.session(messages, { state: state ?? null });
    await next.append(); // reads them: where one has a fault, the conversation stays as it is
    await session.close();
    this.#tried = 0;
    this.#session = next;
    this.#ready = Promise.resolve(next);
  }

  /** `limit` is the window that a provider has named, 0 for none: the policy's may be too large. */
  #forced(trigger: CompactionEvent["trigger"], limit: number, options?: CompactOptions): Promise<Compacted<M>> {
    return this.#instead(async (session) => {
      let wanted: CallOptions = { force: true };
      let check = await session.check({ options: { force: true } });
      if (limit > 0) {
        try {
          check = await session.check({ options: { window: limit } });
          wanted = { force: true, window: limit };
        } catch (error) {
          // The policy's reserve does not fit in that window.
          if (!(error instanceof CtxfoldError && error.code === "out_of_range")) throw error;
        }
      }
      const compacted = await this.#compact(session, wanted, trigger, check, options);
      const tokens = compacted.done?.report.tokens.before;
      if (compacted.changed || trigger !== "context_limit_recovery" || !tokens) return compacted;
      // It fits in the window that is known, but only by the estimate.
      return this.#compact(session, refused(tokens), trigger, check, options);
    });
  }

  async #compact(
    session: LiveSession<M> | RemoteSession<M>,
    wanted: CallOptions,
    trigger: CompactionEvent["trigger"],
    check: Check,
    options: CompactOptions = {},
  ): Promise<Compacted<M>> {
    const { id = "", states, beforeCompact, afterCompact } = this.#options;
    const start: CompactionEvent = {
      type: "compaction_start",
      conversation: id,
      trigger,
      time: Date.now(),
      messages_before: check.messages,
      messages_after: 0,
      tokens_before: check.tokens,
      tokens_after: 0,
    };
    const before = (await beforeCompact?.(start)) ?? true;
    const { cancel = false, summary } = typeof before === "boolean" ? { cancel: !before } : before;
    if (cancel) return { changed: false, reason: cancel === true ? "skipped" : cancel };
    const { signal: _, timeoutMs: __, ...given } = options;
    const text = summary && { summary: { ...given.options?.summary, text: summary } };
    const own: Overrides = { ...given, options: { ...given.options, ...wanted, ...text } };
    const compact = async (signal?: AbortSignal): Promise<Done<M[]>> => {
      if (states && !sameState(await states.loadState(id), this.#stored)) throw this.#conflict();
      await this.#append(start);
      try {
        return await this.#saved(session, { ...own, ...(signal && { signal }) });
      } catch (error) {
        const { messages_before: count, tokens_before: tokens } = start;
        const end: CompactionEvent = { ...start, type: "compaction_end", time: Date.now(), error: messageOf(error) };
        await this.#end({ ...end, messages_after: count, tokens_after: tokens }, afterCompact);
        throw error;
      }
    };
    const done = await ending(options, (signal) => {
      const work = () => compact(signal);
      if (states?.alone) return states.alone(id, signal, work);
      return states ? alone(`ctxfold:${id}`, signal, work) : work();
    });
    const { report } = done;
    if (report.changed) this.#tried = 0;
    const end: CompactionEvent = {
      ...start,
      type: "compaction_end",
      time: Date.now(),
      messages_before: report.messages.before,
      messages_after: report.messages.after,
      tokens_before: report.tokens.before,
      tokens_after: report.tokens.after,
      reason: report.reason,
      removed: removed(report.actions),
    };
    await this.#end(end, afterCompact, done);
    return { changed: report.changed, reason: report.reason, done };
  }

  /** A compaction whose state is in `states` before the conversation continues with it. */
  async #saved(session: LiveSession<M> | RemoteSession<M>, options: CompactOptions): Promise<Done<M[]>> {
    const { id = "", states } = this.#options;
    let failed: { error: unknown } | undefined;
    const save = async (state: State) => {
      try {
        if (states?.swapState && !(await states.swapState(id, this.#stored, state))) throw this.#conflict();
        if (!states?.swapState) await states?.saveState(id, state);
        this.#stored = state;
      } catch (error) {
        if (this.#stale) throw error;
        failed = { error };
      }
    };
    const done = await (session as Committing<M>).compact(options, states && save);
    if (failed) throw failed.error;
    return done;
  }

  #conflict(): CtxfoldError {
    this.#stale = true;
    return new CtxfoldError("conflict", CONFLICT);
  }

  async #end(event: CompactionEvent, told: ConversationOptions<M>["afterCompact"], done?: Done<M[]>) {
    await this.#append(event);
    await telling("afterCompact", told)?.(event, done);
  }

  async #append(event: CompactionEvent): Promise<void> {
    try {
      await this.#options.journal?.append(event);
    } catch (error) {
      await telling("onJournalError", this.#options.onJournalError)?.(error);
    }
  }
}

const STILL = "the conversation does not fit in the context window, and a compaction did not help";

const CONFLICT =
  "another tab or process has compacted this conversation since its state was read, and nothing was changed here: read its " +
  "messages again and give them to setMessages, or go on with a new Conversation";

/** The messages that actions have removed of the context. */
function removed(actions: readonly Action[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { action, message } of actions) {
    if (message < 0 || (action !== "fold" && action !== "drop")) continue;
    const last = ranges.at(-1);
    if (last && message >= last[0] && message <= last[1]) last[1] = Math.max(last[1], message + 1);
    else ranges.push([message, message + 1]);
  }
  return ranges;
}
