/** One writer at a time, where the platform has Web Locks: among the pages of an origin, or the threads of a program. */

/**
 * Runs the work alone among all that have the same name; at once where there are no Web Locks. Rejects with the signal's reason
 * where it is aborted while others are at work.
 */
export async function alone<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (!locks) return work();
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
    return work();
  }
}
