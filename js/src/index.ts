/**
 * ctxfold compacts LLM conversations. This is the entry for browsers and for everything else that has `fetch`. The other
 * entries export the same and differ in where they have the module from: `node.ts` reads the file, `workerd.ts` and
 * `edge-light.ts` import it, as their platforms compile nothing at run time, `inline.ts` holds it, `core.ts` is given it.
 *
 * In a page `fit` runs in a worker, as it gives a promise anyway; a compactor stays in the page, for its operations are synchronous. What `fit`
 * needs only for a conversation that may not fit is loaded on demand.
 */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import type { ModuleSource } from "./load.js";
import { offPage } from "./off-page.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { offPagePreloader, type Preload } from "./preload.js";

export * from "./api.js";
export { createCompactor, load } from "./in-page.js";

const inPage = async () => (await import("./asked/in-page.js")).createCompactor;
const asking = /* @__PURE__ */ offPage(inPage, async () => (await import("./asked/in-worker.js")).createRemote);

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(asking);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(asking);

/** Reads a message that a compaction has written; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(async (options) =>
  (await inPage())(options),
);

/** Whether a provider's error says that the conversation does not fit; see {@link IsOverflow}. */
export const isOverflow: IsOverflow<ModuleSource> = /* @__PURE__ */ overflowReader(async (options) =>
  (await inPage())(options),
);

/** Loads ahead of the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(asking);
