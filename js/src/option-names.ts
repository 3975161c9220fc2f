/**
 * The names of options that several entries accept. They are in a separate file because adapters are bundled
 * separately from `ctxfold` and should not contain a second copy of its code.
 */
import type { CompactorOptions } from "./compactor-options.js";
import type { FitterOptions } from "./fit-options.js";
import type { Names } from "./options.js";

/** The names of the options of `createCompactor`. */
export const COMPACTOR_OPTIONS: Names<CompactorOptions> = {
  module: true,
  policy: true,
  summarize: true,
  summaryTimeoutMs: true,
  concurrency: true,
  redact: true,
  onDelta: true,
  onEvent: true,
  store: true,
  countTokens: true,
  state: true,
};

const { state: _, ...MAKING } = COMPACTOR_OPTIONS;

/** The names of the options of `createFitter`. */
export const FITTER_OPTIONS: Names<FitterOptions> = {
  ...MAKING,
  window: true,
  model: true,
  format: true,
  memory: true,
  remembered: true,
  shared: true,
  worker: true,
  onCompaction: true,
  onBackgroundError: true,
  waitUntil: true,
};
