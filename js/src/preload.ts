/** Loads ahead of the first call what it will wait for. */
import type { Load, ModuleSource } from "./load.js";
import type { OffPageCreate } from "./off-page.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";

/**
 * Loads what the first `fit` would wait for, for a page that has time before: the module, and in a page the worker that it runs in. Give
 * it the `module` and `worker` of the options that `fit` will have. It never rejects: what cannot be loaded is told by the call that
 * needs it. Resolves to whether all is there.
 */
export type Preload<Source = ModuleSource> = (options?: { module?: Source; worker?: boolean }) => Promise<boolean>;

const arrived = (loading: Promise<unknown>): Promise<boolean> =>
  loading.then(
    () => true,
    () => false,
  );

/** On the thread of the caller. */
export function preloader(load: Load): Preload {
  return ({ module } = {}) => arrived(load(module));
}

/** In the worker; it stays until the page ends. */
export function remotePreloader(create: CreateRemoteCompactor): Preload<RemoteModuleSource> {
  return async ({ module } = {}) => {
    try {
      return await arrived(create(module === undefined ? {} : { module }).info());
    } catch {
      return false;
    }
  };
}

/** Wherever `fit` will run. */
export function offPagePreloader(create: OffPageCreate): Preload {
  return ({ worker, ...options } = {}) =>
    arrived(Promise.resolve(create(options, worker).ask({ op: "info", head: {} })));
}
