package view

import (
	"github.com/ctxfold/ctxfold/core/internal/digest"

	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Input is what a compaction works on.
type Input struct {
	Transcript *transcript.Transcript
	Format     *wire.Format
	Estimator  *tokens.Profile
	Policy     *policy.Policy
	State      api.State
	N          int // how many messages of T the plan covers; later ones stay as they are
	Replies    []api.Summary
	Recalled   bool // remembered compactions put its digests into the host's messages
}

// Run is one operation on a view: its input, and its report. Higher packages embed it and add their own state.
type Run struct {
	*View
	Input
	Limit, Target int // tokens

	Report api.Report
	Ours   []Origin // which of our messages each input message is
}

// Act records what a pass did. The list doubles where append would reallocate more often: abandoned memory adds up, and the memory of a
// module never shrinks.
func (c *Run) Act(a api.Action) {
	if n := len(c.Report.Actions); n == cap(c.Report.Actions) {
		c.Report.Actions = slices.Grow(c.Report.Actions, n+8)
	}
	c.Report.Actions = append(c.Report.Actions, a)
}

// Ledger returns the ledger of the state, for the package that writes it.
func (c *Run) Ledger() *digest.Ledger { return (*digest.Ledger)(&c.State.Ledger) }
