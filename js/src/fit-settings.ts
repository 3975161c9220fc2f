/** The settings with which fits run, made from the options of their fitter. */
import { loggingFailures } from "./callbacks.js";
import { CtxfoldError } from "./errors.js";
import type { FitterOptions } from "./fit-options.js";
import { type Model, model } from "./model.js";
import { checkStores } from "./options.js";
import type { Store } from "./store.js";
import type { Policy, PolicyWindow, Report } from "./types.js";
import type { CountTokens } from "./usage.js";

/** The settings of a call. */
export interface Settings {
  /** The policy of the call. */
  policy: Policy;
  /** The caller's model and callbacks. */
  model: Model;
  /** Where removed content is stored; undefined if nowhere. */
  store: Store | undefined;
  /** The caller's tokenizer. */
  countTokens: CountTokens | undefined;
  /** Called with the report of each compaction. */
  onCompaction: ((report: Report) => void) | undefined;
  /** Called with the error of a background compaction that failed. */
  onBackgroundError: ((error: unknown) => void) | undefined;
  /**
   * Called with a promise for each background compaction; the platform should keep running until it
   * resolves.
   */
  waitUntil: ((ended: Promise<void>) => void) | undefined;
}

/**
 * Returns the settings of a fitter. Throws `invalid_option` for a store that lacks a method and for an option with a
 * wrong value, and `unknown_window` for a window of 0, null or NaN.
 */
export function settingsOf(options: FitterOptions<unknown>): Settings {
  checkStores(options);
  const { store, countTokens, onCompaction, onBackgroundError, waitUntil } = options;
  const callbacks = {
    onCompaction: loggingFailures("onCompaction", onCompaction),
    onBackgroundError: loggingFailures("onBackgroundError", onBackgroundError),
    waitUntil: loggingFailures("waitUntil", waitUntil),
  };
  return { policy: policyOf(options), model: model(options), store, countTokens, ...callbacks };
}

/** Returns the policy with the three members that a caller may also pass as separate options. */
function policyOf({ policy = {}, window, model: name, format }: FitterOptions<unknown>): Policy {
  return {
    ...policy,
    ...(name !== undefined && { model: name }),
    ...(format !== undefined && { format }),
    ...(window !== undefined && { window: { ...policy.window, ...windowOf(window) } }),
  };
}

/**
 * Returns the policy's window. Throws `unknown_window` for 0, null and NaN, because in JSON NaN would become null,
 * which means no window, and `invalid_option` for any other value that is neither a positive whole number nor
 * "unlimited".
 */
function windowOf(window: unknown): PolicyWindow {
  if (window === "unlimited") return { unlimited: true };
  if (Number.isInteger(window) && (window as number) > 0) return { tokens: window as number };
  const none = window === 0 || window === null || Number.isNaN(window);
  throw new CtxfoldError(
    none ? "unknown_window" : "invalid_option",
    `window is the model's context window in tokens, such as 200_000, or "unlimited", not ${typeof window === "string" ? JSON.stringify(window) : String(window)}; policy.window has more`,
    { path: "window" },
  );
}
