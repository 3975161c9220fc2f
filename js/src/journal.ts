/** Where the events of compactions are kept. */
import { Database } from "./database.js";

/** A compaction of a conversation begins or has ended. */
export interface CompactionEvent {
  type: "compaction_start" | "compaction_end";
  /** The id of the conversation. */
  conversation: string;
  /** It was due; it was begun before it was due; the prompt cache is cold; it was asked for; a model said that the conversation does not fit. */
  trigger: "auto" | "background" | "cold" | "manual" | "context_limit_recovery";
  /** Milliseconds since 1970, as Date.now() has them. */
  time: number;
  /** Sizes, estimated. At the start those of after are 0. */
  messages_before: number;
  messages_after: number;
  tokens_before: number;
  tokens_after: number;
  /** Of the end: the reason of the report. */
  reason?: string;
  /** Of the end: the messages that were removed of the context, by their indexes before, in half-open ranges. */
  removed?: [from: number, to: number][];
  /** Of the end: why the compaction failed. */
  error?: string;
}

/** Keeps events. */
export interface Journal {
  /** Keeps an event. What it throws is told to `onJournalError`; the compaction continues. */
  append(event: CompactionEvent): void | PromiseLike<void>;
  /** The events of a conversation, oldest first. */
  events(conversation: string): CompactionEvent[] | PromiseLike<CompactionEvent[]>;
}

/** A journal in memory. */
export function memoryJournal(): Journal {
  const kept: CompactionEvent[] = [];
  return {
    append(event) {
      kept.push(structuredClone(event));
    },
    events: (conversation) => structuredClone(kept.filter((event) => event.conversation === conversation)),
  };
}

/** A journal in the browser's IndexedDB, in a database of this name. It opens the database when it is used first. */
export function indexedDBJournal(name = "ctxfold-events"): Journal {
  const database = new Database(name, (made) => {
    // Keys count up, and an index gives equal keys in the order of these: the oldest event first.
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
