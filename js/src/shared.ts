/**
 * The entry `ctxfold/shared`: what fits remember, in a store that processes share. Of those that ask for one conversation one compacts it,
 * and the others get what it has made. Keys and records are those of the Go package, so a Go program may share the store.
 */
import { createHash, type Hash } from "node:crypto";
import { decode, members } from "./json.js";
import {
  type Add,
  type Asked,
  bare,
  flat,
  type Memories,
  type Printed,
  type Remembered,
  type SharedMemory,
} from "./memories.js";
import { checkOptions, type Names } from "./options.js";
import { type Keys, leased, Reach, type SharedOptions, type SharedRecords } from "./reach.js";
import { type StateStore, sameState } from "./store.js";
import type { State } from "./types.js";

export type { SharedMemory } from "./memories.js";
export type { FoundRecord, SharedOptions, SharedRecords } from "./reach.js";

/** With the options of a store that has its own. */
export const SHARED_OPTIONS: Names<SharedOptions> = { leaseMs: true, timeoutMs: true, onError: true };

/** A memory for fits and adapters over a store: make one for each store, once. */
export function sharedMemory(records: SharedRecords, options: SharedOptions = {}): SharedMemory {
  checkOptions(options, SHARED_OPTIONS, "sharedMemory");
  return { memories: new StoredMemories(new Reach(records, options)) };
}

/**
 * The `states` of conversations over a store. One process compacts a conversation at a time; the others wait, and are then told by
 * `conflict`. A state is kept as long as a record after its last use: where conversations rest for longer, keep `state` next to their
 * messages.
 */
export function sharedStates(records: SharedRecords, options: SharedOptions = {}): StateStore {
  checkOptions(options, SHARED_OPTIONS, "sharedStates");
  return new StoredStates(new Reach(records, options));
}

/** So often a call may lose its lease before it continues without one. */
const MOST_LOST = 3;
const VERSION = 2;

/** The keys of a history: of all messages, of all but the last one, and so on. */
class HistoryKeys implements Keys {
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

/** What a compaction fails with whose lease has ended. */
const LOST = new Error("the lease has ended while a compaction was made");

/** The entries of all histories, in a store. */
class StoredMemories implements Memories {
  readonly #reach: Reach;
  readonly #lost = new WeakMap<Asked, number>();

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  /** The one of most messages is the last. Before one that should be made again is what it can be made from. */
  of(history: Asked): Promise<readonly Remembered[]> {
    return this.older(history, []);
  }

  async older(history: Asked, than: readonly Remembered[]): Promise<readonly Remembered[]> {
    const keys = new HistoryKeys(history.id, await history.printed());
    const entries: Remembered[] = [];
    const unfit = new Set(than.map(({ json }) => json));
    for (let from = 0; from < keys.length; ) {
      const found = await this.#reach.find(keys, from);
      if (!found) break;
      const read = entryOf(found.record);
      const made = read && !unfit.has(read.json) ? read : undefined;
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
    const keys = new HistoryKeys(history.id, await history.printed());
    const of = ({ entry: { print, sent, given } }: Remembered) =>
      [print, sent, ...(given ? [given.print] : [])].map((each) => keys.of(each));
    const free = () => work((made) => this.#reach.keep(of(made), written(made)));
    const lost = this.#lost.get(history) ?? 0;
    if (keys.length === 0 || lost >= MOST_LOST) return free();
    try {
      return await this.#reach.alone(keys, signal, (holder) => {
        if (holder === undefined) return free();
        return work(async (made) => {
          if (!(await this.#reach.keepLeased(leased(keys), holder, of(made), written(made)))) throw LOST;
        });
      });
    } catch (error) {
      if (error !== LOST) throw error;
      this.#lost.set(history, lost + 1);
      return undefined;
    }
  }
}

/** What a lease on a conversation is for, or what is kept of it: one key. */
class ConversationKeys implements Keys {
  readonly length = 1;
  readonly #key: string;

  constructor(kind: string, conversation: string) {
    this.#key = createHash("sha256").update(`${kind} ${conversation}`).digest("hex");
  }

  at(): string {
    return this.#key;
  }

  slice(): string[] {
    return [this.#key];
  }
}

/** The states of conversations, in a store. */
class StoredStates implements StateStore {
  readonly #reach: Reach;

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  async loadState(conversation: string): Promise<State | undefined> {
    const found = await this.#reach.find(new ConversationKeys("state", conversation));
    return found && JSON.parse(found.record);
  }

  saveState(conversation: string, state: State): Promise<void> {
    return this.#reach.keep([new ConversationKeys("state", conversation).at()], JSON.stringify(state));
  }

  async swapState(conversation: string, expected: State | null | undefined, state: State): Promise<boolean> {
    const keys = new ConversationKeys("state", conversation);
    return this.#reach.alone(keys, undefined, async (holder) => {
      if (!sameState(await this.loadState(conversation), expected)) return false;
      if (holder !== undefined) return this.#reach.keepLeased(keys.at(), holder, [keys.at()], JSON.stringify(state));
      await this.saveState(conversation, state);
      return true;
    });
  }

  alone<T>(conversation: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.#reach.alone(new ConversationKeys("conversation", conversation), signal, () => work());
  }
}

/** A record of the Go package: an entry as the module wrote it, and when to make it again, in seconds since 1970. */
function written(made: Remembered): string {
  const { tries, again } = made.entry;
  const degraded = again === undefined ? "" : `,"degraded":{"tries":${tries},"again":${Math.ceil(again / 1000)}}`;
  return `{"version":${VERSION},"entry":${bare(made)}${degraded}}`;
}

/** Undefined if a record isn't an entry, or only says that a model has failed: that costs a compaction at most. */
function entryOf(record: string): Remembered | undefined {
  try {
    const values = members(new TextEncoder().encode(record));
    const text = (name: string) => decode(values.get(name) ?? new Uint8Array());
    if (text("version") === "3") {
      const [entry] = flat(JSON.parse(record));
      return entry && { entry, json: JSON.stringify(entry) };
    }
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
