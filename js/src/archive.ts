/** Restores and searches content that compactions removed and put into a store. */
import { invalidOption } from "./errors.js";
import { checkCompactor, has } from "./options.js";
import type { Store } from "./store.js";
import type { Found, Kept, Messages, NamedHandles, Recalled, Restored, Search, SearchOptions, State } from "./types.js";

/** Throws `invalid_option` if bodies can't be read from the store, or found by the compactor. */
function checkReadable(store: unknown, compactor: unknown): void {
  checkCompactor(compactor, "restore", "handlesIn");
  if (has(store, "get")) return;
  throw invalidOption(
    "store is an object with get(handle): the store in which compactions put what they removed",
    "store",
  );
}

/** The methods that restoring and searching need from a compactor, which is on this thread or in a worker. */
export interface Restoring {
  /** Restores the bodies where markers name their handles, and lists the markers that are left. */
  restore<M extends Messages>(
    messages: M,
    bodies?: readonly Kept[],
    state?: State | null,
  ): Restored<M> | Promise<Restored<M>>;
  /** Returns the handles that these bodies name, and the handles of bodies that do not match them (`corrupt`). */
  handlesIn(bodies: readonly Kept[]): NamedHandles | Promise<NamedHandles>;
  /**
   * Reads a call of the recall tool. Given a body (null if there is none) or a search result, it also returns the text
   * of the answer.
   */
  recall(callArguments: unknown, body?: string | null, found?: Found): Recalled | Promise<Recalled>;
  /** Searches the messages in bodies, and lists the best ones first. */
  search(search: Search): Found | Promise<Found>;
}

/** What to search: all bodies that a conversation refers to, or only those with certain handles. */
export interface Within {
  /** The conversation's messages since the last compaction; their markers name the archived content. */
  messages?: Messages;
  /** The state of the last compaction. Default: the state of the compactor. */
  state?: State | null;
  /** The handles of the bodies to search. No other bodies are searched. */
  handles?: readonly string[];
}

/**
 * Restores, byte for byte, content that compactions removed from a transcript: the bodies with the given handles or,
 * without handles, everything that is in the store, from the last compaction back to the first. `state` is the
 * transcript's state; the default is the compactor's. If the store has no body for a marker, or one that doesn't
 * match the marker's handle, the marker stays and is listed in `markers`.
 */
export async function restoreFrom<M extends Messages>(
  store: Store,
  compactor: Restoring,
  messages: M,
  handles?: readonly string[],
  state?: State | null,
): Promise<Restored<M>> {
  checkReadable(store, compactor);
  const listed = await compactor.restore(messages, [], state);
  const { bodies, corrupt } = await collect(store, compactor, handles ?? handlesOf(listed), !handles);
  const restored = bodies.length > 0 ? await compactor.restore(messages, bodies, state) : listed;
  for (const marker of restored.markers) {
    if (corrupt.has(digitsOf(marker.handle))) marker.why = "corrupt";
  }
  return restored;
}

/** Returns the handles of the markers that a restoration has listed. */
const handlesOf = ({ markers }: { markers: readonly { handle: string }[] }) => markers.map(({ handle }) => handle);

/**
 * Fetches the bodies with the given handles, each once. If `follow` is true, it also fetches the bodies that these
 * bodies name, and so on. Returns the intact bodies, the digits of corrupt ones, and all requested handles by their
 * digits.
 */
async function collect(store: Store, compactor: Restoring, handles: readonly string[], follow: boolean) {
  const corrupt = new Set<string>();
  const asked = new Map<string, string>();
  const bodies: Kept[] = [];
  for (let next = handles; next.length > 0; ) {
    const wanted = next.filter((handle) => !asked.has(digitsOf(handle)) && asked.set(digitsOf(handle), handle));
    const found = await Promise.all(wanted.map(async (handle) => ({ handle, body: await store.get(handle) })));
    const here = found.filter((each): each is Kept => typeof each.body === "string");
    if (here.length === 0) break;
    const named = await compactor.handlesIn(here);
    for (const handle of named.corrupt) corrupt.add(digitsOf(handle));
    bodies.push(...here.filter(({ handle }) => !corrupt.has(digitsOf(handle))));
    next = follow ? named.handles : [];
  }
  return { bodies, corrupt, asked };
}

/** Returns the digits of a handle that markers show: the first 16, in lower case. */
const digitsOf = (handle: string) => handle.toLowerCase().slice(0, 16);

/**
 * Searches the messages that compactions removed, and lists the best ones first. A query consists of words in any
 * script, which may be in adjacent messages, and of dates and roles. The search covers all bodies that the conversation
 * refers to through `messages` and the state, directly or indirectly, or only the bodies of `handles`. A body that does
 * not match its handle is treated as missing. If the store has a method `search`, that is called instead.
 */
export async function searchFrom(
  store: Store,
  compactor: Restoring,
  query: string,
  { messages, state, handles, ...options }: Within & SearchOptions = {},
): Promise<Found> {
  checkReadable(store, compactor);
  const named = handles ?? (messages ? handlesOf(await compactor.restore(messages, [], state)) : []);
  if (store.search) return store.search(query, { ...options, handles: named });
  const { bodies, asked } = await collect(store, compactor, named, !handles);
  const found = await compactor.search({ query, ...options, bodies });
  const here = new Set([...bodies.map(({ handle }) => handle), ...found.searched.missing].map(digitsOf));
  found.searched.missing.push(...[...asked].filter(([digits]) => !here.has(digits)).map(([, handle]) => handle));
  return found;
}

const NO_SEARCH = "Nothing can be searched here without a handle: call with one.";

/**
 * Answers a call of the tool that `recallTool` defines. The call has a handle, a query, or both. If the call is
 * invalid, the answer tells the model why; the promise only rejects if the store fails. A query searches the body of
 * the handle or, without one, the bodies that `within` describes. If that has neither `messages` nor `handles`, only a
 * store with a method `search` can answer such a query.
 */
export async function recallFrom(
  store: Store,
  compactor: Restoring,
  callArguments: unknown,
  within: Within = {},
): Promise<string> {
  checkReadable(store, compactor);
  const asked = await compactor.recall(callArguments);
  const { handle, query } = asked;
  if (asked.text !== undefined) return asked.text;
  if (query !== undefined) {
    if (handle === undefined && !within.messages && !within.handles && !store.search) return NO_SEARCH;
    const found = await searchFrom(store, compactor, query, handle === undefined ? within : { handles: [handle] });
    return (await compactor.recall(callArguments, undefined, found)).text ?? "";
  }
  if (handle === undefined) return "";
  const body = (await store.get(handle)) ?? null;
  const whole = body !== null && (await compactor.handlesIn([{ handle, body }])).corrupt.length === 0;
  return (await compactor.recall(callArguments, whole ? body : null)).text ?? "";
}
