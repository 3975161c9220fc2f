/** Where bodies are kept that were taken out of a transcript, by their handles. */
import { CtxfoldError } from "./errors.js";
import type { State } from "./types.js";

/**
 * Keeps bodies: cleared, truncated, archived and folded ones, and tool outputs that are too large for the transcript.
 *
 * A handle is the SHA-256 of the body's UTF-8 in 64 hexadecimal digits.
 */
export interface Store {
  /** Keeps a body under its handle. One that is there already stays as it is. What it throws means that it is not kept. */
  put(handle: string, body: string): void | PromiseLike<void>;
  /**
   * The body whose handle begins with these digits, 16 or more of them (markers in transcripts name the first 16);
   * undefined or null where there is none.
   */
  get(handle: string): MaybeText | PromiseLike<MaybeText>;
}

/** Keeps the states of conversations, by the names that the host gives them. */
export interface StateStore {
  /** Keeps a state in the place of the one before. */
  saveState(conversation: string, state: State): void | PromiseLike<void>;
  /** The state that was kept last; undefined or null where there is none. */
  loadState(conversation: string): MaybeState | PromiseLike<MaybeState>;
}

export type MaybeState = State | null | undefined;

export type MaybeText = string | null | undefined;

/** What an edge platform's store or a storage of the page must be able to do to hold bodies. */
export interface KeyValue {
  get(key: string): MaybeText | PromiseLike<MaybeText>;
  put(key: string, value: string): unknown;
}

/** How many digits of a handle the stores of this package keep a body under. */
const KEY_DIGITS = 16;

const HANDLE = /^[0-9a-f]{16,64}$/;

/** The key of a handle; throws for what is none, which a model may have made up. */
function keyOf(handle: string): string {
  const digits = String(handle).toLowerCase();
  if (!HANDLE.test(digits)) {
    throw new CtxfoldError("invalid_option", "a handle has from 16 to 64 hexadecimal digits", { path: "handle" });
  }
  return digits.slice(0, KEY_DIGITS);
}

/** A store in memory. With `maxLength` (UTF-16 code units) it throws `store_full` for a body that it has no room for. */
export function memoryStore({ maxLength = Number.POSITIVE_INFINITY }: { maxLength?: number } = {}): Store & StateStore {
  const bodies = new Map<string, string>();
  const states = new Map<string, State>();
  let length = 0;
  return {
    saveState(conversation, state) {
      states.set(conversation, structuredClone(state));
    },
    loadState: (conversation) => structuredClone(states.get(conversation)),
    put(handle, body) {
      const key = keyOf(handle);
      if (bodies.has(key)) return;
      if (length + body.length > maxLength) {
        throw new CtxfoldError("store_full", `the store has no room for ${body.length} more characters`);
      }
      bodies.set(key, body);
      length += body.length;
    },
    get: (handle) => bodies.get(keyOf(handle)),
  };
}

/**
 * A store over anything with `get(key)` and `put(key, value)`, such as a Workers KV namespace. A body's key is `prefix` and 16
 * digits; that of a state is `prefix`, `state:` and the conversation's name.
 */
export function keyValueStore(kv: KeyValue, prefix = "ctxfold:"): Store & StateStore {
  return {
    async saveState(conversation, state) {
      await kv.put(`${prefix}state:${conversation}`, JSON.stringify(state));
    },
    async loadState(conversation) {
      const text = await kv.get(`${prefix}state:${conversation}`);
      return typeof text === "string" ? JSON.parse(text) : undefined;
    },
    async put(handle, body) {
      await kv.put(prefix + keyOf(handle), body);
    },
    get: (handle) => kv.get(prefix + keyOf(handle)),
  };
}

/** A store in the browser's IndexedDB, in a database of this name. It opens the database when it is used first. */
export function indexedDBStore(name = "ctxfold"): Store & StateStore {
  let opened: Promise<IDBDatabase> | undefined;
  const open = () => {
    opened ??= openDatabase(name, () => {
      opened = undefined;
    });
    return opened;
  };
  const put = async (kind: string, key: string, value: unknown) => {
    const transaction = (await open()).transaction(kind, "readwrite");
    transaction.objectStore(kind).put(value, key);
    await new Promise<void>((done, failed) => {
      transaction.oncomplete = () => done();
      transaction.onabort = () => failed(transaction.error);
    });
  };
  const get = async <T>(kind: string, key: string) =>
    settled<T>((await open()).transaction(kind).objectStore(kind).get(key));
  return {
    saveState: (conversation, state) => put(STATES, conversation, state),
    loadState: (conversation) => get<MaybeState>(STATES, conversation),
    put: async (handle, body) => put(BODIES, keyOf(handle), body),
    get: async (handle) => get<MaybeText>(BODIES, keyOf(handle)),
  };
}

const BODIES = "bodies";
const STATES = "states";

async function openDatabase(name: string, lost: () => void): Promise<IDBDatabase> {
  try {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      for (const kind of [BODIES, STATES]) request.result.createObjectStore(kind);
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
