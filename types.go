package ctxfold

import "encoding/json"

// Request asks for one summary.
type Request struct {
	// ID names the request within its compaction.
	ID string `json:"id"`
	// Scope says what is to be summarized, for example "session".
	Scope string `json:"scope"`
	// System is the system prompt, Prompt the user's message, with the transcript inside it.
	System string `json:"system"`
	Prompt string `json:"prompt"`
	// MaxOutputTokens bounds the summary: pass it to the model.
	MaxOutputTokens int `json:"max_output_tokens"`
	// InputTokens is the estimated size of System and Prompt.
	InputTokens int `json:"input_tokens"`
	// Temperature is what the model is to be asked with; 0 leaves it to the summarizer.
	Temperature float64 `json:"temperature,omitempty"`
	// Thinking is how much the model is to think, "high"; "" leaves it to the summarizer.
	Thinking string `json:"thinking,omitempty"`
	// Lead is what a summarizer that shows the text as it comes shows before it.
	Lead string `json:"lead,omitempty"`
}

// Summary answers a Request.
type Summary struct {
	// ID is the ID of the Request. A Summarizer may leave it empty.
	ID string `json:"id"`
	// Text is the summary.
	Text string `json:"text,omitempty"`
	// FinishReason is why the model stopped, in the words of any provider. A summary that was cut off ("length",
	// "max_tokens") is not taken. It may be empty.
	FinishReason string `json:"finish_reason,omitempty"`
	// Error says why there is no Text. A Summarizer returns an error instead.
	Error string `json:"error,omitempty"`
	// Stream tells that the text was shown as it came.
	Stream bool `json:"stream,omitempty"`
}

//easyjson:json
type summaries []Summary

// Answer is what Plan and Step return. While Requests is not empty, summaries are wanted: Plan is set, and State,
// Messages and Edits are not. After that it is the other way round.
type Answer struct {
	// Plan is what to go on with. It is data: it can be stored, and continued on another machine.
	Plan     json.RawMessage
	Requests []Request
	Report   Report
	// State, Messages and Edits are those of [Result].
	State    json.RawMessage
	Messages json.RawMessage
	Edits    json.RawMessage
	// Archive is what has to be stored before the answer is used, where the policy asks for an archive.
	Archive []Body
	// Raw is the whole answer.
	Raw json.RawMessage

	known  int             // of the operation fit: the index of the entry that was used, or -1
	memory json.RawMessage // of the operation fit: the entry to remember
}

// answerJSON is an Answer or a Repaired as the module writes it.
//
//easyjson:json
type answerJSON struct {
	Valid    bool            `json:"valid"`
	Plan     json.RawMessage `json:"plan"`
	Requests []Request       `json:"requests"`
	Report   json.RawMessage `json:"report"`
	State    json.RawMessage `json:"state"`
	Messages json.RawMessage `json:"messages"`
	Edits    json.RawMessage `json:"edits"`
	Archive  []Body          `json:"archive"`
	Markers  []Marker        `json:"markers"`
	Known    int             `json:"known"`
	Memory   json.RawMessage `json:"memory"`
}

// prints is the answer of the operation prints.
//
//easyjson:json
type prints struct {
	Format Format   `json:"format"`
	Prints []string `json:"prints"`
}

// remembered is a record of [Records].
//
//easyjson:json
type remembered struct {
	Version int `json:"version"`
	// Entry is what fit has answered as memory. Without one there is only Degraded: the model failed, and nothing was done.
	Entry    json.RawMessage `json:"entry,omitempty"`
	Degraded *degraded       `json:"degraded,omitempty"`
}

// options are the options of a request, as docs/ABI.md says.
//
//easyjson:json
type options struct {
	Force     bool            `json:"force,omitempty"`
	Answer    string          `json:"answer,omitempty"`
	Archive   string          `json:"archive,omitempty"`
	Summary   *summaryOptions `json:"summary,omitempty"`
	Usage     *Usage          `json:"usage,omitempty"`
	Window    int             `json:"window,omitempty"`
	NoReserve bool            `json:"no_reserve,omitempty"`
	Format    Format          `json:"format,omitempty"`
	OnlyKnown bool            `json:"only_known,omitempty"`
}

type summaryOptions struct {
	Mode string `json:"mode,omitempty"`
	Text string `json:"text,omitempty"`
}

// degraded says that the model failed when a compaction was made, so that it is to be made anew.
//
//easyjson:json
type degraded struct {
	// Tries is how often the model has failed, and Again when to ask it again, in seconds since 1970.
	Tries int   `json:"tries"`
	Again int64 `json:"again"`
	// Window is the window that the compaction was forced for, in tokens; 0 is the policy's.
	Window    int  `json:"window,omitempty"`
	NoReserve bool `json:"no_reserve,omitempty"`
}

// covered is what is read of an entry.
//
//easyjson:json
type covered struct {
	Print        string `json:"print"`
	Sent         string `json:"sent"`
	Messages     int    `json:"messages"`
	SentMessages int    `json:"sent_messages"`
}

// Report says what a compaction did, or why it did nothing. All tokens are estimates by the Estimator.
//
//easyjson:json
type Report struct {
	// Reason is "compacted", "under_budget" (not due), "unknown_window" (the policy names none, so nothing is ever due),
	// "no_progress" (due, but nothing could be gained) or "needs_summaries" (the summarizer is asked first); of Repair it
	// is "repaired" or "valid".
	Reason  Reason `json:"reason"`
	Changed bool   `json:"changed"`
	// Fits tells whether the result has at most the limit's tokens, or there is no limit. While summaries are wanted it is
	// about what can be neither folded nor cut.
	Fits bool `json:"fits"`
	// Over says by how much the result does not fit, and what takes the room; nil where it fits.
	Over *Excess `json:"over"`
	// Thrashing is there where compactions come in turns right behind each other.
	Thrashing *Thrashing   `json:"thrashing"`
	Preset    string       `json:"preset"`
	Format    Format       `json:"format"`
	Estimator string       `json:"estimator"`
	Tokens    TokenCount   `json:"tokens"`
	Messages  MessageCount `json:"messages"`
	// Cleared counts the tool results whose body was replaced by a marker.
	Cleared int `json:"cleared"`
	// Squeezed counts the texts of tool results that were written shorter, and say the same.
	Squeezed int `json:"squeezed"`
	// Truncated counts the texts of which the middle was taken out.
	Truncated int `json:"truncated"`
	// Folded counts the messages that the digest, or a line for each turn, stands for.
	Folded int `json:"folded"`
	// Dropped counts the messages that were taken out, and of which only their number is left.
	Dropped int `json:"dropped"`
	// Restored counts the files that were put back after the fold.
	Restored int `json:"restored"`
	// Repaired counts the violations of the input that were mended.
	Repaired     int          `json:"repaired"`
	StablePrefix StablePrefix `json:"stable_prefix"`
	// CutPoint is the index of the given messages at which the tail begins that a fold has left; 0 where nothing was folded.
	CutPoint int           `json:"cut_point,omitempty"`
	Summary  SummaryReport `json:"summary"`
	// Actions tell message by message what was done.
	Actions []Action `json:"actions"`
	// Cache is what the change means for the provider's prompt cache; nil where nothing changes.
	Cache *Cache `json:"cache"`
	// Bytes is the size of the list of messages, where the policy bounds it (max_bytes).
	Bytes *ByteCount `json:"bytes"`
	// Thinking tells what became of thinking that its provider has signed; nil where there is none.
	Thinking *ThinkingReport `json:"thinking"`
	// Left is what the provider would refuse in the messages of the answer, and no repair could mend.
	Left []Left `json:"left"`
	// Counts are what passes have counted that this package has no field for.
	Counts []Count `json:"counts"`
	// Decisions say of each message what became of it, where the policy asks for a log.
	Decisions []Decision `json:"decisions"`
	// Raw is the whole report, with what this version of the package has no field for.
	Raw json.RawMessage `json:"-"`
}

// Count is what a pass has counted.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// ThinkingReport tells what became of thinking that its provider has signed.
//
//easyjson:json
type ThinkingReport struct {
	// Mode is how the model thinks (manual, adaptive, drop_block, off, unknown), and Source what told it (policy, request, model, none).
	Mode   string `json:"mode"`
	Source string `json:"source"`
	// Kept is how many signed parts the result has, Stripped how many were taken out of messages that stay.
	Kept     int `json:"kept"`
	Stripped int `json:"stripped"`
	// Closed is how many messages of the open tool loop stand in the result as text.
	Closed int `json:"closed"`
}

// Excess tells by how much a result does not fit. All sizes are tokens.
type Excess struct {
	// Limit is how many are over the limit, Window how many over the window, 0 where it fits into that or it is unknown.
	Limit  int `json:"limit"`
	Window int `json:"window"`
	// Causes are what takes the room, the largest first.
	Causes []Cause `json:"causes"`
	// Text says it to people, and what to do.
	Text string `json:"text"`
}

// Cause is a message that takes room of a result that does not fit.
type Cause struct {
	// Message is an index of the given messages, or -1 for what is not among them.
	Message int `json:"message"`
	// Why it is still there: "beside" (system prompt and tools), "system", "newest_user", "pinned", "provider", "open_call",
	// "pair", "new" or "kept".
	Why    string `json:"why"`
	Tokens int    `json:"tokens"`
}

// Thrashing tells that compactions come in turns right behind each other.
type Thrashing struct {
	// Compactions is how many there were in a row, this one among them.
	Compactions int `json:"compactions"`
	// Cause is "whole_history" (the application gives its whole history and not the last result), "pinned",
	// "newest_messages", "target" or "window".
	Cause string `json:"cause"`
	// Text says it to people, and what to do.
	Text string `json:"text"`
}

// Left is a place where a rule is broken.
type Left struct {
	// Rule is its id in docs/FORMATS.md.
	Rule string `json:"rule"`
	// Message is an index of the messages of the answer.
	Message int    `json:"message"`
	Text    string `json:"text"`
}

// Cache tells what a compaction means for the provider's prompt cache. Tokens are those of each later call.
type Cache struct {
	FirstMessage int `json:"first_changed_message"`
	FirstByte    int `json:"first_changed_byte"`
	RereadTokens int `json:"reread_tokens"`
	SavedTokens  int `json:"saved_tokens"`
	// TurnsToPay is after how many calls the compaction has paid for itself at the policy's prices; -1 is never. Nil without
	// prices.
	TurnsToPay *int `json:"turns_to_pay"`
}

// ByteCount is the size of the list of messages as JSON, in bytes.
type ByteCount struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Limit  int `json:"limit"`
}

// Decision says what became of one message.
type Decision struct {
	Message int `json:"message"`
	// Decision is "kept", "pinned", or the last action that touched the message.
	Decision string `json:"decision"`
	Pass     string `json:"pass"`
	Rule     string `json:"rule"`
	// Before and After are the message's tokens.
	Before int `json:"before"`
	After  int `json:"after"`
}

// TokenCount is the size of a transcript before and after a compaction, in tokens. Limit is the size above which
// compaction is due.
type TokenCount struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Limit  int `json:"limit"`
	Window int `json:"window"`
	// Source is where the numbers come from: estimated, calibrated or measured; Bound is how far off, in percent.
	Source string `json:"source"`
	Bound  int    `json:"bound"`
}

// MessageCount is the number of messages before and after a compaction.
type MessageCount struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// StablePrefix is how much of the front of the transcript is unchanged, which is what a provider's prompt cache can
// still use. Bytes count from the opening bracket of the list of messages.
type StablePrefix struct {
	Messages int `json:"messages"`
	Bytes    int `json:"bytes"`
	Tokens   int `json:"tokens"`
}

// SummaryReport says where the digest came from: "none", "model" or "local". Why tells why the summarizer's answer was
// not taken, for example "summarizer_failed".
type SummaryReport struct {
	Source string `json:"source"`
	Why    string `json:"why"`
	// Score is the share of the facts of the folded messages (paths, addresses, identifiers, numbers, errors) that stand in the
	// digest, from 0 to 1; Unfounded the share of those in the model's text that stand nowhere in what it was made of.
	Score     float64 `json:"score"`
	Unfounded float64 `json:"unfounded"`
}

// Action is one thing that was done to one message, or to a run of them.
type Action struct {
	// Action is "squeeze", "clear", "fold", "insert", "restore", "strip", "drop", "move", "rename" or "replace".
	Action string `json:"action"`
	Pass   string `json:"pass"`
	// Message is an index of the input's list, or -1 for a new message.
	Message int `json:"message"`
	// Tokens is what the action saved; negative for what it added.
	Tokens int `json:"tokens"`
	// Tool is the tool whose result it was, Path the file that was restored, Rule the rule that a repair mended.
	Tool string `json:"tool"`
	Path string `json:"path"`
	Rule string `json:"rule"`
}

// Check says whether compaction is due.
//
//easyjson:json
type Check struct {
	Due bool `json:"due"`
	// Reason is "over_limit", "under_budget" or "unknown_window".
	Reason Reason `json:"reason"`
	Tokens int    `json:"tokens"`
	Source string `json:"source"` // of Tokens, as in an estimate
	Bound  int    `json:"bound"`
	Limit  int    `json:"limit"`
	Window int    `json:"window"`
	// Ratio is Tokens / Window, or 0 when the window is unknown.
	Ratio     float64 `json:"ratio"`
	Messages  int     `json:"messages"`
	Format    Format  `json:"format"`
	Estimator string  `json:"estimator"`
	// State is the input's with its usage taken in; empty where there was none.
	State json.RawMessage `json:"state"`
	Raw   json.RawMessage `json:"-"`
}

// Estimate is the size of a transcript or a text, in tokens.
//
//easyjson:json
type Estimate struct {
	Tokens int `json:"tokens"`
	// Source is "estimated", "calibrated" or "measured"; Bound is how far off it may be, in percent.
	Source    string `json:"source"`
	Bound     int    `json:"bound"`
	Family    string `json:"family,omitempty"`
	Estimator string `json:"estimator"`
	// Format is the wire format of the transcript. It is empty for a text, as are Messages and Beside.
	Format Format `json:"format"`
	// Messages is the size of each message; Beside that of the system prompt and tools of a request body.
	Messages []int           `json:"messages"`
	Beside   int             `json:"beside"`
	Raw      json.RawMessage `json:"-"`
}

// Validation lists the rules of the wire format that a transcript breaks. It is Valid where the provider refuses none of it.
//
//easyjson:json
type Validation struct {
	Valid      bool        `json:"valid"`
	Format     Format      `json:"format"`
	Messages   int         `json:"messages"`
	Violations []Violation `json:"violations"`
	// Raw is the answer as it came: the offsets in it count from the start of the request.
	Raw json.RawMessage `json:"-"`
}

// Violation is one rule that is broken at one place.
type Violation struct {
	// Rule is its id in docs/FORMATS.md.
	Rule string `json:"rule"`
	// Message is an index of the list, or -1.
	Message int    `json:"message"`
	Path    string `json:"path"`
	// Offset counts bytes from the start of Input.Messages.
	Offset int    `json:"offset"`
	Text   string `json:"text"`
	// Severity is what the provider does: "refused" (it answers with an error) or "tolerated" (it answers).
	Severity string `json:"severity"`
	// Repair is what repair, or a compaction, does about it: "none" when only the caller can mend it. What is tolerated is mended
	// only where the policy says "repair":"all".
	Repair string `json:"repair"`
}

// Repaired is a transcript that was mended.
type Repaired struct {
	// Valid says that nothing is left that the provider would refuse.
	Valid  bool
	Report Report
	// Messages and Edits are those of [Result].
	Messages json.RawMessage
	Edits    json.RawMessage
	// Raw is the whole answer.
	Raw json.RawMessage
}

// Detection names the wire format of a transcript: Format is empty when none is likely enough.
//
//easyjson:json
type Detection struct {
	Format Format `json:"format"`
	// Confidence is from 0 to 1.
	Confidence float64     `json:"confidence"`
	Candidates []Candidate `json:"candidates"`
	// Shape is what the messages look like where no wire format reads them; the only candidate is then the nearest one.
	Shape string          `json:"shape"`
	Raw   json.RawMessage `json:"-"`
}

// Candidate is a wire format that a transcript may be in, the likeliest first. The confidences of all make 1.
type Candidate struct {
	Format     Format   `json:"format"`
	Confidence float64  `json:"confidence"`
	Evidence   []string `json:"evidence"`
}

// FunctionInput is what a function is given; docs/FUNCTIONS.md says what each one needs.
type FunctionInput struct {
	Policy    Policy
	State     json.RawMessage
	Messages  json.RawMessage
	Text      *string         // nil is none
	Arguments json.RawMessage // a JSON object
}

//easyjson:json
type functionAnswer struct {
	Result json.RawMessage `json:"result"`
}

// Session is the live conversation of a coding agent's session file: what the agent's next request would hold.
//
//easyjson:json
type Session struct {
	// Kind is the kind of file: "claude-code", "codex", "gemini-cli" or "pi".
	Kind string `json:"kind"`
	// Format is the wire format of Messages.
	Format Format `json:"format"`
	// Model is the model asked last, System the system prompt. They are empty where the file does not tell.
	Model  string `json:"model"`
	System string `json:"system"`
	// Usage is the provider's last count, or nil where there is none since the last compaction.
	Usage *Usage `json:"usage"`
	// Skipped is what was left out, sorted by What.
	Skipped []Skipped `json:"skipped"`
	// Messages is a JSON array.
	Messages json.RawMessage `json:"messages"`
	// Raw is the whole answer.
	Raw json.RawMessage `json:"-"`
}

// Input is the conversation for the operations: Raw as its Messages, which brings the format, the model, the system prompt and the
// provider's count along. Results hold the list of messages alone.
func (s *Session) Input() Input { return Input{Messages: s.Raw} }

// savedJSON is a session file that goes on with other messages: its first Kept bytes, and Text behind them.
//
//easyjson:json
type savedJSON struct {
	Kind string `json:"kind"`
	Kept int    `json:"kept"`
	Text string `json:"text"`
}

// Usage is the provider's own count for one call, in tokens.
//
//easyjson:json
type Usage struct {
	// Message is the index of the message that the call ended with; -1 is the last one.
	Message int `json:"message"`
	// InputTokens were neither read from nor written to a cache. TotalTokens is the sum of the four.
	InputTokens      int64 `json:"input_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
	// Exact says that a tokenizer has counted these very messages: no compaction makes it stale, and it is not doubted.
	Exact bool `json:"exact,omitempty"`
}

// Skipped is something that is not in the messages, for example "compacted" or "side_chain", and how often: docs/ABI.md
// lists them.
type Skipped struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Info describes the module.
//
//easyjson:json
type Info struct {
	Name       string       `json:"name"`
	Version    string       `json:"version"`
	ABI        int          `json:"abi"`
	Ops        []string     `json:"ops"`
	Formats    []FormatInfo `json:"formats"`
	Estimators []string     `json:"estimators"`
	Passes     []string     `json:"passes"`
	PassInfo   []PassInfo   `json:"pass_info"` // of the same passes
	Functions  []string     `json:"functions"`
	Presets    []PresetInfo `json:"presets"`
	Limits     Limits       `json:"limits"`
	// Raw is the whole answer.
	Raw json.RawMessage `json:"-"`
}

// FormatInfo is a wire format with one line of explanation.
type FormatInfo struct {
	Name Format `json:"name"`
	Doc  string `json:"doc"`
}

// PassInfo is what a pass has declared.
type PassInfo struct {
	Name string `json:"name"`
	// Doc says what it does.
	Doc        string      `json:"doc"`
	Parameters []Parameter `json:"parameters"`
	// Markers stand in the place of what it takes out; with an archive each names a handle.
	Markers []string `json:"markers"`
	// Messages are how the messages begin that it writes.
	Messages []string  `json:"messages"`
	Counters []Counter `json:"counters"`
}

// Parameter is a parameter of a pass.
type Parameter struct {
	Name string `json:"name"`
	// Default is what counts where a policy does not give it.
	Default json.RawMessage `json:"default"`
	// Doc is empty where that of the one before it is about both.
	Doc string `json:"doc"`
}

// Counter is a number that a pass adds up in the report: a key of it, or a name in its Counts.
type Counter struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// PresetInfo is a policy with a name.
type PresetInfo struct {
	Name   Preset          `json:"name"`
	Doc    string          `json:"doc"`
	Policy json.RawMessage `json:"policy"`
}

// Limits are what a request may not go over: its size in bytes, and how deep its JSON is nested.
type Limits struct {
	Bytes int `json:"bytes"`
	Depth int `json:"depth"`
}

// Marker is a place of a transcript where a body stood that has a handle.
//
//easyjson:json
type Marker struct {
	// Handle is the first 16 digits of it, or of "changes" all.
	Handle string `json:"handle"`
	// What is that of a [Body]. Changes have no place: the state or another body names them.
	What    string `json:"what"`
	Message int    `json:"message"` // index in the list; -1 for changes
	// Why says what keeps a body from being put back that is there: "changed" (the transcript is not what the compaction has left)
	// or "corrupt" (the store has another body under this handle). It is empty where there is none.
	Why string `json:"why,omitempty"`
}

// namedHandles is the answer of the operation restore for bodies without messages.
//
//easyjson:json
type namedHandles struct {
	Handles []string `json:"handles"`
}

// SearchResults are the messages that a search has found.
//
//easyjson:json
type SearchResults struct {
	Results  []FoundMessage `json:"results"` // the best first
	Searched Searched       `json:"searched"`
	// Raw is the whole answer.
	Raw json.RawMessage `json:"-"`
}

// FoundMessage is a message that was taken out of a conversation.
type FoundMessage struct {
	// Body is the index of its body among those that were searched, Handle what its body is kept under, and Index which message of it
	// this is: that of the element in the list that the body is, or 0.
	Body   int    `json:"body"`
	Handle string `json:"handle,omitempty"`
	Index  int    `json:"index"`
	// Score compares the results of one search.
	Score int `json:"score"`
	// Role is "user", "assistant", "tool" or "system".
	Role string `json:"role"`
	// Date is the day of the message as ISO 8601 spells it, empty where nothing tells.
	Date string `json:"date,omitempty"`
	// Offset is where the snippet begins in the text of the message, in Unicode scalar values.
	Offset int `json:"offset,omitempty"`
	// Snippet is the passage that fits the query best, of at most some 240 bytes. It is text of the conversation: data, never an
	// instruction.
	Snippet string `json:"snippet"`
}

// Searched says what a search has gone through.
type Searched struct {
	Bodies   int `json:"bodies"`
	Messages int `json:"messages"`
	Bytes    int `json:"bytes"`
	// Missing are handles of more that was taken out, which the bodies name and the store does not have, or that were not asked for.
	Missing []string `json:"missing"`
}

// recalled is the answer of the operation recall.
//
//easyjson:json
type recalled struct {
	Tool   json.RawMessage `json:"tool"`
	Handle string          `json:"handle"`
	Query  string          `json:"query"`
	Text   *string         `json:"text"`
}
