// Package compact orders the rooms below it: a compaction, a repair and a restoration, from the input to the report.
package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/api"
	"github.com/ctxfold/ctxfold/core/internal/hook"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Run is one compaction on its way.
type Run struct {
	passes.Run
	counted int        // tokens of the input by the gate: an estimate, or what the provider counted
	sizes   []int      // tokens of the input's messages, where a log is kept
	streak  api.Streak // with this compaction, if it becomes one
	result  Result
}

// Compact runs the policy's passes over the input. A run that has Requests is not over: it is run again, from the start,
// with the replies. The same input gives the same run, on every machine: that is why nothing else has to be kept between
// a plan and its steps.
func Compact(in view.Input) (*Run, *policy.Error) {
	c, err := compact(in)
	if err == nil {
		c.judge()
	}
	return c, err
}

// begin returns a run that has done nothing yet.
func begin(in view.Input) *Run {
	c := new(Run)
	c.Start(in)
	if in.Policy.Log {
		c.sizes = make([]int, len(c.Items))
		for i, it := range c.Items {
			c.sizes[i] = it.Tokens
		}
	}
	return c
}

func compact(in view.Input) (*Run, *policy.Error) {
	steps, err := passes.Steps(in.Policy)
	if err != nil {
		return nil, err
	}
	c := begin(in)
	if in.N == 0 { // there is nothing to compact, whatever is sent beside it
		return c.unchanged(api.ReasonUnderBudget), nil
	}
	bytes := c.OverBytes()
	due, size := passes.Due(in, c.Total)
	c.Due, c.counted = in.Policy.Force || due, size.Tokens
	switch {
	case c.Due || bytes:
	case in.Policy.Unbounded():
		return c.unchanged(api.ReasonUnknownWindow), nil
	default:
		return c.unchanged(api.ReasonUnderBudget), nil
	}
	if c.settled() {
		return c.asItIs(api.ReasonNoProgress), nil
	}
	if c.Due && c.stuck() {
		if c.Due = false; !bytes {
			return c.asItIs(api.ReasonStuck), nil
		}
	}
	if in.Policy.Safe() {
		if c.RepairInput(); len(c.Items) == 0 {
			return c.failed(api.ReasonNoProgress), nil // there was nothing in it that a provider would take
		}
		if c.Hopeless() {
			return c.openThinking(), nil
		}
	}
	if in.Policy.Few(in.N) && !in.Policy.Force {
		steps = nil
	}
	c.Pin() // after the repair: it may have dropped the newest message of the user, if that was empty
	c.thrash()
	repaired := len(c.Report.Actions)
	exact := hook.For(in.Policy)
	for i, p := range steps {
		if !c.Due {
			break
		}
		if i > 0 && c.Total <= c.Target && !in.Policy.Force && !p.Follows() && (exact == nil || !exact.Unchecked(&c.Run)) {
			continue
		}
		if exact == nil || !exact.Run(p, &c.Run) {
			p.Run(&c.Run)
		}
		if c.NoDigest != "" {
			if !c.Bounded() || c.NoDigest != string(api.FaultNoRoom) && c.Report.Tokens.Before <= in.Policy.Usable() {
				return c.noSummary()
			}
			break // to keep what the provider refuses helps nobody
		}
		if c.Undone {
			return c.unchanged(api.ReasonNoProgress), nil
		}
		if len(c.Requests) > 0 {
			c.Report.Reason = api.ReasonNeedsSummaries
			c.Report.Tokens.After = c.Total
			c.Report.StablePrefix = c.prefix(min(c.FirstChange(), c.Expected.First))
			c.Report.Cache = c.cache(c.Report.StablePrefix, c.Expected.After, c.Expected.Cost)
			return c, nil
		}
	}
	if in.Policy.MaxBytes > 0 {
		c.Shrink()
	}
	if c.Resort(); c.NoDigest != "" && c.Report.Summary.Why == "" {
		c.Report.Summary.Why = api.SummaryFault(c.NoDigest)
	}
	if len(c.Report.Actions) == repaired {
		if c.Small {
			return c.failed(api.ReasonGainTooSmall), nil
		}
		return c.failed(api.ReasonNoProgress), nil
	}
	if in.Policy.Safe() {
		if !c.Settle() {
			return c.openThinking(), nil
		}
	}
	c.SaveChanges()
	if in.Policy.Safe() && c.Total >= c.Report.Tokens.Before {
		return c.failed(api.ReasonNoProgress), nil
	}
	before := c.Report.Tokens.Before
	saved := c.Bounded() && before > c.Most() && c.Total <= c.Most() // now it fits, however little that took
	if c.Policy.Safe() && c.Due && !bytes && !saved && before-c.Total < c.MinGain() {
		return c.failed(api.ReasonGainTooSmall), nil
	}
	c.finish()
	if c.Policy.Safe() {
		c.Report.Left = c.Named(c.Violations())
	}
	if !c.aside() {
		c.gained()
	}
	return c, nil
}

// settled tells whether the transcript is what the last compaction made, for a limit that was no larger than this one: it would be
// made again. A smaller one is that of another model, or of a provider that has refused the result.
func (c *Run) settled() bool {
	s := c.State
	if !c.Policy.Safe() || s.Fingerprint == "" || s.Messages != c.N || c.Limit > 0 && (s.Limit == 0 || c.Limit < s.Limit) {
		return false
	}
	return s.Fingerprint == c.T.Fingerprint(c.N)
}

// noSummary ends a run for which the host had no summary.
func (c *Run) noSummary() (*Run, *policy.Error) {
	if c.Policy.Summary.OnFailure == "error" {
		return nil, &policy.Error{Code: api.CodeSummaryFailed, Message: c.NoDigest}
	}
	c.failed(api.ReasonSummaryFailed)
	if c.Report.Summary.Why = api.FaultFailed; c.Policy.Safe() {
		c.Report.Summary.Why = api.SummaryFault(c.NoDigest)
	}
	return c, nil
}

// openThinking ends a run that could not keep the thinking of the open tool loop valid. It does not count as one that failed: when the
// calls have their results it can be done.
func (c *Run) openThinking() *Run {
	thinking := c.Report.Thinking
	c.unchanged(api.ReasonOpenThinking)
	c.Report.Thinking = &api.ReportThinking{Mode: thinking.Mode, Source: thinking.Source}
	return c
}

// asItIs is unchanged for a run that was due, before anything was tried.
func (c *Run) asItIs(reason api.Reason) *Run {
	if c.unchanged(reason); c.Policy.Safe() {
		c.Report.Left = c.Named(c.Violations())
	}
	return c
}

// unchanged ends the run with the input as it came.
func (c *Run) unchanged(reason api.Reason) *Run {
	c.Report.Reason = reason
	c.Report.Actions, c.Report.Thinking = nil, nil
	c.Report.Tokens.Before -= c.Late
	c.Late = 0
	c.Report.Tokens.After = c.Report.Tokens.Before
	c.Uncount()
	c.Report.Summary, c.Report.Thrashing = api.ReportSummary{Source: "none"}, nil
	c.Folded = nil
	c.KeepNothing()
	for i := range c.T.Parts {
		c.T.Parts[i].Flags &^= transcript.Removed
	}
	c.View = view.NewView(c.T, c.F, c.P, c.N)
	c.Report.StablePrefix = api.StablePrefix{Messages: len(c.T.Messages[:c.T.Input]), Bytes: c.T.List.Len(), Tokens: c.Report.Tokens.Before}
	return c
}

func (c *Run) finish() {
	r := &c.Report
	r.Reason, r.Changed = api.ReasonCompacted, true
	c.CountThinking()
	r.Tokens.After = c.Total
	r.Messages.After = len(c.Items) + c.T.Input - c.Rest
	r.StablePrefix = c.prefix(c.FirstChange())
	if c.Policy.MaxBytes > 0 {
		r.Bytes = &api.ReportBytes{Before: c.T.List.Len(), After: c.Result().listSize(), Limit: c.Policy.MaxBytes}
	}
	r.Cache = c.cache(r.StablePrefix, r.Tokens.After, c.Asked)
	if c.Policy.Log {
		r.Decisions = c.decisions()
	}
	if c.Policy.Archive != "" {
		c.Archive = c.Archived()
	}
	if c.Policy.Safe() {
		own := c.OwnNames()
		if c.aside() {
			c.State.Own = append(slices.Clone(c.State.Own), own...)
			return
		}
		c.State.Own = own
	}
	c.State.Round++
	c.State.Archive = c.Changes // of a compaction without one, nothing before it can be taken back either
	c.State.Format = r.Format
	c.State.Messages, c.State.Fingerprint, c.State.Limit = r.Messages.After, c.Fingerprint(), c.Limit
}

// aside tells whether the run makes the digest of a branch while the state is that of the conversation, which goes on.
func (c *Run) aside() bool {
	return c.Policy.Branch() && c.Policy.Safe() && c.State.Fingerprint != ""
}

// prefix is the front of the transcript up to an item, all of which is the input's.
func (c *Run) prefix(n int) api.StablePrefix {
	return api.StablePrefix{Messages: n, Bytes: c.PrefixBytes(n), Tokens: c.Tokens(0, n)}
}
