/** Compactors for `fit` without a worker. Bundlers make a chunk of this file, which is loaded on demand. */
export { createCompactor } from "../in-page.js";
