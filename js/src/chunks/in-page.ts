/** Exports the factory `fit` uses to run without a worker. Bundlers turn this file into a chunk loaded on demand. */
export { createCompactor } from "../in-page.js";
