/** Exports the factory that `fit` uses with a worker. Bundlers turn this file into a chunk loaded on demand. */
export { createRemote } from "../page-worker.js";
