/** A store of records and leases that processes share, and a client that copes with the store's failures. */
import { randomUUID } from "node:crypto";
import { unlessAborted } from "./abort.js";
import { invalidOption } from "./errors.js";
import { has } from "./options.js";

/**
 * A store of records and leases, with keys of 64 hexadecimal digits. If a record or lease is lost, the worst
 * consequence is another compaction, so a store may delete records that have not been used for long. A method rejects
 * if the store is unreachable.
 *
 * A record contains text of the conversation: protect it like a conversation.
 */
export interface SharedRecords {
  /** Looks up at most 2,048 keys, in their order. Resolves to the first record found with the index of its key. */
  find(keys: readonly string[]): Promise<FoundRecord | undefined>;
  /** Stores a record under each of these keys in one atomic step, replacing existing records. */
  keep(keys: readonly string[], record: string): Promise<unknown>;
  /**
   * Leases `keys[0]` to the holder for this many milliseconds from now, unless another holder has a lease on one of
   * the keys. Resolves to true if the lease was granted. Of two simultaneous calls with the same `keys[0]`, at most
   * one is granted.
   */
  lease(keys: readonly string[], holder: string, leaseMs: number): Promise<boolean>;
  /**
   * Extends the lease to this many milliseconds from now. Resolves to false if the holder no longer has a lease on
   * the key.
   */
  renew(key: string, holder: string, leaseMs: number): Promise<boolean>;
  /** Ends the holder's lease on the key, if there is one. */
  release(key: string, holder: string): Promise<unknown>;
  /**
   * Like `keep`, but stores the record only if the holder has the lease on `key`, in one atomic step. Resolves to
   * true if the record was stored.
   */
  keepLeased(key: string, holder: string, keys: readonly string[], record: string): Promise<boolean>;
}

/** A record that was found under one of several keys. */
export interface FoundRecord {
  /** The index of the key. */
  at: number;
  /** The record, as it was stored. */
  record: string;
}

/** Options of a memory that processes share. */
export interface SharedOptions {
  /**
   * The duration of a lease that is not renewed, in milliseconds. If a process dies, other processes wait for this
   * long. Default: 15,000.
   */
  leaseMs?: number;
  /** The time limit for one call of the store, in milliseconds. Default: 2,000. */
  timeoutMs?: number;
  /**
   * Called with the error when a call of the store fails or takes longer than `timeoutMs`. Fits then continue without
   * the store for a while.
   */
  onError?: (error: unknown) => void;
}

const LEASE_MS = 15_000;
const TIMEOUT_MS = 2_000;
/** How long a store is not called after a failure, in milliseconds. Then one call tests whether it works again. */
const PAUSE_MS = 3_000;
/** The maximum size of the records that this process keeps in case the store fails, in UTF-16 code units. */
const NEAR = 8 << 20;
/**
 * How many keys a lookup sends in its first call, and in each further call. The first number is smaller because most
 * histories are known except for their last few messages.
 */
const FIRST_KEYS = 64;
const MORE_KEYS = 2048;
/** The shortest and the longest interval between attempts to get a lease, in milliseconds. */
const FIRST_POLL = 5;
const LONGEST_POLL = 200;
/**
 * Calls a store that may fail. Each call has a time limit, and after a failure this process uses its own copies of
 * records for a while.
 */
export class RecordsClient {
  /** The duration of a lease that is not renewed, in milliseconds. */
  readonly leaseMs: number;
  readonly #records: SharedRecords;
  readonly #timeoutMs: number;
  readonly #onError: ((error: unknown) => void) | undefined;
  /** This process's copies of records by key, from the least to the most recently used. */
  readonly #near = new Map<string, string>();
  #length = 0;
  #closedUntil = 0;

  constructor(records: SharedRecords, { leaseMs = LEASE_MS, timeoutMs = TIMEOUT_MS, onError }: SharedOptions) {
    if (!has(records, "find", "keep", "lease", "renew", "release", "keepLeased")) {
      throw invalidOption("records is an object with find, keep, lease, renew, release and keepLeased", "records");
    }
    this.#records = records;
    this.leaseMs = leaseMs;
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  /**
   * Resolves to the first record found under the keys. This process's own copy is used if it covers more messages,
   * because then the store has lost that record, or was unreachable when it was made.
   */
  async find(keys: readonly string[]): Promise<FoundRecord | undefined> {
    let found: FoundRecord | undefined;
    let reached = true;
    for (let at = 0, n = FIRST_KEYS; reached && !found && at < keys.length; at += n, n = MORE_KEYS) {
      const answer = await this.#call((records) => records.find(keys.slice(at, at + n)));
      reached = answer !== undefined;
      if (answer?.value) found = { ...answer.value, at: at + answer.value.at };
    }
    for (let at = 0; this.#near.size > 0 && at < (found?.at ?? keys.length); at++) {
      const record = this.#near.get(keys[at] as string);
      if (record === undefined) continue;
      if (reached) await this.keep([keys[at] as string], record);
      return { at, record };
    }
    if (found) this.#note([keys[found.at] as string], found.record);
    return found;
  }

  /** Stores a record under each of the keys. If the store fails, the record is only kept in this process. */
  async keep(keys: readonly string[], record: string): Promise<void> {
    await this.#call((records) => records.keep(keys, record));
    this.#note(keys, record);
  }

  /**
   * Stores a record. Resolves to false if the lease has ended, because another process may then have compacted the
   * history. If the store fails, the record is only kept in this process.
   */
  async keepLeased(key: string, holder: string, keys: readonly string[], record: string): Promise<boolean> {
    const answer = await this.#call((records) => records.keepLeased(key, holder, keys, record));
    if (answer?.value === false) return false;
    this.#note(keys, record);
    return true;
  }

  /**
   * Runs `work` while holding the lease on the key. `work` gets the holder as its argument, or undefined if the store
   * is unreachable.
   */
  async alone<T>(key: string, signal: AbortSignal | undefined, work: (holder?: string) => Promise<T>): Promise<T> {
    const holder = randomUUID();
    if (!(await this.#take(key, holder, signal))) return work();
    const renewal = setInterval(async () => {
      if (!(await this.renew(key, holder))) clearInterval(renewal);
    }, this.leaseMs / 3);
    try {
      signal?.throwIfAborted();
      return await work(holder);
    } finally {
      clearInterval(renewal);
      await this.release(key, holder);
    }
  }

  /** Waits until the lease is granted. Resolves to false if the store is unreachable. */
  async #take(key: string, holder: string, signal: AbortSignal | undefined): Promise<boolean> {
    for (let wait = FIRST_POLL; ; wait = Math.min(2 * wait, LONGEST_POLL)) {
      const granted = await this.lease([key], holder);
      if (granted !== false) return granted ?? false;
      await unlessAborted(new Promise((over) => setTimeout(over, wait)), signal);
    }
  }

  /**
   * Requests a lease. Resolves to true if the lease was granted and to false if not; to undefined if the store is
   * unreachable.
   */
  async lease(keys: readonly string[], holder: string, leaseMs = this.leaseMs): Promise<boolean | undefined> {
    let late: Promise<boolean> | undefined;
    const answer = await this.#call((records) => {
      late = records.lease(keys, holder, leaseMs);
      return late;
    });
    // A disconnected client may still send the request when it reconnects. If the lease is granted then, it must be
    // released.
    if (!answer) late?.then((granted) => granted && this.#records.release(keys[0] as string, holder)).catch(() => {});
    return answer?.value;
  }

  /** Extends a lease. Resolves to false if the lease has ended, and to true if the store is unreachable. */
  async renew(key: string, holder: string, leaseMs = this.leaseMs): Promise<boolean> {
    const answer = await this.#call((records) => records.renew(key, holder, leaseMs));
    return answer?.value !== false;
  }

  /** Releases a lease. A lease also ends by itself, so a pending release does not keep the process running. */
  async release(key: string, holder: string): Promise<void> {
    await this.#call((records) => records.release(key, holder), false);
  }

  async #call<T>(work: (records: SharedRecords) => Promise<T>, awaited = true): Promise<{ value: T } | undefined> {
    const now = Date.now();
    if (now < this.#closedUntil) return undefined;
    if (this.#closedUntil > 0) this.#closedUntil = now + Math.max(PAUSE_MS, this.#timeoutMs);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, failed) => {
      timer = setTimeout(() => failed(new Error(`the store took longer than ${this.#timeoutMs} ms`)), this.#timeoutMs);
      if (!awaited) (timer as { unref?: () => void }).unref?.(); // in Node, Deno and Bun
    });
    try {
      const value = await Promise.race([work(this.#records), late]);
      this.#closedUntil = 0;
      return { value };
    } catch (error) {
      this.#closedUntil = Date.now() + PAUSE_MS;
      this.#onError?.(error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #note(keys: readonly string[], record: string): void {
    for (const key of keys) {
      this.#forget(key);
      this.#near.set(key, record);
      this.#length += key.length + record.length;
    }
    for (const oldest of this.#near.keys()) {
      if (this.#length <= NEAR) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const record = this.#near.get(key);
    if (record === undefined) return;
    this.#near.delete(key);
    this.#length -= key.length + record.length;
  }
}
