/**
 * ctxfold compacts LLM conversations. This is the entry for browsers and all other platforms with `fetch`. The other
 * entries export the same API but load the module in another way: `node.ts` reads the file; `workerd.ts` and
 * `edge-light.ts` import it, because their platforms compile nothing at run time; `inline.ts` contains it; and
 * `core.ts` takes it as an option.
 *
 * In a page, `fit` runs in a worker, since it returns a promise anyway. Compactors run on the page's thread, because
 * their operations are synchronous. Bundlers put everything that `fit` needs only for a conversation that may not fit
 * into chunks that are loaded on demand.
 */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitFunction, fitterFactory } from "./fit.js";
import type { ModuleSource } from "./load.js";
import { offPage } from "./off-page.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { offPagePreloader, type Preload } from "./preload.js";

export * from "./api.js";
export { createCompactor, load } from "./in-page.js";

const inPage = async () => (await import("./chunks/in-page.js")).createCompactor;
const createEngine = /* @__PURE__ */ offPage(inPage, async () => (await import("./chunks/in-worker.js")).createRemote);

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitterFactory(createEngine);

/** Fits a whole history into the context window and returns the messages to send; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ fitFunction(createEngine);

/** Reads a message that a compaction wrote; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(async (options) =>
  (await inPage())(options),
);

/** Resolves to true if a provider's error means that the conversation doesn't fit; see {@link IsOverflow}. */
export const isOverflow: IsOverflow<ModuleSource> = /* @__PURE__ */ overflowReader(async (options) =>
  (await inPage())(options),
);

/** Loads the module before the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(createEngine);
