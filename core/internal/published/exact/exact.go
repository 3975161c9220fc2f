// Package exact does to a transcript what the published systems do, step by step and with their defects: a run, the passes of a policy with
// wire_safe false, cut points, truncations, and blocks over the loops of a session. Nothing is repaired, nothing is tried again, and nothing
// is cut for a result that is over its limit.
//
// What never enters this package: the words of requests and digests (styles), and arguments of functions (functions).
package exact

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/gate"
	"github.com/ctxfold/ctxfold/core/internal/passes"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/published/styles"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

//go:generate sh ../../../../generate.sh -disallow_unknown_fields

// Suit removes of a policy what no published system has: a last resort, second requests, and a digest without a model that fills the room
// there is.
func Suit(p *policy.Policy) {
	p.LastResort, p.Summary.Retries, p.Summary.Room = new(bool), 0, new(float64)
}

// Due reports whether a transcript should be compacted: see [gate.Due]. What the provider counted before the last compaction counts too
// (S4.9).
func Due(in view.Input, total int) (bool, tokens.Context) {
	due, size, _ := gate.Due(in, 0, total)
	return due, size
}

// Compact runs the policy's passes over the input, in their order.
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
	c.Judge(func() ([]bool, []int32) { return held(c) })
	return c, nil
}

func run(c *compact.Run, steps []passes.Pass) *policy.Error {
	if c.Policy().Few(c.Doc().N) && !c.Policy().Force {
		steps = nil
	}
	c.Keep().Pin()
	c.Thrash()
	unchecked := styles.ByName(c.Policy().Summary.Style).Unchecked
	for i, p := range steps {
		if !c.Due() {
			break
		}
		if i > 0 && c.Doc().Total <= c.Target() && !c.Policy().Force && !p.Follows() && !unchecked {
			continue
		}
		undone := step(p, c)
		switch {
		case c.Failure() != "" && c.Policy().Summary.OnFailure == "error":
			return &policy.Error{Code: api.CodeSummaryFailed, Message: c.Failure()}
		case c.Failure() != "":
			c.Unchanged(api.ReasonSummaryFailed)
			c.Report().Summary.Why = api.FaultFailed
			return nil
		case undone:
			c.Unchanged(api.ReasonNoProgress)
			return nil
		case c.Waits():
			return nil
		}
	}
	if c.Policy().MaxBytes > 0 {
		passes.Shrink(c)
	}
	if len(c.Report().Actions) == 0 {
		c.Unchanged(c.NoGain())
		return nil
	}
	c.Archive().SaveChanges()
	c.Conclude()
	c.Remember()
	c.Gained()
	return nil
}

// step does a pass as the system does that the policy is of. What no system has is done as always. It reports whether the run ends with its
// input.
func step(step passes.Pass, c passes.Run) (undone bool) {
	doc := c.Doc()
	switch p := step.(type) {
	case *passes.FoldPass:
		if c.Policy().Summary.Style == "" {
			foldOurs(p, c)
		} else {
			return fold(p, c, styles.ByName(c.Policy().Summary.Style))
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

// held says which items must stay: those that are pinned, and what is in one group with a pinned call or result.
func held(c passes.Run) ([]bool, []int32) {
	held, groups := c.Keep().StayingWith(func(int) bool { return false })
	return held, groups
}

// foldOurs folds in ctxfold's own style, which is of no published system. The tail is as large as the policy says, and calls that are
// still open are folded too.
func foldOurs(p *passes.FoldPass, c passes.Run) {
	held, groups := held(c)
	cut, step := p.Cut(c, groups, p.KeepTokens)
	p.FoldBefore(c, cut, step, held)
}
