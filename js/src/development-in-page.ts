// Generated from in-page.ts by `make generate`. Do not edit it.
/** The module on this thread, from its file or from inside the code. */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type Load, loader } from "./load.js";

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(
  () => new URL("../ctxfold.wasm", import.meta.url),
  (url) => fetch(url),
  { inside: async () => (await import("./inflated.js")).inflated() },
);

/** Creates a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);
