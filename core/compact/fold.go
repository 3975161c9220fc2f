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

// foldFor is who folds: a pass of the policy, or the last resort, which takes what it gains, however little: with a tail, or all.
type foldFor uint8

const (
	forPolicy foldFor = iota
	forLimit
	forAll
)

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

// foldRequest is the id of the request for the digest, and turnRequest that for the beginning of a turn that is cut.
const (
	foldRequest = "fold-1"
	turnRequest = "fold-2"
)

// style is how the policy wants digests asked for and written.
func (c *Run) style() *digest.Style {
	s := digest.StyleByName(c.Policy.Summary.Style)
	if s.Own && c.Policy.Safe() {
		return digest.StyleByName("")
	}
	return s
}

// unchecked tells whether a pass runs although the ones before it have freed enough.
func (c *Run) unchecked() bool { return c.style().Unchecked && !c.Policy.Safe() }

func (p *foldPass) run(c *Run) {
	s := c.style()
	if c.Policy.Summary.Style != "" && !c.Policy.Safe() {
		p.published(c, s)
		return
	}
	p.fold(c, forPolicy)
}

// fold puts a digest in the place of the older messages.
func (p *foldPass) fold(c *Run, why foldFor) {
	held, groups := c.held()
	cut, step := p.further(c, held, groups, why)
	if step < 0 {
		cut = c.atThinking(cut, groups)
	}
	var messages []int32
	var prior string
	scope, ledger := digest.SessionScope, c.State.Ledger.Clone()
	if c.Policy.Branch() {
		scope, ledger = digest.BranchScope, digest.Ledger{} // what was asked for there is not asked for here
	}
	gain, old, talk := 0, 0, 0
	for i := range c.Items[:cut] {
		if held[i] {
			continue
		}
		it := &c.Items[i]
		gain += it.Tokens
		switch {
		case c.isBranch(it.Msg):
			ledger.AddBranch(c.T, int(it.Msg))
			messages = append(messages, it.Msg)
		case c.ownKind(it.Msg) == ofCount:
			ledger.ReadStanding(c.T.Text(c.T.FirstText(int(it.Msg))))
		case c.ownKind(it.Msg) == ofDigest && c.T.Messages[it.Msg].Variant == transcript.Digest:
			prior = digest.Fence(c.T.Text(c.T.FirstText(int(it.Msg))))
		case c.ownKind(it.Msg) == ofDigest:
			_, text := foldHandleOf(c.T.Text(c.T.FirstText(int(it.Msg))))
			old += it.Tokens
			var round int
			prior, round = digest.Carried(text, &ledger)
			if it.In >= 0 { // a host that lost the state gets it back; one of this run counts already
				c.State.Round = max(c.State.Round, round)
			}
			if c.tells(it.Msg) {
				messages = append(messages, it.Msg)
			}
		case c.tells(it.Msg):
			talk++
			messages = append(messages, it.Msg)
		}
	}
	head := int32(-1) // what is folded of the message at the cut
	if step >= 0 {
		head = c.Piece(cut, step)
		gain += c.P.Parts(c.T, c.T.PartsOf(int(head)))
		talk++
		messages = append(messages, head)
	}
	least := max(1, p.MinMessages)
	switch {
	case why != forPolicy: // an old digest alone may be made smaller
		least = 0
	case c.bounded() && c.Total > c.most():
		least = 1
	}
	if talk < least || gain == 0 {
		return
	}
	if why == forPolicy && c.Report.Tokens.Before-c.Total+gain < c.minGain() {
		c.small = true
		return // even a digest of no size would not be worth it: the model is not asked
	}
	ledger.Add(c.T, messages)
	body, ok := c.digestOf(job{id: foldRequest, scope: scope, messages: messages, prior: prior, ledger: &ledger, gain: gain, old: old,
		turn: c.cutTurn(cut, held), room: c.digestBudget(why, gain), least: why == forAll})
	if !ok {
		c.expect(slices.Index(held, false), c.Total-gain)
		return
	}
	s := c.style()
	role := s.Role
	if role == transcript.System && c.F.SystemApart || c.Policy.Branch() {
		role = transcript.User // S1.37, S3.27
	}
	if role == transcript.Assistant && c.Policy.Safe() && cut < len(c.Items) && c.beginsBound(c.Items[cut].Msg, false) {
		role = transcript.User // the turn that follows must begin with its thinking (AN8)
	}
	kept := c.foldBody(c.foldElements(firstLoose(held, cut), cut, func(i int) bool { return !held[i] }, head >= 0), gain)
	text := nameFold(s.Write(body, scope, c.State.Round+1), kept.handle())
	if c.P.NewMessage(role, text) >= gain {
		return // nothing would be gained
	}
	if i := slices.IndexFunc(c.Items[cut:], func(it Item) bool { return it.In >= 0 }); i >= 0 {
		c.Report.CutPoint = int(c.Items[cut+i].In)
	}
	c.fold(cut, head, held, c.F.Message(nil, role, text), kept)
	if !c.Policy.Branch() {
		c.State.Ledger = ledger
	}
}

// digestBudget is how many tokens a digest may have of those that the limit leaves; 0 is any number. Where it leaves few the
// digest still has some, as long as something else can be cut for it.
func (c *Run) digestBudget(why foldFor, gain int) int {
	left := c.most() - (c.Total - gain) - digestFrame
	switch {
	case !c.bounded():
		return 0
	case why == forAll:
		return max(64, left/2)
	}
	return max(256, c.Target/8, left)
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
	c.folded = make([]Item, 0, cut+1)
	c.Report.Actions = slices.Grow(c.Report.Actions, cut+2)
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
