/**
 * The exports that all entries of the package share. `load` and `createCompactor` are not among them, because each
 * entry gets the module from a different place.
 */
export { CtxfoldModule } from "./abi.js";
export { type Restoring, recallFrom, restoreFrom, searchFrom, type Within } from "./archive.js";
export type { Compactor, CreateCompactor } from "./compactor.js";
export type { CompactorOptions } from "./compactor-options.js";
export { Conversation } from "./conversation.js";
export type {
  Called,
  CompactDecision,
  Compacted,
  ConversationCompactor,
  ConversationOptions,
} from "./conversation-options.js";
export { type DigestOf, type DigestOptions, isDigest } from "./digest.js";
export type { CompactOptions, Overrides } from "./ending.js";
export { CtxfoldError, type HostErrorCode } from "./errors.js";
export type { CompactorEvent } from "./events.js";
export type { CreateFitter, Fit, Fitter } from "./fit.js";
export type { FitCallOptions, FitOptions, FitResult, FitterOptions } from "./fit-options.js";
export { type CompactionEvent, indexedDBJournal, type Journal, memoryJournal } from "./journal.js";
export type { Load, ModuleSource } from "./load.js";
export type { IsOverflow, OverflowOptions } from "./overflow.js";
export type { Preload } from "./preload.js";
export type { SharedMemory } from "./records.js";
export type { FindSecrets } from "./redact.js";
export type { LiveSession, RemoteSession } from "./session.js";
export type { FitMemory } from "./store.js";
export {
  indexedDBStore,
  type KeyValue,
  keyValueStore,
  memoryStore,
  type StateStore,
  type Store,
  type StoreSearch,
} from "./store.js";
export type { SummaryDelta } from "./stream.js";
export type { Answer as SummaryAnswer, Piece, Summarize, SummaryMessages, SummaryText } from "./summarize.js";
export type * from "./types.js";
export type { Counted, CountTokens } from "./usage.js";
export type { NextCall } from "./uses.js";
