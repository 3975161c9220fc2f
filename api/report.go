package api

// Report tells what an operation did to a transcript, or why it did nothing. All tokens are estimates by the report's estimator.
//
//easyjson:json
type Report struct {
	Reason  Reason `json:"reason"`
	Changed bool   `json:"changed"` // whether the transcript is another one now
	// Cold is why the prompt cache is cold, where compaction is due for that alone: the transcript is below the limit.
	Cold Cold `json:"cold,omitempty"`
	// Fits tells whether the result has at most the limit's tokens, or there is no limit. While summaries are wanted, it tells whether what
	// can be neither folded nor cut has.
	Fits bool `json:"fits"`
	// Over is by how much the result does not fit, and what takes the room. It is absent where the result fits.
	Over *Excess `json:"over,omitempty"`
	// Thrashing is there where compactions come in turns right behind each other.
	Thrashing *Thrashing   `json:"thrashing,omitempty"`
	Preset    Preset       `json:"preset"`
	Format    Format       `json:"format"`
	Estimator Estimator    `json:"estimator"`
	Tokens    ReportTokens `json:"tokens"`
	Messages  Count        `json:"messages"`
	Cleared   int          `json:"cleared"`            // tool results whose body was replaced by a marker
	Squeezed  int          `json:"squeezed,omitempty"` // texts of tool results that were written shorter, and say the same
	Truncated int          `json:"truncated"`          // texts of which the middle was taken out
	Folded    int          `json:"folded"`             // messages that the digest, or a line for each turn, stands for
	Dropped   int          `json:"dropped"`            // messages that were taken out, and of which only their number is left
	Restored  int          `json:"restored"`           // files that were put back behind the digest
	Repaired  int          `json:"repaired"`           // violations that were mended
	// Counts are what passes of others have counted.
	Counts []PassCount `json:"counts,omitempty"`
	// StablePrefix is how much of the front is unchanged.
	StablePrefix StablePrefix `json:"stable_prefix"`
	// CutPoint is the index in the list that came in at which the tail begins that a fold has left; absent where nothing was folded.
	CutPoint int           `json:"cut_point,omitempty"`
	Summary  ReportSummary `json:"summary"`
	Actions  []Action      `json:"actions"`         // one for each message that was touched
	Bytes    *ReportBytes  `json:"bytes,omitempty"` // with max_bytes
	// Cache is what the change means for the provider's prompt cache; absent where nothing changes. While summaries are wanted it is
	// what to expect.
	Cache *ReportCache `json:"cache,omitempty"`
	// Thinking is there where the transcript has thinking that its provider has signed.
	Thinking *ReportThinking `json:"thinking,omitempty"`
	// Left is what the provider would refuse in the messages of the answer, and no repair could mend: validate says the same of
	// them. Where they came back as they were, it is all that the provider would refuse in them. Without wire_safe, and where
	// nothing was due, nothing is checked.
	Left []LeftViolation `json:"left,omitempty"`
	// Decisions are what became of each message, where the policy asks for a log.
	Decisions []Decision `json:"decisions,omitempty"`
}

// PassCount is what a pass has counted that the report has no key for.
type PassCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// ReportTokens is the size of a transcript before and after a compaction, in tokens. While summaries are wanted, After is without them.
type ReportTokens struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Limit  int `json:"limit"`  // compaction is due above it
	Window int `json:"window"` // 0 is an unknown window
	// Source is where the numbers come from.
	Source TokenSource `json:"source"`
	Bound  int         `json:"bound"` // how far off they may be, in percent: nine of ten are closer
}

// Count is the number of messages before and after a compaction.
type Count struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// StablePrefix is how much of the front is unchanged, which is what a provider's prompt cache can still use.
type StablePrefix struct {
	Messages int `json:"messages"`
	Bytes    int `json:"bytes"` // of the list, from its opening bracket
	Tokens   int `json:"tokens"`
}

// ReportSummary tells where the digest came from, and what was wrong with the model's summary.
type ReportSummary struct {
	Source SummarySource `json:"source"`
	Why    SummaryFault  `json:"why,omitempty"`
	// Score is the share of the facts of the folded messages that stand in the digest, from 0 to 1: paths, addresses,
	// identifiers, numbers and errors, as code finds them. Absent where no digest was written.
	Score float64 `json:"score,omitempty"`
	// Request is how the model was asked; absent where it was not, or the host can only send a record.
	Request SummaryShape `json:"request,omitempty"`
	// Usage is what the provider has counted for all requests whose summaries had it.
	Usage *CallUsage `json:"usage,omitempty"`
	// Saved is what these have cost less than without a prompt cache, by the policy's prices: in their currency, and negative where writing
	// to the cache cost more. Absent without prices or usage.
	Saved *float64 `json:"saved,omitempty"`
	// Unfounded is the share of the paths, addresses and identifiers in the model's text that stand nowhere in what it was made
	// of, from 0 to 1: it may have made them up. Absent where there are none, and where the model wrote nothing.
	Unfounded float64 `json:"unfounded,omitempty"`
}

// LeftViolation is a place where a rule is broken.
type LeftViolation struct {
	Rule    string `json:"rule"`    // its id in docs/guides/formats.md
	Message int    `json:"message"` // index in the answer's list
	Text    string `json:"text"`    // what is wrong, for people
}

// Action is one thing that was done to one message, or to a run of them.
type Action struct {
	Action ActionName `json:"action"`
	Pass   Doer       `json:"pass"` // what did it
	// Message is an index of the input's list, or -1 for a new message.
	Message int `json:"message"`
	// Tokens is what the action saved; negative for what it added.
	Tokens int    `json:"tokens"`
	Tool   string `json:"tool,omitempty"` // the tool whose result it was
	Path   string `json:"path,omitempty"` // the file that was restored
	Rule   string `json:"rule,omitempty"` // the rule that a repair mended
}

// ReportCache tells what a compaction means for the provider's prompt cache. What is read again and what it saves are tokens of
// each later call; turns are calls of the model.
type ReportCache struct {
	FirstMessage int `json:"first_changed_message"` // index of the result's list
	FirstByte    int `json:"first_changed_byte"`    // of the result's list, from its opening bracket
	RereadTokens int `json:"reread_tokens"`         // what follows the first change: the cache does not have it
	SavedTokens  int `json:"saved_tokens"`          // what each later call does not read any more
	// TurnsToPay is after how many calls the compaction has paid for itself at the policy's prices: the reading of what follows the
	// first change, and the summary. -1 is never; without prices it is absent.
	TurnsToPay *int `json:"turns_to_pay,omitempty"`
}

// Thrashing tells that compactions come in turns right behind each other, and the likely cause.
type Thrashing struct {
	Compactions int            `json:"compactions"` // in a row, this one among them
	Cause       ThrashingCause `json:"cause"`
	Text        string         `json:"text"` // for people: the cause, and what to do
}

// Excess tells by how much a result is over its limit, and what takes the room. All sizes are tokens.
type Excess struct {
	Limit  int     `json:"limit"`  // over the limit
	Window int     `json:"window"` // over the window; 0 where it fits into that, or the window is unknown
	Causes []Cause `json:"causes"` // the largest first, at most five
	Text   string  `json:"text"`   // for people: the numbers, the largest cause, and what to do
}

// Cause is a message that takes room of a result that does not fit, and why it is still there.
type Cause struct {
	// Message is an index of the input's list, or -1 for what is not in it.
	Message int         `json:"message"`
	Why     ExcessCause `json:"why"`
	Tokens  int         `json:"tokens"`
}

// Decision says what became of one message of the input.
type Decision struct {
	Message int `json:"message"`
	// Decision is "kept", "pinned", or the last action that touched the message.
	Decision DecisionName `json:"decision"`
	Pass     Doer         `json:"pass,omitempty"` // what did it
	// Rule is what a repair mended, or why the message is pinned: "system", "newest_user", "provider" or "pins[n]".
	Rule   string `json:"rule,omitempty"`
	Before int    `json:"before"` // the message's tokens
	After  int    `json:"after"`  // the same after the compaction; 0 where it is gone
}

// ReportBytes is the size of the list of messages as JSON, in bytes.
type ReportBytes struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Limit  int `json:"limit"` // max_bytes
}

// ReportThinking tells what became of the thinking that its provider has signed, in a result that is another transcript.
type ReportThinking struct {
	Mode   ThinkingMode   `json:"mode"`   // how the model thinks
	Source ThinkingSource `json:"source"` // what told it
	// Kept is how many signed parts the result still has, and Stripped how many were taken out of messages that stay.
	Kept     int `json:"kept"`
	Stripped int `json:"stripped"`
	// Closed is how many messages of the open tool loop stand in the result as text.
	Closed int `json:"closed,omitempty"`
}
