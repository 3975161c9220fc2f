package api

// Answer says how the transcript comes back.
type Answer string

// The ways in which the transcript comes back.
const (
	AnswerMessages Answer = "messages" // in the shape that came in; the default
	AnswerEdits    Answer = "edits"    // as runs over the input's indexes, for hosts that hold live objects
	AnswerReport   Answer = "report"   // not at all
)

// Archive says whether what is taken out can come back.
type Archive string

// The ways to archive what is taken out.
const (
	ArchiveOff    Archive = ""       // what is taken out is gone; the default
	ArchivePlaces Archive = "places" // the answer lists the handle of every body, and its places in the request
	ArchiveBodies Archive = "bodies" // the answer has the bodies themselves
)

// OpenCalls says what becomes of tool calls at the end that have no result yet.
type OpenCalls string

// What becomes of open tool calls.
const (
	OpenCallsKeep   OpenCalls = "keep"   // they are left to the host; the default
	OpenCallsAnswer OpenCalls = "answer" // they are violations too, and repair gives them a result that says so
)

// SummaryMode says who writes digests.
type SummaryMode string

// The ways in which a digest is made.
const (
	SummaryModel   SummaryMode = "model"   // the host's model is asked; the default
	SummaryLocal   SummaryMode = "local"   // code alone writes it
	SummaryMinimal SummaryMode = "minimal" // code alone; it only counts the messages that are gone
)

// Cold says why a provider's prompt cache has nothing of a conversation, so that a compaction takes nothing from it.
type Cold string

// Why a prompt cache is cold.
const (
	ColdIdle     Cold = "idle"             // no call has come for longer than the cache lives
	ColdModel    Cold = "model_changed"    // the last call was to another model
	ColdProvider Cold = "provider_changed" // the last call was to another provider
	ColdGone     Cold = "gone"             // the host knows it for another reason, such as other tools
)

// Reason is why an operation ended as it did.
type Reason string

// The reasons of reports and of the answers of check. They are stable.
const (
	ReasonCompacted        Reason = "compacted"          // done
	ReasonUnderBudget      Reason = "under_budget"       // not due
	ReasonUnknownWindow    Reason = "unknown_window"     // the policy names no window, so nothing is ever due
	ReasonNoProgress       Reason = "no_progress"        // due, but no pass could gain anything; the input comes back as it was
	ReasonGainTooSmall     Reason = "gain_too_small"     // due, but less than `gate.min_gain` could be gained; the input comes back as it was
	ReasonOpenThinking     Reason = "open_thinking"      // due, but a tool call at the end has no result yet, and nothing tells whether the thinking before it must stay or must go; the input comes back as it was. Compact when the result is there, or set `thinking`
	ReasonStuck            Reason = "stuck"              // due, but the last compactions did not help, and little has come since
	ReasonNeedsSummaries   Reason = "needs_summaries"    // the host's model is asked first
	ReasonOverLimit        Reason = "over_limit"         // of `check` only: compaction is due
	ReasonOverBytes        Reason = "over_bytes"         // of `check` only: compaction is due because the messages have more than `max_bytes`
	ReasonCold             Reason = "cold"               // of `check` only: compaction is due because the prompt cache is cold; `cold` says why
	ReasonSummaryFailed    Reason = "summary_failed"     // there is no summary, and `summary.on_failure` is `keep`; the input comes back as it was
	ReasonRepaired         Reason = "repaired"           // of `repair` only: something was mended
	ReasonRestored         Reason = "restored"           // of `restore` only: bodies were put back
	ReasonNothingToRestore Reason = "nothing_to_restore" // of `restore` only: no marker names a handle for which a body was given
	ReasonValid            Reason = "valid"              // of `repair` only: nothing had to be mended
)

// ActionName is what was done to a message.
type ActionName string

// The actions of reports.
const (
	ActionClear    ActionName = "clear"    // a tool result's body was replaced by a marker
	ActionSqueeze  ActionName = "squeeze"  // a tool result was written shorter, without losing what it says
	ActionDedupe   ActionName = "dedupe"   // a tool result that a newer one says again was replaced by a marker
	ActionArchive  ActionName = "archive"  // a tool result was replaced by a summary
	ActionShrink   ActionName = "shrink"   // an image, audio or a file was replaced by a placeholder
	ActionTruncate ActionName = "truncate" // the middle of a tool result was taken out, or of another text by the last resort
	ActionFold     ActionName = "fold"     // a message was folded into the digest, or into the line of its turn, or stands as text for a tool loop
	ActionInsert   ActionName = "insert"   // a new message: the digest, the line of a turn, a tool loop as text, the count of what was dropped, a result for a call that had none, a first word of the user, a turn between two messages of one role
	ActionRestore  ActionName = "restore"  // a file's content was put back; of `restore`, a body
	ActionStrip    ActionName = "strip"    // reasoning was taken out of a message
	ActionDrop     ActionName = "drop"     // a message was taken out, or a part, message or member that no provider would accept
	ActionMove     ActionName = "move"     // a tool result was moved behind its call
	ActionRename   ActionName = "rename"   // a tool call got an id of its own
	ActionAdd      ActionName = "add"      // a message got an empty `reasoning_content`, because others have one
	ActionSign     ActionName = "sign"     // a Gemini call that must be signed got the sentinel that the provider takes for a signature
	ActionWrap     ActionName = "wrap"     // a Gemini response that was no object was put into one
	ActionReplace  ActionName = "replace"  // half surrogate pairs were replaced by U+FFFD; `message` is -1 for those beside the list
)

// Doer is what did something to a message: a pass, or what works beside the passes.
type Doer string

// The doers that are no passes.
const (
	DoerRepair     Doer = "repair"      // what mends violations
	DoerThinking   Doer = "thinking"    // what keeps signed thinking valid
	DoerBytes      Doer = "bytes"       // what keeps the messages under `max_bytes`
	DoerLastResort Doer = "last_resort" // what makes a result fit that no pass has made fit
	DoerRestore    Doer = "restore"     // what puts bodies back
)

// DecisionName is what became of a message: it was kept, it is pinned, or it is the ActionName of the last action that touched it.
type DecisionName string

// The decisions of a log that are no action.
const (
	DecisionKept   DecisionName = "kept"   // nothing touched the message
	DecisionPinned DecisionName = "pinned" // nothing touched it, because it is pinned
)

// TokenSource is where a number of tokens comes from.
type TokenSource string

// The sources of numbers of tokens.
const (
	TokensMeasured   TokenSource = "measured"   // the provider's up to some message, and estimated behind it
	TokensCalibrated TokenSource = "calibrated" // estimated, and corrected by what the provider counted in earlier calls (`calibration` in the state)
	TokensEstimated  TokenSource = "estimated"  // estimated, by the `estimator` for the `family` of tokenizers that the policy's `model` has
)

// SummarySource is where a digest comes from.
type SummarySource string

// The sources of digests.
const (
	SourceNone     SummarySource = "none"     // no digest was written
	SourceModel    SummarySource = "model"    // the host's model
	SourceProvider SummarySource = "provider" // the provider of the conversation, by its own compaction
	SourceHost     SummarySource = "host"     // `summary.text` of the options
	SourceLocal    SummarySource = "local"    // code alone
)

// SummaryShape is how a summary is asked for.
type SummaryShape string

// The shapes of requests for summaries.
const (
	ShapeFlat   SummaryShape = "flat"   // a prompt of its own, with a record of the messages in it
	ShapePrefix SummaryShape = "prefix" // an instruction behind the conversation as it was sent last, of which the provider has the beginning in its prompt cache
)

// SummaryFault is why a summary of the host's model is not taken.
type SummaryFault string

// Why a summary is not taken.
const (
	FaultFailed     SummaryFault = "summarizer_failed"    // the host gave an `error`
	FaultEmpty      SummaryFault = "empty_summary"        // nothing, or only white space
	FaultTooShort   SummaryFault = "too_short"            // less than one token for 512 that it stands for, or less than 16
	FaultCutOff     SummaryFault = "cut_off"              // `finish_reason` is `length`, `max_tokens`, `max_output_tokens`, `model_length`, `model_context_window_exceeded` or `incomplete`, in any case
	FaultRefusal    SummaryFault = "refusal"              // it begins like a refusal and has less than 800 bytes, or `finish_reason` is `refusal`, `content_filter` (or `content-filter`) or `safety`
	FaultAnswers    SummaryFault = "answers_conversation" // it speaks to somebody in the conversation instead of writing about it
	FaultToolCall   SummaryFault = "tool_call"            // it is a tool call, as a tag or as JSON, or `finish_reason` is `tool_use`, `tool_calls` or `function_call`
	FaultTooLong    SummaryFault = "too_long"             // it takes more than twice `max_output_tokens` and 256 tokens
	FaultTooLarge   SummaryFault = "larger_than_folded"   // it takes as many tokens as what it stands for, or more
	FaultNoHeadings SummaryFault = "missing_headings"     // it has no headings at all and is no list (3 items or more, on half of its lines). After the retries it is taken all the same, with this `why`: what it says is still worth more than an extract
	FaultNoRoom     SummaryFault = "no_room_for_request"  // not even the prompt fits into `summary.max_input_tokens`; nothing was asked
)

// Scope is what the record of a request for a summary is.
type Scope string

// The scopes of requests for summaries.
const (
	ScopeSession    Scope = "session"     // the older part of the conversation
	ScopeUpdate     Scope = "update"      // the same, with an earlier digest that is to be brought up to date
	ScopeTurnPrefix Scope = "turn_prefix" // the beginning of a turn that is still going on
	ScopePart       Scope = "part"        // one part of a record that is too long for one request
	ScopeMerge      Scope = "merge"       // the digests of such parts
	ScopeBranch     Scope = "branch"      // a path that was given up
	ScopeToolOutput Scope = "tool_output" // what one tool answered
)

// ExcessCause is why a message that takes room is still there.
type ExcessCause string

// Why messages are still there in a result that does not fit.
const (
	CauseBeside     ExcessCause = "beside"      // the system prompt and the tools of a request body
	CauseSystem     ExcessCause = "system"      // a message of the system
	CauseNewestUser ExcessCause = "newest_user" // the newest message of the user
	CausePinned     ExcessCause = "pinned"      // the policy pins it
	CauseProvider   ExcessCause = "provider"    // it stands for what only its provider can read
	CauseOpenCall   ExcessCause = "open_call"   // its tool call waits for a result
	CausePair       ExcessCause = "pair"        // it belongs to a tool call or result that must stay
	CauseNew        ExcessCause = "new"         // the compaction wrote it
	CauseKept       ExcessCause = "kept"        // nothing has taken it out: the policy does without the last resort, or the input came back as it was
)

// ThrashingCause is the likely cause of compactions in turns right behind each other.
type ThrashingCause string

// The causes of thrashing.
const (
	ThrashingWholeHistory   ThrashingCause = "whole_history"   // the list is not what the last compaction left, and no digest is in it: the application gives its whole history each time
	ThrashingPinned         ThrashingCause = "pinned"          // pinned messages, the system prompt and the tools take over half of the limit
	ThrashingNewestMessages ThrashingCause = "newest_messages" // what came since the last result takes over half of the limit
	ThrashingTarget         ThrashingCause = "target"          // `gate.target` is over 0.9
	ThrashingWindow         ThrashingCause = "window"          // nothing of these: a turn adds much for the window
)

// ThinkingMode is how a model thinks.
type ThinkingMode string

// The ways in which a model thinks, which decide what may become of the signed thinking in its messages (AN8, AN9).
const (
	ThinkingManual    ThinkingMode = "manual"     // with a budget: an open tool loop must begin with its own thinking, and nothing binds a block to what stands before it
	ThinkingAdaptive  ThinkingMode = "adaptive"   // the model decides: a block is bound to all that stands before it, and none is needed
	ThinkingDropBlock ThinkingMode = "drop_block" // adaptive, and the provider itself drops the blocks behind a change
	ThinkingOff       ThinkingMode = "off"        // not at all: no block is needed, and none may stand in the last turn of the assistant
	ThinkingUnknown   ThinkingMode = "unknown"    // nothing tells, so that a result must be valid in each way
)

// ThinkingEffort is how much a model is to think about a summary.
type ThinkingEffort string

// The efforts that requests for summaries ask for.
const ThinkingHigh ThinkingEffort = "high" // much

// ThinkingSource is what tells how a model thinks.
type ThinkingSource string

// What tells how a model thinks.
const (
	ThinkingByPolicy  ThinkingSource = "policy"  // the policy
	ThinkingByRequest ThinkingSource = "request" // the request body
	ThinkingByModel   ThinkingSource = "model"   // the name of the model
	ThinkingByFormat  ThinkingSource = "format"  // the wire format
	ThinkingByNone    ThinkingSource = "none"    // nothing
)

// Severity is what a provider does about a violation.
type Severity string

// The severities of violations.
const (
	SeverityRefused   Severity = "refused"   // it answers with an error
	SeverityTolerated Severity = "tolerated" // it answers
)

// Repair is what repair does about a violation.
type Repair string

// The repairs of violations.
const (
	RepairNone         Repair = "none"          // nothing: only the caller can mend it
	RepairAddResult    Repair = "add_result"    // a tool call gets a result that says that there is none
	RepairDropPart     Repair = "drop_part"     // a part is taken out
	RepairDropMessage  Repair = "drop_message"  // a message is taken out
	RepairRenameID     Repair = "rename_id"     // a tool call gets an id of its own
	RepairAddUser      Repair = "add_user"      // a first word of the user is put in
	RepairMoveResult   Repair = "move_result"   // a tool result is moved behind its call
	RepairAddTurn      Repair = "add_turn"      // a turn is put between two messages of one role
	RepairWrapBody     Repair = "wrap_body"     // a response that is no object is put into one
	RepairSign         Repair = "sign"          // a call that must be signed gets the sentinel that the provider takes for a signature
	RepairDropCaller   Repair = "drop_caller"   // a member that names a caller who is not there is taken out
	RepairReplace      Repair = "replace"       // half surrogate pairs are replaced by U+FFFD
	RepairFillBody     Repair = "fill_body"     // a tool result that is empty says so
	RepairAddReasoning Repair = "add_reasoning" // a message gets an empty `reasoning_content`, because others have one
)

// FailureClass is why a call of a model failed.
type FailureClass string

// The classes of failures. They are stable.
const (
	FailureNone         FailureClass = "none"              // no failure that is known
	FailureContext      FailureClass = "context_overflow"  // the conversation does not fit in the window
	FailureRateLimit    FailureClass = "rate_limit"        // too much in a span of time, or a quota: wait, do not compact
	FailureOtherModel   FailureClass = "other_model"       // the failure is of a model that is no longer the one in use
	FailureOutputLimit  FailureClass = "output_limit"      // the wanted answer is too long for the model, whatever the conversation is
	FailurePayloadLimit FailureClass = "payload_too_large" // too many bytes for one request: images and files, not tokens
	FailureProvider     FailureClass = "provider_error"    // any other failure
)

// LimitMode is what of a tool's output stays.
type LimitMode string

// What of a tool's output stays.
const (
	LimitHeadTail LimitMode = "head_tail" // its beginning and its end
	LimitHead     LimitMode = "head"      // its beginning
)

// Role is who a message is from.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"    // the application
	RoleUser      Role = "user"      // the user
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // a tool
)

// BodyKind is what a body was in the transcript.
type BodyKind string

// What bodies were.
const (
	BodyToolResult BodyKind = "tool_result" // the body of a tool result
	BodyText       BodyKind = "text"        // one of the texts in a tool result, or in a message
	BodyImage      BodyKind = "image"       // an image
	BodyAudio      BodyKind = "audio"       // audio
	BodyFile       BodyKind = "file"        // a file
	BodyFold       BodyKind = "fold"        // the messages that a digest, the line of a turn, a tool loop as text or the count of what was dropped stands for
	BodyChanges    BodyKind = "changes"     // how the input is made of the result
)

// MarkerFault is why a body was not put back although it was given.
type MarkerFault string

// What keeps bodies from being put back.
const (
	MarkerChanged MarkerFault = "changed" // of changes: the transcript is not what the compaction has left
	MarkerCorrupt MarkerFault = "corrupt" // the store has another body under this handle; hosts find it, which check what they give
)

// SessionKind is the kind of a session file; docs/guides/sessions.md describes them.
type SessionKind string

// The kinds of session files, by the agents that write them.
const (
	SessionClaudeCode SessionKind = "claude-code"
	SessionCline      SessionKind = "cline"
	SessionCodex      SessionKind = "codex"
	SessionGeminiCLI  SessionKind = "gemini-cli"
	SessionOpencode   SessionKind = "opencode"
	SessionOpenHands  SessionKind = "openhands"
	SessionPi         SessionKind = "pi"
	SessionRooCode    SessionKind = "roo-code"
)

// Style is the layout of requests and digests.
type Style string

// The styles.
const (
	StyleOwn          Style = ""          // ctxfold's own; the default
	StyleTurnTail     Style = "turn-tail" // those of published systems, by the names of their presets
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

// SkipReason is why something in a session file is not among its messages.
type SkipReason string

// Why something is not among the messages of a session file.
const (
	SkipAPIError   SkipReason = "api_error"       // a note that a call failed, in the place of an answer
	SkipBranch     SkipReason = "branch"          // a path that was given up
	SkipCompacted  SkipReason = "compacted"       // what an earlier compaction has replaced
	SkipDuplicate  SkipReason = "duplicate"       // a message, or a tool result, that stands in the file twice
	SkipEmpty      SkipReason = "empty"           // a message with nothing in it
	SkipExcluded   SkipReason = "excluded"        // kept from the model by the user
	SkipFailed     SkipReason = "failed"          // an answer that was broken off, and the results of its calls
	SkipMeta       SkipReason = "meta"            // events, titles, snapshots, notices
	SkipRolledBack SkipReason = "rolled_back"     // a turn that the user took back
	SkipSideChain  SkipReason = "side_chain"      // a subagent
	SkipUnfinished SkipReason = "unfinished_line" // a last line that was cut off while it was written
)

// LossKind is what a conversion has not carried over: a kind of part, or something of another size.
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
	LossOfMember     LossKind = "member"  // a member of a message, of a part or of the request body, which the detail names
	LossOfMessage    LossKind = "message" // a whole message, or its role
	LossOfTools      LossKind = "tools"   // definitions of tools
)

// DigestKind says what a message stands for that a compaction has written.
type DigestKind string

// The kinds of messages that compactions write.
const (
	DigestFold   DigestKind = "digest" // for messages that were folded
	DigestBranch DigestKind = "branch" // for a path of the conversation that was given up
	DigestLine   DigestKind = "line"   // for one older turn
	DigestLoop   DigestKind = "loop"   // for the tool calls and results of a turn that goes on
	DigestFile   DigestKind = "file"   // for a file that was put back behind a digest
	DigestCount  DigestKind = "count"  // for messages that were dropped
	DigestTurn   DigestKind = "turn"   // for nothing: it lets the roles take turns
	DigestOther  DigestKind = "other"  // for what a pass says that is not ctxfold's own
)

// LossReason is why a conversion has not carried a thing over as it was. Reasons are stable.
type LossReason string

// The reasons of losses.
const (
	LossSigned       LossReason = "signed"        // its provider has signed or encrypted it, and no other one reads that
	LossServerTool   LossReason = "server_tool"   // a tool that the provider runs itself
	LossProviderOnly LossReason = "provider_only" // only its provider knows it: options, metadata, a file in its store
	LossOpaque       LossReason = "opaque"        // a part of a type that ctxfold does not know
	LossNoPlace      LossReason = "no_place"      // the new format has no place for its kind there
	LossMediaType    LossReason = "media_type"    // the new format takes no media of this type
	LossURL          LossReason = "url"           // the new format wants the bytes, and there is only a URL
	LossCacheMark    LossReason = "cache_mark"    // a mark of a prompt cache
	LossCitations    LossReason = "citations"     // sources of an answer
	LossErrorFlag    LossReason = "error_flag"    // the new format does not tell failed tools from others
	LossIDForm       LossReason = "id_form"       // an id that the new format does not take, or that another call has
	LossNameForm     LossReason = "name_form"     // a tool's name that the new format does not take
	LossArguments    LossReason = "arguments"     // arguments that are no JSON object
	LossOrphan       LossReason = "orphan"        // a tool result that answers no call of the list
	LossRole         LossReason = "role"          // a role that the new format does not have
	LossSystemPlace  LossReason = "system_place"  // a message of the system's in the midst of a conversation, where the new format has none
	LossEmpty        LossReason = "empty"         // a text that is only white space
	LossNotSent      LossReason = "not_sent"      // no model was sent it: it is for the application
	LossName         LossReason = "name"          // the name of a speaker or of a file
	LossTools        LossReason = "tools"         // definitions of tools, which the new format has no place for
	LossBeside       LossReason = "beside"        // a member of the request body that is the provider's own
	LossMetadata     LossReason = "metadata"      // a member that the new format does not have
)

// LossInstead is what took the place of a thing that was not carried over.
type LossInstead string

// What takes the place of a loss.
const (
	InsteadNothing  LossInstead = "nothing"
	InsteadText     LossInstead = "text"     // a text: what it says, or that it was there
	InsteadUnsigned LossInstead = "unsigned" // the reasoning without its signature
	InsteadMoved    LossInstead = "moved"    // the same in a message of the user's behind it
	InsteadChanged  LossInstead = "changed"  // a new id or name, which the detail tells
	InsteadWrapped  LossInstead = "wrapped"  // an object with the text under `input`
	InsteadUser     LossInstead = "user"     // the same as the user's
	InsteadSystem   LossInstead = "system"   // the same as the system's
)
