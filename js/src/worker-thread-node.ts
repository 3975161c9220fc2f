/** The code that runs in the worker of Node, Bun and Deno. */
import { parentPort } from "node:worker_threads";
import { createCompactor } from "./node.js";
import type { ToPage, ToWorker } from "./protocol.js";
import { serve } from "./thread.js";

serve(
  {
    post: (message: ToPage, transfer = []) => parentPort?.postMessage(message, transfer),
    listen: (heard) => parentPort?.on("message", (message: ToWorker) => heard(message)),
  },
  createCompactor,
);
