/** What a compaction takes out, kept in a store and brought back. */
import { CtxfoldError, messageOf } from "./errors.js";
import type { Store } from "./store.js";
import type { Body, Kept, Messages, NamedHandles, Recalled, Restored, State } from "./types.js";

/**
 * Keeps the bodies of an answer. The answer is not used unless all of them are kept: it rejects with `store_failed`, or with
 * the signal's reason.
 */
export async function keep(store: Store, bodies: readonly Body[], signal?: AbortSignal): Promise<void> {
  const kept = Promise.all(bodies.map(async ({ handle, body }) => store.put(handle, body))).catch((cause) => {
    throw new CtxfoldError("store_failed", `a body could not be stored, and nothing was changed: ${messageOf(cause)}`, {
      cause,
    });
  });
  await unlessAborted(kept, signal);
}

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
  recall(callArguments: unknown, body?: string | null): Recalled | Promise<Recalled>;
}

/**
 * Puts bodies back, byte for byte, that compactions have taken out of a transcript: those of some handles, or without any all
 * that the store has, from the last compaction back to the first. `state` is that of the transcript; without it the compactor's is
 * taken. A handle for which the store has nothing, or a body that is not its own, is left as it is: `markers` tell.
 */
export async function restoreFrom<M extends Messages>(
  store: Store,
  compactor: Restoring,
  messages: M,
  handles?: readonly string[],
  state?: State | null,
): Promise<Restored<M>> {
  const listed = await compactor.restore(messages, [], state);
  const corrupt = new Set<string>();
  const asked = new Set<string>();
  const bodies: Kept[] = [];
  let next = handles ?? listed.markers.map(({ handle }) => handle);
  while (next.length > 0) {
    const wanted = next.filter((handle) => !asked.has(digitsOf(handle)) && asked.add(digitsOf(handle)));
    const found = await Promise.all(wanted.map(async (handle) => ({ handle, body: await store.get(handle) })));
    const here = found.filter((each): each is Kept => typeof each.body === "string");
    if (here.length === 0) break;
    const named = await compactor.handlesIn(here);
    for (const handle of named.corrupt) corrupt.add(digitsOf(handle));
    bodies.push(...here.filter(({ handle }) => !corrupt.has(digitsOf(handle))));
    next = handles ? [] : named.handles;
  }
  const restored = bodies.length > 0 ? await compactor.restore(messages, bodies, state) : listed;
  for (const marker of restored.markers) {
    if (corrupt.has(digitsOf(marker.handle))) marker.why = "corrupt";
  }
  return restored;
}

/** What of a handle markers name. */
const digitsOf = (handle: string) => handle.toLowerCase().slice(0, 16);

/**
 * Answers a call of the tool that `recallTool` defines. What the model has done wrong is in the answer, for it to read; it
 * rejects only where the store does.
 */
export async function recallFrom(store: Store, compactor: Restoring, callArguments: unknown): Promise<string> {
  const asked = await compactor.recall(callArguments);
  if (asked.text !== undefined || asked.handle === undefined) return asked.text ?? "";
  const { handle } = asked;
  const body = (await store.get(handle)) ?? null;
  const whole = body !== null && (await compactor.handlesIn([{ handle, body }])).corrupt.length === 0;
  return (await compactor.recall(callArguments, whole ? body : null)).text ?? "";
}
