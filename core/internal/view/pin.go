package view

import (
	"bytes"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Pin marks the items that must stay as they are: system messages, the newest user message (except in a branch, where it is folded too),
// what stands for content that only the provider can read, the provider's own summaries, what the policy's pins name, and project
// instructions.
func (c *Run) Pin() {
	t, newest, summarized := c.T, c.NewestUser(), int32(c.T.Summarized())
	for i := range c.Items {
		m := c.Items[i].Msg
		words := i == newest && t.Messages[m].Role == transcript.Assistant // the steps before the user's words may be removed
		c.Items[i].Said = 0
		if words {
			c.Items[i].Said = t.LastSaid(int(m)) + 1
		}
		c.Items[i].Pinned = i == newest && !words || m < summarized || t.Messages[m].Role == transcript.System && !c.Own(m) || c.Holds(m) || c.PinnedByPolicy(int(m))
		c.Items[i].Instr = false
	}
	c.pinProject()
}

// pinProject pins messages with project instructions, as far as their share of the window allows: the newest of each file and each skill,
// files before skills.
func (c *Run) pinProject() {
	room := c.ProjectRoom()
	if room == 0 {
		return
	}
	var files, skills []int
	var seen critbit.Map[struct{}]
	for i := len(c.Items) - 1; i >= 0; i-- {
		if c.Own(c.Items[i].Msg) {
			continue
		}
		what, key := digest.ProjectIn(c.T, int(c.Items[i].Msg))
		if what == digest.NoProject || seen.Has(key) {
			continue
		}
		seen.Add(key)
		if what == digest.ProjectFile {
			files = append(files, i)
		} else {
			skills = append(skills, i)
		}
	}
	for _, i := range append(files, skills...) {
		if it := &c.Items[i]; !it.Pinned && it.Tokens <= room {
			room -= it.Tokens
			it.Pinned, it.Instr = true, true
		}
	}
}

// ProjectRoom returns how many more tokens of project instructions may stay.
func (c *Run) ProjectRoom() int {
	share := c.Policy.ProjectShare()
	if share == 0 || c.Policy.Branch() {
		return 0
	}
	window := max(c.Policy.Window.Tokens, c.Limit)
	if window == 0 {
		return policy.MaxTokens
	}
	room := int(float64(window) * share)
	for i := range c.Items {
		if c.Items[i].Instr {
			room -= c.Items[i].Tokens
		}
	}
	return max(0, room)
}

// NewestUser returns the index of the item with the newest user message, or -1.
func (c *Run) NewestUser() int {
	if c.Policy.Branch() {
		return -1
	}
	for i := len(c.Items) - 1; i >= 0; i-- {
		if c.T.HasUserText(int(c.Items[i].Msg)) && !c.Own(c.Items[i].Msg) {
			return i
		}
	}
	return -1
}

// Holds reports whether a message stands for content that only the provider can read.
func (c *Run) Holds(m int32) bool {
	return transcript.AnyHas(c.T.PartsOf(int(m)), transcript.Held)
}

func (c *Run) PinnedByPolicy(m int) bool {
	for i := range c.Policy.Pins {
		if c.Matches(&c.Policy.Pins[i], m) {
			return true
		}
	}
	return false
}

func (c *Run) Matches(pin *policy.Pin, m int) bool {
	t := c.T
	msg := &t.Messages[m]
	if pin.Role != "" && pin.Role != msg.Role.String() {
		return false
	}
	if pin.Index != nil {
		at := *pin.Index
		if at < 0 {
			at += c.N
		}
		if at != m {
			return false
		}
	}
	if pin.ID != "" {
		found := false
		for _, p := range t.PartsOf(m) {
			found = found || !p.ID.Zero() && t.EqualText(p.ID, pin.ID)
		}
		if !found {
			return false
		}
	}
	return pin.Contains == "" || bytes.Contains(t.Bytes(msg.Span), []byte(pin.Contains))
}

// Held returns for each item whether it must stay: it is pinned, it is a tool call that still waits for its result, or it is in a group
// with such a call or result. What one pass holds, later passes hold too: numbers in the bodies of folds rely on it.
func (c *Run) Held() (held []bool, groups []int32) {
	if c.Policy.Branch() {
		return c.HeldWith(func(int) bool { return false })
	}
	waiting := len(c.Items) // where the last turn begins, in which a provider's tool may still be running
	if c.F.Rules.Server != "" || c.T.Calls {
		waiting = c.OpenTurn(waiting)
	}
	return c.HeldWith(func(i int) bool {
		m := c.Items[i].Msg
		return c.T.OpenCalls(int(m)) || i >= waiting && c.Runs(m)
	})
}

// HeldWith does what Held does, given the items for which open returns true besides the pinned ones.
func (c *Run) HeldWith(open func(item int) bool) (held []bool, groups []int32) {
	seq := make([]int32, len(c.Items))
	for i, it := range c.Items {
		seq[i] = it.Msg
	}
	groups = c.T.Groups(seq)
	held = make([]bool, len(c.Items))
	for i := 0; i < len(held); {
		end, whole := i, false
		for ; end < len(held) && groups[end] == groups[i]; end++ {
			held[end] = c.Items[end].Pinned || c.Items[end].Rest || c.Items[end].Said > 0 || open(end)
			whole = whole || held[end] && c.T.Messages[seq[end]].Role != transcript.System && c.InPair(seq[end])
		}
		for ; i < end; i++ {
			held[i] = held[i] || whole
		}
	}
	return held, groups
}

// OpenTurn returns the index of the first of n items after which only the assistant and its tools speak. An assistant message that contains
// words of the user counts as the user's: what follows them is the turn.
func (c *Run) OpenTurn(n int) int {
	return c.TurnOf(n, func(i int) int32 { return c.Items[i].Msg })
}

func (c *Run) TurnOf(n int, msg func(i int) int32) int {
	for n > 0 && !c.T.HasUserText(int(msg(n-1))) {
		n--
	}
	if n > 0 && c.T.Messages[msg(n-1)].Role == transcript.Assistant {
		n--
	}
	return n
}

// Runs reports whether a message calls a provider's tool that has not returned its result yet.
func (c *Run) Runs(m int32) bool {
	return slices.ContainsFunc(c.T.PartsOf(int(m)), func(p transcript.Part) bool {
		return p.Kind == transcript.ToolCall && p.Has(transcript.Server) && p.Pair < 0 && !p.Has(transcript.Removed)
	})
}

// InPair reports whether a message contains a tool call or a tool result, or is joined to the next or the previous one.
func (c *Run) InPair(m int32) bool {
	if c.T.Messages[m].Joined || m > 0 && c.T.Messages[m-1].Joined {
		return true
	}
	for _, p := range c.T.PartsOf(int(m)) {
		if p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult {
			return true
		}
	}
	return false
}
