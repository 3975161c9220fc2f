/**
 * The entry for tools that resolve `ctxfold` with the condition `development`: like `index.ts`, but the module is also
 * included as code for tools that don't copy its file, such as `bun build` and the development servers of Vite 5 to 7.
 * Production builds need no second copy.
 */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import { type Load, loader, type ModuleSource } from "./load.js";
import { offPage } from "./off-page.js";
import { createRemote } from "./page-worker.js";
import { offPagePreloader, type Preload } from "./preload.js";

export * from "./api.js";

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(
  () => new URL("../ctxfold.wasm", import.meta.url),
  (url) => fetch(url),
  { inside: async () => (await import("./inflated.js")).inflated() },
);

/** Creates a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);

const asking = /* @__PURE__ */ offPage(createCompactor, createRemote);

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(asking);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(asking);

/** Reads a message that a compaction wrote; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Loads the module before the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(asking);
