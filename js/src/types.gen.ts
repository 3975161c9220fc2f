// The JSON of docs/reference/abi.md, generated from docs/api.schema.json by `make generate`.

/** Operation is the name of an operation; docs/reference/abi.md describes them. */
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
  | "loop_start"
  | "loop_event"
  | "function";

/** Format is the name of a wire format; docs/guides/formats.md describes them. */
export type Format =
  | "adk"
  | "ag-ui"
  | "agent-framework"
  | "ai-sdk"
  | "ai-sdk-ui"
  | "anthropic"
  | "assistant-ui"
  | "bedrock-converse"
  | "gemini"
  | "gemini-interactions"
  | "genkit"
  | "haystack"
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
  | "prompt-api"
  | "pydantic-ai"
  | "tanstack";

/** Estimator is the name of a token estimator; docs/reference/policy.md lists them. */
export type Estimator =
  "script" | "bytes4" | "layered" | "bytes" | "bytes4-floor" | "utf16-4" | "runes3.6" | "bytes4-message";

/** PassName is the name of a pass; docs/reference/policy.md describes them. */
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
  | "truncate";

/** FunctionName is the name of a function; docs/reference/functions.md describes them. */
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

/** Preset is the name of a preset; docs/guides/presets.md compares them. */
export type Preset = "default" | "layered" | "window-budget" | "turn-tail" | "checkpoint" | "agent-loop";

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

/** SummaryMode is the way in which digests are written. */
export type SummaryMode = "model" | "local" | "minimal";

/** Style is the layout of requests and digests. */
export type Style = "" | "turn-tail" | "checkpoint" | "window-budget" | "agent-loop";

/** Role is the author of a message. */
export type Role = "system" | "user" | "assistant" | "tool";

/** OpenCalls determines how to treat tool calls at the end that have no result yet. */
export type OpenCalls = "keep" | "answer";

/** Archive is whether and how removed content is archived. */
export type Archive = "" | "places" | "bodies";

/** Answer is the form in which the transcript is returned. */
export type Answer = "messages" | "edits" | "report";

/**
 * Cold is the reason why a provider's prompt cache no longer holds a conversation, so that a compaction costs no cached
 * tokens.
 */
export type Cold = "idle" | "model_changed" | "provider_changed" | "gone";

/** TokenSource is where a token count comes from. */
export type TokenSource = "measured" | "calibrated" | "estimated" | "upper_bound";

/** Family is a family of tokenizers. */
export type Family = "o200k" | "cl100k" | "claude" | "llama3" | "gemini";

/** Reason is the reason why an operation did or didn't change the transcript. */
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
  | "unlimited";

/** Scope is the part of the conversation that a request for a summary covers. */
export type Scope = "session" | "update" | "turn_prefix" | "part" | "merge" | "branch" | "tool_output";

/** ThinkingEffort is the amount of thinking that a request for a summary asks of the model. */
export type ThinkingEffort = "high";

/** One run of an answer's messages, in output order. Indexes refer to the messages of the request. */
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

/** ExcessCause is the reason why a large message is still in a result that does not fit. */
export type ExcessCause =
  "beside" | "system" | "newest_user" | "pinned" | "provider" | "open_call" | "pair" | "new" | "kept";

/** ThrashingCause is the likely cause of compactions that follow each other too closely. */
export type ThrashingCause = "whole_history" | "pinned" | "newest_messages" | "target" | "window";

/** SummarySource is where a digest comes from. */
export type SummarySource = "none" | "model" | "provider" | "host" | "local";

/** SummaryFault is the reason why a summary by the host's model was rejected. */
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
  | "repetitive"
  | "unfounded"
  | "off_topic"
  | "no_room_for_request";

/** SummaryShape is the form in which the model is asked for a summary. */
export type SummaryShape = "flat" | "prefix";

/** ActionName is what an operation did to a message, such as "drop" or "truncate". */
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

/** Doer is the pass that changed a message, or a step outside the passes. */
export type Doer =
  | "repair"
  | "thinking"
  | "bytes"
  | "score"
  | "changing"
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

/** ThinkingSource is how ctxfold determined a model's thinking mode. */
export type ThinkingSource = "policy" | "request" | "model" | "format" | "none";

/** DecisionName is the outcome for a message: kept, pinned, or the ActionName of the last action on it. */
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

/** BodyKind is the kind of content that an archived body was in the transcript. */
export type BodyKind = "tool_result" | "text" | "image" | "audio" | "file" | "fold" | "changes";

/** Severity is how the provider reacts to a violation. */
export type Severity = "refused" | "tolerated";

/** Repair is the way in which repair fixes a violation. */
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

/**
 * LossKind is the kind of content that a conversion did not carry over: a kind of part, a member, a message or tools.
 */
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

/** LossReason is the reason why a conversion did not carry something over unchanged. Reasons are stable. */
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

/** LossInstead is the replacement for content that was not carried over. */
export type LossInstead = "nothing" | "text" | "unsigned" | "moved" | "changed" | "wrapped" | "user" | "system";

/** MarkerFault is the reason why a body was not put back although it was given. */
export type MarkerFault = "changed" | "respelled" | "corrupt";

/** DigestKind is the kind of content that a message written by a compaction replaces. */
export type DigestKind = "digest" | "branch" | "line" | "loop" | "file" | "count" | "turn" | "other";

/** SessionKind is the kind of a session file; docs/guides/sessions.md describes them. */
export type SessionKind =
  | "claude-code"
  | "cline"
  | "codex"
  | "copilot"
  | "gemini-cli"
  | "goose"
  | "letta"
  | "librechat"
  | "open-webui"
  | "llamaindex"
  | "opencode"
  | "openhands"
  | "pi"
  | "roo-code"
  | "semantic-kernel";

/** SkipReason is the reason why an entry of a session file is not among its messages. */
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

/** FailureClass is the reason why a model call failed. */
export type FailureClass =
  "none" | "context_overflow" | "rate_limit" | "other_model" | "output_limit" | "payload_too_large" | "provider_error";

/** LimitMode determines which part of an oversized tool output stays. */
export type LimitMode = "head_tail" | "head";

/** JobOperation is the purpose of a job. */
export type JobOperation = "fit" | "plan";

/** EffectName is the name of an effect. */
export type EffectName =
  | "load"
  | "save"
  | "lease"
  | "release"
  | "put"
  | "ask"
  | "count"
  | "wait"
  | "begin"
  | "stop"
  | "emit"
  | "enter"
  | "before"
  | "cancel";

/** RecordKeys is how records are looked up. */
export type RecordKeys = "prefix" | "owner";

/** TurnMoment is when a turn takes place. */
export type TurnMoment = "after" | "before" | "call" | "forced" | "background";

/** NoticeName is the name of a notice. */
export type NoticeName = "summary_failed" | "records_failed" | "lease_lost" | "background_failed";

/** Trigger is the reason why a compaction of a conversation begins. */
export type Trigger = "auto" | "background" | "cold" | "manual" | "context_limit_recovery";

/** FailureCode names a kind of failure of a job. Codes are stable. */
export type FailureCode = "cancelled" | "store_failed" | "memory_failed" | "not_overflow" | "still_overflow";

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
  | "needs_whole"
  | "unknown_function"
  | "unknown_op"
  | "internal"
  | "unknown_window"
  | "wrong_format"
  | "job_mismatch"
  | "unknown_effect";

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
  loop_start: {
    request: LoopStartRequest;
    answer: JobProgress;
  };
  loop_event: {
    request: LoopEventRequest;
    answer: JobProgress;
  };
  function: {
    request: FunctionRequest;
    answer: FunctionResult;
  };
}

/** Info is the result of the operation `info`: the version, the features and the limits of this module. */
export interface Info {
  /** "ctxfold" */
  name: string;
  /** semantic version */
  version: string;
  /** increases when a host written for the previous ABI would break */
  abi: number;
  /** the operations that this module has */
  ops: Operation[];
  /** the wire formats, in the order of their names */
  formats: FormatInfo[];
  /** the token estimators that a policy can name */
  estimators: Estimator[];
  /** the passes that a policy can name */
  passes: PassName[];
  /** names, defaults and descriptions of the same passes */
  pass_info: PassInfo[];
  /** functions of published systems, for the operation function; empty unless this is the full module */
  functions: FunctionName[];
  /** the presets that a policy can name */
  presets: PresetInfo[];
  /** the largest request that the module accepts */
  limits: Limits;
}

/** FormatInfo is the name of a wire format with a one-line description. */
export interface FormatInfo {
  /** the name that a policy gives as format */
  name: Format;
  /** one line, in Markdown */
  doc: string;
}

/** PassInfo describes a pass. */
export interface PassInfo {
  /** the name that a policy gives to select the pass */
  name: PassName;
  /** what the pass does, phrased to follow its name */
  doc: string;
  /** the members of the pass in a policy; empty if it has none */
  parameters: Parameter[];
  /** the texts that replace removed content; with an archive each names a handle */
  markers: string[];
  /** how the messages that it inserts begin */
  messages: string[];
  /** the numbers that the pass adds to the report; empty if there are none */
  counters: Counter[];
}

/** Parameter is a parameter of a pass, with its default. */
export interface Parameter {
  /** the name of the member */
  name: string;
  /** the value if a policy sets none */
  default: unknown;
  /** "" if the text of the previous parameter describes both */
  doc: string;
}

/** Counter is a number that a pass accumulates. The report has it as a member of this name, or in counts. */
export interface Counter {
  /** its key in the report */
  name: string;
  /** what is counted, for people */
  text: string;
}

/** PresetInfo is a preset with its policy. */
export interface PresetInfo {
  /** the name that a policy gives as preset */
  name: Preset;
  /** what the preset is for, in one line */
  doc: string;
  /** a Policy */
  policy: Policy;
}

/** Policy determines when and how a transcript is compacted. Zero values mean "as in the preset". */
export interface Policy {
  /** preset is the name of the preset that the policy starts from; "" means "default". */
  preset?: Preset;
  /** format is the wire format of the transcript; "" and "auto" let detection decide. */
  format?: Format | "auto";
  /**
   * model is the name of the model that the transcript is for. It selects the tokenizer family and, without
   * window.tokens, the window.
   */
  model?: string;
  /** estimator is the name of a token estimator. Default: "script". */
  estimator?: Estimator;
  window?: PolicyWindow;
  gate?: PolicyGate;
  passes?: readonly Pass[];
  summary?: PolicySummary;
  /** pins select messages that never change, in addition to system messages and the newest user message. */
  pins?: readonly Pin[];
  /**
   * wire_safe keeps results valid for the provider. It is on unless set to false. False reproduces a published system
   * exactly, including its defects.
   */
  wire_safe?: boolean;
  /**
   * last_resort cuts a result that is still over the limit after the passes: tool results first, pinned messages last.
   * It is on unless set to false, and requires wire_safe.
   */
  last_resort?: boolean;
  /**
   * open_calls is "keep" (the default: tool calls at the end that have no result are left for the host to answer) or
   * "answer" (they count as violations, and repair adds a result saying that there is none).
   */
  open_calls?: OpenCalls;
  /**
   * thinking is how the model is asked to think: "manual" (with a budget), "adaptive", "drop_block" (adaptive, and the
   * request makes the provider drop blocks that no longer fit), "off", or "auto" (the default: determined by the
   * request body or the model's name).
   */
  thinking?: "manual" | "adaptive" | "drop_block" | "off" | "auto";
  /**
   * repair is "refused" (the default: repairs what a provider refuses, and keeps what it tolerates) or "all" (also
   * repairs what it tolerates).
   */
  repair?: "refused" | "all";
  /**
   * max_bytes is the maximum size of the message list as JSON, in bytes, whatever its size in tokens; 0 means
   * unlimited. Above it, images, audio and files are replaced with placeholders, the oldest first.
   */
  max_bytes?: number;
  /** prices are the model's prices, which the report uses to calculate the effect on the prompt cache. */
  prices?: PolicyPrices;
  /** log adds to the report what happened to each message. */
  log?: boolean;
  /**
   * archive is "" (the default: removed content is lost), "places" (the response lists the handle of each removed body
   * and its byte ranges in the request, and markers name the handles) or "bodies" (the response contains the bodies
   * instead of their byte ranges).
   */
  archive?: Archive;
}

/** Window is the size of the model's context. */
export interface PolicyWindow {
  /**
   * tokens is the context window in tokens. 0 means the window of Model; if that is unknown too and the policy sets no
   * other limit, compactions fail with the code unknown_window.
   */
  tokens?: number;
  /**
   * unlimited means that there is no limit in tokens: compaction is only due for other reasons, or when it is forced.
   * It overrides Tokens and the window of Model.
   */
  unlimited?: boolean;
  /**
   * reserve is the number of tokens of the window that stay free for the model's output. The default is that of the
   * model if its window is used and its provider reserves a part of it, otherwise 16384, or an eighth of the window if
   * that is less.
   */
  reserve?: number;
}

/** Gate decides whether compaction is due, which it is when the estimate exceeds (window − reserve) × ratio. */
export interface PolicyGate {
  /** ratio is the share of the usable window above which compaction is due, over 0 and up to 1. Default: 0.8. */
  ratio?: number;
  /**
   * target is the share of the limit that a compaction aims for, over 0 and up to 1. The room between the target and
   * the limit determines how many turns pass before the next compaction. Default: 0.6.
   */
  target?: number;
  /**
   * start is the share of the limit above which a compaction starts in the background, while the conversation
   * continues: over Target and below 1. 0, the default, means never.
   */
  start?: number;
  /**
   * notice is a text that tells the model that a compaction will come soon, so that it can write down what it will
   * need. Reports contain it once between two compactions, and the host appends it. "" (the default) means no notice.
   */
  notice?: string;
  /**
   * notice_at is the share of the limit (or of gate.start, if that is set) above which reports contain the notice, over
   * 0 and up to 1; 0 means 0.9.
   */
  notice_at?: number;
  /**
   * idle is the lifetime of the provider's prompt cache in seconds, up to 1,000,000,000. A conversation that has been
   * idle for longer, or whose cache is cold for another reason, is compacted even below the limit. 0, the default,
   * means never.
   */
  idle?: number;
  /**
   * cold is the share of the limit above which a conversation with a cold cache is compacted, over 0 and up to 1; 0
   * means one half. It requires Idle.
   */
  cold?: number;
  /**
   * min_gain is the share of the limit that a compaction must free, from 0 to 1; a compaction that would free less is
   * not made. Default: 0.02.
   */
  min_gain?: number;
  /** inclusive makes compaction due at the limit itself, not only above it. */
  inclusive?: boolean;
  /** min_messages is the minimum number of messages for the passes to run; with fewer, only the last resort does. */
  min_messages?: number;
  /** max_tokens is the limit in tokens if the window is unknown or the reserve takes all of it; 0 means no limit. */
  max_tokens?: number;
  /**
   * max_messages is the number of messages at which compaction is due if there is no limit in tokens; 0 means never.
   */
  max_messages?: number;
  /**
   * max_tool_results is the number of tool results that are neither cleared nor summarized above which compaction is
   * due; 0 means never.
   */
  max_tool_results?: number;
  /**
   * usage makes ctxfold use the provider's counts (usage in native messages) and estimate only the messages after them.
   */
  usage?: boolean;
}

/**
 * archive replaces old tool results with short summaries, written by the host's model or excerpted by code. Calls, ids
 * and order stay.
 */
export interface ArchivePass {
  pass: "archive";
  /** keep_recent is the number of newest tool results that stay; 0 turns the pass off. Default: 10. */
  keep_recent?: number;
  /**
   * mode is who writes the summaries: "model" (the host is asked, unless the policy's summary.mode is "local") or
   * "local" (excerpts). Default: "model".
   */
  mode?: "model" | "local";
  /** min_tokens is the minimum size of a result to be summarized, in tokens. Default: 400. */
  min_tokens?: number;
  /**
   * max_requests is the maximum number of summaries that the model is asked for in one compaction, for the newest
   * results; other results become excerpts. Default: 8.
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
  /** batch is the number of results that one summary covers; 0 and 1 mean one summary per result. Default: 0. */
  batch?: number;
  /**
   * max_batches is the maximum number of batches that are summarized in one compaction, the oldest results first; 0
   * means no limit. Default: 0.
   */
  max_batches?: number;
  /** tools are the tools whose results may be archived; empty means all. Results of exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/**
 * clear replaces the contents of old tool results with a marker. The newest results stay; calls, ids and order stay.
 */
export interface ClearPass {
  pass: "clear";
  /** keep_recent is the number of newest tool results that stay; at least 1. Default: 6. */
  keep_recent?: number;
  /**
   * min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is cleared, because
   * every clearing invalidates the prompt cache. Default: 0.
   */
  min_reclaim?: number;
  /**
   * excerpt is the maximum number of tokens of a result that stay after the marker: the lines with names, numbers and
   * errors that later messages repeat, as far as the target leaves room. Lines that say the most get the room that is
   * left, and then the newest results come back as a whole, as far as keep_tokens of the fold allows. A result that
   * frees no more than that stays whole if the target is reached without it. Default: 0.
   */
  excerpt?: number;
  /**
   * tools are the tools whose results may be cleared; empty means all tools. Names are compared without case, _ and -.
   */
  tools?: readonly string[];
  /** exclude_tools are tools whose results are never cleared. */
  exclude_tools?: readonly string[];
}

/** collapse replaces each older assistant message and its tool results with one line. User messages stay. */
export interface CollapsePass {
  pass: "collapse";
  /** keep_recent is the number of newest messages that stay as they are. Default: 10. */
  keep_recent?: number;
  /**
   * max_text is the maximum length of an assistant text in the line, in bytes; longer texts are left out. Default: 200.
   */
  max_text?: number;
}

/**
 * dedupe removes tool results that a newer one repeats: results of one tool that are equal byte for byte, and results
 * of an identical call (same tool, same arguments) that has returned something else since. The newest one stays.
 */
export interface DedupePass {
  pass: "dedupe";
  /** min_tokens is the minimum that removing a result must save, in tokens. Default: 50. */
  min_tokens?: number;
  /**
   * min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is removed. Default:
   * 0.
   */
  min_reclaim?: number;
  /**
   * superseded says which results are removed when an identical call has returned something else since: "reads" (the
   * default: those of tools that read a file), "all" or "none". Default: "reads".
   */
  superseded?: "reads" | "all" | "none";
  /** exclude_tools are tools whose results always stay. */
  exclude_tools?: readonly string[];
}

/**
 * drop removes the middle of the transcript: the first and the newest messages stay. If that is not enough, or if there
 * is no middle, it continues as fit does.
 */
export interface DropPass {
  pass: "drop";
  /** keep_first and keep_recent are the numbers of messages that stay at the beginning and at the end. Default: 2. */
  keep_first?: number;
  /** Default: 10. */
  keep_recent?: number;
}

/** fit keeps the newest messages that fit in the target, and drops everything before them. */
export interface FitPass {
  pass: "fit";
}

/** fold replaces the older messages with one digest. Pinned messages and a tail of the newest messages stay. */
export interface FoldPass {
  pass: "fold";
  /**
   * keep_tokens is the maximum size of the tail, in tokens. With wire_safe it is at most half of the target. Default:
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
   * keep_last keeps the last group even if it is larger than the tail may be; otherwise nothing is folded in that case.
   * Default: true.
   */
  keep_last?: boolean;
  /**
   * keep_messages is the number of newest messages in the tail where boundary is "backward", or "message" and
   * keep_tokens is 0. Default: 10.
   */
  keep_messages?: number;
  /**
   * min_messages is the minimum number of messages to fold; if there are fewer, none are folded; digests and restored
   * files do not count. Default: 1.
   */
  min_messages?: number;
  /**
   * force_turn makes the newest turn of the user the tail of a compaction that is forced, whatever keep_tokens says.
   * Default: false.
   */
  force_turn?: boolean;
}

/** reasoning removes reasoning from assistant messages, in whole parts. */
export interface ReasoningPass {
  pass: "reasoning";
  /**
   * mode is "latest_turn" (the default: reasoning stays only after the newest user message), "strip" (all reasoning is
   * removed) or "keep" (all reasoning stays). Default: "latest_turn".
   */
  mode?: "latest_turn" | "strip" | "keep";
}

/**
 * rehydrate restores the files that were read last and whose content a fold removed, each as a user message after the
 * digest, the newest last.
 */
export interface RehydratePass {
  pass: "rehydrate";
  /** max_files is the maximum number of files to restore. Default: 5. */
  max_files?: number;
  /** tokens is the maximum size of all restored files together, in tokens. Default: 8000. */
  tokens?: number;
  /**
   * tool is the only tool whose results are files, compared without case, _ and -; "" is every tool that is known to
   * read one.
   */
  tool?: string;
  /**
   * always_newest restores the file read last even if it alone takes more than tokens, as long as the target has room
   * for it. Default: false.
   */
  always_newest?: boolean;
  /** shrink_messages keeps the number of messages below the number before the fold. Default: false. */
  shrink_messages?: boolean;
}

/**
 * squeeze rewrites old tool results in fewer tokens without losing information, except for the middle of long lists of
 * progress lines and of long logs that the model has read, the lines around hits of long searches, and repeated
 * reminders of a harness. The original goes to the archive. A later pass that removes a squeezed result archives the
 * original.
 */
export interface SqueezePass {
  pass: "squeeze";
  /**
   * keep_recent is the number of newest tool results that stay as they are, unless they have a terminal's escape codes,
   * long lists of progress lines, or reminders that are repeated later. Default: 2.
   */
  keep_recent?: number;
  /**
   * min_tokens is the minimum by which a result must shrink, in tokens, including the line that says how it was
   * shortened. Default: 16.
   */
  min_tokens?: number;
  /**
   * min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is squeezed, because
   * each change invalidates the prompt cache. Default: 0.
   */
  min_reclaim?: number;
  /** tools are the tools whose results may be squeezed; empty means all. Results of exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/**
 * tool_digest clears old tool results in the tail that a fold left, and describes each in one line of the digest.
 * Without a fold before it in the policy, it replaces the results with these lines.
 */
export interface ToolDigestPass {
  pass: "tool_digest";
  /** keep_recent is the number of newest tool results that stay; 0 turns the pass off. Default: 10. */
  keep_recent?: number;
  /** tools are the tools whose results may be cleared; empty means all. Results of exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/**
 * truncate shortens long tool results to their first and last lines. Each text of a result is shortened separately;
 * images and other content stay.
 */
export interface TruncatePass {
  pass: "truncate";
  /**
   * max_lines is the maximum number of lines of a text that stay; with wire_safe this includes the marker's line.
   * Default: 50.
   */
  max_lines?: number;
  /** tools are the tools whose results may be truncated; empty means all. Results of exclude_tools never are. */
  tools?: readonly string[];
  exclude_tools?: readonly string[];
}

/** Summary configures how digests are made. */
export interface PolicySummary {
  /**
   * mode is "model" (the default: the host's model writes the digest), "local" (code writes it) or "minimal" (the
   * digest only counts the removed messages). Default: "model".
   */
  mode?: SummaryMode;
  /**
   * request is the form of requests to the model: "flat" (a prompt with a record of the messages), "prefix" (appended
   * to the conversation, whose start is in the provider's prompt cache, whenever that fits) or "auto" (the default:
   * appended if that is cheaper according to Prices and fits into the window, otherwise flat). Only hosts that can
   * append requests get them.
   */
  request?: "flat" | "prefix" | "auto";
  /** max_output_tokens is the maximum size of a model's digest, in tokens. Default: 4096. */
  max_output_tokens?: number;
  /** max_input_tokens is the maximum size of a request to the model, in tokens; 0 means unlimited. */
  max_input_tokens?: number;
  /**
   * provider uses the provider's own compaction if there is one, and the model only if that fails. The requests tell
   * the host how to call it.
   */
  provider?: boolean;
  /** retries is the maximum number of times that the model is asked again after a rejected summary. Default: 1. */
  retries?: number;
  /**
   * split is the way to summarize a record that is too long for one request: "map" (the default: one request per part,
   * in parallel, and one that merges their digests) or "chain" (part by part, each with the digest so far).
   */
  split?: "map" | "chain";
  /**
   * standing is the share of the target reserved for the user's standing instructions, from 0 (no such block) to 1.
   * They may also use room that the target leaves free. The default is 0.2; in a chat's digest that is written without
   * a model, rules and preferences may then take half of the digest.
   */
  standing?: number;
  /**
   * project_instructions is the share of the window, from 0 to 1, that may be taken up by project instructions in the
   * message list, such as AGENTS.md, CLAUDE.md or a skill. Their messages stay when others are folded; at 0 they are
   * folded like the others. The default is 0.15, or 0 for published systems.
   */
  project_instructions?: number;
  /**
   * room limits a digest written without a model: it may grow until the result reaches this fraction of the target. At
   * 0 it is no larger than a model's digest would be; at 1, the default, it may use the whole target.
   */
  room?: number;
  /** instructions are added to the prompt, for example to say what to pay attention to. */
  instructions?: string;
  /**
   * style is the name of the published system (its preset) whose layout is used for requests and digests; "" means
   * ctxfold's own layout.
   */
  style?: Style;
  /** prompt replaces the style's own instructions to the model. It requires a style. */
  prompt?: string;
  /**
   * scope is the kind of transcript: "session" (the default) or "branch", an abandoned path of the conversation, which
   * is folded as a whole.
   */
  scope?: "session" | "branch";
  /**
   * on_failure is what to do if the host has no summary: "local" (the default: use the local digest), "keep" (leave the
   * transcript unchanged) or "error" (fail; with wire_safe this means "local").
   */
  on_failure?: "local" | "keep" | "error";
}

/** Pin selects messages by one or more features. A message that has all of them is pinned. */
export interface Pin {
  /** system, user, assistant or tool */
  role?: Role;
  /** index in the list; negative counts from the end */
  index?: number;
  /** id of a tool call or result in the message */
  id?: string;
  /** a text in the message, spelled as in its JSON */
  contains?: string;
}

/** Prices are per million tokens, in any currency. Cache prices default to Input. */
export interface PolicyPrices {
  /** the price of input that is not read from the cache */
  input?: number;
  /** the price of what the model writes */
  output?: number;
  /** the price of input that is read from the cache; by default, that of other input */
  cache_read?: number;
  /** the price of input that is written to the cache; by default, that of other input */
  cache_write?: number;
}

/** Limits are the limits of a request. */
export interface Limits {
  /** maximum size of a request */
  bytes: number;
  /** maximum number of nested objects and arrays */
  depth: number;
}

/** A request of the operation detect. */
export interface DetectRequest {
  policy?: Policy;
  messages?: unknown;
  session?: number;
}

/** Detection is the result of the operation `detect`. */
export interface Detection {
  /** the most likely, or "" if no candidate reaches a confidence of 0.75 */
  format: Format | "";
  /** confidence in Format, from 0 to 1 */
  confidence: number;
  /** the most likely first */
  candidates: Candidate[];
  /** shape describes the messages if no format can read them; the only candidate is then the nearest format. */
  shape?: string;
}

/** Candidate is a format that a transcript may be in. */
export interface Candidate {
  /** the wire format */
  format: Format;
  /** from 0 to 1; those of all candidates add up to 1, or to less if no format fits well */
  confidence: number;
  /** roles, keys or types that only this format has */
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
 * Options are the settings of one call. The policy belongs to the conversation; options belong to the host, so that it
 * never has to edit its user's policy. Zero values mean "as the policy says".
 */
export interface Options {
  /** force compacts even if compaction isn't due. */
  force?: boolean;
  /** answer is the form in which the transcript is returned; absent means as messages. */
  answer?: Answer;
  /** archive determines whether and how removed content is archived. It overrides the policy. */
  archive?: Archive;
  /** open_calls determines how tool calls at the end that have no result are handled. It overrides the policy. */
  open_calls?: OpenCalls;
  /** summary configures the digest that this call writes. */
  summary?: SummaryOptions;
  /** usage is the provider's count for the last call. */
  usage?: Counted;
  /**
   * window is the context window of the model in use, in tokens. It applies if it is smaller than the policy's window,
   * or the policy has none.
   */
  window?: number;
  /** no_reserve reserves no part of the window for the model's output. */
  no_reserve?: boolean;
  /** format is the wire format of the transcript. It applies if the policy doesn't set one. */
  format?: Format;
  /** only_known makes fit apply the compactions that it remembers without making a new one. */
  only_known?: boolean;
  /** model is the name of the model that the transcript is for. It applies if the policy doesn't set one. */
  model?: string;
  /**
   * background compacts above the policy's `gate.start` while the conversation continues; `check` and `fit` report when
   * to start. If the model returns no summary, the transcript stays unchanged.
   */
  background?: boolean;
  /**
   * tried is the size of the transcript, in tokens, at the last background compaction that failed. No new one is
   * started until the transcript has grown.
   */
  tried?: number;
  /**
   * idle is the time that the conversation has been idle, in seconds from 0 to 1,000,000,000: the time since its last
   * model call. From the policy's `gate.idle` on, the provider's prompt cache counts as cold.
   */
  idle?: number;
  /**
   * cold is the reason why the provider's prompt cache no longer holds the conversation, regardless of Idle. It applies
   * only if the policy has `gate.idle`.
   */
  cold?: Cold;
  /** redact lists texts that summarizers, digests, the ledger and the archive must not see. */
  redact?: Redact;
  /** score rates individual calls and messages by how much they matter to the host. */
  score?: Score;
}

/** SummaryOptions configure the digest that one call writes. */
export interface SummaryOptions {
  /** mode determines who writes the digest. It overrides the policy. */
  mode?: SummaryMode;
  /**
   * prefix reports whether the host can append requests to the conversation, if the policy's summary.request asks for
   * that.
   */
  prefix?: boolean;
  /** text is a finished summary. If it is set, the model isn't asked. */
  text?: string;
}

/** Counted is a provider's token count for the call that ended with a given message, as open returns it. */
export interface Counted {
  /** index of the message; negative counts from the end */
  message: number;
  /** input that was neither read from nor written to a prompt cache */
  input_tokens?: number;
  /** input read from a prompt cache */
  cache_read_tokens?: number;
  /** input written to a prompt cache */
  cache_write_tokens?: number;
  /** output */
  output_tokens?: number;
  /** total_tokens is the sum of the other counts. If it is 0, they are added up. */
  total_tokens?: number;
  /**
   * least_tokens is the smallest count of any call of the same conversation: an upper bound for the system prompt and
   * the tools. 0 means unknown.
   */
  least_tokens?: number;
  /** exact means that a tokenizer counted these messages. Such a count is always used, even after a compaction. */
  exact?: boolean;
}

/** Redact lists texts to replace in everything that a compaction writes. Messages that stay are unchanged. */
export interface Redact {
  /** the texts, in any order */
  texts: Redaction[];
}

/** Redaction is a text that a placeholder replaces wherever it occurs in a message. */
export interface Redaction {
  /** text is the text to replace. It has at least 4 bytes if Whole is false. */
  text: string;
  /**
   * placeholder replaces the text and has at most 100 bytes. If it is absent, the placeholder is [REDACTED:n], where n
   * numbers the texts of the conversation; a text keeps its number.
   */
  placeholder?: string;
  /** whole replaces the text only where a string in a message consists of nothing else. */
  whole?: boolean;
  /**
   * failed reports that the host's function failed on this text, so the text is replaced unchecked. The report counts
   * it.
   */
  failed?: boolean;
}

/**
 * Score rates calls and messages by how much they matter, on a numeric scale of the host's own; anything it doesn't
 * name scores 0. Items below 0 are removed first, the lowest before the others, until the target is reached: tool
 * results are cleared, and texts of the assistant are cut. Items above 0 stay as if pinned, the highest first, as long
 * as they take at most a quarter of the target. The user's messages, system messages, pins and open calls always stay.
 */
export interface Score {
  /** scores of tool calls; of several scores for one call, the last counts */
  calls?: CallScore[];
  /** scores of messages; of several scores for one message, the last counts */
  messages?: MessageScore[];
}

/** CallScore is the score for a tool call and its result. */
export interface CallScore {
  /** the id of the call */
  id: string;
  /** a host's number; low ones go first */
  score: number;
}

/**
 * MessageScore is the score for a message: for its texts, and for those tool results in it that have no score of their
 * own.
 */
export interface MessageScore {
  /** index in the list */
  message: number;
  /** a host's number; low ones go first */
  score: number;
}

/**
 * State is the data that a host stores with the conversation from one compaction to the next. Hosts don't change it.
 */
export interface State {
  /** number of compactions so far */
  round: number;
  /** the facts that earlier compactions extracted */
  ledger: Ledger;
  /**
   * format is the wire format of the conversation. It is stored because the messages left by a compaction may no longer
   * reveal it.
   */
  format?: Format;
  /**
   * Messages, Fingerprint and Limit describe the result of the last compaction and the token limit that it was made
   * for. While the transcript is exactly that result and the limit is no smaller, no compaction is due.
   */
  messages?: number;
  fingerprint?: string;
  limit?: number;
  /**
   * own lists the messages of that result that compactions wrote, as hashes of role and text. No other message counts
   * as a digest.
   */
  own?: string[];
  /** archive is the handle of the last compaction's changes, where restore starts; absent without an archive. */
  archive?: string;
  /**
   * respelled is the handle of the newest changes that were applied to a history whose tool calls are written
   * differently, as in another branch. Restore puts back the calls that were compacted, and says so.
   */
  respelled?: string;
  /** redacted lists hashes of the texts that were replaced, in the order of the numbers in their placeholders. */
  redacted?: string[];
  /** attempts prevents loops of compactions that don't help. */
  attempts?: Attempts;
  /** streak counts compactions that follow each other closely. */
  streak?: Streak;
  /** calibration compares estimates with the provider's counts. */
  calibration?: Calibration;
}

/**
 * Ledger holds facts about folded messages that are extracted by code, not by a model. The state carries it from one
 * compaction to the next. Every digest contains it, so it can also be read back from a digest. All lists start with the
 * oldest entry; a modified file is not listed as read.
 */
export interface Ledger {
  /** the user's first request */
  task?: string;
  /** later requests of the user */
  requests?: string[];
  /** standing lists the user's statements about how to work: rules, constraints and preferences, one sentence each. */
  standing?: string[];
  /** files */
  read?: string[];
  /** files */
  modified?: string[];
  /** commands that were run */
  commands?: LedgerCommand[];
  /** tool calls that failed and have not succeeded since */
  errors?: LedgerFailure[];
  /**
   * running is work that is still going on according to the folded messages: shells and agents in the background,
   * timers, pending approvals.
   */
  running?: LedgerRunning[];
  /**
   * unloaded lists tools whose definitions came from tool searches that were folded. Calls to these tools fail until a
   * new search loads them again.
   */
  unloaded?: string[];
}

/** LedgerCommand is a command that the agent or the user ran. */
export interface LedgerCommand {
  /** the command, shortened if it is long */
  command: string;
  /** exit code; "failed" if only the failure is known, absent if the outcome is unknown */
  exit?: string;
}

/** LedgerFailure is a failed tool call. */
export interface LedgerFailure {
  /** the name of the tool */
  tool: string;
  /** the file or the command */
  on?: string;
  /** the line of the result that says what failed; absent if none does */
  text?: string;
}

/** LedgerRunning is work that continues after its tool call has returned. */
export interface LedgerRunning {
  /** shell, agent, timer, approval or task */
  kind: string;
  /** the id that the tool gave it; for a timer, its time */
  id: string;
  /** the command, or the call's description of the work */
  about?: string;
  /** the file that its output goes to */
  output?: string;
}

/**
 * Attempts records compactions that didn't help, so that a conversation that can't shrink isn't compacted again, with
 * another call of the model, on every turn.
 */
export interface Attempts {
  /** failed is the number of consecutive compactions that freed nothing, or left the transcript over its limit. */
  failed?: number;
  /** last_gain is the number of tokens that the last compaction freed, and Tokens the size of its result. */
  last_gain?: number;
  tokens?: number;
}

/**
 * Streak counts compactions that follow each other closely: with at most one new user message between two of them or,
 * if there was none, at most two new assistant messages.
 */
export interface Streak {
  /** number of compactions in a row */
  compactions: number;
  /** user and Assistant are the numbers of user and assistant messages in the last input. */
  user: number;
  assistant: number;
}

/**
 * Calibration holds pairs of an estimate and the provider's count, the newest last. The counts include what a call
 * sends besides the transcript (system prompt, tools); the estimates don't.
 */
export interface Calibration {
  /**
   * estimator is the name of the estimator that made these estimates, with its family. Other estimators ignore the
   * calibration.
   */
  estimator: string;
  /** tokens */
  estimated?: number[];
  /** tokens */
  counted?: number[];
  /**
   * least is the lowest of the counts that were removed to limit the number of pairs: what every call sends besides the
   * transcript can't be more. 0 means that none was removed. tokens
   */
  least?: number;
}

/** Estimate is the result of the operation `estimate`: the size of a transcript or a text, in tokens. */
export interface Estimate {
  /** the estimated size */
  tokens: number;
  /** where the number of tokens comes from */
  source: TokenSource;
  /** error bound in percent: nine of ten estimates are closer */
  bound: number;
  /** the estimator that was used */
  estimator: Estimator;
  /** family of tokenizers that the estimate is for; only with the estimator script */
  family?: Family;
  /** wire format of a transcript */
  format?: Format;
  /** tokens of each message */
  messages?: number[];
  /** tokens of the system prompt and tools of a request body, and of unseen content that usage has revealed */
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

/** Check is the result of the operation `check`: whether compaction is due. */
export interface Check {
  /** whether the transcript should be compacted now */
  due: boolean;
  /**
   * start asks the host to begin a compaction in the background (option background): it isn't due yet, but the size is
   * over gate.start.
   */
  start?: boolean;
  /**
   * notice is the policy's gate.notice, set if a compaction will come soon and the model has not been told yet. The
   * host appends it to the conversation as a user message before it calls the model.
   */
  notice?: string;
  /** cold is the reason why the prompt cache is cold, if compaction is due only because of that. */
  cold?: Cold;
  /** over_limit, over_bytes, cold, under_budget or unlimited */
  reason: Reason;
  /** the size of the transcript */
  tokens: number;
  /** where the number of tokens comes from */
  source: TokenSource;
  /** error bound in percent: nine of ten estimates are closer */
  bound: number;
  /** compaction is due above this number of tokens */
  limit: number;
  /** context window, in tokens; 0 if it is unknown */
  window: number;
  /** tokens / window; 0 if the window is unknown */
  ratio: number;
  /** the number of messages */
  messages: number;
  /** the wire format of the messages */
  format: Format;
  /** the estimator that was used */
  estimator: Estimator;
  /** state is the request's State, updated with its usage. Absent if the request has no usage. */
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
 * Planned is the result of the operations plan, step and fit. While summaries are pending, it has Plan and Requests;
 * when the compaction is done, it has State and the transcript.
 */
export interface Planned {
  /** a Plan, for the next step */
  plan?: Plan;
  /** independent requests for the host's model */
  requests?: SummaryRequest[];
  /** what the compaction did, or why it did nothing */
  report: Report;
  /** a State, for the next compaction */
  state?: State;
  /**
   * archive lists the removed bodies, if the policy or the options ask for it. The host must store them before it uses
   * the result.
   */
  archive?: Body[];
  /**
   * start asks the host to begin a compaction in the background (option background): it isn't due yet, but the size is
   * over gate.start.
   */
  start?: boolean;
  /** known is the index of the memory entry that fit applied, or -1. Only fit sets it. */
  known?: number;
  /**
   * known_messages is the number of leading messages of the history that the entry replaced; absent if the list
   * continues from sent messages. Only fit sets it.
   */
  known_messages?: number;
  /** memory is a MemoryEntry for the host to keep, if fit compacted. */
  memory?: MemoryEntry;
}

/**
 * Plan is the state of a compaction between plan and step, and between two steps. It is data: it can be shown, stored,
 * and continued on another machine. It identifies the transcript by the number of its messages and a fingerprint;
 * messages may be appended in the meantime. Hosts don't change it.
 */
export interface Plan {
  /** version of the ABI */
  version: number;
  /** number of messages for which the plan was made */
  messages: number;
  /** fingerprint of those messages */
  fingerprint: string;
  /** the wire format of the transcript */
  format: Format;
  /** model is the model named by the result of open, if the policy doesn't name one. */
  model?: string;
  /** the Policy as it was sent */
  policy: Policy;
  /** options are the options with which the plan was made, without the usage, which Correction replaces. */
  options?: Options;
  /** the State that the request had; zero without one */
  state: State;
  /** the summaries that earlier steps received */
  replies?: Summary[];
  /** asked lists the ids of the pending requests. A request that the next step doesn't answer counts as failed. */
  asked?: string[];
  /** fit reports whether the plan was made by fit: its steps need the same memory. */
  fit?: boolean;
  /**
   * changing reports whether the text of the first message changes between requests, so that the compaction keeps it.
   */
  changing?: boolean;
  /** correction adjusts the estimates to the provider's count. */
  correction?: Correction;
}

/** Summary is the model's response to a request, or an error. */
export interface Summary {
  /** the id of the request */
  id: string;
  /** the summary; absent if there is an error, or messages */
  text?: string;
  /**
   * messages are the provider's result for a request with `provider`: a list of messages of its format, which go into
   * the result unchanged. The `output` of OpenAI is such a list; Anthropic's `content` belongs in one assistant
   * message.
   */
  messages?: object[];
  /** finish_reason is the reason why the model stopped, in any provider's terms. */
  finish_reason?: string;
  /** error is the reason why there is no text. */
  error?: string;
  /** whether the host has shown the text while it was streamed */
  stream?: boolean;
  /** usage is the provider's count for the request. */
  usage?: CallUsage;
}

/**
 * CallUsage is a provider's count for model calls, in tokens. InputTokens exclude tokens read from or written to a
 * prompt cache.
 */
export interface CallUsage {
  /** input, without the two kinds below */
  input_tokens: number;
  /** input read from a prompt cache */
  cache_read_tokens: number;
  /** input written to a prompt cache */
  cache_write_tokens: number;
  /** output */
  output_tokens: number;
}

/** Correction adjusts the estimates of an estimator to a provider's counts. */
export interface Correction {
  /** factor of all estimates, in 1/65,536 */
  scale: number;
  /** tokens outside the transcript */
  fixed: number;
  /** where the counts come from */
  source: TokenSource;
  /** percent */
  bound: number;
}

/** SummaryRequest asks the host's model for a summary. */
export interface SummaryRequest {
  /** return it with the summary */
  id: string;
  /** which part of the conversation the summary covers */
  scope: Scope;
  /** the system prompt for the model */
  system: string;
  /** the user message for the model; it contains the fenced record of the session */
  prompt: string;
  /** maximum size of the summary, in tokens */
  max_output_tokens: number;
  /** estimate of `system` and `prompt`; never over `summary.max_input_tokens` */
  input_tokens: number;
  /** temperature is the temperature for the model; if it is absent, the host decides. */
  temperature?: number;
  /** thinking is the amount of thinking to ask of the model; if it is absent, the host decides. */
  thinking?: ThinkingEffort;
  /**
   * provider is a call of the provider's own compaction, if the policy has `summary.provider`. Its result is returned
   * as the `messages` of the Summary. System and Prompt are the fallback for the model.
   */
  provider?: ProviderRequest;
  /**
   * conversation is present if the request is appended to the conversation: the host repeats its last request with
   * these changes to the messages and the body, which already contain System and Prompt.
   */
  conversation?: RequestConversation;
  /** lead is text to show before a streamed summary. It is present only if two summaries are joined. */
  lead?: string;
}

/**
 * ProviderRequest is a call of a provider's own compaction. The host adds `model`, which should be the conversation's,
 * and `max_tokens` if the API requires it.
 */
export interface ProviderRequest {
  /** format of the API: anthropic or openai-responses */
  format: Format;
  /** path to POST to, relative to the address of the API: /v1/messages or /v1/responses/compact */
  path: string;
  /** the value of the header anthropic-beta */
  beta?: string;
  /** the request body, to which the host adds the members named above */
  body: object;
}

/**
 * RequestConversation is a request for a summary that is appended to the conversation. It starts with what the provider
 * was sent last, so the provider reads that from its prompt cache.
 */
export interface RequestConversation {
  /** edits that turn the input messages into the messages to send, with the instruction last */
  edits: Edit[];
  /**
   * body is a JSON Merge Patch (RFC 7396) for the request body outside its messages: the limit of the answer, no tool
   * calls, no streaming. A host that streams the answer sets that itself.
   */
  body: object;
}

/**
 * Report describes what an operation did to a transcript, or why it did nothing. All tokens are estimates by the
 * report's estimator.
 */
export interface Report {
  /** why the transcript was changed, or why it wasn't */
  reason: Reason;
  /** whether the transcript has changed */
  changed: boolean;
  /**
   * cold is the reason why the prompt cache is cold, if compaction is due only because of that and the transcript is
   * below the limit.
   */
  cold?: Cold;
  /**
   * fits reports whether the result is within the limit, or there is no limit. While summaries are pending, it reports
   * whether the content that can be neither folded nor cut fits.
   */
  fits: boolean;
  /**
   * over is by how many tokens the result exceeds the limit, and which messages take the most room. Absent if the
   * result fits.
   */
  over?: Excess;
  /** thrashing is present if compactions follow each other too closely. */
  thrashing?: Thrashing;
  /** the preset of the policy */
  preset: Preset;
  /** the wire format of the transcript */
  format: Format;
  /** the estimator of all token counts */
  estimator: Estimator;
  /** size of the transcript */
  tokens: ReportTokens;
  /** number of messages */
  messages: Count;
  /** tool results replaced with a marker */
  cleared: number;
  /** tool results rewritten in fewer tokens */
  squeezed?: number;
  /** texts whose middle was cut */
  truncated: number;
  /** messages replaced with the digest, or with a line per turn */
  folded: number;
  /** messages removed, leaving only their count */
  dropped: number;
  /** files put back after the digest */
  restored: number;
  /** violations of the input that were repaired */
  repaired: number;
  /** counts are counters of passes for which the report has no key. */
  counts?: PassCount[];
  /** stable_prefix is the unchanged start of the list. */
  stable_prefix: StablePrefix;
  /**
   * cut_point is the index in the input list of the first message of the tail that a fold kept; absent if nothing was
   * folded.
   */
  cut_point?: number;
  /** where the digest comes from */
  summary: ReportSummary;
  /** one per changed message */
  actions: Action[];
  /** if the policy has max_bytes */
  bytes?: ReportBytes;
  /**
   * cache is the effect on the provider's prompt cache; absent if nothing changes. While summaries are pending, it is a
   * forecast.
   */
  cache?: ReportCache;
  /** thinking is present if the transcript has signed thinking. */
  thinking?: ReportThinking;
  /**
   * left lists the violations in the returned messages that the provider would refuse and that no repair could fix, as
   * `validate` would list them. If the input is returned unchanged, it lists all of its refused violations. Nothing is
   * checked without wire_safe, or if no compaction was due.
   */
  left?: LeftViolation[];
  /**
   * running lists work that was started in folded messages and is still going on: shells and agents in the background,
   * timers, pending approvals. The digest lists it too.
   */
  running?: LedgerRunning[];
  /**
   * unloaded_tools lists tools whose definitions came from tool searches that were folded. Calls to these tools fail
   * until a new search loads them again.
   */
  unloaded_tools?: string[];
  /**
   * instructions is the number of messages that stay because they contain project instructions, and InstructionTokens
   * is their total size.
   */
  instructions?: number;
  instruction_tokens?: number;
  /**
   * refill breaks down what has filled the window since the last compaction, or since the beginning; absent if no
   * compaction is due.
   */
  refill?: Refill;
  /**
   * notice is the policy's gate.notice, set if a compaction will come soon and the model has not been told yet. The
   * host appends it to the conversation as a user message before it calls the model.
   */
  notice?: string;
  /**
   * redacted counts what the option redact replaced in the texts that the compaction read; absent if nothing was
   * replaced.
   */
  redacted?: ReportRedacted;
  /** decisions lists what happened to each message, if the policy asks for a log. */
  decisions?: Decision[];
}

/**
 * Excess describes by how much a result exceeds its limit, and which messages take the most room. All sizes are tokens.
 */
export interface Excess {
  /** tokens over the limit */
  limit: number;
  /** tokens over the window; 0 if the result fits into it, or the window is unknown */
  window: number;
  /** the largest first, at most five */
  causes: Cause[];
  /** for people: the numbers, the largest cause, and what to do about it */
  text: string;
}

/** Cause is a large message in a result that doesn't fit, and why it is still there. */
export interface Cause {
  /** message is an index in the input list, or -1 for anything outside it. */
  message: number;
  /** why it is still there */
  why: ExcessCause;
  /** size of the message in the result */
  tokens: number;
}

/** Thrashing reports that compactions follow each other too closely, with the likely cause. */
export interface Thrashing {
  /** in a row, including this one */
  compactions: number;
  /** the likely cause */
  cause: ThrashingCause;
  /** for people: the cause, and what to do about it */
  text: string;
}

/**
 * ReportTokens is the size of a transcript before and after a compaction, in tokens. While summaries are pending, After
 * excludes them.
 */
export interface ReportTokens {
  /** size of the input */
  before: number;
  /** size of the result; the same as Before if nothing changed */
  after: number;
  /** compaction is due above this size */
  limit: number;
  /** context window; 0 if it is unknown */
  window: number;
  /** source is where the token counts come from. */
  source: TokenSource;
  /** error bound in percent: nine of ten estimates are closer */
  bound: number;
}

/** Count holds the number of messages before and after a compaction. */
export interface Count {
  /** messages in the input */
  before: number;
  /** messages in the result */
  after: number;
}

/** PassCount is a counter of a pass for which the report has no key. */
export interface PassCount {
  /** name of the counter, as in PassInfo */
  name: string;
  /** its value */
  count: number;
}

/** StablePrefix is the unchanged start of the list, which a provider's prompt cache can still serve. */
export interface StablePrefix {
  /** number of unchanged messages */
  messages: number;
  /** bytes of the list that are unchanged, from its opening bracket */
  bytes: number;
  /** estimated size of those messages */
  tokens: number;
}

/** ReportSummary describes where the digest comes from, and why the model's summary was rejected. */
export interface ReportSummary {
  /** who wrote the digest; "none" if there is none */
  source: SummarySource;
  /** why the model's summary was rejected; absent if it wasn't */
  why?: SummaryFault;
  /**
   * error is the host's message about the first request that it could not answer, such as the text of the summarizer's
   * exception; at most 300 code points. Absent if the host gave none, or the model's summary was used.
   */
  error?: string;
  /**
   * score is the share of the folded messages' facts that the digest contains, from 0 to 1: paths, addresses,
   * identifiers, numbers and errors, as code finds them. Absent if no digest was written.
   */
  score?: number;
  /** request is the form in which the model was asked; absent if it wasn't, or the host can only send a record. */
  request?: SummaryShape;
  /** usage is the provider's count for all requests whose summaries had one. */
  usage?: CallUsage;
  /**
   * saved is how much a prompt cache reduced the cost of these requests at the policy's prices, in their currency;
   * negative if writing to the cache cost more. Absent without prices or usage.
   */
  saved?: number;
  /**
   * unfounded is the share of the paths, addresses and identifiers in the model's text that its input doesn't contain,
   * from 0 to 1: the model may have invented them. Absent if it is 0, or the model wrote nothing.
   */
  unfounded?: number;
}

/** Action is one change to a message, or to a run of messages. */
export interface Action {
  /** what was done */
  action: ActionName;
  /** what made the change */
  pass: Doer;
  /** message is an index in the input list, or -1 for a new message. */
  message: number;
  /** tokens is the number of tokens that the action saved; negative if it added some. */
  tokens: number;
  /** the tool of a changed result */
  tool?: string;
  /** the restored file */
  path?: string;
  /** the rule that a repair fixed */
  rule?: string;
}

/** ReportBytes is the size of the message list as JSON, in bytes. */
export interface ReportBytes {
  /** size of the input */
  before: number;
  /** size of the result */
  after: number;
  /** the policy's max_bytes */
  limit: number;
}

/**
 * ReportCache is the effect of a compaction on the provider's prompt cache. Reread and saved tokens are per later call;
 * turns are model calls.
 */
export interface ReportCache {
  /** index in the result's list */
  first_changed_message: number;
  /** offset in the result's list, from its opening bracket */
  first_changed_byte: number;
  /** tokens after the first change, which the cache doesn't have */
  reread_tokens: number;
  /** tokens that each later call saves */
  saved_tokens: number;
  /**
   * turns_to_pay is the number of calls after which the compaction has paid for itself at the policy's prices, or at
   * the list prices of its model. Its costs are rereading everything after the first change, and the summary. -1 means
   * never; absent without prices and for unknown models.
   */
  turns_to_pay?: number;
}

/** ReportThinking describes the changes to signed thinking in a result that has changed. */
export interface ReportThinking {
  /** how the model thinks */
  mode: ThinkingMode;
  /** how ctxfold determined the mode */
  source: ThinkingSource;
  /** kept is the number of signed parts in the result, and Stripped the number removed from messages that stay. */
  kept: number;
  stripped: number;
  /** closed is the number of messages of the open tool loop that were rewritten as text. */
  closed?: number;
}

/** LeftViolation is a violation in the returned messages that no repair could fix. */
export interface LeftViolation {
  /** its id in docs/guides/formats.md */
  rule: string;
  /** index in the list of the result */
  message: number;
  /** what is wrong, for people */
  text: string;
}

/**
 * Refill breaks down the size of the messages since the last compaction by kind, in tokens. The kinds add up to Tokens.
 */
export interface Refill {
  /** the number of messages, not tokens */
  messages: number;
  /** the total */
  tokens: number;
  /** the user's texts */
  user?: number;
  /** the assistant's texts */
  assistant?: number;
  /** thinking and reasoning of the assistant */
  reasoning?: number;
  /** names and arguments */
  tool_calls?: number;
  /** including media in the results */
  tool_results?: number;
  /** images, audio and files in other messages */
  media?: number;
  /**
   * other is the size of system messages, of content that only the provider can read, and of each message's overhead.
   */
  other?: number;
}

/** ReportRedacted counts what was replaced with placeholders. */
export interface ReportRedacted {
  /** number of different texts */
  texts: number;
  /** number of occurrences, including those in messages that stay */
  places: number;
  /** texts that were replaced because the host's function failed on them */
  failed?: number;
}

/** Decision describes the outcome for one message of the input. */
export interface Decision {
  /** index in the input list */
  message: number;
  /** decision is "kept", "pinned", or the last action on the message. */
  decision: DecisionName;
  /** the pass or step that decided */
  pass?: Doer;
  /**
   * rule is the rule that a repair fixed, or why the message is pinned: "system", "newest_user", "provider",
   * "instructions", "score" or "pins[n]".
   */
  rule?: string;
  /** tokens of the message */
  before: number;
  /** its tokens after the compaction; 0 if it was removed */
  after: number;
}

/** Body is content that was removed from the transcript. The host stores it. */
export interface Body {
  /** SHA-256 of the body, in 64 hexadecimal digits; markers name the first 16 */
  handle: string;
  /** the kind of the content */
  what: BodyKind;
  /**
   * message is the index in the input list of the message that contained the body. For a fold it is the index of the
   * first folded message; for changes, that of the first message that only the body contains, or -1.
   */
  message: number;
  /** the tool whose result this is */
  tool?: string;
  /** size of the body, in bytes */
  bytes: number;
  /** its estimated size in the transcript, in tokens */
  tokens: number;
  /**
   * places are the byte ranges of the body, [[from,to]], relative to the start of the request's messages. The body of a
   * fold, and of changes, is a JSON list: its elements are these ranges, and numbers and strings that are copied into
   * it unchanged.
   */
  places?: unknown[];
  /** body is the body itself as JSON, if the options ask for it or the request doesn't contain it. */
  body?: string;
}

/**
 * MemoryEntry is a host's record of a compaction by fit: how the messages at the beginning of a history were replaced.
 * Later messages don't matter, except those that the compaction changed individually. Hosts don't change an entry, but
 * may add members of their own.
 */
export interface MemoryEntry {
  /** version of this structure; entries of unknown versions are ignored */
  version: number;
  /** the wire format of the history */
  format: Format;
  /** number of history messages that the compaction covered, including those that it kept */
  messages: number;
  /** fingerprint of those messages */
  print: string;
  /**
   * later is their fingerprint without the text of the first message that isn't a system message. If that text changes,
   * the entry still applies, provided that it keeps the message.
   */
  later?: string;
  /** that text had changed before, so the compaction keeps the message */
  changing?: boolean;
  /** bytes that are sent of each text of that message, its beginning and its end; 0 if all of it */
  clip?: number;
  /** number of sent messages by which a program that continued from the result is recognized */
  sent_messages: number;
  /** fingerprint of those messages */
  sent: string;
  /**
   * edits produce the messages that are sent in place of the covered messages. Behind are the changes to individual
   * later messages; each applies as long as its message exists.
   */
  edits: MemoryEdit[];
  behind?: MemoryEdit[];
  /** points are longer beginnings of the history at the time of the compaction, longest first. */
  points?: MemoryPoint[];
  /** the newest message of the user was replaced too */
  newest?: boolean;
  /**
   * calls is the fingerprint of how the covered messages write their tool calls, which Print ignores: the text of
   * arguments or the order of their members, and ids.
   */
  calls?: string;
  /** the State after the compaction */
  state: State;
  /**
   * given is the same compaction relative to the list that the program passed, if that list continued from what had
   * been sent before.
   */
  given?: MemoryEntry;
}

/**
 * MemoryEdit is an Edit of a [MemoryEntry]. For messages after those that the entry replaced, it has either Set and
 * Message, or Drop, or Insert and Before. Indexes refer to the history at the time of the compaction.
 */
export interface MemoryEdit {
  /** [from, to]: the messages from the first index up to, but not including, the second */
  keep?: number[];
  /** a new message */
  insert?: unknown;
  /** index of a changed message */
  set?: number;
  /** the changed message */
  message?: unknown;
  /** index of a message that is omitted */
  drop?: number;
  /** index of the message before which the new one is inserted */
  before?: number;
  /** fingerprint of that message alone, which must match */
  print?: string;
  /** fingerprint of its bytes; if it differs, cache breakpoints may have moved */
  raw?: string;
  /** fingerprint of a later message, which must exist */
  on?: string;
  /** fingerprint of the message after which the new one is inserted */
  after?: string;
  /** fingerprint of how that message writes its tool calls, which must match too */
  calls?: string;
  /** instead of fingerprints: the role of the message before which the new one is inserted */
  role?: string;
}

/** MemoryPoint is a longer beginning of a compacted history, and the messages that were sent for it. */
export interface MemoryPoint {
  /** number of history messages in this beginning */
  messages: number;
  /** fingerprint of those messages */
  print: string;
  /** number of messages that were sent for them */
  sent_messages: number;
  /** fingerprint of the sent messages */
  sent: string;
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

/** Prints is the result of the operation `prints`. */
export interface Prints {
  /** the wire format of the messages */
  format: Format;
  /** fingerprints of the first one, two, … messages */
  prints: string[];
  /**
   * later are the same fingerprints, except that those that reach beyond the first message that isn't a system message
   * ignore the text of that message.
   */
  later: string[];
  /** model is the model that a request body or an answer of open names. */
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

/** Validation is the result of the operation `validate`: the rules of the wire format that a transcript breaks. */
export interface Validation {
  /** whether the provider would accept the transcript */
  valid: boolean;
  /** the wire format whose rules were checked */
  format: Format;
  /** the number of messages */
  messages: number;
  /** empty if there are none */
  violations: Violation[];
}

/** Violation is a rule that the transcript breaks. */
export interface Violation {
  /** its id in docs/guides/formats.md */
  rule: string;
  /** index in the list; -1 for anything outside it */
  message: number;
  /** path of the value, as in an Error */
  path: string;
  /** bytes from the start of the request */
  offset: number;
  /** what is wrong, for people */
  text: string;
  /** severity is how the provider reacts to the violation. */
  severity: Severity;
  /** how repair fixes it; tolerated violations only if the policy has `"repair":"all"` */
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

/** RepairedMessages is the result of the operation `repair`. */
export interface RepairedMessages {
  /** whether the provider would accept the result */
  valid: boolean;
  /** which violations were repaired */
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

/** Converted is the result of the operation `convert`. */
export interface Converted {
  /** the format of the input */
  from: Format;
  /** the format of the result */
  to: Format;
  /** valid reports whether the provider of the new format would accept the result. */
  valid: boolean;
  /** lost lists everything that was not carried over, or only in another form, in the order of the messages. */
  lost: Loss[];
  /** report lists the repairs of the result; its message indexes refer to the result. */
  report: Report;
  /**
   * system is the system prompt of a list of messages, if the new format keeps it outside the list: the value of the
   * request's member for it, in the shape of the format.
   */
  system?: unknown;
}

/** Loss is something that was not carried over into another wire format, or only in part. */
export interface Loss {
  /** index in the input list; -1 for anything outside it */
  message: number;
  /** path of the message or part */
  path: string;
  /** what was lost */
  kind: LossKind;
  /** why it was lost */
  reason: LossReason;
  /** what the result has in its place */
  instead: LossInstead;
  /**
   * detail names what was lost: a member's key, a type or a tool. For an id or name that was changed, it is the new
   * one.
   */
  detail?: string;
  /**
   * count is the number of messages or parts with metadata of this name; Message and Path locate the first. Absent if
   * it is one.
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

/** Kept is archived content that the host kept. */
export interface Kept {
  /** the handle, or at least its first 16 digits */
  handle: string;
  /** JSON */
  body: string;
}

/** RestoredMessages is the result of the operation `restore`. */
export interface RestoredMessages {
  /** which content was put back */
  report: Report;
  /** valid reports whether the result breaks no rule of its format. */
  valid: boolean;
  /**
   * markers lists the markers in the result that still name a handle, and changes of compactions that could not be
   * undone.
   */
  markers: Marker[];
  /** state is the State of the result, if the request had one. */
  state?: State;
}

/**
 * Marker is a place in a transcript that names the handle of removed content. Changes have no place: the state or
 * another body names their handle.
 */
export interface Marker {
  /** its first 16 digits; for changes all 64 */
  handle: string;
  /** what the content was */
  what: BodyKind;
  /** index in the result's list; -1 for changes */
  message: number;
  /** why is the reason why a given body was not put back. */
  why?: MarkerFault;
}

/** NamedHandles is the result of the operation `restore` if it is given bodies but no messages. */
export interface NamedHandles {
  /** the handles that the bodies name */
  handles: string[];
  /** the handles whose bodies don't match them */
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

/** Digests is the result of the operation `digests`. */
export interface Digests {
  /** the wire format of the messages */
  format: Format;
  /** in the order of the messages */
  digests: Digest[];
}

/** Digest is the content of a message that a compaction wrote. */
export interface Digest {
  /** index of the message */
  message: number;
  /** what the message replaces */
  kind: DigestKind;
  /**
   * own reports whether the message counts as written by a compaction: the state names it, or it has the role and the
   * position that the policy gives such messages. Otherwise it only looks like one; somebody may have repeated or
   * forged it.
   */
  own: boolean;
  /** number of compactions so far, if the message states it */
  round?: number;
  /** handle of the messages that it replaces, if they are archived */
  handle?: string;
  /** the digest's text, without its header, its handle and the lists that are kept in the ledger */
  text: string;
  /**
   * sections are the parts of text under its headings. Lines before the first heading are a section with the heading
   * "".
   */
  sections: DigestSection[];
  /** the lists that code added */
  ledger?: Ledger;
}

/** DigestSection is a heading of a digest with the lines under it. */
export interface DigestSection {
  /** without Markdown marks */
  heading: string;
  /** 1 to 6; 0 without a heading */
  level: number;
  /** without empty lines */
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

/** Found is the result of the operation `search`. */
export interface Found {
  /** the best first */
  results: FoundMessage[];
  /** what the search covered */
  searched: Searched;
}

/** FoundMessage is a message that matches the query. */
export interface FoundMessage {
  /** index of the body with the message in the request */
  body: number;
  /** the handle of that body, as the request has it */
  handle?: string;
  /** index of the message in its body; 0 if the body isn't a list */
  index: number;
  /** larger is better; comparable within one answer */
  score: number;
  /** the author of the message */
  role: Role;
  /** day of the message, such as 2025-03-14, if known */
  date?: string;
  /** offset is where the snippet starts in the text of the message, in Unicode scalar values. */
  offset?: number;
  /**
   * snippet is the best matching passage, about 240 bytes at most. It is data from the conversation, never an
   * instruction.
   */
  snippet: string;
}

/** Searched describes the extent of a search. */
export interface Searched {
  /** the number of bodies */
  bodies: number;
  /** the number of messages in them */
  messages: number;
  /** the total size of the bodies */
  bytes: number;
  /** missing lists handles of further removed content that the bodies name but that were not given. */
  missing: string[];
}

/**
 * Recalled is the result of the operation `recall`: the definition of the tool, what a call of it asks for, or the text
 * that answers the call.
 */
export interface Recalled {
  /** definition of the tool, if there were no arguments */
  tool?: object;
  /** the handle that the call asks for */
  handle?: string;
  /** the query of the call; with a handle, only for that body */
  query?: string;
  /** the answer to the call, if known */
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

/** A body to search: JSON as it is in a store, or the value itself. */
export interface Searchable {
  handle?: string;
  body: unknown;
}

/** Opened is the result of the operation `open`: the live conversation of a session file. */
export interface Opened {
  /** which agent wrote the file */
  kind: SessionKind;
  /** wire format of the messages */
  format: Format;
  /** model of the last call; "" if the file doesn't name it */
  model: string;
  /** the system prompt; "" if the file doesn't have it */
  system: string;
  /** the provider's last count since the last compaction, or null */
  usage: Counted;
  /** what was left out, sorted by What */
  skipped: Skipped[];
  /** messages is the list of messages of the agent's next request. */
  messages: unknown[];
}

/** Skipped is the number of entries of a session file that are not in the messages, for one reason. */
export interface Skipped {
  /** why the entries were left out */
  what: SkipReason;
  /** the number of entries */
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
 * Saved is the result of the operation `save`: the new file is the first Kept bytes of the old one, followed by Text.
 */
export interface Saved {
  /** which agent's format the file has */
  kind: SessionKind;
  /** bytes */
  kept: number;
  /** the rest of the new file */
  text: string;
}

/** A request of the operation session_open. */
export interface SessionOpenRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
}

/** SessionInfo is the result of the operations session_open and session_append: the size of the session. */
export interface SessionInfo {
  /** number by which requests refer to the session */
  session: number;
  /** number of messages */
  messages: number;
  /** size of the messages, and of the system prompt and tools sent with them */
  tokens: number;
  /** "" until the policy or the messages determine it */
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

/** ClosedSession is the result of the operation `session_close`. */
export interface ClosedSession {
  /** the number of the session */
  closed: number;
}

/** A request of the operation classify_error. */
export interface ClassifyErrorRequest {
  arguments: Failure;
}

/** Failure describes a model call, whether it failed or not. All members are optional. */
export interface Failure {
  /** HTTP status code */
  status?: number;
  /** body of the response, or the text of the error */
  body?: string;
  /** name of the provider; it helps with responses that have no body */
  provider?: string;
  /** the model that was called */
  model?: string;
  /** the model in use now */
  current_model?: string;
  /** why a successful call stopped, in the provider's terms */
  finish_reason?: string;
  /** usage of a successful call */
  usage?: FailureUsage;
  /** context window of the model, in tokens */
  window?: number;
  /** whether the host's client identified the error as an overflow */
  typed?: boolean;
}

/**
 * FailureUsage is the usage of a successful call, in tokens. Input excludes tokens read from or written to the cache.
 */
export interface FailureUsage {
  /** input, without the two kinds below */
  input_tokens?: number;
  /** input read from a prompt cache */
  cache_read_tokens?: number;
  /** input written to a prompt cache */
  cache_write_tokens?: number;
  /** output */
  output_tokens?: number;
}

/** Verdict is the result of the operation `classify_error`. */
export interface Verdict {
  /** why the call failed; "none" if it succeeded or the failure is unknown */
  class: FailureClass;
  /** whether a compaction and one retry may help */
  overflow: boolean;
  /** whether the messages did not fit although the provider reported no error */
  silent: boolean;
  /** the provider whose wording was recognized; absent if none was */
  provider?: string;
  /** the provider's message, taken from the JSON of the body; "" if there is none */
  message: string;
  /** size of the request in tokens, if the provider or the usage reveals it */
  used_tokens?: number;
  /** the limit in tokens, if the provider names it or, for a silent overflow, the window */
  limit_tokens?: number;
}

/** A request of the operation limit_tool_output. */
export interface LimitToolOutputRequest {
  text: string;
  arguments?: OutputLimits;
}

/**
 * OutputLimits are the size limits for a tool's output. A maximum of 0 or less means unlimited. Absent members have
 * their defaults: 2,000 lines, 51,200 bytes, no limit of characters, and 204,800 characters for SpillChars.
 */
export interface OutputLimits {
  /** lines */
  max_lines?: number;
  /** UTF-8 */
  max_bytes?: number;
  /** Unicode scalar values */
  max_chars?: number;
  /** above this size the whole output is stored elsewhere; 0 means never */
  spill_chars?: number;
  /** which part stays */
  mode?: LimitMode;
  /** where the host stored it */
  place?: string;
  /** why the host couldn't store it */
  spill_error?: string;
}

/** LimitedOutput is the result of the operation `limit_tool_output`. */
export interface LimitedOutput {
  /** whether Text differs from the given text */
  changed: boolean;
  /** the text for the transcript */
  text: string;
  /** whether images and other media of the output stay */
  keep_media: boolean;
  /** whether the text is a notice: the host keeps the whole output under its handle */
  spilled: boolean;
  /** handle of the whole output, if that is over the spill limit; also set if the host could not store it */
  handle?: string;
}

/** A request of the operation loop_start. */
export interface LoopStartRequest {
  policy?: Policy;
  options?: Options;
  state?: State;
  messages?: unknown;
  session?: number;
  settings: JobSettings;
}

/**
 * JobSettings are the settings with which a host starts a job: the job's purpose, the host's capabilities, and
 * timeouts.
 */
export interface JobSettings {
  /**
   * operation is the job's purpose: fit a whole history (the default), or plan a compaction of a transcript that the
   * host will replace.
   */
  operation?: JobOperation;
  /** now is the time in milliseconds since 1970. */
  now: number;
  /** seed seeds the random part of waiting times. Jobs with the same seed and the same events behave identically. */
  seed?: number;
  /**
   * can lists the effects that the host executes. The job works around missing ones: for example, without ask no model
   * writes digests.
   */
  can?: EffectName[];
  /** owner identifies whose conversation it is. What is remembered for one owner is never used for another. */
  owner?: string;
  /** records determines how records are looked up; absent means by prefix. */
  records?: RecordKeys;
  /** records_required makes the job fail if the store of records fails. Otherwise the job continues without records. */
  records_required?: boolean;
  /** concurrency is the maximum number of summary requests in flight at the same time, from 1 to 64; 0 means 4. */
  concurrency?: number;
  /**
   * store_timeout is the timeout for a load, save, lease or put, in milliseconds up to a day; 0 means 30,000 and -1 no
   * timeout.
   */
  store_timeout?: number;
  /**
   * summary_timeout is the timeout for one summary including retries, in milliseconds up to a day; 0 means 120,000 and
   * -1 no timeout.
   */
  summary_timeout?: number;
  /** remembered is the number of compactions that an owner's record keeps, from 1 to 64; 0 means 64. */
  remembered?: number;
  /** loaded is the result of the initial load of a job with records "owner", if the host already has it. */
  loaded?: EffectResult;
  /** lease is the duration of a lease that is not renewed, in milliseconds from 100 to an hour; 0 means 15,000. */
  lease?: number;
  /**
   * prefix reports whether the host can append requests for summaries to the conversation, for the provider's prompt
   * cache.
   */
  prefix?: boolean;
  /**
   * background makes the job compact before a compaction is due, or redo a compaction during which the model failed.
   */
  background?: boolean;
  /**
   * running lists the background jobs that the host runs for this owner. The job stops those that have become useless.
   */
  running?: RunningJob[];
  /**
   * model and Provider identify the model that will be called next and its provider, by names of the host's choice. If
   * the policy has `gate.idle`, a change means that the prompt cache is cold.
   */
  model?: string;
  provider?: string;
  /**
   * refusal is the failed model call that made the host start the job. If it failed because the messages do not fit,
   * the job compacts them further; otherwise it changes nothing.
   */
  refusal?: Failure;
  /**
   * refused reports that a provider rejected the messages because they do not fit, for a host that has classified the
   * error itself. Limit is the window that the provider named, in tokens, or 0. Unlike with Refusal, if nothing helps,
   * the result is unchanged instead of an error.
   */
  refused?: boolean;
  limit?: number;
  /**
   * turn makes a job with the operation "plan" a turn of a conversation that the host keeps: the job decides whether a
   * compaction begins, now or in the background.
   */
  turn?: Turn;
}

/** EffectResult is the result of an effect. */
export interface EffectResult {
  /** the id of the effect */
  id: number;
  /** refused reports that the host does not support the effect. The job then works without it. */
  refused?: boolean;
  /** error is the reason why the effect failed. */
  error?: string;
  /** done reports, for save, that the record was written, and for lease, that it was granted. */
  done?: boolean;
  /**
   * record is the record that load found; absent if there was none. At is the index of its key in Keys; for lease, the
   * index of a key that another holder has leased. Revision is any string that changes whenever the record does; a
   * later save compares it.
   */
  record?: string;
  at?: number;
  revision?: string;
  /**
   * summary is the result of ask; its id may be missing. In the result of before, it is a finished summary: no model is
   * asked.
   */
  summary?: Summary;
  /**
   * failure is what the host knows about a failed call of ask, in addition to Error. The job decides from both whether
   * and when to call again.
   */
  failure?: CallFailure;
  /**
   * busy reports that the provider was overloaded, and After is the time to wait before the next attempt, in
   * milliseconds; 0 if unknown. A host sets them if the program has said so; otherwise the job decides.
   */
  busy?: boolean;
  after?: number;
  /** incomplete reports that the model's output was cut off, so an immediate retry may succeed. */
  incomplete?: boolean;
  /**
   * tokens is the result of count. In the result of enter, it is the exact size of the conversation as it is now, from
   * a host with a tokenizer.
   */
  tokens?: number;
  /**
   * Skip, in the result of before, skips the compaction. Redact lists texts to replace in what the compaction reads,
   * and Score rates calls and messages, like the options of these names.
   */
  skip?: boolean;
  redact?: Redact;
  score?: Score;
}

/** CallFailure is what a host knows about a failed model call. */
export interface CallFailure {
  /** HTTP status code */
  status?: number;
  /** body of the response; absent means the text in error */
  body?: string;
  /** The unchanged values of the response headers Retry-After, Retry-After-Ms and X-Should-Retry. */
  retry_after?: string;
  retry_after_ms?: string;
  should_retry?: string;
  /**
   * network reports that no response arrived, because the connection failed. Without it, the job recognizes the usual
   * error texts.
   */
  network?: boolean;
}

/** RunningJob is a background job that a host runs. */
export interface RunningJob {
  /** id is a positive number by which the host identifies the job. */
  id: number;
  /** keys are the keys of the last lease that the job requested. */
  keys: string[];
}

/** Turn is a moment at which a conversation may be compacted. */
export interface Turn {
  /** when the turn takes place */
  moment: TurnMoment;
  /** notes are the notes that the last turn returned, if any. */
  notes?: TurnNotes;
  /** running is the id of the job that compacts the conversation in the background, above 0; 0 means none. */
  running?: number;
  /**
   * edited reports whether the messages were replaced since the last turn. Earlier failed attempts are then
   * disregarded.
   */
  edited?: boolean;
}

/**
 * TurnNotes carry information from one turn of a conversation to later ones. A host passes them on without reading
 * them.
 */
export interface TurnNotes {
  /** time is when the model was last called, in milliseconds since 1970; Model and Provider identify it. */
  time?: number;
  model?: string;
  provider?: string;
  /** tried and Messages are the number of tokens and of messages at which a background compaction was last started. */
  tried?: number;
  messages?: number;
}

/**
 * JobProgress is the result of the operations loop_start and loop_event: the job's state and the effects to execute.
 * Once the job has ended, it has Result or Failure, and no Job.
 */
export interface JobProgress {
  /** job is the state that the host passes to the next loop_event unchanged. */
  job?: object;
  /**
   * needs_messages reports whether the next loop_event must include the messages or the session. Messages may have been
   * added since.
   */
  needs_messages?: boolean;
  /** what the host does next; may be empty */
  effects: Effect[];
  /** failure is the reason why the job ended without a result. Nothing was changed. */
  failure?: JobFailure;
  /** result is the result of the operation, without its member memory. */
  result?: Planned;
  /** check is the result of the check of a turn that ended without a compaction; Result is then null. */
  check?: Check;
  /** notes must be passed to the next turn of the conversation. They come from the loop_start of a turn. */
  notes?: TurnNotes;
}

/**
 * Effect is an action that a job requests from its host. The host responds to an effect that has an ID with an
 * EffectResult.
 */
export interface Effect {
  /** what the host does */
  effect: EffectName;
  /** number of the effect within its job, from 1; absent if it has no result */
  id?: number;
  /**
   * keys are the keys of load, save, lease and release: 64 hexadecimal digits each, or the owner if records is "owner".
   * For begin they are the Keys of the RunningJob until it requests a lease.
   */
  keys?: string[];
  /**
   * record is the record to save. With IfRevision, it writes only if the record under keys[0] still has this revision
   * or, if IfRevision is "", does not exist yet. With Holder, it writes only if the holder still has its lease on
   * Lease.
   */
  record?: string;
  if_revision?: string;
  holder?: string;
  lease?: string;
  /** in milliseconds */
  ttl?: number;
  /** handle of the body, for put */
  handle?: string;
  /** the body to store, as JSON, for put */
  body?: string;
  /**
   * request is the request to answer, for ask. Sent holds the messages for a request with `conversation`, in the shape
   * of the input.
   */
  request?: SummaryRequest;
  sent?: unknown;
  /** when the job stops waiting for the result of ask, in milliseconds since 1970; 0 means never */
  deadline?: number;
  /**
   * messages are the messages to count, in the shape of the input. With the option `answer: "edits"`, Edits transform
   * the input into them.
   */
  messages?: unknown;
  edits?: Edit[];
  /** in milliseconds since 1970 */
  until?: number;
  /** key of the lease to wait for, for wait; absent if only the time counts */
  key?: string;
  /** settings are the settings of the job to begin. The host adds the time and a seed. */
  settings?: JobSettings;
  /** what to report, for emit */
  notice?: JobNotice;
  /** id of a RunningJob, for begin and stop, or of an effect, for cancel; absent if there is none */
  target?: number;
  /** beginning describes the compaction that the effect before announces. */
  beginning?: Beginning;
}

/** JobNotice is an event worth a line in a log. */
export interface JobNotice {
  /** what happened */
  name: NoticeName;
  /** text for people, with the cause */
  message: string;
}

/** Beginning is passed to the host before a compaction of a conversation begins. */
export interface Beginning {
  /** why the compaction begins */
  trigger: Trigger;
  /** number of messages in the conversation */
  messages: number;
  /** size of the conversation, in tokens */
  tokens: number;
}

/** JobFailure is the reason why a job ended without a result. */
export interface JobFailure {
  /** why the job failed */
  code: FailureCode;
  /** for people; it can change in any version */
  message: string;
  /**
   * path is the location of the error, as in an Error. Offset is its offset in bytes from the start of the messages, if
   * the error is in the messages.
   */
  path?: string;
  offset?: number;
}

/** A request of the operation loop_event. */
export interface LoopEventRequest {
  messages?: unknown;
  session?: number;
  job: unknown;
  event: JobEvent;
}

/** JobEvent reports what has happened since the last call. Without results it only reports the time. */
export interface JobEvent {
  /** in milliseconds since 1970 */
  now: number;
  /** results of effects, in any order */
  results?: EffectResult[];
  /** cancel ends the job without changes. */
  cancel?: boolean;
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

/** FunctionResult is the result of the operation `function`. */
export interface FunctionResult {
  /** see docs/reference/functions.md */
  result: unknown;
}
