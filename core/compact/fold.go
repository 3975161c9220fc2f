package compact

import (
	"slices"

	"github.com/ctxfold/ctxfold/core/digest"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// foldPass puts one digest in the place of the older messages. Pinned messages stay where they are, and so does a tail
// of the newest messages.
//
//easyjson:json
type foldPass struct {
	Pass string `json:"pass"`
	// KeepTokens is how large the tail may be, in tokens. With wire_safe it is at most half of the target.
	KeepTokens int `json:"keep_tokens"`
	// Boundary is where the tail may begin: "turn" (at a message of the user, unless the tail would lose three quarters
	// of its size by that), "group" (at any), "message" (as "group", since calls and their results stay together; a published
	// system cuts anywhere), "forward" (as "group"; with force it leaves something to fold even where all
	// would fit) or "backward" (KeepMessages before the end, or at the start of the group there).
	Boundary string `json:"boundary"`
	// KeepLast keeps the last group even if it is larger than the tail may be; otherwise nothing is folded then.
	KeepLast bool `json:"keep_last"`
	// KeepMessages is how many of the newest messages are the tail, where Boundary is "backward", or "message" and KeepTokens is 0.
	KeepMessages int `json:"keep_messages"`
	// MinMessages is how many messages must be folded, or none is; digests and restored files do not count.
	MinMessages int `json:"min_messages"`
	// ForceTurn makes the newest turn of the user the tail of a compaction that is forced, whatever KeepTokens says (S3.42).
	ForceTurn bool `json:"force_turn"`
}

func init() {
	register("fold", func() pass {
		return &foldPass{KeepTokens: 20000, Boundary: "turn", KeepLast: true, MinMessages: 1, KeepMessages: KeepLast}
	})
}

func (p *foldPass) check() string {
	if !slices.Contains([]string{"turn", "group", "message", "forward", "backward"}, p.Boundary) {
		return `boundary must be "turn", "group", "message", "forward" or "backward"`
	}
	if p.KeepMessages < 0 || p.KeepMessages > 1<<30 {
		return "keep_messages must be from 0 to 1,073,741,824 messages"
	}
	if p.MinMessages < 0 {
		return "min_messages must not be negative"
	}
	return tokensRange("keep_tokens", p.KeepTokens)
}

func (p *foldPass) follows() bool { return false }

// foldRequest is the id of the request for the digest.
const foldRequest = "fold-1"

func (p *foldPass) run(c *Run) {
	if s := c.style(); s != nil && !c.Policy.Safe() {
		p.published(c, s)
		return
	}
	held, groups := c.held()
	cut, step := p.cut(c, groups)
	var messages []int32
	var prior string
	ledger := c.State.Ledger.Clone()
	gain, talk := 0, 0
	for i := range c.Items[:cut] {
		if held[i] {
			continue
		}
		it := &c.Items[i]
		gain += it.Tokens
		switch {
		case !c.own(it.Msg) || digest.IsLine(c.T, int(it.Msg)): // what a line says is all that is left of its turn
			talk++
			messages = append(messages, it.Msg)
		case digest.Ours(c.T, int(it.Msg)):
			_, text := foldHandleOf(c.T.Text(c.T.FirstText(int(it.Msg))))
			var round int
			prior, round = digest.Carried(text, &ledger)
			c.State.Round = max(c.State.Round, round) // a host that lost the state gets it back
		case c.T.Messages[it.Msg].Variant == transcript.Digest:
			prior = c.T.Text(c.T.FirstText(int(it.Msg)))
		}
	}
	head := int32(-1) // what is folded of the message at the cut
	if step >= 0 {
		head = c.Piece(cut, step)
		gain += c.P.Parts(c.T.PartsOf(int(head)))
		talk++
		messages = append(messages, head)
	}
	if talk < max(1, p.MinMessages) {
		return
	}
	if c.Report.Tokens.Before-c.Total+gain < c.minGain() {
		c.small = true
		return // even a digest of no size would not be worth it: the model is not asked
	}
	ledger.Add(c.T, messages)
	turn := -1
	if step < 0 {
		turn = c.cutTurn(cut, held)
	}
	scope := digest.SessionScope
	if prior == "" && c.midTurn(cut, step) && c.lastAsked(messages) <= 0 {
		scope = digest.TurnScope
	}
	body, ok := c.digestOf(job{id: foldRequest, scope: scope, messages: messages, prior: prior, ledger: &ledger, gain: gain, turn: turn})
	if !ok {
		c.expect(slices.Index(held, false), c.Total-gain)
		return
	}
	text, role := c.digestText(body)
	kept := c.foldBody(c.foldElements(firstLoose(held, cut), cut, func(i int) bool { return !held[i] }, head >= 0), gain)
	text = nameFold(text, kept.handle())
	if c.P.NewMessage(role, text) >= gain {
		return // nothing would be gained
	}
	if i := slices.IndexFunc(c.Items[cut:], func(it Item) bool { return it.In >= 0 }); i >= 0 {
		c.Report.CutPoint = int(c.Items[cut+i].In)
	}
	c.fold(cut, head, held, c.F.Message(nil, role, text), kept)
	c.State.Ledger = ledger
}

// midTurn tells whether the tail begins in the middle of a turn.
func (c *Run) midTurn(cut int, step int32) bool {
	return step >= 0 || cut < len(c.Items) && !c.T.HasUserText(int(c.Items[cut].Msg))
}

// lastAsked is the index of the last of messages with which the user asks for something, or -1.
func (c *Run) lastAsked(messages []int32) int {
	for k, m := range slices.Backward(messages) {
		if digest.Asked(c.T, int(m)) != "" {
			return k
		}
	}
	return -1
}

// cut is where the tail begins: an index of Items at the start of a group, and inside that item the index of the part that
// begins a step, or -1 where the tail begins with the whole message.
func (p *foldPass) cut(c *Run, groups []int32) (cut int, step int32) {
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
	keep := p.KeepTokens
	if c.Policy.Safe() && c.Target > 0 {
		keep = min(keep, max(1, c.Target/2))
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
			if start(i) && c.T.HasUserText(int(c.Items[i].Msg)) && !c.own(c.Items[i].Msg) {
				return i, -1
			}
			if i > cut || step < 0 {
				rest -= c.Items[i].Tokens
			}
		}
	}
	return cut, step
}

// lastTurn is where the newest turn of the user begins, at the start of a group, or 0.
func (p *foldPass) lastTurn(c *Run, groups []int32) int {
	at := LastUserTurn(len(c.Items), func(i int) bool { return c.T.HasUserText(int(c.Items[i].Msg)) && !c.own(c.Items[i].Msg) })
	for at > 0 && groups[at] == groups[at-1] {
		at--
	}
	return max(at, 0)
}

// lastSteps returns the part at which the newest steps of an item begin that fit in room, and their tokens; -1 if none
// does, or if all do. With a negative room it is the newest step alone. Tool calls that are still open are among the steps.
func (c *Run) lastSteps(item, room int) (part int32, tokens int) {
	part = -1
	msg := &c.T.Messages[c.Items[item].Msg]
	sum, end := c.P.Framing[msg.Role], msg.First+msg.Count
	open := end
	for n := end - 1; n >= msg.First; n-- {
		if p := &c.T.Parts[n]; p.Kind == transcript.ToolCall && p.Pair < 0 && !p.Has(transcript.Removed|transcript.Server) {
			open = n
		}
	}
	for n := end - 1; n > msg.First; n-- {
		if !c.T.Parts[n].Has(transcript.Step) {
			continue
		}
		sum += c.P.Parts(c.T.Parts[n:end])
		end = n
		switch {
		case room >= 0 && sum > room:
			return part, tokens
		case n > open:
		case room < 0:
			return n, sum
		default:
			part, tokens = n, sum
		}
	}
	return part, tokens
}

// firstLoose is the first item before cut that is not held, or cut. It is where a digest is put.
func firstLoose(held []bool, cut int) int {
	at := 0
	for at < cut && held[at] {
		at++
	}
	return at
}

// fold takes the items before cut out that are not held, and the piece head of the item at cut if there is one, and puts
// text, a message, where the first of them was. Body is what is kept of them, or nil.
func (c *Run) fold(cut int, head int32, held []bool, text []byte, body *taken) {
	at := firstLoose(held, cut)
	c.folded = nil
	take := func(it Item) {
		c.folded = append(c.folded, it)
		c.act(Action{Action: "fold", Pass: "fold", Message: int(it.In), Tokens: it.Tokens})
	}
	var piece Item
	if head >= 0 {
		before := c.Total
		c.CutOff(cut, head)
		c.Items[cut].Rest = true
		piece = Item{Msg: head, In: c.Items[cut].In, Tokens: before - c.Total}
	}
	c.Remove(func(i int) bool {
		if i >= cut || held[i] {
			return false
		}
		take(c.Items[i])
		return true
	})
	whole := c.folded
	if head >= 0 {
		take(piece)
	}
	c.Report.Folded += len(c.folded)
	c.Insert(at, text)
	c.keepFold(body, &c.Items[at], whole...)
	c.digest = at
	c.act(Action{Action: "insert", Pass: "fold", Message: -1, Tokens: -c.Items[at].Tokens})
}
