/** What `fit` asks in a page: a part of its own, which bundlers load on demand. */
export { createRemote } from "../page-worker.js";
