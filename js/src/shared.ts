/**
 * The entry `ctxfold/shared`: a memory for fits in a store that several processes share. If they need the same
 * conversation, one process compacts it and the others use its result. The Go package has the same keys and records, so
 * Go programs can use the same store.
 */
import { createHash } from "node:crypto";
import { checkOptions, type Names } from "./options.js";
import type { Found, Granted, Records, SharedMemory } from "./records.js";
import { RecordsClient, type SharedOptions, type SharedRecords } from "./shared-records.js";
import { type StateStore, sameState } from "./store.js";
import type { Effect } from "./types.gen.js";
import type { State } from "./types.js";

export type { SharedMemory } from "./records.js";
export type { FoundRecord, SharedOptions, SharedRecords } from "./shared-records.js";

/** The names of the options that all shared stores have, for stores with further options. */
export const SHARED_OPTIONS: Names<SharedOptions> = { leaseMs: true, timeoutMs: true, onError: true };

/** Returns a memory for fits and adapters, kept in a store. Create one memory per store. */
export function sharedMemory(records: SharedRecords, options: SharedOptions = {}): SharedMemory {
  checkOptions(options, SHARED_OPTIONS, "sharedMemory");
  return { records: new StoredRecords(new RecordsClient(records, options)) };
}

/**
 * Returns an object for the option `states` of conversations, which keeps their states in a store. Only one process
 * compacts a conversation at a time; in the others, a compaction waits, and then rejects with `conflict` if the state
 * has changed. A state expires some time after its last use, like a record. If conversations may pause for longer,
 * store `state` with the messages instead.
 */
export function sharedStates(records: SharedRecords, options: SharedOptions = {}): StateStore {
  checkOptions(options, SHARED_OPTIONS, "sharedStates");
  return new StoredStates(new RecordsClient(records, options));
}

/** The lease durations that the module accepts, in milliseconds. */
const [SHORTEST_LEASE, LONGEST_LEASE] = [100, 3_600_000];

/** The records of all histories in a store. */
class StoredRecords implements Records {
  readonly settings: Records["settings"];
  readonly #client: RecordsClient;
  /** The holders that have been granted a lease and still have it. */
  readonly #holders = new Set<string>();

  constructor(client: RecordsClient) {
    this.#client = client;
    const lease = Math.min(Math.max(Math.round(client.leaseMs), SHORTEST_LEASE), LONGEST_LEASE);
    this.settings = { records: "prefix", lease, store_timeout: -1 }; // the store has its own limits
  }

  async load(keys: readonly string[]): Promise<Found> {
    return (await this.#client.find(keys)) ?? {};
  }

  async save({ keys = [], record = "", holder, lease = "" }: Effect): Promise<boolean> {
    if (holder !== undefined && this.#holders.has(holder)) return this.#client.keepLeased(lease, holder, keys, record);
    await this.#client.keep(keys, record);
    return true;
  }

  /** Requests a lease. If the store is unreachable, the lease is treated as granted, so that nobody has to wait. */
  async lease(keys: readonly string[], holder: string, ttl: number): Promise<Granted> {
    if (this.#holders.has(holder)) return { done: await this.#client.renew(keys[0] as string, holder, ttl) };
    const granted = await this.#client.lease(keys, holder, ttl);
    if (granted) this.#holders.add(holder);
    return { done: granted !== false };
  }

  async release(key: string, holder: string): Promise<void> {
    if (this.#holders.delete(holder)) await this.#client.release(key, holder);
  }

  ended(): undefined {}
}

/** Returns the key of a conversation's lease or record, depending on `kind`. */
const keyOf = (kind: string, conversation: string): string =>
  createHash("sha256").update(`${kind} ${conversation}`).digest("hex");

/** Stores the states of conversations in a store that processes share. */
class StoredStates implements StateStore {
  readonly #client: RecordsClient;

  constructor(client: RecordsClient) {
    this.#client = client;
  }

  async loadState(conversation: string): Promise<State | undefined> {
    const found = await this.#client.find([keyOf("state", conversation)]);
    return found && JSON.parse(found.record);
  }

  saveState(conversation: string, state: State): Promise<void> {
    return this.#client.keep([keyOf("state", conversation)], JSON.stringify(state));
  }

  async swapState(conversation: string, expected: State | null | undefined, state: State): Promise<boolean> {
    const key = keyOf("state", conversation);
    return this.#client.alone(key, undefined, async (holder) => {
      if (!sameState(await this.loadState(conversation), expected)) return false;
      if (holder !== undefined) return this.#client.keepLeased(key, holder, [key], JSON.stringify(state));
      await this.saveState(conversation, state);
      return true;
    });
  }

  alone<T>(conversation: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.#client.alone(keyOf("conversation", conversation), signal, () => work());
  }
}
