package mend

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// dropBoundReasoning removes signed reasoning from the messages after an item if the provider binds reasoning to
// everything before it. It removes the reasoning of all turns after the change, because a turn that lost only some of
// its reasoning would be rejected (AN9), or because the provider itself drops the reasoning and keeping it would only
// cost tokens (OR9). Pinned messages are no exception where the request would fail otherwise.
func (md *Mender) dropBoundReasoning(from int) {
	md.StripReasoning(from, len(md.doc.Items), "reasoning", md.doc.F.Rules.Bound, func(p *transcript.Part) bool {
		return p.Has(transcript.Bound)
	})
}

// dropReasoning removes a reasoning part, or only its text if the message must have a reasoning part (OC9). It
// returns false if there was nothing to remove.
func (md *Mender) dropReasoning(part int32) bool {
	p := &md.doc.T.Parts[part]
	if !p.Has(transcript.Required) {
		md.doc.TakePart(part)
		return true
	}
	if p.Size.Bytes == 0 {
		return false
	}
	md.doc.SetBody(part, []byte(`""`), transcript.Measure{})
	p.Flags |= transcript.NotSent
	return true
}

// neededByPins returns the indexes of the items that a later, pinned item needs to be valid.
func (md *Mender) neededByPins() map[int]bool {
	needed := map[int]bool{}
	pinned := false // whether the item after the current one is pinned or needed
	for i := len(md.doc.Items) - 1; i >= 0; i-- {
		if pinned = pinned && md.doc.T.Messages[md.doc.Items[i].Msg].Joined; pinned {
			needed[i] = true
		}
		pinned = pinned || md.doc.Items[i].Pinned
	}
	return needed
}

// StripReasoning removes from the input's messages in [from, to) the reasoning parts that satisfy which. It also
// removes messages that had no other content. It skips messages that a pinned one needs and, unless rule is set and the
// provider refuses such reasoning, pinned messages.
func (md *Mender) StripReasoning(from, to int, pass api.Doer, rule string, which func(p *transcript.Part) bool) {
	empty := map[int]bool{}
	needed := md.neededByPins()
	refused := rule != "" && md.doc.F.Rules.RefusesThinking()
	for i := from; i < to; i++ {
		it := &md.doc.Items[i]
		if it.In < 0 || it.Pinned && !refused || needed[i] || md.doc.T.Messages[it.Msg].Role != transcript.Assistant {
			continue
		}
		if stripped, left := md.stripMessage(it.Msg, which); stripped {
			before := md.doc.Total
			md.doc.Remeasure(i)
			md.report.AddAction(api.Action{Action: api.ActionStrip, Pass: pass, Message: int(it.In),
				Tokens: before - md.doc.Total, Rule: rule})
			empty[i] = !left
		}
	}
	md.doc.Remove(func(i int) bool { return empty[i] })
}

// stripMessage removes the reasoning parts of message m for which which returns true. stripped is
// true if there were any, and left if the message has other content.
func (md *Mender) stripMessage(m int32, which func(p *transcript.Part) bool) (stripped, left bool) {
	for n, p := range md.doc.T.OuterParts(&md.doc.T.Messages[m]) {
		switch {
		case p.Kind != transcript.Reasoning || p.Has(transcript.Tied) || !which(p):
			left = true
		case md.dropReasoning(n):
			stripped = true
			if md.report.Thinking != nil && IsBound(p) {
				md.report.Thinking.Stripped++
			}
		}
	}
	return stripped, left
}
