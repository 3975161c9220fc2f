package api

// Report describes what an operation did to a transcript, or why it did nothing. All tokens are estimates by the report's estimator.
//
//easyjson:json
type Report struct {
	Reason  Reason `json:"reason"`  // why the transcript was changed, or why it wasn't
	Changed bool   `json:"changed"` // whether the transcript has changed
	// Cold is the reason why the prompt cache is cold, if compaction is due only because of that and the transcript is below the limit.
	Cold Cold `json:"cold,omitempty"`
	// Fits reports whether the result is within the limit, or there is no limit. While summaries are pending, it
	// reports whether the content that can be neither folded nor cut fits.
	Fits bool `json:"fits"`
	// Over is by how many tokens the result exceeds the limit, and which messages take the most room. Absent if the
	// result fits.
	Over *Excess `json:"over,omitempty"`
	// Thrashing is present if compactions follow each other too closely.
	Thrashing *Thrashing   `json:"thrashing,omitempty"`
	Preset    Preset       `json:"preset"`             // the preset of the policy
	Format    Format       `json:"format"`             // the wire format of the transcript
	Estimator Estimator    `json:"estimator"`          // the estimator of all token counts
	Tokens    ReportTokens `json:"tokens"`             // size of the transcript
	Messages  Count        `json:"messages"`           // number of messages
	Cleared   int          `json:"cleared"`            // tool results replaced with a marker
	Squeezed  int          `json:"squeezed,omitempty"` // tool results rewritten in fewer tokens
	Truncated int          `json:"truncated"`          // texts whose middle was cut
	Folded    int          `json:"folded"`             // messages replaced with the digest, or with a line per turn
	Dropped   int          `json:"dropped"`            // messages removed, leaving only their count
	Restored  int          `json:"restored"`           // files put back after the digest
	Repaired  int          `json:"repaired"`           // violations of the input that were repaired
	// Counts are counters of passes for which the report has no key.
	Counts []PassCount `json:"counts,omitempty"`
	// StablePrefix is the unchanged start of the list.
	StablePrefix StablePrefix `json:"stable_prefix"`
	// CutPoint is the index in the input list of the first message of the tail that a fold kept; absent if nothing
	// was folded.
	CutPoint int           `json:"cut_point,omitempty"`
	Summary  ReportSummary `json:"summary"`         // where the digest comes from
	Actions  []Action      `json:"actions"`         // one per changed message
	Bytes    *ReportBytes  `json:"bytes,omitempty"` // if the policy has max_bytes
	// Cache is the effect on the provider's prompt cache; absent if nothing changes. While summaries are pending, it
	// is a forecast.
	Cache *ReportCache `json:"cache,omitempty"`
	// Thinking is present if the transcript has signed thinking.
	Thinking *ReportThinking `json:"thinking,omitempty"`
	// Left lists the violations in the returned messages that the provider would refuse and that no repair could fix,
	// as `validate` would list them. If the input is returned unchanged, it lists all of its refused violations.
	// Nothing is checked without wire_safe, or if no compaction was due.
	Left []LeftViolation `json:"left,omitempty"`
	// Running lists work that was started in folded messages and is still going on: shells and agents in the
	// background, timers, pending approvals. The digest lists it too.
	Running []LedgerRunning `json:"running,omitempty"`
	// UnloadedTools lists tools whose definitions came from tool searches that were folded. Calls to these tools fail
	// until a new search loads them again.
	UnloadedTools []string `json:"unloaded_tools,omitempty"`
	// Instructions is the number of messages that stay because they contain project instructions, and
	// InstructionTokens is their total size.
	Instructions      int `json:"instructions,omitempty"`
	InstructionTokens int `json:"instruction_tokens,omitempty"`
	// Refill breaks down what has filled the window since the last compaction, or since the beginning; absent if no
	// compaction is due.
	Refill *Refill `json:"refill,omitempty"`
	// Notice is the policy's gate.notice, set if a compaction will come soon and the model has not been told yet. The
	// host appends it to the conversation as a user message before it calls the model.
	Notice string `json:"notice,omitempty"`
	// Redacted counts what the option redact replaced in the texts that the compaction read; absent if nothing was
	// replaced.
	Redacted *ReportRedacted `json:"redacted,omitempty"`
	// Decisions lists what happened to each message, if the policy asks for a log.
	Decisions []Decision `json:"decisions,omitempty"`
}

// Refill breaks down the size of the messages since the last compaction by kind, in tokens. The kinds add up to Tokens.
type Refill struct {
	Messages    int `json:"messages"`               // the number of messages, not tokens
	Tokens      int `json:"tokens"`                 // the total
	User        int `json:"user,omitempty"`         // the user's texts
	Assistant   int `json:"assistant,omitempty"`    // the assistant's texts
	Reasoning   int `json:"reasoning,omitempty"`    // thinking and reasoning of the assistant
	ToolCalls   int `json:"tool_calls,omitempty"`   // names and arguments
	ToolResults int `json:"tool_results,omitempty"` // including media in the results
	Media       int `json:"media,omitempty"`        // images, audio and files in other messages
	// Other is the size of system messages, of content that only the provider can read, and of each message's overhead.
	Other int `json:"other,omitempty"`
}

// ReportRedacted counts what was replaced with placeholders.
type ReportRedacted struct {
	Texts  int `json:"texts"`            // number of different texts
	Places int `json:"places"`           // number of occurrences, including those in messages that stay
	Failed int `json:"failed,omitempty"` // texts that were replaced because the host's function failed on them
}

// PassCount is a counter of a pass for which the report has no key.
type PassCount struct {
	Name  string `json:"name"`  // name of the counter, as in PassInfo
	Count int    `json:"count"` // its value
}

// ReportTokens is the size of a transcript before and after a compaction, in tokens. While summaries are pending, After excludes them.
type ReportTokens struct {
	Before int `json:"before"` // size of the input
	After  int `json:"after"`  // size of the result; the same as Before if nothing changed
	Limit  int `json:"limit"`  // compaction is due above this size
	Window int `json:"window"` // context window; 0 if it is unknown
	// Source is where the token counts come from.
	Source TokenSource `json:"source"`
	Bound  int         `json:"bound"` // error bound in percent: nine of ten estimates are closer
}

// Count holds the number of messages before and after a compaction.
type Count struct {
	Before int `json:"before"` // messages in the input
	After  int `json:"after"`  // messages in the result
}

// StablePrefix is the unchanged start of the list, which a provider's prompt cache can still serve.
type StablePrefix struct {
	Messages int `json:"messages"` // number of unchanged messages
	Bytes    int `json:"bytes"`    // bytes of the list that are unchanged, from its opening bracket
	Tokens   int `json:"tokens"`   // estimated size of those messages
}

// ReportSummary describes where the digest comes from, and why the model's summary was rejected.
type ReportSummary struct {
	Source SummarySource `json:"source"`        // who wrote the digest; "none" if there is none
	Fault  SummaryFault  `json:"why,omitempty"` // why the model's summary was rejected; absent if it wasn't
	// Error is the host's message about the first request that it could not answer, such as the text of the
	// summarizer's exception; at most 300 code points. Absent if the host gave none, or the model's summary was used.
	Error string `json:"error,omitempty"`
	// Score is the share of the folded messages' facts that the digest contains, from 0 to 1: paths, addresses,
	// identifiers, numbers and errors, as code finds them. Absent if no digest was written.
	Score float64 `json:"score,omitempty"`
	// Request is the form in which the model was asked; absent if it wasn't, or the host can only send a record.
	Request SummaryShape `json:"request,omitempty"`
	// Usage is the provider's count for all requests whose summaries had one.
	Usage *CallUsage `json:"usage,omitempty"`
	// Saved is how much a prompt cache reduced the cost of these requests at the policy's prices, in their currency;
	// negative if writing to the cache cost more. Absent without prices or usage.
	Saved *float64 `json:"saved,omitempty"`
	// Unfounded is the share of the paths, addresses and identifiers in the model's text that its input doesn't contain, from 0 to 1: the
	// model may have invented them. Absent if it is 0, or the model wrote nothing.
	Unfounded float64 `json:"unfounded,omitempty"`
}

// LeftViolation is a violation in the returned messages that no repair could fix.
type LeftViolation struct {
	Rule    string `json:"rule"`    // its id in docs/guides/formats.md
	Message int    `json:"message"` // index in the list of the result
	Text    string `json:"text"`    // what is wrong, for people
}

// Action is one change to a message, or to a run of messages.
type Action struct {
	Action ActionName `json:"action"` // what was done
	Pass   Doer       `json:"pass"`   // what made the change
	// Message is an index in the input list, or -1 for a new message.
	Message int `json:"message"`
	// Tokens is the number of tokens that the action saved; negative if it added some.
	Tokens int    `json:"tokens"`
	Tool   string `json:"tool,omitempty"` // the tool of a changed result
	Path   string `json:"path,omitempty"` // the restored file
	Rule   string `json:"rule,omitempty"` // the rule that a repair fixed
}

// ReportCache is the effect of a compaction on the provider's prompt cache. Reread and saved tokens are per later
// call; turns are model calls.
type ReportCache struct {
	FirstMessage int `json:"first_changed_message"` // index in the result's list
	FirstByte    int `json:"first_changed_byte"`    // offset in the result's list, from its opening bracket
	RereadTokens int `json:"reread_tokens"`         // tokens after the first change, which the cache doesn't have
	SavedTokens  int `json:"saved_tokens"`          // tokens that each later call saves
	// TurnsToPay is the number of calls after which the compaction has paid for itself at the policy's prices, or at the
	// list prices of its model. Its costs are rereading everything after the first change, and the summary. -1 means
	// never; absent without prices and for unknown models.
	TurnsToPay *int `json:"turns_to_pay,omitempty"`
}

// Thrashing reports that compactions follow each other too closely, with the likely cause.
type Thrashing struct {
	Compactions int            `json:"compactions"` // in a row, including this one
	Cause       ThrashingCause `json:"cause"`       // the likely cause
	Text        string         `json:"text"`        // for people: the cause, and what to do about it
}

// Excess describes by how much a result exceeds its limit, and which messages take the most room. All sizes are tokens.
type Excess struct {
	Limit  int     `json:"limit"`  // tokens over the limit
	Window int     `json:"window"` // tokens over the window; 0 if the result fits into it, or the window is unknown
	Causes []Cause `json:"causes"` // the largest first, at most five
	Text   string  `json:"text"`   // for people: the numbers, the largest cause, and what to do about it
}

// Cause is a large message in a result that doesn't fit, and why it is still there.
type Cause struct {
	// Message is an index in the input list, or -1 for anything outside it.
	Message int         `json:"message"`
	Reason  ExcessCause `json:"why"`    // why it is still there
	Tokens  int         `json:"tokens"` // size of the message in the result
}

// Decision describes the outcome for one message of the input.
type Decision struct {
	Message int `json:"message"` // index in the input list
	// Decision is "kept", "pinned", or the last action on the message.
	Decision DecisionName `json:"decision"`
	Pass     Doer         `json:"pass,omitempty"` // the pass or step that decided
	// Rule is the rule that a repair fixed, or why the message is pinned: "system", "newest_user", "provider",
	// "instructions", "score" or "pins[n]".
	Rule   string `json:"rule,omitempty"`
	Before int    `json:"before"` // tokens of the message
	After  int    `json:"after"`  // its tokens after the compaction; 0 if it was removed
}

// ReportBytes is the size of the message list as JSON, in bytes.
type ReportBytes struct {
	Before int `json:"before"` // size of the input
	After  int `json:"after"`  // size of the result
	Limit  int `json:"limit"`  // the policy's max_bytes
}

// ReportThinking describes the changes to signed thinking in a result that has changed.
type ReportThinking struct {
	Mode   ThinkingMode   `json:"mode"`   // how the model thinks
	Source ThinkingSource `json:"source"` // how ctxfold determined the mode
	// Kept is the number of signed parts in the result, and Stripped the number removed from messages that stay.
	Kept     int `json:"kept"`
	Stripped int `json:"stripped"`
	// Closed is the number of messages of the open tool loop that were rewritten as text.
	Closed int `json:"closed,omitempty"`
}
