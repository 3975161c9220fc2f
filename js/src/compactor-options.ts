import type { CompactorEvent } from "./events.js";
import type { ModuleSource } from "./load.js";
import type { FindSecrets } from "./redact.js";
import type { Store } from "./store.js";
import type { SummaryDelta } from "./stream.js";
import type { Summarize } from "./summarize.js";
import type { Policy, State } from "./types.js";
import type { CountTokens } from "./usage.js";

/** Options of a compactor. */
export interface CompactorOptions {
  /** The module, or a source from which it is loaded. Default: the package's own. Compactors may share a module. */
  module?: ModuleSource;
  /**
   * The policy: what a compaction does, and when it is due. Default: the `default` preset. Its fields are in snake_case,
   * as in the JSON that all languages share, unlike the options around it.
   */
  policy?: Policy;
  /** Calls your model to write a summary. Without it, `compact` writes local digests and calls no model. */
  summarize?: Summarize;
  /**
   * The time limit for one summary in milliseconds, after which a local digest is used instead. The time counts from
   * the call of `summarize`, so the time that a request waits for its turn is not included. Default: 120000.
   */
  summaryTimeoutMs?: number;
  /**
   * The maximum number of concurrent calls of `summarize`, at least 1, over all compactions of this compactor; further
   * requests wait. Use 1 for a model on the user's machine that answers one request at a time. Default: no limit.
   */
  concurrency?: number;
  /**
   * Finds secrets, such as keys and passwords, in one text from the messages. Returns the matching strings, or objects
   * that also give a placeholder. They are replaced before a summarizer, digest or archive receives the text; messages
   * that are kept are not changed. If it throws, or returns a string that the text doesn't contain, the whole text is
   * replaced (docs/guides/redact.md).
   */
  redact?: FindSecrets;
  /** Receives a summary piece by piece if `summarize` streams it. */
  onDelta?: (delta: SummaryDelta) => void;
  /**
   * Called for each event of `compact`, which awaits the returned promise. Exceptions are logged to the console and
   * otherwise ignored; to stop a compaction, abort its `signal`.
   */
  onEvent?: (event: CompactorEvent) => void | PromiseLike<void>;
  /**
   * Stores removed content, so that it can be restored and recalled by the handles in markers. `compact` resolves once
   * everything is stored. If storing fails, it rejects with `store_failed` and nothing has changed.
   */
  store?: Store;
  /**
   * An exact tokenizer. It replaces the estimate for the transcript as a whole: `check`, `estimate` and `compact`
   * each call it once, unless they are given `usage`. The size after a compaction is still an estimate, scaled by the
   * exact count.
   */
  countTokens?: CountTokens;
  /** The state that the last compaction of this conversation returned. */
  state?: State | null | undefined;
}
