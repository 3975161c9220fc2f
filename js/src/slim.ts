/**
 * The entry `ctxfold/slim`: as `index.ts`, with the module of what a chat in a browser uses, `ctxfold-slim.wasm`. What it lacks (agents' wire
 * formats, session files, convert) it answers with the code `needs_whole`. Memories are the same in both modules, so that a page can go on
 * with the entry `ctxfold`, or with `ctxfold.wasm` as its `module`.
 */
import { type DigestOf, digestReader } from "./digest.js";
import { type CreateFitter, type Fit, fitters, freeFit } from "./fit.js";
import type { ModuleSource } from "./load.js";
import { type OffPageCreate, offPage } from "./off-page.js";
import { type IsOverflow, overflowReader } from "./overflow.js";
import { offPagePreloader, type Preload } from "./preload.js";
import { ownSlim } from "./slim-module.js";

export * from "./api.js";
export { createCompactor, load } from "./slim-in-page.js";

const inPage = async () => (await import("./asked/slim.js")).createCompactor;

/** The worker of the page has the whole module as its own, so it is told which one it works with. */
const asking: OffPageCreate = /* @__PURE__ */ (
  (create: OffPageCreate): OffPageCreate =>
  ({ module = ownSlim() }, worker) =>
    create({ module }, worker)
)(/* @__PURE__ */ offPage(inPage, async () => (await import("./asked/in-worker.js")).createRemote));

/** Makes a `fit` with options and a memory of its own; see {@link CreateFitter}. */
export const createFitter: CreateFitter = /* @__PURE__ */ fitters(asking);

/** Returns what to send for a whole history; see {@link Fit}. */
export const fit: Fit = /* @__PURE__ */ freeFit(asking);

/** Reads a message that a compaction has written; see {@link DigestOf}. */
export const digestOf: DigestOf<ModuleSource> = /* @__PURE__ */ digestReader(async (options) =>
  (await inPage())(options),
);

/** Whether a provider's error says that the conversation does not fit; see {@link IsOverflow}. */
export const isOverflow: IsOverflow<ModuleSource> = /* @__PURE__ */ overflowReader(async (options) =>
  (await inPage())(options),
);

/** Loads ahead of the first `fit`; see {@link Preload}. */
export const preload: Preload = /* @__PURE__ */ offPagePreloader(asking);
