/** What a compactor tells about its work: the report of docs/ABI.md. All tokens are estimates by the policy's estimator. */
import type { Estimator, Format, Open, PassName, Preset } from "./types.js";

/** Why an operation ended as it did; docs/ABI.md has what each means. */
export type Reason = Open<
  | "compacted"
  | "under_budget"
  | "unknown_window"
  | "no_progress"
  | "gain_too_small"
  | "stuck"
  | "needs_summaries"
  | "over_limit"
  | "over_bytes"
  | "open_thinking"
  | "summary_failed"
  | "repaired"
  | "restored"
  | "nothing_to_restore"
  | "valid"
>;

/** What was done to a message; docs/ABI.md has what each means. */
export type ActionName = Open<
  | "add"
  | "clear"
  | "dedupe"
  | "archive"
  | "shrink"
  | "truncate"
  | "fold"
  | "insert"
  | "restore"
  | "strip"
  | "drop"
  | "move"
  | "rename"
  | "sign"
  | "wrap"
  | "replace"
>;

/** Where a number of tokens comes from; docs/ABI.md has what each means. */
export type TokenSource = Open<"measured" | "calibrated" | "estimated">;

/** What a compaction did, or why it did nothing. */
export interface Report {
  reason: Reason;
  changed: boolean;
  /**
   * Whether the result has at most the limit's tokens, or there is no limit. In a pending answer it is about what can be
   * neither folded nor cut.
   */
  fits: boolean;
  /** By how much the result does not fit, and what takes the room; absent where it fits. */
  over?: Excess;
  /** Absent unless compactions come in turns right behind each other. */
  thrashing?: Thrashing;
  preset: Preset;
  format: Format;
  estimator: Estimator;
  tokens: { before: number; after: number; limit: number; window: number; source: TokenSource; bound: number };
  messages: { before: number; after: number };
  /** Tool results whose body was replaced by a marker. */
  cleared: number;
  /** Texts of which the middle was taken out. */
  truncated: number;
  /** Messages that the digest, or a line for each turn, stands for. */
  folded: number;
  /** Messages that were taken out, and of which only their number is left. */
  dropped: number;
  /** Files put back after the fold. */
  restored: number;
  /** Violations that were mended: of the input, and of what was done to it. */
  repaired: number;
  /** The unchanged front, which a provider's prompt cache can still use. Bytes count from the list's bracket. */
  stable_prefix: { messages: number; bytes: number; tokens: number };
  /** The index of the given messages at which the tail begins that a fold has left; absent where nothing was folded. */
  cut_point?: number;
  /**
   * Where the digest came from; what was wrong with the model's answer; and the share of the facts of the folded messages
   * that stand in the digest, as code finds them.
   */
  summary: { source: Open<"none" | "model" | "host" | "local">; why?: string; score?: number };
  actions: Action[];
  /** With `max_bytes`: the list of messages as JSON. */
  bytes?: { before: number; after: number; limit: number };
  /** What the change means for the provider's prompt cache; `turns_to_pay` with prices, -1 is never. */
  cache?: {
    first_changed_message: number;
    first_changed_byte: number;
    reread_tokens: number;
    saved_tokens: number;
    turns_to_pay?: number;
  };
  /** What became of thinking that its provider has signed; absent where there is none. */
  thinking?: {
    mode: "manual" | "adaptive" | "drop_block" | "off" | "unknown";
    source: "policy" | "request" | "model" | "none";
    kept: number;
    stripped: number;
    closed?: number;
  };
  /**
   * What the provider would refuse in the messages of the answer, and no repair could mend; absent where there is nothing. `message` is an
   * index of the answer's list.
   */
  left?: { rule: string; message: number; text: string }[];
  /** With `log`: what became of each message. */
  decisions?: {
    message: number;
    decision: ActionName | "kept" | "pinned";
    pass?: PassName;
    rule?: string;
    before: number;
    after: number;
  }[];
}

/** By how much a result does not fit, in tokens. */
export interface Excess {
  /** Over the limit. */
  limit: number;
  /** Over the window; 0 where it fits into that, or the window is unknown. */
  window: number;
  /** What takes the room, the largest first. `message` is an index of the given messages, or -1 for what is not among them. */
  causes: { message: number; why: ExcessCause; tokens: number }[];
  /** For people: the numbers, the largest cause, and what to do. */
  text: string;
}

/** Why a message that takes room is still there: `beside` is the system prompt and the tools. */
export type ExcessCause =
  | "beside"
  | "system"
  | "newest_user"
  | "pinned"
  | "provider"
  | "open_call"
  | "pair"
  | "new"
  | "kept";

/** Compactions come in turns right behind each other. */
export interface Thrashing {
  /** How many in a row, this one among them. */
  compactions: number;
  /** The likely cause. With `whole_history` the application gives its whole history and not the last result. */
  cause: "whole_history" | "pinned" | "newest_messages" | "target" | "window";
  /** For people: the cause, and what to do. */
  text: string;
}

/** One thing that was done to one message, or to a run of them. */
export interface Action {
  action: ActionName;
  pass: PassName;
  /** An index of the given messages, or -1 for a new message. */
  message: number;
  /** What it saved; negative for what it added. */
  tokens: number;
  tool?: string;
  path?: string;
  rule?: string;
}
