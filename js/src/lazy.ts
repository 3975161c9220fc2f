/** Loads parts of the package on demand, or shortly before. */

/** Loads a function that creates compactors. */
export type Lazy<Create> = () => Promise<Create>;

/** Runs `load` while a page is idle, and loads the rest of `fit`. Does nothing outside pages. */
export function whenIdle(load: () => Promise<unknown>): void {
  if (typeof document === "undefined") return;
  // The call that needs a part reports that it can't be loaded.
  const begin = () => void Promise.all([import("./fit-jobs.js"), load()]).catch(() => {});
  // Safari has no requestIdleCallback by default.
  if (typeof requestIdleCallback === "function") requestIdleCallback(begin);
  else setTimeout(begin, 1000);
}
