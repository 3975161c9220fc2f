/** Exports the compactors for `fit` without a worker. Bundlers turn this file into a chunk that is loaded on demand. */
export { createCompactor } from "../in-page.js";
