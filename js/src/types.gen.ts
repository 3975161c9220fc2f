// The JSON of docs/ABI.md, generated from docs/api.schema.json by `make generate`.

/** Operation is the name of an operation; docs/ABI.md describes them. */
export type Operation =
  | "info"
  | "detect"
  | "estimate"
  | "check"
  | "plan"
  | "step"
  | "fit"
  | "prints"
  | "validate"
  | "repair"
  | "convert"
  | "restore"
  | "digests"
  | "recall"
  | "search"
  | "open"
  | "save"
  | "session_open"
  | "session_append"
  | "session_close"
  | "classify_error"
  | "limit_tool_output"
  | "function";

/** Format is the name of a wire format; docs/FORMATS.md describes them. */
export type Format =
  | "adk"
  | "ag-ui"
  | "ai-sdk"
  | "ai-sdk-ui"
  | "anthropic"
  | "assistant-ui"
  | "bedrock-converse"
  | "gemini"
  | "gemini-interactions"
  | "langchain"
  | "mastra"
  | "mcp-sampling"
  | "mistral"
  | "native"
  | "ollama"
  | "openai-agents"
  | "openai-chat"
  | "openai-responses"
  | "pi"
  | "plain"
  | "tanstack"
  | (string & {});

/** Estimator is the name of a token estimator; docs/TOKENS.md describes script. */
export type Estimator =
  | "script"
  | "bytes4"
  | "layered"
  | "bytes"
  | "bytes4-floor"
  | "utf16-4"
  | "runes3.6"
  | "bytes4-message"
  | (string & {});

/** PassName is the name of a pass; docs/POLICY.md has their parameters. */
export type PassName =
  | "archive"
  | "clear"
  | "collapse"
  | "dedupe"
  | "drop"
  | "fit"
  | "fold"
  | "reasoning"
  | "rehydrate"
  | "squeeze"
  | "tool_digest"
  | "truncate"
  | (string & {});

/** FunctionName is the name of a function; docs/FUNCTIONS.md describes them. */
export type FunctionName =
  | "adjust_boundary"
  | "anchored_tokens"
  | "branch_digest"
  | "budget_limit"
  | "build_prompt"
  | "calculate_threshold"
  | "classify_error"
  | "clear_stale_tool_results"
  | "collapse_turns"
  | "compaction_block"
  | "compaction_log"
  | "compaction_options"
  | "condense"
  | "context_due"
  | "context_limit"
  | "context_stats"
  | "digest_tool_results"
  | "drop_middle"
  | "effective_limit"
  | "estimate_context"
  | "estimate_messages"
  | "estimate_text"
  | "estimate_tokens"
  | "excerpt_tool_results"
  | "extract_file_ops"
  | "extract_original_task"
  | "find_cut_point"
  | "flatten_transcript"
  | "force_cut_point"
  | "format_bytes"
  | "format_messages"
  | "generate_summary"
  | "headroom"
  | "is_context_overflow"
  | "is_over_budget"
  | "is_split_turn"
  | "keep_within_budget"
  | "last_user_turn_start"
  | "limit_tool_output"
  | "merge_file_ops"
  | "normalize_strategy"
  | "plan_slice"
  | "prefix_tokens"
  | "project_for_summary"
  | "record_usage"
  | "rehydrate_recent_reads"
  | "select_messages"
  | "serialize_conversation"
  | "serialize_messages"
  | "session_context"
  | "set_visibility"
  | "should_compact_reserve"
  | "should_compact_threshold"
  | "split_by_count"
  | "split_by_tokens"
  | "summarize_tool_results"
  | "summary_prompts"
  | "tool_results_message"
  | "trim_runes"
  | "trim_with_tail"
  | "truncate_head_tail"
  | "truncate_tool_result"
  | "truncate_tool_results"
  | "turn_map"
  | "visibility";

/** Preset is the name of a preset; docs/PRESETS.md says which one is for what. */
export type Preset =
  | "default"
  | "layered"
  | "window-budget"
  | "turn-tail"
  | "checkpoint"
  | "agent-loop"
  | (string & {});

/** A pass by its name, with its parameters. */
export type Pass =
  | ArchivePass
  | ClearPass
  | CollapsePass
  | DedupePass
  | DropPass
  | FitPass
  | FoldPass
  | ReasoningPass
  | RehydratePass
  | SqueezePass
  | ToolDigestPass
  | TruncatePass;

/** SummaryMode says who writes digests. */
export type SummaryMode = "model" | "local" | "minimal";

/** Style is the layout of requests and digests. */
export type Style = "" | "turn-tail" | "checkpoint" | "window-budget" | "agent-loop";

/** Role is who a message is from. */
export type Role = "system" | "user" | "assistant" | "tool";

/** OpenCalls says what becomes of tool calls at the end that have no result yet. */
export type OpenCalls = "keep" | "answer";

/** Archive says whether what is taken out can come back. */
export type Archive = "" | "places" | "bodies";

/** Answer says how the transcript comes back. */
export type Answer = "messages" | "edits" | "report";

/**
 * Cold says why a provider's prompt cache has nothing of a conversation, so that a compaction takes nothing from it.
 */
export type Cold = "idle" | "model_changed" | "provider_changed" | "gone";

/** TokenSource is where a number of tokens comes from. */
export type TokenSource = "measured" | "calibrated" | "estimated";

/** Family is a family of tokenizers. */
export type Family = "o200k" | "cl100k" | "claude" | "llama3" | "gemini";

/** Reason is why an operation ended as it did. */
export type Reason =
  | "compacted"
  | "under_budget"
  | "unknown_window"
  | "no_progress"
  | "gain_too_small"
  | "open_thinking"
  | "stuck"
  | "needs_summaries"
  | "over_limit"
  | "over_bytes"
  | "cold"
  | "summary_failed"
  | "repaired"
  | "restored"
  | "nothing_to_restore"
  | "valid"
  | (string & {});

/** Scope is what the record of a request for a summary is. */
export type Scope = "session" | "update" | "turn_prefix" | "part" | "merge" | "branch" | "tool_output";

/** ThinkingEffort is how much a model is to think about a summary. */
export type ThinkingEffort = "high";

/** One run of an answer's messages, in output order. Indexes count in the messages that were given. */
export type Edit =
  | {
      keep: [number, number];
    }
  | {
      insert: object;
    }
  | {
      set: number;
      message: object;
    };

/** ExcessCause is why a message that takes room is still there. */
export type ExcessCause =
  "beside" | "system" | "newest_user" | "pinned" | "provider" | "open_call" | "pair" | "new" | "kept";

/** ThrashingCause is the likely cause of compactions in turns right behind each other. */
export type ThrashingCause = "whole_history" | "pinned" | "newest_messages" | "target" | "window";

/** SummarySource is where a digest comes from. */
export type SummarySource = "none" | "model" | "provider" | "host" | "local";

/** SummaryFault is why a summary of the host's model is not taken. */
export type SummaryFault =
  | "summarizer_failed"
  | "empty_summary"
  | "too_short"
  | "cut_off"
  | "refusal"
  | "answers_conversation"
  | "tool_call"
  | "too_long"
  | "larger_than_folded"
  | "missing_headings"
  | "no_room_for_request";

/** SummaryShape is how a summary is asked for. */
export type SummaryShape = "flat" | "prefix";

/** ActionName is what was done to a message. */
export type ActionName =
  | "clear"
  | "squeeze"
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
  | "add"
  | "sign"
  | "wrap"
  | "replace";

/** Doer is what did something to a message: a pass, or what works beside the passes. */
export type Doer =
  | "repair"
  | "thinking"
  | "bytes"
  | "last_resort"
  | "restore"
  | "archive"
  | "clear"
  | "collapse"
  | "dedupe"
  | "drop"
  | "fit"
  | "fold"
  | "reasoning"
  | "rehydrate"
  | "squeeze"
  | "tool_digest"
  | "truncate";

/** ThinkingMode is how a model thinks. */
export type ThinkingMode = "manual" | "adaptive" | "drop_block" | "off" | "unknown";

/** ThinkingSource is what tells how a model thinks. */
export type ThinkingSource = "policy" | "request" | "model" | "format" | "none";

/**
 * DecisionName is what became of a message: it was kept, it is pinned, or it is the ActionName of the last action that
 * touched it.
 */
export type DecisionName =
  | "kept"
  | "pinned"
  | "clear"
  | "squeeze"
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
  | "add"
  | "sign"
  | "wrap"
  | "replace";

/** BodyKind is what a body was in the transcript. */
export type BodyKind = "tool_result" | "text" | "image" | "audio" | "file" | "fold" | "changes";

/** Severity is what a provider does about a violation. */
export type Severity = "refused" | "tolerated";

/** Repair is what repair does about a violation. */
export type Repair =
  | "none"
  | "add_result"
  | "drop_part"
  | "drop_message"
  | "rename_id"
  | "add_user"
  | "move_result"
  | "add_turn"
  | "wrap_body"
  | "sign"
  | "drop_caller"
  | "replace"
  | "fill_body"
  | "add_reasoning";

/** LossKind is what a conversion has not carried over: a kind of part, or something of another size. */
export type LossKind =
  | "text"
  | "reasoning"
  | "image"
  | "audio"
  | "file"
  | "tool_call"
  | "tool_result"
  | "opaque"
  | "member"
  | "message"
  | "tools";

/** LossReason is why a conversion has not carried a thing over as it was. Reasons are stable. */
export type LossReason =
  | "signed"
  | "server_tool"
  | "provider_only"
  | "opaque"
  | "no_place"
  | "media_type"
  | "url"
  | "cache_mark"
  | "citations"
  | "error_flag"
  | "id_form"
  | "name_form"
  | "arguments"
  | "orphan"
  | "role"
  | "system_place"
  | "empty"
  | "not_sent"
  | "name"
  | "tools"
  | "beside"
  | "metadata";

/** LossInstead is what took the place of a thing that was not carried over. */
export type LossInstead = "nothing" | "text" | "unsigned" | "moved" | "changed" | "wrapped" | "user" | "system";

/** MarkerFault is why a body was not put back although it was given. */
export type MarkerFault = "changed" | "corrupt";

/** DigestKind says what a message stands for that a compaction has written. */
export type DigestKind = "digest" | "branch" | "line" | "loop" | "file" | "count" | "turn" | "other";

/** SessionKind is the kind of a session file; docs/SESSIONS.md describes them. */
export type SessionKind = "claude-code" | "cline" | "codex" | "gemini-cli" | "opencode" | "openhands" | "pi" | "roo-code";

/** SkipReason is why something in a session file is not among its messages. */
export type SkipReason =
  | "api_error"
  | "branch"
  | "compacted"
  | "duplicate"
  | "empty"
  | "excluded"
  | "failed"
  | "meta"
  | "rolled_back"
  | "side_chain"
  | "unfinished_line";

/** FailureClass is why a call of a model failed. */
export type FailureClass =
  "none" | "context_overflow" | "rate_limit" | "other_model" | "output_limit" | "payload_too_large" | "provider_error";

/** LimitMode is what of a tool's output stays. */
export type LimitMode = "head_tail" | "head";

/** ErrorCode names a kind of error. Codes are stable. */
export type ErrorCode =
  | "invalid_json"
  | "truncated_json"
  | "invalid_utf8"
  | "too_deep"
  | "too_large"
  | "wrong_type"
  | "duplicate_key"
  | "unknown_field"
  | "missing_field"
  | "out_of_range"
  | "unknown_session"
  | "cannot_save"
  | "no_messages"
  | "missing_role"
  | "unknown_format"
  | "ambiguous_format"
  | "unknown_preset"
  | "unknown_estimator"
  | "unknown_pass"
  | "empty_query"
  | "handle_mismatch"
  | "plan_mismatch"
  | "session_closed"
  | "summary_failed"
  | "needs_full"
  | "unknown_function"
  | "unknown_op"
  | "internal";

/** Operations are the requests and the answers of all operations. The transcript of an answer is not in its type. */
export interface Operations {
  info: {
    request: object;
    answer: Info;
  };
  detect: {
    request: DetectRequest;
    answer: Detection;
  };
  estimate: {
    request: EstimateRequest;
    answer: Estimate;
  };
  check: {
    request: CheckRequest;
    answer: Check;
  };
  plan: {
    request: PlanRequest;
    answer: Planned;
  };
  step: {
    request: StepRequest;
    answer: Planned;
  };
  fit: {
    request: FitRequest;
    answer: Planned;
  };
  prints: {
    request: PrintsRequest;
    answer: Prints;
  };
  validate: {
    request: ValidateRequest;
    answer: Validation;
  };
  repair: {
    request: RepairRequest;
    answer: RepairedMessages;
  };
  convert: {
    request: ConvertRequest;
    answer: Converted;
  };
  restore: {
    request: RestoreRequest;
    answer: RestoredMessages | NamedHandles;
  };
  digests: {
    request: DigestsRequest;
    answer: Digests;
  };
  recall: {
    request: RecallRequest;
    answer: Recalled;
  };
  search: {
    request: SearchRequest;
    answer: Found;
  };
  open: {
    request: object;
    answer: Opened;
  };
  save: {
    request: SaveRequest;
    answer: Saved;
  };
  session_open: {
    request: SessionOpenRequest;
    answer: SessionInfo;
  };
  session_append: {
    request: SessionAppendRequest;
    answer: SessionInfo;
  };
  session_close: {
    request: SessionCloseRequest;
    answer: ClosedSession;
  };
  classify_error: {
    request: ClassifyErrorRequest;
    answer: Verdict;
  };
  limit_tool_output: {
    request: LimitToolOutputRequest;
    answer: LimitedOutput;
  };
  function: {
    request: FunctionRequest;
    answer: FunctionResult;
  };
}

/** Info is the answer of the operation info: what this module can do. */
export interface Info {
  name: string;
  /** semantic */
  version: string;
  /** changes when a host that knows the old one would break */
  abi: number;
  ops: Operation[];
  formats: FormatInfo[];
  estimators: Estimator[];
  passes: PassName[];
  /** of the same passes */
  pass_info: PassInfo[];
  functions: FunctionName[];
  presets: PresetInfo[];
  limits: Limits;
}

/** FormatInfo is a wire format with one line of explanation. */
export interface FormatInfo {
  name: Format;
  doc: string;
}

/** PassInfo is what a pass has declared. */
export interface PassInfo {
  name: PassName;
  /** what it does, behind its name */
  doc: string;
  parameters: Parameter[];
  /** what stands in the place of what it takes out; with an archive each names a handle */
  markers: string[];
  /** how the messages begin that it writes */
  messages: string[];
  counters: Counter[];
}

/** Parameter is a parameter of a pass. */
export interface Parameter {
  name: string;
  /** what counts where a policy does not give it */
  default: unknown;
  /** "" where that of the one before it is about both */
  doc: string;
}

/**
 * Counter is a number that a pass adds up in the report, under its name: a key of the report, or a name in its counts.
 */
export interface Counter {
  name: string;
  /** what is counted, for people */
  text: string;
}

/** PresetInfo is a preset with the policy that it stands for. */
export interface PresetInfo {
  name: Preset;
  doc: string;
  /** a Policy */
  policy: Policy;
}

/** Policy is a host's policy. The zero values of all fields mean "as the preset says". */
export interface Policy {
  /** preset is the name of the preset that the policy starts from; "" is "default". */
  preset?: Preset;
  /** format is the wire format of the transcript; "" and "auto" let detection decide. */
  format?: Format | "auto";
  /** model is the name of the model that the transcript is for: it tells the tokenizer's family. */
  model?: string;
  /** estimator is the name of a token estimator. Default: "script". */
  estimator?: Estimator;
  window?: PolicyWindow;
  gate?: PolicyGate;
  passes?: readonly Pass[];
  summary?: PolicySummary;
  /** pins are messages that are never changed, besides the system's and the newest of the user's. */
  pins?: readonly Pin[];
  /**
   * wire_safe keeps results valid for the provider. It is on unless set to false, which reproduces a published system
   * exactly, defects included.
   */
  wire_safe?: boolean;
  /**
   * last_resort cuts what the passes have left where that is over the limit: tool results first, pinned messages last.
   * It is on unless set to false, and does not count without wire_safe.
   */
  last_resort?: boolean;
  /**
   * open_calls is "keep" (the default: tool calls at the end that have no result yet are left open, for the host to
   * answer) or "answer" (they are violations too, and repair gives them a result that says so).
   */
  open_calls?: OpenCalls;
  /**
   * thinking is how the model is asked to think: "manual" (with a budget), "adaptive", "drop_block" (adaptive, and the
   * request has the provider drop what no longer fits), "off", or "auto" (the default: the request body tells, or the
   * model's name).
   */
  thinking?: "manual" | "adaptive" | "drop_block" | "off" | "auto";
  /**
   * repair is "refused" (the default: what a provider refuses is mended, and what it tolerates stays as it came in) or
   * "all" (what it tolerates is mended too).
   */
  repair?: "refused" | "all";
  /**
   * max_bytes is how many bytes the list of messages may have as JSON, whatever its tokens; 0 is no limit. Above it
   * images, audio and files are replaced by placeholders, the oldest first.
   */
  max_bytes?: number;
  /** prices are those of the model, for the report on the prompt cache. */
  prices?: PolicyPrices;
  /** log adds to the report what became of each message. */
  log?: boolean;
  /**
   * archive is "" (the default: what is taken out is gone), "places" (the answer lists every body that was taken out,
   * with its handle and its places in the request, and markers name the handles) or "bodies" (the bodies themselves in
   * the stead of their places).
   */
  archive?: Archive;
}

/** Window is the size of the model's context. */
export interface PolicyWindow {
  /** tokens is the context window in tokens; 0 is an unknown window, with which compaction is never due. */
  tokens?: number;
  /**
   * reserve is how many tokens of the window stay free for the answer. Without one it is 16384, or an eighth of the
   * window if that is less.
   */
  reserve?: number;
}

/** Gate decides whether compaction is due: when the estimate is over (window − reserve) × ratio. */
export interface PolicyGate {
  /** ratio is the share of the usable window at which compaction is due, over 0 and up to 1. Default: 0.8. */
  ratio?: number;
  /**
   * target is the share of the limit that a compaction aims for, over 0 and up to 1: the room below it is how many
   * turns pass before the next one. Default: 0.6.
   */
  target?: number;
  /**
   * start is the share of the limit above which a compaction is begun in the background, while the conversation goes
   * on: over Target and below 1. 0, the default, is never.
   */
  start?: number;
  /**
   * idle is after how many seconds without a call the provider's prompt cache is cold, up to 1,000,000,000: a
   * conversation that has been idle for so long, or whose cache is cold for another reason, is compacted below the
   * limit too. 0, the default, is never.
   */
  idle?: number;
  /**
   * cold is the share of the limit above which a conversation is compacted whose cache is cold, over 0 and up to 1; 0
   * is one half. Without Idle it does not count.
   */
  cold?: number;
  /** min_gain is the share of the limit that a compaction must free, or nothing is done; from 0 to 1. Default: 0.02. */
  min_gain?: number;
  /** inclusive makes compaction due at the limit itself, not only above it. */
  inclusive?: boolean;
  /**
   * min_messages is how many messages a transcript must have for the passes to be due; with fewer there is only the
   * last resort.
   */
  min_messages?: number;
  /** max_tokens is the limit where the window is unknown or the reserve takes all of it, in tokens; 0 is none. */
  max_tokens?: number;
  /** max_messages makes compaction due at so many messages where there is no limit in tokens; 0 is never. */
  max_messages?: number;
  /**
   * max_tool_results makes compaction due above so many tool results that have not been cleared or summarised; 0 is
   * never.
   */
  max_tool_results?: number;
  /**
   * usage takes what the provider counted (usage in native messages) for what it has counted, and estimates only what
   * follows.
   */
  usage?: boolean;
}

/**
 * archive puts short summaries in the place of old tool results: by the host's model, or excerpts where there is none.
 * Calls, ids and order stay.
 */
export interface ArchivePass {
  pass: "archive";
  /** keep_recent is how many of the newest tool results stay; 0 turns the pass off. Default: 10. */
  keep_recent?: number;
  /**
   * mode is who writes the summaries: "model" (the host is asked, unless the policy's summary.mode is "local") or
   * "local" (excerpts). Default: "model".
   */
  mode?: "model" | "local";
  /** min_tokens is how large a result must be for a summary to take its place, in tokens. Default: 400. */
  min_tokens?: number;
  /**
   * max_requests is how many summaries the model is asked for in one compaction, those of the newest results; the
   * others are excerpts. Default: 8.
   */
  max_requests?: number;
  /**
   * max_input, max_output and excerpt are Unicode scalar values: how much of a result the model is shown, how much of
   * its answer is used, and how much an excerpt has. Default: 12000.
   */
  max_input?: number;
  /** Default: 1200. */
  max_output?: number;
  /** Default: 800. */
  excerpt?: number;
  /** batch is how many results one summary stands for; 0 and 1 are one summary for each. Default: 0. */
  batch?: number;
  /**
   * max_batches is how many batches are made in one compaction, the oldest results first; 0 is as many as there are.
   * Default: 0.
   */
  max_batches?: number;
  /** tools are the tools whose results may be archived; empty is all. exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/** clear replaces the bodies of old tool results by a marker. The newest ones stay; calls, ids and order stay. */
export interface ClearPass {
  pass: "clear";
  /** keep_recent is how many of the newest tool results stay; at least 1. Default: 6. */
  keep_recent?: number;
  /**
   * min_reclaim is how many tokens must be freed in all, or nothing is cleared: every clearing costs the prompt cache.
   * Default: 0.
   */
  min_reclaim?: number;
  /** tools are the tools whose results may be cleared; empty is all tools. Names are compared without case, _ and -. */
  tools?: readonly string[];
  /** exclude_tools are tools whose results are never cleared. */
  exclude_tools?: readonly string[];
}

/**
 * collapse puts one line in the place of each older message of the assistant and the tool results behind it. What the
 * user said stays.
 */
export interface CollapsePass {
  pass: "collapse";
  /** keep_recent is how many of the newest messages stay as they are. Default: 10. */
  keep_recent?: number;
  /**
   * max_text is how long a text of the assistant may be to be in the line, in bytes; longer ones are left out whole.
   * Default: 200.
   */
  max_text?: number;
}

/**
 * dedupe takes out what a newer tool result says again: results of one tool that are the same byte for byte, and
 * results of an identical call (same tool, same arguments) that gave something else since. The newest one stays.
 */
export interface DedupePass {
  pass: "dedupe";
  /** min_tokens is how much taking out a result must save, in tokens. Default: 50. */
  min_tokens?: number;
  /** min_reclaim is how many tokens must be freed in all, or nothing is taken out. Default: 0. */
  min_reclaim?: number;
  /**
   * superseded says whose results a newer result of an identical call takes the place of: "reads" (the default: of
   * tools that read a file), "all" or "none". Default: "reads".
   */
  superseded?: "reads" | "all" | "none";
  /** exclude_tools are tools whose results always stay. */
  exclude_tools?: readonly string[];
}

/**
 * drop takes the middle of the transcript out: the first messages and the newest stay. Where that is not enough, or
 * where there is no middle, it goes on as fit does.
 */
export interface DropPass {
  pass: "drop";
  /** keep_first and keep_recent are how many messages stay at the front and at the end. Default: 2. */
  keep_first?: number;
  /** Default: 10. */
  keep_recent?: number;
}

/** fit keeps the newest messages that fit in the target, and drops all before the first that does not. */
export interface FitPass {
  pass: "fit";
}

/**
 * fold puts one digest in the place of the older messages. Pinned messages stay where they are, and so does a tail of
 * the newest messages.
 */
export interface FoldPass {
  pass: "fold";
  /**
   * keep_tokens is how large the tail may be, in tokens. With wire_safe it is at most half of the target. Default:
   * 20000.
   */
  keep_tokens?: number;
  /**
   * boundary is where the tail may begin: "turn" (at a message of the user, unless the tail would lose three quarters
   * of its size by that), "group" (at any), "message" (as "group", since calls and their results stay together; a
   * published system cuts anywhere), "forward" (as "group"; with force it leaves something to fold even where all would
   * fit) or "backward" (keep_messages before the end, or at the start of the group there). Default: "turn".
   */
  boundary?: "turn" | "group" | "message" | "forward" | "backward";
  /**
   * keep_last keeps the last group even if it is larger than the tail may be; otherwise nothing is folded then.
   * Default: true.
   */
  keep_last?: boolean;
  /**
   * keep_messages is how many of the newest messages are the tail, where boundary is "backward", or "message" and
   * keep_tokens is 0. Default: 10.
   */
  keep_messages?: number;
  /**
   * min_messages is how many messages must be folded, or none is; digests and restored files do not count. Default: 1.
   */
  min_messages?: number;
  /**
   * force_turn makes the newest turn of the user the tail of a compaction that is forced, whatever keep_tokens says.
   * Default: false.
   */
  force_turn?: boolean;
}

/** reasoning takes reasoning out of the messages of the assistant, whole parts at a time. */
export interface ReasoningPass {
  pass: "reasoning";
  /**
   * mode is "latest_turn" (the default: reasoning stays only behind the newest message of the user), "strip" (all
   * reasoning goes) or "keep" (none does). Default: "latest_turn".
   */
  mode?: "latest_turn" | "strip" | "keep";
}

/**
 * rehydrate puts the files back that were read last before a fold took their content away, each as a message of the
 * user behind the digest, the newest last.
 */
export interface RehydratePass {
  pass: "rehydrate";
  /** max_files is how many files are restored at the most. Default: 5. */
  max_files?: number;
  /** tokens is how much they may take together. Default: 8000. */
  tokens?: number;
  /**
   * tool is the only tool whose results are files, compared without case, _ and -; "" is every tool that is known to
   * read one.
   */
  tool?: string;
  /**
   * always_newest restores the file read last although it alone takes more than Tokens, as long as the target has room
   * for it. Default: false.
   */
  always_newest?: boolean;
  /** shrink_messages keeps the number of messages below what it was before the fold. Default: false. */
  shrink_messages?: boolean;
}

/**
 * squeeze writes old tool results shorter without losing what they say: see package squeeze. The whole stands in the
 * archive. A pass that comes later takes out what it would take out of the whole.
 */
export interface SqueezePass {
  pass: "squeeze";
  /** keep_recent is how many of the newest tool results stay as they are. Default: 2. */
  keep_recent?: number;
  /**
   * min_tokens is how much a result must lose, in tokens, the line that says what was done to it included. Default: 16.
   */
  min_tokens?: number;
  /**
   * min_reclaim is how many tokens must be freed in all, or nothing is squeezed: each change costs the prompt cache.
   * Default: 0.
   */
  min_reclaim?: number;
  /** tools are the tools whose results may be squeezed; empty is all. exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/**
 * tool_digest clears old tool results in the tail that a fold has left, and says in the digest, before the tail, what
 * they were, in one line each. Without a fold before it in the policy it puts the lines in the place of the results.
 */
export interface ToolDigestPass {
  pass: "tool_digest";
  /** keep_recent is how many of the newest tool results stay; 0 turns the pass off. Default: 10. */
  keep_recent?: number;
  /** tools are the tools whose results may be cleared; empty is all. exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/**
 * truncate shortens long tool results to their first and last lines. Every text of a result is shortened by itself;
 * images and whatever else is in it stay.
 */
export interface TruncatePass {
  pass: "truncate";
  /** max_lines is how many lines of a text stay, with wire_safe the marker's among them. Default: 50. */
  max_lines?: number;
  /** tools are the tools whose results may be truncated; empty is all. exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/** Summary is how digests are made. */
export interface PolicySummary {
  /**
   * mode is "model" (the default: the host is asked), "local" (never; the local digest is used) or "minimal" (never;
   * the digest only counts the messages that are gone). Default: "model".
   */
  mode?: SummaryMode;
  /**
   * request is how the model is asked: "auto" (the default: behind the conversation, whose beginning the provider has
   * in its prompt cache, where that is cheaper by Prices and fits into the window; else flat), "flat" (a prompt with a
   * record of the messages) or "prefix" (behind the conversation wherever that fits). Only hosts that can send such
   * requests are asked for them.
   */
  request?: "auto" | "flat" | "prefix";
  /** max_output_tokens is how large a digest of a model may get, in tokens. Default: 4096. */
  max_output_tokens?: number;
  /** max_input_tokens is how large a request to the model may get, in tokens; 0 is no limit. */
  max_input_tokens?: number;
  /**
   * provider has the provider of the conversation compact by itself where it can, and the model only where that fails:
   * the requests to the host say how.
   */
  provider?: boolean;
  /** retries is how often the model is asked again when its answer is no digest. Default: 1. */
  retries?: number;
  /**
   * split is what is done with a record that is too long for one request: "map" (one request for each part, at the same
   * time, and one that puts the digests of the parts together) or "chain" (part by part, each time with the digest so
   * far).
   */
  split?: "map" | "chain";
  /**
   * standing is the share of the target that what the user said about how to work may always take, from 0 (it has no
   * block of its own) to 1; what the target leaves free it may take too. Without it it is DefaultStanding.
   */
  standing?: number;
  /**
   * room is the share of the target that a digest made without a model may fill, with all that stays beside it: from 0
   * (no more than a digest of a model may have) to 1, which is also what counts without it.
   */
  room?: number;
  /** instructions are added to the prompt, such as what to pay attention to. */
  instructions?: string;
  /**
   * style is the layout of a published system's requests and digests, by the name of its preset; "" is ctxfold's own.
   */
  style?: Style;
  /** prompt says what to write, in the stead of the style's own words. Only styles have one. */
  prompt?: string;
  /**
   * scope is what the transcript is: "session" (the default) or "branch", a path that the conversation has given up,
   * which is folded whole.
   */
  scope?: "session" | "branch";
  /**
   * on_failure is what happens where the host has no summary: "local" (the default: the local digest takes its place),
   * "keep" (the transcript stays as it is) or "error" (the operation fails; with wire_safe it is "local").
   */
  on_failure?: "local" | "keep" | "error";
}

/** Pin names messages by one or more of their features; a message that has all of them is pinned. */
export interface Pin {
  /** system, user, assistant or tool */
  role?: Role;
  /** in the list; negative counts from its end */
  index?: number;
  /** of a tool call or result in the message */
  id?: string;
  /** a text in the message, as it stands in its JSON */
  contains?: string;
}

/** Prices are in any currency for a million tokens. Without those of the cache everything costs Input. */
export interface PolicyPrices {
  input?: number;
  output?: number;
  cache_read?: number;
  cache_write?: number;
}

/** Limits are what a request may not go over. */
export interface Limits {
  /** of a request */
  bytes: number;
  /** of objects and arrays inside each other */
  depth: number;
}

/** A request of the operation detect. */
export interface DetectRequest {
  policy?: Policy;
  messages?: unknown;
  session?: number;
}

/** Detection is the answer of the operation detect. */
export interface Detection {
  /** the likeliest, or "" where none has a confidence of at least 0.75 */
  format: Format | "";
  /** in it, from 0 to 1 */
  confidence: number;
  /** the likeliest first */
  candidates: Candidate[];
  /** shape is what the messages look like where no format reads them; the only candidate is then the nearest format. */
  shape?: string;
}

/** Candidate is a format that a transcript may be in. */
export interface Candidate {
  format: Format;
  /** 0 to 1; all candidates together make 1, or less where something is unknown */
  confidence: number;
  /** a role, a key or a type that only this format has */
  evidence: string[];
}

/** A request of the operation estimate. */
export interface EstimateRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  text?: string;
  messages?: unknown;
  session?: number;
}

/**
 * Options are what one call wants, beside the policy, which belongs to the conversation: a host sets them itself and
 * never edits the policy of its user. The zero values of all fields mean "as the policy says".
 */
export interface Options {
  /** force compacts although the gate says that it is not due. */
  force?: boolean;
  /** answer is how the transcript comes back; absent, as messages. */
  answer?: Answer;
  /** archive says whether what is taken out can come back, and counts instead of the policy's. */
  archive?: Archive;
  /**
   * open_calls says what becomes of tool calls at the end that have no result yet, and counts instead of the policy's.
   */
  open_calls?: OpenCalls;
  /** summary is how the digest of this call is made. */
  summary?: SummaryOptions;
  /** usage is what the provider counted for the last call. */
  usage?: Counted;
  /**
   * window is the context window of the model that is asked now, in tokens. It counts where it is smaller than the
   * policy's, or the policy knows none.
   */
  window?: number;
  /** no_reserve leaves nothing of the window free for the answer. */
  no_reserve?: boolean;
  /** format is the wire format of the transcript. It counts where the policy names none. */
  format?: Format;
  /** only_known puts what fit remembers in its place, and compacts nothing. */
  only_known?: boolean;
  /** model is the name of the model that the transcript is for. It counts where the policy names none. */
  model?: string;
  /**
   * background compacts above `gate.start` of the policy, while the conversation goes on: `check` and `fit` say when to
   * begin. Where the model gives no summary the transcript stays as it is.
   */
  background?: boolean;
  /**
   * tried is the size of the transcript, in tokens, for which a compaction in the background came to nothing: none is
   * begun until it has grown.
   */
  tried?: number;
  /**
   * idle is how long the conversation has been idle, in seconds from 0 to 1,000,000,000: the time since its last call
   * of a model. From `gate.idle` of the policy on the provider's prompt cache is cold.
   */
  idle?: number;
  /**
   * cold is why the provider's prompt cache has nothing of the conversation, however short it was idle. It counts where
   * the policy has `gate.idle`.
   */
  cold?: Cold;
}

/** SummaryOptions are how the digest of one call is made. */
export interface SummaryOptions {
  /** mode is who writes the digest, and counts instead of the policy's. */
  mode?: SummaryMode;
  /**
   * prefix says that the host can send requests behind the conversation, where the policy's summary.request wants them.
   */
  prefix?: boolean;
  /** text is the summary itself, of a host that has one: the model is not asked. */
  text?: string;
}

/** Counted is a provider's count of tokens for the call that ended with a message, as open reports it. */
export interface Counted {
  /** index of the message; negative counts from the end */
  message: number;
  input_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  output_tokens?: number;
  /** total_tokens is the sum of the others; they count where it is 0. */
  total_tokens?: number;
  /**
   * exact says that a tokenizer has counted these very messages: no compaction makes it stale, and it is not doubted.
   */
  exact?: boolean;
}

/**
 * State is what a host keeps beside the conversation from one compaction to the next. A host stores it and changes
 * nothing in it.
 */
export interface State {
  /** how many compactions there were */
  round: number;
  ledger: Ledger;
  /** format is the wire format of the conversation. After a compaction little may be left to tell it by. */
  format?: Format;
  /**
   * Messages, Fingerprint and Limit are of the result of the last compaction, and the limit in tokens that it was made
   * for. While the transcript is still just that, and need not be smaller now, there is nothing to do.
   */
  messages?: number;
  fingerprint?: string;
  limit?: number;
  /**
   * own names the messages of that result that compactions wrote, by a hash of role and text. No other message counts
   * as one.
   */
  own?: string[];
  /**
   * archive is the handle of the last compaction's changes, from which restore goes back; absent where nothing was
   * archived.
   */
  archive?: string;
  /** attempts breaks a loop of compactions that do not help. */
  attempts?: Attempts;
  /** streak is how many compactions came in turns right behind each other. */
  streak?: Streak;
  /** calibration is what estimates have been compared with. */
  calibration?: Calibration;
}

/**
 * Ledger is what code, not a model, knows of the folded messages. It is carried from one compaction to the next in the
 * state, and stands in every digest, from which it can be read back. All lists have the oldest first; a file that was
 * modified is not listed as read.
 */
export interface Ledger {
  /** the user's first request */
  task?: string;
  /** what the user asked for since */
  requests?: string[];
  /**
   * standing is what the user said about how to work: rules, constraints and preferences, in sentences of their own.
   */
  standing?: string[];
  /** files */
  read?: string[];
  /** files */
  modified?: string[];
  commands?: LedgerCommand[];
  /** what failed, and has not worked since */
  errors?: LedgerFailure[];
}

/** LedgerCommand is a command that the agent or the user ran. */
export interface LedgerCommand {
  command: string;
  /** the exit code; "failed" where only that is known, absent where nothing is */
  exit?: string;
}

/** LedgerFailure is a tool call that failed. */
export interface LedgerFailure {
  tool: string;
  /** the file or the command */
  on?: string;
  text?: string;
}

/**
 * Attempts is what the state remembers of compactions that did not help, so that a conversation which cannot be made
 * smaller is not compacted, and its model not asked, at every turn.
 */
export interface Attempts {
  /** failed is how many compactions in a row gained nothing, or left the transcript over its limit. */
  failed?: number;
  /** last_gain is what the last compaction freed, and Tokens the size it left behind. */
  last_gain?: number;
  tokens?: number;
}

/**
 * Streak counts compactions that came in turns right behind each other: with at most one new message of the user
 * between two of them and, where there was none, at most two new messages of the assistant.
 */
export interface Streak {
  compactions: number;
  /** user and Assistant are how many messages of each the last input had. */
  user: number;
  assistant: number;
}

/**
 * Calibration is what the estimates of a conversation have been compared with: pairs of an estimate and what the
 * provider counted, the newest last. What a call sends that is not in the transcript (system prompt, tools) is in the
 * count alone.
 */
export interface Calibration {
  /** estimator is what the estimates are by, with its family. Another one does not use them. */
  estimator: string;
  /** tokens */
  estimated?: number[];
  /** tokens */
  counted?: number[];
}

/** Estimate is the answer of the operation estimate: the size of a transcript or a text, in tokens. */
export interface Estimate {
  tokens: number;
  source: TokenSource;
  /** how far off it may be, in percent: nine of ten are closer */
  bound: number;
  estimator: Estimator;
  /** of tokenizers, with script */
  family?: Family;
  /** of a transcript */
  format?: Format;
  /** of each message */
  messages?: number[];
  /** system prompt and tools of a request body, and what usage has shown */
  beside?: number;
}

/** A request of the operation check. */
export interface CheckRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
  session?: number;
}

/** Check is the answer of the operation check: whether compaction is due. */
export interface Check {
  due: boolean;
  /**
   * start says that a compaction is to be begun in the background (option background): it is not due, but over
   * gate.start.
   */
  start?: boolean;
  /** cold is why the prompt cache is cold, where compaction is due for that alone. */
  cold?: Cold;
  /** over_limit, over_bytes, cold, under_budget or unknown_window */
  reason: Reason;
  tokens: number;
  /** of tokens */
  source: TokenSource;
  /** how far off they may be, in percent: nine of ten are closer */
  bound: number;
  /** compaction is due above it */
  limit: number;
  /** 0 is an unknown window */
  window: number;
  /** tokens / window; 0 with an unknown window */
  ratio: number;
  messages: number;
  format: Format;
  estimator: Estimator;
  /** state is the request's State, with its usage taken in. Absent where the request has no usage. */
  state?: State;
}

/** A request of the operation plan. */
export interface PlanRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
  session?: number;
}

/**
 * Planned is the answer of the operations plan, step and fit. While summaries are wanted, it has Plan and Requests;
 * when all is done, it has State and the transcript.
 */
export interface Planned {
  /** a Plan, to go on with */
  plan?: Plan;
  /** what to ask the host's model; they do not depend on each other */
  requests?: SummaryRequest[];
  report: Report;
  /** a State, to go on with */
  state?: State;
  /**
   * archive lists the bodies that the host has to keep before it uses the result, where the policy or the options ask
   * for it.
   */
  archive?: Body[];
  /**
   * start says that a compaction is to be begun in the background (option background): it is not due, but over
   * gate.start.
   */
  start?: boolean;
  /** known is the index of the entry of memory that fit has used, or -1; of fit alone. */
  known?: number;
  /** memory is a MemoryEntry for the host to keep, where fit has compacted. */
  memory?: MemoryEntry;
}

/**
 * Plan is what goes from plan to step, and from step to step. It is data: it can be shown, stored, and continued on
 * another machine. It names the transcript by the number of its messages and a fingerprint; more messages may have come
 * since. A host changes nothing in it.
 */
export interface Plan {
  /** that of the ABI */
  version: number;
  messages: number;
  fingerprint: string;
  format: Format;
  /** model is what an answer of open has told of the messages, where the policy names none. */
  model?: string;
  /** a Policy, as it was sent */
  policy: Policy;
  /** options are those that the plan was made with, but for the usage: Correction has what came of it. */
  options?: Options;
  state: State;
  replies?: Summary[];
  /**
   * asked are the ids of the requests that wait for a reply. One that the next step does not answer counts as failed.
   */
  asked?: string[];
  /** fit tells that the plan is of fit: a step is given the same memory. */
  fit?: boolean;
  /** correction makes the estimates agree with what the provider counted. */
  correction?: Correction;
}

/** Summary is what the host's model answered to a request, or the error that kept it from it. */
export interface Summary {
  /** of the request */
  id: string;
  text?: string;
  /**
   * messages are what the provider has made, where the request has `provider`, as a list of messages of its format:
   * they go into the result unchanged. The `output` of OpenAI is such a list; Anthropic's `content` is that of one
   * message of the assistant.
   */
  messages?: object[];
  /** finish_reason is why the model stopped, in the words of any provider. */
  finish_reason?: string;
  /** error is why there is no text. */
  error?: string;
  /** the host has shown the text as it came */
  stream?: boolean;
  /** usage is what the provider has counted for the request. */
  usage?: CallUsage;
}

/**
 * CallUsage is what a provider has counted for calls of a model, in tokens. InputTokens are without those that were
 * read from or written to a prompt cache.
 */
export interface CallUsage {
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
}

/** Correction is what makes the numbers of an estimator agree with those of a provider. */
export interface Correction {
  /** of all that is estimated, in 1/65,536 */
  scale: number;
  /** tokens that are not in the transcript */
  fixed: number;
  source: TokenSource;
  /** percent */
  bound: number;
}

/** SummaryRequest asks the host's model for a summary. */
export interface SummaryRequest {
  /** to be given back with the summary */
  id: string;
  scope: Scope;
  /** the system prompt for the model */
  system: string;
  /** the user message for the model; the record of the session is fenced in it */
  prompt: string;
  /** the most tokens that the summary may have */
  max_output_tokens: number;
  /** estimate of `system` and `prompt`; never over `summary.max_input_tokens` */
  input_tokens: number;
  /** temperature is what the model is to be asked with; absent, the host decides. */
  temperature?: number;
  /** thinking is how much the model is to think. Absent, the host decides. */
  thinking?: ThinkingEffort;
  /**
   * provider is how the provider of the conversation is asked to compact it by itself, with `summary.provider`. What it
   * makes is the reply's `messages`. System and Prompt are for the model, where it fails.
   */
  provider?: ProviderRequest;
  /**
   * conversation is there where the request stands behind the conversation: the host sends what it sent last with the
   * edits and the body's changes, and System and Prompt are in that already.
   */
  conversation?: RequestConversation;
  /** lead is what a host that shows the summary as it comes shows before it; only where two are joined. */
  lead?: string;
}

/**
 * ProviderRequest is a call of a provider's own compaction. The host adds `model`, and `max_tokens` where the API wants
 * it: the model should be that of the conversation.
 */
export interface ProviderRequest {
  /** whose API it is: anthropic or openai-responses */
  format: Format;
  /** POST, behind the address of the API: /v1/messages or /v1/responses/compact */
  path: string;
  /** the value of the header anthropic-beta */
  beta?: string;
  body: object;
}

/**
 * RequestConversation is a request for a summary that stands behind the conversation: its beginning is what the
 * provider was sent last, so that it is read from the prompt cache.
 */
export interface RequestConversation {
  /** what makes its messages of those that were given, with the instruction as the last */
  edits: Edit[];
  /**
   * body is what differs in the request body beside its messages, as a JSON Merge Patch (RFC 7396): the limit of the
   * answer, no calls of tools, no stream. A host that streams the answer sets that itself.
   */
  body: object;
}

/**
 * Report tells what an operation did to a transcript, or why it did nothing. All tokens are estimates by the report's
 * estimator.
 */
export interface Report {
  reason: Reason;
  /** whether the transcript is another one now */
  changed: boolean;
  /**
   * cold is why the prompt cache is cold, where compaction is due for that alone: the transcript is below the limit.
   */
  cold?: Cold;
  /**
   * fits tells whether the result has at most the limit's tokens, or there is no limit. While summaries are wanted, it
   * tells whether what can be neither folded nor cut has.
   */
  fits: boolean;
  /** over is by how much the result does not fit, and what takes the room. It is absent where the result fits. */
  over?: Excess;
  /** thrashing is there where compactions come in turns right behind each other. */
  thrashing?: Thrashing;
  preset: Preset;
  format: Format;
  estimator: Estimator;
  tokens: ReportTokens;
  messages: Count;
  /** tool results whose body was replaced by a marker */
  cleared: number;
  /** texts of tool results that were written shorter, and say the same */
  squeezed?: number;
  /** texts of which the middle was taken out */
  truncated: number;
  /** messages that the digest, or a line for each turn, stands for */
  folded: number;
  /** messages that were taken out, and of which only their number is left */
  dropped: number;
  /** files that were put back behind the digest */
  restored: number;
  /** violations that were mended */
  repaired: number;
  /** counts are what passes of others have counted. */
  counts?: PassCount[];
  /** stable_prefix is how much of the front is unchanged. */
  stable_prefix: StablePrefix;
  /**
   * cut_point is the index in the list that came in at which the tail begins that a fold has left; absent where nothing
   * was folded.
   */
  cut_point?: number;
  summary: ReportSummary;
  /** one for each message that was touched */
  actions: Action[];
  /** with max_bytes */
  bytes?: ReportBytes;
  /**
   * cache is what the change means for the provider's prompt cache; absent where nothing changes. While summaries are
   * wanted it is what to expect.
   */
  cache?: ReportCache;
  /** thinking is there where the transcript has thinking that its provider has signed. */
  thinking?: ReportThinking;
  /**
   * left is what the provider would refuse in the messages of the answer, and no repair could mend: validate says the
   * same of them. Where they came back as they were, it is all that the provider would refuse in them. Without
   * wire_safe, and where nothing was due, nothing is checked.
   */
  left?: LeftViolation[];
  /** decisions are what became of each message, where the policy asks for a log. */
  decisions?: Decision[];
}

/** Excess tells by how much a result is over its limit, and what takes the room. All sizes are tokens. */
export interface Excess {
  /** over the limit */
  limit: number;
  /** over the window; 0 where it fits into that, or the window is unknown */
  window: number;
  /** the largest first, at most five */
  causes: Cause[];
  /** for people: the numbers, the largest cause, and what to do */
  text: string;
}

/** Cause is a message that takes room of a result that does not fit, and why it is still there. */
export interface Cause {
  /** message is an index of the input's list, or -1 for what is not in it. */
  message: number;
  why: ExcessCause;
  tokens: number;
}

/** Thrashing tells that compactions come in turns right behind each other, and the likely cause. */
export interface Thrashing {
  /** in a row, this one among them */
  compactions: number;
  cause: ThrashingCause;
  /** for people: the cause, and what to do */
  text: string;
}

/**
 * ReportTokens is the size of a transcript before and after a compaction, in tokens. While summaries are wanted, After
 * is without them.
 */
export interface ReportTokens {
  before: number;
  after: number;
  /** compaction is due above it */
  limit: number;
  /** 0 is an unknown window */
  window: number;
  /** source is where the numbers come from. */
  source: TokenSource;
  /** how far off they may be, in percent: nine of ten are closer */
  bound: number;
}

/** Count is the number of messages before and after a compaction. */
export interface Count {
  before: number;
  after: number;
}

/** PassCount is what a pass has counted that the report has no key for. */
export interface PassCount {
  name: string;
  count: number;
}

/** StablePrefix is how much of the front is unchanged, which is what a provider's prompt cache can still use. */
export interface StablePrefix {
  messages: number;
  /** of the list, from its opening bracket */
  bytes: number;
  tokens: number;
}

/** ReportSummary tells where the digest came from, and what was wrong with the model's summary. */
export interface ReportSummary {
  source: SummarySource;
  why?: SummaryFault;
  /**
   * score is the share of the facts of the folded messages that stand in the digest, from 0 to 1: paths, addresses,
   * identifiers, numbers and errors, as code finds them. Absent where no digest was written.
   */
  score?: number;
  /** request is how the model was asked; absent where it was not, or the host can only send a record. */
  request?: SummaryShape;
  /** usage is what the provider has counted for all requests whose summaries had it. */
  usage?: CallUsage;
  /**
   * saved is what these have cost less than without a prompt cache, by the policy's prices: in their currency, and
   * negative where writing to the cache cost more. Absent without prices or usage.
   */
  saved?: number;
  /**
   * unfounded is the share of the paths, addresses and identifiers in the model's text that stand nowhere in what it
   * was made of, from 0 to 1: it may have made them up. Absent where there are none, and where the model wrote nothing.
   */
  unfounded?: number;
}

/** Action is one thing that was done to one message, or to a run of them. */
export interface Action {
  action: ActionName;
  /** what did it */
  pass: Doer;
  /** message is an index of the input's list, or -1 for a new message. */
  message: number;
  /** tokens is what the action saved; negative for what it added. */
  tokens: number;
  /** the tool whose result it was */
  tool?: string;
  /** the file that was restored */
  path?: string;
  /** the rule that a repair mended */
  rule?: string;
}

/** ReportBytes is the size of the list of messages as JSON, in bytes. */
export interface ReportBytes {
  before: number;
  after: number;
  /** max_bytes */
  limit: number;
}

/**
 * ReportCache tells what a compaction means for the provider's prompt cache. What is read again and what it saves are
 * tokens of each later call; turns are calls of the model.
 */
export interface ReportCache {
  /** index of the result's list */
  first_changed_message: number;
  /** of the result's list, from its opening bracket */
  first_changed_byte: number;
  /** what follows the first change: the cache does not have it */
  reread_tokens: number;
  /** what each later call does not read any more */
  saved_tokens: number;
  /**
   * turns_to_pay is after how many calls the compaction has paid for itself at the policy's prices: the reading of what
   * follows the first change, and the summary. -1 is never; without prices it is absent.
   */
  turns_to_pay?: number;
}

/**
 * ReportThinking tells what became of the thinking that its provider has signed, in a result that is another
 * transcript.
 */
export interface ReportThinking {
  /** how the model thinks */
  mode: ThinkingMode;
  /** what told it */
  source: ThinkingSource;
  /** kept is how many signed parts the result still has, and Stripped how many were taken out of messages that stay. */
  kept: number;
  stripped: number;
  /** closed is how many messages of the open tool loop stand in the result as text. */
  closed?: number;
}

/** LeftViolation is a place where a rule is broken. */
export interface LeftViolation {
  /** its id in docs/FORMATS.md */
  rule: string;
  /** index in the answer's list */
  message: number;
  /** what is wrong, for people */
  text: string;
}

/** Decision says what became of one message of the input. */
export interface Decision {
  message: number;
  /** decision is "kept", "pinned", or the last action that touched the message. */
  decision: DecisionName;
  /** what did it */
  pass?: Doer;
  /** rule is what a repair mended, or why the message is pinned: "system", "newest_user", "provider" or "pins[n]". */
  rule?: string;
  /** the message's tokens */
  before: number;
  /** the same after the compaction; 0 where it is gone */
  after: number;
}

/** Body is one body that was taken out of the transcript, for the host to keep. */
export interface Body {
  /** SHA-256 of its bytes, in 64 hexadecimal digits; its marker names the first 16 */
  handle: string;
  what: BodyKind;
  /**
   * message is the index of its message in the input's list; of a fold, that of the first one; of changes, that of the
   * first message that stands nowhere else, or -1.
   */
  message: number;
  /** whose result it was */
  tool?: string;
  bytes: number;
  tokens: number;
  /**
   * places say where the body stands: [[from,to]], in bytes from the beginning of the request's messages. The body of a
   * fold, and of changes, is a JSON list whose elements are these places, and numbers and strings that are written as
   * they are.
   */
  places?: unknown[];
  /** body is the body itself, JSON, where the options ask for it or where it stands nowhere in the request. */
  body?: string;
}

/**
 * MemoryEntry is what a host remembers of a compaction that fit has made. A host changes nothing in it; it may add
 * members of its own.
 */
export interface MemoryEntry {
  version: number;
  format: Format;
  /** how many messages of the history it stands for */
  messages: number;
  /** of these */
  print: string;
  /** how many messages were sent for them */
  sent_messages: number;
  /** the print of these */
  sent: string;
  /** what stood for them, as in an answer */
  edits: Edit[];
  state: State;
}

/** A request of the operation step. */
export interface StepRequest {
  plan: Plan;
  summaries?: readonly Summary[];
  messages?: unknown;
  session?: number;
  memory?: readonly MemoryEntry[];
}

/** A request of the operation fit. */
export interface FitRequest {
  policy?: Policy;
  options?: Options;
  messages?: unknown;
  memory?: readonly MemoryEntry[];
}

/** A request of the operation prints. */
export interface PrintsRequest {
  policy?: Policy;
  options?: Options;
  messages?: unknown;
}

/** Prints is the answer of the operation prints. */
export interface Prints {
  format: Format;
  /** of the first one, two, … messages */
  prints: string[];
  /** model is the model that a request body names, or an answer of open. */
  model?: string;
}

/** A request of the operation validate. */
export interface ValidateRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
  session?: number;
}

/** Validation is the answer of the operation validate: the rules of the wire format that a transcript breaks. */
export interface Validation {
  /** no violation is refused */
  valid: boolean;
  format: Format;
  messages: number;
  violations: Violation[];
}

/** Violation is a rule that the transcript breaks. */
export interface Violation {
  /** its id in docs/FORMATS.md */
  rule: string;
  /** index in the list; -1 for what stands beside it */
  message: number;
  path: string;
  /** bytes from the start of the request */
  offset: number;
  /** for people */
  text: string;
  /** severity is what the provider does. */
  severity: Severity;
  /** what repair does about it; of a tolerated one only where the policy says `"repair":"all"` */
  repair: Repair;
}

/** A request of the operation repair. */
export interface RepairRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
  session?: number;
}

/** RepairedMessages is the answer of the operation repair. */
export interface RepairedMessages {
  /** nothing is left that the provider would refuse */
  valid: boolean;
  report: Report;
}

/** A request of the operation convert. */
export interface ConvertRequest {
  policy?: Policy;
  options?: Options;
  messages?: unknown;
  session?: number;
  to: Format;
}

/** Converted is the answer of the operation convert. */
export interface Converted {
  /** the format that came in */
  from: Format;
  to: Format;
  /** valid tells that nothing is left that the provider of the new format would refuse. */
  valid: boolean;
  /** lost lists what is not carried over as it was, in the order of the messages. */
  lost: Loss[];
  /** report says what a repair had to mend in the result: its messages are those of the result. */
  report: Report;
  /**
   * system is the system prompt of a list of messages, where the new format has it beside the list: the value of the
   * request's member for it, in the shape of the format.
   */
  system?: unknown;
}

/** Loss is a thing that is not carried over into another wire format, or is but in part. */
export interface Loss {
  /** index in the input's list; -1 for what stands beside it */
  message: number;
  /** where its message or part stands */
  path: string;
  kind: LossKind;
  reason: LossReason;
  instead: LossInstead;
  /** detail names it: the key of a member, a type, a tool, the new id or name of one that was changed. */
  detail?: string;
  /**
   * count is how many messages, or how many parts, have metadata of one name; the entry has the place of the first. Not
   * there where it is one.
   */
  count?: number;
}

/** A request of the operation restore. */
export interface RestoreRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
  bodies?: readonly Kept[];
  session?: number;
}

/** Kept is a body that the host has kept. */
export interface Kept {
  /** or its first digits, 16 or more */
  handle: string;
  /** JSON */
  body: string;
}

/** RestoredMessages is the answer of the operation restore. */
export interface RestoredMessages {
  report: Report;
  /** valid tells that the result breaks no rule of its format. */
  valid: boolean;
  /**
   * markers are what is left in the result that names a handle, and the changes of compactions that were not taken
   * back.
   */
  markers: Marker[];
  /** state is the State that fits the result, where the request had one. */
  state?: State;
}

/**
 * Marker is a place of a transcript where a body stood that has a handle. Of changes, which have no place, the handle
 * is that which the state or another body names.
 */
export interface Marker {
  /** its first 16 digits; of changes all */
  handle: string;
  /** it was */
  what: BodyKind;
  /** index in the result's list; -1 for changes */
  message: number;
  /** why is what keeps a body from being put back although it was given. */
  why?: MarkerFault;
}

/** NamedHandles is the answer of the operation restore for bodies without messages. */
export interface NamedHandles {
  /** those that the bodies name */
  handles: string[];
  /** those of bodies that are others than their handles say */
  corrupt: string[];
}

/** A request of the operation digests. */
export interface DigestsRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
  session?: number;
}

/** Digests is the answer of the operation digests. */
export interface Digests {
  format: Format;
  /** in the order of the messages */
  digests: Digest[];
}

/** Digest is a message that compactions have written, as data: nobody in the conversation has said it. */
export interface Digest {
  /** its index */
  message: number;
  kind: DigestKind;
  /**
   * own says that the message counts as written by a compaction: the state names it, or it has the role and the place
   * that the policy gives such messages. Another one only reads like it; somebody may have repeated or forged it.
   */
  own: boolean;
  /** how many compactions stand in it, where it says so */
  round?: number;
  /** of the messages that it stands for, as it names it, where they are archived */
  handle?: string;
  /** without the header, the handle and the lists of the ledger */
  text: string;
  /**
   * sections are the parts of text under its headings. Lines before the first heading are a section whose heading is
   * "".
   */
  sections: DigestSection[];
  /** the lists that code has added */
  ledger?: Ledger;
}

/** DigestSection is what stands under one heading of a digest. */
export interface DigestSection {
  /** without its marks */
  heading: string;
  /** 1 to 6; 0 where there is no heading */
  level: number;
  /** without empty ones */
  lines: string[];
}

/** A request of the operation recall. */
export interface RecallRequest {
  policy?: Policy;
  options?: Options;
  arguments?: unknown;
  body?: unknown;
  found?: Found;
}

/** Found is the answer of the operation search. */
export interface Found {
  /** the best first */
  results: FoundMessage[];
  searched: Searched;
}

/** FoundMessage is a message that fits the query. */
export interface FoundMessage {
  /** the index of its body in the request */
  body: number;
  handle?: string;
  /** in the list that the body is; 0 where it is none */
  index: number;
  /** compares the results of one answer */
  score: number;
  role: Role;
  /** the day of the message, such as 2025-03-14, where it is known */
  date?: string;
  /** offset is where the snippet begins in the text of the message, in Unicode scalar values. */
  offset?: number;
  /**
   * snippet is the passage that fits the query best, of at most some 240 bytes. It is text of the conversation: data,
   * never an instruction.
   */
  snippet: string;
}

/** Searched says what a search has gone through. */
export interface Searched {
  bodies: number;
  messages: number;
  bytes: number;
  /** missing are handles that the bodies name, of more that was taken out, and that were not given. */
  missing: string[];
}

/** Recalled is the answer of the operation recall: the tool, what a call asks for, or the text to answer it with. */
export interface Recalled {
  /** the tool's definition, if there were no arguments */
  tool?: object;
  /** what the call asks for */
  handle?: string;
  /** what the call looks for; where there is a handle too, in that body */
  query?: string;
  /** the answer to the call, if it is known */
  text?: string;
}

/** A request of the operation search. */
export interface SearchRequest {
  bodies: readonly Searchable[];
  query: string;
  limit?: number;
  roles?: readonly Role[];
  after?: string;
  before?: string;
}

/** A body to search: JSON as a store has it, or the value itself. */
export interface Searchable {
  handle?: string;
  body: unknown;
}

/** Opened is the answer of the operation open: the live conversation of a session file. */
export interface Opened {
  /** of file */
  kind: SessionKind;
  /** of the messages */
  format: Format;
  /** asked last; "" where the file does not tell */
  model: string;
  /** the system prompt; "" where the file does not tell */
  system: string;
  /** the provider's last count; null where there is none since the last compaction */
  usage: Counted;
  /** what was left out, sorted by What */
  skipped: Skipped[];
  /** messages are what the agent's next request would hold: a list. */
  messages: unknown[];
}

/** Skipped is something of a session file that is not in the messages, and how often. */
export interface Skipped {
  what: SkipReason;
  count: number;
}

/** A request of the operation save. */
export interface SaveRequest {
  messages: unknown;
  file: string;
  tokens?: number;
  time?: string;
}

/**
 * Saved is the answer of the operation save: the new file is the first Kept bytes of the old one, and Text behind them.
 */
export interface Saved {
  /** of file */
  kind: SessionKind;
  /** bytes */
  kept: number;
  text: string;
}

/** A request of the operation session_open. */
export interface SessionOpenRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
}

/** SessionInfo is the answer of the operations session_open and session_append: how the session stands. */
export interface SessionInfo {
  /** its number, for requests */
  session: number;
  /** how many it has */
  messages: number;
  /** of them and of what is sent beside them */
  tokens: number;
  /** "" as long as neither the policy nor messages tell it */
  format: Format | "";
}

/** A request of the operation session_append. */
export interface SessionAppendRequest {
  messages?: unknown;
  session: number;
}

/** A request of the operation session_close. */
export interface SessionCloseRequest {
  session: number;
}

/** ClosedSession is the answer of the operation session_close. */
export interface ClosedSession {
  /** the number of the session */
  closed: number;
}

/** A request of the operation classify_error. */
export interface ClassifyErrorRequest {
  arguments: Failure;
}

/** Failure is what is known of a call of a model, whether it failed or not. Every member may be left out. */
export interface Failure {
  /** HTTP */
  status?: number;
  /** of the answer, or the error's text */
  body?: string;
  provider?: string;
  /** that was called */
  model?: string;
  /** that is in use now */
  current_model?: string;
  finish_reason?: string;
  usage?: FailureUsage;
  /** the model's, in tokens */
  window?: number;
  /** the host's own client knows the error for an overflow */
  typed?: boolean;
}

/**
 * FailureUsage is what a call that succeeded had, in tokens; input is without what was read from or written to the
 * cache.
 */
export interface FailureUsage {
  input_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  output_tokens?: number;
}

/** Verdict is the answer of the operation classify_error. */
export interface Verdict {
  class: FailureClass;
  /** a compaction and one retry may mend it */
  overflow: boolean;
  /** no error told of it */
  silent: boolean;
  provider?: string;
  message: string;
  used_tokens?: number;
  limit_tokens?: number;
}

/** A request of the operation limit_tool_output. */
export interface LimitToolOutputRequest {
  text: string;
  arguments?: OutputLimits;
}

/** OutputLimits are how large a tool's output may be. A limit of 0 or less is none. */
export interface OutputLimits {
  max_lines?: number;
  /** UTF-8 */
  max_bytes?: number;
  /** Unicode scalar values */
  max_chars?: number;
  /** above it the whole output is kept elsewhere; 0 is never */
  spill_chars?: number;
  mode?: LimitMode;
  /** where the host has kept it */
  place?: string;
  /** why the host could not keep it */
  spill_error?: string;
}

/** LimitedOutput is the answer of the operation limit_tool_output. */
export interface LimitedOutput {
  changed: boolean;
  text: string;
  /** what stands beside the text stays */
  keep_media: boolean;
  /** the text is a notice: the host keeps the whole output under its handle */
  spilled: boolean;
  handle?: string;
}

/** A request of the operation function. */
export interface FunctionRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  text?: string;
  messages?: unknown;
  name: FunctionName;
  arguments?: unknown;
  session?: number;
}

/** FunctionResult is the answer of the operation function. */
export interface FunctionResult {
  /** as docs/FUNCTIONS.md says for each function */
  result: unknown;
}
