/** The entry `ctxfold/worker`: compactors off the main thread, in browsers. */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import { createRemote } from "./page-worker.js";
import { type Preload, remotePreloader } from "./preload.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";

export * from "./api.js";
export type { CreateRemoteCompactor, RemoteCompactor, RemoteModuleSource, RemoteOptions } from "./remote.js";

/** Creates a compactor in a worker; see {@link CreateRemoteCompactor}. */
export const createCompactor: CreateRemoteCompactor = createRemote;

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. */
export const createFitter: CreateFitter<RemoteModuleSource> = /* @__PURE__ */ fitters(createRemote);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit<RemoteModuleSource> = /* @__PURE__ */ freeFit(createRemote);

/** Reads a message that a compaction wrote; see {@link DigestOf}. */
export const digestOf: DigestOf<RemoteModuleSource> = /* @__PURE__ */ digestReader(createRemote);

/** Loads the module before the first call; see {@link Preload}. */
export const preload: Preload<RemoteModuleSource> = /* @__PURE__ */ remotePreloader(createRemote);
