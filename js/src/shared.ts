/**
 * The entry `ctxfold/shared`: what fits remember, in a store that processes share. Of those that ask for one conversation one compacts it,
 * and the others get what it has made. Keys and records are those of the Go package, so a Go program may share the store.
 */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { unlessAborted } from "./archive.js";
import { decode, members } from "./json.js";
import {
  type Add,
  type Asked,
  bare,
  type Memories,
  type Printed,
  type Remembered,
  type SharedMemory,
} from "./memories.js";
import { checkOptions, type Names } from "./options.js";

export type { SharedMemory } from "./memories.js";

/**
 * A store of records and leases, by keys of 64 hexadecimal digits. Losing a record or a lease costs a compaction and nothing else, so a
 * store may forget what was not used for long. A method rejects where the store cannot be reached.
 *
 * A record holds text of the conversation: keep it where you keep conversations.
 */
export interface SharedRecords {
  /** Looks for one key after the other: the first record that is there, and the index of its key. Gets at most 2,048 keys. */
  find(keys: readonly string[]): Promise<FoundRecord | undefined>;
  /** Keeps a record under each of these keys, in the place of what was there, in one step. */
  keep(keys: readonly string[], record: string): Promise<unknown>;
  /**
   * Leases `keys[0]` to the holder, from now on for so many milliseconds, unless another holder has a lease on one of the keys; tells whether
   * it did. Of two calls with the same `keys[0]` at the same time at most one is granted.
   */
  lease(keys: readonly string[], holder: string, leaseMs: number): Promise<boolean>;
  /** Makes the lease end so many milliseconds from now; false where the holder has none on the key any more. */
  renew(key: string, holder: string, leaseMs: number): Promise<boolean>;
  /** Ends the lease, if the holder has one on the key. */
  release(key: string, holder: string): Promise<unknown>;
  /** `keep`, if the holder has the lease on `key`: one step, which nothing comes between. Tells whether it was kept. */
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
  /** Is told why the store could not be reached. Fits go on without it. */
  onError?: (error: unknown) => void;
}

/** With the options of a store that has its own. */
export const SHARED_OPTIONS: Names<SharedOptions> = { leaseMs: true, timeoutMs: true, onError: true };

/** A memory for fits and adapters over a store: make one for each store, once. */
export function sharedMemory(records: SharedRecords, options: SharedOptions = {}): SharedMemory {
  checkOptions(options, SHARED_OPTIONS, "sharedMemory");
  return { memories: new StoredMemories(new Reach(records, options)) };
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
/** So often a call may lose its lease before it goes on without one. */
const MOST_LOST = 3;
const VERSION = 2;

/** The keys of a history: of all messages, of all but the last one, and so on. */
class Keys {
  readonly length: number;
  readonly #prints: readonly string[];
  readonly #begun: Hash;
  readonly #made: string[] = [];

  constructor(id: string, { format, prints }: Printed) {
    const owner = id === "default" ? "" : id;
    this.length = prints.length;
    this.#prints = prints;
    this.#begun = createHash("sha256").update(createHash("sha256").update(owner).digest()).update(`${format} `);
  }

  of(print: string): string {
    return this.#begun.copy().update(print).digest("hex");
  }

  at(index: number): string {
    this.#made[index] ??= this.of(this.#prints[this.length - 1 - index] as string);
    return this.#made[index] as string;
  }

  slice(from: number, to: number): string[] {
    return Array.from({ length: Math.min(to, this.length) - from }, (_, i) => this.at(from + i));
  }
}

/** A store that may fail: each call has a time limit, and after a failure this process goes on for a while with what it knows itself. */
class Reach {
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
   * The first record of the keys from an index on. What this process knows of more messages than the store does comes first: the store has
   * lost it, or could not be reached when it was made.
   */
  async find(keys: Keys, from: number): Promise<FoundRecord | undefined> {
    let found: FoundRecord | undefined;
    let reached = true;
    for (let at = from, n = FIRST_KEYS; reached && !found && at < keys.length; at += n, n = MORE_KEYS) {
      const answer = await this.#call((records) => records.find(keys.slice(at, at + n)));
      reached = answer !== undefined;
      if (answer?.value) found = { ...answer.value, at: at + answer.value.at };
    }
    for (let at = from; this.#near.size > 0 && at < (found?.at ?? keys.length); at++) {
      const record = this.#near.get(keys.at(at));
      if (record === undefined) continue;
      if (reached) await this.keep([keys.at(at)], record);
      return { at, record };
    }
    if (found) this.#note([keys.at(found.at)], found.record);
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

  /** Undefined where the store cannot be reached. */
  async lease(keys: readonly string[], holder: string): Promise<boolean | undefined> {
    let late: Promise<boolean> | undefined;
    const answer = await this.#call((records) => {
      late = records.lease(keys, holder, this.leaseMs);
      return late;
    });
    // A client that is cut off may send it when it is connected again: then nobody would give the lease back.
    if (!answer) late?.then((granted) => granted && this.#records.release(keys[0] as string, holder)).catch(() => {});
    return answer?.value;
  }

  async renew(key: string, holder: string): Promise<boolean> {
    const answer = await this.#call((records) => records.renew(key, holder, this.leaseMs));
    return answer?.value !== false;
  }

  /** A lease that cannot be released expires. */
  async release(key: string, holder: string): Promise<void> {
    await this.#call((records) => records.release(key, holder));
  }

  async #call<T>(work: (records: SharedRecords) => Promise<T>): Promise<{ value: T } | undefined> {
    const now = Date.now();
    if (now < this.#closedUntil) return undefined;
    if (this.#closedUntil > 0) this.#closedUntil = now + Math.max(PAUSE_MS, this.#timeoutMs);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, failed) => {
      timer = setTimeout(() => failed(new Error(`the store took longer than ${this.#timeoutMs} ms`)), this.#timeoutMs);
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

/** What a compaction fails with whose lease has ended. */
const LOST = new Error("the lease has ended while a compaction was made");

/** The entries of all histories, in a store. */
class StoredMemories implements Memories {
  readonly #reach: Reach;
  readonly #lost = new WeakMap<Asked, number>();

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  /** The one of most messages is the last. Before one that is to be made anew stands what it can be made from. */
  async of(history: Asked): Promise<readonly Remembered[]> {
    const keys = new Keys(history.id, await history.printed());
    const entries: Remembered[] = [];
    for (let from = 0; from < keys.length; ) {
      const found = await this.#reach.find(keys, from);
      if (!found) break;
      const made = read(found.record);
      if (made) entries.unshift(made);
      if (made && made.entry.again === undefined) break;
      from = found.at + 1;
    }
    return entries;
  }

  used(): void {}

  async once<T>(
    history: Asked,
    signal: AbortSignal | undefined,
    work: (add: Add) => Promise<T>,
  ): Promise<T | undefined> {
    const keys = new Keys(history.id, await history.printed());
    const lost = this.#lost.get(history) ?? 0;
    const of = ({ entry }: Remembered) => [keys.of(entry.print), keys.of(entry.sent)];
    const holder = randomUUID();
    const leased = keys.length > 0 && lost < MOST_LOST && (await this.#take(keys, holder, signal));
    if (!leased) return work((made) => this.#reach.keep(of(made), written(made)));
    const [key] = leased;
    const renewal = setInterval(async () => {
      if (!(await this.#reach.renew(key, holder))) clearInterval(renewal);
    }, this.#reach.leaseMs / 3);
    try {
      signal?.throwIfAborted();
      return await work(async (made) => {
        if (!(await this.#reach.keepLeased(key, holder, of(made), written(made)))) throw LOST;
      });
    } catch (error) {
      if (error !== LOST) throw error;
      this.#lost.set(history, lost + 1);
      return undefined;
    } finally {
      clearInterval(renewal);
      await this.#reach.release(key, holder);
    }
  }

  /** Waits for the lease on a history, and gives its key; undefined where the store cannot be reached. */
  async #take(keys: Keys, holder: string, signal: AbortSignal | undefined): Promise<[key: string] | undefined> {
    const all = keys.slice(0, keys.length);
    for (let wait = FIRST_POLL; ; wait = Math.min(2 * wait, LONGEST_POLL)) {
      const granted = await this.#reach.lease(all, holder);
      if (granted === undefined) return undefined;
      if (granted) return [keys.at(0)];
      await unlessAborted(new Promise((over) => setTimeout(over, wait)), signal);
    }
  }
}

/** A record of the Go package: an entry as the module wrote it, and when to make it anew, in seconds since 1970. */
function written(made: Remembered): string {
  const { tries, again } = made.entry;
  const degraded = again === undefined ? "" : `,"degraded":{"tries":${tries},"again":${Math.ceil(again / 1000)}}`;
  return `{"version":${VERSION},"entry":${bare(made)}${degraded}}`;
}

/** Undefined where a record is none of ours, or says no more than that a model has failed: that costs a compaction at the most. */
function read(record: string): Remembered | undefined {
  try {
    const values = members(new TextEncoder().encode(record));
    const text = (name: string) => decode(values.get(name) ?? new Uint8Array());
    if (text("version") !== String(VERSION)) return undefined;
    const json = text("entry");
    const entry = JSON.parse(json);
    if (!values.has("degraded")) return { entry, json };
    const { tries, again } = JSON.parse(text("degraded"));
    return {
      entry: { ...entry, tries, again: again * 1000 },
      json: `${json.slice(0, -1)},"tries":${tries},"again":${again * 1000}}`,
    };
  } catch {
    return undefined;
  }
}
