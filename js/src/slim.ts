// Generated from index.ts by `make generate`. Do not edit it.
/**
 * The entry `ctxfold/slim`: like `index.ts`, but with `ctxfold-slim.wasm`, which contains only the features that chats in
 * a browser need. For other features (agents' wire formats, session files, convert) it returns the error `needs_whole`.
 * Both modules can read the same memories, so a page can later switch to the entry `ctxfold`, or pass `ctxfold.wasm` as
 * its `module`.
 */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitFunction, fitterFactory } from "./fit.js";
import type { ModuleSource } from "./load.js";
import { type OffPageCreate, offPage } from "./off-page.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { offPagePreloader, type Preload } from "./preload.js";
import { ownSlim } from "./slim-module.js";

export * from "./api.js";
export { createCompactor, load } from "./slim-in-page.js";

const inPage = async () => (await import("./chunks/slim.js")).createCompactor;

/** Names the slim module explicitly, because the page's worker loads the whole module by default. */
const createEngine: OffPageCreate = /* @__PURE__ */ (
  (create: OffPageCreate): OffPageCreate =>
  ({ module = ownSlim() }, worker) =>
    create({ module }, worker)
)(/* @__PURE__ */ offPage(inPage, async () => (await import("./chunks/in-worker.js")).createRemote));

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
