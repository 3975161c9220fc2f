package passes

import "github.com/ctxfold/ctxfold/core/internal/transcript"

// further returns where the tail begins: at cut, or later if the result would otherwise exceed its limit. The last group stays unless there
// should be no tail at all.
func (p *FoldPass) further(c *Run, held []bool, groups []int32, why foldFor) (cut int, step int32) {
	if why == forAll {
		return len(c.Items), -1
	}
	cut, step = p.Cut(c, groups, p.mostKept(c))
	if !c.Bounded() {
		return cut, step
	}
	fixed, gain := c.Total-c.Tokens(0, len(c.Items)), 0
	for i := range c.Items[:cut] {
		if held[i] {
			fixed += c.Items[i].Tokens
		} else {
			gain += c.Items[i].Tokens
		}
	}
	fixed += c.digestRoom(gain)
	defer func() {
		// The rest of a message that was split can't be folded.
		if step >= 0 && !c.T.OpenCalls(int(c.Items[cut].Msg)) && c.uncut(cut, step) > min(c.Most()-fixed, c.Most()/2) {
			step = -1
		}
	}()
	tail := c.Tokens(cut, len(c.Items))
	if cut == 0 && c.Total <= c.Most() || cut > 0 && fixed+tail <= c.Most() {
		return cut, step
	}
	less := FoldPass{KeepTokens: max(1, min(c.Most()-fixed, c.Target/2)), Boundary: "group", KeepLast: true}
	if at, part := less.Cut(c, groups, less.mostKept(c)); at > cut || at == cut && part > step {
		return at, part
	}
	return cut, step
}

// uncut returns the tokens in an item, from a part on, that the last resort can't cut.
func (c *Run) uncut(item int, from int32) (sum int) {
	msg := &c.T.Messages[c.Items[item].Msg]
	for n := from; n < msg.First+msg.Count; n++ {
		if p := &c.T.Parts[n]; p.Parent < 0 && (p.Has(transcript.Server) || p.Kind != transcript.ToolResult && p.Kind != transcript.Text) {
			sum += c.P.Parts(c.T, c.T.Parts[n:int(n)+1+len(c.T.Inner(int(n)))])
		}
	}
	return sum
}

// digestRoom estimates the tokens of a digest message for items of gain tokens.
func (c *Run) digestRoom(gain int) int {
	return min(c.Policy.Summary.MaxOutputTokens, gain/4, max(256, c.Target/4)) + digestFrame
}

// digestFrame is roughly how many tokens a digest message has besides its digest.
const digestFrame = 60

// mostKept returns how many tokens the tail may have: at most half of the target.
func (p *FoldPass) mostKept(c *Run) int {
	if c.Target <= 0 {
		return p.KeepTokens
	}
	most := c.Target / 2
	if c.Policy.Local() && c.chats() {
		most = c.Target * chatTail / 100
	}
	return min(p.KeepTokens, max(1, most))
}

// Cut returns where a tail of at most keep tokens begins: an index of Items at the start of a group, and the index of the part inside that
// item that begins a step, or -1 if the tail begins with the whole message.
func (p *FoldPass) Cut(c *Run, groups []int32, keep int) (cut int, step int32) {
	if c.Policy.Branch() {
		return len(c.Items), -1
	}
	if p.Boundary == "backward" || p.Boundary == "message" && p.KeepTokens == 0 {
		return p.counted(c, groups), -1
	}
	defer func() {
		if cut == 0 && p.Boundary == "forward" && c.Policy.Force {
			cut, step = p.forced(c, groups), -1
		}
	}()
	if p.ForceTurn && c.Policy.Force {
		return p.lastTurn(c, groups), -1
	}
	n := len(c.Items)
	start := func(i int) bool { return i == n || i == 0 || groups[i] != groups[i-1] }
	alone := func(i int) bool { return start(i) && start(i+1) && !c.Items[i].Pinned }
	tail, sum := 0, 0
	cut, step = n, -1
	for i := n - 1; i >= 0; i-- {
		if sum += c.Items[i].Tokens; sum > keep {
			if cut == i+1 && alone(i) {
				if s, size := c.lastSteps(i, keep-tail); s >= 0 {
					cut, step, tail = i, s, tail+size
				}
			}
			break
		}
		if start(i) {
			cut, tail = i, sum
		}
	}
	if cut == n {
		if !p.KeepLast {
			return 0, -1
		}
		for cut--; cut > 0 && !start(cut); cut-- {
		}
		if cut = max(cut, 0); alone(cut) {
			step, _ = c.lastSteps(cut, -1)
		}
		return cut, step
	}
	if p.Boundary == "turn" {
		rest := tail
		for i := cut; i < n && rest*4 >= tail; i++ {
			if start(i) && c.beginsTurn(i) {
				return i, -1
			}
			if i > cut || step < 0 {
				rest -= c.Items[i].Tokens
			}
		}
	}
	return cut, step
}

// beginsTurn reports whether a user turn begins with an item.
func (c *Run) beginsTurn(i int) bool {
	m := c.Items[i].Msg
	return c.T.Messages[m].Role == transcript.User && c.T.HasUserText(int(m)) && !c.Own(m)
}

// lastTurn returns where the newest user turn begins, at the start of a group; 0 if there is none.
func (p *FoldPass) lastTurn(c *Run, groups []int32) int {
	at := LastUserTurn(len(c.Items), c.beginsTurn)
	for at > 0 && groups[at] == groups[at-1] {
		at--
	}
	return max(at, 0)
}

// lastSteps returns the part at which the newest steps of an item that fit into room begin, and their tokens; -1 if none fit, or if all do.
// If room is negative, it returns the newest step alone. Open tool calls belong to the steps.
func (c *Run) lastSteps(item, room int) (part int32, tokens int) {
	part = -1
	msg := &c.T.Messages[c.Items[item].Msg]
	sum, end := c.P.Framing[msg.Role], msg.First+msg.Count
	open := end
	for n := end - 1; n >= msg.First; n-- {
		p := &c.T.Parts[n]
		if p.Kind == transcript.ToolCall && p.Pair < 0 && !p.Has(transcript.Removed|transcript.Server) {
			open = n
		}
	}
	caller := end // calls made by a provider's tool stay with the call of that tool
	for n := end - 1; n > msg.First; n-- {
		if by := c.T.Parts[n].Caller; by > 0 {
			caller = min(caller, by-1)
		}
		if !c.T.Parts[n].Has(transcript.Step) {
			continue
		}
		sum += c.P.Parts(c.T, c.T.Parts[n:end])
		end = n
		switch {
		case room >= 0 && sum > room:
			return part, tokens
		case n > open || n > caller || c.Items[item].Said > 0 && n >= c.Items[item].Said:
		case room < 0:
			return n, sum
		default:
			part, tokens = n, sum
		}
	}
	return part, tokens
}

// cutTurn returns the index, in the messages to fold, of the turn that the tail at item cut belongs to; -1 if the tail begins with a turn.
func (c *Run) cutTurn(cut int, held []bool) int {
	user := func(i int) bool { return IsUser(c.T, int(c.Items[i].Msg)) && !c.Own(c.Items[i].Msg) }
	if !IsSplitTurn(len(c.Items), cut, user) {
		return -1
	}
	at := 0
	for i := range c.Items[:TurnStart(cut, user)] {
		if !held[i] && c.Tells(c.Items[i].Msg) {
			at++
		}
	}
	return at
}

// forced returns where the tail begins if everything would fit but a fold is requested: at the last group that leaves something to fold
// (S1.13).
func (p *FoldPass) forced(c *Run, groups []int32) int {
	return ForceCutPoint(len(c.Items), func(i int) bool { return i > 0 && groups[i] == groups[i-1] })
}

// counted returns where a tail of KeepMessages messages begins, without splitting a group (S2.13).
func (p *FoldPass) counted(c *Run, groups []int32) int {
	n := len(c.Items)
	return max(0, AdjustBoundary(n, n-p.KeepMessages, func(i int) bool { return groups[i] == groups[i-1] }))
}
