/** Where bodies are kept that were removed of a transcript, by their handles. */
import { Database } from "./database.js";
import { CtxfoldError } from "./errors.js";
import type { FitMemory } from "./records.js";
import type { Found, SearchOptions, State } from "./types.js";

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
  /**
   * Searches what the store keeps, where it can do so itself, because it has an index or can tell what means the same; then searches read
   * no bodies. `handles` are those that the conversation names. It must not find what belongs to another conversation.
   */
  search?(query: string, options: StoreSearch): Found | PromiseLike<Found>;
}

/** What a store is told that searches by itself. */
export interface StoreSearch extends SearchOptions {
  handles: readonly string[];
}

/** Keeps the states of conversations, by the names that the host gives them. */
export interface StateStore {
  /** Keeps a state in place of the one before. */
  saveState(conversation: string, state: State): void | PromiseLike<void>;
  /** The state that was kept last; undefined or null where there is none. */
  loadState(conversation: string): MaybeState | PromiseLike<MaybeState>;
  /**
   * Keeps a state if the one that is kept is still `expected` (undefined or null: there is none), in one step that nobody can come between;
   * reports whether it did. A store that cannot do so leaves it out: then what is kept is read and compared before `saveState`, and two
   * writers at the same moment can go unnoticed.
   */
  swapState?(conversation: string, expected: MaybeState, state: State): boolean | PromiseLike<boolean>;
  /**
   * Does something while nobody else does it for this conversation, for a store that processes share; what waits for others ends with the
   * signal's reason. Without it Web Locks do so, or in one process its calls wait for each other.
   */
  alone?<T>(conversation: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

export type MaybeState = State | null | undefined;

export type MaybeText = string | null | undefined;

/** What an edge platform's store or a storage of the page must be able to do to hold bodies. */
export interface KeyValue {
  get(key: string): MaybeText | PromiseLike<MaybeText>;
  put(key: string, value: string): unknown;
}

/** Whether two states are the same. Databases may return the members of an object in another order. */
export function sameState(a: MaybeState, b: MaybeState): boolean {
  return same(a ?? undefined, b ?? undefined);
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && same(one[name], other[name]))
  );
}

/** How many digits of a handle the stores of this package keep a body under. */
const KEY_DIGITS = 16;

const HANDLE = /^[0-9a-f]{16,64}$/;

/** The key of a handle; throws for anything else, which a model may have made up. */
function keyOf(handle: string): string {
  const digits = String(handle).toLowerCase();
  if (!HANDLE.test(digits)) {
    throw new CtxfoldError("invalid_option", "a handle has from 16 to 64 hexadecimal digits", { path: "handle" });
  }
  return digits.slice(0, KEY_DIGITS);
}

/** What a store fails with that has another body where one should be kept: 16 digits of two handles are the same, which somebody has made so. */
const otherBody = (key: string) =>
  new CtxfoldError("store_failed", `the store has another body under the handle ${key}`);

/** A store in memory. With `maxLength` (UTF-16 code units) it throws `store_full` for a body that it has no room for. */
export function memoryStore({
  maxLength = Number.POSITIVE_INFINITY,
}: {
  maxLength?: number;
} = {}): Store & StateStore & FitMemory {
  const bodies = new Map<string, string>();
  const states = new Map<string, State>();
  const memory = new Map<string, string>();
  let length = 0;
  return {
    saveState(conversation, state) {
      states.set(conversation, structuredClone(state));
    },
    loadState: (conversation) => structuredClone(states.get(conversation)),
    swapState(conversation, expected, state) {
      if (!sameState(states.get(conversation), expected)) return false;
      states.set(conversation, structuredClone(state));
      return true;
    },
    put(handle, body) {
      const key = keyOf(handle);
      const there = bodies.get(key);
      if (there === body) return;
      if (there !== undefined) throw otherBody(key);
      if (length + body.length > maxLength) {
        throw new CtxfoldError("store_full", `the store has no room for ${body.length} more characters`);
      }
      bodies.set(key, body);
      length += body.length;
    },
    get: (handle) => bodies.get(keyOf(handle)),
    load: (key) => memory.get(key),
    save: (key, json) => void memory.set(key, json),
  };
}

/**
 * A store over anything with `get(key)` and `put(key, value)`, such as a Workers KV namespace. A body's key is `prefix` and 16
 * digits; that of a state is `prefix`, `state:` and the conversation's name, and that of what fits remember `prefix`, `memory:` and their key.
 * A body is read before it is written, and one that is there already stays. Two writers of one state at the same moment can go unnoticed. Of
 * what two processes remember at the same moment, one may be lost, which costs a compaction.
 */
export function keyValueStore(kv: KeyValue, prefix = "ctxfold:"): Store & StateStore & FitMemory {
  return {
    async saveState(conversation, state) {
      await kv.put(`${prefix}state:${conversation}`, JSON.stringify(state));
    },
    async loadState(conversation) {
      const text = await kv.get(`${prefix}state:${conversation}`);
      return typeof text === "string" ? JSON.parse(text) : undefined;
    },
    async put(handle, body) {
      const key = keyOf(handle);
      const there = await kv.get(prefix + key);
      if (there === body) return;
      if (typeof there === "string") throw otherBody(key);
      await kv.put(prefix + key, body);
    },
    get: (handle) => kv.get(prefix + keyOf(handle)),
    load: (key) => kv.get(`${prefix}memory:${key}`),
    async save(key, json) {
      await kv.put(`${prefix}memory:${key}`, json);
    },
  };
}

/** A store in the browser's IndexedDB, in a database of this name. It opens the database when it is used first. */
export function indexedDBStore(name = "ctxfold"): Store & StateStore & FitMemory {
  const database = new Database(name, (made) => {
    for (const kind of [BODIES, STATES]) made.createObjectStore(kind);
  });
  return {
    saveState: (conversation, state) => database.write(STATES, (store) => store.put(state, conversation)),
    loadState: (conversation) => database.read<MaybeState>(STATES, (store) => store.get(conversation)),
    swapState: (conversation, expected, state) =>
      database.swap<MaybeState>(STATES, conversation, (kept) => sameState(kept, expected), state),
    async put(handle, body) {
      const key = keyOf(handle);
      const free = (kept: MaybeText) => kept === undefined || kept === body;
      if (!(await database.swap(BODIES, key, free, body))) throw otherBody(key);
    },
    get: async (handle) => database.read<MaybeText>(BODIES, (store) => store.get(keyOf(handle))),
    load: (key) => database.read<MaybeText>(STATES, (store) => store.get(inMemory(key))),
    save: (key, json) => database.write(STATES, (store) => store.put(json, inMemory(key))),
  };
}

/** Next to the states, so that databases of earlier versions do: no conversation has a list as its name. */
const inMemory = (key: string): IDBValidKey => ["memory", key];

const BODIES = "bodies";
const STATES = "states";
