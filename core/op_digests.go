package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/handles"
)

// digests lists the messages that compactions wrote, for hosts that display a conversation. It returns nil if r has an
// error.
func digests(r *request) []byte {
	var state api.State
	if r.stateOf(&state); r.err != nil {
		return nil
	}
	c := compact.Begin(r.input(state))
	a := api.Digests{Format: api.Format(r.format.Name), Digests: handles.Digests(c.Doc(), c.Authors())}
	return encoded(a.MarshalEasyJSON)
}
