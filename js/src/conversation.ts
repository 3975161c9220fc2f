/** One conversation, compacted over and over: after its turns, and when a model says that it does not fit. */
import type { CompactOptions } from "./compactor.js";
import { CtxfoldError, messageOf } from "./errors.js";
import type { CompactionEvent, Journal } from "./journal.js";
import type { Store } from "./store.js";
import type { Summarize } from "./summarize.js";
import type { Action, Check, Done, FunctionRequest, Messages, Policy, Same, State } from "./types.js";

/** What is known of a call of a model, whether it failed or not. Every field may be left out. */
export interface Failure {
  /** HTTP status. */
  status?: number;
  /** The body of the answer, or the error's text. */
  body?: string;
  /** A hint, by a name of docs/OVERFLOW.md. */
  provider?: string;
  /** The model that was called, and the one in use now: an error of another model says nothing about the conversation. */
  model?: string;
  current_model?: string;
  finish_reason?: string;
  /** Of a call that succeeded, in tokens; input is without what was read from or written to the cache. */
  usage?: { input_tokens?: number; cache_read_tokens?: number; cache_write_tokens?: number; output_tokens?: number };
  /** The model's context window, in tokens. */
  window?: number;
}

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
  readonly state: State | undefined;
  ready(): Promise<void>;
  check(messages: Messages): Check | Promise<Check>;
  compact<M extends Messages>(messages: M, options?: CompactOptions): Promise<Done<M>>;
  function<T>(name: string, request?: FunctionRequest): T | Promise<T>;
  close?(): void;
}

export interface ConversationOptions<O> {
  /** `createCompactor`, of whatever entry. */
  create: (options: O & { policy: Policy; state?: State | undefined; summarize?: Summarize }) => ConversationCompactor;
  /** What else the compactors are made with, such as `module`. */
  compactor?: O;
  policy?: Policy;
  summarize?: Summarize;
  /** The state that the last compaction of this conversation returned. */
  state?: State | undefined;
  /** Names the conversation in events. */
  id?: string;
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

/** The conversation; its methods must not be called at the same time. */
export class Conversation<O = unknown> {
  /** That of the last compaction. Store it with the conversation. */
  state: State | undefined;
  readonly #options: ConversationOptions<O>;

  constructor(options: ConversationOptions<O>) {
    this.#options = options;
    this.state = options.state;
  }

  /** Compacts if that is due. To be called when the model has ended its turn. */
  async afterTurn<M extends Messages>(messages: M, options?: CompactOptions): Promise<Compacted<M>> {
    const check = await this.#with(this.#policy({}), (compactor) => compactor.check(messages));
    if (!check.due) return { messages, changed: false, reason: check.reason };
    return this.#compact(messages, this.#policy({}), "auto", check, options);
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
    const request = { arguments: { ...failure } };
    return this.#with(this.#policy({}), (compactor) => compactor.function<Verdict>("classify_error", request));
  }

  /**
   * Shortens the output of a tool before it is added to the transcript. What is too large is kept in `store`, and a notice
   * with its handle stands for it; where there is no store, or it fails, the output is cut, and says so. `limits` are the
   * arguments of `limit_tool_output` (docs/FUNCTIONS.md).
   */
  async limitOutput(text: string, store?: Store, limits: Record<string, unknown> = {}): Promise<LimitedOutput> {
    const run = (more: object) =>
      this.#with(this.#policy({}), (compactor) =>
        compactor.function<LimitedOutput>("limit_tool_output", { text, arguments: { ...limits, ...more } }),
      );
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

  async #with<T>(policy: Policy, use: (compactor: ConversationCompactor) => T | Promise<T>): Promise<T> {
    const { create, compactor, summarize } = this.#options;
    const made = create({ ...(compactor as O), policy, state: this.state, ...(summarize && { summarize }) });
    try {
      await made.ready();
      return await use(made);
    } finally {
      made.close?.();
    }
  }

  /** `limit` is the window that a provider has named, 0 for none: the policy's may be too large. */
  async #forced<M extends Messages>(
    messages: M,
    trigger: CompactionEvent["trigger"],
    limit: number,
    options?: CompactOptions,
  ): Promise<Compacted<M>> {
    let policy = this.#policy({ force: true });
    let check = await this.#with(policy, (compactor) => compactor.check(messages));
    if (limit > 0 && (check.window === 0 || limit < check.window)) {
      const narrower = { ...policy, window: { ...policy.window, tokens: limit } };
      try {
        check = await this.#with(narrower, (compactor) => compactor.check(messages));
        policy = narrower;
      } catch (error) {
        // The policy's reserve does not fit in that window.
        if (!(error instanceof CtxfoldError && error.code === "out_of_range")) throw error;
      }
    }
    return this.#compact(messages, policy, trigger, check, options);
  }

  async #compact<M extends Messages>(
    messages: M,
    policy: Policy,
    trigger: CompactionEvent["trigger"],
    check: Check,
    options?: CompactOptions,
  ): Promise<Compacted<M>> {
    const { id = "", beforeCompact, afterCompact } = this.#options;
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
      done = await this.#with(policy, (compactor) => compactor.compact(messages, options));
    } catch (error) {
      const { messages_before: count, tokens_before: tokens } = start;
      const end: CompactionEvent = { ...start, type: "compaction_end", time: Date.now(), error: messageOf(error) };
      await this.#end({ ...end, messages_after: count, tokens_after: tokens }, afterCompact);
      throw error;
    }
    this.state = done.state;
    const { report } = done;
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

/** What the errors of the providers' SDKs tell: `status`, `statusCode`, and the body as text or JSON. */
function failureOf(error: unknown): Failure {
  if (error !== Object(error)) return { body: String(error) };
  const e = error as Record<string, unknown>;
  const status = [e.status, e.statusCode].find((each) => Number.isInteger(each)) as number | undefined;
  const body = typeof e.responseBody === "string" && e.responseBody ? e.responseBody : messageOf(error);
  const inner = e.error !== undefined && e.error === Object(e.error) ? `${body}\n${JSON.stringify(e.error)}` : body;
  return { body: inner, ...(status !== undefined && { status }) };
}

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
