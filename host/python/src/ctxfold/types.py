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
    "function",
]

#: Format is the name of a wire format; docs/guides/formats.md describes them.
Format = Union[str, Literal[
    "adk",
    "ag-ui",
    "ai-sdk",
    "ai-sdk-ui",
    "anthropic",
    "assistant-ui",
    "bedrock-converse",
    "gemini",
    "gemini-interactions",
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
    "tanstack",
]]

#: Preset is the name of a preset; docs/guides/presets.md says which one is for what.
Preset = Union[str, Literal[
    "default",
    "layered",
    "window-budget",
    "turn-tail",
    "checkpoint",
    "agent-loop",
]]

#: Estimator is the name of a token estimator; docs/reference/estimators.md describes script.
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

#: PassName is the name of a pass; docs/reference/policy.md has their parameters.
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
    "unknown_function",
    "unknown_op",
    "internal",
]


#: archive puts short summaries in the place of old tool results: by the host's model, or excerpts where there is none.
#: Calls, ids and order stay.
ArchivePass = TypedDict(
    "ArchivePass",
    {
        "pass": "Literal['archive']",
        #: keep_recent is how many of the newest tool results stay; 0 turns the pass off. Default: 10.
        "keep_recent": "NotRequired[int]",
        #: mode is who writes the summaries: "model" (the host is asked, unless the policy's summary.mode is "local") or
        #: "local" (excerpts). Default: model.
        "mode": "NotRequired[Literal['model', 'local', 'local']]",
        #: min_tokens is how large a result must be for a summary to take its place, in tokens. Default: 400.
        "min_tokens": "NotRequired[int]",
        #: max_requests is how many summaries the model is asked for in one compaction, those of the newest results; the
        #: others are excerpts. Default: 8.
        "max_requests": "NotRequired[int]",
        #: max_input, max_output and excerpt are Unicode scalar values: how much of a result the model is shown, how
        #: much of its answer is used, and how much an excerpt has. Default: 12000.
        "max_input": "NotRequired[int]",
        #: Default: 1200.
        "max_output": "NotRequired[int]",
        #: Default: 800.
        "excerpt": "NotRequired[int]",
        #: batch is how many results one summary stands for; 0 and 1 are one summary for each.
        "batch": "NotRequired[int]",
        #: max_batches is how many batches are made in one compaction, the oldest results first; 0 is as many as there
        #: are.
        "max_batches": "NotRequired[int]",
        #: tools are the tools whose results may be archived; empty is all. exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: clear replaces the bodies of old tool results by a marker. The newest ones stay; calls, ids and order stay.
ClearPass = TypedDict(
    "ClearPass",
    {
        "pass": "Literal['clear']",
        #: keep_recent is how many of the newest tool results stay; at least 1. Default: 6.
        "keep_recent": "NotRequired[int]",
        #: min_reclaim is how many tokens must be freed in all, or nothing is cleared: every clearing costs the prompt
        #: cache.
        "min_reclaim": "NotRequired[int]",
        #: tools are the tools whose results may be cleared; empty is all tools. Names are compared without case, _ and
        #: -.
        "tools": "NotRequired[List[str]]",
        #: exclude_tools are tools whose results are never cleared.
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: collapse puts one line in the place of each older message of the assistant and the tool results behind it. What the
#: user said stays.
CollapsePass = TypedDict(
    "CollapsePass",
    {
        "pass": "Literal['collapse']",
        #: keep_recent is how many of the newest messages stay as they are. Default: 10.
        "keep_recent": "NotRequired[int]",
        #: max_text is how long a text of the assistant may be to be in the line, in bytes; longer ones are left out
        #: whole. Default: 200.
        "max_text": "NotRequired[int]",
    },
)


#: dedupe takes out what a newer tool result says again: results of one tool that are the same byte for byte, and
#: results of an identical call (same tool, same arguments) that gave something else since. The newest one stays.
DedupePass = TypedDict(
    "DedupePass",
    {
        "pass": "Literal['dedupe']",
        #: min_tokens is how much taking out a result must save, in tokens. Default: 50.
        "min_tokens": "NotRequired[int]",
        #: min_reclaim is how many tokens must be freed in all, or nothing is taken out.
        "min_reclaim": "NotRequired[int]",
        #: superseded says whose results a newer result of an identical call takes the place of: "reads" (the default:
        #: of tools that read a file), "all" or "none". Default: reads.
        "superseded": "NotRequired[Literal['reads', 'all', 'none']]",
        #: exclude_tools are tools whose results always stay.
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: drop takes the middle of the transcript out: the first messages and the newest stay. Where that is not enough, or
#: where there is no middle, it goes on as fit does.
DropPass = TypedDict(
    "DropPass",
    {
        "pass": "Literal['drop']",
        #: keep_first and keep_recent are how many messages stay at the front and at the end. Default: 2.
        "keep_first": "NotRequired[int]",
        #: Default: 10.
        "keep_recent": "NotRequired[int]",
    },
)


#: fit keeps the newest messages that fit in the target, and drops all before the first that does not.
FitPass = TypedDict(
    "FitPass",
    {
        "pass": "Literal['fit']",
    },
)


#: fold puts one digest in the place of the older messages. Pinned messages stay where they are, and so does a tail of
#: the newest messages.
FoldPass = TypedDict(
    "FoldPass",
    {
        "pass": "Literal['fold']",
        #: keep_tokens is how large the tail may be, in tokens. With wire_safe it is at most half of the target.
        #: Default: 20000.
        "keep_tokens": "NotRequired[int]",
        #: boundary is where the tail may begin: "turn" (at a message of the user, unless the tail would lose three
        #: quarters of its size by that), "group" (at any), "message" (as "group", since calls and their results stay
        #: together; a published system cuts anywhere), "forward" (as "group"; with force it leaves something to fold
        #: even where all would fit) or "backward" (keep_messages before the end, or at the start of the group there).
        #: Default: turn.
        "boundary": "NotRequired[Literal['turn', 'group', 'message', 'group', 'forward', 'group', 'backward']]",
        #: keep_last keeps the last group even if it is larger than the tail may be; otherwise nothing is folded then.
        #: Default: true.
        "keep_last": "NotRequired[bool]",
        #: keep_messages is how many of the newest messages are the tail, where boundary is "backward", or "message" and
        #: keep_tokens is 0. Default: 10.
        "keep_messages": "NotRequired[int]",
        #: min_messages is how many messages must be folded, or none is; digests and restored files do not count.
        #: Default: 1.
        "min_messages": "NotRequired[int]",
        #: force_turn makes the newest turn of the user the tail of a compaction that is forced, whatever keep_tokens
        #: says.
        "force_turn": "NotRequired[bool]",
    },
)


#: reasoning takes reasoning out of the messages of the assistant, whole parts at a time.
ReasoningPass = TypedDict(
    "ReasoningPass",
    {
        "pass": "Literal['reasoning']",
        #: mode is "latest_turn" (the default: reasoning stays only behind the newest message of the user), "strip" (all
        #: reasoning goes) or "keep" (none does). Default: latest_turn.
        "mode": "NotRequired[Literal['latest_turn', 'strip', 'keep']]",
    },
)


#: rehydrate puts the files back that were read last before a fold took their content away, each as a message of the
#: user behind the digest, the newest last.
RehydratePass = TypedDict(
    "RehydratePass",
    {
        "pass": "Literal['rehydrate']",
        #: max_files is how many files are restored at the most. Default: 5.
        "max_files": "NotRequired[int]",
        #: tokens is how much they may take together. Default: 8000.
        "tokens": "NotRequired[int]",
        #: tool is the only tool whose results are files, compared without case, _ and -; "" is every tool that is known
        #: to read one.
        "tool": "NotRequired[str]",
        #: always_newest restores the file read last although it alone takes more than Tokens, as long as the target has
        #: room for it.
        "always_newest": "NotRequired[bool]",
        #: shrink_messages keeps the number of messages below what it was before the fold.
        "shrink_messages": "NotRequired[bool]",
    },
)


#: squeeze writes old tool results shorter without losing what they say: see package squeeze. The whole stands in the
#: archive. A pass that comes later takes out what it would take out of the whole.
SqueezePass = TypedDict(
    "SqueezePass",
    {
        "pass": "Literal['squeeze']",
        #: keep_recent is how many of the newest tool results stay as they are. Default: 2.
        "keep_recent": "NotRequired[int]",
        #: min_tokens is how much a result must lose, in tokens, the line that says what was done to it included.
        #: Default: 16.
        "min_tokens": "NotRequired[int]",
        #: min_reclaim is how many tokens must be freed in all, or nothing is squeezed: each change costs the prompt
        #: cache.
        "min_reclaim": "NotRequired[int]",
        #: tools are the tools whose results may be squeezed; empty is all. exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: tool_digest clears old tool results in the tail that a fold has left, and says in the digest, before the tail, what
#: they were, in one line each. Without a fold before it in the policy it puts the lines in the place of the results.
ToolDigestPass = TypedDict(
    "ToolDigestPass",
    {
        "pass": "Literal['tool_digest']",
        #: keep_recent is how many of the newest tool results stay; 0 turns the pass off. Default: 10.
        "keep_recent": "NotRequired[int]",
        #: tools are the tools whose results may be cleared; empty is all. exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


#: truncate shortens long tool results to their first and last lines. Every text of a result is shortened by itself;
#: images and whatever else is in it stay.
TruncatePass = TypedDict(
    "TruncatePass",
    {
        "pass": "Literal['truncate']",
        #: max_lines is how many lines of a text stay, with wire_safe the marker's among them. Default: 50.
        "max_lines": "NotRequired[int]",
        #: tools are the tools whose results may be truncated; empty is all. exclude_tools never are.
        "tools": "NotRequired[List[str]]",
        "exclude_tools": "NotRequired[List[str]]",
    },
)


class Policy(TypedDict):
    """Policy is a host's policy. The zero values of all fields mean 'as the preset says'."""

    preset: NotRequired[Preset]
    """preset is the name of the preset that the policy starts from; '' is 'default'."""
    format: NotRequired[Format]
    """format is the wire format of the transcript; '' and 'auto' let detection decide."""
    model: NotRequired[str]
    """model is the name of the model that the transcript is for: it tells the tokenizer's family."""
    estimator: NotRequired[Estimator]
    """estimator is the name of a token estimator. Default: script."""
    window: NotRequired[PolicyWindow]
    gate: NotRequired[PolicyGate]
    passes: NotRequired[List[Pass]]
    summary: NotRequired[PolicySummary]
    pins: NotRequired[List[Pin]]
    """pins are messages that are never changed, besides the system's and the newest of the user's."""
    wire_safe: NotRequired[bool]
    """
    wire_safe keeps results valid for the provider. It is on unless set to false, which reproduces a published system
    exactly, defects included.
    """
    last_resort: NotRequired[bool]
    """
    last_resort cuts what the passes have left where that is over the limit: tool results first, pinned messages last.
    It is on unless set to false, and does not count without wire_safe.
    """
    open_calls: NotRequired[OpenCalls]
    """
    open_calls is 'keep' (the default: tool calls at the end that have no result yet are left open, for the host to
    answer) or 'answer' (they are violations too, and repair gives them a result that says so).
    """
    thinking: NotRequired[Literal['manual', 'adaptive', 'drop_block', 'off', 'auto']]
    """
    thinking is how the model is asked to think: 'manual' (with a budget), 'adaptive', 'drop_block' (adaptive, and the
    request has the provider drop what no longer fits), 'off', or 'auto' (the default: the request body tells, or the
    model's name).
    """
    repair: NotRequired[Literal['refused', 'all']]
    """
    repair is 'refused' (the default: what a provider refuses is mended, and what it tolerates stays as it came in) or
    'all' (what it tolerates is mended too).
    """
    max_bytes: NotRequired[int]
    """
    max_bytes is how many bytes the list of messages may have as JSON, whatever its tokens; 0 is no limit. Above it
    images, audio and files are replaced by placeholders, the oldest first.
    """
    prices: NotRequired[PolicyPrices]
    """prices are those of the model, for the report on the prompt cache."""
    log: NotRequired[bool]
    """log adds to the report what became of each message."""
    archive: NotRequired[Archive]
    """
    archive is '' (the default: what is taken out is gone), 'places' (the answer lists every body that was taken out,
    with its handle and its places in the request, and markers name the handles) or 'bodies' (the bodies themselves in
    the stead of their places).
    """


class PolicyWindow(TypedDict):
    """Window is the size of the model's context."""

    tokens: NotRequired[int]
    """tokens is the context window in tokens; 0 is an unknown window, with which compaction is never due."""
    reserve: NotRequired[int]
    """
    reserve is how many tokens of the window stay free for the answer. Without one it is 16384, or an eighth of the
    window if that is less.
    """


class PolicyGate(TypedDict):
    """Gate decides whether compaction is due: when the estimate is over (window − reserve) × ratio."""

    ratio: NotRequired[float]
    """ratio is the share of the usable window at which compaction is due, over 0 and up to 1. Default: 0.8."""
    target: NotRequired[float]
    """
    target is the share of the limit that a compaction aims for, over 0 and up to 1: the room below it is how many turns
    pass before the next one. Default: 0.6.
    """
    start: NotRequired[float]
    """
    start is the share of the limit above which a compaction is begun in the background, while the conversation goes on:
    over Target and below 1. 0, the default, is never.
    """
    idle: NotRequired[int]
    """
    idle is after how many seconds without a call the provider's prompt cache is cold, up to 1,000,000,000: a
    conversation that has been idle for so long, or whose cache is cold for another reason, is compacted below the limit
    too. 0, the default, is never.
    """
    cold: NotRequired[float]
    """
    cold is the share of the limit above which a conversation is compacted whose cache is cold, over 0 and up to 1; 0 is
    one half. Without Idle it does not count.
    """
    min_gain: NotRequired[float]
    """
    min_gain is the share of the limit that a compaction must free, or nothing is done; from 0 to 1. Default: 0.02.
    """
    inclusive: NotRequired[bool]
    """inclusive makes compaction due at the limit itself, not only above it."""
    min_messages: NotRequired[int]
    """
    min_messages is how many messages a transcript must have for the passes to be due; with fewer there is only the last
    resort.
    """
    max_tokens: NotRequired[int]
    """max_tokens is the limit where the window is unknown or the reserve takes all of it, in tokens; 0 is none."""
    max_messages: NotRequired[int]
    """max_messages makes compaction due at so many messages where there is no limit in tokens; 0 is never."""
    max_tool_results: NotRequired[int]
    """
    max_tool_results makes compaction due above so many tool results that have not been cleared or summarised; 0 is
    never.
    """
    usage: NotRequired[bool]
    """
    usage takes what the provider counted (usage in native messages) for what it has counted, and estimates only what
    follows.
    """


class PolicySummary(TypedDict):
    """Summary is how digests are made."""

    mode: NotRequired[SummaryMode]
    """
    mode is 'model' (the default: the host is asked), 'local' (never; the local digest is used) or 'minimal' (never; the
    digest only counts the messages that are gone). Default: model.
    """
    request: NotRequired[Literal['auto', 'flat', 'prefix']]
    """
    request is how the model is asked: 'auto' (the default: behind the conversation, whose beginning the provider has in
    its prompt cache, where that is cheaper by Prices and fits into the window; else flat), 'flat' (a prompt with a
    record of the messages) or 'prefix' (behind the conversation wherever that fits). Only hosts that can send such
    requests are asked for them.
    """
    max_output_tokens: NotRequired[int]
    """max_output_tokens is how large a digest of a model may get, in tokens. Default: 4096."""
    max_input_tokens: NotRequired[int]
    """max_input_tokens is how large a request to the model may get, in tokens; 0 is no limit."""
    provider: NotRequired[bool]
    """
    provider has the provider of the conversation compact by itself where it can, and the model only where that fails:
    the requests to the host say how.
    """
    retries: NotRequired[int]
    """retries is how often the model is asked again when its answer is no digest. Default: 1."""
    split: NotRequired[Literal['map', 'chain']]
    """
    split is what is done with a record that is too long for one request: 'map' (one request for each part, at the same
    time, and one that puts the digests of the parts together) or 'chain' (part by part, each time with the digest so
    far).
    """
    standing: NotRequired[float]
    """
    standing is the share of the target that what the user said about how to work may always take, from 0 (it has no
    block of its own) to 1; what the target leaves free it may take too. Without it it is DefaultStanding.
    """
    room: NotRequired[float]
    """
    room is the share of the target that a digest made without a model may fill, with all that stays beside it: from 0
    (no more than a digest of a model may have) to 1, which is also what counts without it.
    """
    instructions: NotRequired[str]
    """instructions are added to the prompt, such as what to pay attention to."""
    style: NotRequired[Style]
    """
    style is the layout of a published system's requests and digests, by the name of its preset; '' is ctxfold's own.
    """
    prompt: NotRequired[str]
    """prompt says what to write, in the stead of the style's own words. Only styles have one."""
    scope: NotRequired[Literal['session', 'branch']]
    """
    scope is what the transcript is: 'session' (the default) or 'branch', a path that the conversation has given up,
    which is folded whole.
    """
    on_failure: NotRequired[Literal['local', 'keep', 'error', 'local']]
    """
    on_failure is what happens where the host has no summary: 'local' (the default: the local digest takes its place),
    'keep' (the transcript stays as it is) or 'error' (the operation fails; with wire_safe it is 'local').
    """

#: SummaryMode says who writes digests.
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
    """Pin names messages by one or more of their features; a message that has all of them is pinned."""

    role: NotRequired[Role]
    """system, user, assistant or tool"""
    index: NotRequired[int]
    """in the list; negative counts from its end"""
    id: NotRequired[str]
    """of a tool call or result in the message"""
    contains: NotRequired[str]
    """a text in the message, as it stands in its JSON"""

#: Role is who a message is from.
Role = Literal[
    "system",
    "user",
    "assistant",
    "tool",
]

#: OpenCalls says what becomes of tool calls at the end that have no result yet.
OpenCalls = Literal[
    "keep",
    "answer",
]


class PolicyPrices(TypedDict):
    """Prices are in any currency for a million tokens. Without those of the cache everything costs Input."""

    input: NotRequired[float]
    output: NotRequired[float]
    cache_read: NotRequired[float]
    cache_write: NotRequired[float]

#: Archive says whether what is taken out can come back.
Archive = Literal[
    "",
    "places",
    "bodies",
]


class KeepEdit(TypedDict):
    """The messages from the first index up to, not with, the second."""

    keep: Tuple[int, int]


class InsertEdit(TypedDict):
    """A message that was not there."""

    insert: Dict[str, Any]


class SetEdit(TypedDict):
    """The message at this index, changed."""

    set: int
    message: Dict[str, Any]


class Searchable(TypedDict):
    """A body to search: JSON as a store has it, or the value itself."""

    handle: NotRequired[str]
    body: Any


class Info(TypedDict):
    """Info is the answer of the operation info: what this module can do."""

    name: str
    version: str
    """semantic"""
    abi: int
    """changes when a host that knows the old one would break"""
    ops: List[Operation]
    formats: List[FormatInfo]
    estimators: List[Estimator]
    passes: List[PassName]
    pass_info: List[PassInfo]
    """of the same passes"""
    functions: List[FunctionName]
    presets: List[PresetInfo]
    limits: Limits


class FormatInfo(TypedDict):
    """FormatInfo is a wire format with one line of explanation."""

    name: Format
    doc: str


class PassInfo(TypedDict):
    """PassInfo is what a pass has declared."""

    name: PassName
    doc: str
    """what it does, behind its name"""
    parameters: List[Parameter]
    markers: List[str]
    """what stands in the place of what it takes out; with an archive each names a handle"""
    messages: List[str]
    """how the messages begin that it writes"""
    counters: List[Counter]


class Parameter(TypedDict):
    """Parameter is a parameter of a pass."""

    name: str
    default: Any
    """what counts where a policy does not give it"""
    doc: str
    """'' where that of the one before it is about both"""


class Counter(TypedDict):
    """
    Counter is a number that a pass adds up in the report, under its name: a key of the report, or a name in its counts.
    """

    name: str
    text: str
    """what is counted, for people"""


class PresetInfo(TypedDict):
    """PresetInfo is a preset with the policy that it stands for."""

    name: Preset
    doc: str
    policy: Policy
    """a Policy"""


class Limits(TypedDict):
    """Limits are what a request may not go over."""

    bytes: int
    """of a request"""
    depth: int
    """of objects and arrays inside each other"""


class DetectRequest(TypedDict):
    """A request of the operation detect."""

    policy: NotRequired[Policy]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Detection(TypedDict):
    """Detection is the answer of the operation detect."""

    format: Union[Format, Literal['']]
    """the likeliest, or '' where none has a confidence of at least 0.75"""
    confidence: float
    """in it, from 0 to 1"""
    candidates: List[Candidate]
    """the likeliest first"""
    shape: NotRequired[str]
    """
    shape is what the messages look like where no format reads them; the only candidate is then the nearest format.
    """


class Candidate(TypedDict):
    """Candidate is a format that a transcript may be in."""

    format: Format
    confidence: float
    """0 to 1; all candidates together make 1, or less where something is unknown"""
    evidence: List[str]
    """a role, a key or a type that only this format has"""


class Options(TypedDict):
    """
    Options are what one call wants, beside the policy, which belongs to the conversation: a host sets them itself and
    never edits the policy of its user. The zero values of all fields mean 'as the policy says'.
    """

    force: NotRequired[bool]
    """force compacts although the gate says that it is not due."""
    answer: NotRequired[Answer]
    """answer is how the transcript comes back; absent, as messages."""
    archive: NotRequired[Archive]
    """archive says whether what is taken out can come back, and counts instead of the policy's."""
    open_calls: NotRequired[OpenCalls]
    """
    open_calls says what becomes of tool calls at the end that have no result yet, and counts instead of the policy's.
    """
    summary: NotRequired[SummaryOptions]
    """summary is how the digest of this call is made."""
    usage: NotRequired[Counted]
    """usage is what the provider counted for the last call."""
    window: NotRequired[int]
    """
    window is the context window of the model that is asked now, in tokens. It counts where it is smaller than the
    policy's, or the policy knows none.
    """
    no_reserve: NotRequired[bool]
    """no_reserve leaves nothing of the window free for the answer."""
    format: NotRequired[Format]
    """format is the wire format of the transcript. It counts where the policy names none."""
    only_known: NotRequired[bool]
    """only_known puts what fit remembers in its place, and compacts nothing."""
    model: NotRequired[str]
    """model is the name of the model that the transcript is for. It counts where the policy names none."""
    background: NotRequired[bool]
    """
    background compacts above `gate.start` of the policy, while the conversation goes on: `check` and `fit` say when to
    begin. Where the model gives no summary the transcript stays as it is.
    """
    tried: NotRequired[int]
    """
    tried is the size of the transcript, in tokens, for which a compaction in the background came to nothing: none is
    begun until it has grown.
    """
    idle: NotRequired[float]
    """
    idle is how long the conversation has been idle, in seconds from 0 to 1,000,000,000: the time since its last call of
    a model. From `gate.idle` of the policy on the provider's prompt cache is cold.
    """
    cold: NotRequired[Cold]
    """
    cold is why the provider's prompt cache has nothing of the conversation, however short it was idle. It counts where
    the policy has `gate.idle`.
    """

#: Answer says how the transcript comes back.
Answer = Literal[
    "messages",
    "edits",
    "report",
]


class SummaryOptions(TypedDict):
    """SummaryOptions are how the digest of one call is made."""

    mode: NotRequired[SummaryMode]
    """mode is who writes the digest, and counts instead of the policy's."""
    prefix: NotRequired[bool]
    """
    prefix says that the host can send requests behind the conversation, where the policy's summary.request wants them.
    """
    text: NotRequired[str]
    """text is the summary itself, of a host that has one: the model is not asked."""


class Counted(TypedDict):
    """Counted is a provider's count of tokens for the call that ended with a message, as open reports it."""

    message: int
    """index of the message; negative counts from the end"""
    input_tokens: NotRequired[int]
    cache_read_tokens: NotRequired[int]
    cache_write_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    total_tokens: NotRequired[int]
    """total_tokens is the sum of the others; they count where it is 0."""
    exact: NotRequired[bool]
    """
    exact says that a tokenizer has counted these very messages: no compaction makes it stale, and it is not doubted.
    """

#: Cold says why a provider's prompt cache has nothing of a conversation, so that a compaction takes nothing from it.
Cold = Literal[
    "idle",
    "model_changed",
    "provider_changed",
    "gone",
]


class State(TypedDict):
    """
    State is what a host keeps beside the conversation from one compaction to the next. A host stores it and changes
    nothing in it.
    """

    round: int
    """how many compactions there were"""
    ledger: Ledger
    format: NotRequired[Format]
    """format is the wire format of the conversation. After a compaction little may be left to tell it by."""
    messages: NotRequired[int]
    """
    Messages, Fingerprint and Limit are of the result of the last compaction, and the limit in tokens that it was made
    for. While the transcript is still just that, and need not be smaller now, there is nothing to do.
    """
    fingerprint: NotRequired[str]
    limit: NotRequired[int]
    own: NotRequired[List[str]]
    """
    own names the messages of that result that compactions wrote, by a hash of role and text. No other message counts as
    one.
    """
    archive: NotRequired[str]
    """
    archive is the handle of the last compaction's changes, from which restore goes back; absent where nothing was
    archived.
    """
    attempts: NotRequired[Attempts]
    """attempts breaks a loop of compactions that do not help."""
    streak: NotRequired[Streak]
    """streak is how many compactions came in turns right behind each other."""
    calibration: NotRequired[Calibration]
    """calibration is what estimates have been compared with."""


class Ledger(TypedDict):
    """
    Ledger is what code, not a model, knows of the folded messages. It is carried from one compaction to the next in the
    state, and stands in every digest, from which it can be read back. All lists have the oldest first; a file that was
    modified is not listed as read.
    """

    task: NotRequired[str]
    """the user's first request"""
    requests: NotRequired[List[str]]
    """what the user asked for since"""
    standing: NotRequired[List[str]]
    """
    standing is what the user said about how to work: rules, constraints and preferences, in sentences of their own.
    """
    read: NotRequired[List[str]]
    """files"""
    modified: NotRequired[List[str]]
    """files"""
    commands: NotRequired[List[LedgerCommand]]
    errors: NotRequired[List[LedgerFailure]]
    """what failed, and has not worked since"""


class LedgerCommand(TypedDict):
    """LedgerCommand is a command that the agent or the user ran."""

    command: str
    exit: NotRequired[str]
    """the exit code; 'failed' where only that is known, absent where nothing is"""


class LedgerFailure(TypedDict):
    """LedgerFailure is a tool call that failed."""

    tool: str
    on: NotRequired[str]
    """the file or the command"""
    text: NotRequired[str]


class Attempts(TypedDict):
    """
    Attempts is what the state remembers of compactions that did not help, so that a conversation which cannot be made
    smaller is not compacted, and its model not asked, at every turn.
    """

    failed: NotRequired[int]
    """failed is how many compactions in a row gained nothing, or left the transcript over its limit."""
    last_gain: NotRequired[int]
    """last_gain is what the last compaction freed, and Tokens the size it left behind."""
    tokens: NotRequired[int]


class Streak(TypedDict):
    """
    Streak counts compactions that came in turns right behind each other: with at most one new message of the user
    between two of them and, where there was none, at most two new messages of the assistant.
    """

    compactions: int
    user: int
    """user and Assistant are how many messages of each the last input had."""
    assistant: int


class Calibration(TypedDict):
    """
    Calibration is what the estimates of a conversation have been compared with: pairs of an estimate and what the
    provider counted, the newest last. What a call sends that is not in the transcript (system prompt, tools) is in the
    count alone.
    """

    estimator: str
    """estimator is what the estimates are by, with its family. Another one does not use them."""
    estimated: NotRequired[List[int]]
    """tokens"""
    counted: NotRequired[List[int]]
    """tokens"""


class EstimateRequest(TypedDict):
    """A request of the operation estimate."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    text: NotRequired[str]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Estimate(TypedDict):
    """Estimate is the answer of the operation estimate: the size of a transcript or a text, in tokens."""

    tokens: int
    source: TokenSource
    bound: int
    """how far off it may be, in percent: nine of ten are closer"""
    estimator: Estimator
    family: NotRequired[Family]
    """of tokenizers, with script"""
    format: NotRequired[Format]
    """of a transcript"""
    messages: NotRequired[List[int]]
    """of each message"""
    beside: NotRequired[int]
    """system prompt and tools of a request body, and what usage has shown"""

#: TokenSource is where a number of tokens comes from.
TokenSource = Literal[
    "measured",
    "calibrated",
    "estimated",
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
    """Check is the answer of the operation check: whether compaction is due."""

    due: bool
    start: NotRequired[bool]
    """
    start says that a compaction is to be begun in the background (option background): it is not due, but over
    gate.start.
    """
    cold: NotRequired[Cold]
    """cold is why the prompt cache is cold, where compaction is due for that alone."""
    reason: Reason
    """over_limit, over_bytes, cold, under_budget or unknown_window"""
    tokens: int
    source: TokenSource
    """of tokens"""
    bound: int
    """how far off they may be, in percent: nine of ten are closer"""
    limit: int
    """compaction is due above it"""
    window: int
    """0 is an unknown window"""
    ratio: float
    """tokens / window; 0 with an unknown window"""
    messages: int
    format: Format
    estimator: Estimator
    state: NotRequired[State]
    """state is the request's State, with its usage taken in. Absent where the request has no usage."""

#: Reason is why an operation ended as it did.
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
    Planned is the answer of the operations plan, step and fit. While summaries are wanted, it has Plan and Requests;
    when all is done, it has State and the transcript.
    """

    plan: NotRequired[Plan]
    """a Plan, to go on with"""
    requests: NotRequired[List[SummaryRequest]]
    """what to ask the host's model; they do not depend on each other"""
    report: Report
    state: NotRequired[State]
    """a State, to go on with"""
    archive: NotRequired[List[Body]]
    """
    archive lists the bodies that the host has to keep before it uses the result, where the policy or the options ask
    for it.
    """
    start: NotRequired[bool]
    """
    start says that a compaction is to be begun in the background (option background): it is not due, but over
    gate.start.
    """
    known: NotRequired[int]
    """known is the index of the entry of memory that fit has used, or -1; of fit alone."""
    memory: NotRequired[MemoryEntry]
    """memory is a MemoryEntry for the host to keep, where fit has compacted."""


class Plan(TypedDict):
    """
    Plan is what goes from plan to step, and from step to step. It is data: it can be shown, stored, and continued on
    another machine. It names the transcript by the number of its messages and a fingerprint; more messages may have
    come since. A host changes nothing in it.
    """

    version: int
    """that of the ABI"""
    messages: int
    fingerprint: str
    format: Format
    model: NotRequired[str]
    """model is what an answer of open has told of the messages, where the policy names none."""
    policy: Policy
    """a Policy, as it was sent"""
    options: NotRequired[Options]
    """options are those that the plan was made with, but for the usage: Correction has what came of it."""
    state: State
    replies: NotRequired[List[Summary]]
    asked: NotRequired[List[str]]
    """
    asked are the ids of the requests that wait for a reply. One that the next step does not answer counts as failed.
    """
    fit: NotRequired[bool]
    """fit tells that the plan is of fit: a step is given the same memory."""
    correction: NotRequired[Correction]
    """correction makes the estimates agree with what the provider counted."""


class Summary(TypedDict):
    """Summary is what the host's model answered to a request, or the error that kept it from it."""

    id: str
    """of the request"""
    text: NotRequired[str]
    messages: NotRequired[List[Dict[str, Any]]]
    """
    messages are what the provider has made, where the request has `provider`, as a list of messages of its format: they
    go into the result unchanged. The `output` of OpenAI is such a list; Anthropic's `content` is that of one message of
    the assistant.
    """
    finish_reason: NotRequired[str]
    """finish_reason is why the model stopped, in the words of any provider."""
    error: NotRequired[str]
    """error is why there is no text."""
    stream: NotRequired[bool]
    """the host has shown the text as it came"""
    usage: NotRequired[CallUsage]
    """usage is what the provider has counted for the request."""


class CallUsage(TypedDict):
    """
    CallUsage is what a provider has counted for calls of a model, in tokens. InputTokens are without those that were
    read from or written to a prompt cache.
    """

    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int


class Correction(TypedDict):
    """Correction is what makes the numbers of an estimator agree with those of a provider."""

    scale: int
    """of all that is estimated, in 1/65,536"""
    fixed: int
    """tokens that are not in the transcript"""
    source: TokenSource
    bound: int
    """percent"""


class SummaryRequest(TypedDict):
    """SummaryRequest asks the host's model for a summary."""

    id: str
    """to be given back with the summary"""
    scope: Scope
    system: str
    """the system prompt for the model"""
    prompt: str
    """the user message for the model; the record of the session is fenced in it"""
    max_output_tokens: int
    """the most tokens that the summary may have"""
    input_tokens: int
    """estimate of `system` and `prompt`; never over `summary.max_input_tokens`"""
    temperature: NotRequired[float]
    """temperature is what the model is to be asked with; absent, the host decides."""
    thinking: NotRequired[ThinkingEffort]
    """thinking is how much the model is to think. Absent, the host decides."""
    provider: NotRequired[ProviderRequest]
    """
    provider is how the provider of the conversation is asked to compact it by itself, with `summary.provider`. What it
    makes is the reply's `messages`. System and Prompt are for the model, where it fails.
    """
    conversation: NotRequired[RequestConversation]
    """
    conversation is there where the request stands behind the conversation: the host sends what it sent last with the
    edits and the body's changes, and System and Prompt are in that already.
    """
    lead: NotRequired[str]
    """lead is what a host that shows the summary as it comes shows before it; only where two are joined."""

#: Scope is what the record of a request for a summary is.
Scope = Literal[
    "session",
    "update",
    "turn_prefix",
    "part",
    "merge",
    "branch",
    "tool_output",
]

#: ThinkingEffort is how much a model is to think about a summary.
ThinkingEffort = Literal[
    "high",
]


class ProviderRequest(TypedDict):
    """
    ProviderRequest is a call of a provider's own compaction. The host adds `model`, and `max_tokens` where the API
    wants it: the model should be that of the conversation.
    """

    format: Format
    """whose API it is: anthropic or openai-responses"""
    path: str
    """POST, behind the address of the API: /v1/messages or /v1/responses/compact"""
    beta: NotRequired[str]
    """the value of the header anthropic-beta"""
    body: Dict[str, Any]


class RequestConversation(TypedDict):
    """
    RequestConversation is a request for a summary that stands behind the conversation: its beginning is what the
    provider was sent last, so that it is read from the prompt cache.
    """

    edits: List[Edit]
    """what makes its messages of those that were given, with the instruction as the last"""
    body: Dict[str, Any]
    """
    body is what differs in the request body beside its messages, as a JSON Merge Patch (RFC 7396): the limit of the
    answer, no calls of tools, no stream. A host that streams the answer sets that itself.
    """


class Report(TypedDict):
    """
    Report tells what an operation did to a transcript, or why it did nothing. All tokens are estimates by the report's
    estimator.
    """

    reason: Reason
    changed: bool
    """whether the transcript is another one now"""
    cold: NotRequired[Cold]
    """
    cold is why the prompt cache is cold, where compaction is due for that alone: the transcript is below the limit.
    """
    fits: bool
    """
    fits tells whether the result has at most the limit's tokens, or there is no limit. While summaries are wanted, it
    tells whether what can be neither folded nor cut has.
    """
    over: NotRequired[Excess]
    """over is by how much the result does not fit, and what takes the room. It is absent where the result fits."""
    thrashing: NotRequired[Thrashing]
    """thrashing is there where compactions come in turns right behind each other."""
    preset: Preset
    format: Format
    estimator: Estimator
    tokens: ReportTokens
    messages: Count
    cleared: int
    """tool results whose body was replaced by a marker"""
    squeezed: NotRequired[int]
    """texts of tool results that were written shorter, and say the same"""
    truncated: int
    """texts of which the middle was taken out"""
    folded: int
    """messages that the digest, or a line for each turn, stands for"""
    dropped: int
    """messages that were taken out, and of which only their number is left"""
    restored: int
    """files that were put back behind the digest"""
    repaired: int
    """violations that were mended"""
    counts: NotRequired[List[PassCount]]
    """counts are what passes of others have counted."""
    stable_prefix: StablePrefix
    """stable_prefix is how much of the front is unchanged."""
    cut_point: NotRequired[int]
    """
    cut_point is the index in the list that came in at which the tail begins that a fold has left; absent where nothing
    was folded.
    """
    summary: ReportSummary
    actions: List[Action]
    """one for each message that was touched"""
    bytes: NotRequired[ReportBytes]
    """with max_bytes"""
    cache: NotRequired[ReportCache]
    """
    cache is what the change means for the provider's prompt cache; absent where nothing changes. While summaries are
    wanted it is what to expect.
    """
    thinking: NotRequired[ReportThinking]
    """thinking is there where the transcript has thinking that its provider has signed."""
    left: NotRequired[List[LeftViolation]]
    """
    left is what the provider would refuse in the messages of the answer, and no repair could mend: validate says the
    same of them. Where they came back as they were, it is all that the provider would refuse in them. Without
    wire_safe, and where nothing was due, nothing is checked.
    """
    decisions: NotRequired[List[Decision]]
    """decisions are what became of each message, where the policy asks for a log."""


class Excess(TypedDict):
    """Excess tells by how much a result is over its limit, and what takes the room. All sizes are tokens."""

    limit: int
    """over the limit"""
    window: int
    """over the window; 0 where it fits into that, or the window is unknown"""
    causes: List[Cause]
    """the largest first, at most five"""
    text: str
    """for people: the numbers, the largest cause, and what to do"""


class Cause(TypedDict):
    """Cause is a message that takes room of a result that does not fit, and why it is still there."""

    message: int
    """message is an index of the input's list, or -1 for what is not in it."""
    why: ExcessCause
    tokens: int

#: ExcessCause is why a message that takes room is still there.
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
    """Thrashing tells that compactions come in turns right behind each other, and the likely cause."""

    compactions: int
    """in a row, this one among them"""
    cause: ThrashingCause
    text: str
    """for people: the cause, and what to do"""

#: ThrashingCause is the likely cause of compactions in turns right behind each other.
ThrashingCause = Literal[
    "whole_history",
    "pinned",
    "newest_messages",
    "target",
    "window",
]


class ReportTokens(TypedDict):
    """
    ReportTokens is the size of a transcript before and after a compaction, in tokens. While summaries are wanted, After
    is without them.
    """

    before: int
    after: int
    limit: int
    """compaction is due above it"""
    window: int
    """0 is an unknown window"""
    source: TokenSource
    """source is where the numbers come from."""
    bound: int
    """how far off they may be, in percent: nine of ten are closer"""


class Count(TypedDict):
    """Count is the number of messages before and after a compaction."""

    before: int
    after: int


class PassCount(TypedDict):
    """PassCount is what a pass has counted that the report has no key for."""

    name: str
    count: int


class StablePrefix(TypedDict):
    """StablePrefix is how much of the front is unchanged, which is what a provider's prompt cache can still use."""

    messages: int
    bytes: int
    """of the list, from its opening bracket"""
    tokens: int


class ReportSummary(TypedDict):
    """ReportSummary tells where the digest came from, and what was wrong with the model's summary."""

    source: SummarySource
    why: NotRequired[SummaryFault]
    score: NotRequired[float]
    """
    score is the share of the facts of the folded messages that stand in the digest, from 0 to 1: paths, addresses,
    identifiers, numbers and errors, as code finds them. Absent where no digest was written.
    """
    request: NotRequired[SummaryShape]
    """request is how the model was asked; absent where it was not, or the host can only send a record."""
    usage: NotRequired[CallUsage]
    """usage is what the provider has counted for all requests whose summaries had it."""
    saved: NotRequired[float]
    """
    saved is what these have cost less than without a prompt cache, by the policy's prices: in their currency, and
    negative where writing to the cache cost more. Absent without prices or usage.
    """
    unfounded: NotRequired[float]
    """
    unfounded is the share of the paths, addresses and identifiers in the model's text that stand nowhere in what it was
    made of, from 0 to 1: it may have made them up. Absent where there are none, and where the model wrote nothing.
    """

#: SummarySource is where a digest comes from.
SummarySource = Literal[
    "none",
    "model",
    "provider",
    "host",
    "local",
]

#: SummaryFault is why a summary of the host's model is not taken.
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
    "no_room_for_request",
]

#: SummaryShape is how a summary is asked for.
SummaryShape = Literal[
    "flat",
    "prefix",
]


#: Action is one thing that was done to one message, or to a run of them.
Action = TypedDict(
    "Action",
    {
        "action": "ActionName",
        #: what did it
        "pass": "Doer",
        #: message is an index of the input's list, or -1 for a new message.
        "message": "int",
        #: tokens is what the action saved; negative for what it added.
        "tokens": "int",
        #: the tool whose result it was
        "tool": "NotRequired[str]",
        #: the file that was restored
        "path": "NotRequired[str]",
        #: the rule that a repair mended
        "rule": "NotRequired[str]",
    },
)

#: ActionName is what was done to a message.
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

#: Doer is what did something to a message: a pass, or what works beside the passes.
Doer = Literal[
    "repair",
    "thinking",
    "bytes",
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
    """ReportBytes is the size of the list of messages as JSON, in bytes."""

    before: int
    after: int
    limit: int
    """max_bytes"""


class ReportCache(TypedDict):
    """
    ReportCache tells what a compaction means for the provider's prompt cache. What is read again and what it saves are
    tokens of each later call; turns are calls of the model.
    """

    first_changed_message: int
    """index of the result's list"""
    first_changed_byte: int
    """of the result's list, from its opening bracket"""
    reread_tokens: int
    """what follows the first change: the cache does not have it"""
    saved_tokens: int
    """what each later call does not read any more"""
    turns_to_pay: NotRequired[int]
    """
    turns_to_pay is after how many calls the compaction has paid for itself at the policy's prices: the reading of what
    follows the first change, and the summary. -1 is never; without prices it is absent.
    """


class ReportThinking(TypedDict):
    """
    ReportThinking tells what became of the thinking that its provider has signed, in a result that is another
    transcript.
    """

    mode: ThinkingMode
    """how the model thinks"""
    source: ThinkingSource
    """what told it"""
    kept: int
    """
    kept is how many signed parts the result still has, and Stripped how many were taken out of messages that stay.
    """
    stripped: int
    closed: NotRequired[int]
    """closed is how many messages of the open tool loop stand in the result as text."""

#: ThinkingMode is how a model thinks.
ThinkingMode = Literal[
    "manual",
    "adaptive",
    "drop_block",
    "off",
    "unknown",
]

#: ThinkingSource is what tells how a model thinks.
ThinkingSource = Literal[
    "policy",
    "request",
    "model",
    "format",
    "none",
]


class LeftViolation(TypedDict):
    """LeftViolation is a place where a rule is broken."""

    rule: str
    """its id in docs/guides/formats.md"""
    message: int
    """index in the answer's list"""
    text: str
    """what is wrong, for people"""


#: Decision says what became of one message of the input.
Decision = TypedDict(
    "Decision",
    {
        "message": "int",
        #: decision is "kept", "pinned", or the last action that touched the message.
        "decision": "DecisionName",
        #: what did it
        "pass": "NotRequired[Doer]",
        #: rule is what a repair mended, or why the message is pinned: "system", "newest_user", "provider" or "pins[n]".
        "rule": "NotRequired[str]",
        #: the message's tokens
        "before": "int",
        #: the same after the compaction; 0 where it is gone
        "after": "int",
    },
)

#: DecisionName is what became of a message: it was kept, it is pinned, or it is the ActionName of the last action that
#: touched it.
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
    """Body is one body that was taken out of the transcript, for the host to keep."""

    handle: str
    """SHA-256 of its bytes, in 64 hexadecimal digits; its marker names the first 16"""
    what: BodyKind
    message: int
    """
    message is the index of its message in the input's list; of a fold, that of the first one; of changes, that of the
    first message that stands nowhere else, or -1.
    """
    tool: NotRequired[str]
    """whose result it was"""
    bytes: int
    tokens: int
    places: NotRequired[List[Any]]
    """
    places say where the body stands: [[from,to]], in bytes from the beginning of the request's messages. The body of a
    fold, and of changes, is a JSON list whose elements are these places, and numbers and strings that are written as
    they are.
    """
    body: NotRequired[str]
    """body is the body itself, JSON, where the options ask for it or where it stands nowhere in the request."""

#: BodyKind is what a body was in the transcript.
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
    MemoryEntry is what a host remembers of a compaction that fit has made. A host changes nothing in it; it may add
    members of its own.
    """

    version: int
    format: Format
    messages: int
    """how many messages of the history it stands for"""
    print: str
    """of these"""
    sent_messages: int
    """how many messages were sent for them"""
    sent: str
    """the print of these"""
    edits: List[Edit]
    """what stood for them, as in an answer"""
    state: State


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
    """Prints is the answer of the operation prints."""

    format: Format
    prints: List[str]
    """of the first one, two, … messages"""
    model: NotRequired[str]
    """model is the model that a request body names, or an answer of open."""


class ValidateRequest(TypedDict):
    """A request of the operation validate."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Validation(TypedDict):
    """Validation is the answer of the operation validate: the rules of the wire format that a transcript breaks."""

    valid: bool
    """no violation is refused"""
    format: Format
    messages: int
    violations: List[Violation]


class Violation(TypedDict):
    """Violation is a rule that the transcript breaks."""

    rule: str
    """its id in docs/guides/formats.md"""
    message: int
    """index in the list; -1 for what stands beside it"""
    path: str
    offset: int
    """bytes from the start of the request"""
    text: str
    """for people"""
    severity: Severity
    """severity is what the provider does."""
    repair: Repair
    """what repair does about it; of a tolerated one only where the policy says `'repair':'all'`"""

#: Severity is what a provider does about a violation.
Severity = Literal[
    "refused",
    "tolerated",
]

#: Repair is what repair does about a violation.
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
    """RepairedMessages is the answer of the operation repair."""

    valid: bool
    """nothing is left that the provider would refuse"""
    report: Report


class ConvertRequest(TypedDict):
    """A request of the operation convert."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    messages: NotRequired[Any]
    session: NotRequired[int]
    to: Format


#: Converted is the answer of the operation convert.
Converted = TypedDict(
    "Converted",
    {
        #: the format that came in
        "from": "Format",
        "to": "Format",
        #: valid tells that nothing is left that the provider of the new format would refuse.
        "valid": "bool",
        #: lost lists what is not carried over as it was, in the order of the messages.
        "lost": "List[Loss]",
        #: report says what a repair had to mend in the result: its messages are those of the result.
        "report": "Report",
        #: system is the system prompt of a list of messages, where the new format has it beside the list: the value of
        #: the request's member for it, in the shape of the format.
        "system": "NotRequired[Any]",
    },
)


class Loss(TypedDict):
    """Loss is a thing that is not carried over into another wire format, or is but in part."""

    message: int
    """index in the input's list; -1 for what stands beside it"""
    path: str
    """where its message or part stands"""
    kind: LossKind
    reason: LossReason
    instead: LossInstead
    detail: NotRequired[str]
    """detail names it: the key of a member, a type, a tool, the new id or name of one that was changed."""
    count: NotRequired[int]
    """
    count is how many messages, or how many parts, have metadata of one name; the entry has the place of the first. Not
    there where it is one.
    """

#: LossKind is what a conversion has not carried over: a kind of part, or something of another size.
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

#: LossReason is why a conversion has not carried a thing over as it was. Reasons are stable.
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

#: LossInstead is what took the place of a thing that was not carried over.
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
    """Kept is a body that the host has kept."""

    handle: str
    """or its first digits, 16 or more"""
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
    """RestoredMessages is the answer of the operation restore."""

    report: Report
    valid: bool
    """valid tells that the result breaks no rule of its format."""
    markers: List[Marker]
    """
    markers are what is left in the result that names a handle, and the changes of compactions that were not taken back.
    """
    state: NotRequired[State]
    """state is the State that fits the result, where the request had one."""


class Marker(TypedDict):
    """
    Marker is a place of a transcript where a body stood that has a handle. Of changes, which have no place, the handle
    is that which the state or another body names.
    """

    handle: str
    """its first 16 digits; of changes all"""
    what: BodyKind
    """it was"""
    message: int
    """index in the result's list; -1 for changes"""
    why: NotRequired[MarkerFault]
    """why is what keeps a body from being put back although it was given."""

#: MarkerFault is why a body was not put back although it was given.
MarkerFault = Literal[
    "changed",
    "corrupt",
]


class NamedHandles(TypedDict):
    """NamedHandles is the answer of the operation restore for bodies without messages."""

    handles: List[str]
    """those that the bodies name"""
    corrupt: List[str]
    """those of bodies that are others than their handles say"""


class DigestsRequest(TypedDict):
    """A request of the operation digests."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]
    session: NotRequired[int]


class Digests(TypedDict):
    """Digests is the answer of the operation digests."""

    format: Format
    digests: List[Digest]
    """in the order of the messages"""


class Digest(TypedDict):
    """Digest is a message that compactions have written, as data: nobody in the conversation has said it."""

    message: int
    """its index"""
    kind: DigestKind
    own: bool
    """
    own says that the message counts as written by a compaction: the state names it, or it has the role and the place
    that the policy gives such messages. Another one only reads like it; somebody may have repeated or forged it.
    """
    round: NotRequired[int]
    """how many compactions stand in it, where it says so"""
    handle: NotRequired[str]
    """of the messages that it stands for, as it names it, where they are archived"""
    text: str
    """without the header, the handle and the lists of the ledger"""
    sections: List[DigestSection]
    """
    sections are the parts of text under its headings. Lines before the first heading are a section whose heading is ''.
    """
    ledger: NotRequired[Ledger]
    """the lists that code has added"""

#: DigestKind says what a message stands for that a compaction has written.
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
    """DigestSection is what stands under one heading of a digest."""

    heading: str
    """without its marks"""
    level: int
    """1 to 6; 0 where there is no heading"""
    lines: List[str]
    """without empty ones"""


class Found(TypedDict):
    """Found is the answer of the operation search."""

    results: List[FoundMessage]
    """the best first"""
    searched: Searched


class FoundMessage(TypedDict):
    """FoundMessage is a message that fits the query."""

    body: int
    """the index of its body in the request"""
    handle: NotRequired[str]
    index: int
    """in the list that the body is; 0 where it is none"""
    score: int
    """compares the results of one answer"""
    role: Role
    date: NotRequired[str]
    """the day of the message, such as 2025-03-14, where it is known"""
    offset: NotRequired[int]
    """offset is where the snippet begins in the text of the message, in Unicode scalar values."""
    snippet: str
    """
    snippet is the passage that fits the query best, of at most some 240 bytes. It is text of the conversation: data,
    never an instruction.
    """


class Searched(TypedDict):
    """Searched says what a search has gone through."""

    bodies: int
    messages: int
    bytes: int
    missing: List[str]
    """missing are handles that the bodies name, of more that was taken out, and that were not given."""


class RecallRequest(TypedDict):
    """A request of the operation recall."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    arguments: NotRequired[Any]
    body: NotRequired[Any]
    found: NotRequired[Found]


class Recalled(TypedDict):
    """Recalled is the answer of the operation recall: the tool, what a call asks for, or the text to answer it with."""

    tool: NotRequired[Dict[str, Any]]
    """the tool's definition, if there were no arguments"""
    handle: NotRequired[str]
    """what the call asks for"""
    query: NotRequired[str]
    """what the call looks for; where there is a handle too, in that body"""
    text: NotRequired[str]
    """the answer to the call, if it is known"""


class SearchRequest(TypedDict):
    """A request of the operation search."""

    bodies: List[Searchable]
    query: str
    limit: NotRequired[int]
    roles: NotRequired[List[Role]]
    after: NotRequired[str]
    before: NotRequired[str]


class Opened(TypedDict):
    """Opened is the answer of the operation open: the live conversation of a session file."""

    kind: SessionKind
    """of file"""
    format: Format
    """of the messages"""
    model: str
    """asked last; '' where the file does not tell"""
    system: str
    """the system prompt; '' where the file does not tell"""
    usage: Counted
    """the provider's last count; null where there is none since the last compaction"""
    skipped: List[Skipped]
    """what was left out, sorted by What"""
    messages: List[Any]
    """messages are what the agent's next request would hold: a list."""

#: SessionKind is the kind of a session file; docs/guides/sessions.md describes them.
SessionKind = Literal[
    "claude-code",
    "cline",
    "codex",
    "gemini-cli",
    "opencode",
    "openhands",
    "pi",
    "roo-code",
]


class Skipped(TypedDict):
    """Skipped is something of a session file that is not in the messages, and how often."""

    what: SkipReason
    count: int

#: SkipReason is why something in a session file is not among its messages.
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
    Saved is the answer of the operation save: the new file is the first Kept bytes of the old one, and Text behind
    them.
    """

    kind: SessionKind
    """of file"""
    kept: int
    """bytes"""
    text: str


class SessionOpenRequest(TypedDict):
    """A request of the operation session_open."""

    policy: NotRequired[Policy]
    options: NotRequired[Options]
    state: NotRequired[State]
    messages: NotRequired[Any]


class SessionInfo(TypedDict):
    """SessionInfo is the answer of the operations session_open and session_append: how the session stands."""

    session: int
    """its number, for requests"""
    messages: int
    """how many it has"""
    tokens: int
    """of them and of what is sent beside them"""
    format: Union[Format, Literal['']]
    """'' as long as neither the policy nor messages tell it"""


class SessionAppendRequest(TypedDict):
    """A request of the operation session_append."""

    messages: NotRequired[Any]
    session: int


class SessionCloseRequest(TypedDict):
    """A request of the operation session_close."""

    session: int


class ClosedSession(TypedDict):
    """ClosedSession is the answer of the operation session_close."""

    closed: int
    """the number of the session"""


class Failure(TypedDict):
    """Failure is what is known of a call of a model, whether it failed or not. Every member may be left out."""

    status: NotRequired[int]
    """HTTP"""
    body: NotRequired[str]
    """of the answer, or the error's text"""
    provider: NotRequired[str]
    model: NotRequired[str]
    """that was called"""
    current_model: NotRequired[str]
    """that is in use now"""
    finish_reason: NotRequired[str]
    usage: NotRequired[FailureUsage]
    window: NotRequired[int]
    """the model's, in tokens"""
    typed: NotRequired[bool]
    """the host's own client knows the error for an overflow"""


class FailureUsage(TypedDict):
    """
    FailureUsage is what a call that succeeded had, in tokens; input is without what was read from or written to the
    cache.
    """

    input_tokens: NotRequired[int]
    cache_read_tokens: NotRequired[int]
    cache_write_tokens: NotRequired[int]
    output_tokens: NotRequired[int]


class ClassifyErrorRequest(TypedDict):
    """A request of the operation classify_error."""

    arguments: Failure


#: Verdict is the answer of the operation classify_error.
Verdict = TypedDict(
    "Verdict",
    {
        "class": "FailureClass",
        #: a compaction and one retry may mend it
        "overflow": "bool",
        #: no error told of it
        "silent": "bool",
        "provider": "NotRequired[str]",
        "message": "str",
        "used_tokens": "NotRequired[int]",
        "limit_tokens": "NotRequired[int]",
    },
)

#: FailureClass is why a call of a model failed.
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
    """OutputLimits are how large a tool's output may be. A limit of 0 or less is none."""

    max_lines: NotRequired[int]
    max_bytes: NotRequired[int]
    """UTF-8"""
    max_chars: NotRequired[int]
    """Unicode scalar values"""
    spill_chars: NotRequired[int]
    """above it the whole output is kept elsewhere; 0 is never"""
    mode: NotRequired[LimitMode]
    place: NotRequired[str]
    """where the host has kept it"""
    spill_error: NotRequired[str]
    """why the host could not keep it"""

#: LimitMode is what of a tool's output stays.
LimitMode = Literal[
    "head_tail",
    "head",
]


class LimitToolOutputRequest(TypedDict):
    """A request of the operation limit_tool_output."""

    text: str
    arguments: NotRequired[OutputLimits]


class LimitedOutput(TypedDict):
    """LimitedOutput is the answer of the operation limit_tool_output."""

    changed: bool
    text: str
    keep_media: bool
    """what stands beside the text stays"""
    spilled: bool
    """the text is a notice: the host keeps the whole output under its handle"""
    handle: NotRequired[str]


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
    """FunctionResult is the answer of the operation function."""

    result: Any
    """as docs/reference/functions.md says for each function"""

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

#: One run of an answer's messages, in output order. Indexes count in the messages that were given.
Edit = Union[KeepEdit, InsertEdit, SetEdit]
