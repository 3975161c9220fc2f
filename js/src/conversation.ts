/** One conversation, compacted over and over: after its turns, and when a model says that it does not fit. */
import type { CompactOptions, Overrides } from "./ending.js";
import { CtxfoldError, messageOf } from "./errors.js";
import { type Failure, failureOf } from "./failure.js";
import type { CompactionEvent, Journal } from "./journal.js";
import { serialize } from "./live.js";
import type { LiveSession, RemoteSession } from "./session.js";
import type { StateStore, Store } from "./store.js";
import type { Summarize } from "./summarize.js";
import type { Action, Check, Done, FunctionRequest, Message, Messages, Policy, Same, State } from "./types.js";

/** What a call of a model came to. */
export interface Verdict {
  /** One of docs/OVERFLOW.md, such as `context_overflow` or `rate_limit`; `none` is no failure. */
  class: string;
  /** The conversation does not fit: a compaction and one retry may help. */
  overflow: boolean;
  /** No error told of it. */
  silent: boolean;
  provider?: string;
  message: string;
  /** Tokens, where the provider names them. */
  used_tokens?: number;
  limit_tokens?: number;
}

/** What a conversation needs of a compactor; that of `ctxfold/worker` has it too. */
export interface ConversationCompactor {
  ready(): Promise<void>;
  check(messages: Messages, overrides?: Overrides): Check | Promise<Check>;
  compact<M extends Messages>(messages: M, options?: CompactOptions): Promise<Done<M>>;
  session(messages?: readonly Message[], overrides?: Overrides): LiveSession | RemoteSession;
  function<T>(name: string, request?: FunctionRequest): T | Promise<T>;
  close?(): void;
}

export interface ConversationOptions<O> {
  /** `createCompactor`, of whatever entry. It is called once. */
  create: (options: O & { policy: Policy; summarize?: Summarize }) => ConversationCompactor;
  /** What else the compactor is made with, such as `module`, `store` or `onEvent`. */
  compactor?: O;
  policy?: Policy;
  summarize?: Summarize;
  /** The state that the last compaction of this conversation returned. */
  state?: State | null | undefined;
  /** Names the conversation in events and in `states`. */
  id?: string;
  /**
   * Has the state, where `state` is not given, and is given that of each compaction. A host that keeps its messages elsewhere
   * does better to keep `state` beside them, in one transaction.
   */
  states?: StateStore;
  /** Gets an event at the start and at the end of each compaction. */
  journal?: Journal;
  /** Is asked before a compaction begins; false leaves it out. */
  beforeCompact?: (start: CompactionEvent) => boolean | PromiseLike<boolean>;
  /** Is told the end of a compaction; `done` is missing where it failed. */
  afterCompact?: (end: CompactionEvent, done?: Done<Messages>) => void;
  /** Is told what the journal throws. Without it nobody is. */
  onJournalError?: (error: unknown) => void;
}

/** What came of a compaction, or of leaving it out. */
export interface Compacted<M extends Messages> {
  messages: Same<M> | M;
  changed: boolean;
  /** The reason of the report; `skipped` where `beforeCompact` did not want it. */
  reason: string;
  /** The answer, where there was a compaction. */
  done?: Done<M>;
}

/** What came of `call`. */
export interface Called<M extends Messages, T> {
  /** What the model was sent last. */
  messages: Same<M> | M;
  /** What `send` returned last. */
  value: T;
  /** The compaction between two calls, where one was not enough. */
  compacted?: Compacted<M>;
  verdict: Verdict;
}

/** A transcript in the module, or one that is read at each call. */
interface Reading<M extends Messages> {
  check(overrides?: Overrides): Check | Promise<Check>;
  compact(options?: CompactOptions): Promise<Done<M>>;
}

/**
 * The conversation; its methods must not be called at the same time.
 *
 * A live list of messages stays in the module, in a session: a call with the list of the last one, or with its result, and
 * with more behind it costs what is new. Any other list, a text, bytes or a request body is read as a whole. Messages before
 * the last one may be replaced by others, but not changed in place.
 */
export class Conversation<O = unknown> {
  readonly #options: ConversationOptions<O>;
  readonly #compactor: ConversationCompactor;
  #state: State | undefined;
  #ready: Promise<void> | undefined;
  #session: LiveSession | RemoteSession | undefined;
  /** JSON of the session's newest message, the one that may have been written on. */
  #newest = "";

  constructor(options: ConversationOptions<O>) {
    const { create, compactor, policy = {}, summarize, state } = options;
    this.#options = options;
    this.#state = state ?? undefined;
    this.#compactor = create({ ...(compactor as O), policy, ...(summarize && { summarize }) });
  }

  /** That of the last compaction. Store it with the conversation. */
  get state(): State | undefined {
    return this.#state;
  }

  /** Gives the module's memory back, and ends the compactor of a worker. */
  close(): void {
    // In a worker the session ends with its compactor.
    if (this.#compactor.close) this.#compactor.close();
    else this.#session?.close();
    this.#session = undefined;
  }

  /** Compacts if that is due. To be called when the model has ended its turn. */
  async afterTurn<M extends Messages>(messages: M, options?: CompactOptions): Promise<Compacted<M>> {
    const reading = await this.#read(messages);
    const check = await reading.check();
    if (!check.due) return { messages, changed: false, reason: check.reason };
    return this.#compact(messages, reading, this.#policy({}), "auto", check, options);
  }

  /** Compacts although it is not due. */
  async compact<M extends Messages>(messages: M, options?: CompactOptions): Promise<Compacted<M>> {
    return this.#forced(messages, "manual", 0, options);
  }

  /**
   * Calls a model: `send` sends the messages that it is given, and may tell what is known of the answer by `told`. When the
   * conversation does not fit, it is compacted and `send` is called once more, no more than that.
   *
   * Rejects with what `send` threw; where a compaction did not help, with `still_overflow`, whose cause that is. What is no
   * overflow, such as a rate limit, comes back as it is: whoever calls knows better when to try again.
   */
  async call<M extends Messages, T>(
    messages: M,
    send: (messages: Same<M> | M, told: (failure: Failure) => void) => Promise<T>,
    options?: CompactOptions,
  ): Promise<Called<M, T>> {
    let sent: Same<M> | M = messages;
    let compacted: Compacted<M> | undefined;
    for (;;) {
      let known: Failure = {};
      let value: T | undefined;
      let thrown: { error: unknown } | undefined;
      try {
        value = await send(sent, (failure) => {
          known = failure;
        });
      } catch (error) {
        thrown = { error };
      }
      options?.signal?.throwIfAborted();
      const verdict = await this.classify(thrown ? { ...failureOf(thrown.error), ...known } : known);
      if (!verdict.overflow) {
        if (thrown) throw thrown.error;
        return { messages: sent, value: value as T, verdict, ...(compacted && { compacted }) };
      }
      const cause = thrown?.error ?? verdict;
      if (compacted) throw new CtxfoldError("still_overflow", STILL, { cause });
      compacted = await this.#forced(messages, "context_limit_recovery", verdict.limit_tokens ?? 0, options);
      if (!compacted.changed) throw new CtxfoldError("still_overflow", STILL, { cause });
      sent = compacted.messages;
    }
  }

  /** What a call of a model came to. */
  async classify(failure: Failure): Promise<Verdict> {
    return this.#function<Verdict>("classify_error", { arguments: { ...failure } });
  }

  /**
   * Shortens the output of a tool before it is added to the transcript. What is too large is kept in `store`, and a notice
   * with its handle stands for it; where there is no store, or it fails, the output is cut, and says so. `limits` are the
   * arguments of `limit_tool_output` (docs/FUNCTIONS.md).
   */
  async limitOutput(text: string, store?: Store, limits: Record<string, unknown> = {}): Promise<LimitedOutput> {
    const run = (more: object) =>
      this.#function<LimitedOutput>("limit_tool_output", { text, arguments: { ...limits, ...more } });
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

  #policy(more: Policy): Policy {
    return { ...this.#options.policy, ...more };
  }

  async #function<T>(name: string, request: FunctionRequest): Promise<T> {
    await this.#compactor.ready();
    return this.#compactor.function<T>(name, request);
  }

  /** The module, and the state that was stored. A failure is told, and the next call tries again. */
  async #start(): Promise<void> {
    this.#ready ??= (async () => {
      await this.#compactor.ready();
      const { states, id = "", state } = this.#options;
      if (states && state === undefined) this.#state = (await states.loadState(id)) ?? undefined;
    })();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  async #read<M extends Messages>(messages: M): Promise<Reading<M>> {
    await this.#start();
    const compactor = this.#compactor;
    if (Array.isArray(messages)) return (await this.#live(messages)) as unknown as Reading<M>;
    const whole = (more: Overrides = {}) => ({ state: this.#state ?? null, ...more });
    return {
      check: (overrides) => compactor.check(messages, whole(overrides)),
      compact: (options) => compactor.compact(messages, whole(options)),
    };
  }

  /** The session, with these messages. */
  async #live(messages: readonly Message[]): Promise<LiveSession | RemoteSession> {
    let session = this.#session;
    const known = session?.messages.length ?? 0;
    if (session && goesOn(messages, session.messages) && this.#newest === jsonOf(session.messages.at(-1))) {
      if (messages.length > known) await session.append(...messages.slice(known));
    } else {
      await session?.close();
      session = this.#compactor.session(messages, { state: this.#state });
      this.#session = session;
    }
    this.#newest = jsonOf(messages.at(-1));
    return session;
  }

  /** `limit` is the window that a provider has named, 0 for none: the policy's may be too large. */
  async #forced<M extends Messages>(
    messages: M,
    trigger: CompactionEvent["trigger"],
    limit: number,
    options?: CompactOptions,
  ): Promise<Compacted<M>> {
    const reading = await this.#read(messages);
    let policy = this.#policy({ force: true });
    let check = await reading.check();
    if (limit > 0 && (check.window === 0 || limit < check.window)) {
      const narrower = { ...policy, window: { ...policy.window, tokens: limit } };
      try {
        check = await reading.check({ policy: narrower });
        policy = narrower;
      } catch (error) {
        // The policy's reserve does not fit in that window.
        if (!(error instanceof CtxfoldError && error.code === "out_of_range")) throw error;
      }
    }
    return this.#compact(messages, reading, policy, trigger, check, options);
  }

  async #compact<M extends Messages>(
    messages: M,
    reading: Reading<M>,
    policy: Policy,
    trigger: CompactionEvent["trigger"],
    check: Check,
    options?: CompactOptions,
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
    if (beforeCompact && !(await beforeCompact(start))) return { messages, changed: false, reason: "skipped" };
    await this.#append(start);
    let done: Done<M>;
    try {
      done = await reading.compact({ ...options, policy });
      if (states) await states.saveState(id, done.state);
    } catch (error) {
      const { messages_before: count, tokens_before: tokens } = start;
      const end: CompactionEvent = { ...start, type: "compaction_end", time: Date.now(), error: messageOf(error) };
      await this.#end({ ...end, messages_after: count, tokens_after: tokens }, afterCompact);
      throw error;
    }
    this.#state = done.state;
    const { report } = done;
    if (!report.changed) done = { ...done, messages: messages as Same<M> };
    if (this.#session && Array.isArray(done.messages)) this.#newest = jsonOf(done.messages.at(-1));
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
    await this.#end(end, afterCompact, done as unknown as Done<Messages>);
    return { messages: done.messages, changed: report.changed, reason: report.reason, done };
  }

  async #end(event: CompactionEvent, told: ConversationOptions<O>["afterCompact"], done?: Done<Messages>) {
    await this.#append(event);
    told?.(event, done);
  }

  async #append(event: CompactionEvent): Promise<void> {
    try {
      await this.#options.journal?.append(event);
    } catch (error) {
      this.#options.onJournalError?.(error);
    }
  }
}

/** What a tool's output became. */
export interface LimitedOutput {
  text: string;
  changed: boolean;
  /** What stands beside the text, such as images, stays. */
  keep_media: boolean;
  /** The text is a notice; the whole output is in the store under `handle`. */
  spilled: boolean;
  handle?: string;
}

const STILL = "the conversation does not fit in the context window, and a compaction did not help";

/** The messages that actions have taken out of the context. */
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

/** Whether a list begins with these very messages. */
function goesOn(messages: readonly Message[], known: readonly Message[]): boolean {
  return messages.length >= known.length && known.every((message, i) => message === messages[i]);
}

const jsonOf = (message: Message | undefined): string => (message === undefined ? "" : serialize(message));
