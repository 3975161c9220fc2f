package core

import (
	"sort"

	"github.com/ctxfold/ctxfold/core/compact"
	"github.com/ctxfold/ctxfold/core/jsonspan"
)

// repair mends a transcript without compacting it: what validate reports, as far as its "repair" says.
func repair(r *request, dst []byte) []byte {
	if !r.need(inMessages) {
		return dst
	}
	var lone []uint32
	if r.lone > 0 {
		src := append([]byte(nil), r.src...)
		lone = jsonspan.ReplaceLone(src, r.members[inMessages])
		fixed := &request{src: src, op: &op{name: r.op.name, takes: r.op.takes}, sessions: r.sessions}
		fixed.parse()
		if r.err = fixed.err; r.err != nil {
			return dst
		}
		*r = *fixed
	}
	messages := r.t.Messages
	c := compact.Repair(compact.Input{Transcript: r.t, Format: r.format, Estimator: r.profile, Policy: r.policy, N: len(messages)},
		func(i int) bool {
			k := sort.Search(len(lone), func(k int) bool { return lone[k] >= messages[i].Span.Start })
			return k < len(lone) && lone[k] < messages[i].Span.End
		})
	a := Repaired{Report: c.Report, Valid: len(c.Report.Left) == 0}
	r.move(c)
	return r.appendTranscript(appendJSON(dst, a.MarshalEasyJSON), c)
}
