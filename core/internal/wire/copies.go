package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// tellers are the lists of a message that may tell of its tool calls, the one that counts first.
var tellers = [...][]int8{
	{transcript.CallList, transcript.InvalidList}, {transcript.ContentList}, {transcript.RawList}, {transcript.ChunkList}, {transcript.Member},
}

// copies finds the tool calls of the message being read that it describes more than once, in its parts from index first on. The first list
// that has a call counts; what the others say of a call with its id is a copy, which goes with it and shares its id. A call in the content
// that is in no other list counts too. In other lists it is read by nobody where there are calls before it, and goes with the last of these:
// when they are gone, it would be read.
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
			default: // read by nobody while there are others
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

// teller is the index in tellers of the list in which a part describes a call of the application's tools; -1 for other parts.
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

// beside makes a tool call one that is reported elsewhere: it costs nothing, and is no content.
func beside(p *transcript.Part) {
	p.Kind, p.Flags, p.Size, p.NameSz = transcript.Opaque, transcript.Free|transcript.Mark, jsonspan.Measure{}, jsonspan.Measure{}
	p.Body, p.Name = jsonspan.Span{}, jsonspan.Span{}
}
