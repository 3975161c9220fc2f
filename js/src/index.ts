/**
 * ctxfold compacts LLM conversations. This is the entry for browsers and for everything else that has `fetch`; Node, Bun
 * and Deno get `node.ts`, which exports the same and reads the module from disk.
 */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type Load, loader } from "./load.js";

export { CtxfoldModule } from "./abi.js";
export type { CompactOptions, Compactor, CompactorOptions, CreateCompactor } from "./compactor.js";
export { CtxfoldError } from "./errors.js";
export type { Load, ModuleSource } from "./load.js";
export { indexedDBStore, type KeyValue, keyValueStore, memoryStore, type Store } from "./store.js";
export type { Summarize, SummaryText } from "./summarize.js";
export type * from "./types.js";

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(
  () => new URL("../ctxfold.wasm", import.meta.url),
  (url) => fetch(url),
);

/** Makes a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);
