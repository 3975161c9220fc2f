package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// repair carries out the repairs that the operation validate lists, without compacting the transcript.
func repair(r *request, dst []byte) []byte {
	if !r.need(operations.InMessages) {
		return dst
	}
	c := compact.Repair(view.Input{Transcript: r.t, Format: r.format, Estimator: r.profile, Policy: r.policy,
		N: len(r.t.Messages)})
	a := api.Repaired{Report: api.Report(*c.Report()), Valid: len(c.Report().Left) == 0}
	return r.appendResult(appendJSON(dst, a.MarshalEasyJSON), c)
}
