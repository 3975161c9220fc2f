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
	// Text is the summary itself, of a host that has one: the model is not asked.
	Text string `json:"text,omitempty"`
}

// Usage is a provider's count of tokens for the call that ended with a message, as open reports it.
//
//easyjson:json
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
