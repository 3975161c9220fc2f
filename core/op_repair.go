package core

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
)

// repair carries out the repairs that the operation validate lists, without compacting the transcript.
func repair(r *request) []byte {
	c := compact.Repair(r.input(api.State{}))
	a := api.Repaired{Report: api.Report(*c.Report()), Valid: len(c.Report().Left) == 0}
	return r.appendResult(encoded(a.MarshalEasyJSON), c)
}
