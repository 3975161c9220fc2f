/** Parts of the package that are loaded when they are needed, or shortly before. */

/** Loads what makes compactors, when the first of them is needed. */
export type Lazy<Create> = () => Promise<Create>;

/** Loads the parts of `fit` for conversations that may not fit, and what `load` adds, while a page has nothing else to do. */
export function whenIdle(load: () => Promise<unknown>): void {
  if (typeof document === "undefined") return;
  // What cannot be loaded is told by the call that needs it.
  const begin = () => void Promise.all([import("./fit-jobs.js"), load()]).catch(() => {});
  // Safari has no requestIdleCallback.
  if (typeof requestIdleCallback === "function") requestIdleCallback(begin);
  else setTimeout(begin, 1000);
}
