// Generated from index.ts by `make generate`. Do not edit it.
/**
 * The entry for tools that resolve `ctxfold` with the condition `development`: like `index.ts`, but the module is also
 * included as code for tools that don't copy its file, such as `bun build` and the development servers of Vite 5 to 7.
 * Production builds need no second copy.
 */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitFunction, fitterFactory } from "./fit.js";
import type { ModuleSource } from "./load.js";
import { offPage } from "./off-page.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { offPagePreloader, type Preload } from "./preload.js";

export * from "./api.js";
export { createCompactor, load } from "./development-in-page.js";

const inPage = async () => (await import("./chunks/development.js")).createCompactor;
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
