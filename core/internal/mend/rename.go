package mend

import (
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// otherResults returns, by the part index of a call, the results of the call except the one that it is paired with.
func (md *Mender) otherResults() map[int32][]int32 {
	others := map[int32][]int32{}
	for n := range md.doc.T.Parts {
		if p := &md.doc.T.Parts[n]; p.Kind == transcript.ToolResult && p.Has(transcript.Continues) && p.Caller > 0 && !p.Has(transcript.Removed) {
			others[p.Caller-1] = append(others[p.Caller-1], int32(n))
		}
	}
	return others
}

// rename gives the tool call at a violation, and the results of the call, a unique id. saved is 0. ok is false if it
// isn't possible, because the result has no item.
func (r *fixer) rename(at int, v *wire.Violation) (saved int, ok bool) {
	if r.others == nil {
		r.others = r.md.otherResults()
	}
	t, part := r.doc.T, v.Part
	p := &t.Parts[part]
	id := r.doc.F.AppendID(nil, p.Msg, part, t.Bytes(p.ID))
	if p.Pair >= 0 {
		other := r.place.of(t.Parts[p.Pair].Msg)
		if other < 0 {
			return 0, false
		}
		r.md.setID(p.Pair, id)
		r.marks[other] |= touched
	}
	for _, n := range r.others[part] {
		if other := r.place.of(t.Parts[n].Msg); other >= 0 {
			r.md.setID(n, id)
			r.marks[other] |= touched
		}
	}
	r.md.setID(part, id)
	for n := p.Copy; n > 0; n = t.Parts[n-1].Copy {
		r.md.setID(n-1, id)
	}
	return r.mark(at, touched)
}

// setID replaces the id of a part. id is JSON. The source of the id, under which results find their calls, stays the
// same.
func (md *Mender) setID(part int32, id []byte) {
	p := &md.doc.T.Parts[part]
	span := md.doc.T.WriteToArena(id)
	if !p.ID.IsZero() {
		source, renamed := md.renamed[p.ID.Key()]
		if !renamed {
			source = md.doc.SourceOf(p.ID)
		}
		if md.renamed == nil {
			md.renamed = map[uint64]transcript.Span{}
		}
		md.renamed[span.Key()] = source
		md.doc.Splice(p.Msg, source, span)
	}
	p.ID = span
}
