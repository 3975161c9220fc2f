package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/policy"
)

// correct adjusts the request's estimator to the provider's counts: the counts in the state, and the request's usage,
// which is added to them. Usage from before the last compaction is ignored, because it includes removed content
// (S1.4, S4.9). It returns the correction; nil if there is none.
func (r *request) correct(state *api.State) *api.Correction {
	raw := r.profile
	usage, ok := r.usage()
	if r.err != nil {
		return nil
	}
	by := raw.Calibrate(state.Calibration)
	if ok && (usage.Exact || state.Round == 0 || usage.Message >= state.Messages) {
		estimated, counted := raw.OutsideMessages(r.t), usage.Sum()
		for i := range usage.Message + 1 {
			estimated += raw.Message(r.t, i)
		}
		plausible := usage.Exact || raw.Plausible(state.Calibration, estimated, counted)
		state.Calibration = raw.Report(state.Calibration, estimated, counted)
		if by = raw.Calibrate(state.Calibration); plausible {
			least := raw.LeastTokens(state.Calibration)
			if usage.LeastTokens > 0 {
				least = min(least, usage.LeastTokens)
			}
			by = raw.Correct(by).Anchor(r.t, usage.Message, counted, least)
		}
	}
	r.source = r.withProfile(raw.Correct(by))
	return by
}

// usage returns the usage in the options or in a result of open. ok is false if there is none, if
// all of its counts are 0, if it belongs to other messages than those last sent, or if it is
// invalid, which makes the request fail.
func (r *request) usage() (u api.Usage, ok bool) {
	var at uint32
	if r.options.Usage != nil {
		u, at = *r.options.Usage, uint32(jsonspan.Find(r.src, int(r.optionsAt), "usage"))
	} else {
		if at = r.usageAt.Start; r.usageAt.IsZero() {
			return u, false
		}
		if r.fail(policy.Decode(r.usageAt.Slice(r.src), (*api.GivenUsage)(&u)), at); r.err != nil {
			return u, false
		}
	}
	for _, n := range []int{u.InputTokens, u.CacheReadTokens, u.CacheWriteTokens, u.OutputTokens, u.TotalTokens, u.LeastTokens} {
		if n < 0 || n > policy.MaxTokens {
			r.fail(&jsonspan.Error{Code: api.CodeOutOfRange,
				Message: "usage must be from 0 to 1,000,000,000 tokens"}, at)
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
		r.fail(&jsonspan.Error{Code: api.CodeOutOfRange, At: "message",
			Message: "usage.message must be the index of a message"}, at)
		return u, false
	}
	return u, u.Sum() > 0
}
