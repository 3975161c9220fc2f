/** The entry `ctxfold/worker` for Node, Bun and Deno, over `node:worker_threads`. */
import { Worker } from "node:worker_threads";
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitFunction, fitterFactory } from "./fit.js";
import { later } from "./later.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { type Preload, remotePreloader } from "./preload.js";
import type { ToPage } from "./protocol.js";
import { type CreateRemoteCompactor, type RemoteModuleSource, type Running, remoteCompactors } from "./remote.js";

export * from "./api.js";
export type { CreateRemoteCompactor, RemoteCompactor, RemoteModuleSource, RemoteOptions } from "./remote.js";

/**
 * Creates a compactor in a worker; see {@link CreateRemoteCompactor}. The worker keeps the process alive during calls.
 */
export const createCompactor: CreateRemoteCompactor = /* @__PURE__ */ remoteCompactors(start);

const createEngine = /* @__PURE__ */ later(async () => createCompactor);

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. */
export const createFitter: CreateFitter<RemoteModuleSource> = /* @__PURE__ */ fitterFactory(createEngine);

/** Fits a whole history into the context window and returns the messages to send; see {@link Fit}. */
export const fit: Fit<RemoteModuleSource> = /* @__PURE__ */ fitFunction(createEngine);

/** Reads a message that a compaction wrote; see {@link DigestOf}. */
export const digestOf: DigestOf<RemoteModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Resolves to true if a provider's error means that the conversation doesn't fit; see {@link IsOverflow}. */
export const isOverflow: IsOverflow<RemoteModuleSource> = /* @__PURE__ */ overflowReader(createCompactor);

/** Loads the module before the first call; see {@link Preload}. */
export const preload: Preload<RemoteModuleSource> = /* @__PURE__ */ remotePreloader(createCompactor);

function start(): Running {
  const worker = new Worker(new URL("./worker-thread-node.js", import.meta.url));
  worker.unref();
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen: (heard) => worker.on("message", (message: ToPage) => heard(message)),
    failed: (heard) => worker.on("error", heard),
    terminate: () => void worker.terminate(),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
  };
}
