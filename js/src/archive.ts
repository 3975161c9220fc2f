/** What a compaction takes out, kept in a store and brought back. */
import { CtxfoldError, messageOf } from "./errors.js";
import type { Store } from "./store.js";
import type { Body, Kept, Marker, Messages, Recalled, Restored } from "./types.js";

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
  restore<M extends Messages>(messages: M, bodies?: readonly Kept[]): Restored<M> | Promise<Restored<M>>;
  recall(callArguments: unknown, body?: string | null): Recalled | Promise<Recalled>;
}

/**
 * Puts bodies back, byte for byte, that compactions have taken out of a transcript: those of some handles, or without any all
 * that the store has. A handle for which it has nothing is left as it is.
 */
export async function restoreFrom<M extends Messages>(
  store: Store,
  compactor: Restoring,
  messages: M,
  handles?: readonly string[],
): Promise<Restored<M>> {
  const listed = await compactor.restore(messages);
  const wanted = handles ?? listed.markers.map(({ handle }: Marker) => handle);
  const found = await Promise.all(wanted.map(async (handle) => ({ handle, body: await store.get(handle) })));
  const bodies = found.filter((each): each is Kept => typeof each.body === "string");
  return bodies.length > 0 ? compactor.restore(messages, bodies) : listed;
}

/**
 * Answers a call of the tool that `recallTool` defines. What the model has done wrong is in the answer, for it to read; it
 * rejects only where the store does.
 */
export async function recallFrom(store: Store, compactor: Restoring, callArguments: unknown): Promise<string> {
  const asked = await compactor.recall(callArguments);
  if (asked.text !== undefined || asked.handle === undefined) return asked.text ?? "";
  const body = (await store.get(asked.handle)) ?? null;
  return (await compactor.recall(callArguments, body)).text ?? "";
}
