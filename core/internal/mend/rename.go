package mend

import (
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// further returns, by the parts of calls, the results that they have besides their paired one.
func (c *Run) further() map[int32][]int32 {
	further := map[int32][]int32{}
	for n := range c.T.Parts {
		if p := &c.T.Parts[n]; p.Kind == transcript.ToolResult && p.Has(transcript.Continues) && p.Caller > 0 && !p.Has(transcript.Removed) {
			further[p.Caller-1] = append(further[p.Caller-1], int32(n))
		}
	}
	return further
}

// rename gives a tool call, and its results, a unique id.
func (c *Run) rename(at int, part int32, further []int32, place places, marks []mark) bool {
	p := &c.T.Parts[part]
	id := c.F.AppendID(nil, p.Msg, part, c.T.Bytes(p.ID))
	if p.Pair >= 0 {
		other := place.of(c.T.Parts[p.Pair].Msg)
		if other < 0 {
			return false
		}
		c.setID(p.Pair, id)
		marks[other] |= touched
	}
	for _, n := range further {
		if other := place.of(c.T.Parts[n].Msg); other >= 0 {
			c.setID(n, id)
			marks[other] |= touched
		}
	}
	c.setID(part, id)
	for n := p.Copy; n > 0; n = c.T.Parts[n-1].Copy {
		c.setID(n-1, id)
	}
	marks[at] |= touched
	return true
}

func (c *Run) setID(part int32, id []byte) {
	p := &c.T.Parts[part]
	span := c.T.Write(id)
	if !p.ID.Zero() {
		source, renamed := c.renamed[p.ID.Key()]
		if !renamed {
			source = c.SourceOf(p.ID)
		}
		if c.renamed == nil {
			c.renamed = map[uint64]transcript.Span{}
		}
		c.renamed[span.Key()] = source
		c.Splice(p.Msg, source, span)
	}
	p.ID = span
}
