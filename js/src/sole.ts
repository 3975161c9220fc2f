/**
 * Mutual exclusion. With Web Locks it covers all pages of an origin or all threads of a program, otherwise only this page
 * or thread.
 */
import { unlessAborted } from "./abort.js";

/** The last work under each name, for platforms without Web Locks. */
const LAST = new Map<string, Promise<void>>();

/**
 * Runs `work` while no other call with the same name runs. Rejects with the signal's reason if the signal is aborted
 * before `work` begins.
 */
export async function alone<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (!locks) return inTurn(name, signal, work);
  let begun = false;
  const begin = () => {
    begun = true;
    return work();
  };
  try {
    return await locks.request(name, signal ? { signal } : {}, begin);
  } catch (error) {
    // A page with an opaque origin, such as a sandboxed frame, has the locks API but may not use it.
    if (begun || (error as Error | undefined)?.name !== "SecurityError") throw error;
    return inTurn(name, signal, work);
  }
}

async function inTurn<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const before = LAST.get(name) ?? Promise.resolve();
  let end = () => {};
  const mine = new Promise<void>((done) => {
    end = done;
  });
  const last = before.then(() => mine);
  LAST.set(name, last);
  void last.then(() => {
    if (LAST.get(name) === last) LAST.delete(name);
  });
  try {
    await unlessAborted(before, signal);
    return await work();
  } finally {
    end();
  }
}
