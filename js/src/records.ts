/** Where jobs keep their records, and the leases by which they know of each other. */
import type { MaybeText } from "./store.js";
import type { Effect, EffectResult } from "./types.gen.js";

/**
 * Where compactions are remembered, for hosts whose process does not live as long as a conversation. What is kept under a key is JSON and
 * not to be changed. A key is the `id` of a call, or `default`.
 */
export interface FitMemory {
  /** What was saved last under the key; undefined or null where there is none. */
  load(key: string): MaybeText | PromiseLike<MaybeText>;
  /** Keeps a text in place of the one before. */
  save(key: string, json: string): void | PromiseLike<void>;
}

/**
 * A memory that processes share, as `ctxfold/redis` and `ctxfold/postgres` make it, and `sharedMemory` of `ctxfold/shared`. Where it fails,
 * fits continue without it.
 */
export interface SharedMemory {
  /** What jobs do with it. */
  readonly records: Records;
}

/** What a load has found; nothing if there is none. */
export type Found = Pick<EffectResult, "record" | "at" | "revision">;

/** What came of a lease. */
export type Granted = Pick<EffectResult, "done" | "at">;

type Value<T> = T | PromiseLike<T>;

/** Executes the effects of jobs on records and leases. */
export interface Records {
  /** How records are found, and what jobs get of these. */
  readonly settings: {
    records: "owner" | "prefix";
    records_required?: boolean;
    remembered?: number;
    store_timeout?: number;
    lease?: number;
  };
  load(keys: readonly string[]): Value<Found>;
  /** Whether the record was written. */
  save(effect: Effect): Value<boolean>;
  /** Leases the first of the keys, or renews that. Where it is not granted, `at` is the index of a key that is leased, if that is known. */
  lease(keys: readonly string[], holder: string, ttl: number): Value<Granted>;
  release(key: string, holder: string): Value<unknown>;
  /** Resolves when the lease on a key is released; undefined where that is not known. */
  ended(key: string): Promise<void> | undefined;
}

interface Lease {
  holder: string;
  until: number;
  ended: Promise<void>;
  end(): void;
}

/** Leases in this process. */
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

/** The most that records in this process may have, in UTF-16 code units. */
const MOST_UNITS = 64 << 20;
/** How many compactions one record has at most. */
export const MOST_REMEMBERED = 64;

/** Records in this process. Of more than `most` owners the one whose record was used longest ago is forgotten. */
export class OwnRecords implements Records {
  readonly settings: Records["settings"];
  readonly #most: number;
  /** The one that was used last is the last. */
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

/** Of all memories of hosts: two may be over the same database. */
const KEPT = new Leases();

/** Records in a memory of the host's. With Web Locks all pages of an origin, and all threads of a program, know of each other's leases. */
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

  /** Between the comparison and the change no other job comes. */
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

/** A text that differs whenever a record does: its length and 64 bits of a hash (FNV-1a, twice). */
function revisionOf(record: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < record.length; i++) {
    const unit = record.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) ^ (a >>> 15);
  }
  return `${record.length} ${(a >>> 0).toString(36)} ${(b >>> 0).toString(36)}`;
}
