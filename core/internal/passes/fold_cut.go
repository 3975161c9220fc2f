package passes

import (
	"github.com/ctxfold/ctxfold/core/internal/summary"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// tailStart returns the cut and the step at which the tail begins; the step is -1 if the tail
// begins with a whole item. These are the results of [FoldPass.Cut], or later ones if the result
// would exceed its limit with that tail. The last group stays unless there should be no tail at
// all.
func (f *folding) tailStart() (cut int, step int32) {
	if f.mode == forAll {
		return len(f.doc.Items), -1
	}
	keep := f.mostKept(f.pass)
	cut, step = f.pass.Cut(f.run, f.groups, keep)
	if left := f.leftForTail(cut); left < keep && f.run.Target() > 0 && !f.run.Policy().HasOwnPasses() {
		cut, step = f.pass.Cut(f.run, f.groups, left)
	}
	if !f.run.MustFit() {
		return cut, step
	}
	fixed := f.fixedTokens(cut)
	if over := fixed + f.doc.Tokens(cut, len(f.doc.Items)); cut == 0 && f.doc.Total > f.most || cut > 0 && over > f.most {
		less := &FoldPass{KeepTokens: max(1, min(f.most-fixed, f.run.Target()/2)), Boundary: "group", KeepLast: true}
		if at, part := less.Cut(f.run, f.groups, f.mostKept(less)); at > cut || at == cut && part > step {
			cut, step = at, part
		}
	}
	// The rest of a message that was split can't be folded.
	if step >= 0 && !f.doc.T.OpenCalls(int(f.doc.Items[cut].Msg)) && uncut(f.doc, cut, step) > min(f.most-fixed, f.most/2) {
		step = -1
	}
	return cut, step
}

// shortenTail cuts the longest results in the tail if the tail leaves the digest too little room (see leftForTail). This
// can happen because the last group is kept, however large it is.
func (f *folding) shortenTail() {
	if f.mode != forPolicy || !f.run.MustFit() || f.run.Policy().IsPublished() || f.doc.Total <= f.most || f.cut == 0 {
		return
	}
	r := newResort(f.run, f.most)
	r.from, r.part = f.cut, f.step
	if over := f.doc.Tokens(f.cut, len(f.doc.Items)) - max(r.gentle(), f.leftForTail(f.cut)); over > 0 {
		r.cutAll(loose, isResult, r.gentle(), f.doc.Total-over)
	}
}

// fixedTokens returns the size in tokens of the result without the tail, which begins at cut. This is the size of the
// messages that must stay and of the rest of the request body, plus an estimate for the digest.
func (f *folding) fixedTokens(cut int) int {
	fixed := f.stayingTokens(cut)
	gain := f.doc.Total - fixed - f.doc.Tokens(cut, len(f.doc.Items))
	return fixed + min(f.run.Policy().Summary.MaxOutputTokens, gain/4, max(256, f.run.Target()/4)) + summary.Frame
}

// stayingTokens returns the size in tokens of the messages before cut that must stay and of the rest of the request
// body.
func (f *folding) stayingTokens(cut int) int {
	sum := f.doc.Total - f.doc.Tokens(0, len(f.doc.Items))
	for i := range f.doc.Items[:cut] {
		if f.stays[i] {
			sum += f.doc.Items[i].Tokens
		}
	}
	return sum
}

// uncut returns the number of tokens of an item that the last resort can't cut. It ignores the parts before index from.
func uncut(doc *view.View, item int, from int32) (sum int) {
	msg := &doc.T.Messages[doc.Items[item].Msg]
	for n := from; n < msg.First+msg.Count; n++ {
		if p := &doc.T.Parts[n]; p.Parent < 0 && (p.Has(transcript.Server) || p.Kind != transcript.ToolResult && p.Kind != transcript.Text) {
			sum += doc.P.Parts(doc.T, doc.T.Parts[n:int(n)+1+len(doc.T.InnerParts(int(n)))])
		}
	}
	return sum
}

// mostKept returns the maximum size in tokens of the tail of pass p. Two things limit it: the pass's KeepTokens, and half
// of the target or, in a chat without tool calls whose digest is written without a model, the smaller share
// [summary.ChatTail]. Without a target, only KeepTokens does.
func (f *folding) mostKept(p *FoldPass) int {
	target := f.run.Target()
	if target <= 0 {
		return p.KeepTokens
	}
	most := target / 2
	if (f.mode != forPolicy || f.run.Policy().UsesLocalDigest()) && f.run.Summary().HasNoToolCalls() {
		most = target * summary.ChatTail / 100
	}
	return min(p.KeepTokens, max(1, most))
}

// leftForTail returns the maximum size in tokens of a tail that begins at cut or later and leaves the digest enough
// room. This is half of the room that the messages which must stay leave of the target, or a quarter of the room that
// they leave of the limit if that is more. If the policy has passes of its own, it is half of what the target leaves for
// messages.
func (f *folding) leftForTail(cut int) int {
	if f.run.Policy().HasOwnPasses() {
		return (min(f.most, f.run.Target()) - f.stayingTokens(0)) / 2
	}
	fixed := f.stayingTokens(cut)
	return max(1, (f.run.Target()-fixed)/2, (f.most-fixed)/4)
}

// Cut returns the place at which the tail begins. The tail has at most keep tokens, unless the pass counts messages
// instead (KeepMessages) or always keeps the last group (KeepLast), the policy forces a cut, or not even the last group
// fits. cut is the index of the first item of a group: 0 if all items stay, and the number of items if none does. step
// is the part of that item at which the tail begins, or -1 if the tail begins with the whole item.
func (p *FoldPass) Cut(c Run, groups []int32, keep int) (cut int, step int32) {
	n, force := len(c.Doc().Items), c.Policy().Force
	switch {
	case c.Policy().IsBranchScope():
		return n, -1
	case p.Boundary == "backward" || p.Boundary == "message" && p.KeepTokens == 0: // whole groups (S2.13)
		return max(0, AdjustBoundary(n, n-p.KeepMessages, func(i int) bool { return groups[i] == groups[i-1] })), -1
	case p.ForceTurn && force:
		cut, step = lastTurn(c, groups), -1
	default:
		t := tail{run: c, doc: c.Doc(), groups: groups, cut: n, step: -1}
		t.fill(keep)
		switch {
		case t.cut == n && p.KeepLast:
			t.keepLast()
		case t.cut == n:
			t.cut = 0
		case p.Boundary == "turn":
			t.toTurn()
		}
		cut, step = t.cut, t.step
	}
	if cut == 0 && p.Boundary == "forward" && force { // cut at the last group that leaves something to fold (S1.13)
		return ForceCutPoint(n, func(i int) bool { return i > 0 && groups[i] == groups[i-1] }), -1
	}
	return cut, step
}

// tail is the range of newest items that a fold keeps.
type tail struct {
	run    Run        // the compaction
	doc    *view.View // the document of the items
	groups []int32    // by item, the number of its group
	cut    int        // the index of the first item in the tail
	step   int32      // the part of that item at which the tail begins, or -1
	tokens int        // the size of the tail
}

// starts reports whether item i is the first of a group.
func (t *tail) starts(i int) bool {
	return i == len(t.groups) || i == 0 || t.groups[i] != t.groups[i-1]
}

// alone reports whether item i is the only item in its group and can be divided.
func (t *tail) alone(i int) bool { return t.starts(i) && t.starts(i+1) && !t.doc.Items[i].Pinned }

// fill adds whole groups, newest first, and then as many steps of the next older message as fit into keep tokens.
func (t *tail) fill(keep int) {
	sum := 0
	for i := len(t.doc.Items) - 1; i >= 0; i-- {
		if sum += t.doc.Items[i].Tokens; sum > keep {
			if t.cut == i+1 && t.alone(i) {
				if s, size := lastSteps(t.doc, i, keep-t.tokens); s >= 0 {
					t.cut, t.step, t.tokens = i, s, t.tokens+size
				}
			}
			return
		}
		if t.starts(i) {
			t.cut, t.tokens = i, sum
		}
	}
}

// keepLast makes the last group the tail, or only the last step of that group if it is a single message.
func (t *tail) keepLast() {
	for t.cut--; t.cut > 0 && !t.starts(t.cut); t.cut-- {
	}
	if t.cut = max(t.cut, 0); t.alone(t.cut) {
		t.step, _ = lastSteps(t.doc, t.cut, -1)
	}
}

// toTurn moves the beginning of the tail forward to the beginning of a user turn, unless that would remove more than
// three quarters of the tail's tokens.
func (t *tail) toTurn() {
	rest := t.tokens
	for i := t.cut; i < len(t.doc.Items) && rest*4 >= t.tokens; i++ {
		if t.starts(i) && beginsTurn(t.run, i) {
			t.cut, t.step = i, -1
			return
		}
		if i > t.cut || t.step < 0 {
			rest -= t.doc.Items[i].Tokens
		}
	}
}

// beginsTurn reports whether item i begins a user turn.
func beginsTurn(c Run, i int) bool {
	doc := c.Doc()
	m := doc.Items[i].Msg
	return doc.T.Messages[m].Role == transcript.User && doc.T.HasUserText(int(m)) && !c.Authors().IsOwn(m)
}

// lastTurn returns the index of the group that contains the beginning of the newest user turn, or 0 if there is none.
func lastTurn(c Run, groups []int32) int {
	at := LastUserTurn(len(groups), func(i int) bool { return beginsTurn(c, i) })
	for at > 0 && groups[at] == groups[at-1] {
		at--
	}
	return max(at, 0)
}

// lastSteps returns the part at which the newest steps of an item begin that fit into room, and the size of these steps
// in tokens. part is -1 if no step fits. It never returns the first part of the item or a part after an open tool call
// (see lastStart). If room is negative, it takes just the newest step, regardless of its size.
func lastSteps(doc *view.View, item, room int) (part int32, tokens int) {
	part = -1
	msg := &doc.T.Messages[doc.Items[item].Msg]
	sum, end := doc.P.Framing[msg.Role], msg.First+msg.Count
	latest := lastStart(doc, item)
	caller := end // calls made by a provider's tool stay with the call of that tool
	for n := end - 1; n > msg.First; n-- {
		if by := doc.T.Parts[n].Caller; by > 0 {
			caller = min(caller, by-1)
		}
		if !doc.T.Parts[n].Has(transcript.Step) {
			continue
		}
		sum += doc.P.Parts(doc.T, doc.T.Parts[n:end])
		end = n
		switch {
		case room >= 0 && sum > room:
			return part, tokens
		case n > latest || n > caller:
		case room < 0:
			return n, sum
		default:
			part, tokens = n, sum
		}
	}
	return part, tokens
}

// lastStart returns the last part of an item at which a tail may begin. A tail may not begin after the first open tool
// call or after the newest words of the user.
func lastStart(doc *view.View, item int) int32 {
	msg := &doc.T.Messages[doc.Items[item].Msg]
	last := msg.First + msg.Count
	for n := last - 1; n >= msg.First; n-- {
		p := &doc.T.Parts[n]
		if p.Kind == transcript.ToolCall && p.Pair < 0 && !p.Has(transcript.Removed|transcript.Server) {
			last = n
		}
	}
	if said := doc.Items[item].Said; said > 0 {
		last = min(last, said-1)
	}
	return last
}

// cutTurn returns the index, among the messages to fold, of the message that begins the turn continued by the tail. It
// returns -1 if the tail begins a new turn.
func (f *folding) cutTurn() int {
	authors := f.run.Authors()
	user := func(i int) bool {
		return IsUser(f.doc.T, int(f.doc.Items[i].Msg)) && !authors.IsOwn(f.doc.Items[i].Msg)
	}
	if !IsSplitTurn(len(f.doc.Items), f.cut, user) {
		return -1
	}
	at := 0
	for i := range f.doc.Items[:TurnStart(f.cut, user)] {
		if !f.stays[i] && authors.Summarizable(f.doc.Items[i].Msg) {
			at++
		}
	}
	return at
}
