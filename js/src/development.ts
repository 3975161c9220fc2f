/**
 * The entry for tools that name `development` when they look up `ctxfold`: as `index.ts`, with the module inside for those that leave its
 * file after, as `bun build` and the development servers of Vite 5 to 7 do. A production build of the others has no use for a second copy.
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

/** Makes a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);

const asking = /* @__PURE__ */ offPage(createCompactor, createRemote);

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(asking);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(asking);

/** Reads a message that a compaction has written; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Loads ahead of the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(asking);
