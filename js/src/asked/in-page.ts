/** What `fit` asks where there is no worker: a part of its own, which bundlers load on demand. */
export { createCompactor } from "../in-page.js";
