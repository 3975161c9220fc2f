/** The events of a compaction. */
import type { Plan, Report, Summary, SummaryRequest } from "./types.js";

/** An event of a compaction, for `onEvent`. */
export type CompactorEvent =
  /**
   * These summaries are about to be requested. A host that stores the plan can continue it after a restart, with
   * `step`.
   */
  | { type: "requests"; plan: Plan; requests: readonly SummaryRequest[] }
  /** All summary requests have been answered; the summaries of those that failed have an error. */
  | { type: "summaries"; summaries: readonly Summary[] }
  /**
   * The compaction is complete and the removed content is in the store. This is the last event of a successful
   * compaction.
   */
  | { type: "done"; report: Report };
