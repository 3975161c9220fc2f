package api

// Answer is the form in which the transcript is returned.
type Answer string

// The forms in which the transcript is returned.
const (
	AnswerMessages Answer = "messages" // in the shape of the input; the default
	AnswerEdits    Answer = "edits"    // as edits over input indexes, for hosts that hold live objects
	AnswerReport   Answer = "report"   // not returned at all
)

// Archive is whether and how removed content is archived.
type Archive string

// The archive settings.
const (
	ArchiveOff    Archive = ""       // removed content is lost; the default
	ArchivePlaces Archive = "places" // the response lists the handle of each removed body and its byte ranges in the request
	ArchiveBodies Archive = "bodies" // the response contains the removed bodies
)

// OpenCalls determines how to treat tool calls at the end that have no result yet.
type OpenCalls string

// The treatments of open tool calls.
const (
	OpenCallsKeep   OpenCalls = "keep"   // they are left to the host; the default
	OpenCallsAnswer OpenCalls = "answer" // they count as violations, and repair adds a result saying that there is none
)

// SummaryMode is the way in which digests are written.
type SummaryMode string

// The writers of digests.
const (
	SummaryModel   SummaryMode = "model"   // the host's model; the default
	SummaryLocal   SummaryMode = "local"   // code alone
	SummaryMinimal SummaryMode = "minimal" // code alone, and the digest only counts the removed messages
)

// Cold is the reason why a provider's prompt cache no longer holds a conversation, so that a compaction costs no cached tokens.
type Cold string

// The causes of a cold prompt cache.
const (
	ColdIdle     Cold = "idle"             // there was no call for longer than the cache lives
	ColdModel    Cold = "model_changed"    // the last call went to another model
	ColdProvider Cold = "provider_changed" // the last call went to another provider
	ColdGone     Cold = "gone"             // another cause known to the host, such as changed tools
)

// Reason is the reason why an operation did or didn't change the transcript.
type Reason string

// The reasons in reports and in the results of check. They are stable.
const (
	ReasonCompacted        Reason = "compacted"          // the transcript was compacted
	ReasonUnderBudget      Reason = "under_budget"       // compaction isn't due
	ReasonUnknownWindow    Reason = "unknown_window"     // the policy has no window, so compaction is never due; only with `wire_safe` off, or in a `check` with `force`
	ReasonNoProgress       Reason = "no_progress"        // due, but no pass could free anything; the input is returned unchanged
	ReasonGainTooSmall     Reason = "gain_too_small"     // due, but compacting would free less than `gate.min_gain`; the input is returned unchanged
	ReasonOpenThinking     Reason = "open_thinking"      // due, but a tool call at the end has no result yet, and it is unknown whether the thinking before it must stay or go; the input is returned unchanged. Compact when the result has arrived, or set `thinking`
	ReasonStuck            Reason = "stuck"              // due, but the last compactions didn't help, and little has been added since
	ReasonNeedsSummaries   Reason = "needs_summaries"    // the host's model must be asked first
	ReasonOverLimit        Reason = "over_limit"         // `check` only: compaction is due
	ReasonOverBytes        Reason = "over_bytes"         // `check` only: compaction is due because the messages exceed `max_bytes`
	ReasonCold             Reason = "cold"               // `check` only: compaction is due because the prompt cache is cold; `cold` has the cause
	ReasonSummaryFailed    Reason = "summary_failed"     // there is no summary, and `summary.on_failure` is `keep`; the input is returned unchanged
	ReasonRepaired         Reason = "repaired"           // `repair` only: something was repaired
	ReasonRestored         Reason = "restored"           // `restore` only: content was put back
	ReasonNothingToRestore Reason = "nothing_to_restore" // `restore` only: no marker names the handle of a given body
	ReasonValid            Reason = "valid"              // `repair` only: nothing had to be repaired
	ReasonUnlimited        Reason = "unlimited"          // the policy has `window.unlimited` and no other limit, so compaction is never due
)

// ActionName is what an operation did to a message, such as "drop" or "truncate".
type ActionName string

// The actions of reports.
const (
	ActionClear    ActionName = "clear"    // replaced a tool result with a marker
	ActionSqueeze  ActionName = "squeeze"  // rewrote a tool result in fewer tokens
	ActionDedupe   ActionName = "dedupe"   // replaced a tool result that a newer one repeats with a marker
	ActionArchive  ActionName = "archive"  // replaced a tool result with a summary
	ActionShrink   ActionName = "shrink"   // replaced an image, audio or a file with a placeholder
	ActionTruncate ActionName = "truncate" // cut the middle of a tool result, of a first message that changes between requests or, as a last resort, of another text
	ActionFold     ActionName = "fold"     // folded a message into the digest or the line of its turn, or rewrote it as text of a tool loop
	ActionInsert   ActionName = "insert"   // inserted a message: the digest, the line of a turn, a tool loop as text, the count of dropped messages, a result for a call that had none, a first user message, or a turn between two messages of one role
	ActionRestore  ActionName = "restore"  // put back the content of a file or, in `restore`, a body
	ActionStrip    ActionName = "strip"    // removed reasoning from a message
	ActionDrop     ActionName = "drop"     // removed a message, or a part or member that no provider would accept
	ActionMove     ActionName = "move"     // moved a tool result after its call
	ActionRename   ActionName = "rename"   // gave a tool call a unique id
	ActionAdd      ActionName = "add"      // added an empty `reasoning_content` to a message, because others have one
	ActionSign     ActionName = "sign"     // added the sentinel that the provider accepts as a signature to a Gemini call that must be signed
	ActionWrap     ActionName = "wrap"     // wrapped a Gemini response that wasn't an object in one
	ActionReplace  ActionName = "replace"  // replaced unpaired surrogates with U+FFFD; `message` is -1 for those outside the message list
)

// Doer is the pass that changed a message, or a step outside the passes.
type Doer string

// The steps outside the passes.
const (
	DoerRepair     Doer = "repair"      // repairs violations
	DoerThinking   Doer = "thinking"    // keeps signed thinking valid
	DoerBytes      Doer = "bytes"       // keeps the messages under `max_bytes`
	DoerScore      Doer = "score"       // removes content with a host score below 0, before the passes
	DoerChanging   Doer = "changing"    // cuts a first message that changes between requests, before the passes
	DoerLastResort Doer = "last_resort" // cuts a result that is still over the limit after the passes
	DoerRestore    Doer = "restore"     // puts bodies back
)

// DecisionName is the outcome for a message: kept, pinned, or the ActionName of the last action on it.
type DecisionName string

// The decisions in a log that are not actions.
const (
	DecisionKept   DecisionName = "kept"   // nothing changed the message
	DecisionPinned DecisionName = "pinned" // nothing changed it, because it is pinned
)

// TokenSource is where a token count comes from.
type TokenSource string

// The sources of token counts.
const (
	TokensMeasured   TokenSource = "measured"    // the provider's count up to some message, plus an estimate of the rest
	TokensCalibrated TokenSource = "calibrated"  // an estimate, corrected by the provider's counts of earlier calls (`calibration` in the state)
	TokensEstimated  TokenSource = "estimated"   // an estimate by the `estimator`, for the `family` of tokenizers of the policy's `model`
	TokensUpperBound TokenSource = "upper_bound" // an upper bound computed from the number of bytes, as `fit` of the JavaScript package uses it to decide without calling the module
)

// SummarySource is where a digest comes from.
type SummarySource string

// The sources of digests.
const (
	SourceNone     SummarySource = "none"     // no digest was written
	SourceModel    SummarySource = "model"    // the host's model
	SourceProvider SummarySource = "provider" // the conversation's provider, by its own compaction
	SourceHost     SummarySource = "host"     // `summary.text` of the options
	SourceLocal    SummarySource = "local"    // code alone
)

// SummaryShape is the form in which the model is asked for a summary.
type SummaryShape string

// The shapes of requests for summaries.
const (
	ShapeFlat   SummaryShape = "flat"   // a separate prompt that contains a record of the messages
	ShapePrefix SummaryShape = "prefix" // an instruction appended to the conversation as it was last sent, whose start is in the provider's prompt cache
)

// SummaryFault is the reason why a summary by the host's model was rejected.
type SummaryFault string

// The causes of rejected summaries.
const (
	FaultFailed     SummaryFault = "summarizer_failed"    // the host returned an `error`
	FaultEmpty      SummaryFault = "empty_summary"        // it is empty, only white space, or only lines of the request
	FaultTooShort   SummaryFault = "too_short"            // it has less than one token per 512 that it replaces, or fewer than 16
	FaultCutOff     SummaryFault = "cut_off"              // `finish_reason` is `length`, `max_tokens`, `max_output_tokens`, `model_length`, `model_context_window_exceeded` or `incomplete`, in any case; or its last line ends within a sentence, although all other long lines are finished
	FaultRefusal    SummaryFault = "refusal"              // it has less than 800 bytes and begins like a refusal, or one of its first clauses does and it has no headings, or `finish_reason` is `refusal`, `content_filter` (or `content-filter`) or `safety`
	FaultAnswers    SummaryFault = "answers_conversation" // it addresses somebody in the conversation instead of summarizing it
	FaultToolCall   SummaryFault = "tool_call"            // it is a tool call, as a tag or as JSON, or `finish_reason` is `tool_use`, `tool_calls` or `function_call`
	FaultTooLong    SummaryFault = "too_long"             // it has more than twice `max_output_tokens` plus 256 tokens
	FaultTooLarge   SummaryFault = "larger_than_folded"   // it has at least as many tokens as the messages that it replaces
	FaultNoHeadings SummaryFault = "missing_headings"     // it has no headings and isn't a list (at least 3 items, on half of its lines). After the retries it is accepted anyway, with this `why`, because it is still better than an extract
	FaultRepeats    SummaryFault = "repetitive"           // it has at least 90 words, and repeats each run of six words four times on average
	FaultUnfounded  SummaryFault = "unfounded"            // three of four of its names, of its quotes, of its numbers, or of the people and places in it (and at least 4, 3, 6 or 6 of them) don't occur in what the model was given
	FaultTopic      SummaryFault = "off_topic"            // it shares no name, no number and less than a tenth of its words with the record
	FaultNoRoom     SummaryFault = "no_room_for_request"  // even the prompt alone exceeds `summary.max_input_tokens`; the model wasn't asked
)

// Scope is the part of the conversation that a request for a summary covers.
type Scope string

// The scopes of requests for summaries.
const (
	ScopeSession    Scope = "session"     // the older part of the conversation
	ScopeUpdate     Scope = "update"      // the same, including an earlier digest to update
	ScopeTurnPrefix Scope = "turn_prefix" // the start of a turn that is still going on
	ScopePart       Scope = "part"        // one part of a record that is too long for one request
	ScopeMerge      Scope = "merge"       // the digests of the parts of such a record
	ScopeBranch     Scope = "branch"      // an abandoned path
	ScopeToolOutput Scope = "tool_output" // the output of one tool
)

// ExcessCause is the reason why a large message is still in a result that does not fit.
type ExcessCause string

// The causes of results that do not fit.
const (
	CauseBeside     ExcessCause = "beside"      // it is the system prompt and the tools of a request body
	CauseSystem     ExcessCause = "system"      // it is a system message
	CauseNewestUser ExcessCause = "newest_user" // it is the newest user message
	CausePinned     ExcessCause = "pinned"      // the policy pins it
	CauseProvider   ExcessCause = "provider"    // it holds content that only its provider can read
	CauseOpenCall   ExcessCause = "open_call"   // its tool call waits for a result
	CausePair       ExcessCause = "pair"        // it belongs to a tool call or result that must stay
	CauseNew        ExcessCause = "new"         // the compaction wrote it
	CauseKept       ExcessCause = "kept"        // nothing removed it: the policy has no last resort, or the input was returned unchanged
)

// ThrashingCause is the likely cause of compactions that follow each other too closely.
type ThrashingCause string

// The causes of thrashing.
const (
	ThrashingWholeHistory   ThrashingCause = "whole_history"   // the list isn't the result of the last compaction and has no digest: the application passes its whole history each time
	ThrashingPinned         ThrashingCause = "pinned"          // pinned messages, the system prompt and the tools take over half of the limit
	ThrashingNewestMessages ThrashingCause = "newest_messages" // the messages since the last result take over half of the limit
	ThrashingTarget         ThrashingCause = "target"          // `gate.target` is over 0.9
	ThrashingWindow         ThrashingCause = "window"          // none of these: each turn adds much relative to the window
)

// ThinkingMode is how a model thinks.
type ThinkingMode string

// The thinking modes. They decide how the signed thinking in a model's messages may change (AN8, AN9).
const (
	ThinkingManual    ThinkingMode = "manual"     // with a budget: an open tool loop must begin with its own thinking, and blocks aren't bound to the messages before them
	ThinkingAdaptive  ThinkingMode = "adaptive"   // the model decides: a block is bound to everything before it, and none is required
	ThinkingDropBlock ThinkingMode = "drop_block" // adaptive, and the provider itself drops blocks after a change
	ThinkingOff       ThinkingMode = "off"        // no thinking: no block is required, and the last assistant turn must have none
	ThinkingUnknown   ThinkingMode = "unknown"    // unknown, so a result must be valid in every mode
)

// ThinkingEffort is the amount of thinking that a request for a summary asks of the model.
type ThinkingEffort string

// The efforts that requests for summaries ask for.
const ThinkingHigh ThinkingEffort = "high" // a lot

// ThinkingSource is how ctxfold determined a model's thinking mode.
type ThinkingSource string

// The sources of thinking modes.
const (
	ThinkingByPolicy  ThinkingSource = "policy"  // the policy
	ThinkingByRequest ThinkingSource = "request" // the request body
	ThinkingByModel   ThinkingSource = "model"   // the model's name
	ThinkingByFormat  ThinkingSource = "format"  // the wire format
	ThinkingByNone    ThinkingSource = "none"    // nothing, so the mode is unknown
)

// Severity is how the provider reacts to a violation.
type Severity string

// The severities of violations.
const (
	SeverityRefused   Severity = "refused"   // it returns an error
	SeverityTolerated Severity = "tolerated" // it accepts the request
)

// Repair is the way in which repair fixes a violation.
type Repair string

// The repairs of violations.
const (
	RepairNone         Repair = "none"          // not at all: only the caller can fix it
	RepairAddResult    Repair = "add_result"    // adds a result to a tool call, saying that the call has no result
	RepairDropPart     Repair = "drop_part"     // removes a part
	RepairDropMessage  Repair = "drop_message"  // removes a message
	RepairRenameID     Repair = "rename_id"     // gives a tool call a unique id
	RepairAddUser      Repair = "add_user"      // inserts a first user message
	RepairMoveResult   Repair = "move_result"   // moves a tool result after its call
	RepairAddTurn      Repair = "add_turn"      // inserts a turn between two messages of one role
	RepairWrapBody     Repair = "wrap_body"     // wraps a response that isn't an object in an object
	RepairSign         Repair = "sign"          // adds the sentinel signature that the provider accepts to a call that must be signed
	RepairDropCaller   Repair = "drop_caller"   // removes a member that names a caller that doesn't exist
	RepairReplace      Repair = "replace"       // replaces unpaired surrogates with U+FFFD
	RepairFillBody     Repair = "fill_body"     // makes an empty tool result say that it is empty
	RepairAddReasoning Repair = "add_reasoning" // adds an empty `reasoning_content` to a message, because other messages have one
)

// FailureClass is the reason why a model call failed.
type FailureClass string

// The classes of failures. They are stable.
const (
	FailureNone         FailureClass = "none"              // no known failure
	FailureContext      FailureClass = "context_overflow"  // the conversation doesn't fit into the window
	FailureRateLimit    FailureClass = "rate_limit"        // too many requests or tokens in a period of time, or a quota: wait, don't compact
	FailureOtherModel   FailureClass = "other_model"       // the failure is from a model that is no longer in use
	FailureOutputLimit  FailureClass = "output_limit"      // the requested output is too long for the model, whatever the conversation
	FailurePayloadLimit FailureClass = "payload_too_large" // the request has too many bytes, because of images and files rather than tokens
	FailureProvider     FailureClass = "provider_error"    // any other failure
)

// LimitMode determines which part of an oversized tool output stays.
type LimitMode string

// The ways to limit a tool's output.
const (
	LimitHeadTail LimitMode = "head_tail" // its start and its end
	LimitHead     LimitMode = "head"      // its start
)

// Role is the author of a message.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"    // the application
	RoleUser      Role = "user"      // the user
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // a tool
)

// BodyKind is the kind of content that an archived body was in the transcript.
type BodyKind string

// The kinds of bodies.
const (
	BodyToolResult BodyKind = "tool_result" // the content of a tool result
	BodyText       BodyKind = "text"        // one text of a tool result or message
	BodyImage      BodyKind = "image"       // an image
	BodyAudio      BodyKind = "audio"       // audio
	BodyFile       BodyKind = "file"        // a file
	BodyFold       BodyKind = "fold"        // the messages replaced by a digest, by the line of a turn, by a tool loop as text, or by a count
	BodyChanges    BodyKind = "changes"     // how to rebuild the input from the result
)

// MarkerFault is the reason why a body was not put back although it was given.
type MarkerFault string

// The reasons why bodies are not put back.
const (
	MarkerChanged MarkerFault = "changed" // for changes: the transcript isn't the result of the compaction
	// MarkerRespelled: the changes were undone, but the messages that the program had passed write a tool call differently.
	MarkerRespelled MarkerFault = "respelled"
	MarkerCorrupt   MarkerFault = "corrupt" // the store has different content under this handle; set by hosts that verify bodies
)

// SessionKind is the kind of a session file; docs/guides/sessions.md describes them.
type SessionKind string

// The kinds of session files, by the agents that write them.
const (
	SessionClaudeCode SessionKind = "claude-code"
	SessionCline      SessionKind = "cline"
	SessionCodex      SessionKind = "codex"
	SessionCopilot    SessionKind = "copilot"
	SessionGeminiCLI  SessionKind = "gemini-cli"
	SessionGoose      SessionKind = "goose"
	SessionLetta      SessionKind = "letta"
	SessionLibreChat  SessionKind = "librechat"
	SessionOpenWebUI  SessionKind = "open-webui"
	SessionLlamaIndex SessionKind = "llamaindex"
	SessionOpencode   SessionKind = "opencode"
	SessionOpenHands  SessionKind = "openhands"
	SessionPi         SessionKind = "pi"
	SessionRooCode    SessionKind = "roo-code"

	SessionSemanticKernel SessionKind = "semantic-kernel"
)

// Style is the layout of requests and digests.
type Style string

// The styles. Except for the default, they are those of published systems, named after their presets.
const (
	StyleOwn          Style = "" // ctxfold's own; the default
	StyleTurnTail     Style = "turn-tail"
	StyleCheckpoint   Style = "checkpoint"
	StyleWindowBudget Style = "window-budget"
	StyleAgentLoop    Style = "agent-loop"
)

// Family is a family of tokenizers.
type Family string

// The families of tokenizers that estimates are fitted to.
const (
	FamilyO200k  Family = "o200k"
	FamilyCL100k Family = "cl100k"
	FamilyClaude Family = "claude"
	FamilyLlama3 Family = "llama3"
	FamilyGemini Family = "gemini"
)

// SkipReason is the reason why an entry of a session file is not among its messages.
type SkipReason string

// The reasons for skipping entries.
const (
	SkipAPIError   SkipReason = "api_error"       // a note about a failed call, in place of a response
	SkipBranch     SkipReason = "branch"          // an abandoned path
	SkipCompacted  SkipReason = "compacted"       // content that an earlier compaction replaced
	SkipDuplicate  SkipReason = "duplicate"       // a second copy of a message or tool result
	SkipEmpty      SkipReason = "empty"           // a message without content
	SkipExcluded   SkipReason = "excluded"        // hidden from the model by the user
	SkipFailed     SkipReason = "failed"          // an aborted response, and the results of its calls
	SkipMeta       SkipReason = "meta"            // events, titles, snapshots, notices
	SkipRolledBack SkipReason = "rolled_back"     // a turn that the user undid
	SkipSideChain  SkipReason = "side_chain"      // a subagent
	SkipUnfinished SkipReason = "unfinished_line" // a truncated last line
)

// LossKind is the kind of content that a conversion did not carry over: a kind of part, a member, a message or tools.
type LossKind string

// The kinds of losses.
const (
	LossOfText       LossKind = "text"
	LossOfReasoning  LossKind = "reasoning"
	LossOfImage      LossKind = "image"
	LossOfAudio      LossKind = "audio"
	LossOfFile       LossKind = "file"
	LossOfToolCall   LossKind = "tool_call"
	LossOfToolResult LossKind = "tool_result"
	LossOfOpaque     LossKind = "opaque"
	LossOfMember     LossKind = "member"  // a member of a message, of a part or of the request body; the detail names it
	LossOfMessage    LossKind = "message" // a whole message, or its role
	LossOfTools      LossKind = "tools"   // tool definitions
)

// DigestKind is the kind of content that a message written by a compaction replaces.
type DigestKind string

// The kinds of messages that compactions write.
const (
	DigestFold   DigestKind = "digest" // folded messages
	DigestBranch DigestKind = "branch" // an abandoned path of the conversation
	DigestLine   DigestKind = "line"   // one older turn
	DigestLoop   DigestKind = "loop"   // the tool calls and results of an open turn
	DigestFile   DigestKind = "file"   // a file that was put back after a digest
	DigestCount  DigestKind = "count"  // dropped messages
	DigestTurn   DigestKind = "turn"   // nothing: the message only makes the roles alternate
	DigestOther  DigestKind = "other"  // content of a pass that isn't one of ctxfold's own
)

// LossReason is the reason why a conversion did not carry something over unchanged. Reasons are
// stable.
type LossReason string

// The reasons of losses.
const (
	LossSigned       LossReason = "signed"        // signed or encrypted by its provider, and unreadable for others
	LossServerTool   LossReason = "server_tool"   // a tool that the provider runs itself
	LossProviderOnly LossReason = "provider_only" // known only to its provider: options, metadata, a file in its store
	LossOpaque       LossReason = "opaque"        // a part of an unknown type
	LossNoPlace      LossReason = "no_place"      // the new format doesn't allow this kind in that place
	LossMediaType    LossReason = "media_type"    // the new format doesn't accept this media type
	LossURL          LossReason = "url"           // the new format needs the bytes, but only a URL is given
	LossCacheMark    LossReason = "cache_mark"    // a cache breakpoint
	LossCitations    LossReason = "citations"     // sources cited in a response
	LossErrorFlag    LossReason = "error_flag"    // the new format doesn't mark failed tool calls
	LossIDForm       LossReason = "id_form"       // an id that the new format doesn't accept, or that another call already has
	LossNameForm     LossReason = "name_form"     // a tool name that the new format doesn't accept
	LossArguments    LossReason = "arguments"     // arguments that aren't a JSON object
	LossOrphan       LossReason = "orphan"        // a tool result whose call isn't in the list
	LossRole         LossReason = "role"          // a role that the new format doesn't have
	LossSystemPlace  LossReason = "system_place"  // a system message inside the conversation, where the new format doesn't allow one
	LossEmpty        LossReason = "empty"         // a text that is only white space
	LossNotSent      LossReason = "not_sent"      // content for the application, which no model was sent
	LossName         LossReason = "name"          // the name of a speaker or of a file
	LossTools        LossReason = "tools"         // tool definitions, which have no place in the new format
	LossBeside       LossReason = "beside"        // a provider-specific member of the request body
	LossMetadata     LossReason = "metadata"      // a member that the new format doesn't have
)

// LossInstead is the replacement for content that was not carried over.
type LossInstead string

// The replacements of losses.
const (
	InsteadNothing  LossInstead = "nothing"
	InsteadText     LossInstead = "text"     // a text with the content, or a note that the content was there
	InsteadUnsigned LossInstead = "unsigned" // the reasoning without its signature
	InsteadMoved    LossInstead = "moved"    // the same content in a user message that follows
	InsteadChanged  LossInstead = "changed"  // a new id or name, given in the detail
	InsteadWrapped  LossInstead = "wrapped"  // an object with the text under `input`
	InsteadUser     LossInstead = "user"     // the same as a user message
	InsteadSystem   LossInstead = "system"   // the same as a system message
)
