/** The JSON of docs/ABI.md, as a compactor takes and gives it. All tokens are estimates by the policy's estimator. */

/** One message of any wire format: it is carried, not looked into. */
export type Message = object;

/** A transcript: live messages, a live request body that holds them, or either as JSON text or as its UTF-8 bytes. */
export type Messages = readonly Message[] | Message | string | Uint8Array;

/** The kind that comes back for the kind that was given. */
export type Same<M extends Messages> = M extends string
  ? string
  : M extends Uint8Array
    ? Uint8Array
    : M extends readonly (infer T)[]
      ? T[]
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
  preset?: string;
  /** The wire format, or `auto` (the default). */
  format?: string;
  /** The name of a token estimator; `info` lists them. */
  estimator?: string;
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
    /** Added to the prompt. */
    instructions?: string;
    /** The layout of requests and digests: ctxfold's own, or that of a published system. */
    style?: string;
    /** What the model is to write, in the stead of the style's own words. */
    prompt?: string;
    /** What happens where there is no summary. */
    on_failure?: "local" | "keep" | "error";
  };
  /** Messages that are never changed, besides the system's and the newest of the user's. */
  pins?: Pin[];
  /** False reproduces a published system exactly, defects included. */
  wire_safe?: boolean;
  /** Tool calls at the end without a result: `keep` (the default) leaves them to the host, `answer` repairs them. */
  open_calls?: "keep" | "answer";
  /** What is mended: what the provider refuses (the default), or also what it tolerates. */
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
  pass: string;
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
  scope: string;
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

/** While summaries are wanted: the plan to go on with, and what to ask the model. */
export interface Pending {
  plan: Plan;
  requests: SummaryRequest[];
  report: Report;
}

/** When there is nothing left to ask. */
export interface Done<M extends Messages> {
  requests: [];
  messages: Same<M>;
  state: State;
  report: Report;
  /** What was taken out, where the policy or a store asks for it. */
  archive?: Body[];
}

/** A body that was taken out of the transcript. */
export interface Body {
  /** SHA-256 of the body's UTF-8, in 64 hexadecimal digits. Its marker names the first 16. */
  handle: string;
  /** `tool_result`, `image`, `audio`, `file`, or `fold`: the messages that a digest stands for. */
  what: string;
  /** Index of its message, of a fold of the first one. */
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
  message: number;
}

/** A transcript into which bodies were put back. */
export interface Restored<M extends Messages> {
  messages: Same<M>;
  /** Whether the transcript breaks no rule of its wire format. */
  valid: boolean;
  /** The reason is `restored` or `nothing_to_restore`. */
  report: Report;
  /** What still names a handle. */
  markers: Marker[];
}

/** What a call of the tool `recall` asks for, or the text to answer it with. */
export interface Recalled {
  handle?: string;
  text?: string;
}

/** What a compaction did, or why it did nothing. */
export interface Report {
  /** `compacted`, `under_budget`, `unknown_window`, `no_progress` or, in a pending answer, `needs_summaries`. */
  reason: string;
  changed: boolean;
  preset: string;
  format: string;
  estimator: string;
  tokens: { before: number; after: number; limit: number; window: number; source: string; bound: number };
  messages: { before: number; after: number };
  /** Tool results whose body was replaced by a marker. */
  cleared: number;
  /** Texts of tool results of which the middle was taken out. */
  truncated: number;
  /** Messages that the digest, or a line for each turn, stands for. */
  folded: number;
  /** Messages that were taken out, and of which only their number is left. */
  dropped: number;
  /** Files put back after the fold. */
  restored: number;
  /** Violations that were mended: of the input, and of what was done to it. */
  repaired: number;
  /** What the provider would refuse in the messages of the answer, and no repair could mend. */
  left?: { rule: string; message: number; text: string }[];
  /** The unchanged front, which a provider's prompt cache can still use. Bytes count from the list's bracket. */
  stable_prefix: { messages: number; bytes: number; tokens: number };
  /** The index of the given messages at which the tail begins that a fold has left; absent where nothing was folded. */
  cut_point?: number;
  /**
   * Where the digest came from: `none`, `model` or `local`; what was wrong with the model's answer; and the share of the
   * facts of the folded messages that stand in the digest, as code finds them.
   */
  summary: { source: string; why?: string; score?: number };
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
  /** With `log`: what became of each message. */
  decisions?: { message: number; decision: string; pass?: string; rule?: string; before: number; after: number }[];
}

/** One thing that was done to one message, or to a run of them. */
export interface Action {
  /** `clear`, `fold`, `restore`, `insert`, `drop`, `strip`, `rename` or `move`. */
  action: string;
  pass: string;
  /** An index of the given messages, or -1 for a new message. */
  message: number;
  /** What it saved; negative for what it added. */
  tokens: number;
  tool?: string;
  path?: string;
  rule?: string;
}

export interface Estimate {
  tokens: number;
  /** `estimated`, `calibrated` (by what the provider counted earlier) or `measured` (up to the message of `usage`). */
  source: string;
  /** How far off it may be, in percent: nine of ten are closer. */
  bound: number;
  estimator: string;
  /** The family of tokenizers, with `script`. */
  family?: string;
  format?: string;
  /** Of each message. */
  messages?: number[];
  /** Of the system prompt and the tools in a request body. */
  beside?: number;
}

export interface Check {
  /** Whether compaction is due. */
  due: boolean;
  /** `over_limit`, `under_budget` or `unknown_window`. */
  reason: string;
  tokens: number;
  source: string;
  bound: number;
  limit: number;
  window: number;
  /** tokens / window; 0 with an unknown window. */
  ratio: number;
  messages: number;
  format: string;
  estimator: string;
  /** The state with the `usage` of the request taken in, where it had one. */
  state?: State;
}

export interface Validation {
  valid: boolean;
  format: string;
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
  /** What the provider does: it answers with an error, or it answers. */
  severity: "refused" | "tolerated";
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
  format: string;
  /** From 0 to 1. */
  confidence: number;
  candidates: { format: string; confidence: number; evidence: string[] }[];
  /** What the messages look like where no wire format reads them; the only candidate is then the nearest one. */
  shape?: string;
}

/** The live conversation of a coding agent's session file: what the agent's next request would hold. */
export interface Session<M> {
  /** The kind of file: `claude-code`, `codex`, `gemini-cli` or `pi`. */
  kind: string;
  /** The wire format of the messages: give it in the policy of what comes next. */
  format: string;
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

export interface Info {
  name: string;
  version: string;
  abi: number;
  ops: string[];
  formats: { name: string; doc: string }[];
  estimators: string[];
  passes: string[];
  functions: string[];
  presets: { name: string; doc: string; policy: Policy }[];
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
