package wire

import (
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// linkApprovals pairs each approval from part index from on with its request, and joins the
// messages between them so that they stay or go together.
func linkApprovals(t *transcript.Transcript, from int) {
	// For each approval id, the index plus one of its open request since the newest user or system message; 0 if none.
	var asked critbit.Map[int32]
	var joins map[int32]int // the number of joined ranges that begin (positive) or end (negative) at a message
	last := int32(-1)
	for i := from; i < len(t.Parts); i++ {
		p := &t.Parts[i]
		if p.Msg != last {
			last = p.Msg
			if role := t.Messages[last].Role; role == transcript.User || role == transcript.System {
				asked = critbit.Map[int32]{}
			}
		}
		if !isApproval(p) {
			continue
		}
		open := asked.At(t.Text(p.ID))
		switch request := *open - 1; {
		case !p.Body.IsZero():
			*open = int32(i) + 1
		case request >= 0:
			*open = 0
			p.Pair, t.Parts[request].Pair = request, int32(i)
			if joins == nil {
				joins = map[int32]int{}
			}
			joins[t.Parts[request].Msg]++
			joins[p.Msg]--
		}
	}
	if joins != nil {
		joinRanges(t, joins)
	}
}

// isApproval reports whether a part is a request to approve a tool call, or the user's response to one. The body of a
// request is the id of the call; a response has none.
func isApproval(p *transcript.Part) bool {
	return p.Kind == transcript.Opaque && p.Parent < 0 && !p.ID.IsZero()
}

// joinRanges marks all but the last message of each range as joined. joins has, by message, the ranges that begin minus
// those that end.
func joinRanges(t *transcript.Transcript, joins map[int32]int) {
	open := 0
	for m := range t.Messages {
		if open += joins[int32(m)]; open > 0 {
			t.Messages[m].Joined = true
		}
	}
}

// checkApprovals reports violations of AM4: a request must be in its call's message; a response needs its request.
func checkApprovals(c *Checker) {
	t, last := c.T, int32(-1)
	var calls *critbit.Map[struct{}] // the ids of the calls in the message, if they are known
	for n, p := range c.parts {
		if p.Msg != last {
			last, calls = p.Msg, nil
		}
		switch {
		case !isApproval(p):
		case !p.Body.IsZero():
			if calls == nil {
				calls = callIDs(t, int(p.Msg))
			}
			if !calls.Has(t.Text(p.Body)) {
				c.Add("AM4", p.Msg, n, DropPart, "this approval request is for no tool call of its message")
			}
		case p.Pair < 0 || t.Parts[p.Pair].Has(transcript.Removed) || c.place[t.Parts[p.Pair].Msg] < 0:
			c.Add("AM4", p.Msg, n, DropPart, "this answers no approval request")
		}
	}
}

func callIDs(t *transcript.Transcript, m int) *critbit.Map[struct{}] {
	ids := new(critbit.Map[struct{}])
	for _, p := range t.PartsOf(m) {
		if p.Kind == transcript.ToolCall && !p.ID.IsZero() && !p.Has(transcript.Removed) {
			ids.Add(t.Text(p.ID))
		}
	}
	return ids
}
