/** Journals, which record the events of compactions. */
import { Database } from "./database.js";

/** The start or the end of a compaction. */
export interface CompactionEvent {
  /** Whether the compaction begins or has ended. */
  type: "compaction_start" | "compaction_end";
  /** The id of the conversation. */
  conversation: string;
  /**
   * Why the compaction began: it was due (auto); it was started in advance (background); the prompt cache is cold (cold);
   * the caller requested it (manual); or the model reported an overflow (context_limit_recovery).
   */
  trigger: "auto" | "background" | "cold" | "manual" | "context_limit_recovery";
  /** Milliseconds since 1970, as Date.now() returns them. */
  time: number;
  /** The number of messages before the compaction. */
  messages_before: number;
  /** The number of messages after the compaction; 0 in a start event. */
  messages_after: number;
  /** The estimated tokens before the compaction. */
  tokens_before: number;
  /** The estimated tokens after the compaction; 0 in a start event. */
  tokens_after: number;
  /** End events only: the reason in the report. */
  reason?: string;
  /** End events only: the messages removed from the context, as half-open ranges of their previous indexes. */
  removed?: [from: number, to: number][];
  /** End events only: why the compaction failed, if it did. */
  error?: string;
}

/** Records events. */
export interface Journal {
  /** Records an event. Errors are passed to `onJournalError`; the compaction continues. */
  append(event: CompactionEvent): void | PromiseLike<void>;
  /** Returns the events of a conversation, the oldest first. */
  events(conversation: string): CompactionEvent[] | PromiseLike<CompactionEvent[]>;
}

/** Returns a journal in memory. It keeps copies of the events, until the page or the process ends. */
export function memoryJournal(): Journal {
  const kept: CompactionEvent[] = [];
  return {
    append(event) {
      kept.push(structuredClone(event));
    },
    events: (conversation) => structuredClone(kept.filter((event) => event.conversation === conversation)),
  };
}

/**
 * Returns a journal in the browser's IndexedDB. `name` is the name of the database, which is opened when it is first
 * used.
 */
export function indexedDBJournal(name = "ctxfold-events"): Journal {
  const database = new Database(name, (made) => {
    // Keys are sequential, and an index sorts equal entries by key, so the oldest event comes first.
    made.createObjectStore(EVENTS, { autoIncrement: true }).createIndex(BY_CONVERSATION, "conversation");
  });
  return {
    append: (event) => database.write(EVENTS, (store) => store.add(event)),
    events: (conversation) =>
      database.read<CompactionEvent[]>(EVENTS, (store) => store.index(BY_CONVERSATION).getAll(conversation)),
  };
}

const EVENTS = "events";
const BY_CONVERSATION = "conversation";
