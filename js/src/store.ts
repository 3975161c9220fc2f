/** Stores, where hosts keep removed content under its handle, and also states and remembered compactions. */
import { Database } from "./database.js";
import { CtxfoldError, invalidOption } from "./errors.js";
import { has } from "./options.js";
import type { Found, SearchOptions, State } from "./types.js";

/**
 * Keeps removed content: cleared, truncated, archived and folded content, and tool outputs that are too large for the
 * transcript.
 *
 * A handle is the SHA-256 of the body's UTF-8 in 64 hexadecimal digits.
 */
export interface Store {
  /**
   * Stores a body under its handle. If the body is already stored, nothing changes. If this throws or rejects, the
   * body is not stored.
   */
  put(handle: string, body: string): void | PromiseLike<void>;
  /**
   * Returns the body whose handle begins with the given digits; undefined or null if there is none. There are at least 16
   * digits, which is the number that markers in transcripts show.
   */
  get(handle: string): MaybeText | PromiseLike<MaybeText>;
  /**
   * Searches the stored bodies. Only stores with their own search, such as a full-text or semantic index, have this
   * method; `searchFrom` then calls it instead of reading bodies. `handles` are the handles that the conversation names.
   * The search must not find content of another conversation.
   */
  search?(query: string, options: StoreSearch): Found | PromiseLike<Found>;
}

/** Search criteria for a store with its own search. */
export interface StoreSearch extends SearchOptions {
  /** The handles that the conversation names; the search must find nothing else. */
  handles: readonly string[];
}

/** Stores the states of conversations, by the ids that the host gives them. */
export interface StateStore {
  /** Stores a state, which replaces the previous one. */
  saveState(conversation: string, state: State): void | PromiseLike<void>;
  /** Returns the state that was stored last; undefined or null if there is none. */
  loadState(conversation: string): MaybeState | PromiseLike<MaybeState>;
  /**
   * Stores a state if the stored state is still `expected` (undefined or null if there should be none), in one atomic
   * step. Returns true if the state was stored. This method is optional. Without it, the stored state is read and
   * compared before `saveState`, so two simultaneous writers may go unnoticed.
   */
  swapState?(conversation: string, expected: MaybeState, state: State): boolean | PromiseLike<boolean>;
  /**
   * Runs `work` while no other process that shares the store does so for this conversation. The signal can abort the
   * wait. This method is optional. Without it, Web Locks are used or, if there are none, calls are serialized within
   * one process.
   */
  alone?<T>(conversation: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

/** A state; undefined or null if there is none. */
export type MaybeState = State | null | undefined;

/** A text; undefined or null if there is none. */
export type MaybeText = string | null | undefined;

/**
 * Stores remembered compactions, for hosts whose process ends before a conversation does. Values are JSON texts, which
 * must be returned unchanged. A key is the `id` of a call, or `default`.
 */
export interface FitMemory {
  /** Returns the text last saved under the key; undefined or null if there is none. */
  load(key: string): MaybeText | PromiseLike<MaybeText>;
  /** Saves text in place of what was saved before. */
  save(key: string, json: string): void | PromiseLike<void>;
}

/** A key-value store, such as that of an edge platform or a page's storage. Only these methods are called. */
export interface KeyValue {
  /** Returns the value of a key; undefined or null if there is none. */
  get(key: string): MaybeText | PromiseLike<MaybeText>;
  /** Stores a value under a key, and replaces the previous one. */
  put(key: string, value: string): unknown;
}

/** Reports whether two states are equal. The order of members does not matter, because some databases change it. */
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

/** How many digits of a handle form the key of a body. */
const KEY_DIGITS = 16;

const HANDLE = /^[0-9a-f]{16,64}$/;

/** Returns the key for a handle. Throws if the argument is not a handle, because a model may have made it up. */
function keyOf(handle: string): string {
  const digits = String(handle).toLowerCase();
  if (!HANDLE.test(digits)) {
    throw invalidOption("a handle has from 16 to 64 hexadecimal digits", "handle");
  }
  return digits.slice(0, KEY_DIGITS);
}

/**
 * Returns the error for a store that already has a different body under the same 16 digits. That can only happen if
 * somebody has constructed such a body on purpose.
 */
const otherBody = (key: string) =>
  new CtxfoldError("store_failed", `the store has another body under the handle ${key}`);

/**
 * Returns a store in memory. `maxLength` limits its size, in UTF-16 code units; it throws `store_full` for a body that
 * does not fit.
 */
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
 * Returns a store on top of an object with `get(key)` and `put(key, value)`, such as a Workers KV namespace. The key of
 * a body is `prefix` and 16 digits; the key of a state is `prefix`, `state:` and the conversation's id; and the key of
 * remembered compactions is `prefix`, `memory:` and the key of the memory. Bodies that are already stored are not
 * written again. Two simultaneous writers of one state may go unnoticed. If two processes remember compactions at the
 * same moment, one of the compactions may be lost, and is then made again. Throws `invalid_option` if the object lacks
 * these methods; `put` throws `store_failed` if there is a different body under the same 16 digits.
 */
export function keyValueStore(kv: KeyValue, prefix = "ctxfold:"): Store & StateStore & FitMemory {
  if (!has(kv, "get", "put")) {
    throw invalidOption("kv is an object with get(key) and put(key, value), such as a Workers KV namespace", "kv");
  }
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

/**
 * Returns a store in the browser's IndexedDB. The database with this name is opened when it is first used. `put` throws
 * `store_failed` if there is a different body under the same 16 digits.
 */
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
    load: (key) => database.read<MaybeText>(STATES, (store) => store.get(memoryKey(key))),
    save: (key, json) => database.write(STATES, (store) => store.put(json, memoryKey(key))),
  };
}

/**
 * Returns the key for remembered compactions. They are in the object store for states, so that databases of earlier
 * versions need no upgrade. The key is a list, so it differs from every conversation's id.
 */
const memoryKey = (key: string): IDBValidKey => ["memory", key];

const BODIES = "bodies";
const STATES = "states";
