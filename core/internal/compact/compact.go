// Package compact runs a compaction, a repair or a restoration, from the input to the report. It uses the packages of
// the layers below it.
package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// Compact runs the policy's passes on the input. If the returned run has Requests, it isn't finished: it must be run
// again from the start, with the replies. The same input leads to the same run on every machine, so nothing else needs
// to be stored between a plan and its steps. The error is that of a pass which is unknown or has a wrong parameter.
func Compact(in view.Input) (*Run, *policy.Error) {
	steps, err := passes.Steps(in.Policy)
	if err != nil {
		return nil, err
	}
	c := compact(in, steps)
	if in.Recalled && !c.report.Changed && len(c.summary.Requests()) == 0 {
		c.mark()
	}
	c.ReportFit(c.keep.StayingItems)
	if s := &c.report.Summary; s.Fault == api.FaultFailed {
		for i := range in.Replies {
			if s.Error = digest.TrimRunes(in.Replies[i].Error, maxError); s.Error != "" {
				break
			}
		}
	}
	return c, nil
}

// maxError is the maximum length in runes of a host's error text in a report.
const maxError = 300

// NoLimitReason returns the reason to report if the policy sets no limit, so that compaction can never be due.
func NoLimitReason(p *policy.Policy) api.Reason {
	if p.Window.Unlimited || p.MaxBytes > 0 {
		return api.ReasonUnlimited
	}
	return api.ReasonUnknownWindow
}

// compact runs a compaction from the gate to the result. steps are the policy's passes. The run may end without a
// change, or with requests for summaries.
func compact(in view.Input, steps []passes.Pass) *Run {
	c, idle := BeginDue(in, in.State.Messages)
	if idle || c.repairOrEnd() {
		return c
	}
	if in.Policy.HasFewMessages(in.N) && !in.Policy.Force {
		steps = nil
	}
	c.keep.PinItems() // after the repair, because it may have dropped an empty newest user message
	c.CountThrashing()
	repaired := len(c.report.Actions)
	if c.endsInPasses(steps) {
		return c
	}
	if passes.LastResort(c, c.MaxTokens()); c.noDigest != "" && c.report.Summary.Fault == "" {
		c.report.Summary.Fault = api.SummaryFault(c.noDigest)
	}
	if len(c.report.Actions) == repaired && !c.saves() { // a repair may be sufficient
		return c.failed(c.NoGain())
	}
	if !c.settleAndFill(steps) {
		return c.openThinking()
	}
	c.mark()
	c.archive.SaveChanges()
	if reason := c.gainsTooLittle(); reason != "" {
		return c.failed(reason)
	}
	c.finish()
	c.report.Left = c.mend.RefusedOf(c.mend.Violations())
	if !c.aside() {
		c.CountSuccess()
	}
	return c
}

// repairOrEnd repairs the input. It returns true if the run ends here: because another compaction wouldn't help,
// because no provider would accept any part of the input, or because signed thinking in it can't be kept valid.
func (c *Run) repairOrEnd() bool {
	if c.settled() {
		c.asItIs(api.ReasonNoProgress)
		return true
	}
	if c.due && c.stuck() {
		if c.due = false; !c.in.OverBytes() {
			c.asItIs(api.ReasonStuck)
			return true
		}
	}
	if c.mend.RepairInput(); len(c.doc.Items) == 0 {
		c.failed(api.ReasonNoProgress) // no provider would accept any part of it
		return true
	}
	if c.mend.IsHopeless() {
		c.openThinking()
		return true
	}
	return false
}

// endsInPasses runs the passes until the target is reached, and then reduces the list to max_bytes. It returns true if
// the run ends here or has to wait for summaries.
func (c *Run) endsInPasses(steps []passes.Pass) bool {
	lowered := c.due && c.beforePasses()
	for i, p := range steps {
		if !c.due {
			break
		}
		if (i > 0 || lowered) && c.doc.Total <= c.Target() && !c.policy.Force && !passes.CompletesPrevious(p) {
			continue
		}
		if p.Run(c); c.noDigest != "" {
			if c.mayKeep() {
				c.failed(api.ReasonSummaryFailed)
				c.report.Summary.Fault = api.SummaryFault(c.noDigest)
				return true
			}
			break
		}
		if c.AwaitsSummaries() {
			return true
		}
	}
	if c.policy.MaxBytes > 0 {
		passes.LimitBytes(c)
	}
	return false
}

// beforePasses removes content to which the host gave a score below 0, and cuts the middle of a
// large first message that changes between requests. It returns false if there was neither.
func (c *Run) beforePasses() bool {
	c.clip = passes.ClipChanging(c, c.in.Changing-1)
	return passes.LowFirst(c) || c.clip > 0
}

// settleAndFill makes the result valid, lets the passes use the room that remains below the target, and makes the
// result valid again. A lot of room may remain, because the thinking that the first repair removes can be a third of
// the result. An open tool loop that becomes text is filled first, because nothing can be added to its results later.
// It returns false if signed thinking could not be kept valid.
func (c *Run) settleAndFill(steps []passes.Pass) bool {
	if c.mend.ClosesLoop() && c.doc.Total < c.Target() {
		c.fillRoom(steps)
	}
	if !c.settle() {
		return false
	}
	was := c.doc.Total
	if c.fillRoom(steps); c.doc.Total == was {
		return true
	}
	if c.policy.MaxBytes > 0 {
		passes.LimitBytes(c)
	}
	return c.settle()
}

// fillRoom lets the passes use the room that remains below the target, if a compaction is due.
func (c *Run) fillRoom(steps []passes.Pass) {
	for _, p := range steps {
		if f, ok := p.(passes.Filler); ok && c.due {
			f.FillRoom(c)
		}
	}
}

// mayKeep reports whether the transcript may stay unchanged if there is no digest. It must not if the provider would
// reject it.
func (c *Run) mayKeep() bool {
	return !c.MustFit() || c.noDigest != string(api.FaultNoRoom) && c.report.Tokens.Before <= c.policy.UsableTokens()
}

// gainsTooLittle returns the reason why the result can't be used if it frees too little, and "" if it frees enough.
func (c *Run) gainsTooLittle() api.Reason {
	gain := c.report.Tokens.Before - c.doc.Total
	switch {
	case gain <= 0:
		return api.ReasonNoProgress
	case c.due && !c.in.OverBytes() && !c.saves() && gain < c.MinGain():
		return api.ReasonGainTooSmall
	}
	return ""
}

// saves reports whether the compaction reduces a transcript over the limit to one within the limit, no matter how much
// it frees.
func (c *Run) saves() bool {
	return c.MustFit() && c.report.Tokens.Before > c.MaxTokens() && c.doc.Total <= c.MaxTokens()
}

// AwaitsSummaries reports whether the run needs summaries before it can continue. If so, it fills in the preliminary
// report.
func (c *Run) AwaitsSummaries() bool {
	if len(c.summary.Requests()) == 0 {
		return false
	}
	c.report.Reason = api.ReasonNeedsSummaries
	c.report.Tokens.After = c.doc.Total
	c.report.StablePrefix = c.prefix(min(c.doc.FirstChange(), c.summary.Forecast().First))
	c.report.Cache = c.cache(c.report.StablePrefix, c.summary.Forecast().After, c.summary.Forecast().Cost)
	return true
}

// maxResorts is the maximum number of times that a result is cut again because a repair made it too large.
const maxResorts = 4

// repairRoom is the number of extra tokens that each cut frees to make room for what the next repair adds.
const repairRoom = 16

// settle makes the result valid. It cuts the result again if it has become too large, or if it would become so when
// handles are added to digests at the end. It returns false if signed thinking could not be kept valid.
func (c *Run) settle() bool {
	added := 0 // tokens that the next repair will probably add
	for again := 0; ; again++ {
		if !c.mend.SettleThinking() {
			return false
		}
		c.mend.Repair()
		c.doc.MarkSent()
		if again == maxResorts || !c.MustFit() {
			return true
		}
		over := c.doc.Total + c.archive.HandleRoom() - c.MaxTokens()
		if over <= 0 {
			return true
		}
		added += over + repairRoom
		passes.LastResort(c, c.MaxTokens()-added)
	}
}

// NoGain returns the reason to report for a run that has changed nothing.
func (c *Run) NoGain() api.Reason {
	if c.small {
		return api.ReasonGainTooSmall
	}
	return api.ReasonNoProgress
}

// settled reports whether the transcript is the result of the last compaction and the limit hasn't become smaller
// since. Another compaction would then have the same result. A smaller limit means that another model is used, or that
// a provider refused the result.
func (c *Run) settled() bool {
	s := c.state
	if s.Fingerprint == "" || s.Messages != c.doc.N || c.limit > 0 && (s.Limit == 0 || c.limit < s.Limit) {
		return false
	}
	return s.Fingerprint == c.doc.T.Fingerprint(c.doc.N)
}

// openThinking ends a run that could not keep the thinking in an open tool loop valid, with the input unchanged. This
// doesn't count as a failure, because a compaction can succeed once the calls have results.
func (c *Run) openThinking() *Run {
	thinking := c.report.Thinking
	c.EndUnchanged(api.ReasonOpenThinking)
	c.report.Thinking = &api.ReportThinking{Mode: thinking.Mode, Source: thinking.Source}
	return c
}

// asItIs ends the run with its input unchanged before it has tried anything, and reports the violations in the input.
func (c *Run) asItIs(reason api.Reason) {
	c.EndUnchanged(reason)
	c.report.Left = c.mend.RefusedOf(c.mend.Violations())
}

// EndUnchanged ends the run with its input unchanged, for the given reason, and takes back everything that it has done.
// It returns the run.
func (c *Run) EndUnchanged(reason api.Reason) *Run {
	c.report.Reason = reason
	c.report.Actions, c.report.Thinking = nil, nil
	c.report.Tokens.Before -= c.mend.ForgetLate()
	c.report.Tokens.After = c.report.Tokens.Before
	c.report.ResetCounters()
	c.report.Summary, c.report.Thrashing = api.ReportSummary{Source: "none"}, nil
	c.fold.Items, c.report.CutPoint = nil, 0
	c.archive.KeepNothing()
	c.doc.Reset()
	c.result = Result{}
	c.report.StablePrefix = api.StablePrefix{Messages: len(c.doc.T.Messages[:c.doc.T.Input]),
		Bytes: c.doc.T.OriginalSpan(c.doc.T.List).Len(), Tokens: c.report.Tokens.Before}
	return c
}

// CompleteReport completes the report of a run that has changed its input.
func (c *Run) CompleteReport() {
	r := &c.report
	c.doc.DateNewMessages()
	r.Reason, r.Changed = api.ReasonCompacted, true
	for _, it := range c.doc.Items {
		if it.Instr {
			r.Instructions++
			r.InstructionTokens += it.Tokens
		}
	}
	if len(c.fold.Items) > 0 {
		r.Running, r.UnloadedTools = c.state.Ledger.Running, c.state.Ledger.Unloaded
	}
	c.mend.CountThinking()
	r.Tokens.After = c.doc.Total
	r.Messages.After = len(c.doc.Items) + c.doc.T.Input - c.doc.Rest
	r.StablePrefix = c.prefix(c.doc.FirstChange())
	if c.policy.MaxBytes > 0 {
		r.Bytes = &api.ReportBytes{Before: c.doc.T.OriginalSpan(c.doc.T.List).Len(), After: c.Result().listSize(),
			Limit: c.policy.MaxBytes}
	}
	r.Cache = c.cache(r.StablePrefix, r.Tokens.After, c.summary.CallCost())
	if c.policy.Log {
		r.Decisions = c.decisions()
	}
	if c.policy.Archive != "" {
		c.bodies = c.archive.Archived()
	}
}

// UpdateState updates the state after a compaction.
func (c *Run) UpdateState() {
	c.state.Round++
	c.state.Archive = c.archive.Changes() // without an archive for this compaction, earlier ones can't be undone either
	c.state.Format = c.report.Format
	c.state.Messages, c.state.Fingerprint, c.state.Limit = c.report.Messages.After, c.doc.Fingerprint(), c.limit
}

// finish completes the report and the state. The digest of a branch changes the state of the conversation only by the
// names of the messages that the compaction wrote.
func (c *Run) finish() {
	c.CompleteReport()
	own := c.authors.OwnNames()
	if c.aside() {
		c.state.Own = append(slices.Clone(c.state.Own), own...)
		return
	}
	c.state.Own = own
	c.UpdateState()
}

// aside reports whether the run writes the digest of a branch while the state describes the conversation itself, which
// continues.
func (c *Run) aside() bool { return c.policy.IsBranchScope() && c.state.Fingerprint != "" }

// prefix returns the size of the first n items, in messages, bytes and tokens. These items must be the same as in the
// input.
func (c *Run) prefix(n int) api.StablePrefix {
	return api.StablePrefix{Messages: n, Bytes: c.doc.PrefixBytes(n), Tokens: c.doc.Tokens(0, n)}
}
