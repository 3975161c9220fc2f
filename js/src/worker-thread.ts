/** The code that runs in the worker of a browser. */
import { createCompactor } from "./in-page.js";
import type { ToPage, ToWorker } from "./protocol.js";
import { serve } from "./thread.js";

const self = globalThis as unknown as Worker;

serve(
  {
    post: (message: ToPage, transfer = []) => self.postMessage(message, transfer),
    listen: (heard) => self.addEventListener("message", (event: MessageEvent<ToWorker>) => heard(event.data)),
  },
  createCompactor,
);
