package mend

import (
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// further are the results that calls have besides the one that they are paired with, by the parts of the calls.
func (md *Mender) further() map[int32][]int32 {
	further := map[int32][]int32{}
	for n := range md.doc.T.Parts {
		if p := &md.doc.T.Parts[n]; p.Kind == transcript.ToolResult && p.Has(transcript.Continues) && p.Caller > 0 && !p.Has(transcript.Removed) {
			further[p.Caller-1] = append(further[p.Caller-1], int32(n))
		}
	}
	return further
}

// rename gives a tool call, and its results, an id of their own.
func (md *Mender) rename(at int, part int32, further []int32, place places, marks []mark) bool {
	p := &md.doc.T.Parts[part]
	id := md.doc.F.AppendID(nil, p.Msg, part, md.doc.T.Bytes(p.ID))
	if p.Pair >= 0 {
		other := place.of(md.doc.T.Parts[p.Pair].Msg)
		if other < 0 {
			return false
		}
		md.setID(p.Pair, id)
		marks[other] |= touched
	}
	for _, n := range further {
		if other := place.of(md.doc.T.Parts[n].Msg); other >= 0 {
			md.setID(n, id)
			marks[other] |= touched
		}
	}
	md.setID(part, id)
	for n := p.Copy; n > 0; n = md.doc.T.Parts[n-1].Copy {
		md.setID(n-1, id)
	}
	marks[at] |= touched
	return true
}

func (md *Mender) setID(part int32, id []byte) {
	p := &md.doc.T.Parts[part]
	span := md.doc.T.Write(id)
	if !p.ID.Zero() {
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
