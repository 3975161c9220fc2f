package mend

import (
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// further are the results that calls have besides the one that they are paired with, by the parts of the calls.
func (c *Run) further() map[int32][]int32 {
	further := map[int32][]int32{}
	for n := range c.T.Parts {
		if p := &c.T.Parts[n]; p.Kind == transcript.ToolResult && p.Has(transcript.Continues) && p.Caller > 0 && !p.Has(transcript.Removed) {
			further[p.Caller-1] = append(further[p.Caller-1], int32(n))
		}
	}
	return further
}

// rename gives a tool call, and its results, an id of their own.
func (c *Run) rename(at int, part int32, further []int32, place map[int32]int, touched map[int]bool) bool {
	p := &c.T.Parts[part]
	id := c.F.AppendID(nil, p.Msg, part, c.T.Bytes(p.ID))
	if p.Pair >= 0 {
		other, ok := place[c.T.Parts[p.Pair].Msg]
		if !ok {
			return false
		}
		c.setID(p.Pair, id)
		touched[other] = true
	}
	for _, n := range further {
		if other, ok := place[c.T.Parts[n].Msg]; ok {
			c.setID(n, id)
			touched[other] = true
		}
	}
	c.setID(part, id)
	for n := p.Copy; n > 0; n = c.T.Parts[n-1].Copy {
		c.setID(n-1, id)
	}
	touched[at] = true
	return true
}

func (c *Run) setID(part int32, id []byte) {
	p := &c.T.Parts[part]
	span := c.T.Write(id)
	if !p.ID.Zero() {
		c.Splice(p.Msg, c.SourceOf(p.ID), span)
	}
	p.ID = span
}
