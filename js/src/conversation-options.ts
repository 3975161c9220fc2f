/** What a conversation is made with, and what it returns. */
import type { Restoring } from "./archive.js";
import type { Overrides } from "./ending.js";
import type { CompactionEvent, Journal } from "./journal.js";
import type { LiveSession, RemoteSession } from "./session.js";
import type { StateStore, Store } from "./store.js";
import type { Done, Failure, LimitedOutput, Message, OutputLimits, Policy, State, Verdict } from "./types.js";

/** What a conversation needs of a compactor; that of `ctxfold/worker` has it too. */
export interface ConversationCompactor extends Restoring {
  readonly policy: Policy;
  readonly store: Store | undefined;
  /** It has a model that is asked for summaries. */
  readonly summarizes: boolean;
  ready(): Promise<void>;
  session<M extends Message>(messages?: readonly M[], overrides?: Overrides): LiveSession<M> | RemoteSession<M>;
  classifyError(failure: Failure): Verdict | Promise<Verdict>;
  limitToolOutput(text: string, limits?: OutputLimits): LimitedOutput | Promise<LimitedOutput>;
}

/** What `beforeCompact` decides. */
export interface Before {
  /** Leaves the compaction out; a text is the reason that is told, `skipped` without one. */
  cancel?: boolean | string;
  /** The summary itself, of a caller that has one: `summarize` is not asked. */
  summary?: string;
}

export interface ConversationOptions<M extends Message = Message> {
  /** The messages so far. */
  messages?: readonly M[];
  /** The state that the last compaction of this conversation returned. */
  state?: State | null | undefined;
  /** Names the conversation in events and in `states`. */
  id?: string;
  /**
   * Has the state, where `state` is not given, and is given that of each compaction; what it then throws is told, but the compaction stays
   * done. A host does better to keep `state` next to its messages, in one transaction.
   *
   * It also describes other writers: where another tab or process has saved a state of the same `id` since this conversation has read it, a
   * compaction rejects with `conflict`, before anybody is asked for a summary, and nothing has changed. With Web Locks only one tab compacts
   * at a time, and with `redisStates` or `postgresStates` only one process. `setMessages`, with the messages as they are stored, continues
   * from there.
   */
  states?: StateStore;
  /** Gets an event at the start and at the end of each compaction. */
  journal?: Journal;
  /** Is asked before a compaction begins; false leaves it out, and a `Before` can say more. */
  beforeCompact?: (start: CompactionEvent) => boolean | Before | PromiseLike<boolean | Before>;
  /** Is told the end of a compaction; `done` is missing where it failed. */
  afterCompact?: (end: CompactionEvent, done?: Done<M[]>) => void;
  /** Is told what the journal throws. Without it nobody is. */
  onJournalError?: (error: unknown) => void;
  /** Is given each compaction that begins in the background; see {@link FitterOptions}. */
  waitUntil?: (ended: Promise<void>) => void;
}

/** What came of a compaction, or of leaving it out. */
export interface Compacted<M extends Message = Message> {
  changed: boolean;
  /** The reason of the report, or `beforeCompact`'s; `skipped` where it gave none. */
  reason: string;
  /** The answer, where there was a compaction. */
  done?: Done<M[]>;
  /** Resolves when the compaction that runs in the background has ended, and never rejects. An edge worker gives it to `waitUntil`. */
  background?: Promise<void>;
}

/** What came of `call`. */
export interface Called<T, M extends Message = Message> {
  /** What `send` returned last. */
  value: T;
  /** The compaction between two calls, where one was not enough, or the one before the first, where the prompt cache was cold. */
  compacted?: Compacted<M>;
  verdict: Verdict;
}
