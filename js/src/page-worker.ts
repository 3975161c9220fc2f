/** Starts the worker of a page, which all compactors and fitters of the page share. */
import type { ToPage, ToWorker } from "./protocol.js";
import { type CreateRemoteCompactor, type Running, remoteCompactors } from "./remote.js";

/** Creates a compactor in the worker; see {@link CreateRemoteCompactor}. */
export const createRemote: CreateRemoteCompactor = /* @__PURE__ */ remoteCompactors(start);

function start(): Running {
  // Bundlers only recognize a worker by exactly this expression.
  const worker = new Worker(new URL("./worker-thread.js", import.meta.url), { type: "module" });
  return {
    post: (message: ToWorker, transfer = []) => worker.postMessage(message, transfer),
    listen: (heard) => worker.addEventListener("message", (event: MessageEvent<ToPage>) => heard(event.data)),
    failed: (heard) =>
      worker.addEventListener("error", (event) => heard(new Error(event.message || "it does not load"))),
    terminate: () => worker.terminate(),
  };
}
