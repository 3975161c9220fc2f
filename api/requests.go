package api

import "slices"

// Options are the settings of one call. The policy belongs to the conversation; options belong to the host, so that
// it never has to edit its user's policy. Zero values mean "as the policy says".
//
//easyjson:json
type Options struct {
	// Force compacts even if compaction isn't due.
	Force bool `json:"force,omitempty"`
	// Answer is the form in which the transcript is returned; absent means as messages.
	Answer Answer `json:"answer,omitempty"`
	// Archive determines whether and how removed content is archived. It overrides the policy.
	Archive *Archive `json:"archive,omitempty"`
	// OpenCalls determines how tool calls at the end that have no result are handled. It overrides
	// the policy.
	OpenCalls OpenCalls `json:"open_calls,omitempty"`
	// Summary configures the digest that this call writes.
	Summary *SummaryOptions `json:"summary,omitempty"`
	// Usage is the provider's count for the last call.
	Usage *Usage `json:"usage,omitempty"`
	// Window is the context window of the model in use, in tokens. It applies if it is smaller than the policy's window, or the policy has
	// none.
	Window int `json:"window,omitempty"`
	// NoReserve reserves no part of the window for the model's output.
	NoReserve bool `json:"no_reserve,omitempty"`
	// Format is the wire format of the transcript. It applies if the policy doesn't set one.
	Format Format `json:"format,omitempty"`
	// OnlyKnown makes fit apply the compactions that it remembers without making a new one.
	OnlyKnown bool `json:"only_known,omitempty"`
	// Model is the name of the model that the transcript is for. It applies if the policy doesn't set one.
	Model string `json:"model,omitempty"`
	// Background compacts above the policy's `gate.start` while the conversation continues; `check`
	// and `fit` report when to start. If the model returns no summary, the transcript stays
	// unchanged.
	Background bool `json:"background,omitempty"`
	// Tried is the size of the transcript, in tokens, at the last background compaction that failed. No new one is
	// started until the transcript has grown.
	Tried int `json:"tried,omitempty"`
	// Idle is the time that the conversation has been idle, in seconds from 0 to 1,000,000,000: the time since its last model call. From
	// the policy's `gate.idle` on, the provider's prompt cache counts as cold.
	Idle float64 `json:"idle,omitempty"`
	// Cold is the reason why the provider's prompt cache no longer holds the conversation, regardless of Idle. It applies only if the
	// policy has `gate.idle`.
	Cold Cold `json:"cold,omitempty"`
	// Redact lists texts that summarizers, digests, the ledger and the archive must not see.
	Redact *Redact `json:"redact,omitempty"`
	// Score rates individual calls and messages by how much they matter to the host.
	Score *Score `json:"score,omitempty"`
}

// Score rates calls and messages by how much they matter, on a numeric scale of the host's own;
// anything it doesn't name scores 0. Items below 0 are removed first, the lowest before the others,
// until the target is reached: tool results are cleared, and texts of the assistant are cut. Items
// above 0 stay as if pinned, the highest first, as long as they take at most a quarter of the
// target. The user's messages, system messages, pins and open calls always stay.
type Score struct {
	Calls    []CallScore    `json:"calls,omitempty"`    // scores of tool calls; of several scores for one call, the last counts
	Messages []MessageScore `json:"messages,omitempty"` // scores of messages; of several scores for one message, the last counts
}

// CallScore is the score for a tool call and its result.
type CallScore struct {
	ID    string  `json:"id"`    // the id of the call
	Score float64 `json:"score"` // a host's number; low ones go first
}

// MessageScore is the score for a message: for its texts, and for those tool results in it that have no score of their
// own.
type MessageScore struct {
	Message int     `json:"message"` // index in the list
	Score   float64 `json:"score"`   // a host's number; low ones go first
}

// Redact lists texts to replace in everything that a compaction writes. Messages that stay are unchanged.
type Redact struct {
	Texts []Redaction `json:"texts"` // the texts, in any order
}

// Redaction is a text that a placeholder replaces wherever it occurs in a message.
type Redaction struct {
	// Text is the text to replace. It has at least 4 bytes if Whole is false.
	Text string `json:"text"`
	// Placeholder replaces the text and has at most 100 bytes. If it is absent, the placeholder is
	// [REDACTED:n], where n numbers the texts of the conversation; a text keeps its number.
	Placeholder string `json:"placeholder,omitempty"`
	// Whole replaces the text only where a string in a message consists of nothing else.
	Whole bool `json:"whole,omitempty"`
	// Failed reports that the host's function failed on this text, so the text is replaced unchecked. The report
	// counts it.
	Failed bool `json:"failed,omitempty"`
}

// Clone returns a deep copy, so that other options can be decoded into it without changing o.
func (o Options) Clone() Options {
	if o.Archive != nil {
		archive := *o.Archive
		o.Archive = &archive
	}
	if o.Summary != nil {
		summary := *o.Summary
		o.Summary = &summary
	}
	if o.Redact != nil {
		o.Redact = &Redact{Texts: slices.Clone(o.Redact.Texts)}
	}
	if o.Score != nil {
		o.Score = &Score{Calls: slices.Clone(o.Score.Calls), Messages: slices.Clone(o.Score.Messages)}
	}
	return o
}

// SummaryOptions configure the digest that one call writes.
type SummaryOptions struct {
	// Mode determines who writes the digest. It overrides the policy.
	Mode SummaryMode `json:"mode,omitempty"`
	// Prefix reports whether the host can append requests to the conversation, if the policy's summary.request asks
	// for that.
	Prefix bool `json:"prefix,omitempty"`
	// Text is a finished summary. If it is set, the model isn't asked.
	Text string `json:"text,omitempty"`
}

// Usage is a provider's token count for the call that ended with a given message, as open returns it.
type Usage struct {
	Message          int `json:"message"`                      // index of the message; negative counts from the end
	InputTokens      int `json:"input_tokens,omitempty"`       // input that was neither read from nor written to a prompt cache
	CacheReadTokens  int `json:"cache_read_tokens,omitempty"`  // input read from a prompt cache
	CacheWriteTokens int `json:"cache_write_tokens,omitempty"` // input written to a prompt cache
	OutputTokens     int `json:"output_tokens,omitempty"`      // output
	// TotalTokens is the sum of the other counts. If it is 0, they are added up.
	TotalTokens int `json:"total_tokens,omitempty"`
	// LeastTokens is the smallest count of any call of the same conversation: an upper bound for the system prompt
	// and the tools. 0 means unknown.
	LeastTokens int `json:"least_tokens,omitempty"`
	// Exact means that a tokenizer counted these messages. Such a count is always used, even after a compaction.
	Exact bool `json:"exact,omitempty"`
}

// Sum returns the number of tokens that the provider counted.
func (u *Usage) Sum() int {
	if u.TotalTokens > 0 {
		return u.TotalTokens
	}
	return u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
}

// Plan is the state of a compaction between plan and step, and between two steps. It is data: it can be shown,
// stored, and continued on another machine. It identifies the transcript by the number of its messages and a
// fingerprint; messages may be appended in the meantime. Hosts don't change it.
//
//easyjson:json
type Plan struct {
	Version     int    `json:"version"`     // version of the ABI
	Messages    int    `json:"messages"`    // number of messages for which the plan was made
	Fingerprint string `json:"fingerprint"` // fingerprint of those messages
	Format      Format `json:"format"`      // the wire format of the transcript
	// Model is the model named by the result of open, if the policy doesn't name one.
	Model  string `json:"model,omitempty"`
	Policy Raw    `json:"policy" is:"Policy"` // the Policy as it was sent
	// Options are the options with which the plan was made, without the usage, which Correction replaces.
	Options *Options  `json:"options,omitempty"`
	State   State     `json:"state"`             // the State that the request had; zero without one
	Replies []Summary `json:"replies,omitempty"` // the summaries that earlier steps received
	// Asked lists the ids of the pending requests. A request that the next step doesn't answer counts as failed.
	Asked []string `json:"asked,omitempty"`
	// Fit reports whether the plan was made by fit: its steps need the same memory.
	Fit bool `json:"fit,omitempty"`
	// Changing reports whether the text of the first message changes between requests, so that the compaction keeps it.
	Changing bool `json:"changing,omitempty"`
	// Correction adjusts the estimates to the provider's count.
	Correction *Correction `json:"correction,omitempty"`
}

// Summary is the model's response to a request, or an error.
//
//easyjson:json
type Summary struct {
	ID   string `json:"id"`             // the id of the request
	Text string `json:"text,omitempty"` // the summary; absent if there is an error, or messages
	// Messages are the provider's result for a request with `provider`: a list of messages of its format, which go into the result unchanged.
	// The `output` of OpenAI is such a list; Anthropic's `content` belongs in one assistant message.
	Messages Raw `json:"messages,omitempty" is:"[]object"`
	// FinishReason is the reason why the model stopped, in any provider's terms.
	FinishReason string `json:"finish_reason,omitempty"`
	// Error is the reason why there is no text.
	Error  string `json:"error,omitempty"`
	Stream bool   `json:"stream,omitempty"` // whether the host has shown the text while it was streamed
	// Usage is the provider's count for the request.
	Usage *CallUsage `json:"usage,omitempty"`
}

// CallUsage is a provider's count for model calls, in tokens. InputTokens exclude tokens read from or written to a prompt cache.
type CallUsage struct {
	InputTokens      int `json:"input_tokens"`       // input, without the two kinds below
	CacheReadTokens  int `json:"cache_read_tokens"`  // input read from a prompt cache
	CacheWriteTokens int `json:"cache_write_tokens"` // input written to a prompt cache
	OutputTokens     int `json:"output_tokens"`      // output
}

// Summaries are the responses to a plan's requests.
//
//easyjson:json
type Summaries []Summary

// MemoryEntry is a host's record of a compaction by fit: how the messages at the beginning of a history were replaced. Later messages don't
// matter, except those that the compaction changed individually. Hosts don't change an entry, but may add members of their own.
//
//easyjson:json
type MemoryEntry struct {
	Version  int    `json:"version"`  // version of this structure; entries of unknown versions are ignored
	Format   Format `json:"format"`   // the wire format of the history
	Messages int    `json:"messages"` // number of history messages that the compaction covered, including those that it kept
	Print    string `json:"print"`    // fingerprint of those messages
	// Later is their fingerprint without the text of the first message that isn't a system message. If that text changes, the entry still
	// applies, provided that it keeps the message.
	Later        string `json:"later,omitempty"`
	Changing     bool   `json:"changing,omitempty"` // that text had changed before, so the compaction keeps the message
	Clip         int    `json:"clip,omitempty"`     // bytes that are sent of each text of that message, its beginning and its end; 0 if all of it
	SentMessages int    `json:"sent_messages"`      // number of sent messages by which a program that continued from the result is recognized
	Sent         string `json:"sent"`               // fingerprint of those messages
	// Edits produce the messages that are sent in place of the covered messages. Behind are the changes to individual
	// later messages; each applies as long as its message exists.
	Edits  Raw `json:"edits" is:"MemoryEdits"`
	Behind Raw `json:"behind,omitempty" is:"MemoryEdits"`
	// Points are longer beginnings of the history at the time of the compaction, longest first.
	Points []MemoryPoint `json:"points,omitempty"`
	Newest bool          `json:"newest,omitempty"` // the newest message of the user was replaced too
	// Calls is the fingerprint of how the covered messages write their tool calls, which Print ignores: the text of
	// arguments or the order of their members, and ids.
	Calls string `json:"calls,omitempty"`
	State State  `json:"state"` // the State after the compaction
	// Given is the same compaction relative to the list that the program passed, if that list continued from what had
	// been sent before.
	Given *MemoryEntry `json:"given,omitempty"`
}

// MemoryEdit is an Edit of a [MemoryEntry]. For messages after those that the entry replaced, it has either Set and
// Message, or Drop, or Insert and Before. Indexes refer to the history at the time of the compaction.
type MemoryEdit struct {
	Keep    []int  `json:"keep,omitempty"`    // [from, to]: the messages from the first index up to, but not including, the second
	Insert  Raw    `json:"insert,omitempty"`  // a new message
	Set     *int   `json:"set,omitempty"`     // index of a changed message
	Message Raw    `json:"message,omitempty"` // the changed message
	Drop    *int   `json:"drop,omitempty"`    // index of a message that is omitted
	Before  *int   `json:"before,omitempty"`  // index of the message before which the new one is inserted
	Print   string `json:"print,omitempty"`   // fingerprint of that message alone, which must match
	Raw     string `json:"raw,omitempty"`     // fingerprint of its bytes; if it differs, cache breakpoints may have moved
	On      string `json:"on,omitempty"`      // fingerprint of a later message, which must exist
	After   string `json:"after,omitempty"`   // fingerprint of the message after which the new one is inserted
	Calls   string `json:"calls,omitempty"`   // fingerprint of how that message writes its tool calls, which must match too
	Role    string `json:"role,omitempty"`    // instead of fingerprints: the role of the message before which the new one is inserted
}

// MemoryEdits are the edits of a [MemoryEntry].
type MemoryEdits []MemoryEdit

// MemoryPoint is a longer beginning of a compacted history, and the messages that were sent for it.
type MemoryPoint struct {
	Messages     int    `json:"messages"`      // number of history messages in this beginning
	Print        string `json:"print"`         // fingerprint of those messages
	SentMessages int    `json:"sent_messages"` // number of messages that were sent for them
	Sent         string `json:"sent"`          // fingerprint of the sent messages
}

// State is the data that a host stores with the conversation from one compaction to the next. Hosts don't change it.
//
//easyjson:json
type State struct {
	Round  int    `json:"round"`  // number of compactions so far
	Ledger Ledger `json:"ledger"` // the facts that earlier compactions extracted
	// Format is the wire format of the conversation. It is stored because the messages left by a compaction may no
	// longer reveal it.
	Format Format `json:"format,omitempty"`
	// Messages, Fingerprint and Limit describe the result of the last compaction and the token limit that it was made
	// for. While the transcript is exactly that result and the limit is no smaller, no compaction is due.
	Messages    int    `json:"messages,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Limit       int    `json:"limit,omitempty"`
	// Own lists the messages of that result that compactions wrote, as hashes of role and text. No other message
	// counts as a digest.
	Own []string `json:"own,omitempty"`
	// Archive is the handle of the last compaction's changes, where restore starts; absent without an archive.
	Archive string `json:"archive,omitempty"`
	// Respelled is the handle of the newest changes that were applied to a history whose tool calls are written
	// differently, as in another branch. Restore puts back the calls that were compacted, and says so.
	Respelled string `json:"respelled,omitempty"`
	// Redacted lists hashes of the texts that were replaced, in the order of the numbers in their placeholders.
	Redacted []string `json:"redacted,omitempty"`
	// Attempts prevents loops of compactions that don't help.
	Attempts *Attempts `json:"attempts,omitempty"`
	// Streak counts compactions that follow each other closely.
	Streak *Streak `json:"streak,omitempty"`
	// Calibration compares estimates with the provider's counts.
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Ledger holds facts about folded messages that are extracted by code, not by a model. The state carries it from one
// compaction to the next. Every digest contains it, so it can also be read back from a digest. All lists start with
// the oldest entry; a modified file is not listed as read.
type Ledger struct {
	Task     string   `json:"task,omitempty"`     // the user's first request
	Requests []string `json:"requests,omitempty"` // later requests of the user
	// Standing lists the user's statements about how to work: rules, constraints and preferences, one sentence each.
	Standing []string        `json:"standing,omitempty"`
	Read     []string        `json:"read,omitempty"`     // files
	Modified []string        `json:"modified,omitempty"` // files
	Commands []LedgerCommand `json:"commands,omitempty"` // commands that were run
	Errors   []LedgerFailure `json:"errors,omitempty"`   // tool calls that failed and have not succeeded since
	// Running is work that is still going on according to the folded messages: shells and agents in the background,
	// timers, pending approvals.
	Running []LedgerRunning `json:"running,omitempty"`
	// Unloaded lists tools whose definitions came from tool searches that were folded. Calls to these tools fail
	// until a new search loads them again.
	Unloaded []string `json:"unloaded,omitempty"`
}

// LedgerRunning is work that continues after its tool call has returned.
type LedgerRunning struct {
	Kind   string `json:"kind"`             // shell, agent, timer, approval or task
	ID     string `json:"id"`               // the id that the tool gave it; for a timer, its time
	About  string `json:"about,omitempty"`  // the command, or the call's description of the work
	Output string `json:"output,omitempty"` // the file that its output goes to
}

// LedgerCommand is a command that the agent or the user ran.
type LedgerCommand struct {
	Command string `json:"command"`        // the command, shortened if it is long
	Exit    string `json:"exit,omitempty"` // exit code; "failed" if only the failure is known, absent if the outcome is unknown
}

// LedgerFailure is a failed tool call.
type LedgerFailure struct {
	Tool string `json:"tool"`           // the name of the tool
	On   string `json:"on,omitempty"`   // the file or the command
	Text string `json:"text,omitempty"` // the line of the result that says what failed; absent if none does
}

// Attempts records compactions that didn't help, so that a conversation that can't shrink isn't compacted again, with
// another call of the model, on every turn.
type Attempts struct {
	// Failed is the number of consecutive compactions that freed nothing, or left the transcript over its limit.
	Failed int `json:"failed,omitempty"`
	// Gain is the number of tokens that the last compaction freed, and Tokens the size of its result.
	Gain   int `json:"last_gain,omitempty"`
	Tokens int `json:"tokens,omitempty"`
}

// Streak counts compactions that follow each other closely: with at most one new user message between two of them or, if there was none, at
// most two new assistant messages.
type Streak struct {
	Compactions int `json:"compactions"` // number of compactions in a row
	// User and Assistant are the numbers of user and assistant messages in the last input.
	User      int `json:"user"`
	Assistant int `json:"assistant"`
}

// Calibration holds pairs of an estimate and the provider's count, the newest last. The counts include what a call
// sends besides the transcript (system prompt, tools); the estimates don't.
type Calibration struct {
	// Estimator is the name of the estimator that made these estimates, with its family. Other estimators ignore the
	// calibration.
	Estimator string `json:"estimator"`
	Estimated []int  `json:"estimated,omitempty"` // tokens
	Counted   []int  `json:"counted,omitempty"`   // tokens
	// Least is the lowest of the counts that were removed to limit the number of pairs: what every call sends besides
	// the transcript can't be more. 0 means that none was removed.
	Least int `json:"least,omitempty"` // tokens
}

// Correction adjusts the estimates of an estimator to a provider's counts.
type Correction struct {
	Scale  int         `json:"scale"`  // factor of all estimates, in 1/65,536
	Fixed  int         `json:"fixed"`  // tokens outside the transcript
	Source TokenSource `json:"source"` // where the counts come from
	Bound  int         `json:"bound"`  // percent
}

// Kept is archived content that the host kept.
type Kept struct {
	Handle string `json:"handle"` // the handle, or at least its first 16 digits
	Text   string `json:"body"`   // JSON
}

// Bodies is the archived content that the host kept.
//
//easyjson:json
type Bodies []Kept

// Failure describes a model call, whether it failed or not. All members are optional.
//
//easyjson:json
type Failure struct {
	Status       int          `json:"status,omitempty"`        // HTTP status code
	Body         string       `json:"body,omitempty"`          // body of the response, or the text of the error
	Provider     string       `json:"provider,omitempty"`      // name of the provider; it helps with responses that have no body
	Model        string       `json:"model,omitempty"`         // the model that was called
	CurrentModel string       `json:"current_model,omitempty"` // the model in use now
	FinishReason string       `json:"finish_reason,omitempty"` // why a successful call stopped, in the provider's terms
	Usage        FailureUsage `json:"usage,omitempty"`         // usage of a successful call
	Window       int          `json:"window,omitempty"`        // context window of the model, in tokens
	Typed        bool         `json:"typed,omitempty"`         // whether the host's client identified the error as an overflow
}

// FailureUsage is the usage of a successful call, in tokens. Input excludes tokens read from or written to the cache.
type FailureUsage struct {
	Input      int `json:"input_tokens,omitempty"`       // input, without the two kinds below
	CacheRead  int `json:"cache_read_tokens,omitempty"`  // input read from a prompt cache
	CacheWrite int `json:"cache_write_tokens,omitempty"` // input written to a prompt cache
	Output     int `json:"output_tokens,omitempty"`      // output
}

// LimitArguments are the size limits for a tool's output. A maximum of 0 or less means unlimited. Absent members have
// their defaults: 2,000 lines, 51,200 bytes, no limit of characters, and 204,800 characters for SpillChars.
//
//easyjson:json
type LimitArguments struct {
	MaxLines   int       `json:"max_lines,omitempty"`   // lines
	MaxBytes   int       `json:"max_bytes,omitempty"`   // UTF-8
	MaxChars   int       `json:"max_chars,omitempty"`   // Unicode scalar values
	SpillChars int       `json:"spill_chars,omitempty"` // above this size the whole output is stored elsewhere; 0 means never
	Mode       LimitMode `json:"mode,omitempty"`        // which part stays
	Place      string    `json:"place,omitempty"`       // where the host stored it
	SpillError string    `json:"spill_error,omitempty"` // why the host couldn't store it
}

// The types of results that are also members of requests. They are separate types because a result may have members
// that this version doesn't know, and a request may not.
type (
	// GivenUsage is a Usage.
	//
	//easyjson:json
	GivenUsage Usage
	// GivenFound is the result of search.
	//
	//easyjson:json
	GivenFound Found
)
