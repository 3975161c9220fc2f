/** The entry `ctxfold/worker` for Node, Bun and Deno, over `node:worker_threads`. */
import { Worker } from "node:worker_threads";
import type { ToPage } from "./protocol.js";
import { type CreateRemoteCompactor, type Running, remoteCompactors } from "./remote.js";

export * from "./api.js";
export type { CreateRemoteCompactor, RemoteCompactor, RemoteModuleSource, RemoteOptions } from "./remote.js";

/** Makes a compactor in a worker; see {@link CreateRemoteCompactor}. The worker keeps the process alive until `close`. */
export const createCompactor: CreateRemoteCompactor = /* @__PURE__ */ remoteCompactors(start);

function start(): Running {
  const worker = new Worker(new URL("./worker-thread-node.js", import.meta.url));
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen: (heard) => worker.on("message", (message: ToPage) => heard(message)),
    failed: (heard) => worker.on("error", heard),
    terminate: () => void worker.terminate(),
  };
}
