package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// digests lists the messages that compactions wrote, for hosts that display a conversation.
func digests(r *request, dst []byte) []byte {
	if !r.need(operations.InMessages) {
		return dst
	}
	var state api.State
	if r.stateOf(&state); r.err != nil {
		return dst
	}
	c := compact.Begin(view.Input{Transcript: r.t, Format: r.format, Estimator: r.profile, Policy: r.policy,
		State: state, N: len(r.t.Messages)})
	a := api.Digests{Format: api.Format(r.format.Name), Digests: handles.Digests(c.Doc(), c.Authors())}
	return appendJSON(dst, a.MarshalEasyJSON)
}
