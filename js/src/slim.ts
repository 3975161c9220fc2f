/**
 * The entry `ctxfold/slim`: like `index.ts`, but with `ctxfold-slim.wasm`, which contains what chats in a browser need.
 * For the rest (agents' wire formats, session files, convert) it returns the error `needs_whole`. Both modules use the
 * same memories, so a page can switch to the entry `ctxfold`, or pass `ctxfold.wasm` as its `module`.
 */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import { type Load, loader, type ModuleSource } from "./load.js";
import { type OffPageCreate, offPage } from "./off-page.js";
import { createRemote } from "./page-worker.js";
import { offPagePreloader, type Preload } from "./preload.js";

export * from "./api.js";

// Bundlers recognize a file only by this exact expression.
const own = (): URL => new URL("../ctxfold-slim.wasm", import.meta.url);

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(own, (url) => fetch(url));

/** Creates a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);

/** The page's worker loads the whole module by default, so the slim one is named explicitly. */
const asking: OffPageCreate = /* @__PURE__ */ (
  (create: OffPageCreate): OffPageCreate =>
  ({ module = own() }, worker) =>
    create({ module }, worker)
)(/* @__PURE__ */ offPage(createCompactor, createRemote));

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(asking);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(asking);

/** Reads a message that a compaction wrote; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Loads the module before the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(asking);
