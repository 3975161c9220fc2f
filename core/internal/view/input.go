package view

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/tokens"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Input is the input of a compaction, a repair or a restoration. It is not changed.
type Input struct {
	Transcript *transcript.Transcript
	Format     *wire.Format
	Estimator  *tokens.Profile
	Policy     *policy.Policy
	State      api.State
	N          int // how many messages of the transcript to process; those after them stay unchanged
	Replies    []api.Summary
	Score      *api.Score // how much calls and messages matter to the host, by index of the transcript; nil if it hasn't said
	Recalled   bool       // the transcript contains digests that fit remembered and inserted
}

// Known returns how many of the messages the last compaction left, by the state. It is 0 if the transcript has fewer, because then the state
// belongs to another conversation, and if a host has changed the number to a negative one.
func (in *Input) Known() int {
	if in.State.Messages < 0 || in.State.Messages > in.N {
		return 0
	}
	return in.State.Messages
}
