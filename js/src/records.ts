/** The storage of records of jobs, and of the leases that coordinate jobs. */
import type { FitMemory } from "./store.js";
import type { Effect, EffectResult } from "./types.gen.js";

/**
 * A memory that processes share, created by `ctxfold/redis`, `ctxfold/postgres` or `sharedMemory` of `ctxfold/shared`.
 * If it fails, fits continue without it.
 */
export interface SharedMemory {
  /** The operations with which jobs load and save records, and coordinate by leases. */
  readonly records: Records;
}

/** The result of a load. It has no members if nothing was found. */
export type Found = Pick<EffectResult, "record" | "at" | "revision">;

/** The result of a request for a lease. */
export type Granted = Pick<EffectResult, "done" | "at">;

type Value<T> = T | PromiseLike<T>;

/** Executes those effects of jobs that concern records and leases. */
export interface Records {
  /** How records are looked up, and the limits for jobs. */
  readonly settings: {
    records: "owner" | "prefix";
    records_required?: boolean;
    remembered?: number;
    store_timeout?: number;
    lease?: number;
  };
  /** Looks up the keys and returns the first record found, with the index of its key (`at`) and its revision. */
  load(keys: readonly string[]): Value<Found>;
  /** Saves a record. Returns true if it was written. */
  save(effect: Effect): Value<boolean>;
  /**
   * Leases the first key, or renews its lease. If the lease is not granted, `at` is the index of the key that another
   * holder has leased, if known.
   */
  lease(keys: readonly string[], holder: string, ttl: number): Value<Granted>;
  /** Ends the holder's lease on the key, if there is one. */
  release(key: string, holder: string): Value<unknown>;
  /** Returns a promise that resolves when this process's lease on a key is released; undefined if there is none. */
  ended(key: string): Promise<void> | undefined;
}

interface Lease {
  holder: string;
  until: number;
  ended: Promise<void>;
  end(): void;
}

/** Leases within this process. */
class Leases {
  readonly #all = new Map<string, Lease>();

  take(keys: readonly string[], holder: string, ttl: number): Granted {
    const now = Date.now();
    for (const [at, key] of keys.entries()) {
      const other = this.#all.get(key);
      if (other && other.holder !== holder && other.until > now) return { done: false, at };
    }
    const key = keys[0] as string;
    const mine = this.#all.get(key);
    if (mine?.holder === holder) mine.until = now + ttl;
    else {
      mine?.end();
      let end = () => {};
      const ended = new Promise<void>((done) => {
        end = done;
      });
      this.#all.set(key, { holder, until: now + ttl, ended, end });
    }
    return { done: true };
  }

  release(key: string, holder: string): void {
    const mine = this.#all.get(key);
    if (mine?.holder !== holder) return;
    this.#all.delete(key);
    mine.end();
  }

  ended(key: string): Promise<void> | undefined {
    return this.#all.get(key)?.ended;
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }
}

/** The maximum total size of records in this process, in UTF-16 code units. */
const MOST_UNITS = 64 << 20;
/** The maximum number of compactions in one record. */
export const MOST_REMEMBERED = 64;

/**
 * Records within this process. If there are more than `most` owners, or the records become too large, those that have
 * been unused for longest are removed.
 */
export class OwnRecords implements Records {
  readonly settings: Records["settings"];
  readonly #most: number;
  /** In the order of their last use; the most recently used is the last. */
  readonly #all = new Map<string, { record: string; revision: string }>();
  readonly #leases = new Leases();
  #units = 0;
  #saved = 0;

  constructor(most: number) {
    this.#most = most;
    this.settings = { records: "owner", remembered: Math.min(most, MOST_REMEMBERED) };
  }

  load([key]: readonly string[]): Found {
    const found = this.#all.get(key as string);
    if (!found) return {};
    this.#all.delete(key as string);
    this.#all.set(key as string, found);
    return found;
  }

  save({ keys: [key] = [], record = "", if_revision = "" }: Effect): boolean {
    const before = this.#all.get(key as string);
    if ((before?.revision ?? "") !== if_revision) return false;
    this.#all.delete(key as string);
    this.#all.set(key as string, { record, revision: String(++this.#saved) });
    this.#units += record.length - (before?.record.length ?? 0);
    for (const [oldest, { record: of }] of this.#all) {
      if (this.#all.size === 1 || (this.#all.size <= this.#most && this.#units <= MOST_UNITS)) break;
      this.#all.delete(oldest);
      this.#units -= of.length;
    }
    return true;
  }

  lease(keys: readonly string[], holder: string, ttl: number): Granted {
    return this.#leases.take(keys, holder, ttl);
  }

  release(key: string, holder: string): void {
    this.#leases.release(key, holder);
  }

  ended(key: string): Promise<void> | undefined {
    return this.#leases.ended(key);
  }
}

/** The leases for all memories that hosts provide. They are shared because two memories may use the same database. */
const KEPT = new Leases();

/**
 * Records in a memory that the host provides. With Web Locks, leases are visible to all pages of an origin or all
 * threads of a program.
 */
export class KeptRecords implements Records {
  readonly settings: Records["settings"];
  readonly #memory: FitMemory;

  constructor(memory: FitMemory, most: number) {
    this.#memory = memory;
    this.settings = { records: "owner", records_required: true, remembered: Math.min(most, MOST_REMEMBERED) };
  }

  async load([key]: readonly string[]): Promise<Found> {
    const record = await this.#memory.load(key as string);
    return typeof record === "string" && record !== "" ? { record, revision: revisionOf(record) } : {};
  }

  /** Saves a record, unless its revision has changed. A lock prevents other jobs from writing in between. */
  async save({ keys: [key] = [], record = "", if_revision = "" }: Effect): Promise<boolean> {
    const { alone } = await import("./record-locks.js");
    return alone(`ctxfold:memory:${key}`, undefined, async () => {
      const { revision = "" } = await this.load([key as string]);
      if (revision !== if_revision) return false;
      await this.#memory.save(key as string, record);
      return true;
    });
  }

  async lease(keys: readonly string[], holder: string, ttl: number): Promise<Granted> {
    const key = keys[0] as string;
    const renewed = KEPT.has(key);
    const granted = KEPT.take(keys, holder, ttl);
    if (renewed || !granted.done) return granted;
    const ended = KEPT.ended(key) as Promise<void>;
    const mine = (other: string) => other === key || KEPT.has(other);
    const done = await import("./record-locks.js").then(({ locked }) => locked(keys, mine, ended)).catch(() => true);
    if (!done) KEPT.release(key, holder);
    return { done };
  }

  release(key: string, holder: string): void {
    KEPT.release(key, holder);
  }

  ended(key: string): Promise<void> | undefined {
    return KEPT.ended(key);
  }
}

/** Returns a string that changes whenever the record does: its length and two 32-bit hashes (FNV-1a and a variant). */
function revisionOf(record: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < record.length; i++) {
    const unit = record.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) ^ (a >>> 15);
  }
  return `${record.length} ${(a >>> 0).toString(36)} ${(b >>> 0).toString(36)}`;
}
