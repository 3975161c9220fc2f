package wire

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// tellers contains the lists of a message that may contain its tool calls, in order of precedence. Lists in the same
// row have the same precedence.
var tellers = [...][]int8{
	{transcript.CallList, transcript.InvalidList}, {transcript.ContentList}, {transcript.RawList},
	{transcript.ChunkList}, {transcript.Member},
}

// findCopies finds tool calls that occur more than once among the parts, from index first on, of the current message.
// If several lists contain a call with the same id, the call in the list that comes first in tellers is the original;
// the others are copies, which share its id and are removed with it. A call that only the content contains is an
// original too. If the message has calls in an earlier list, other lists aren't sent; a call that occurs only there is
// attached to the last call of the earlier list, because it would be sent if that list had no calls.
func (r *Reader) findCopies(first int) {
	parts := r.T.Parts[first:]
	if !toldTwice(parts) {
		return
	}
	var calls critbit.Map[[]int] // for each id, or "" if a call has none: the indexes of the parts
	last := -1                   // the last call of the earlier lists
	for n := range tellers {
		var seen critbit.Map[int] // for each id, the number of copies that this list has already used
		var fresh []int
		for i := range parts {
			p := &parts[i]
			if tellerOf(p) != n {
				continue
			}
			id := jsonspan.Text(r.Src(), p.ID)
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
			default: // not sent while there are calls in other lists
				p.ID = jsonspan.Span{}
			}
			markAsCopy(p)
			p.Copy = parts[of].Copy
			parts[of].Copy = int32(first+i) + 1
		}
		for _, i := range fresh {
			last = i
			same := calls.At(jsonspan.Text(r.Src(), parts[i].ID))
			*same = append(*same, i)
		}
	}
}

// toldTwice reports whether more than one of the lists in tellers contains calls.
func toldTwice(parts []transcript.Part) bool {
	one := -1
	for i := range parts {
		n := tellerOf(&parts[i])
		if n >= 0 && one >= 0 && n != one {
			return true
		}
		one = max(one, n)
	}
	return false
}

// tellerOf returns the index in tellers of the list that contains a part, if the part is an application's tool call;
// otherwise -1.
func tellerOf(p *transcript.Part) int {
	if p.Kind != transcript.ToolCall || p.Parent >= 0 || p.Has(transcript.Server) {
		return -1
	}
	for n := range tellers {
		if slices.Contains(tellers[n], p.List) {
			return n
		}
	}
	return -1
}

// markAsCopy marks a tool call as a copy, which has no cost and isn't content.
func markAsCopy(p *transcript.Part) {
	p.Kind, p.Flags, p.Size, p.NameSz = transcript.Opaque, transcript.NotSent|transcript.Mark, jsonspan.Measure{},
		jsonspan.Measure{}
	p.Body, p.Name = jsonspan.Span{}, jsonspan.Span{}
}
