/** The entry `ctxfold/worker` for Node, Bun and Deno, over `node:worker_threads`. */
import { Worker } from "node:worker_threads";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import type { ToPage } from "./protocol.js";
import { type CreateRemoteCompactor, type Running, remoteCompactors } from "./remote.js";

export * from "./api.js";
export type { CreateRemoteCompactor, RemoteCompactor, RemoteModuleSource, RemoteOptions } from "./remote.js";

/** Makes a compactor in a worker; see {@link CreateRemoteCompactor}. The worker keeps the process alive while a call is under way. */
export const createCompactor: CreateRemoteCompactor = /* @__PURE__ */ remoteCompactors(start);

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(createCompactor as (options: object) => unknown);

/** Tells what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(createCompactor as (options: object) => unknown);

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
