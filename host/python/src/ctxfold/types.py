# The JSON of docs/reference/abi.md, generated from the types of package api by `make generate`. Do not edit it.
"""The types of requests and answers: TypedDicts for objects, Literals for the words in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

#: Operation is the name of an operation; docs/reference/abi.md describes them.
Operation = Literal[
    "info",
    "detect",
    "estimate",
    "check",
    "plan",
    "step",
    "fit",
    "prints",
    "validate",
    "repair",
    "convert",
    "restore",
    "digests",
    "recall",
    "search",
    "open",
    "save",
    "session_open",
    "session_append",
    "session_close",
    "classify_error",
    "limit_tool_output",
    "loop_start",
    "loop_event",
    "function",
]

#: Format is the name of a wire format; docs/guides/formats.md describes them.
Format = Union[str, Literal[
    "adk",
    "ag-ui",
    "agent-framework",
    "ai-sdk",
    "ai-sdk-ui",
    "anthropic",
    "assistant-ui",
    "bedrock-converse",
    "gemini",
    "gemini-interactions",
    "genkit",
    "haystack",
    "langchain",
    "mastra",
    "mcp-sampling",
    "mistral",
    "native",
    "ollama",
    "openai-agents",
    "openai-chat",
    "openai-responses",
    "pi",
    "plain",
    "prompt-api",
    "pydantic-ai",
    "tanstack",
]]

#: Preset is the name of a preset; docs/guides/presets.md compares them.
Preset = Union[str, Literal[
    "default",
    "layered",
    "window-budget",
    "turn-tail",
    "checkpoint",
    "agent-loop",
]]

#: Estimator is the name of a token estimator; docs/reference/policy.md lists them.
Estimator = Union[str, Literal[
    "script",
    "bytes4",
    "layered",
    "bytes",
    "bytes4-floor",
    "utf16-4",
    "runes3.6",
    "bytes4-message",
]]

#: PassName is the name of a pass; docs/reference/policy.md describes them.
PassName = Union[str, Literal[
    "archive",
    "clear",
    "collapse",
    "dedupe",
    "drop",
    "fit",
    "fold",
    "reasoning",
    "rehydrate",
    "squeeze",
    "tool_digest",
    "truncate",
]]

#: FunctionName is the name of a function; docs/reference/functions.md describes them.
FunctionName = Literal[
    "adjust_boundary",
    "anchored_tokens",
    "branch_digest",
    "budget_limit",
    "build_prompt",
    "calculate_threshold",
    "classify_error",
    "clear_stale_tool_results",
    "collapse_turns",
    "compaction_block",
    "compaction_log",
    "compaction_options",
    "condense",
    "context_due",
    "context_limit",
    "context_stats",
    "digest_tool_results",
    "drop_middle",
    "effective_limit",
    "estimate_context",
    "estimate_messages",
    "estimate_text",
    "estimate_tokens",
    "excerpt_tool_results",
    "extract_file_ops",
    "extract_original_task",
    "find_cut_point",
    "flatten_transcript",
    "force_cut_point",
    "format_bytes",
    "format_messages",
    "generate_summary",
    "headroom",
    "is_context_overflow",
    "is_over_budget",
    "is_split_turn",
    "keep_within_budget",
    "last_user_turn_start",
    "limit_tool_output",
    "merge_file_ops",
    "normalize_strategy",
    "plan_slice",
    "prefix_tokens",
    "project_for_summary",
    "record_usage",
    "rehydrate_recent_reads",
    "select_messages",
    "serialize_conversation",
    "serialize_messages",
    "session_context",
    "set_visibility",
    "should_compact_reserve",
    "should_compact_threshold",
    "split_by_count",
    "split_by_tokens",
    "summarize_tool_results",
    "summary_prompts",
    "tool_results_message",
    "trim_runes",
    "trim_with_tail",
    "truncate_head_tail",
    "truncate_tool_result",
    "truncate_tool_results",
    "turn_map",
    "visibility",
]

#: ErrorCode names a kind of error. Codes are stable.
ErrorCode = Literal[
    "invalid_json",
    "truncated_json",
    "invalid_utf8",
    "too_deep",
    "too_large",
    "wrong_type",
    "duplicate_key",
    "unknown_field",
    "missing_field",
    "out_of_range",
    "unknown_session",
    "cannot_save",
    "no_messages",
    "missing_role",
    "unknown_format",
    "ambiguous_format",
    "unknown_preset",
    "unknown_estimator",
    "unknown_pass",
    "empty_query",
    "handle_mismatch",
    "plan_mismatch",
    "session_closed",
    "summary_failed",
    "needs_full",
    "needs_whole",
    "unknown_function",
    "unknown_op",
    "internal",
    "unknown_window",
    "wrong_format",
    "job_mismatch",
    "unknown_effect",
]


#: archive replaces old tool results with short summaries, written by the host's model or excerpted by code. Calls, ids
#: and order stay.
ArchivePass = TypedDict(
    "ArchivePass",
    {
        "pass": "Literal['archive']",
        #: keep_recent is the number of newest tool results that stay; 0 turns the pass off. Default: 10.
        "keep_recent": "NotRequired[int]",
        #: mode is who writes the summaries: "model" (the host is asked, unless the policy's summary.mode is "local") or
        #: "local" (excerpts). Default: model.
        "mode": "NotRequired[Literal['model', 'local', 'local']]",
        #: min_tokens is the minimum size of a result to be summarized, in tokens. Default: 400.
        "min_tokens": "NotRequired[int]",
        #: max_requests is the maximum number of summaries that the model is asked for in one compaction, for the newest
        #: results; other results become excerpts. Default: 8.
        "max_requests": "NotRequired[int]",
        #: max_input, max_output and excerpt are Unicode scalar values: how much of a result the model is shown, how
        #: much of its answer is used, and how much an excerpt has. Default: 12000.
        "max_input": "NotRequired[int]",
        #: Default: 1200.
        "max_output": "NotRequired[int]",
        #: Default: 800.
        "excerpt": "NotRequired[int]",
        #: batch is the number of results that one summary covers; 0 and 1 mean one summary per result.
        "batch": "NotRequired[int]",
        #: max_batches is the maximum number of batches that are summarized in one compaction, the oldest results first;
        #: 0 means no limit.
        "max_batches": "NotRequired[int]",
        #: tools are the tools whose results may be archived; empty means all. Results of exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: clear replaces the contents of old tool results with a marker. The newest results stay; calls, ids and order stay.
ClearPass = TypedDict(
    "ClearPass",
    {
        "pass": "Literal['clear']",
        #: keep_recent is the number of newest tool results that stay; at least 1. Default: 6.
        "keep_recent": "NotRequired[int]",
        #: min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is cleared,
        #: because every clearing invalidates the prompt cache.
        "min_reclaim": "NotRequired[int]",
        #: excerpt is the maximum number of tokens of a result that stay after the marker: the lines with names, numbers
        #: and errors that later messages repeat, as far as the target leaves room. Lines that say the most get the room
        #: that is left, and then the newest results come back as a whole, as far as keep_tokens of the fold allows. A
        #: result that frees no more than that stays whole if the target is reached without it.
        "excerpt": "NotRequired[int]",
        #: tools are the tools whose results may be cleared; empty means all tools. Names are compared without case, _
        #: and -.
        "tools": "NotRequired[List[str]]",
        #: exclude_tools are tools whose results are never cleared.
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: collapse replaces each older assistant message and its tool results with one line. User messages stay.
CollapsePass = TypedDict(
    "CollapsePass",
    {
        "pass": "Literal['collapse']",
        #: keep_recent is the number of newest messages that stay as they are. Default: 10.
        "keep_recent": "NotRequired[int]",
        #: max_text is the maximum length of an assistant text in the line, in bytes; longer texts are left out.
        #: Default: 200.
        "max_text": "NotRequired[int]",
    },
)


#: dedupe removes tool results that a newer one repeats: results of one tool that are equal byte for byte, and results
#: of an identical call (same tool, same arguments) that has returned something else since. The newest one stays.
DedupePass = TypedDict(
    "DedupePass",
    {
        "pass": "Literal['dedupe']",
        #: min_tokens is the minimum that removing a result must save, in tokens. Default: 50.
        "min_tokens": "NotRequired[int]",
        #: min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is removed.
        "min_reclaim": "NotRequired[int]",
        #: superseded says which results are removed when an identical call has returned something else since: "reads"
        #: (the default: those of tools that read a file), "all" or "none". Default: reads.
        "superseded": "NotRequired[Literal['reads', 'all', 'none']]",
        #: exclude_tools are tools whose results always stay.
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: drop removes the middle of the transcript: the first and the newest messages stay. If that is not enough, or if there
#: is no middle, it continues as fit does.
DropPass = TypedDict(
    "DropPass",
    {
        "pass": "Literal['drop']",
        #: keep_first and keep_recent are the numbers of messages that stay at the beginning and at the end. Default: 2.
        "keep_first": "NotRequired[int]",
        #: Default: 10.
        "keep_recent": "NotRequired[int]",
    },
)


#: fit keeps the newest messages that fit in the target, and drops everything before them.
FitPass = TypedDict(
    "FitPass",
    {
        "pass": "Literal['fit']",
    },
)


#: fold replaces the older messages with one digest. Pinned messages and a tail of the newest messages stay.
FoldPass = TypedDict(
    "FoldPass",
    {
        "pass": "Literal['fold']",
        #: keep_tokens is the maximum size of the tail, in tokens. With wire_safe it is at most half of the target.
        #: Default: 20000.
        "keep_tokens": "NotRequired[int]",
        #: boundary is where the tail may begin: "turn" (at a message of the user, unless the tail would lose three
        #: quarters of its size by that), "group" (at any), "message" (as "group", since calls and their results stay
        #: together; a published system cuts anywhere), "forward" (as "group"; with force it leaves something to fold
        #: even where all would fit) or "backward" (keep_messages before the end, or at the start of the group there).
        #: Default: turn.
        "boundary": "NotRequired[Literal['turn', 'group', 'message', 'group', 'forward', 'group', 'backward']]",
        #: keep_last keeps the last group even if it is larger than the tail may be; otherwise nothing is folded in that
        #: case. Default: true.
        "keep_last": "NotRequired[bool]",
        #: keep_messages is the number of newest messages in the tail where boundary is "backward", or "message" and
        #: keep_tokens is 0. Default: 10.
        "keep_messages": "NotRequired[int]",
        #: min_messages is the minimum number of messages to fold; if there are fewer, none are folded; digests and
        #: restored files do not count. Default: 1.
        "min_messages": "NotRequired[int]",
        #: force_turn makes the newest turn of the user the tail of a compaction that is forced, whatever keep_tokens
        #: says.
        "force_turn": "NotRequired[bool]",
    },
)


#: reasoning removes reasoning from assistant messages, in whole parts.
ReasoningPass = TypedDict(
    "ReasoningPass",
    {
        "pass": "Literal['reasoning']",
        #: mode is "latest_turn" (the default: reasoning stays only after the newest user message), "strip" (all
        #: reasoning is removed) or "keep" (all reasoning stays). Default: latest_turn.
        "mode": "NotRequired[Literal['latest_turn', 'strip', 'keep']]",
    },
)


#: rehydrate restores the files that were read last and whose content a fold removed, each as a user message after the
#: digest, the newest last.
RehydratePass = TypedDict(
    "RehydratePass",
    {
        "pass": "Literal['rehydrate']",
        #: max_files is the maximum number of files to restore. Default: 5.
        "max_files": "NotRequired[int]",
        #: tokens is the maximum size of all restored files together, in tokens. Default: 8000.
        "tokens": "NotRequired[int]",
        #: tool is the only tool whose results are files, compared without case, _ and -; "" is every tool that is known
        #: to read one.
        "tool": "NotRequired[str]",
        #: always_newest restores the file read last even if it alone takes more than tokens, as long as the target has
        #: room for it.
        "always_newest": "NotRequired[bool]",
        #: shrink_messages keeps the number of messages below the number before the fold.
        "shrink_messages": "NotRequired[bool]",
    },
)


#: squeeze rewrites old tool results in fewer tokens without losing information, except for the middle of long lists of
#: progress lines and of long logs that the model has read, the lines around hits of long searches, and repeated
#: reminders of a harness. The original goes to the archive. A later pass that removes a squeezed result archives the
#: original.
SqueezePass = TypedDict(
    "SqueezePass",
    {
        "pass": "Literal['squeeze']",
        #: keep_recent is the number of newest tool results that stay as they are, unless they have a terminal's escape
        #: codes, long lists of progress lines, or reminders that are repeated later. Default: 2.
        "keep_recent": "NotRequired[int]",
        #: min_tokens is the minimum by which a result must shrink, in tokens, including the line that says how it was
        #: shortened. Default: 16.
        "min_tokens": "NotRequired[int]",
        #: min_reclaim is the minimum number of tokens to free in total; if fewer would be freed, nothing is squeezed,
        #: because each change invalidates the prompt cache.
        "min_reclaim": "NotRequired[int]",
        #: tools are the tools whose results may be squeezed; empty means all. Results of exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: tool_digest clears old tool results in the tail that a fold left, and describes each in one line of the digest.
#: Without a fold before it in the policy, it replaces the results with these lines.
ToolDigestPass = TypedDict(
    "ToolDigestPass",
    {
        "pass": "Literal['tool_digest']",
        #: keep_recent is the number of newest tool results that stay; 0 turns the pass off. Default: 10.
        "keep_recent": "NotRequired[int]",
        #: tools are the tools whose results may be cleared; empty means all. Results of exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: truncate shortens long tool results to their first and last lines. Each text of a result is shortened separately;
#: images and other content stay.
TruncatePass = TypedDict(
    "TruncatePass",
    {
        "pass": "Literal['truncate']",
        #: max_lines is the maximum number of lines of a text that stay; with wire_safe this includes the marker's line.
        #: Default: 50.
        "max_lines": "NotRequired[int]",
        #: tools are the tools whose results may be truncated; empty means all. Results of exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


class Policy(TypedDict):
    """Policy determines when and how a transcript is compacted. Zero values mean 'as in the preset'."""

    preset: NotRequired[Preset]
    """preset is the name of the preset that the policy starts from; '' means 'default'."""
    format: NotRequired[Format]
    """format is the wire format of the transcript; '' and 'auto' let detection decide."""
    model: NotRequired[str]
    """
    model is the name of the model that the transcript is for. It selects the tokenizer family and, without
    window.tokens, the window.
    """
    estimator: NotRequired[Estimator]
    """estimator is the name of a token estimator. Default: script."""
    window: NotRequired[PolicyWindow]
    gate: NotRequired[PolicyGate]
    passes: NotRequired[List[Pass]]
    summary: NotRequired[PolicySummary]
    pins: NotRequired[List[Pin]]
    """pins select messages that never change, in addition to system messages and the newest user message."""
    wire_safe: NotRequired[bool]
    """
    wire_safe keeps results valid for the provider. It is on unless set to false. False reproduces a published system
    exactly, including its defects.
    """
    last_resort: NotRequired[bool]
    """
    last_resort cuts a result that is still over the limit after the passes: tool results first, pinned messages last.
    It is on unless set to false, and requires wire_safe.
    """
    open_calls: NotRequired[OpenCalls]
    """
    open_calls is 'keep' (the default: tool calls at the end that have no result are left for the host to answer) or
    'answer' (they count as violations, and repair adds a result saying that there is none).
    """
    thinking: NotRequired[Literal['manual', 'adaptive', 'drop_block', 'off', 'auto']]
    """
    thinking is how the model is asked to think: 'manual' (with a budget), 'adaptive', 'drop_block' (adaptive, and the
    request makes the provider drop blocks that no longer fit), 'off', or 'auto' (the default: determined by the request
    body or the model's name).
    """
    repair: NotRequired[Literal['refused', 'all']]
    """
    repair is 'refused' (the default: repairs what a provider refuses, and keeps what it tolerates) or 'all' (also
    repairs what it tolerates).
    """
    max_bytes: NotRequired[int]
    """
    max_bytes is the maximum size of the message list as JSON, in bytes, whatever its size in tokens; 0 means unlimited.
    Above it, images, audio and files are replaced with placeholders, the oldest first.
    """
    prices: NotRequired[PolicyPrices]
    """prices are the model's prices, which the report uses to calculate the effect on the prompt cache."""
    log: NotRequired[bool]
    """log adds to the report what happened to each message."""
    archive: NotRequired[Archive]
    """
    archive is '' (the default: removed content is lost), 'places' (the response lists the handle of each removed body
    and its byte ranges in the request, and markers name the handles) or 'bodies' (the response contains the bodies
    instead of their byte ranges).
    """


class PolicyWindow(TypedDict):
    """Window is the size of the model's context."""

    tokens: NotRequired[int]
    """
    tokens is the context window in tokens. 0 means the window of Model; if that is unknown too and the policy sets no
    other limit, compactions fail with the code unknown_window.
    """
    unlimited: NotRequired[bool]
    """
    unlimited means that there is no limit in tokens: compaction is only due for other reasons, or when it is forced. It
    overrides Tokens and the window of Model.
    """
    reserve: NotRequired[int]
    """
    reserve is the number of tokens of the window that stay free for the model's output. The default is that of the
    model if its window is used and its provider reserves a part of it, otherwise 16384, or an eighth of the window if
    that is less.
    """


class PolicyGate(TypedDict):
    """Gate decides whether compaction is due, which it is when the estimate exceeds (window − reserve) × ratio."""

    ratio: NotRequired[float]
    """ratio is the share of the usable window above which compaction is due, over 0 and up to 1. Default: 0.8."""
    target: NotRequired[float]
    """
    target is the share of the limit that a compaction aims for, over 0 and up to 1. The room between the target and the
    limit determines how many turns pass before the next compaction. Default: 0.6.
    """
    start: NotRequired[float]
    """
    start is the share of the limit above which a compaction starts in the background, while the conversation continues:
    over Target and below 1. 0, the default, means never.
    """
    notice: NotRequired[str]
    """
    notice is a text that tells the model that a compaction will come soon, so that it can write down what it will need.
    Reports contain it once between two compactions, and the host appends it. '' (the default) means no notice.
    """
    notice_at: NotRequired[float]
    """
    notice_at is the share of the limit (or of gate.start, if that is set) above which reports contain the notice, over
    0 and up to 1; 0 means 0.9.
    """
    idle: NotRequired[int]
    """
    idle is the lifetime of the provider's prompt cache in seconds, up to 1,000,000,000. A conversation that has been
    idle for longer, or whose cache is cold for another reason, is compacted even below the limit. 0, the default, means
    never.
    """
    cold: NotRequired[float]
    """
    cold is the share of the limit above which a conversation with a cold cache is compacted, over 0 and up to 1; 0
    means one half. It requires Idle.
    """
    min_gain: NotRequired[float]
    """
    min_gain is the share of the limit that a compaction must free, from 0 to 1; a compaction that would free less is
    not made. Default: 0.02.
    """
    inclusive: NotRequired[bool]
    """inclusive makes compaction due at the limit itself, not only above it."""
    min_messages: NotRequired[int]
    """min_messages is the minimum number of messages for the passes to run; with fewer, only the last resort does."""
    max_tokens: NotRequired[int]
    """max_tokens is the limit in tokens if the window is unknown or the reserve takes all of it; 0 means no limit."""
    max_messages: NotRequired[int]
    """
    max_messages is the number of messages at which compaction is due if there is no limit in tokens; 0 means never.
    """
    max_tool_results: NotRequired[int]
    """
    max_tool_results is the number of tool results that are neither cleared nor summarized above which compaction is
    due; 0 means never.
    """
    usage: NotRequired[bool]
    """
    usage makes ctxfold use the provider's counts (usage in native messages) and estimate only the messages after them.
    """


class PolicySummary(TypedDict):
    """Summary configures how digests are made."""

    mode: NotRequired[SummaryMode]
    """
    mode is 'model' (the default: the host's model writes the digest), 'local' (code writes it) or 'minimal' (the digest
    only counts the removed messages). Default: model.
    """
    request: NotRequired[Literal['flat', 'prefix', 'auto']]
    """
    request is the form of requests to the model: 'flat' (a prompt with a record of the messages), 'prefix' (appended to
    the conversation, whose start is in the provider's prompt cache, whenever that fits) or 'auto' (the default:
    appended if that is cheaper according to Prices and fits into the window, otherwise flat). Only hosts that can
    append requests get them.
    """
    max_output_tokens: NotRequired[int]
    """max_output_tokens is the maximum size of a model's digest, in tokens. Default: 4096."""
    max_input_tokens: NotRequired[int]
    """max_input_tokens is the maximum size of a request to the model, in tokens; 0 means unlimited."""
    provider: NotRequired[bool]
    """
    provider uses the provider's own compaction if there is one, and the model only if that fails. The requests tell the
    host how to call it.
    """
    retries: NotRequired[int]
    """retries is the maximum number of times that the model is asked again after a rejected summary. Default: 1."""
    split: NotRequired[Literal['map', 'chain']]
    """
    split is the way to summarize a record that is too long for one request: 'map' (the default: one request per part,
    in parallel, and one that merges their digests) or 'chain' (part by part, each with the digest so far).
    """
    standing: NotRequired[float]
    """
    standing is the share of the target reserved for the user's standing instructions, from 0 (no such block) to 1. They
    may also use room that the target leaves free. The default is 0.2; in a chat's digest that is written without a
    model, rules and preferences may then take half of the digest.
    """
    project_instructions: NotRequired[float]
    """
    project_instructions is the share of the window, from 0 to 1, that may be taken up by project instructions in the
    message list, such as AGENTS.md, CLAUDE.md or a skill. Their messages stay when others are folded; at 0 they are
    folded like the others. The default is 0.15, or 0 for published systems.
    """
    room: NotRequired[float]
    """
    room limits a digest written without a model: it may grow until the result reaches this fraction of the target. At 0
    it is no larger than a model's digest would be; at 1, the default, it may use the whole target.
    """
    instructions: NotRequired[str]
    """instructions are added to the prompt, for example to say what to pay attention to."""
    style: NotRequired[Style]
    """
    style is the name of the published system (its preset) whose layout is used for requests and digests; '' means
    ctxfold's own layout.
    """
    prompt: NotRequired[str]
    """prompt replaces the style's own instructions to the model. It requires a style."""
    scope: NotRequired[Literal['session', 'branch']]
    """
    scope is the kind of transcript: 'session' (the default) or 'branch', an abandoned path of the conversation, which
    is folded as a whole.
    """
    on_failure: NotRequired[Literal['local', 'keep', 'error', 'local']]
    """
    on_failure is what to do if the host has no summary: 'local' (the default: use the local digest), 'keep' (leave the
    transcript unchanged) or 'error' (fail; with wire_safe this means 'local').
    """

#: SummaryMode is the way in which digests are written.
SummaryMode = Literal[
    "model",
    "local",
    "minimal",
]

#: Style is the layout of requests and digests.
Style = Literal[
    "",
    "turn-tail",
    "checkpoint",
    "window-budget",
    "agent-loop",
]


class Pin(TypedDict):
    """Pin selects messages by one or more features. A message that has all of them is pinned."""

    role: NotRequired[Role]
    """system, user, assistant or tool"""
    index: NotRequired[int]
    """index in the list; negative counts from the end"""
    id: NotRequired[str]
    """id of a tool call or result in the message"""
    contains: NotRequired[str]
    """a text in the message, spelled as in its JSON"""

#: Role is the author of a message.
Role = Literal[
    "system",
    "user",
    "assistant",
    "tool",
]

#: OpenCalls determines how to treat tool calls at the end that have no result yet.
OpenCalls = Literal[
    "keep",
    "answer",
]


class PolicyPrices(TypedDict):
    """Prices are per million tokens, in any currency. Cache prices default to Input."""

    input: NotRequired[float]
    """the price of input that is not read from the cache"""
    output: NotRequired[float]
    """the price of what the model writes"""
    cache_read: NotRequired[float]
    """the price of input that is read from the cache; by default, that of other input"""
    cache_write: NotRequired[float]
    """the price of input that is written to the cache; by default, that of other input"""

#: Archive is whether and how removed content is archived.
Archive = Literal[
    "",
    "places",
    "bodies",
]


class KeepEdit(TypedDict):
    """The messages from the first index up to, but excluding, the second."""

    keep: Tuple[int, int]


class InsertEdit(TypedDict):
    """A new message."""

    insert: Dict[str, Any]


class SetEdit(TypedDict):
    """The message at this index, changed."""

    set: int
    message: Dict[str, Any]


class Searchable(TypedDict):
    """A body to search: JSON as it is in a store, or the value itself."""

    handle: NotRequired[str]
    body: Any


class Info(TypedDict):
    """Info is the result of the operation `info`: the version, the features and the limits of this module."""

    name: str
    """'ctxfold'"""
    version: str
    """semantic version"""
    abi: int
    """increases when a host written for the previous ABI would break"""
    ops: List[Operation]
    """the operations that this module has"""
    formats: List[FormatInfo]
    """the wire formats, in the order of their names"""
    estimators: List[Estimator]
    """the token estimators that a policy can name"""
    passes: List[PassName]
    """the passes that a policy can name"""
    pass_info: List[PassInfo]
    """names, defaults and descriptions of the same passes"""
    functions: List[FunctionName]
    """functions of published systems, for the operation function; empty unless this is the full module"""
    presets: List[PresetInfo]
    """the presets that a policy can name"""
    limits: Limits
    """the largest request that the module accepts"""


class FormatInfo(TypedDict):
    """FormatInfo is the name of a wire format with a one-line description."""

    name: Format
    """the name that a policy gives as format"""
    doc: str
    """one line, in Markdown"""


class PassInfo(TypedDict):
    """PassInfo describes a pass."""

    name: PassName
    """the name that a policy gives to select the pass"""
    doc: str
    """what the pass does, phrased to follow its name"""
    parameters: List[Parameter]
    """the members of the pass in a policy; empty if it has none"""
    markers: List[str]
    """the texts that replace removed content; with an archive each names a handle"""
    messages: List[str]
    """how the messages that it inserts begin"""
    counters: List[Counter]
    """the numbers that the pass adds to the report; empty if there are none"""


class Parameter(TypedDict):
    """Parameter is a parameter of a pass, with its default."""

    name: str
    """the name of the member"""
    default: Any
    """the value if a policy sets none"""
    doc: str
    """'' if the text of the previous parameter describes both"""


class Counter(TypedDict):
    """Counter is a number that a pass accumulates. The report has it as a member of this name, or in counts."""

    name: str
    """its key in the report"""
    text: str
    """what is counted, for people"""


class PresetInfo(TypedDict):
    """PresetInfo is a preset with its policy."""

    name: Preset
    """the name that a policy gives as preset"""
    doc: str
    """what the preset is for, in one line"""
    policy: Policy
    """a Policy"""


class Limits(TypedDict):
    """Limits are the limits of a request."""

    bytes: int
    """maximum size of a request"""
    depth: int
    """maximum number of nested objects and arrays"""


class DetectRequest(TypedDict):
    """A request of the operation detect."""

    policy: NotRequired[Policy]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Detection(TypedDict):
    """Detection is the result of the operation `detect`."""

    format: Union[Format, Literal['']]
    """the most likely, or '' if no candidate reaches a confidence of 0.75"""
    confidence: float
    """confidence in Format, from 0 to 1"""
    candidates: List[Candidate]
    """the most likely first"""
    shape: NotRequired[str]
    """shape describes the messages if no format can read them; the only candidate is then the nearest format."""


class Candidate(TypedDict):
    """Candidate is a format that a transcript may be in."""

    format: Format
    """the wire format"""
    confidence: float
    """from 0 to 1; those of all candidates add up to 1, or to less if no format fits well"""
    evidence: List[str]
    """roles, keys or types that only this format has"""


class Options(TypedDict):
    """
    Options are the settings of one call. The policy belongs to the conversation; options belong to the host, so that it
    never has to edit its user's policy. Zero values mean 'as the policy says'.
    """

    force: NotRequired[bool]
    """force compacts even if compaction isn't due."""
    answer: NotRequired[Answer]
    """answer is the form in which the transcript is returned; absent means as messages."""
    archive: NotRequired[Archive]
    """archive determines whether and how removed content is archived. It overrides the policy."""
    open_calls: NotRequired[OpenCalls]
    """open_calls determines how tool calls at the end that have no result are handled. It overrides the policy."""
    summary: NotRequired[SummaryOptions]
    """summary configures the digest that this call writes."""
    usage: NotRequired[Counted]
    """usage is the provider's count for the last call."""
    window: NotRequired[int]
    """
    window is the context window of the model in use, in tokens. It applies if it is smaller than the policy's window,
    or the policy has none.
    """
    no_reserve: NotRequired[bool]
    """no_reserve reserves no part of the window for the model's output."""
    format: NotRequired[Format]
    """format is the wire format of the transcript. It applies if the policy doesn't set one."""
    only_known: NotRequired[bool]
    """only_known makes fit apply the compactions that it remembers without making a new one."""
    model: NotRequired[str]
    """model is the name of the model that the transcript is for. It applies if the policy doesn't set one."""
    background: NotRequired[bool]
    """
    background compacts above the policy's `gate.start` while the conversation continues; `check` and `fit` report when
    to start. If the model returns no summary, the transcript stays unchanged.
    """
    tried: NotRequired[int]
    """
    tried is the size of the transcript, in tokens, at the last background compaction that failed. No new one is started
    until the transcript has grown.
    """
    idle: NotRequired[float]
    """
    idle is the time that the conversation has been idle, in seconds from 0 to 1,000,000,000: the time since its last
    model call. From the policy's `gate.idle` on, the provider's prompt cache counts as cold.
    """
    cold: NotRequired[Cold]
    """
    cold is the reason why the provider's prompt cache no longer holds the conversation, regardless of Idle. It applies
    only if the policy has `gate.idle`.
    """
    redact: NotRequired[Redact]
    """redact lists texts that summarizers, digests, the ledger and the archive must not see."""
    score: NotRequired[Score]
    """score rates individual calls and messages by how much they matter to the host."""

#: Answer is the form in which the transcript is returned.
Answer = Literal[
    "messages",
    "edits",
    "report",
]


class SummaryOptions(TypedDict):
    """SummaryOptions configure the digest that one call writes."""

    mode: NotRequired[SummaryMode]
    """mode determines who writes the digest. It overrides the policy."""
    prefix: NotRequired[bool]
    """
    prefix reports whether the host can append requests to the conversation, if the policy's summary.request asks for
    that.
    """
    text: NotRequired[str]
    """text is a finished summary. If it is set, the model isn't asked."""


class Counted(TypedDict):
    """Counted is a provider's token count for the call that ended with a given message, as open returns it."""

    message: int
    """index of the message; negative counts from the end"""
    input_tokens: NotRequired[int]
    """input that was neither read from nor written to a prompt cache"""
    cache_read_tokens: NotRequired[int]
    """input read from a prompt cache"""
    cache_write_tokens: NotRequired[int]
    """input written to a prompt cache"""
    output_tokens: NotRequired[int]
    """output"""
    total_tokens: NotRequired[int]
    """total_tokens is the sum of the other counts. If it is 0, they are added up."""
    least_tokens: NotRequired[int]
    """
    least_tokens is the smallest count of any call of the same conversation: an upper bound for the system prompt and
    the tools. 0 means unknown.
    """
    exact: NotRequired[bool]
    """exact means that a tokenizer counted these messages. Such a count is always used, even after a compaction."""

#: Cold is the reason why a provider's prompt cache no longer holds a conversation, so that a compaction costs no cached
#: tokens.
Cold = Literal[
    "idle",
    "model_changed",
    "provider_changed",
    "gone",
]


class Redact(TypedDict):
    """Redact lists texts to replace in everything that a compaction writes. Messages that stay are unchanged."""

    texts: List[Redaction]
    """the texts, in any order"""


class Redaction(TypedDict):
    """Redaction is a text that a placeholder replaces wherever it occurs in a message."""

    text: str
    """text is the text to replace. It has at least 4 bytes if Whole is false."""
    placeholder: NotRequired[str]
    """
    placeholder replaces the text and has at most 100 bytes. If it is absent, the placeholder is [REDACTED:n], where n
    numbers the texts of the conversation; a text keeps its number.
    """
    whole: NotRequired[bool]
    """whole replaces the text only where a string in a message consists of nothing else."""
    failed: NotRequired[bool]
    """
    failed reports that the host's function failed on this text, so the text is replaced unchecked. The report counts
    it.
    """


class Score(TypedDict):
    """
    Score rates calls and messages by how much they matter, on a numeric scale of the host's own; anything it doesn't
    name scores 0. Items below 0 are removed first, the lowest before the others, until the target is reached: tool
    results are cleared, and texts of the assistant are cut. Items above 0 stay as if pinned, the highest first, as long
    as they take at most a quarter of the target. The user's messages, system messages, pins and open calls always stay.
    """

    calls: NotRequired[List[CallScore]]
    """scores of tool calls; of several scores for one call, the last counts"""
    messages: NotRequired[List[MessageScore]]
    """scores of messages; of several scores for one message, the last counts"""


class CallScore(TypedDict):
    """CallScore is the score for a tool call and its result."""

    id: str
    """the id of the call"""
    score: float
    """a host's number; low ones go first"""


class MessageScore(TypedDict):
    """
    MessageScore is the score for a message: for its texts, and for those tool results in it that have no score of their
    own.
    """

    message: int
    """index in the list"""
    score: float
    """a host's number; low ones go first"""


class State(TypedDict):
    """
    State is the data that a host stores with the conversation from one compaction to the next. Hosts don't change it.
    """

    round: int
    """number of compactions so far"""
    ledger: Ledger
    """the facts that earlier compactions extracted"""
    format: NotRequired[Format]
    """
    format is the wire format of the conversation. It is stored because the messages left by a compaction may no longer
    reveal it.
    """
    messages: NotRequired[int]
    """
    Messages, Fingerprint and Limit describe the result of the last compaction and the token limit that it was made for.
    While the transcript is exactly that result and the limit is no smaller, no compaction is due.
    """
    fingerprint: NotRequired[str]
    limit: NotRequired[int]
    own: NotRequired[List[str]]
    """
    own lists the messages of that result that compactions wrote, as hashes of role and text. No other message counts as
    a digest.
    """
    archive: NotRequired[str]
    """archive is the handle of the last compaction's changes, where restore starts; absent without an archive."""
    respelled: NotRequired[str]
    """
    respelled is the handle of the newest changes that were applied to a history whose tool calls are written
    differently, as in another branch. Restore puts back the calls that were compacted, and says so.
    """
    redacted: NotRequired[List[str]]
    """redacted lists hashes of the texts that were replaced, in the order of the numbers in their placeholders."""
    attempts: NotRequired[Attempts]
    """attempts prevents loops of compactions that don't help."""
    streak: NotRequired[Streak]
    """streak counts compactions that follow each other closely."""
    calibration: NotRequired[Calibration]
    """calibration compares estimates with the provider's counts."""


class Ledger(TypedDict):
    """
    Ledger holds facts about folded messages that are extracted by code, not by a model. The state carries it from one
    compaction to the next. Every digest contains it, so it can also be read back from a digest. All lists start with
    the oldest entry; a modified file is not listed as read.
    """

    task: NotRequired[str]
    """the user's first request"""
    requests: NotRequired[List[str]]
    """later requests of the user"""
    standing: NotRequired[List[str]]
    """standing lists the user's statements about how to work: rules, constraints and preferences, one sentence each."""
    read: NotRequired[List[str]]
    """files"""
    modified: NotRequired[List[str]]
    """files"""
    commands: NotRequired[List[LedgerCommand]]
    """commands that were run"""
    errors: NotRequired[List[LedgerFailure]]
    """tool calls that failed and have not succeeded since"""
    running: NotRequired[List[LedgerRunning]]
    """
    running is work that is still going on according to the folded messages: shells and agents in the background,
    timers, pending approvals.
    """
    unloaded: NotRequired[List[str]]
    """
    unloaded lists tools whose definitions came from tool searches that were folded. Calls to these tools fail until a
    new search loads them again.
    """


class LedgerCommand(TypedDict):
    """LedgerCommand is a command that the agent or the user ran."""

    command: str
    """the command, shortened if it is long"""
    exit: NotRequired[str]
    """exit code; 'failed' if only the failure is known, absent if the outcome is unknown"""


class LedgerFailure(TypedDict):
    """LedgerFailure is a failed tool call."""

    tool: str
    """the name of the tool"""
    on: NotRequired[str]
    """the file or the command"""
    text: NotRequired[str]
    """the line of the result that says what failed; absent if none does"""


class LedgerRunning(TypedDict):
    """LedgerRunning is work that continues after its tool call has returned."""

    kind: str
    """shell, agent, timer, approval or task"""
    id: str
    """the id that the tool gave it; for a timer, its time"""
    about: NotRequired[str]
    """the command, or the call's description of the work"""
    output: NotRequired[str]
    """the file that its output goes to"""


class Attempts(TypedDict):
    """
    Attempts records compactions that didn't help, so that a conversation that can't shrink isn't compacted again, with
    another call of the model, on every turn.
    """

    failed: NotRequired[int]
    """failed is the number of consecutive compactions that freed nothing, or left the transcript over its limit."""
    last_gain: NotRequired[int]
    """last_gain is the number of tokens that the last compaction freed, and Tokens the size of its result."""
    tokens: NotRequired[int]


class Streak(TypedDict):
    """
    Streak counts compactions that follow each other closely: with at most one new user message between two of them or,
    if there was none, at most two new assistant messages.
    """

    compactions: int
    """number of compactions in a row"""
    user: int
    """user and Assistant are the numbers of user and assistant messages in the last input."""
    assistant: int


class Calibration(TypedDict):
    """
    Calibration holds pairs of an estimate and the provider's count, the newest last. The counts include what a call
    sends besides the transcript (system prompt, tools); the estimates don't.
    """

    estimator: str
    """
    estimator is the name of the estimator that made these estimates, with its family. Other estimators ignore the
    calibration.
    """
    estimated: NotRequired[List[int]]
    """tokens"""
    counted: NotRequired[List[int]]
    """tokens"""
    least: NotRequired[int]
    """
    least is the lowest of the counts that were removed to limit the number of pairs: what every call sends besides the
    transcript can't be more. 0 means that none was removed. tokens
    """


class EstimateRequest(TypedDict):
    """A request of the operation estimate."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    text: NotRequired[str]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Estimate(TypedDict):
    """Estimate is the result of the operation `estimate`: the size of a transcript or a text, in tokens."""

    tokens: int
    """the estimated size"""
    source: TokenSource
    """where the number of tokens comes from"""
    bound: int
    """error bound in percent: nine of ten estimates are closer"""
    estimator: Estimator
    """the estimator that was used"""
    family: NotRequired[Family]
    """family of tokenizers that the estimate is for; only with the estimator script"""
    format: NotRequired[Format]
    """wire format of a transcript"""
    messages: NotRequired[List[int]]
    """tokens of each message"""
    beside: NotRequired[int]
    """tokens of the system prompt and tools of a request body, and of unseen content that usage has revealed"""

#: TokenSource is where a token count comes from.
TokenSource = Literal[
    "measured",
    "calibrated",
    "estimated",
    "upper_bound",
]

#: Family is a family of tokenizers.
Family = Literal[
    "o200k",
    "cl100k",
    "claude",
    "llama3",
    "gemini",
]


class CheckRequest(TypedDict):
    """A request of the operation check."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Check(TypedDict):
    """Check is the result of the operation `check`: whether compaction is due."""

    due: bool
    """whether the transcript should be compacted now"""
    start: NotRequired[bool]
    """
    start asks the host to begin a compaction in the background (option background): it isn't due yet, but the size is
    over gate.start.
    """
    notice: NotRequired[str]
    """
    notice is the policy's gate.notice, set if a compaction will come soon and the model has not been told yet. The host
    appends it to the conversation as a user message before it calls the model.
    """
    cold: NotRequired[Cold]
    """cold is the reason why the prompt cache is cold, if compaction is due only because of that."""
    reason: Reason
    """over_limit, over_bytes, cold, under_budget or unlimited"""
    tokens: int
    """the size of the transcript"""
    source: TokenSource
    """where the number of tokens comes from"""
    bound: int
    """error bound in percent: nine of ten estimates are closer"""
    limit: int
    """compaction is due above this number of tokens"""
    window: int
    """context window, in tokens; 0 if it is unknown"""
    ratio: float
    """tokens / window; 0 if the window is unknown"""
    messages: int
    """the number of messages"""
    format: Format
    """the wire format of the messages"""
    estimator: Estimator
    """the estimator that was used"""
    state: NotRequired[State]
    """state is the request's State, updated with its usage. Absent if the request has no usage."""

#: Reason is the reason why an operation did or didn't change the transcript.
Reason = Union[str, Literal[
    "compacted",
    "under_budget",
    "unknown_window",
    "no_progress",
    "gain_too_small",
    "open_thinking",
    "stuck",
    "needs_summaries",
    "over_limit",
    "over_bytes",
    "cold",
    "summary_failed",
    "repaired",
    "restored",
    "nothing_to_restore",
    "valid",
    "unlimited",
]]


class PlanRequest(TypedDict):
    """A request of the operation plan."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Planned(TypedDict):
    """
    Planned is the result of the operations plan, step and fit. While summaries are pending, it has Plan and Requests;
    when the compaction is done, it has State and the transcript.
    """

    plan: NotRequired[Plan]
    """a Plan, for the next step"""
    requests: NotRequired[List[SummaryRequest]]
    """independent requests for the host's model"""
    report: Report
    """what the compaction did, or why it did nothing"""
    state: NotRequired[State]
    """a State, for the next compaction"""
    archive: NotRequired[List[Body]]
    """
    archive lists the removed bodies, if the policy or the options ask for it. The host must store them before it uses
    the result.
    """
    start: NotRequired[bool]
    """
    start asks the host to begin a compaction in the background (option background): it isn't due yet, but the size is
    over gate.start.
    """
    known: NotRequired[int]
    """known is the index of the memory entry that fit applied, or -1. Only fit sets it."""
    known_messages: NotRequired[int]
    """
    known_messages is the number of leading messages of the history that the entry replaced; absent if the list
    continues from sent messages. Only fit sets it.
    """
    memory: NotRequired[MemoryEntry]
    """memory is a MemoryEntry for the host to keep, if fit compacted."""


class Plan(TypedDict):
    """
    Plan is the state of a compaction between plan and step, and between two steps. It is data: it can be shown, stored,
    and continued on another machine. It identifies the transcript by the number of its messages and a fingerprint;
    messages may be appended in the meantime. Hosts don't change it.
    """

    version: int
    """version of the ABI"""
    messages: int
    """number of messages for which the plan was made"""
    fingerprint: str
    """fingerprint of those messages"""
    format: Format
    """the wire format of the transcript"""
    model: NotRequired[str]
    """model is the model named by the result of open, if the policy doesn't name one."""
    policy: Policy
    """the Policy as it was sent"""
    options: NotRequired[Options]
    """options are the options with which the plan was made, without the usage, which Correction replaces."""
    state: State
    """the State that the request had; zero without one"""
    replies: NotRequired[List[Summary]]
    """the summaries that earlier steps received"""
    asked: NotRequired[List[str]]
    """asked lists the ids of the pending requests. A request that the next step doesn't answer counts as failed."""
    fit: NotRequired[bool]
    """fit reports whether the plan was made by fit: its steps need the same memory."""
    changing: NotRequired[bool]
    """
    changing reports whether the text of the first message changes between requests, so that the compaction keeps it.
    """
    correction: NotRequired[Correction]
    """correction adjusts the estimates to the provider's count."""


class Summary(TypedDict):
    """Summary is the model's response to a request, or an error."""

    id: str
    """the id of the request"""
    text: NotRequired[str]
    """the summary; absent if there is an error, or messages"""
    messages: NotRequired[List[Dict[str, Any]]]
    """
    messages are the provider's result for a request with `provider`: a list of messages of its format, which go into
    the result unchanged. The `output` of OpenAI is such a list; Anthropic's `content` belongs in one assistant message.
    """
    finish_reason: NotRequired[str]
    """finish_reason is the reason why the model stopped, in any provider's terms."""
    error: NotRequired[str]
    """error is the reason why there is no text."""
    stream: NotRequired[bool]
    """whether the host has shown the text while it was streamed"""
    usage: NotRequired[CallUsage]
    """usage is the provider's count for the request."""


class CallUsage(TypedDict):
    """
    CallUsage is a provider's count for model calls, in tokens. InputTokens exclude tokens read from or written to a
    prompt cache.
    """

    input_tokens: int
    """input, without the two kinds below"""
    cache_read_tokens: int
    """input read from a prompt cache"""
    cache_write_tokens: int
    """input written to a prompt cache"""
    output_tokens: int
    """output"""


class Correction(TypedDict):
    """Correction adjusts the estimates of an estimator to a provider's counts."""

    scale: int
    """factor of all estimates, in 1/65,536"""
    fixed: int
    """tokens outside the transcript"""
    source: TokenSource
    """where the counts come from"""
    bound: int
    """percent"""


class SummaryRequest(TypedDict):
    """SummaryRequest asks the host's model for a summary."""

    id: str
    """return it with the summary"""
    scope: Scope
    """which part of the conversation the summary covers"""
    system: str
    """the system prompt for the model"""
    prompt: str
    """the user message for the model; it contains the fenced record of the session"""
    max_output_tokens: int
    """maximum size of the summary, in tokens"""
    input_tokens: int
    """estimate of `system` and `prompt`; never over `summary.max_input_tokens`"""
    temperature: NotRequired[float]
    """temperature is the temperature for the model; if it is absent, the host decides."""
    thinking: NotRequired[ThinkingEffort]
    """thinking is the amount of thinking to ask of the model; if it is absent, the host decides."""
    provider: NotRequired[ProviderRequest]
    """
    provider is a call of the provider's own compaction, if the policy has `summary.provider`. Its result is returned as
    the `messages` of the Summary. System and Prompt are the fallback for the model.
    """
    conversation: NotRequired[RequestConversation]
    """
    conversation is present if the request is appended to the conversation: the host repeats its last request with these
    changes to the messages and the body, which already contain System and Prompt.
    """
    lead: NotRequired[str]
    """lead is text to show before a streamed summary. It is present only if two summaries are joined."""

#: Scope is the part of the conversation that a request for a summary covers.
Scope = Literal[
    "session",
    "update",
    "turn_prefix",
    "part",
    "merge",
    "branch",
    "tool_output",
]

#: ThinkingEffort is the amount of thinking that a request for a summary asks of the model.
ThinkingEffort = Literal[
    "high",
]


class ProviderRequest(TypedDict):
    """
    ProviderRequest is a call of a provider's own compaction. The host adds `model`, which should be the conversation's,
    and `max_tokens` if the API requires it.
    """

    format: Format
    """format of the API: anthropic or openai-responses"""
    path: str
    """path to POST to, relative to the address of the API: /v1/messages or /v1/responses/compact"""
    beta: NotRequired[str]
    """the value of the header anthropic-beta"""
    body: Dict[str, Any]
    """the request body, to which the host adds the members named above"""


class RequestConversation(TypedDict):
    """
    RequestConversation is a request for a summary that is appended to the conversation. It starts with what the
    provider was sent last, so the provider reads that from its prompt cache.
    """

    edits: List[Edit]
    """edits that turn the input messages into the messages to send, with the instruction last"""
    body: Dict[str, Any]
    """
    body is a JSON Merge Patch (RFC 7396) for the request body outside its messages: the limit of the answer, no tool
    calls, no streaming. A host that streams the answer sets that itself.
    """


class Report(TypedDict):
    """
    Report describes what an operation did to a transcript, or why it did nothing. All tokens are estimates by the
    report's estimator.
    """

    reason: Reason
    """why the transcript was changed, or why it wasn't"""
    changed: bool
    """whether the transcript has changed"""
    cold: NotRequired[Cold]
    """
    cold is the reason why the prompt cache is cold, if compaction is due only because of that and the transcript is
    below the limit.
    """
    fits: bool
    """
    fits reports whether the result is within the limit, or there is no limit. While summaries are pending, it reports
    whether the content that can be neither folded nor cut fits.
    """
    over: NotRequired[Excess]
    """
    over is by how many tokens the result exceeds the limit, and which messages take the most room. Absent if the result
    fits.
    """
    thrashing: NotRequired[Thrashing]
    """thrashing is present if compactions follow each other too closely."""
    preset: Preset
    """the preset of the policy"""
    format: Format
    """the wire format of the transcript"""
    estimator: Estimator
    """the estimator of all token counts"""
    tokens: ReportTokens
    """size of the transcript"""
    messages: Count
    """number of messages"""
    cleared: int
    """tool results replaced with a marker"""
    squeezed: NotRequired[int]
    """tool results rewritten in fewer tokens"""
    truncated: int
    """texts whose middle was cut"""
    folded: int
    """messages replaced with the digest, or with a line per turn"""
    dropped: int
    """messages removed, leaving only their count"""
    restored: int
    """files put back after the digest"""
    repaired: int
    """violations of the input that were repaired"""
    counts: NotRequired[List[PassCount]]
    """counts are counters of passes for which the report has no key."""
    stable_prefix: StablePrefix
    """stable_prefix is the unchanged start of the list."""
    cut_point: NotRequired[int]
    """
    cut_point is the index in the input list of the first message of the tail that a fold kept; absent if nothing was
    folded.
    """
    summary: ReportSummary
    """where the digest comes from"""
    actions: List[Action]
    """one per changed message"""
    bytes: NotRequired[ReportBytes]
    """if the policy has max_bytes"""
    cache: NotRequired[ReportCache]
    """
    cache is the effect on the provider's prompt cache; absent if nothing changes. While summaries are pending, it is a
    forecast.
    """
    thinking: NotRequired[ReportThinking]
    """thinking is present if the transcript has signed thinking."""
    left: NotRequired[List[LeftViolation]]
    """
    left lists the violations in the returned messages that the provider would refuse and that no repair could fix, as
    `validate` would list them. If the input is returned unchanged, it lists all of its refused violations. Nothing is
    checked without wire_safe, or if no compaction was due.
    """
    running: NotRequired[List[LedgerRunning]]
    """
    running lists work that was started in folded messages and is still going on: shells and agents in the background,
    timers, pending approvals. The digest lists it too.
    """
    unloaded_tools: NotRequired[List[str]]
    """
    unloaded_tools lists tools whose definitions came from tool searches that were folded. Calls to these tools fail
    until a new search loads them again.
    """
    instructions: NotRequired[int]
    """
    instructions is the number of messages that stay because they contain project instructions, and InstructionTokens is
    their total size.
    """
    instruction_tokens: NotRequired[int]
    refill: NotRequired[Refill]
    """
    refill breaks down what has filled the window since the last compaction, or since the beginning; absent if no
    compaction is due.
    """
    notice: NotRequired[str]
    """
    notice is the policy's gate.notice, set if a compaction will come soon and the model has not been told yet. The host
    appends it to the conversation as a user message before it calls the model.
    """
    redacted: NotRequired[ReportRedacted]
    """
    redacted counts what the option redact replaced in the texts that the compaction read; absent if nothing was
    replaced.
    """
    decisions: NotRequired[List[Decision]]
    """decisions lists what happened to each message, if the policy asks for a log."""


class Excess(TypedDict):
    """
    Excess describes by how much a result exceeds its limit, and which messages take the most room. All sizes are
    tokens.
    """

    limit: int
    """tokens over the limit"""
    window: int
    """tokens over the window; 0 if the result fits into it, or the window is unknown"""
    causes: List[Cause]
    """the largest first, at most five"""
    text: str
    """for people: the numbers, the largest cause, and what to do about it"""


class Cause(TypedDict):
    """Cause is a large message in a result that doesn't fit, and why it is still there."""

    message: int
    """message is an index in the input list, or -1 for anything outside it."""
    why: ExcessCause
    """why it is still there"""
    tokens: int
    """size of the message in the result"""

#: ExcessCause is the reason why a large message is still in a result that does not fit.
ExcessCause = Literal[
    "beside",
    "system",
    "newest_user",
    "pinned",
    "provider",
    "open_call",
    "pair",
    "new",
    "kept",
]


class Thrashing(TypedDict):
    """Thrashing reports that compactions follow each other too closely, with the likely cause."""

    compactions: int
    """in a row, including this one"""
    cause: ThrashingCause
    """the likely cause"""
    text: str
    """for people: the cause, and what to do about it"""

#: ThrashingCause is the likely cause of compactions that follow each other too closely.
ThrashingCause = Literal[
    "whole_history",
    "pinned",
    "newest_messages",
    "target",
    "window",
]


class ReportTokens(TypedDict):
    """
    ReportTokens is the size of a transcript before and after a compaction, in tokens. While summaries are pending,
    After excludes them.
    """

    before: int
    """size of the input"""
    after: int
    """size of the result; the same as Before if nothing changed"""
    limit: int
    """compaction is due above this size"""
    window: int
    """context window; 0 if it is unknown"""
    source: TokenSource
    """source is where the token counts come from."""
    bound: int
    """error bound in percent: nine of ten estimates are closer"""


class Count(TypedDict):
    """Count holds the number of messages before and after a compaction."""

    before: int
    """messages in the input"""
    after: int
    """messages in the result"""


class PassCount(TypedDict):
    """PassCount is a counter of a pass for which the report has no key."""

    name: str
    """name of the counter, as in PassInfo"""
    count: int
    """its value"""


class StablePrefix(TypedDict):
    """StablePrefix is the unchanged start of the list, which a provider's prompt cache can still serve."""

    messages: int
    """number of unchanged messages"""
    bytes: int
    """bytes of the list that are unchanged, from its opening bracket"""
    tokens: int
    """estimated size of those messages"""


class ReportSummary(TypedDict):
    """ReportSummary describes where the digest comes from, and why the model's summary was rejected."""

    source: SummarySource
    """who wrote the digest; 'none' if there is none"""
    why: NotRequired[SummaryFault]
    """why the model's summary was rejected; absent if it wasn't"""
    error: NotRequired[str]
    """
    error is the host's message about the first request that it could not answer, such as the text of the summarizer's
    exception; at most 300 code points. Absent if the host gave none, or the model's summary was used.
    """
    score: NotRequired[float]
    """
    score is the share of the folded messages' facts that the digest contains, from 0 to 1: paths, addresses,
    identifiers, numbers and errors, as code finds them. Absent if no digest was written.
    """
    request: NotRequired[SummaryShape]
    """request is the form in which the model was asked; absent if it wasn't, or the host can only send a record."""
    usage: NotRequired[CallUsage]
    """usage is the provider's count for all requests whose summaries had one."""
    saved: NotRequired[float]
    """
    saved is how much a prompt cache reduced the cost of these requests at the policy's prices, in their currency;
    negative if writing to the cache cost more. Absent without prices or usage.
    """
    unfounded: NotRequired[float]
    """
    unfounded is the share of the paths, addresses and identifiers in the model's text that its input doesn't contain,
    from 0 to 1: the model may have invented them. Absent if it is 0, or the model wrote nothing.
    """

#: SummarySource is where a digest comes from.
SummarySource = Literal[
    "none",
    "model",
    "provider",
    "host",
    "local",
]

#: SummaryFault is the reason why a summary by the host's model was rejected.
SummaryFault = Literal[
    "summarizer_failed",
    "empty_summary",
    "too_short",
    "cut_off",
    "refusal",
    "answers_conversation",
    "tool_call",
    "too_long",
    "larger_than_folded",
    "missing_headings",
    "repetitive",
    "unfounded",
    "off_topic",
    "no_room_for_request",
]

#: SummaryShape is the form in which the model is asked for a summary.
SummaryShape = Literal[
    "flat",
    "prefix",
]


#: Action is one change to a message, or to a run of messages.
Action = TypedDict(
    "Action",
    {
        #: what was done
        "action": "ActionName",
        #: what made the change
        "pass": "Doer",
        #: message is an index in the input list, or -1 for a new message.
        "message": "int",
        #: tokens is the number of tokens that the action saved; negative if it added some.
        "tokens": "int",
        #: the tool of a changed result
        "tool": "NotRequired[str]",
        #: the restored file
        "path": "NotRequired[str]",
        #: the rule that a repair fixed
        "rule": "NotRequired[str]",
    },
)

#: ActionName is what an operation did to a message, such as "drop" or "truncate".
ActionName = Literal[
    "clear",
    "squeeze",
    "dedupe",
    "archive",
    "shrink",
    "truncate",
    "fold",
    "insert",
    "restore",
    "strip",
    "drop",
    "move",
    "rename",
    "add",
    "sign",
    "wrap",
    "replace",
]

#: Doer is the pass that changed a message, or a step outside the passes.
Doer = Literal[
    "repair",
    "thinking",
    "bytes",
    "score",
    "changing",
    "last_resort",
    "restore",
    "archive",
    "clear",
    "collapse",
    "dedupe",
    "drop",
    "fit",
    "fold",
    "reasoning",
    "rehydrate",
    "squeeze",
    "tool_digest",
    "truncate",
]


class ReportBytes(TypedDict):
    """ReportBytes is the size of the message list as JSON, in bytes."""

    before: int
    """size of the input"""
    after: int
    """size of the result"""
    limit: int
    """the policy's max_bytes"""


class ReportCache(TypedDict):
    """
    ReportCache is the effect of a compaction on the provider's prompt cache. Reread and saved tokens are per later
    call; turns are model calls.
    """

    first_changed_message: int
    """index in the result's list"""
    first_changed_byte: int
    """offset in the result's list, from its opening bracket"""
    reread_tokens: int
    """tokens after the first change, which the cache doesn't have"""
    saved_tokens: int
    """tokens that each later call saves"""
    turns_to_pay: NotRequired[int]
    """
    turns_to_pay is the number of calls after which the compaction has paid for itself at the policy's prices, or at the
    list prices of its model. Its costs are rereading everything after the first change, and the summary. -1 means
    never; absent without prices and for unknown models.
    """


class ReportThinking(TypedDict):
    """ReportThinking describes the changes to signed thinking in a result that has changed."""

    mode: ThinkingMode
    """how the model thinks"""
    source: ThinkingSource
    """how ctxfold determined the mode"""
    kept: int
    """kept is the number of signed parts in the result, and Stripped the number removed from messages that stay."""
    stripped: int
    closed: NotRequired[int]
    """closed is the number of messages of the open tool loop that were rewritten as text."""

#: ThinkingMode is how a model thinks.
ThinkingMode = Literal[
    "manual",
    "adaptive",
    "drop_block",
    "off",
    "unknown",
]

#: ThinkingSource is how ctxfold determined a model's thinking mode.
ThinkingSource = Literal[
    "policy",
    "request",
    "model",
    "format",
    "none",
]


class LeftViolation(TypedDict):
    """LeftViolation is a violation in the returned messages that no repair could fix."""

    rule: str
    """its id in docs/guides/formats.md"""
    message: int
    """index in the list of the result"""
    text: str
    """what is wrong, for people"""


class Refill(TypedDict):
    """
    Refill breaks down the size of the messages since the last compaction by kind, in tokens. The kinds add up to
    Tokens.
    """

    messages: int
    """the number of messages, not tokens"""
    tokens: int
    """the total"""
    user: NotRequired[int]
    """the user's texts"""
    assistant: NotRequired[int]
    """the assistant's texts"""
    reasoning: NotRequired[int]
    """thinking and reasoning of the assistant"""
    tool_calls: NotRequired[int]
    """names and arguments"""
    tool_results: NotRequired[int]
    """including media in the results"""
    media: NotRequired[int]
    """images, audio and files in other messages"""
    other: NotRequired[int]
    """
    other is the size of system messages, of content that only the provider can read, and of each message's overhead.
    """


class ReportRedacted(TypedDict):
    """ReportRedacted counts what was replaced with placeholders."""

    texts: int
    """number of different texts"""
    places: int
    """number of occurrences, including those in messages that stay"""
    failed: NotRequired[int]
    """texts that were replaced because the host's function failed on them"""


#: Decision describes the outcome for one message of the input.
Decision = TypedDict(
    "Decision",
    {
        #: index in the input list
        "message": "int",
        #: decision is "kept", "pinned", or the last action on the message.
        "decision": "DecisionName",
        #: the pass or step that decided
        "pass": "NotRequired[Doer]",
        #: rule is the rule that a repair fixed, or why the message is pinned: "system", "newest_user", "provider",
        #: "instructions", "score" or "pins[n]".
        "rule": "NotRequired[str]",
        #: tokens of the message
        "before": "int",
        #: its tokens after the compaction; 0 if it was removed
        "after": "int",
    },
)

#: DecisionName is the outcome for a message: kept, pinned, or the ActionName of the last action on it.
DecisionName = Literal[
    "kept",
    "pinned",
    "clear",
    "squeeze",
    "dedupe",
    "archive",
    "shrink",
    "truncate",
    "fold",
    "insert",
    "restore",
    "strip",
    "drop",
    "move",
    "rename",
    "add",
    "sign",
    "wrap",
    "replace",
]


class Body(TypedDict):
    """Body is content that was removed from the transcript. The host stores it."""

    handle: str
    """SHA-256 of the body, in 64 hexadecimal digits; markers name the first 16"""
    what: BodyKind
    """the kind of the content"""
    message: int
    """
    message is the index in the input list of the message that contained the body. For a fold it is the index of the
    first folded message; for changes, that of the first message that only the body contains, or -1.
    """
    tool: NotRequired[str]
    """the tool whose result this is"""
    bytes: int
    """size of the body, in bytes"""
    tokens: int
    """its estimated size in the transcript, in tokens"""
    places: NotRequired[List[Any]]
    """
    places are the byte ranges of the body, [[from,to]], relative to the start of the request's messages. The body of a
    fold, and of changes, is a JSON list: its elements are these ranges, and numbers and strings that are copied into it
    unchanged.
    """
    body: NotRequired[str]
    """body is the body itself as JSON, if the options ask for it or the request doesn't contain it."""

#: BodyKind is the kind of content that an archived body was in the transcript.
BodyKind = Literal[
    "tool_result",
    "text",
    "image",
    "audio",
    "file",
    "fold",
    "changes",
]


class MemoryEntry(TypedDict):
    """
    MemoryEntry is a host's record of a compaction by fit: how the messages at the beginning of a history were replaced.
    Later messages don't matter, except those that the compaction changed individually. Hosts don't change an entry, but
    may add members of their own.
    """

    version: int
    """version of this structure; entries of unknown versions are ignored"""
    format: Format
    """the wire format of the history"""
    messages: int
    """number of history messages that the compaction covered, including those that it kept"""
    print: str
    """fingerprint of those messages"""
    later: NotRequired[str]
    """
    later is their fingerprint without the text of the first message that isn't a system message. If that text changes,
    the entry still applies, provided that it keeps the message.
    """
    changing: NotRequired[bool]
    """that text had changed before, so the compaction keeps the message"""
    clip: NotRequired[int]
    """bytes that are sent of each text of that message, its beginning and its end; 0 if all of it"""
    sent_messages: int
    """number of sent messages by which a program that continued from the result is recognized"""
    sent: str
    """fingerprint of those messages"""
    edits: List[MemoryEdit]
    """
    edits produce the messages that are sent in place of the covered messages. Behind are the changes to individual
    later messages; each applies as long as its message exists.
    """
    behind: NotRequired[List[MemoryEdit]]
    points: NotRequired[List[MemoryPoint]]
    """points are longer beginnings of the history at the time of the compaction, longest first."""
    newest: NotRequired[bool]
    """the newest message of the user was replaced too"""
    calls: NotRequired[str]
    """
    calls is the fingerprint of how the covered messages write their tool calls, which Print ignores: the text of
    arguments or the order of their members, and ids.
    """
    state: State
    """the State after the compaction"""
    given: NotRequired[MemoryEntry]
    """
    given is the same compaction relative to the list that the program passed, if that list continued from what had been
    sent before.
    """


class MemoryEdit(TypedDict):
    """
    MemoryEdit is an Edit of a [MemoryEntry]. For messages after those that the entry replaced, it has either Set and
    Message, or Drop, or Insert and Before. Indexes refer to the history at the time of the compaction.
    """

    keep: NotRequired[List[int]]
    """[from, to]: the messages from the first index up to, but not including, the second"""
    insert: NotRequired[Any]
    """a new message"""
    set: NotRequired[int]
    """index of a changed message"""
    message: NotRequired[Any]
    """the changed message"""
    drop: NotRequired[int]
    """index of a message that is omitted"""
    before: NotRequired[int]
    """index of the message before which the new one is inserted"""
    print: NotRequired[str]
    """fingerprint of that message alone, which must match"""
    raw: NotRequired[str]
    """fingerprint of its bytes; if it differs, cache breakpoints may have moved"""
    on: NotRequired[str]
    """fingerprint of a later message, which must exist"""
    after: NotRequired[str]
    """fingerprint of the message after which the new one is inserted"""
    calls: NotRequired[str]
    """fingerprint of how that message writes its tool calls, which must match too"""
    role: NotRequired[str]
    """instead of fingerprints: the role of the message before which the new one is inserted"""


class MemoryPoint(TypedDict):
    """MemoryPoint is a longer beginning of a compacted history, and the messages that were sent for it."""

    messages: int
    """number of history messages in this beginning"""
    print: str
    """fingerprint of those messages"""
    sent_messages: int
    """number of messages that were sent for them"""
    sent: str
    """fingerprint of the sent messages"""


class StepRequest(TypedDict):
    """A request of the operation step."""

    plan: Plan
    summaries: NotRequired[List[Summary]]
    messages: NotRequired[Any]
    session: NotRequired[int]
    memory: NotRequired[List[MemoryEntry]]


class FitRequest(TypedDict):
    """A request of the operation fit."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    messages: NotRequired[Any]
    memory: NotRequired[List[MemoryEntry]]


class PrintsRequest(TypedDict):
    """A request of the operation prints."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    messages: NotRequired[Any]


class Prints(TypedDict):
    """Prints is the result of the operation `prints`."""

    format: Format
    """the wire format of the messages"""
    prints: List[str]
    """fingerprints of the first one, two, … messages"""
    later: List[str]
    """
    later are the same fingerprints, except that those that reach beyond the first message that isn't a system message
    ignore the text of that message.
    """
    model: NotRequired[str]
    """model is the model that a request body or an answer of open names."""


class ValidateRequest(TypedDict):
    """A request of the operation validate."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Validation(TypedDict):
    """Validation is the result of the operation `validate`: the rules of the wire format that a transcript breaks."""

    valid: bool
    """whether the provider would accept the transcript"""
    format: Format
    """the wire format whose rules were checked"""
    messages: int
    """the number of messages"""
    violations: List[Violation]
    """empty if there are none"""


class Violation(TypedDict):
    """Violation is a rule that the transcript breaks."""

    rule: str
    """its id in docs/guides/formats.md"""
    message: int
    """index in the list; -1 for anything outside it"""
    path: str
    """path of the value, as in an Error"""
    offset: int
    """bytes from the start of the request"""
    text: str
    """what is wrong, for people"""
    severity: Severity
    """severity is how the provider reacts to the violation."""
    repair: Repair
    """how repair fixes it; tolerated violations only if the policy has `'repair':'all'`"""

#: Severity is how the provider reacts to a violation.
Severity = Literal[
    "refused",
    "tolerated",
]

#: Repair is the way in which repair fixes a violation.
Repair = Literal[
    "none",
    "add_result",
    "drop_part",
    "drop_message",
    "rename_id",
    "add_user",
    "move_result",
    "add_turn",
    "wrap_body",
    "sign",
    "drop_caller",
    "replace",
    "fill_body",
    "add_reasoning",
]


class RepairRequest(TypedDict):
    """A request of the operation repair."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]


class RepairedMessages(TypedDict):
    """RepairedMessages is the result of the operation `repair`."""

    valid: bool
    """whether the provider would accept the result"""
    report: Report
    """which violations were repaired"""


class ConvertRequest(TypedDict):
    """A request of the operation convert."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    messages: NotRequired[Any]
    session: NotRequired[int]
    to: Format


#: Converted is the result of the operation `convert`.
Converted = TypedDict(
    "Converted",
    {
        #: the format of the input
        "from": "Format",
        #: the format of the result
        "to": "Format",
        #: valid reports whether the provider of the new format would accept the result.
        "valid": "bool",
        #: lost lists everything that was not carried over, or only in another form, in the order of the messages.
        "lost": "List[Loss]",
        #: report lists the repairs of the result; its message indexes refer to the result.
        "report": "Report",
        #: system is the system prompt of a list of messages, if the new format keeps it outside the list: the value of
        #: the request's member for it, in the shape of the format.
        "system": "NotRequired[Any]",
    },
)


class Loss(TypedDict):
    """Loss is something that was not carried over into another wire format, or only in part."""

    message: int
    """index in the input list; -1 for anything outside it"""
    path: str
    """path of the message or part"""
    kind: LossKind
    """what was lost"""
    reason: LossReason
    """why it was lost"""
    instead: LossInstead
    """what the result has in its place"""
    detail: NotRequired[str]
    """
    detail names what was lost: a member's key, a type or a tool. For an id or name that was changed, it is the new one.
    """
    count: NotRequired[int]
    """
    count is the number of messages or parts with metadata of this name; Message and Path locate the first. Absent if it
    is one.
    """

#: LossKind is the kind of content that a conversion did not carry over: a kind of part, a member, a message or tools.
LossKind = Literal[
    "text",
    "reasoning",
    "image",
    "audio",
    "file",
    "tool_call",
    "tool_result",
    "opaque",
    "member",
    "message",
    "tools",
]

#: LossReason is the reason why a conversion did not carry something over unchanged. Reasons are stable.
LossReason = Literal[
    "signed",
    "server_tool",
    "provider_only",
    "opaque",
    "no_place",
    "media_type",
    "url",
    "cache_mark",
    "citations",
    "error_flag",
    "id_form",
    "name_form",
    "arguments",
    "orphan",
    "role",
    "system_place",
    "empty",
    "not_sent",
    "name",
    "tools",
    "beside",
    "metadata",
]

#: LossInstead is the replacement for content that was not carried over.
LossInstead = Literal[
    "nothing",
    "text",
    "unsigned",
    "moved",
    "changed",
    "wrapped",
    "user",
    "system",
]


class Kept(TypedDict):
    """Kept is archived content that the host kept."""

    handle: str
    """the handle, or at least its first 16 digits"""
    body: str
    """JSON"""


class RestoreRequest(TypedDict):
    """A request of the operation restore."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    bodies: NotRequired[List[Kept]]
    session: NotRequired[int]


class RestoredMessages(TypedDict):
    """RestoredMessages is the result of the operation `restore`."""

    report: Report
    """which content was put back"""
    valid: bool
    """valid reports whether the result breaks no rule of its format."""
    markers: List[Marker]
    """
    markers lists the markers in the result that still name a handle, and changes of compactions that could not be
    undone.
    """
    state: NotRequired[State]
    """state is the State of the result, if the request had one."""


class Marker(TypedDict):
    """
    Marker is a place in a transcript that names the handle of removed content. Changes have no place: the state or
    another body names their handle.
    """

    handle: str
    """its first 16 digits; for changes all 64"""
    what: BodyKind
    """what the content was"""
    message: int
    """index in the result's list; -1 for changes"""
    why: NotRequired[MarkerFault]
    """why is the reason why a given body was not put back."""

#: MarkerFault is the reason why a body was not put back although it was given.
MarkerFault = Literal[
    "changed",
    "respelled",
    "corrupt",
]


class NamedHandles(TypedDict):
    """NamedHandles is the result of the operation `restore` if it is given bodies but no messages."""

    handles: List[str]
    """the handles that the bodies name"""
    corrupt: List[str]
    """the handles whose bodies don't match them"""


class DigestsRequest(TypedDict):
    """A request of the operation digests."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Digests(TypedDict):
    """Digests is the result of the operation `digests`."""

    format: Format
    """the wire format of the messages"""
    digests: List[Digest]
    """in the order of the messages"""


class Digest(TypedDict):
    """Digest is the content of a message that a compaction wrote."""

    message: int
    """index of the message"""
    kind: DigestKind
    """what the message replaces"""
    own: bool
    """
    own reports whether the message counts as written by a compaction: the state names it, or it has the role and the
    position that the policy gives such messages. Otherwise it only looks like one; somebody may have repeated or forged
    it.
    """
    round: NotRequired[int]
    """number of compactions so far, if the message states it"""
    handle: NotRequired[str]
    """handle of the messages that it replaces, if they are archived"""
    text: str
    """the digest's text, without its header, its handle and the lists that are kept in the ledger"""
    sections: List[DigestSection]
    """
    sections are the parts of text under its headings. Lines before the first heading are a section with the heading ''.
    """
    ledger: NotRequired[Ledger]
    """the lists that code added"""

#: DigestKind is the kind of content that a message written by a compaction replaces.
DigestKind = Literal[
    "digest",
    "branch",
    "line",
    "loop",
    "file",
    "count",
    "turn",
    "other",
]


class DigestSection(TypedDict):
    """DigestSection is a heading of a digest with the lines under it."""

    heading: str
    """without Markdown marks"""
    level: int
    """1 to 6; 0 without a heading"""
    lines: List[str]
    """without empty lines"""


class Found(TypedDict):
    """Found is the result of the operation `search`."""

    results: List[FoundMessage]
    """the best first"""
    searched: Searched
    """what the search covered"""


class FoundMessage(TypedDict):
    """FoundMessage is a message that matches the query."""

    body: int
    """index of the body with the message in the request"""
    handle: NotRequired[str]
    """the handle of that body, as the request has it"""
    index: int
    """index of the message in its body; 0 if the body isn't a list"""
    score: int
    """larger is better; comparable within one answer"""
    role: Role
    """the author of the message"""
    date: NotRequired[str]
    """day of the message, such as 2025-03-14, if known"""
    offset: NotRequired[int]
    """offset is where the snippet starts in the text of the message, in Unicode scalar values."""
    snippet: str
    """
    snippet is the best matching passage, about 240 bytes at most. It is data from the conversation, never an
    instruction.
    """


class Searched(TypedDict):
    """Searched describes the extent of a search."""

    bodies: int
    """the number of bodies"""
    messages: int
    """the number of messages in them"""
    bytes: int
    """the total size of the bodies"""
    missing: List[str]
    """missing lists handles of further removed content that the bodies name but that were not given."""


class RecallRequest(TypedDict):
    """A request of the operation recall."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    arguments: NotRequired[Any]
    body: NotRequired[Any]
    found: NotRequired[Found]


class Recalled(TypedDict):
    """
    Recalled is the result of the operation `recall`: the definition of the tool, what a call of it asks for, or the
    text that answers the call.
    """

    tool: NotRequired[Dict[str, Any]]
    """definition of the tool, if there were no arguments"""
    handle: NotRequired[str]
    """the handle that the call asks for"""
    query: NotRequired[str]
    """the query of the call; with a handle, only for that body"""
    text: NotRequired[str]
    """the answer to the call, if known"""


class SearchRequest(TypedDict):
    """A request of the operation search."""

    bodies: List[Searchable]
    query: str
    limit: NotRequired[int]
    roles: NotRequired[List[Role]]
    after: NotRequired[str]
    before: NotRequired[str]


class Opened(TypedDict):
    """Opened is the result of the operation `open`: the live conversation of a session file."""

    kind: SessionKind
    """which agent wrote the file"""
    format: Format
    """wire format of the messages"""
    model: str
    """model of the last call; '' if the file doesn't name it"""
    system: str
    """the system prompt; '' if the file doesn't have it"""
    usage: Counted
    """the provider's last count since the last compaction, or null"""
    skipped: List[Skipped]
    """what was left out, sorted by What"""
    messages: List[Any]
    """messages is the list of messages of the agent's next request."""

#: SessionKind is the kind of a session file; docs/guides/sessions.md describes them.
SessionKind = Literal[
    "claude-code",
    "cline",
    "codex",
    "copilot",
    "gemini-cli",
    "goose",
    "letta",
    "librechat",
    "open-webui",
    "llamaindex",
    "opencode",
    "openhands",
    "pi",
    "roo-code",
    "semantic-kernel",
]


class Skipped(TypedDict):
    """Skipped is the number of entries of a session file that are not in the messages, for one reason."""

    what: SkipReason
    """why the entries were left out"""
    count: int
    """the number of entries"""

#: SkipReason is the reason why an entry of a session file is not among its messages.
SkipReason = Literal[
    "api_error",
    "branch",
    "compacted",
    "duplicate",
    "empty",
    "excluded",
    "failed",
    "meta",
    "rolled_back",
    "side_chain",
    "unfinished_line",
]


class SaveRequest(TypedDict):
    """A request of the operation save."""

    messages: Any
    file: str
    tokens: NotRequired[int]
    time: NotRequired[str]


class Saved(TypedDict):
    """
    Saved is the result of the operation `save`: the new file is the first Kept bytes of the old one, followed by Text.
    """

    kind: SessionKind
    """which agent's format the file has"""
    kept: int
    """bytes"""
    text: str
    """the rest of the new file"""


class SessionOpenRequest(TypedDict):
    """A request of the operation session_open."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]


class SessionInfo(TypedDict):
    """SessionInfo is the result of the operations session_open and session_append: the size of the session."""

    session: int
    """number by which requests refer to the session"""
    messages: int
    """number of messages"""
    tokens: int
    """size of the messages, and of the system prompt and tools sent with them"""
    format: Union[Format, Literal['']]
    """'' until the policy or the messages determine it"""


class SessionAppendRequest(TypedDict):
    """A request of the operation session_append."""

    messages: NotRequired[Any]
    session: int


class SessionCloseRequest(TypedDict):
    """A request of the operation session_close."""

    session: int


class ClosedSession(TypedDict):
    """ClosedSession is the result of the operation `session_close`."""

    closed: int
    """the number of the session"""


class Failure(TypedDict):
    """Failure describes a model call, whether it failed or not. All members are optional."""

    status: NotRequired[int]
    """HTTP status code"""
    body: NotRequired[str]
    """body of the response, or the text of the error"""
    provider: NotRequired[str]
    """name of the provider; it helps with responses that have no body"""
    model: NotRequired[str]
    """the model that was called"""
    current_model: NotRequired[str]
    """the model in use now"""
    finish_reason: NotRequired[str]
    """why a successful call stopped, in the provider's terms"""
    usage: NotRequired[FailureUsage]
    """usage of a successful call"""
    window: NotRequired[int]
    """context window of the model, in tokens"""
    typed: NotRequired[bool]
    """whether the host's client identified the error as an overflow"""


class FailureUsage(TypedDict):
    """
    FailureUsage is the usage of a successful call, in tokens. Input excludes tokens read from or written to the cache.
    """

    input_tokens: NotRequired[int]
    """input, without the two kinds below"""
    cache_read_tokens: NotRequired[int]
    """input read from a prompt cache"""
    cache_write_tokens: NotRequired[int]
    """input written to a prompt cache"""
    output_tokens: NotRequired[int]
    """output"""


class ClassifyErrorRequest(TypedDict):
    """A request of the operation classify_error."""

    arguments: Failure


#: Verdict is the result of the operation `classify_error`.
Verdict = TypedDict(
    "Verdict",
    {
        #: why the call failed; "none" if it succeeded or the failure is unknown
        "class": "FailureClass",
        #: whether a compaction and one retry may help
        "overflow": "bool",
        #: whether the messages did not fit although the provider reported no error
        "silent": "bool",
        #: the provider whose wording was recognized; absent if none was
        "provider": "NotRequired[str]",
        #: the provider's message, taken from the JSON of the body; "" if there is none
        "message": "str",
        #: size of the request in tokens, if the provider or the usage reveals it
        "used_tokens": "NotRequired[int]",
        #: the limit in tokens, if the provider names it or, for a silent overflow, the window
        "limit_tokens": "NotRequired[int]",
    },
)

#: FailureClass is the reason why a model call failed.
FailureClass = Literal[
    "none",
    "context_overflow",
    "rate_limit",
    "other_model",
    "output_limit",
    "payload_too_large",
    "provider_error",
]


class OutputLimits(TypedDict):
    """
    OutputLimits are the size limits for a tool's output. A maximum of 0 or less means unlimited. Absent members have
    their defaults: 2,000 lines, 51,200 bytes, no limit of characters, and 204,800 characters for SpillChars.
    """

    max_lines: NotRequired[int]
    """lines"""
    max_bytes: NotRequired[int]
    """UTF-8"""
    max_chars: NotRequired[int]
    """Unicode scalar values"""
    spill_chars: NotRequired[int]
    """above this size the whole output is stored elsewhere; 0 means never"""
    mode: NotRequired[LimitMode]
    """which part stays"""
    place: NotRequired[str]
    """where the host stored it"""
    spill_error: NotRequired[str]
    """why the host couldn't store it"""

#: LimitMode determines which part of an oversized tool output stays.
LimitMode = Literal[
    "head_tail",
    "head",
]


class LimitToolOutputRequest(TypedDict):
    """A request of the operation limit_tool_output."""

    text: str
    arguments: NotRequired[OutputLimits]


class LimitedOutput(TypedDict):
    """LimitedOutput is the result of the operation `limit_tool_output`."""

    changed: bool
    """whether Text differs from the given text"""
    text: str
    """the text for the transcript"""
    keep_media: bool
    """whether images and other media of the output stay"""
    spilled: bool
    """whether the text is a notice: the host keeps the whole output under its handle"""
    handle: NotRequired[str]
    """handle of the whole output, if that is over the spill limit; also set if the host could not store it"""


class JobSettings(TypedDict):
    """
    JobSettings are the settings with which a host starts a job: the job's purpose, the host's capabilities, and
    timeouts.
    """

    operation: NotRequired[JobOperation]
    """
    operation is the job's purpose: fit a whole history (the default), or plan a compaction of a transcript that the
    host will replace.
    """
    now: int
    """now is the time in milliseconds since 1970."""
    seed: NotRequired[int]
    """seed seeds the random part of waiting times. Jobs with the same seed and the same events behave identically."""
    can: NotRequired[List[EffectName]]
    """
    can lists the effects that the host executes. The job works around missing ones: for example, without ask no model
    writes digests.
    """
    owner: NotRequired[str]
    """owner identifies whose conversation it is. What is remembered for one owner is never used for another."""
    records: NotRequired[RecordKeys]
    """records determines how records are looked up; absent means by prefix."""
    records_required: NotRequired[bool]
    """
    records_required makes the job fail if the store of records fails. Otherwise the job continues without records.
    """
    concurrency: NotRequired[int]
    """concurrency is the maximum number of summary requests in flight at the same time, from 1 to 64; 0 means 4."""
    store_timeout: NotRequired[int]
    """
    store_timeout is the timeout for a load, save, lease or put, in milliseconds up to a day; 0 means 30,000 and -1 no
    timeout.
    """
    summary_timeout: NotRequired[int]
    """
    summary_timeout is the timeout for one summary including retries, in milliseconds up to a day; 0 means 120,000 and
    -1 no timeout.
    """
    remembered: NotRequired[int]
    """remembered is the number of compactions that an owner's record keeps, from 1 to 64; 0 means 64."""
    loaded: NotRequired[EffectResult]
    """loaded is the result of the initial load of a job with records 'owner', if the host already has it."""
    lease: NotRequired[int]
    """lease is the duration of a lease that is not renewed, in milliseconds from 100 to an hour; 0 means 15,000."""
    prefix: NotRequired[bool]
    """
    prefix reports whether the host can append requests for summaries to the conversation, for the provider's prompt
    cache.
    """
    background: NotRequired[bool]
    """
    background makes the job compact before a compaction is due, or redo a compaction during which the model failed.
    """
    running: NotRequired[List[RunningJob]]
    """
    running lists the background jobs that the host runs for this owner. The job stops those that have become useless.
    """
    model: NotRequired[str]
    """
    model and Provider identify the model that will be called next and its provider, by names of the host's choice. If
    the policy has `gate.idle`, a change means that the prompt cache is cold.
    """
    provider: NotRequired[str]
    refusal: NotRequired[Failure]
    """
    refusal is the failed model call that made the host start the job. If it failed because the messages do not fit, the
    job compacts them further; otherwise it changes nothing.
    """
    refused: NotRequired[bool]
    """
    refused reports that a provider rejected the messages because they do not fit, for a host that has classified the
    error itself. Limit is the window that the provider named, in tokens, or 0. Unlike with Refusal, if nothing helps,
    the result is unchanged instead of an error.
    """
    limit: NotRequired[int]
    turn: NotRequired[Turn]
    """
    turn makes a job with the operation 'plan' a turn of a conversation that the host keeps: the job decides whether a
    compaction begins, now or in the background.
    """

#: JobOperation is the purpose of a job.
JobOperation = Literal[
    "fit",
    "plan",
]

#: EffectName is the name of an effect.
EffectName = Literal[
    "load",
    "save",
    "lease",
    "release",
    "put",
    "ask",
    "count",
    "wait",
    "begin",
    "stop",
    "emit",
    "enter",
    "before",
    "cancel",
]

#: RecordKeys is how records are looked up.
RecordKeys = Literal[
    "prefix",
    "owner",
]


class EffectResult(TypedDict):
    """EffectResult is the result of an effect."""

    id: int
    """the id of the effect"""
    refused: NotRequired[bool]
    """refused reports that the host does not support the effect. The job then works without it."""
    error: NotRequired[str]
    """error is the reason why the effect failed."""
    done: NotRequired[bool]
    """done reports, for save, that the record was written, and for lease, that it was granted."""
    record: NotRequired[str]
    """
    record is the record that load found; absent if there was none. At is the index of its key in Keys; for lease, the
    index of a key that another holder has leased. Revision is any string that changes whenever the record does; a later
    save compares it.
    """
    at: NotRequired[int]
    revision: NotRequired[str]
    summary: NotRequired[Summary]
    """
    summary is the result of ask; its id may be missing. In the result of before, it is a finished summary: no model is
    asked.
    """
    failure: NotRequired[CallFailure]
    """
    failure is what the host knows about a failed call of ask, in addition to Error. The job decides from both whether
    and when to call again.
    """
    busy: NotRequired[bool]
    """
    busy reports that the provider was overloaded, and After is the time to wait before the next attempt, in
    milliseconds; 0 if unknown. A host sets them if the program has said so; otherwise the job decides.
    """
    after: NotRequired[int]
    incomplete: NotRequired[bool]
    """incomplete reports that the model's output was cut off, so an immediate retry may succeed."""
    tokens: NotRequired[int]
    """
    tokens is the result of count. In the result of enter, it is the exact size of the conversation as it is now, from a
    host with a tokenizer.
    """
    skip: NotRequired[bool]
    """
    Skip, in the result of before, skips the compaction. Redact lists texts to replace in what the compaction reads, and
    Score rates calls and messages, like the options of these names.
    """
    redact: NotRequired[Redact]
    score: NotRequired[Score]


class CallFailure(TypedDict):
    """CallFailure is what a host knows about a failed model call."""

    status: NotRequired[int]
    """HTTP status code"""
    body: NotRequired[str]
    """body of the response; absent means the text in error"""
    retry_after: NotRequired[str]
    """The unchanged values of the response headers Retry-After, Retry-After-Ms and X-Should-Retry."""
    retry_after_ms: NotRequired[str]
    should_retry: NotRequired[str]
    network: NotRequired[bool]
    """
    network reports that no response arrived, because the connection failed. Without it, the job recognizes the usual
    error texts.
    """


class RunningJob(TypedDict):
    """RunningJob is a background job that a host runs."""

    id: int
    """id is a positive number by which the host identifies the job."""
    keys: List[str]
    """keys are the keys of the last lease that the job requested."""


class Turn(TypedDict):
    """Turn is a moment at which a conversation may be compacted."""

    moment: TurnMoment
    """when the turn takes place"""
    notes: NotRequired[TurnNotes]
    """notes are the notes that the last turn returned, if any."""
    running: NotRequired[int]
    """running is the id of the job that compacts the conversation in the background, above 0; 0 means none."""
    edited: NotRequired[bool]
    """
    edited reports whether the messages were replaced since the last turn. Earlier failed attempts are then disregarded.
    """

#: TurnMoment is when a turn takes place.
TurnMoment = Literal[
    "after",
    "before",
    "call",
    "forced",
    "background",
]


class TurnNotes(TypedDict):
    """
    TurnNotes carry information from one turn of a conversation to later ones. A host passes them on without reading
    them.
    """

    time: NotRequired[int]
    """time is when the model was last called, in milliseconds since 1970; Model and Provider identify it."""
    model: NotRequired[str]
    provider: NotRequired[str]
    tried: NotRequired[int]
    """tried and Messages are the number of tokens and of messages at which a background compaction was last started."""
    messages: NotRequired[int]


class LoopStartRequest(TypedDict):
    """A request of the operation loop_start."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]
    settings: JobSettings


class JobProgress(TypedDict):
    """
    JobProgress is the result of the operations loop_start and loop_event: the job's state and the effects to execute.
    Once the job has ended, it has Result or Failure, and no Job.
    """

    job: NotRequired[Dict[str, Any]]
    """job is the state that the host passes to the next loop_event unchanged."""
    needs_messages: NotRequired[bool]
    """
    needs_messages reports whether the next loop_event must include the messages or the session. Messages may have been
    added since.
    """
    effects: List[Effect]
    """what the host does next; may be empty"""
    failure: NotRequired[JobFailure]
    """failure is the reason why the job ended without a result. Nothing was changed."""
    result: NotRequired[Planned]
    """result is the result of the operation, without its member memory."""
    check: NotRequired[Check]
    """check is the result of the check of a turn that ended without a compaction; Result is then null."""
    notes: NotRequired[TurnNotes]
    """notes must be passed to the next turn of the conversation. They come from the loop_start of a turn."""


class Effect(TypedDict):
    """
    Effect is an action that a job requests from its host. The host responds to an effect that has an ID with an
    EffectResult.
    """

    effect: EffectName
    """what the host does"""
    id: NotRequired[int]
    """number of the effect within its job, from 1; absent if it has no result"""
    keys: NotRequired[List[str]]
    """
    keys are the keys of load, save, lease and release: 64 hexadecimal digits each, or the owner if records is 'owner'.
    For begin they are the Keys of the RunningJob until it requests a lease.
    """
    record: NotRequired[str]
    """
    record is the record to save. With IfRevision, it writes only if the record under keys[0] still has this revision
    or, if IfRevision is '', does not exist yet. With Holder, it writes only if the holder still has its lease on Lease.
    """
    if_revision: NotRequired[str]
    holder: NotRequired[str]
    lease: NotRequired[str]
    ttl: NotRequired[int]
    """in milliseconds"""
    handle: NotRequired[str]
    """handle of the body, for put"""
    body: NotRequired[str]
    """the body to store, as JSON, for put"""
    request: NotRequired[SummaryRequest]
    """
    request is the request to answer, for ask. Sent holds the messages for a request with `conversation`, in the shape
    of the input.
    """
    sent: NotRequired[Any]
    deadline: NotRequired[int]
    """when the job stops waiting for the result of ask, in milliseconds since 1970; 0 means never"""
    messages: NotRequired[Any]
    """
    messages are the messages to count, in the shape of the input. With the option `answer: 'edits'`, Edits transform
    the input into them.
    """
    edits: NotRequired[List[Edit]]
    until: NotRequired[int]
    """in milliseconds since 1970"""
    key: NotRequired[str]
    """key of the lease to wait for, for wait; absent if only the time counts"""
    settings: NotRequired[JobSettings]
    """settings are the settings of the job to begin. The host adds the time and a seed."""
    notice: NotRequired[JobNotice]
    """what to report, for emit"""
    target: NotRequired[int]
    """id of a RunningJob, for begin and stop, or of an effect, for cancel; absent if there is none"""
    beginning: NotRequired[Beginning]
    """beginning describes the compaction that the effect before announces."""


class JobNotice(TypedDict):
    """JobNotice is an event worth a line in a log."""

    name: NoticeName
    """what happened"""
    message: str
    """text for people, with the cause"""

#: NoticeName is the name of a notice.
NoticeName = Literal[
    "summary_failed",
    "records_failed",
    "lease_lost",
    "background_failed",
]


class Beginning(TypedDict):
    """Beginning is passed to the host before a compaction of a conversation begins."""

    trigger: Trigger
    """why the compaction begins"""
    messages: int
    """number of messages in the conversation"""
    tokens: int
    """size of the conversation, in tokens"""

#: Trigger is the reason why a compaction of a conversation begins.
Trigger = Literal[
    "auto",
    "background",
    "cold",
    "manual",
    "context_limit_recovery",
]


class JobFailure(TypedDict):
    """JobFailure is the reason why a job ended without a result."""

    code: FailureCode
    """why the job failed"""
    message: str
    """for people; it can change in any version"""
    path: NotRequired[str]
    """
    path is the location of the error, as in an Error. Offset is its offset in bytes from the start of the messages, if
    the error is in the messages.
    """
    offset: NotRequired[int]

#: FailureCode names a kind of failure of a job. Codes are stable.
FailureCode = Literal[
    "cancelled",
    "store_failed",
    "memory_failed",
    "not_overflow",
    "still_overflow",
]


class JobEvent(TypedDict):
    """JobEvent reports what has happened since the last call. Without results it only reports the time."""

    now: int
    """in milliseconds since 1970"""
    results: NotRequired[List[EffectResult]]
    """results of effects, in any order"""
    cancel: NotRequired[bool]
    """cancel ends the job without changes."""


class LoopEventRequest(TypedDict):
    """A request of the operation loop_event."""

    messages: NotRequired[Any]
    session: NotRequired[int]
    job: Any
    event: JobEvent


class FunctionRequest(TypedDict):
    """A request of the operation function."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    text: NotRequired[str]
    messages: NotRequired[Any]
    name: FunctionName
    arguments: NotRequired[Any]
    session: NotRequired[int]


class FunctionResult(TypedDict):
    """FunctionResult is the result of the operation `function`."""

    result: Any
    """see docs/reference/functions.md"""

#: A pass by its name, with its parameters.
Pass = Union[
    ArchivePass,
    ClearPass,
    CollapsePass,
    DedupePass,
    DropPass,
    FitPass,
    FoldPass,
    ReasoningPass,
    RehydratePass,
    SqueezePass,
    ToolDigestPass,
    TruncatePass,
]

#: One run of an answer's messages, in output order. Indexes refer to the messages of the request.
Edit = Union[KeepEdit, InsertEdit, SetEdit]
