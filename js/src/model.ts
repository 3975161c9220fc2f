/** The caller's model and callbacks, as a compactor's options give them. */
import { loggingFailures } from "./callbacks.js";
import type { CompactorOptions } from "./compactor-options.js";
import { invalidOption } from "./errors.js";
import type { CompactorEvent } from "./events.js";
import type { FindSecrets } from "./redact.js";
import { Slots } from "./slots.js";
import { streaming } from "./stream.js";
import type { Summarize } from "./summarize.js";

/** The caller's model and callbacks. */
export interface Model {
  /** The function that calls the model; undefined if digests are written without a model. */
  readonly summarize: Summarize | undefined;
  /** The time limit for each summary, in milliseconds. */
  readonly timeoutMs: number;
  /** Limits how many summaries are written at a time. */
  readonly slots: Slots;
  /** The maximum number of summaries that are written at a time. */
  readonly concurrency: number;
  /** Finds secrets in texts; undefined if nothing is redacted. */
  readonly redact: FindSecrets | undefined;
  /** Whether `summarize` can send requests that continue the conversation. */
  readonly prefix: boolean;
  /** Called with each event; undefined if there is no listener. */
  readonly onEvent: ((event: CompactorEvent) => void | PromiseLike<void>) | undefined;
}

const DEFAULT_TIMEOUT_MS = 120_000;

/** The options of a compactor that concern the model. */
type ModelOptions = Pick<
  CompactorOptions,
  "summarize" | "summaryTimeoutMs" | "concurrency" | "redact" | "onDelta" | "onEvent"
>;

/** Returns those options of a compactor that concern the model, with defaults filled in. */
export function model({
  summarize,
  summaryTimeoutMs: timeoutMs = DEFAULT_TIMEOUT_MS,
  concurrency = Number.POSITIVE_INFINITY,
  redact,
  onDelta,
  onEvent,
}: ModelOptions): Model {
  if (summarize !== undefined && typeof summarize !== "function") {
    throw invalidOption("summarize must be a function", "summarize");
  }
  if (redact !== undefined && typeof redact !== "function") {
    throw invalidOption("redact must be a function", "redact");
  }
  if (!(timeoutMs > 0)) {
    throw invalidOption("summaryTimeoutMs must be above 0", "summaryTimeoutMs");
  }
  if (!(concurrency >= 1)) {
    throw invalidOption("concurrency must be 1 or more", "concurrency");
  }
  const slots = new Slots(concurrency);
  return {
    summarize: summarize && streaming(summarize, loggingFailures("onDelta", onDelta)),
    redact,
    prefix: summarize?.prefix === true,
    timeoutMs,
    slots,
    concurrency: Math.floor(concurrency),
    onEvent: loggingFailures("onEvent", onEvent),
  };
}
