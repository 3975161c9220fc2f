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
	N          int // how many messages of T the plan is about; those after them stay as they are
	Replies    []api.Summary
	Recalled   bool // its digests were put into the host's messages by what is remembered
}

// Run is one operation on its way over a view: what it works on, and what it reports. The rooms above embed it and add what they
// keep themselves.
type Run struct {
	*View
	Input
	Limit, Target int // tokens

	Report api.Report
	Ours   []Origin // by message of the input: which of ours it is
}

// Act records what a pass did. The list doubles where append would move it more often: what is left behind adds up, and the memory
// of a module never shrinks.
func (c *Run) Act(a api.Action) {
	if n := len(c.Report.Actions); n == cap(c.Report.Actions) {
		c.Report.Actions = slices.Grow(c.Report.Actions, n+8)
	}
	c.Report.Actions = append(c.Report.Actions, a)
}

// Ledger is the ledger of the state, for the room that writes it.
func (c *Run) Ledger() *digest.Ledger { return (*digest.Ledger)(&c.State.Ledger) }
