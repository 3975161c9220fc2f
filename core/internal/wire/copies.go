package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// tellers are the lists of a message that may contain its tool calls, in order of precedence.
var tellers = [...][]int8{
	{transcript.CallList, transcript.InvalidList}, {transcript.ContentList}, {transcript.RawList}, {transcript.ChunkList}, {transcript.Member},
}

// copies finds tool calls that the message being read contains more than once, in its parts from index first on. If several lists hold a
// call with one id, the call in the list that comes first in tellers counts, and the others are copies, which share its id and are removed
// with it. Even a call that only the content holds counts. Other lists are not read if calls precede them, so a call that only they hold is
// attached to the last of those calls: without these it would be read.
func (r *Reader) copies(first int) {
	parts := r.T.Parts[first:]
	told := [len(tellers)]bool{}
	several := 0
	for i := range parts {
		if n := teller(&parts[i]); n >= 0 && !told[n] {
			told[n] = true
			several++
		}
	}
	if several < 2 {
		return
	}
	var calls critbit.Map[[]int] // by id, "" for none: indexes of parts
	last := -1                   // the last call of the lists before
	for n := range tellers {
		var seen critbit.Map[int] // by id, how many copies this list has reported
		var fresh []int
		for i := range parts {
			p := &parts[i]
			if teller(p) != n {
				continue
			}
			id := ""
			if !p.ID.Zero() {
				id = jsonspan.Text(r.Src(), p.ID)
			}
			same, _ := calls.Get(id)
			k, _ := seen.Get(id)
			of := last
			switch {
			case k < len(same):
				seen.Set(id, k+1)
				of = same[k]
			case last < 0 || tellers[n][0] == transcript.ContentList:
				fresh = append(fresh, i)
				continue
			default: // not read while there are others
				p.ID = jsonspan.Span{}
			}
			beside(p)
			p.Copy = parts[of].Copy
			parts[of].Copy = int32(first+i) + 1
		}
		for _, i := range fresh {
			last = i
			id := ""
			if !parts[i].ID.Zero() {
				id = jsonspan.Text(r.Src(), parts[i].ID)
			}
			same := calls.At(id)
			*same = append(*same, i)
		}
	}
}

// teller returns the index in tellers of the list in which a part is an application's tool call; -1 for other parts.
func teller(p *transcript.Part) int {
	if p.Kind != transcript.ToolCall || p.Parent >= 0 || p.Has(transcript.Server) {
		return -1
	}
	for n := range tellers {
		for _, list := range tellers[n] {
			if list == p.List {
				return n
			}
		}
	}
	return -1
}

// beside marks a tool call as a copy, which costs nothing and isn't content.
func beside(p *transcript.Part) {
	p.Kind, p.Flags, p.Size, p.NameSz = transcript.Opaque, transcript.NotSent|transcript.Mark, jsonspan.Measure{}, jsonspan.Measure{}
	p.Body, p.Name = jsonspan.Span{}, jsonspan.Span{}
}
