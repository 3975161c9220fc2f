/** What a compaction removes, kept in a store and brought back. */
import type { Store } from "./store.js";
import type { Found, Kept, Messages, NamedHandles, Recalled, Restored, Search, SearchOptions, State } from "./types.js";

/** The promise, or a rejection with the signal's reason as soon as it is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The part of a compactor, here or in a worker, that brings bodies back. */
export interface Restoring {
  restore<M extends Messages>(
    messages: M,
    bodies?: readonly Kept[],
    state?: State | null,
  ): Restored<M> | Promise<Restored<M>>;
  handlesIn(bodies: readonly Kept[]): NamedHandles | Promise<NamedHandles>;
  recall(callArguments: unknown, body?: string | null, found?: Found): Recalled | Promise<Recalled>;
  search(search: Search): Found | Promise<Found>;
}

/** What may be searched: all that a conversation names, or some bodies alone. */
export interface Within {
  /** The conversation's messages, as the last compaction left them, with the later ones: they name the archived content. */
  messages?: Messages;
  /** The state of the last compaction; without it the compactor's is taken. */
  state?: State | null;
  /** Handles of the bodies to search, and no others. */
  handles?: readonly string[];
}

/**
 * Puts bodies back, byte for byte, that compactions have removed of a transcript: those of some handles, or without any all that the store
 * has, from the last compaction back to the first. `state` is that of the transcript; without it the compactor's is taken. A handle for
 * which the store has nothing, or a body that is not its own, is left as it is: `markers` tell.
 */
export async function restoreFrom<M extends Messages>(
  store: Store,
  compactor: Restoring,
  messages: M,
  handles?: readonly string[],
  state?: State | null,
): Promise<Restored<M>> {
  const listed = await compactor.restore(messages, [], state);
  const { bodies, corrupt } = await collect(store, compactor, handles ?? handlesOf(listed), !handles);
  const restored = bodies.length > 0 ? await compactor.restore(messages, bodies, state) : listed;
  for (const marker of restored.markers) {
    if (corrupt.has(digitsOf(marker.handle))) marker.why = "corrupt";
  }
  return restored;
}

/** The handles that a transcript names. */
const handlesOf = ({ markers }: { markers: readonly { handle: string }[] }) => markers.map(({ handle }) => handle);

/** Gets the bodies of some handles, and where it follows them those that these name, each once. */
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

/** What of a handle markers name. */
const digitsOf = (handle: string) => handle.toLowerCase().slice(0, 16);

/**
 * Finds messages that compactions have removed, by what they say: by their words in any script, with the messages next to them, and by dates
 * and roles that the query names. It searches what the conversation names, by `messages` and the state, and what that names in its turn; or
 * only the bodies of `handles`. A body that is not the one of its handle counts as missing. A store that has `search` is asked instead.
 */
export async function searchFrom(
  store: Store,
  compactor: Restoring,
  query: string,
  { messages, state, handles, ...options }: Within & SearchOptions = {},
): Promise<Found> {
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
 * Answers a call of the tool that `recallTool` defines, with a handle or with a query. What the model has done wrong is in the answer,
 * for it to read; it rejects only where the store does. A query is answered from what `within` names, and from nothing else that the store
 * keeps; without `messages` and `handles` only a store that has `search` can answer it.
 */
export async function recallFrom(
  store: Store,
  compactor: Restoring,
  callArguments: unknown,
  within: Within = {},
): Promise<string> {
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
