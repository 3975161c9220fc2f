// Generated from node.ts by `make generate`. Do not edit it.
/**
 * The entry for Cloudflare's workerd. The platform compiles nothing at run time, so the bundler provides the module.
 */
import own from "../ctxfold.wasm";
import { SWOLLEN_AT_THE_EDGE } from "./abi.js";
import { type CreateCompactor, compactors } from "./compactor.js";
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitFunction, fitterFactory } from "./fit.js";
import { type Load, loader, type ModuleSource } from "./load.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { type Preload, preloader } from "./preload.js";

export * from "./api.js";

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(
  () => own,
  (url) => fetch(url),
  { swollen: SWOLLEN_AT_THE_EDGE },
);

/** Creates a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitterFactory(createCompactor);

/** Fits a whole history into the context window and returns the messages to send; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ fitFunction(createCompactor);

/** Reads a message that a compaction wrote; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Resolves to true if a provider's error means that the conversation doesn't fit; see {@link IsOverflow}. */
export const isOverflow: IsOverflow<ModuleSource> = /* @__PURE__ */ overflowReader(createCompactor);

/** Loads the module before the first call; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ preloader(load);
