/** A store of records and leases that processes share, and how a process uses it while it may fail. */
import { randomUUID } from "node:crypto";
import { unlessAborted } from "./archive.js";

/**
 * A store of records and leases, by keys of 64 hexadecimal digits. Losing a record or a lease costs a compaction and nothing else, so a
 * store may forget what was not used for long. A method rejects where the store cannot be reached.
 *
 * A record holds text of the conversation: keep it where you keep conversations.
 */
export interface SharedRecords {
  /** Looks for one key after the other: the first record that is there, and the index of its key. Gets at most 2,048 keys. */
  find(keys: readonly string[]): Promise<FoundRecord | undefined>;
  /** Keeps a record under each of these keys, in place of what was there, in one step. */
  keep(keys: readonly string[], record: string): Promise<unknown>;
  /**
   * Leases `keys[0]` to the holder, from now on for so many milliseconds, unless another holder has a lease on one of the keys; reports
   * whether it did. Of two calls with the same `keys[0]` at the same time at most one is granted.
   */
  lease(keys: readonly string[], holder: string, leaseMs: number): Promise<boolean>;
  /** Makes the lease end so many milliseconds from now; false where the holder has none on the key any more. */
  renew(key: string, holder: string, leaseMs: number): Promise<boolean>;
  /** Ends the lease, if the holder has one on the key. */
  release(key: string, holder: string): Promise<unknown>;
  /** `keep`, if the holder has the lease on `key`: in one atomic step. Returns whether it was kept. */
  keepLeased(key: string, holder: string, keys: readonly string[], record: string): Promise<boolean>;
}

export interface FoundRecord {
  at: number;
  record: string;
}

export interface SharedOptions {
  /** How long a lease lasts that is not renewed, in milliseconds: so long others wait for a process that has died. Default 15,000. */
  leaseMs?: number;
  /** How long one call of the store may take, in milliseconds. Default 2,000. */
  timeoutMs?: number;
  /** Is told why the store could not be reached. Fits continue without it. */
  onError?: (error: unknown) => void;
}

const LEASE_MS = 15_000;
const TIMEOUT_MS = 2_000;
/** So long a store that has failed is left alone; then one call finds out whether it is back. */
const PAUSE_MS = 3_000;
/** UTF-16 code units of records that this process holds for the time when the store fails. */
const NEAR = 8 << 20;
/** How many keys the first call of a search sends, and each further one. Most histories are known up to a few messages. */
const FIRST_KEYS = 64;
const MORE_KEYS = 2048;
/** The times between two tries to get a lease, in milliseconds. */
const FIRST_POLL = 5;
const LONGEST_POLL = 200;
/** A store that may fail: each call has a time limit, and after a failure this process continues for a while with what it knows itself. */
export class Reach {
  readonly leaseMs: number;
  readonly #records: SharedRecords;
  readonly #timeoutMs: number;
  readonly #onError: ((error: unknown) => void) | undefined;
  /** The one that was used last is the last. */
  readonly #near = new Map<string, string>();
  #length = 0;
  #closedUntil = 0;

  constructor(records: SharedRecords, { leaseMs = LEASE_MS, timeoutMs = TIMEOUT_MS, onError }: SharedOptions) {
    this.#records = records;
    this.leaseMs = leaseMs;
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
  }

  /**
   * The first record of the keys. What this process knows of more messages than the store does comes first: the store has
   * lost it, or could not be reached when it was made.
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

  async keep(keys: readonly string[], record: string): Promise<void> {
    await this.#call((records) => records.keep(keys, record));
    this.#note(keys, record);
  }

  /** False where the lease has ended, so that another process may have compacted the history. Where the store fails, at least this one knows. */
  async keepLeased(key: string, holder: string, keys: readonly string[], record: string): Promise<boolean> {
    const answer = await this.#call((records) => records.keepLeased(key, holder, keys, record));
    if (answer?.value === false) return false;
    this.#note(keys, record);
    return true;
  }

  /**
   * Does something while it has the lease on the key. The work gets the holder; undefined where the store cannot be reached.
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

  /** Waits for the lease; false where the store cannot be reached. */
  async #take(key: string, holder: string, signal: AbortSignal | undefined): Promise<boolean> {
    for (let wait = FIRST_POLL; ; wait = Math.min(2 * wait, LONGEST_POLL)) {
      const granted = await this.lease([key], holder);
      if (granted !== false) return granted ?? false;
      await unlessAborted(new Promise((over) => setTimeout(over, wait)), signal);
    }
  }

  /** Whether the lease on the first of the keys was granted; undefined where the store cannot be reached. */
  async lease(keys: readonly string[], holder: string, leaseMs = this.leaseMs): Promise<boolean | undefined> {
    let late: Promise<boolean> | undefined;
    const answer = await this.#call((records) => {
      late = records.lease(keys, holder, leaseMs);
      return late;
    });
    // A client that is cut off may send it when it is connected again: then nobody would give the lease back.
    if (!answer) late?.then((granted) => granted && this.#records.release(keys[0] as string, holder)).catch(() => {});
    return answer?.value;
  }

  /** False where the lease has ended. */
  async renew(key: string, holder: string, leaseMs = this.leaseMs): Promise<boolean> {
    const answer = await this.#call((records) => records.renew(key, holder, leaseMs));
    return answer?.value !== false;
  }

  /** A lease that cannot be released expires. Nobody waits for that, so it does not keep a process running. */
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
