/** The entry `ctxfold/worker`: compactors off the main thread, in browsers. */
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import type { ToPage, ToWorker } from "./protocol.js";
import { type CreateRemoteCompactor, type Running, remoteCompactors } from "./remote.js";

export * from "./api.js";
export type { CreateRemoteCompactor, RemoteCompactor, RemoteModuleSource, RemoteOptions } from "./remote.js";

/** Makes a compactor in a worker; see {@link CreateRemoteCompactor}. */
export const createCompactor: CreateRemoteCompactor = /* @__PURE__ */ remoteCompactors(start);

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(createCompactor as (options: object) => unknown);

/** Tells what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(createCompactor as (options: object) => unknown);

function start(): Running {
  // Bundlers know a worker by exactly this expression.
  const worker = new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
  return {
    post: (message: ToWorker, transfer = []) => worker.postMessage(message, transfer),
    listen: (heard) => worker.addEventListener("message", (event: MessageEvent<ToPage>) => heard(event.data)),
    failed: (heard) =>
      worker.addEventListener("error", (event) => heard(new Error(event.message || "it does not load"))),
    terminate: () => worker.terminate(),
  };
}
