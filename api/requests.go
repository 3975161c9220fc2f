package api

// Options are what one call wants, beside the policy, which belongs to the conversation: a host sets them itself and never edits
// the policy of its user. The zero values of all fields mean "as the policy says".
//
//easyjson:json
type Options struct {
	// Force compacts although the gate says that it is not due.
	Force bool `json:"force,omitempty"`
	// Answer is how the transcript comes back; absent, as messages.
	Answer Answer `json:"answer,omitempty"`
	// Archive says whether what is taken out can come back, and counts instead of the policy's.
	Archive *Archive `json:"archive,omitempty"`
	// OpenCalls says what becomes of tool calls at the end that have no result yet, and counts instead of the policy's.
	OpenCalls OpenCalls `json:"open_calls,omitempty"`
	// Summary is how the digest of this call is made.
	Summary *SummaryOptions `json:"summary,omitempty"`
	// Usage is what the provider counted for the last call.
	Usage *Usage `json:"usage,omitempty"`
	// Window is the context window of the model that is asked now, in tokens. It counts where it is smaller than the policy's, or
	// the policy knows none.
	Window int `json:"window,omitempty"`
	// NoReserve leaves nothing of the window free for the answer.
	NoReserve bool `json:"no_reserve,omitempty"`
	// Format is the wire format of the transcript. It counts where the policy names none.
	Format Format `json:"format,omitempty"`
	// OnlyKnown puts what fit remembers in its place, and compacts nothing.
	OnlyKnown bool `json:"only_known,omitempty"`
	// Model is the name of the model that the transcript is for. It counts where the policy names none.
	Model string `json:"model,omitempty"`
	// Background compacts above `gate.start` of the policy, while the conversation goes on: `check` and `fit` say when to begin. Where
	// the model gives no summary the transcript stays as it is.
	Background bool `json:"background,omitempty"`
	// Tried is the size of the transcript, in tokens, for which a compaction in the background came to nothing: none is begun until it
	// has grown.
	Tried int `json:"tried,omitempty"`
	// Idle is how long the conversation has been idle, in seconds from 0 to 1,000,000,000: the time since its last call of a model. From
	// `gate.idle` of the policy on the provider's prompt cache is cold.
	Idle float64 `json:"idle,omitempty"`
	// Cold is why the provider's prompt cache has nothing of the conversation, however short it was idle. It counts where the policy has
	// `gate.idle`.
	Cold Cold `json:"cold,omitempty"`
}

// Clone is the options over values of their own, so that others can be read over them.
func (o Options) Clone() Options {
	if o.Archive != nil {
		archive := *o.Archive
		o.Archive = &archive
	}
	if o.Summary != nil {
		summary := *o.Summary
		o.Summary = &summary
	}
	return o
}

// SummaryOptions are how the digest of one call is made.
type SummaryOptions struct {
	// Mode is who writes the digest, and counts instead of the policy's.
	Mode SummaryMode `json:"mode,omitempty"`
	// Prefix says that the host can send requests behind the conversation, where the policy's summary.request wants them.
	Prefix bool `json:"prefix,omitempty"`
	// Text is the summary itself, of a host that has one: the model is not asked.
	Text string `json:"text,omitempty"`
}

// Usage is a provider's count of tokens for the call that ended with a message, as open reports it.
type Usage struct {
	Message          int `json:"message"` // index of the message; negative counts from the end
	InputTokens      int `json:"input_tokens,omitempty"`
	CacheReadTokens  int `json:"cache_read_tokens,omitempty"`
	CacheWriteTokens int `json:"cache_write_tokens,omitempty"`
	OutputTokens     int `json:"output_tokens,omitempty"`
	// TotalTokens is the sum of the others; they count where it is 0.
	TotalTokens int `json:"total_tokens,omitempty"`
	// Exact says that a tokenizer has counted these very messages: no compaction makes it stale, and it is not doubted.
	Exact bool `json:"exact,omitempty"`
}

// Sum is how many tokens the provider counted.
func (u *Usage) Sum() int {
	if u.TotalTokens > 0 {
		return u.TotalTokens
	}
	return u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
}

// Plan is what goes from plan to step, and from step to step. It is data: it can be shown, stored, and continued on
// another machine. It names the transcript by the number of its messages and a fingerprint; more messages may have come
// since. A host changes nothing in it.
//
//easyjson:json
type Plan struct {
	Version     int    `json:"version"` // that of the ABI
	Messages    int    `json:"messages"`
	Fingerprint string `json:"fingerprint"`
	Format      Format `json:"format"`
	// Model is what an answer of open has told of the messages, where the policy names none.
	Model  string `json:"model,omitempty"`
	Policy Raw    `json:"policy" is:"Policy"` // a Policy, as it was sent
	// Options are those that the plan was made with, but for the usage: Correction has what came of it.
	Options *Options  `json:"options,omitempty"`
	State   State     `json:"state"`
	Replies []Summary `json:"replies,omitempty"`
	// Asked are the ids of the requests that wait for a reply. One that the next step does not answer counts as failed.
	Asked []string `json:"asked,omitempty"`
	// Fit tells that the plan is of fit: a step is given the same memory.
	Fit bool `json:"fit,omitempty"`
	// Correction makes the estimates agree with what the provider counted.
	Correction *Correction `json:"correction,omitempty"`
}

// Summary is what the host's model answered to a request, or the error that kept it from it.
//
//easyjson:json
type Summary struct {
	ID   string `json:"id"` // of the request
	Text string `json:"text,omitempty"`
	// Messages are what the provider has made, where the request has `provider`, as a list of messages of its format: they go into the result
	// unchanged. The `output` of OpenAI is such a list; Anthropic's `content` is that of one message of the assistant.
	Messages Raw `json:"messages,omitempty" is:"[]object"`
	// FinishReason is why the model stopped, in the words of any provider.
	FinishReason string `json:"finish_reason,omitempty"`
	// Error is why there is no text.
	Error  string `json:"error,omitempty"`
	Stream bool   `json:"stream,omitempty"` // the host has shown the text as it came
	// Usage is what the provider has counted for the request.
	Usage *CallUsage `json:"usage,omitempty"`
}

// CallUsage is what a provider has counted for calls of a model, in tokens. InputTokens are without those that were read from or written to
// a prompt cache.
type CallUsage struct {
	InputTokens      int `json:"input_tokens"`
	CacheReadTokens  int `json:"cache_read_tokens"`
	CacheWriteTokens int `json:"cache_write_tokens"`
	OutputTokens     int `json:"output_tokens"`
}

// Summaries are answers to the requests of a plan.
//
//easyjson:json
type Summaries []Summary

// MemoryEntry is what a host remembers of a compaction that fit has made. A host changes nothing in it; it may add members of its own.
//
//easyjson:json
type MemoryEntry struct {
	Version      int    `json:"version"`
	Format       Format `json:"format"`
	Messages     int    `json:"messages"`         // how many messages of the history it stands for
	Print        string `json:"print"`            // of these
	SentMessages int    `json:"sent_messages"`    // how many messages were sent for them
	Sent         string `json:"sent"`             // the print of these
	Edits        Raw    `json:"edits" is:"Edits"` // what stood for them, as in an answer
	State        State  `json:"state"`
}

// State is what a host keeps beside the conversation from one compaction to the next. A host stores it and changes nothing in it.
//
//easyjson:json
type State struct {
	Round  int    `json:"round"` // how many compactions there were
	Ledger Ledger `json:"ledger"`
	// Format is the wire format of the conversation. After a compaction little may be left to tell it by.
	Format Format `json:"format,omitempty"`
	// Messages, Fingerprint and Limit are of the result of the last compaction, and the limit in tokens that it was made for. While the
	// transcript is still just that, and need not be smaller now, there is nothing to do.
	Messages    int    `json:"messages,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Limit       int    `json:"limit,omitempty"`
	// Own names the messages of that result that compactions wrote, by a hash of role and text. No other message counts as one.
	Own []string `json:"own,omitempty"`
	// Archive is the handle of the last compaction's changes, from which restore goes back; absent where nothing was archived.
	Archive string `json:"archive,omitempty"`
	// Attempts breaks a loop of compactions that do not help.
	Attempts *Attempts `json:"attempts,omitempty"`
	// Streak is how many compactions came in turns right behind each other.
	Streak *Streak `json:"streak,omitempty"`
	// Calibration is what estimates have been compared with.
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Ledger is what code, not a model, knows of the folded messages. It is carried from one compaction to the next in the
// state, and stands in every digest, from which it can be read back. All lists have the oldest first; a file that was
// modified is not listed as read.
type Ledger struct {
	Task     string   `json:"task,omitempty"`     // the user's first request
	Requests []string `json:"requests,omitempty"` // what the user asked for since
	// Standing is what the user said about how to work: rules, constraints and preferences, in sentences of their own.
	Standing []string        `json:"standing,omitempty"`
	Read     []string        `json:"read,omitempty"`     // files
	Modified []string        `json:"modified,omitempty"` // files
	Commands []LedgerCommand `json:"commands,omitempty"`
	Errors   []LedgerFailure `json:"errors,omitempty"` // what failed, and has not worked since
}

// LedgerCommand is a command that the agent or the user ran.
type LedgerCommand struct {
	Command string `json:"command"`
	Exit    string `json:"exit,omitempty"` // the exit code; "failed" where only that is known, absent where nothing is
}

// LedgerFailure is a tool call that failed.
type LedgerFailure struct {
	Tool string `json:"tool"`
	On   string `json:"on,omitempty"` // the file or the command
	Text string `json:"text,omitempty"`
}

// Attempts is what the state remembers of compactions that did not help, so that a conversation which cannot be made smaller
// is not compacted, and its model not asked, at every turn.
type Attempts struct {
	// Failed is how many compactions in a row gained nothing, or left the transcript over its limit.
	Failed int `json:"failed,omitempty"`
	// Gain is what the last compaction freed, and Tokens the size it left behind.
	Gain   int `json:"last_gain,omitempty"`
	Tokens int `json:"tokens,omitempty"`
}

// Streak counts compactions that came in turns right behind each other: with at most one new message of the user between two
// of them and, where there was none, at most two new messages of the assistant.
type Streak struct {
	Compactions int `json:"compactions"`
	// User and Assistant are how many messages of each the last input had.
	User      int `json:"user"`
	Assistant int `json:"assistant"`
}

// Calibration is what the estimates of a conversation have been compared with: pairs of an estimate and what the provider
// counted, the newest last. What a call sends that is not in the transcript (system prompt, tools) is in the count alone.
type Calibration struct {
	// Estimator is what the estimates are by, with its family. Another one does not use them.
	Estimator string `json:"estimator"`
	Estimated []int  `json:"estimated,omitempty"` // tokens
	Counted   []int  `json:"counted,omitempty"`   // tokens
}

// Correction is what makes the numbers of an estimator agree with those of a provider.
type Correction struct {
	Scale  int         `json:"scale"` // of all that is estimated, in 1/65,536
	Fixed  int         `json:"fixed"` // tokens that are not in the transcript
	Source TokenSource `json:"source"`
	Bound  int         `json:"bound"` // percent
}

// Kept is a body that the host has kept.
type Kept struct {
	Handle string `json:"handle"` // or its first digits, 16 or more
	Text   string `json:"body"`   // JSON
}

// Bodies are what the host has kept.
//
//easyjson:json
type Bodies []Kept

// Failure is what is known of a call of a model, whether it failed or not. Every member may be left out.
//
//easyjson:json
type Failure struct {
	Status       int          `json:"status,omitempty"` // HTTP
	Body         string       `json:"body,omitempty"`   // of the answer, or the error's text
	Provider     string       `json:"provider,omitempty"`
	Model        string       `json:"model,omitempty"`         // that was called
	CurrentModel string       `json:"current_model,omitempty"` // that is in use now
	FinishReason string       `json:"finish_reason,omitempty"`
	Usage        FailureUsage `json:"usage,omitempty"`
	Window       int          `json:"window,omitempty"` // the model's, in tokens
	Typed        bool         `json:"typed,omitempty"`  // the host's own client knows the error for an overflow
}

// FailureUsage is what a call that succeeded had, in tokens; input is without what was read from or written to the cache.
type FailureUsage struct {
	Input      int `json:"input_tokens,omitempty"`
	CacheRead  int `json:"cache_read_tokens,omitempty"`
	CacheWrite int `json:"cache_write_tokens,omitempty"`
	Output     int `json:"output_tokens,omitempty"`
}

// LimitArguments are how large a tool's output may be. A limit of 0 or less is none.
//
//easyjson:json
type LimitArguments struct {
	MaxLines   int       `json:"max_lines,omitempty"`
	MaxBytes   int       `json:"max_bytes,omitempty"`   // UTF-8
	MaxChars   int       `json:"max_chars,omitempty"`   // Unicode scalar values
	SpillChars int       `json:"spill_chars,omitempty"` // above it the whole output is kept elsewhere; 0 is never
	Mode       LimitMode `json:"mode,omitempty"`
	Place      string    `json:"place,omitempty"`       // where the host has kept it
	SpillError string    `json:"spill_error,omitempty"` // why the host could not keep it
}

// The types of answers as members of requests: what an answer may hold more in another version, a request may not.
type (
	// GivenUsage is a Usage.
	//
	//easyjson:json
	GivenUsage Usage
	// GivenFound is what search has answered.
	//
	//easyjson:json
	GivenFound Found
)
