/** Loads parts of the package on demand, or shortly before. */

/** Loads a function that creates compactors. */
export type Lazy<Create> = () => Promise<Create>;

/** Runs `load` while a page is idle, and loads the rest of `fit`. Does nothing outside pages. */
export function whenIdle(load: () => Promise<unknown>): void {
  if (typeof document === "undefined") return;
  // If a part can't be loaded, the call that needs it reports the error.
  const begin = () => void Promise.all([import("./fit-jobs.js"), load()]).catch(() => {});
  // Safari has no requestIdleCallback by default.
  if (typeof requestIdleCallback === "function") requestIdleCallback(begin);
  else setTimeout(begin, 1000);
}
