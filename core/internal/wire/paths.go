package wire

import (
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Paths returns the JSON paths of violations. It scans each message at most once, no matter how many of its parts break
// a rule.
type Paths struct {
	F  *Format                // the transcript's format
	T  *transcript.Transcript // the transcript with the violations
	at []int32                // for each part of the last scanned message: its index in its list, plus one
}

// Of returns the path of a violation: the index of the message in the list and, if the part is in a list of the
// message, the key of that list and the index of the part in it.
func (p *Paths) Of(v *Violation) string {
	path := "[" + strconv.Itoa(int(v.Message)) + "]"
	if v.Part < 0 {
		return path
	}
	part := v.Part
	if p.T.Parts[part].List == transcript.Shared {
		part = p.T.Parts[part].Pair
	}
	at := p.T.Parts[part].List
	if at < 0 {
		return path
	}
	list := [...]string{transcript.ContentList: "content", transcript.CallList: "tool_calls",
		transcript.InvalidList: "invalid_tool_calls",
		transcript.RawList:     "additional_kwargs.tool_calls", transcript.ChunkList: "tool_call_chunks"}
	if p.F.Parts != "" {
		list[transcript.ContentList] = p.F.Parts
	}
	if p.F.Calls != "" {
		list[transcript.CallList] = p.F.Calls
	}
	if p.at == nil {
		p.at = make([]int32, len(p.T.Parts))
	}
	if p.at[part] == 0 {
		p.count(p.T.Parts[part].Msg)
	}
	if s := p.T.Messages[v.Message].Spelling; int(s) < len(p.F.Within) && p.F.Within[s] != "" {
		path += "." + p.F.Within[s]
	}
	return path + "." + list[at] + "[" + strconv.Itoa(int(p.at[part]-1)) + "]"
}

// count numbers the parts of message m within their lists, from 1. The lists inside tool results are numbered
// separately.
func (p *Paths) count(m int32) {
	var own, inner [transcript.Lists]int32
	parent := int32(-1)
	first := p.T.Messages[m].First
	for i, part := range p.T.PartsOf(int(m)) {
		counts := &own
		if part.Parent >= 0 {
			if counts = &inner; part.Parent != parent {
				parent, inner = part.Parent, [transcript.Lists]int32{}
			}
		}
		if part.List >= 0 {
			counts[part.List]++
			p.at[first+int32(i)] = counts[part.List]
		}
	}
}
