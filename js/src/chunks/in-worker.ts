/** Compactors for `fit` in a worker. Bundlers make a chunk of this file, which is loaded on demand. */
export { createRemote } from "../page-worker.js";
