package core

import (
	"github.com/ctxfold/ctxfold/core/compact"
)

// repair mends a transcript without compacting it: what validate reports, as far as its "repair" says.
func repair(r *request, dst []byte) []byte {
	if !r.need(inMessages) {
		return dst
	}
	c := compact.Repair(compact.Input{Transcript: r.t, Format: r.format, Estimator: r.profile, Policy: r.policy, N: len(r.t.Messages)})
	a := Repaired{Report: c.Report, Valid: len(c.Report.Left) == 0}
	r.move(c)
	return r.appendTranscript(appendJSON(dst, a.MarshalEasyJSON), c)
}
