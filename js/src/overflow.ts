/** Recognizes the errors of providers for conversations that don't fit. */
import { failureOf } from "./failure.js";
import { checkOptions, type Names } from "./options.js";
import type { Engine } from "./pool.js";
import type { Failure } from "./types.js";

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

/**
 * Resolves to the failure of an error, or of its cause, that means that the conversation doesn't fit; undefined if there
 * is none. `engine` must be ready.
 */
export async function overflowOf(error: unknown, engine: Engine): Promise<Failure | undefined> {
  const { valuesOf } = await import("./envelope.js");
  for (const failure of failuresOf(error)) {
    const { overflow } = valuesOf(await engine.runOperation({ op: "classify_error", head: { arguments: failure } }));
    if (overflow) return failure;
  }
  return undefined;
}

/** Returns the failures of an error, of its cause, and so on, as far as they have a status. */
function failuresOf(error: unknown): Failure[] {
  const failures: Failure[] = [];
  const seen = new Set<unknown>();
  for (let at = error; typeof at === "object" && at !== null && !seen.has(at); at = (at as { cause?: unknown }).cause) {
    seen.add(at);
    const failure = failureOf(at);
    if (failure.status !== undefined) failures.push(failure);
  }
  return failures;
}
