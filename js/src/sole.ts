/** One writer at a time: with Web Locks among the pages of an origin, or the threads of a program; without them in this one. */
import { unlessAborted } from "./archive.js";

/** The last work under each name, where there are no Web Locks. */
const LAST = new Map<string, Promise<void>>();

/**
 * Runs the work alone among all that have the same name. Rejects with the signal's reason where it is aborted while others are at
 * work.
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
    // A page without an origin of its own, such as a sandboxed frame, has the locks but may not use them.
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
