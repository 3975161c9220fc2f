// Generated from in-page.ts by `make generate`. Do not edit it.
/** The slim module on this thread, for browsers. */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type Load, loader } from "./load.js";
import { ownSlim } from "./slim-module.js";

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(ownSlim, (url) => fetch(url));

/** Creates a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);
