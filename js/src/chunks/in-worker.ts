/** Exports the compactors for `fit` in a worker. Bundlers turn this file into a chunk that is loaded on demand. */
export { createRemote } from "../page-worker.js";
