/** What fits remember: which compaction represents which beginning of a history. */
import { CtxfoldError, messageOf } from "./errors.js";
import { alone } from "./sole.js";
import type { MaybeText } from "./store.js";
import type { MemoryEntry } from "./types.js";

/**
 * Where compactions are remembered, for hosts whose process does not live as long as a conversation. What is kept under a key is JSON and
 * not to be changed. A key is the `id` of a call, or `default`; with `policy.gate.idle` the times of the last calls are under the same key
 * with `:calls` after it, which takes one more `load` and `save` for each call.
 */
export interface FitMemory {
  /** What was saved last under the key; undefined or null where there is none. */
  load(key: string): MaybeText | PromiseLike<MaybeText>;
  /** Keeps a text in place of the one before. */
  save(key: string, json: string): void | PromiseLike<void>;
}

/**
 * A memory that processes share, as `ctxfold/redis` and `ctxfold/postgres` make it, and `sharedMemory` of `ctxfold/shared`. Where it fails,
 * fits continue without it. For `policy.gate.idle` the caller says in `options.idle` and `options.cold` how old the last call is, which
 * another process may have made.
 */
export interface SharedMemory {
  /** What fits do with it. */
  readonly memories: Memories;
}

/** What is read of an entry, with the members of a host, which the module passes over. */
export interface Entry extends Pick<MemoryEntry, "messages" | "print" | "sent_messages" | "sent"> {
  /**
   * How often in a row a model gave no summary for what the entry represents, and from when on it is worth asking again, in milliseconds
   * since 1970: then the entry counts for nothing.
   */
  tries?: number;
  again?: number;
  /** Beginnings of the history that was compacted: the first is all of it. */
  points?: readonly { messages: number }[];
  /** The same compaction, of a list that continued from what was sent before. */
  given?: Pick<MemoryEntry, "messages" | "print"> & Pick<Entry, "points">;
}

/** How many of the newest messages of a history are expected to be others in the next call: at most half of them. */
export const volatile = (messages: number): number => (messages >= 8 ? 4 : 0);

/** An entry, and its JSON as the module wrote it. */
export interface Remembered {
  entry: Entry;
  json: string;
}

/** The prints of the first message of a history, of the first two, and so on, and the wire format that they are of. */
export interface Printed {
  format: string;
  prints: readonly string[];
}

/** The history of one call, under the `id` of the call. */
export interface Asked {
  readonly id: string;
  printed(): Promise<Printed>;
}

/** Keeps an entry. */
export type Add = (made: Remembered) => void | PromiseLike<void>;

/** Where the entries of a conversation, or of several, are. */
export interface Memories {
  /** The entries that may be of the beginning of a history, the oldest first. */
  of(history: Asked): readonly Remembered[] | PromiseLike<readonly Remembered[]>;
  /** Those of shorter beginnings, where `of` has not given all and what it has given does not count: the user's newest message would be gone. */
  older?(history: Asked, than: readonly Remembered[]): PromiseLike<readonly Remembered[]>;
  /** Tells that an entry was used. */
  used(made: Remembered): void;
  /**
   * Makes a compaction while nobody else who has these entries makes one of the same conversation. Resolves to undefined where somebody
   * else may have made one meanwhile, and nothing was kept.
   */
  once<T>(history: Asked, signal: AbortSignal | undefined, work: (add: Add) => Promise<T>): Promise<T | undefined>;
}

const FIRST_MS = 60_000;
const LONGEST_MS = 3_600_000;

/** An entry whose digest was made because the model failed; `tries` is how often it has by now. */
export function provisional({ entry, json }: Remembered, tries: number, now: number): Remembered {
  const again = now + Math.min(FIRST_MS * 2 ** (tries - 1), LONGEST_MS);
  return { entry: { ...entry, tries, again }, json: `${json.slice(0, -1)},"tries":${tries},"again":${again}}` };
}

/** The JSON of an entry without what `provisional` has put there. */
export const bare = ({ json }: Remembered): string => json.replace(/(,"tries":\d+,"again":\d+)+\}$/, "}");

/** Whether an entry counts. */
export const counts = ({ entry: { again } }: Remembered, now: number): boolean => again === undefined || now < again;

/** How many messages of a list an entry represents, of which `prints` are given; 0 where the list does not begin with them. */
function covers({ entry }: Remembered, prints: readonly string[]): number {
  const { messages, print, sent_messages, sent, given } = entry;
  if (prints[messages - 1] === print) return messages;
  if (given && prints[given.messages - 1] === given.print) return given.messages;
  return prints[sent_messages - 1] === sent ? sent_messages : 0;
}

/** The entries that represent a beginning of a list, of which `prints` are given: the one of most messages is the last. */
export function matching(entries: readonly Remembered[], prints: readonly string[]): Remembered[] {
  return entries
    .map((each) => [covers(each, prints), each] as const)
    .filter(([messages]) => messages > 0)
    .sort(([a, one], [b, other]) => a - b || one.entry.messages - other.entry.messages)
    .map(([, each]) => each);
}

/** The entry that represents most of a list, of which `prints` are given; undefined where none does. */
export const find = (entries: readonly Remembered[], prints: readonly string[]): Remembered | undefined =>
  matching(entries, prints).at(-1);

/** Entries in this process. Of more than `most` the one that was used longest ago is forgotten. */
export class OwnMemories implements Memories {
  /** The one that was used last is the last. */
  readonly #all = new Map<Remembered, string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  of({ id }: Asked): readonly Remembered[] {
    return [...this.#all].filter(([, of]) => of === id).map(([each]) => each);
  }

  #add(id: string, made: Remembered): void {
    this.#all.set(made, id);
    for (const oldest of this.#all.keys()) {
      if (this.#all.size <= this.#most) return;
      this.#all.delete(oldest);
    }
  }

  used(made: Remembered): void {
    const id = this.#all.get(made);
    if (id === undefined) return;
    this.#all.delete(made);
    this.#all.set(made, id);
  }

  once<T>({ id }: Asked, _: AbortSignal | undefined, work: (add: Add) => Promise<T>): Promise<T> {
    return work((made) => this.#add(id, made));
  }
}

/** Entries in a memory of the host's: a list for each key, of at most `most`. Rejects with `memory_failed` where it fails. */
export class KeptMemories implements Memories {
  readonly #memory: FitMemory;
  readonly #most: number;

  constructor(memory: FitMemory, most: number) {
    this.#memory = memory;
    this.#most = most;
  }

  async of({ id }: Pick<Asked, "id">): Promise<readonly Remembered[]> {
    const text = await told("read", () => this.#memory.load(id));
    return read(text).map((entry) => ({ entry, json: JSON.stringify(entry) }));
  }

  /** Between what is read and what is kept no other call comes, and with Web Locks no other page. */
  #add(id: string, made: Remembered): Promise<void> {
    return alone(`ctxfold:memory:${id}`, undefined, async () => {
      const others = (await this.of({ id })).filter(({ json }) => json !== made.json);
      const kept = [...others, made].slice(-this.#most);
      await told("kept", () => this.#memory.save(id, `[${kept.map(({ json }) => json).join()}]`));
    });
  }

  /** By the first message, which the histories of one conversation have in common, however long each page has it. */
  async once<T>(history: Asked, signal: AbortSignal | undefined, work: (add: Add) => Promise<T>): Promise<T> {
    const { id } = history;
    const [first] = (await history.printed()).prints;
    return alone(`ctxfold:fit:${id}:${first}`, signal, () => work((made) => this.#add(id, made)));
  }

  used(): void {}
}

async function told<T>(what: string, work: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new CtxfoldError("memory_failed", `what fit remembers cannot be ${what}: ${messageOf(cause)}`, { cause });
  }
}

/** What a memory has; of a text that isn't one of ours, nothing: that costs a compaction, and no more. */
function read(text: MaybeText): Entry[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    const list: unknown = Array.isArray(value) ? value : flat(value);
    return Array.isArray(list) ? list.filter((each) => each === Object(each)) : [];
  } catch {
    return [];
  }
}

/** The entries of a record of version 3, which other hosts write: what it says of the model is among the members of each. */
export function flat(record: unknown): Entry[] {
  const { version, entries = [] } = (record ?? {}) as { version?: unknown; entries?: readonly FlatEntry[] };
  if (version !== 3) return [];
  return entries.map(({ entry, tries, again }) => ({ ...entry, ...(tries && again && { tries, again }) }));
}

interface FlatEntry {
  entry: Entry;
  tries?: number;
  again?: number;
}
