/** What every entry of the package exports beside `load` and `createCompactor`, which differ in where the module comes from. */
export { CtxfoldModule } from "./abi.js";
export { type Restoring, recallFrom, restoreFrom } from "./archive.js";
export type { CompactOptions, Compactor, CompactorOptions, CreateCompactor } from "./compactor.js";
export { CtxfoldError } from "./errors.js";
export type { Load, ModuleSource } from "./load.js";
export { indexedDBStore, type KeyValue, keyValueStore, memoryStore, type Store } from "./store.js";
export type { Delta } from "./stream.js";
export type { Summarize, SummaryText } from "./summarize.js";
export type * from "./types.js";
