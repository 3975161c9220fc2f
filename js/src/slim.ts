/**
 * The entry `ctxfold/slim`: as `index.ts`, with the module of what a chat in a browser uses, `ctxfold-slim.wasm`. What it lacks (agents' wire
 * formats, session files, convert) it answers with the code `needs_whole`. Memories are the same in both modules, so that a page can go on
 * with the entry `ctxfold`, or with `ctxfold.wasm` as its `module`.
 */
import { type CreateCompactor, compactors } from "./compactor.js";
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import { type Load, loader, type ModuleSource } from "./load.js";
import { type OffPageCreate, offPage } from "./off-page.js";
import { createRemote } from "./page-worker.js";
import { offPagePreloader, type Preload } from "./preload.js";

export * from "./api.js";

// Bundlers know a file by exactly this expression.
const own = (): URL => new URL("../ctxfold-slim.wasm", import.meta.url);

/** Loads the module; see {@link Load}. */
export const load: Load = /* @__PURE__ */ loader(own, (url) => fetch(url));

/** Makes a compactor for one conversation; see {@link CreateCompactor}. */
export const createCompactor: CreateCompactor = /* @__PURE__ */ compactors(load);

/** The worker of the page has the whole module as its own, so it is told which one it works with. */
const asking: OffPageCreate = /* @__PURE__ */ (
  (create: OffPageCreate): OffPageCreate =>
  ({ module = own() }, worker) =>
    create({ module }, worker)
)(/* @__PURE__ */ offPage(createCompactor, createRemote));

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(asking);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(asking);

/** Reads a message that a compaction has written; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(createCompactor);

/** Loads ahead of the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(asking);
