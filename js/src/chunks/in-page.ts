/** Exports the factory that `fit` uses without a worker. Bundlers turn this file into a chunk loaded on demand. */
export { createCompactor } from "../in-page.js";
