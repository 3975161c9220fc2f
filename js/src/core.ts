// Generated from node.ts by `make generate`. Do not edit it.
/** The entry `ctxfold/core`: bring your own module. No file is referenced here, so bundlers need no configuration. */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type DigestOf, digestReader } from "./digest.js";
import { CtxfoldError } from "./errors.js";
import { type CreateFitter, type Fit, fitFunction, fitterFactory } from "./fit.js";
import { type Load, loader, type ModuleSource } from "./load.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { type Preload, preloader } from "./preload.js";

export * from "./api.js";

/** Loads a module; see {@link Load}. Rejects with `load_failed` if no source is given. */
export const load: Load = /* @__PURE__ */ loader(
  () => {
    throw new CtxfoldError(
      "load_failed",
      "ctxfold/core has no module of its own: load(source), or createCompactor({ module: source }), where the source is " +
        "ctxfold/ctxfold.wasm as a URL, a Response, bytes or a WebAssembly.Module",
    );
  },
  (url) => fetch(url),
);

/** Creates a compactor for one conversation; see {@link CreateCompactor}. The options must name a module. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);

/** Creates a `fit` with its own options and memory; see {@link CreateFitter}. The options must name a module. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitterFactory(createCompactor);

/** Fits a whole history into the context window and returns the messages to send; see {@link Fit}. The options must name a module. */
export const fit: Fit = /* @__PURE__ */ fitFunction(createCompactor);

/** Reads a message that a compaction wrote; see {@link DigestOf}. The options must name a module. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Resolves to true if a provider's error means that the conversation doesn't fit; see {@link IsOverflow}. The options must name a module. */
export const isOverflow: IsOverflow<ModuleSource> = /* @__PURE__ */ overflowReader(createCompactor);

/** Loads the module before the first call; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ preloader(load);
