/** Options and results of a conversation. */
import type { Restoring } from "./archive.js";
import type { Overrides } from "./ending.js";
import type { CompactionEvent, Journal } from "./journal.js";
import type { LiveSession, RemoteSession } from "./session.js";
import type { StateStore, Store } from "./store.js";
import type { Score } from "./types.gen.js";
import type { Done, Failure, LimitedOutput, Message, OutputLimits, Policy, State, Verdict } from "./types.js";

/** The methods of a compactor that a conversation needs. Compactors of `ctxfold/worker` have them too. */
export interface ConversationCompactor extends Restoring {
  /** The policy in the compactor's options. */
  readonly policy: Policy;
  /** The store for removed content; undefined if there is none. */
  readonly store: Store | undefined;
  /** Whether there is a model to write summaries. */
  readonly summarizes: boolean;
  /** Resolves when the module is loaded; rejects if it can't be. */
  ready(): Promise<void>;
  /** Opens a session with the given messages, in order; by default there are none. */
  session<M extends Message>(messages?: readonly M[], overrides?: Overrides): LiveSession<M> | RemoteSession<M>;
  /** Reports whether a failed call can be repeated after a compaction. */
  classifyError(failure: Failure): Verdict | Promise<Verdict>;
  /** Shortens a tool's output to the limits; see the compactor's method. */
  limitToolOutput(text: string, limits?: OutputLimits): LimitedOutput | Promise<LimitedOutput>;
}

/** A decision of `beforeCompact`. */
export interface CompactDecision {
  /** Skips the compaction. A string becomes the reported reason; for true, the reason is `skipped`. */
  cancel?: boolean | string;
  /** A finished summary. If it is set, `summarize` is not called. */
  summary?: string;
}

/** Options of a conversation. */
export interface ConversationOptions<M extends Message = Message> {
  /** The messages so far. */
  messages?: readonly M[];
  /** The state that the last compaction of this conversation returned. */
  state?: State | null | undefined;
  /** The name of the conversation in events and in `states`. */
  id?: string;
  /**
   * Loads the state if `state` is not given, and saves it after each compaction. If saving fails, that is reported,
   * but the compaction is kept. It is better to store `state` in one transaction with the messages.
   *
   * It also detects other writers: if another tab or process has saved a state for the same `id` since this
   * conversation read it, a compaction rejects with `conflict` before any summary is requested, and nothing has
   * changed. With Web Locks only one tab compacts at a time; with `redisStates` or `postgresStates`, only one process
   * does. To continue after a conflict, call `setMessages` with the stored messages.
   */
  states?: StateStore;
  /** Receives an event at the start and at the end of each compaction. */
  journal?: Journal;
  /** Called before a compaction begins. Return false to skip it, or a `CompactDecision` for more control. */
  beforeCompact?: (start: CompactionEvent) => boolean | CompactDecision | PromiseLike<boolean | CompactDecision>;
  /**
   * Returns how important calls are, by id, and messages, by index in `messages`. Called when a compaction begins; if
   * it throws, the compaction fails and the conversation stays unchanged.
   */
  score?: (messages: readonly M[]) => Score | undefined;
  /** Called at the end of a compaction; `done` is undefined if it failed. Exceptions are logged to the console. */
  afterCompact?: (end: CompactionEvent, done?: Done<M[]>) => void;
  /** Called with errors that the journal throws. Without it they are ignored. */
  onJournalError?: (error: unknown) => void;
  /** Called with a promise for each compaction that begins in the background; see {@link FitterOptions}. */
  waitUntil?: (ended: Promise<void>) => void;
}

/** The outcome of a compaction, or of skipping one. */
export interface Compacted<M extends Message = Message> {
  /** Whether the messages have changed. */
  changed: boolean;
  /**
   * The reason in the report. Without a compaction it is the reason that `beforeCompact` gave (default: `skipped`),
   * or the reason in the check.
   */
  reason: string;
  /** The result, if there was a compaction; undefined if it was skipped or wasn't due. */
  done?: Done<M[]>;
  /**
   * Resolves when the compaction that runs in the background has ended; never rejects. Pass it to an edge worker's
   * `waitUntil`.
   */
  background?: Promise<void>;
}

/** The result of `call`. */
export interface Called<T, M extends Message = Message> {
  /** The value with which the last call of `send` resolved. */
  value: T;
  /**
   * The compaction between two calls, if the first call failed because the messages didn't fit, or before the first
   * call, if the prompt cache was cold.
   */
  compacted?: Compacted<M>;
  /** The verdict on the last call of `send`; its `overflow` is false. */
  verdict: Verdict;
}
