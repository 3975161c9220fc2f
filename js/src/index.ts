/**
 * ctxfold compacts LLM conversations. This is the entry for browsers and for everything else that has `fetch`. The other
 * entries export the same and differ in where they have the module from: `node.ts` reads the file, `workerd.ts` and
 * `edge-light.ts` import it, as their platforms compile nothing at run time, `inline.ts` holds it, `core.ts` is given it.
 *
 * In a page `fit` runs in a worker, as it gives a promise anyway; a compactor stays in the page, for its operations are synchronous.
 */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import { createCompactor } from "./in-page.js";
import type { ModuleSource } from "./load.js";
import { offPage } from "./off-page.js";
import { createRemote } from "./page-worker.js";
import { offPagePreloader, type Preload } from "./preload.js";

export * from "./api.js";
export { createCompactor, load } from "./in-page.js";

const asking = /* @__PURE__ */ offPage(createCompactor, createRemote);

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(asking);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(asking);

/** Reads a message that a compaction has written; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Loads ahead of the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(asking);
