package mend

import (
	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// dropBoundReasoning takes signed reasoning out of the messages from an item on, where the provider binds it to what precedes it: in all
// turns after the change, since what is left of one that lost some would be refused (AN9), or because it would only cost tokens: the
// provider leaves it out itself (OR9). A pin does not keep what would be refused: that helps nobody.
func (md *Mender) dropBoundReasoning(from int) {
	md.StripReasoning(from, len(md.doc.Items), "reasoning", md.doc.F.Rules.Bound, func(p *transcript.Part) bool { return p.Has(transcript.Bound) })
}

// dropReasoning takes a part with reasoning out, or the text in it where its message must have some (OC9). It reports whether there was
// anything.
func (md *Mender) dropReasoning(part int32) bool {
	p := &md.doc.T.Parts[part]
	if !p.Has(transcript.Demanded) {
		md.doc.TakePart(part)
		return true
	}
	if p.Size.Bytes == 0 {
		return false
	}
	md.doc.SetBody(part, []byte(`""`), transcript.Measure{})
	p.Flags |= transcript.Free
	return true
}

// neededByPins are the items that are joined to a pinned one after them: without them it would not be valid as it is.
func (md *Mender) neededByPins() map[int]bool {
	needed := map[int]bool{}
	pinned := false // whether what the next item before this one may be joined to is pinned or needed
	for i := len(md.doc.Items) - 1; i >= 0; i-- {
		if pinned = pinned && md.doc.T.Messages[md.doc.Items[i].Msg].Joined; pinned {
			needed[i] = true
		}
		pinned = pinned || md.doc.Items[i].Pinned
	}
	return needed
}

// StripReasoning removes the reasoning parts for which which is true from the input's messages at [from, to). A message
// that was nothing else goes too.
func (md *Mender) StripReasoning(from, to int, pass api.Doer, rule string, which func(p *transcript.Part) bool) {
	empty := map[int]bool{}
	needed := md.neededByPins()
	for i := from; i < to; i++ {
		it := &md.doc.Items[i]
		msg := &md.doc.T.Messages[it.Msg]
		if it.In < 0 || it.Pinned && rule != "AN9" || needed[i] || msg.Role != transcript.Assistant {
			continue
		}
		before, left, stripped := md.doc.Total, false, false
		for n := msg.First; n < msg.First+msg.Count; n++ {
			p := &md.doc.T.Parts[n]
			switch {
			case p.Has(transcript.Removed) || p.Parent >= 0:
			case p.Kind == transcript.Reasoning && !p.Has(transcript.Tied) && which(p):
				if md.dropReasoning(n) {
					stripped = true
					if md.report.Thinking != nil && IsBound(p) {
						md.report.Thinking.Stripped++
					}
				}
			default:
				left = true
			}
		}
		if stripped {
			md.doc.Remeasure(i)
			md.report.Act(api.Action{Action: api.ActionStrip, Pass: pass, Message: int(it.In), Tokens: before - md.doc.Total, Rule: rule})
			empty[i] = !left
		}
	}
	md.doc.Remove(func(i int) bool { return empty[i] })
}
