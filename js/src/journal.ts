/** Where the events of compactions are kept. */

/** A compaction of a conversation begins or has ended. */
export interface CompactionEvent {
  type: "compaction_start" | "compaction_end";
  /** The id of the conversation. */
  conversation: string;
  /** It was due; it was asked for; a model said that the conversation does not fit. */
  trigger: "auto" | "manual" | "context_limit_recovery";
  /** Milliseconds since 1970, as Date.now() has them. */
  time: number;
  /** Sizes, estimated. At the start those of after are 0. */
  messages_before: number;
  messages_after: number;
  tokens_before: number;
  tokens_after: number;
  /** Of the end: the reason of the report. */
  reason?: string;
  /** Of the end: the messages that were taken out of the context, by their indexes before, in half-open ranges. */
  removed?: [from: number, to: number][];
  /** Of the end: why the compaction failed. */
  error?: string;
}

/** Keeps events. */
export interface Journal {
  /** Keeps an event. What it throws is told to `onJournalError`; the compaction goes on. */
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
  let opened: Promise<IDBDatabase> | undefined;
  const lost = () => {
    opened = undefined;
  };
  const open = () => {
    opened ??= openDatabase(name, lost);
    return opened;
  };
  return {
    async append(event) {
      const transaction = (await open()).transaction(EVENTS, "readwrite");
      transaction.objectStore(EVENTS).add(event);
      await new Promise<void>((done, failed) => {
        transaction.oncomplete = () => done();
        transaction.onabort = () => failed(transaction.error);
      });
    },
    async events(conversation) {
      const store = (await open()).transaction(EVENTS).objectStore(EVENTS);
      return settled<CompactionEvent[]>(store.index(BY_CONVERSATION).getAll(conversation));
    },
  };
}

const EVENTS = "events";
const BY_CONVERSATION = "conversation";

async function openDatabase(name: string, lost: () => void): Promise<IDBDatabase> {
  try {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      // Keys count up, and an index gives equal keys in the order of these: the oldest event first.
      const events = request.result.createObjectStore(EVENTS, { autoIncrement: true });
      events.createIndex(BY_CONVERSATION, "conversation");
    };
    const database = await settled(request);
    // Another page that deletes or upgrades the database would wait for this one for ever.
    database.onversionchange = () => {
      database.close();
      lost();
    };
    database.onclose = lost;
    return database;
  } catch (cause) {
    lost();
    throw cause;
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}
