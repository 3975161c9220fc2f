/** The entry for Cloudflare's workerd: the platform compiles nothing at run time, so the bundler hands over the module. */
import own from "../ctxfold.wasm";
import { type CreateCompactor, compactors } from "./compactor.js";
import { type Load, loader } from "./load.js";

export * from "./api.js";

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(
  () => own,
  (url) => fetch(url),
);

/** Makes a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);
