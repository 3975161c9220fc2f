// Package compact runs a compaction, a repair or a restoration over the packages below it, from the input to the report.
package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Run is a compaction in progress.
type Run struct {
	passes.Run
	counted int        // tokens of the input according to the gate: an estimate, or the provider's count
	sizes   []int      // tokens of the input's messages, if a log is kept
	streak  api.Streak // including this compaction, if it happens
	Starts  bool       // it is time to begin a compaction in the background
	result  Result
}

// Compact runs the policy's passes over the input. A run that has Requests isn't finished: it is run again from the start with the replies.
// The same input gives the same run on every machine, so nothing else must be kept between a plan and its steps.
func Compact(in view.Input) (*Run, *policy.Error) {
	steps, err := passes.Steps(in.Policy)
	if err != nil {
		return nil, err
	}
	c := compact(in, steps)
	if in.Recalled && !c.Report.Changed && len(c.Requests) == 0 {
		c.Mark()
	}
	c.Judge(c.Held)
	if s := &c.Report.Summary; s.Why == api.FaultFailed {
		for i := range in.Replies {
			if s.Error = digest.TrimRunes(in.Replies[i].Error, maxError); s.Error != "" {
				break
			}
		}
	}
	return c, nil
}

// maxError is how much of a host's error a report repeats, in runes.
const maxError = 300

// Begin returns a run that has done nothing yet.
func Begin(in view.Input) *Run {
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

// Idle ends the run with its input if the policy doesn't want a compaction now. A provider's count of a message before from is ignored.
func (c *Run) Idle(from int) bool {
	if c.N == 0 { // there is nothing to compact, whatever is sent besides the list
		c.Unchanged(api.ReasonUnderBudget)
		return true
	}
	due, size, cold := passes.Due(c.Input, from, c.Total)
	c.Due, c.counted = c.Policy.Force || due, size.Tokens
	if cold != "" && !c.Policy.Force {
		c.chill(cold)
	}
	switch {
	case c.Due || c.OverBytes():
		return false
	case c.Policy.Unbounded():
		c.Unchanged(Unbounded(c.Policy))
	default:
		c.Starts = passes.Starts(c.Input, size.Tokens)
		c.Unchanged(api.ReasonUnderBudget)
	}
	return true
}

// Unbounded returns the reason for a policy that can never make compaction due.
func Unbounded(p *policy.Policy) api.Reason {
	if p.Window.Unlimited || p.MaxBytes > 0 {
		return api.ReasonUnlimited
	}
	return api.ReasonUnknownWindow
}

// chill prepares a run that is only due because of a cold prompt cache. It aims for the policy's share of the current size, and keeps the
// transcript if the model returns no summary, because it fits as it is.
func (c *Run) chill(cold api.Cold) {
	c.Report.Cold = cold
	c.Target = min(c.Target, int(float64(c.Total)*c.Policy.Gate.Target))
	own := *c.Policy
	own.Summary.OnFailure = "keep"
	c.Policy = &own
}

func compact(in view.Input, steps []passes.Pass) *Run {
	c := Begin(in)
	if c.Idle(in.State.Messages) {
		return c
	}
	bytes := c.OverBytes()
	if c.settled() {
		return c.asItIs(api.ReasonNoProgress)
	}
	if c.Due && c.stuck() {
		if c.Due = false; !bytes {
			return c.asItIs(api.ReasonStuck)
		}
	}
	if c.RepairInput(); len(c.Items) == 0 {
		return c.failed(api.ReasonNoProgress) // nothing in it was acceptable to a provider
	}
	if c.Hopeless() {
		return c.openThinking()
	}
	if in.Policy.Few(in.N) && !in.Policy.Force {
		steps = nil
	}
	c.Pin() // after the repair: it may have dropped the newest user message, if that was empty
	c.Thrash()
	repaired := len(c.Report.Actions)
	for i, p := range steps {
		if !c.Due {
			break
		}
		if i > 0 && c.Total <= c.Target && !in.Policy.Force && !p.Follows() {
			continue
		}
		p.Run(&c.Run)
		if c.NoDigest != "" {
			if !c.Bounded() || c.NoDigest != string(api.FaultNoRoom) && c.Report.Tokens.Before <= in.Policy.Usable() {
				c.failed(api.ReasonSummaryFailed)
				c.Report.Summary.Why = api.SummaryFault(c.NoDigest)
				return c
			}
			break // keeping what the provider refuses helps nobody
		}
		if c.Waits() {
			return c
		}
	}
	for _, p := range steps {
		if f, ok := p.(passes.Finisher); ok && c.Due {
			f.Finish(&c.Run)
		}
	}
	if in.Policy.MaxBytes > 0 {
		c.Shrink()
	}
	if c.Resort(); c.NoDigest != "" && c.Report.Summary.Why == "" {
		c.Report.Summary.Why = api.SummaryFault(c.NoDigest)
	}
	if len(c.Report.Actions) == repaired && !c.saves() { // a repair may be enough
		return c.failed(c.NoGain())
	}
	if !c.Settle() {
		return c.openThinking()
	}
	c.Mark()
	c.SaveChanges()
	before := c.Report.Tokens.Before
	if c.Total >= before {
		return c.failed(api.ReasonNoProgress)
	}
	if c.Due && !bytes && !c.saves() && before-c.Total < c.MinGain() {
		return c.failed(api.ReasonGainTooSmall)
	}
	c.finish()
	c.Report.Left = c.Named(c.Violations())
	if !c.aside() {
		c.Gained()
	}
	return c
}

// saves reports whether the transcript was over the limit and no longer is, however little that took.
func (c *Run) saves() bool {
	return c.Bounded() && c.Report.Tokens.Before > c.Most() && c.Total <= c.Most()
}

// Waits reports whether the run needs summaries before it can continue, and completes the report so far.
func (c *Run) Waits() bool {
	if len(c.Requests) == 0 {
		return false
	}
	c.Report.Reason = api.ReasonNeedsSummaries
	c.Report.Tokens.After = c.Total
	c.Report.StablePrefix = c.prefix(min(c.FirstChange(), c.Expected.First))
	c.Report.Cache = c.cache(c.Report.StablePrefix, c.Expected.After, c.Expected.Cost)
	return true
}

// NoGain returns why a run has done nothing.
func (c *Run) NoGain() api.Reason {
	if c.Small {
		return api.ReasonGainTooSmall
	}
	return api.ReasonNoProgress
}

// settled reports whether the transcript is the result of the last compaction, for a limit that was no larger than this one, so that the
// same would happen again. A smaller limit is that of another model, or of a provider that refused the result.
func (c *Run) settled() bool {
	s := c.State
	if s.Fingerprint == "" || s.Messages != c.N || c.Limit > 0 && (s.Limit == 0 || c.Limit < s.Limit) {
		return false
	}
	return s.Fingerprint == c.T.Fingerprint(c.N)
}

// openThinking ends a run that could not keep the thinking of the open tool loop valid. It doesn't count as a failure: it can succeed once
// the calls have their results.
func (c *Run) openThinking() *Run {
	thinking := c.Report.Thinking
	c.Unchanged(api.ReasonOpenThinking)
	c.Report.Thinking = &api.ReportThinking{Mode: thinking.Mode, Source: thinking.Source}
	return c
}

// asItIs does what Unchanged does for a run that was due, before anything was tried.
func (c *Run) asItIs(reason api.Reason) *Run {
	c.Unchanged(reason)
	c.Report.Left = c.Named(c.Violations())
	return c
}

// Unchanged ends the run with the input as it is.
func (c *Run) Unchanged(reason api.Reason) *Run {
	c.Report.Reason = reason
	c.Report.Actions, c.Report.Thinking = nil, nil
	c.Report.Tokens.Before -= c.Late
	c.Late = 0
	c.Report.Tokens.After = c.Report.Tokens.Before
	c.Uncount()
	c.Report.Summary, c.Report.Thrashing = api.ReportSummary{Source: "none"}, nil
	c.Folded, c.Report.CutPoint = nil, 0
	c.KeepNothing()
	for i := range c.T.Parts {
		c.T.Parts[i].Flags &^= transcript.Removed
	}
	c.View = view.NewView(c.T, c.F, c.P, c.N)
	c.Report.StablePrefix = api.StablePrefix{Messages: len(c.T.Messages[:c.T.Input]), Bytes: c.T.Given(c.T.List).Len(), Tokens: c.Report.Tokens.Before}
	return c
}

// Conclude completes the report of a run that has changed its input.
func (c *Run) Conclude() {
	r := &c.Report
	c.Stamp()
	r.Reason, r.Changed = api.ReasonCompacted, true
	for _, it := range c.Items {
		if it.Instr {
			r.Instructions++
			r.InstructionTokens += it.Tokens
		}
	}
	if len(c.Folded) > 0 {
		r.Running, r.UnloadedTools = c.State.Ledger.Running, c.State.Ledger.Unloaded
	}
	c.CountThinking()
	r.Tokens.After = c.Total
	r.Messages.After = len(c.Items) + c.T.Input - c.Rest
	r.StablePrefix = c.prefix(c.FirstChange())
	if c.Policy.MaxBytes > 0 {
		r.Bytes = &api.ReportBytes{Before: c.T.Given(c.T.List).Len(), After: c.Result().listSize(), Limit: c.Policy.MaxBytes}
	}
	r.Cache = c.cache(r.StablePrefix, r.Tokens.After, c.Asked)
	if c.Policy.Log {
		r.Decisions = c.decisions()
	}
	if c.Policy.Archive != "" {
		c.Archive = c.Archived()
	}
}

// Remember updates the state with the result.
func (c *Run) Remember() {
	c.State.Round++
	c.State.Archive = c.Changes // after a compaction without an archive, nothing before it can be undone either
	c.State.Format = c.Report.Format
	c.State.Messages, c.State.Fingerprint, c.State.Limit = c.Report.Messages.After, c.Fingerprint(), c.Limit
}

func (c *Run) finish() {
	c.Conclude()
	own := c.OwnNames()
	if c.aside() {
		c.State.Own = append(slices.Clone(c.State.Own), own...)
		return
	}
	c.State.Own = own
	c.Remember()
}

// aside reports whether the run makes the digest of a branch while the state belongs to the conversation, which continues.
func (c *Run) aside() bool { return c.Policy.Branch() && c.State.Fingerprint != "" }

// prefix returns the front of the transcript up to an item, which is unchanged from the input.
func (c *Run) prefix(n int) api.StablePrefix {
	return api.StablePrefix{Messages: n, Bytes: c.PrefixBytes(n), Tokens: c.Tokens(0, n)}
}
