package mend

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// dropBoundReasoning removes signed reasoning from the messages after an item if the provider binds it to what precedes it. It removes it
// from all turns after the change, because a turn that lost some of it would be refused (AN9), or because it would only cost tokens: the
// provider drops it itself (OR9). Pinned messages are no exception, because a refused request helps nobody.
func (c *Run) dropBoundReasoning(from int) {
	c.StripReasoning(from, len(c.Items), "reasoning", c.F.Rules.Bound, func(p *transcript.Part) bool { return p.Has(transcript.Bound) })
}

// dropReasoning removes a part with reasoning, or only its text if the message must have some (OC9). It reports whether there was anything
// to remove.
func (c *Run) dropReasoning(part int32) bool {
	p := &c.T.Parts[part]
	if !p.Has(transcript.Demanded) {
		c.TakePart(part)
		return true
	}
	if p.Size.Bytes == 0 {
		return false
	}
	c.SetBody(part, []byte(`""`), transcript.Measure{})
	p.Flags |= transcript.Free
	return true
}

// neededByPins returns the items that are joined to a pinned one after them, which would be invalid without them.
func (c *Run) neededByPins() map[int]bool {
	needed := map[int]bool{}
	pinned := false // whether the item that the previous one may be joined to is pinned or needed
	for i := len(c.Items) - 1; i >= 0; i-- {
		if pinned = pinned && c.T.Messages[c.Items[i].Msg].Joined; pinned {
			needed[i] = true
		}
		pinned = pinned || c.Items[i].Pinned
	}
	return needed
}

// StripReasoning removes the reasoning parts for which which returns true from the input's messages in [from, to), and messages that were
// nothing else.
func (c *Run) StripReasoning(from, to int, pass api.Doer, rule string, which func(p *transcript.Part) bool) {
	empty := map[int]bool{}
	needed := c.neededByPins()
	for i := from; i < to; i++ {
		it := &c.Items[i]
		msg := &c.T.Messages[it.Msg]
		if it.In < 0 || it.Pinned && rule != "AN9" || needed[i] || msg.Role != transcript.Assistant {
			continue
		}
		before, left, stripped := c.Total, false, false
		for n := msg.First; n < msg.First+msg.Count; n++ {
			p := &c.T.Parts[n]
			switch {
			case p.Has(transcript.Removed) || p.Parent >= 0:
			case p.Kind == transcript.Reasoning && !p.Has(transcript.Tied) && which(p):
				if c.dropReasoning(n) {
					stripped = true
					if c.Report.Thinking != nil && IsBound(p) {
						c.Report.Thinking.Stripped++
					}
				}
			default:
				left = true
			}
		}
		if stripped {
			c.Remeasure(i)
			c.Act(api.Action{Action: api.ActionStrip, Pass: pass, Message: int(it.In), Tokens: before - c.Total, Rule: rule})
			empty[i] = !left
		}
	}
	c.Remove(func(i int) bool { return empty[i] })
}
