/** The JSON of docs/ABI.md, as a compactor takes and gives it. All tokens are estimates by the policy's estimator. */
import type { Reason, Report, TokenSource } from "./report.js";

/** One message of any wire format: it is carried, not looked into. */
export type Message = object;

/**
 * A transcript: live messages, a live request body that holds them, or either as JSON text or as its UTF-8 bytes. Or all that
 * `open` has answered: then its format and model count where the policy names none, and its system prompt and the provider's count do.
 */
export type Messages = readonly Message[] | Message | string | Uint8Array;

export type * from "./report.js";

/** Any text, of which editors offer those that are known: later versions of the module may know more. */
export type Open<Known extends string> = Known | (string & {});

/** The name of a wire format; docs/FORMATS.md describes them. */
export type Format = Open<
  "ai-sdk" | "ai-sdk-ui" | "anthropic" | "gemini" | "native" | "openai-chat" | "openai-responses" | "plain"
>;

/** The name of a preset; docs/PRESETS.md says which one is for what. */
export type Preset = Open<"default" | "layered" | "window-budget" | "turn-tail" | "checkpoint" | "agent-loop">;

/** The name of a token estimator; docs/TOKENS.md describes `script`. */
export type Estimator = Open<
  "script" | "bytes4" | "layered" | "bytes" | "bytes4-floor" | "utf16-4" | "runes3.6" | "bytes4-message"
>;

/** The name of a pass; docs/POLICY.md has their parameters. */
export type PassName = Open<
  | "archive"
  | "clear"
  | "collapse"
  | "dedupe"
  | "drop"
  | "fit"
  | "fold"
  | "reasoning"
  | "rehydrate"
  | "tool_digest"
  | "truncate"
>;

/** The kind that comes back for the kind that was given; of what `open` has answered the messages alone. */
export type Same<M extends Messages> = M extends string
  ? string
  : M extends Uint8Array
    ? Uint8Array
    : M extends readonly (infer T)[]
      ? T[]
      : M extends Session<infer L>
        ? L
        : M;

/** One run of an answer's messages, in output order. Indexes count in the messages that were given. */
export type Edit =
  /** The messages from the first index up to, not with, the second. */
  | { keep: [from: number, to: number] }
  /** A message that was not there. */
  | { insert: Message }
  /** The message at this index, changed. */
  | { set: number; message: Message };

/** What to do, and when; see docs/POLICY.md. What a policy leaves out is as its preset says. */
export interface Policy {
  /** The preset to start from; without it, `default`. `info` lists them. */
  preset?: Preset;
  /** The wire format, or `auto` (the default). */
  format?: Format | "auto";
  /** The model that the messages are for: it tells the tokenizer's family, and the window where `window.tokens` does not. */
  model?: string;
  /** The name of a token estimator; `info` lists them. */
  estimator?: Estimator;
  /** The model's context window, in tokens. Without one, compaction is never due. `reserve` stays free for the answer. */
  window?: { tokens?: number; reserve?: number };
  /** Compaction is due above (window − reserve) × `ratio`, and aims for `target` of that. Both over 0 and up to 1. */
  gate?: {
    ratio?: number;
    target?: number;
    min_gain?: number;
    inclusive?: boolean;
    min_messages?: number;
    max_tokens?: number;
    max_messages?: number;
    max_tool_results?: number;
    usage?: boolean;
  };
  /** The passes in their order, in place of the preset's. */
  passes?: Pass[];
  summary?: {
    /** `model` asks the summarizer; `local` writes digests without one, `minimal` only counts what is gone. */
    mode?: "model" | "local" | "minimal";
    /** The summary itself, of a host that has one: the summarizer is not asked. */
    text?: string;
    /** How large a digest may get, in tokens. */
    max_output_tokens?: number;
    /** How large a request to the model may get, in tokens; 0 is no limit. */
    max_input_tokens?: number;
    /** The share of the target that what the user said about how to work may always take, from 0 to 1. */
    standing?: number;
    /** How often the model is asked again when its answer is no digest; 0 to 3. */
    retries?: number;
    /** A record that is too long for one request: its parts at the same time, or one after the other. */
    split?: "map" | "chain";
    /** Added to the prompt. */
    instructions?: string;
    /** The layout of requests and digests: ctxfold's own, or that of a published system. */
    style?: Open<"" | "turn-tail" | "checkpoint" | "window-budget" | "agent-loop">;
    /** What the messages are: the live conversation, or a path that it has given up. */
    scope?: "session" | "branch";
    /** What the model is to write, in the stead of the style's own words. */
    prompt?: string;
    /** What happens where there is no summary. */
    on_failure?: "local" | "keep" | "error";
  };
  /** Messages that are never changed, besides the system's and the newest of the user's. */
  pins?: Pin[];
  /** False reproduces a published system exactly, defects included. */
  wire_safe?: boolean;
  /**
   * Cuts what the passes have left where that is over the limit, so that it fits if it can: true is the default. Counts only with
   * `wire_safe`.
   */
  last_resort?: boolean;
  /** Tool calls at the end without a result: `keep` (the default) leaves them to the host, `answer` repairs them. */
  open_calls?: "keep" | "answer";
  /** How the model is asked to think: by default the request body or the model's name tells. */
  thinking?: "auto" | "manual" | "adaptive" | "drop_block" | "off";
  /** `all` also mends what a provider tolerates; `refused` (the default) leaves that as it came in. */
  repair?: "refused" | "all";
  /** Compacts although it is not due. */
  force?: boolean;
  /** The most bytes that the list of messages may have as JSON; above it old images and files give way to placeholders. */
  max_bytes?: number;
  /** The model's prices for a million tokens, for `turns_to_pay` in the report. */
  prices?: { input?: number; output?: number; cache_read?: number; cache_write?: number };
  /** Adds to the report what became of each message. */
  log?: boolean;
  /** `bodies` lists what is taken out in the answer, under handles that markers name. A compactor with a store does so. */
  archive?: "" | "bodies";
}

/** A pass by its name, with its parameters. */
export interface Pass {
  pass: PassName;
  [parameter: string]: unknown;
}

/** A message that has all of these features. */
export interface Pin {
  role?: "system" | "user" | "assistant" | "tool";
  /** In the list; negative counts from its end. */
  index?: number;
  /** Of a tool call or result in the message. */
  id?: string;
  /** A text in the message, as it stands in its JSON. */
  contains?: string;
}

/** A question to the host's model. */
export interface SummaryRequest {
  id: string;
  /** What is to be summarized. */
  scope: Open<"session" | "update" | "turn_prefix" | "part" | "merge" | "branch" | "tool_output">;
  /** The system prompt. */
  system: string;
  /** The user prompt, with the transcript fenced in it. */
  prompt: string;
  /** The most tokens that the summary may have: the model's output limit. */
  max_output_tokens: number;
  /** The tokens of `system` and `prompt`. */
  input_tokens: number;
  /** What the model is to be asked with. */
  temperature?: number;
  /** How much the model is to think. */
  thinking?: "high";
  /** What a host that shows the summary as it comes shows before it. */
  lead?: string;
}

/** The host's answer to a request: a text, or the error that kept it from having one. */
export type Summary = { id: string; text: string; finish_reason?: string } | { id: string; error: string };

/** What the host keeps beside the conversation, as JSON. It is not to be changed. */
export type State = Readonly<Record<string, unknown>>;

/** A plan to go on with, as JSON: it may be stored, and continued on another machine. It is not to be changed. */
export type Plan = Readonly<Record<string, unknown>>;

/**
 * A compaction to remember, as JSON: it may be stored, and used on another machine. It is not to be changed, but a host may add members
 * of its own.
 */
export interface MemoryEntry {
  /** How many messages of the history it stands for, and their print. */
  readonly messages: number;
  readonly print: string;
  /** How many messages were sent for them, and their print. */
  readonly sent_messages: number;
  readonly sent: string;
}

/** Options of `plan` and `step`. */
export interface PlanOptions {
  /**
   * What earlier answers had as `memory`, in any order; of more than 64 the last ones are read. With it, also with an empty list, the messages
   * are the app's whole history: a compaction that stands for its beginning is put in its place, and brings its own state; that of the
   * compactor counts for nothing. `step` gets the list that `plan` got.
   */
  memory?: readonly MemoryEntry[] | undefined;
}

/** While summaries are wanted: the plan to go on with, and what to ask the model. */
export interface Pending {
  plan: Plan;
  requests: SummaryRequest[];
  report: Report;
  /** As of {@link Done}. */
  known?: number;
}

/** When there is nothing left to ask. */
export interface Done<M extends Messages> {
  requests: [];
  messages: Same<M>;
  state: State;
  report: Report;
  /** What was taken out, where the policy or a store asks for it. */
  archive?: Body[];
  /** With a `memory`: the index of the entry in it that was used, or -1. */
  known?: number;
  /** With a `memory`: the entry to remember, where a compaction was made in this call. */
  memory?: MemoryEntry;
}

/** A body that was taken out of the transcript. */
export interface Body {
  /** SHA-256 of the body's UTF-8, in 64 hexadecimal digits. Its marker names the first 16. */
  handle: string;
  /**
   * Of a fold: the messages that a digest stands for. Of changes: what was taken out without a marker.
   */
  what: Open<"tool_result" | "text" | "image" | "audio" | "file" | "fold" | "changes">;
  /** Index of its message, of a list of the first one; -1 where there is none. */
  message: number;
  tool?: string;
  bytes: number;
  tokens: number;
  /** The body, as JSON. */
  body: string;
}

/** A body from a store. The handle may be its first 16 digits or more. */
export interface Kept {
  handle: string;
  body: string;
}

/** A place of a transcript where a body stood that has a handle; of the handle the first 16 digits. */
export interface Marker {
  handle: string;
  what: string;
  /** Index in the list; -1 for `changes`, which the state or another body names. */
  message: number;
  /**
   * What keeps a body from being put back that is there: `changed` (the transcript is not what the compaction has left) or
   * `corrupt` (the store has another body under this handle).
   */
  why?: string;
}

/** The handles that bodies name, and those of bodies that are others than their handles say. */
export interface NamedHandles {
  handles: string[];
  corrupt: string[];
}

/** A transcript into which bodies were put back. */
export interface Restored<M extends Messages> {
  messages: Same<M>;
  /** Whether the transcript breaks no rule of its wire format. */
  valid: boolean;
  /** The reason is `restored` or `nothing_to_restore`. */
  report: Report;
  /** What still names a handle, and changes of compactions that were not taken back. */
  markers: Marker[];
  /** The state to go on with, where there was one. */
  state?: State;
}

/** What a call of the tool `recall` asks for, or the text to answer it with. */
export interface Recalled {
  handle?: string;
  text?: string;
}

export interface Estimate {
  tokens: number;
  /** `estimated`, `calibrated` (by what the provider counted earlier) or `measured` (up to the message of `usage`). */
  source: TokenSource;
  /** How far off it may be, in percent: nine of ten are closer. */
  bound: number;
  estimator: Estimator;
  /** The family of tokenizers, with `script`. */
  family?: Open<"o200k" | "cl100k" | "claude" | "llama3" | "gemini">;
  format?: Format;
  /** Of each message. */
  messages?: number[];
  /** Of the system prompt and the tools in a request body. */
  beside?: number;
}

export interface Check {
  /** Whether compaction is due. */
  due: boolean;
  /** `over_limit`, `over_bytes`, `under_budget` or `unknown_window`. */
  reason: Reason;
  tokens: number;
  source: TokenSource;
  bound: number;
  limit: number;
  window: number;
  /** tokens / window; 0 with an unknown window. */
  ratio: number;
  messages: number;
  format: Format;
  estimator: Estimator;
  /** The state with the `usage` of the request taken in, where it had one. */
  state?: State;
}

export interface Validation {
  valid: boolean;
  format: Format;
  messages: number;
  violations: Violation[];
}

/** A rule of the wire format that a transcript breaks. */
export interface Violation {
  rule: string;
  /** Index in the list. */
  message: number;
  path: string;
  /** UTF-8 bytes from the start of the messages text that was given. */
  offset: number;
  text: string;
  /** What the provider does: it answers with an error, or answers all the same. */
  severity: Open<"refused" | "tolerated">;
  /** What `repair` does about it; of a tolerated one only with `repair: "all"` in the policy. */
  repair: string;
}

/** A transcript with what breaks the rules of its wire format put right. */
export interface Repaired<M extends Messages> {
  messages: Same<M>;
  /** Whether the answer breaks no rule; what only the caller can mend is left as it is. */
  valid: boolean;
  /** What was mended, as `actions`; the reason is `repaired` or `valid`. */
  report: Report;
}

export interface Detection {
  /** The wire format, or "" when none is likely enough. */
  format: Format | "";
  /** From 0 to 1. */
  confidence: number;
  candidates: { format: Format; confidence: number; evidence: string[] }[];
  /** What the messages look like where no wire format reads them; the only candidate is then the nearest one. */
  shape?: string;
}

/** The live conversation of a coding agent's session file: what the agent's next request would hold. */
export interface Session<M> {
  /** The kind of file. */
  kind: Open<"claude-code" | "codex" | "gemini-cli" | "pi">;
  /** The wire format of the messages: give it in the policy of what comes next. */
  format: Format;
  /** The model asked last; "" where the file does not tell. */
  model: string;
  /** The system prompt; "" where the file does not tell. */
  system: string;
  /** The provider's last count, or null where there is none since the last compaction. */
  usage: Usage | null;
  /** What was left out, such as `compacted` or `side_chain`, and how often. */
  skipped: { what: string; count: number }[];
  messages: M;
}

/** The provider's own count for one call, in tokens. */
export interface Usage {
  /** Index of the message that the call ended with. */
  message: number;
  /** Neither read from nor written to a cache. */
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  /** The sum of the four. */
  total_tokens: number;
}

/** What is left of a session file's conversation, as `compact` resolves with it. */
export interface Left {
  messages: readonly Message[] | string | Uint8Array;
  report: Pick<Report, "changed" | "tokens">;
}

export interface Info {
  name: string;
  version: string;
  abi: number;
  ops: string[];
  formats: { name: Format; doc: string }[];
  estimators: Estimator[];
  passes: PassName[];
  functions: string[];
  presets: { name: Preset; doc: string; policy: Policy }[];
  /** What a request may not go over. */
  limits: { bytes: number; depth: number };
}

/** What a function is given; docs/FUNCTIONS.md says what each one needs. */
export interface FunctionRequest {
  messages?: Messages;
  text?: string;
  arguments?: Record<string, unknown>;
  /** In place of the compactor's own. */
  policy?: Policy;
  state?: unknown;
}
