/** Loads the module, and a page's worker, before the first call. */
import type { Load, ModuleSource } from "./load.js";
import type { OffPageCreate } from "./off-page.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";

/**
 * Loads the module and, in a page, its worker, so that the first `fit` doesn't have to wait for them. Pass the same
 * `module` and `worker` options as to `fit`. Resolves to true if everything was loaded, and never rejects: if loading
 * fails, `fit` reports the error.
 */
export type Preload<Source = ModuleSource> = (options?: { module?: Source; worker?: boolean }) => Promise<boolean>;

const arrived = (loading: Promise<unknown>): Promise<boolean> =>
  loading.then(
    () => true,
    () => false,
  );

/** Preloads on the caller's thread. */
export function preloader(load: Load): Preload {
  return ({ module } = {}) => arrived(load(module));
}

/**
 * Returns the function that preloads in the worker, which then runs until the page ends. It resolves to false if that
 * fails.
 */
export function remotePreloader(create: CreateRemoteCompactor): Preload<RemoteModuleSource> {
  return async ({ module } = {}) => {
    try {
      return await arrived(create(module === undefined ? {} : { module }).info());
    } catch {
      return false;
    }
  };
}

/** Preloads where `fit` will run: in the worker or on the page's thread. */
export function offPagePreloader(create: OffPageCreate): Preload {
  return ({ worker, ...options } = {}) =>
    arrived(Promise.resolve(create(options, worker).runOperation({ op: "info", head: {} })));
}
