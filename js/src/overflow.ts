/** Recognizes the errors of providers for conversations that don't fit. */
import type { Engine } from "./engine.js";
import { failuresOf, overflowOf } from "./failure.js";
import { checkOptions, type Names } from "./options.js";

/** Options of `isOverflow`. */
export interface OverflowOptions<Source = unknown> {
  /** The module, or a source to load it from. Default: the package's own. */
  module?: Source;
}

const OVERFLOW_OPTIONS: Names<OverflowOptions> = { module: true };

/**
 * Resolves to true if a provider's error, or its cause, means that the conversation doesn't fit into the model's
 * window; docs/guides/overflow.md lists such errors. The module is loaded only for an error with a status.
 */
export type IsOverflow<Source> = (error: unknown, options?: OverflowOptions<Source>) => Promise<boolean>;

/** Returns the `isOverflow` function for one platform. It creates one compactor per module with the given function. */
export function overflowReader<Source>(create: (options: { module?: Source }) => unknown): IsOverflow<Source> {
  const made = new Map<Source | undefined, Engine>();
  return async (error, options = {}) => {
    checkOptions(options, OVERFLOW_OPTIONS, "isOverflow");
    const { module } = options;
    if (failuresOf(error).length === 0) return false;
    const engine = made.get(module) ?? ((await create(module === undefined ? {} : { module })) as Engine);
    made.set(module, engine);
    await engine.ready();
    return (await overflowOf(error, engine)) !== undefined;
  };
}
