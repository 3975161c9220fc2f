/** Loads parts of the package when they are needed, or shortly before. */

/** Loads a function that creates compactors. */
export type Lazy<Create> = () => Promise<Create>;

/** Runs `load`, and loads the rest of `fit`, while a page is idle. Does nothing outside pages. */
export function whenIdle(load: () => Promise<unknown>): void {
  if (typeof document === "undefined") return;
  // If a part can't be loaded, that is reported by the call that needs it.
  const begin = () => void Promise.all([import("./fit-jobs.js"), load()]).catch(() => {});
  // Safari has no requestIdleCallback by default.
  if (typeof requestIdleCallback === "function") requestIdleCallback(begin);
  else setTimeout(begin, 1000);
}
