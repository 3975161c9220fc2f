/**
 * ctxfold compacts LLM conversations. This is the entry for browsers and for everything else that has `fetch`. The other
 * entries export the same and differ in where they have the module from: `node.ts` reads the file, `workerd.ts` and
 * `edge-light.ts` import it, as their platforms compile nothing at run time, `inline.ts` holds it, `core.ts` is given it.
 */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import { type Load, loader } from "./load.js";

export * from "./api.js";

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(
  () => new URL("../ctxfold.wasm", import.meta.url),
  (url) => fetch(url),
);

/** Makes a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(createCompactor);

/** Tells what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(createCompactor);
