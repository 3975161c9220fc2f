package core

import (
	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/jsonspan"
	"github.com/ctxfold/ctxfold/core/policy"
	"github.com/ctxfold/ctxfold/core/tokens"
)

// Usage is a provider's count of tokens for the call that ended with a message, as open reports it.
//
//easyjson:json
type Usage struct {
	Message    int `json:"message"` // index of the message; negative counts from the end
	Input      int `json:"input_tokens,omitempty"`
	CacheRead  int `json:"cache_read_tokens,omitempty"`
	CacheWrite int `json:"cache_write_tokens,omitempty"`
	Output     int `json:"output_tokens,omitempty"`
	// Total is the sum of the others; they count where it is 0.
	Total int `json:"total_tokens,omitempty"`
	// Exact says that a tokenizer has counted these very messages: no compaction makes it stale, and it is not doubted.
	Exact bool `json:"exact,omitempty"`
}

func (u *Usage) total() int {
	if u.Total > 0 {
		return u.Total
	}
	return u.Input + u.CacheRead + u.CacheWrite + u.Output
}

// correct corrects the request's estimator by what providers counted: by the reports in the state, and by the request's
// usage, which is added to them. Usage from before the last compaction is not used: it counts what is gone (S1.4, S4.9). It
// returns the correction; nil is none.
func (r *request) correct(state *compact.State) *tokens.Correction {
	raw := r.profile
	usage, ok := r.usage()
	if r.err != nil {
		return nil
	}
	by := raw.Calibrate(state.Calibration)
	if ok && (usage.Exact || state.Round == 0 || usage.Message >= state.Messages) {
		estimated, counted := raw.Beside(r.t), usage.total()
		for i := range usage.Message + 1 {
			estimated += raw.Message(r.t, i)
		}
		plausible := usage.Exact || raw.Plausible(state.Calibration, estimated, counted)
		state.Calibration = raw.Report(state.Calibration, estimated, counted)
		if by = raw.Calibrate(state.Calibration); plausible {
			by = raw.Correct(by).Anchor(r.t, usage.Message, counted)
		}
	}
	r.profile = raw.Correct(by)
	return by
}

// usage reads the request's usage, and tells whether there is one that says something.
func (r *request) usage() (u Usage, ok bool) {
	at := r.members[inUsage]
	if at.Zero() || string(at.Of(r.src)) == "null" {
		return u, false
	}
	if r.decode(inUsage, &u); r.err != nil {
		return u, false
	}
	for _, n := range []int{u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Total} {
		if n < 0 || n > policy.MaxTokens {
			r.fail(&jsonspan.Error{Code: policy.OutOfRange, Message: "usage must be from 0 to 1,000,000,000 tokens"}, at.Start)
			return u, false
		}
	}
	if !r.history.usage(&u) {
		return u, false
	}
	if u.Message < 0 {
		u.Message += len(r.t.Messages)
	}
	if u.Message < 0 || u.Message >= len(r.t.Messages) {
		r.fail(&jsonspan.Error{Code: policy.OutOfRange, At: "message", Message: "usage.message must be the index of a message"}, at.Start)
		return u, false
	}
	return u, u.total() > 0
}
