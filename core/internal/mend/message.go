package mend

import (
	"cmp"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// dropCaller removes the caller of a tool call, so that the model itself is considered the caller.
func (md *Mender) dropCaller(part int32) {
	p := &md.doc.T.Parts[part]
	caller, _ := wire.CallerOf(md.doc.T.Bytes(p.Span))
	member := transcript.Span{Start: p.Span.Start + caller.Member.Start, End: p.Span.Start + caller.Member.End}
	md.doc.Splice(p.Msg, md.doc.Member(member, p.Span), transcript.Span{})
	p.Flags, p.Caller = p.Flags&^transcript.Called, 0
}

// think adds empty reasoning to message m. The provider requires it before the message's calls; the format's Think says
// where it belongs.
func (md *Mender) think(m int32) {
	msg := &md.doc.T.Messages[m]
	at, text := md.doc.F.Think(md.doc.T.Bytes(msg.Span))
	old := transcript.Span{Start: msg.Span.Start + at.Start, End: msg.Span.Start + at.End}
	md.doc.Splice(m, old, md.doc.T.WriteToArena([]byte(text)))
	msg.Reasoned = true
}

// replaceLone replaces each lone surrogate in message m with U+FFFD. Signed reasoning that contains one is removed,
// because its signature would no longer match. gone is true if the message had no other content.
func (md *Mender) replaceLone(m int32) (gone bool) {
	msg := &md.doc.T.Messages[m]
	text := md.doc.T.WriteToArena([]byte(jsonspan.Replacement))
	b := md.doc.T.Bytes(msg.Span)
	var signed []int32 // in the order of the messages, which differs from the order of all parts
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if p := &md.doc.T.Parts[n]; p.Kind == transcript.Reasoning && p.Has(transcript.Signed) {
			signed = append(signed, n)
		}
	}
	sorting.Func(signed, func(a, b int32) int {
		return cmp.Compare(md.doc.T.Parts[a].Span.Start, md.doc.T.Parts[b].Span.Start)
	})
	for _, at := range jsonspan.LoneSurrogates(b, transcript.Span{End: uint32(len(b))}) {
		at += msg.Span.Start
		for len(signed) > 0 && md.doc.T.Parts[signed[0]].Span.End <= at {
			signed = signed[1:]
		}
		if len(signed) > 0 && md.doc.T.Parts[signed[0]].Span.Start <= at {
			md.doc.TakePart(signed[0])
			gone = gone || md.doc.T.Parts[signed[0]].List == transcript.NoList
		}
		md.doc.Splice(m, transcript.Span{Start: at, End: at + text.End - text.Start}, text)
	}
	msg.Lone = false
	return gone
}
