/** The entry `ctxfold/worker`: compactors off the main thread, in browsers. */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitFunction, fitterFactory } from "./fit.js";
import { later } from "./later.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { createRemote } from "./page-worker.js";
import { type Preload, remotePreloader } from "./preload.js";
import type { CreateRemoteCompactor, RemoteModuleSource } from "./remote.js";

export * from "./api.js";
export type { CreateRemoteCompactor, RemoteCompactor, RemoteModuleSource, RemoteOptions } from "./remote.js";

/** Creates a compactor in a worker; see {@link CreateRemoteCompactor}. */
export const createCompactor: CreateRemoteCompactor = createRemote;

const createEngine = /* @__PURE__ */ later(async () => (await import("./chunks/in-worker.js")).createRemote);

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. */
export const createFitter: CreateFitter<RemoteModuleSource> = /* @__PURE__ */ fitterFactory(createEngine);

/**
 * Fits a whole history into the model's context window and returns the messages to send; see {@link Fit}. Runs in a
 * worker.
 */
export const fit: Fit<RemoteModuleSource> = /* @__PURE__ */ fitFunction(createEngine);

/** Reads a message that a compaction wrote; see {@link DigestOf}. */
export const digestOf: DigestOf<RemoteModuleSource> = /* @__PURE__ */ digestReader(createRemote);

/** Resolves to true if a provider's error means that the conversation doesn't fit; see {@link IsOverflow}. */
export const isOverflow: IsOverflow<RemoteModuleSource> = /* @__PURE__ */ overflowReader(createRemote);

/** Loads the module before the first call; see {@link Preload}. */
export const preload: Preload<RemoteModuleSource> = /* @__PURE__ */ remotePreloader(createRemote);
