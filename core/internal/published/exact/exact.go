// Package exact reproduces what the published systems do to a transcript, step by step and with their defects: a whole
// compaction, the passes of a policy with wire_safe false, cut points, truncations, and the blocks that replace whole
// loops of a session. With wire_safe false it repairs nothing, retries nothing, and cuts nothing when a result exceeds
// its limit.
//
// Package styles has the wording of requests and digests. Package functions reads the arguments of the published
// functions.
package exact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/gate"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/published/verbatim"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

//go:generate sh ../../../../internal/apigen/easyjson.sh -disallow_unknown_fields

// Suit turns off those settings of a policy that no published system has: the last resort, retries of summary requests,
// and extra room for digests that are written without a model.
func Suit(p *policy.Policy) {
	p.LastResort, p.Summary.Retries, p.Summary.Room = new(bool), 0, new(float64)
}

// Due reports whether a transcript should be compacted, and returns the size on which this is based; see [gate.Due]. It
// also uses token counts from before the last compaction (S4.9). total is the number of tokens in the messages.
func Due(in view.Input, total int) (bool, tokens.Context) {
	due, size, _ := gate.Due(in, 0, total)
	return due, size
}

// Compact runs the policy's passes over the input, in their order. It returns an error if a pass of the policy is
// invalid.
func Compact(in view.Input) (*compact.Run, *policy.Error) {
	steps, err := passes.Steps(in.Policy)
	if err != nil {
		return nil, err
	}
	c, idle := compact.BeginDue(in, 0)
	if !idle {
		err = run(c, steps)
	}
	if err != nil {
		return nil, err
	}
	c.ReportFit(func() ([]bool, []int32) { return held(c) })
	return c, nil
}

func run(c *compact.Run, steps []passes.Pass) *policy.Error {
	if c.Policy().HasFewMessages(c.Doc().N) && !c.Policy().Force {
		steps = nil
	}
	c.Keep().PinItems()
	c.CountThrashing()
	unchecked := verbatim.ByName(c.Policy().Summary.Style).Unchecked
	for i, p := range steps {
		if !c.IsDue() {
			break
		}
		if i > 0 && c.Doc().Total <= c.Target() && !c.Policy().Force && !passes.CompletesPrevious(p) && !unchecked {
			continue
		}
		undone := step(p, c)
		switch {
		case c.DigestFailure() != "" && c.Policy().Summary.OnFailure == "error":
			return &policy.Error{Code: api.CodeSummaryFailed, Message: c.DigestFailure()}
		case c.DigestFailure() != "":
			c.EndUnchanged(api.ReasonSummaryFailed)
			c.Report().Summary.Fault = api.FaultFailed
			return nil
		case undone:
			c.EndUnchanged(api.ReasonNoProgress)
			return nil
		case c.AwaitsSummaries():
			return nil
		}
	}
	if c.Policy().MaxBytes > 0 {
		passes.LimitBytes(c)
	}
	if len(c.Report().Actions) == 0 {
		c.EndUnchanged(c.NoGain())
		return nil
	}
	c.Archive().SaveChanges()
	c.CompleteReport()
	c.UpdateState()
	c.CountSuccess()
	return nil
}

// step performs a pass the way the policy's published system does. A pass that no published system has runs as usual.
// undone is true if the run must return its input unchanged.
func step(step passes.Pass, c passes.Run) (undone bool) {
	doc := c.Doc()
	switch p := step.(type) {
	case *passes.FoldPass:
		if c.Policy().Summary.Style == "" {
			foldOurs(p, c)
		} else {
			return fold(p, c, verbatim.ByName(c.Policy().Summary.Style))
		}
	case *passes.TruncatePass:
		truncate(p, c)
	case *passes.CollapsePass:
		collapse(p, c)
	case *passes.ClearPass:
		p.Clear(c, p.Targets(c)) // short bodies too (S3.36)
	case *passes.RehydratePass:
		p.Restore(c, Rehydration(doc))
	case *passes.ReasoningPass:
		reasoning(p, c)
	case *passes.ArchivePass:
		archiveResults(p, c)
	case *passes.ToolDigestPass:
		toolDigest(p, c)
	case *passes.DropPass:
		drop(p, c)
	case *passes.FitPass:
		fit(c, "fit")
	default:
		p.Run(c)
	}
	return false
}

// held returns for each item whether it must stay, because it is pinned or its group has a pinned call or result, and
// the group of each item.
func held(c passes.Run) ([]bool, []int32) {
	held, groups := c.Keep().StayingItemsWith(func(int) bool { return false })
	return held, groups
}

// foldOurs folds in ctxfold's own style, which no published system has. The tail is as large as the policy specifies,
// and open calls are folded too.
func foldOurs(p *passes.FoldPass, c passes.Run) {
	held, groups := held(c)
	cut, step := p.Cut(c, groups, p.KeepTokens)
	p.FoldBefore(c, cut, step, held)
}
