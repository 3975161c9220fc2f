import type { CountTokens } from "./ending.js";
import type { CompactorEvent } from "./events.js";
import type { ModuleSource } from "./load.js";
import type { FindSecrets } from "./redact.js";
import type { Store } from "./store.js";
import type { Delta } from "./stream.js";
import type { Summarize } from "./summarize.js";
import type { Policy, State } from "./types.js";

/** How a compactor is made. */
export interface CompactorOptions {
  /** The module, or what it is made of; without it, the package's own. Compactors may share one. */
  module?: ModuleSource;
  /** What to do; without it, the `default` preset. */
  policy?: Policy;
  /** Asks the caller's model for a summary. Without it `compact` writes local digests and asks nobody. */
  summarize?: Summarize;
  /**
   * The longest that one summary may take, in milliseconds; then the local digest takes its place. It counts from the call of
   * `summarize`, not while a request waits for its turn. Default 120000.
   */
  summaryTimeoutMs?: number;
  /**
   * How many summaries are asked for at once, 1 or more, by all compactions of this compactor together; the other requests wait. A model
   * on the user's own machine, which answers one request at a time, wants 1. Default: no limit.
   */
  concurrency?: number;
  /**
   * Finds what no summarizer, digest or archive must see in one text of the messages, such as keys and passwords: the texts, or objects with a
   * placeholder. Messages that stay are untouched. Where it throws, or names what is not in the text, all of the text is replaced
   * (docs/guides/redact.md).
   */
  redact?: FindSecrets;
  /** Gets the pieces of a summary as they come, where `summarize` gives them. */
  onDelta?: (delta: Delta) => void;
  /**
   * Is told what happens in `compact`, which waits for what it returns. What it throws is logged to the console, and changes nothing; a
   * compaction is ended by its `signal`.
   */
  onEvent?: (event: CompactorEvent) => void | PromiseLike<void>;
  /**
   * Keeps what is removed of the transcript, so that it can be restored and recalled; markers name the handles. `compact` resolves when all
   * of it is kept; where that fails it rejects with `store_failed`, and nothing has changed.
   */
  store?: Store;
  /**
   * An exact tokenizer, in place of the estimate of a whole transcript: `check`, `estimate` and `compact` ask it once, where
   * they are given no `usage`. What a compaction would leave is still estimated, in proportion.
   */
  countTokens?: CountTokens;
  /** The state that the last compaction of this conversation returned. */
  state?: State | null | undefined;
}
