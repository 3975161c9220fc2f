package passes

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// FoldPass puts one digest in place of the older messages. Pinned messages stay where they are, and so does a tail of the newest messages.
//
//easyjson:json
type FoldPass struct {
	Pass         string `json:"pass"`
	KeepTokens   int    `json:"keep_tokens"`
	Boundary     string `json:"boundary"`
	KeepLast     bool   `json:"keep_last"`
	KeepMessages int    `json:"keep_messages"`
	MinMessages  int    `json:"min_messages"`
	ForceTurn    bool   `json:"force_turn"`
}

// foldFor is who folds: a pass of the policy, or the last resort, which takes what it gains, however little: with a tail, or all.
type foldFor uint8

const (
	forPolicy foldFor = iota
	forLimit
	forAll
)

func init() {
	Register(Kind{
		Name: "fold",
		Doc:  "replaces the older messages with one digest. Pinned messages and a tail of the newest messages stay.",
		Make: func() Pass { return new(FoldPass) },
		Params: []Param{
			{"keep_tokens", "20000", "keep_tokens is how large the tail may be, in tokens. With wire_safe it is at most half of the target."},
			{"boundary", `"turn"`, `boundary is where the tail may begin: "turn" (at a message of the user, unless the tail would lose three quarters of its size by that), "group" (at any), "message" (as "group", since calls and their results stay together; a published system cuts anywhere), "forward" (as "group"; with force it leaves something to fold even where all would fit) or "backward" (keep_messages before the end, or at the start of the group there).`},
			{"keep_last", "true", "keep_last keeps the last group even if it is larger than the tail may be; otherwise nothing is folded in that case."},
			{"keep_messages", "10", `keep_messages is how many of the newest messages are the tail, where boundary is "backward", or "message" and keep_tokens is 0.`},
			{"min_messages", "1", "min_messages is how many messages must be folded, or none are; digests and restored files do not count."},
			{"force_turn", "false", "force_turn makes the newest turn of the user the tail of a compaction that is forced, whatever keep_tokens says."}, // S3.42
		},
		Messages: []*view.Message{{Origin: view.OfBranch, Role: transcript.User, Prefix: digest.BranchHeader, Told: true}},
		Counts:   []view.Counter{folded},
	})
}

func (p *FoldPass) Check() string {
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

func (p *FoldPass) Follows() bool { return false }

// FoldRequest is the id of the request for the digest, and TurnRequest that for the beginning of a turn that is cut.
const (
	FoldRequest = "fold-1"
	TurnRequest = "fold-2"
)

// style is how the policy wants digests asked for and written.
func (c *Run) style() *digest.Style {
	return digest.StyleByName(c.Policy.Summary.Style)
}

func (p *FoldPass) Run(c *Run) { p.fold(c, forPolicy) }

func (p *FoldPass) fold(c *Run, why foldFor) {
	if why == forPolicy {
		c.shortenProject()
	}
	held, groups := c.Held()
	cut, step := p.further(c, held, groups, why)
	if step < 0 {
		cut = c.AtThinking(cut, groups)
	}
	if why == forPolicy && step < 0 {
		c.offer = c.offered(cut, held, groups)
	}
	p.foldBefore(c, cut, step, held, why)
	c.offer = nil
}

// FoldBefore puts a digest in place of the items that are not held, up to a cut as [FoldPass.Cut] returns it.
func (p *FoldPass) FoldBefore(c *Run, cut int, step int32, held []bool) {
	p.foldBefore(c, cut, step, held, forPolicy)
}

func (p *FoldPass) foldBefore(c *Run, cut int, step int32, held []bool, why foldFor) {
	var messages []int32
	var prior string
	scope, ledger := api.ScopeSession, c.Ledger().Clone()
	if c.Policy.Branch() {
		scope, ledger = api.ScopeBranch, digest.Ledger{} // what was asked for there is not asked for here
	}
	gain, old, talk := 0, 0, 0
	for i := range c.Items[:cut] {
		if held[i] {
			continue
		}
		it := &c.Items[i]
		gain += it.Tokens
		switch {
		case c.IsBranch(it.Msg):
			ledger.AddBranch(c.T, int(it.Msg))
			messages = append(messages, it.Msg)
		case c.OwnKind(it.Msg) == view.OfCount:
			ledger.ReadStanding(c.T.Text(c.T.FirstText(int(it.Msg))))
		case c.OwnKind(it.Msg) == view.OfDigest && c.T.Messages[it.Msg].Variant == transcript.Digest:
			prior = digest.Fence(c.T.Text(c.T.FirstText(int(it.Msg))))
		case c.OwnKind(it.Msg) == view.OfDigest:
			_, text := handles.FoldHandleOf(c.T.Text(c.T.FirstText(int(it.Msg))))
			old += it.Tokens
			var round int
			prior, round = digest.Carried(text, &ledger)
			if it.In >= 0 { // a host that lost the state gets it back; one of this run counts already
				c.State.Round = max(c.State.Round, round)
			}
			if c.Tells(it.Msg) {
				messages = append(messages, it.Msg)
			}
		case c.Tells(it.Msg):
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
	case c.Bounded() && c.Total > c.Most():
		least = 1
	}
	if talk < least || gain == 0 || talk == 0 && c.Bounded() && c.vain(gain) {
		return
	}
	if why == forPolicy && c.Report.Tokens.Before-c.Total+gain < c.MinGain() {
		c.Small = true
		return // even a digest of no size would not be worth it: the model is not asked
	}
	stay := c.staying(cut, step, held)
	again := c.Originals(slices.Concat(messages, stay)) // what a pass before this one cleared counts too
	ledger.Add(c.T, messages)
	ledger.Settle(c.T, stay)
	again()
	tail := -1
	if at := slices.IndexFunc(c.Items[cut:], func(it view.Item) bool { return it.In >= 0 }); at >= 0 && head < 0 {
		tail = int(c.Items[cut+at].In)
	}
	body, ok := c.digestOf(job{tail: tail, cut: head >= 0, id: FoldRequest, scope: scope, messages: messages, prior: prior, ledger: &ledger, gain: gain, old: old,
		turn: c.cutTurn(cut, held), room: c.digestBudget(why, gain), least: why == forAll && c.digestLeft(gain) > 0})
	if !ok {
		c.noteCut(cut)
		c.expect(slices.Index(held, false), c.Total-gain)
		return
	}
	if c.offer != nil && c.provided != nil {
		held = slices.Clone(held)
		for i, old := range c.offer.old {
			if held[i] = held[i] && !old; old {
				gain += c.Items[i].Tokens
			}
		}
		gain -= c.provided.tokens
	}
	s := c.style()
	role := s.Role
	if role == transcript.System && c.F.SystemApart || c.Policy.Branch() {
		role = transcript.User // S1.37, S3.27
	}
	if role == transcript.Assistant && cut < len(c.Items) && c.BeginsBound(c.Items[cut].Msg, false) {
		role = transcript.User // the turn that follows must begin with its thinking (AN8)
	}
	kept := c.FoldBody(c.FoldElements(firstLoose(held, cut), cut, func(i int) bool { return !held[i] }, head >= 0), gain)
	text := handles.NameFold(s.Write(body, scope, c.State.Round+1), kept.HandleOrNone())
	if c.P.NewMessage(role, text) >= gain {
		return // nothing would be gained
	}
	c.noteCut(cut)
	c.PutDigest(cut, head, held, c.NewMessage(firstLoose(held, cut), role, text), kept)
	if c.offer != nil && c.provided != nil {
		c.putProvided()
	}
	if !c.Policy.Branch() {
		*c.Ledger() = ledger
	}
}

// staying are the messages that a fold leaves, up to the first that is new to the run: those held before the cut, and those from it on. Of a
// message that is divided at step nothing counts.
func (c *Run) staying(cut int, step int32, held []bool) (messages []int32) {
	for i, it := range c.Items {
		if i < cut && held[i] || i > cut || i == cut && step < 0 {
			messages = append(messages, it.Msg)
		}
	}
	return messages
}

// noteCut reports where the messages begin that a fold keeps.
func (c *Run) noteCut(cut int) {
	if i := slices.IndexFunc(c.Items[cut:], func(it view.Item) bool { return it.In >= 0 }); i >= 0 {
		c.Report.CutPoint = int(c.Items[cut+i].In)
	}
}

// digestBudget is how many tokens a digest may have of those that the limit leaves; 0 is any number. Where it leaves few the
// digest still has some, as long as something else can be cut for it. Where it leaves none, because what must stay is over the limit alone, the
// digest is as good as elsewhere: an empty one wouldn't bring the result under the limit either.
func (c *Run) digestBudget(why foldFor, gain int) int {
	left := c.digestLeft(gain)
	switch {
	case !c.Bounded():
		return 0
	case why == forAll && left > 0:
		return max(64, left/2)
	}
	return max(256, c.Target/8, left)
}

// digestLeft is how many tokens the limit leaves for a digest of items that have gain tokens; negative where it is out of reach.
func (c *Run) digestLeft(gain int) int { return c.Most() - (c.Total - gain) - digestFrame }

// vain reports whether a smaller digest than the one of gain tokens would bring the result neither under the limit nor into the window.
func (c *Run) vain(gain int) bool {
	rest, window := c.Total-gain+digestFrame, c.Report.Tokens.Window
	return rest >= c.Limit && (c.Total <= window || rest >= window)
}

// firstLoose is the first item before cut that is not held, or cut. It is where a digest is put.
func firstLoose(held []bool, cut int) int {
	at := 0
	for at < cut && held[at] {
		at++
	}
	return at
}

// PutDigest takes the items before cut out that are not held, and the piece head of the item at cut if there is one, and puts
// text, a message, where the first of them was. Body is what is kept of them, or nil.
func (c *Run) PutDigest(cut int, head int32, held []bool, text []byte, body *handles.Taken) {
	at := firstLoose(held, cut)
	c.Folded = make([]view.Item, 0, cut+1)
	c.Report.Actions = slices.Grow(c.Report.Actions, cut+2)
	take := func(it view.Item) {
		c.Folded = append(c.Folded, it)
		c.Act(api.Action{Action: api.ActionFold, Pass: "fold", Message: int(it.In), Tokens: it.Tokens})
	}
	var piece view.Item
	if head >= 0 {
		before := c.Total
		c.CutOff(cut, head)
		c.Items[cut].Rest = true
		piece = view.Item{Msg: head, In: c.Items[cut].In, Tokens: before - c.Total}
	}
	c.Remove(func(i int) bool {
		if i >= cut || held[i] {
			return false
		}
		take(c.Items[i])
		return true
	})
	whole := c.Folded
	if head >= 0 {
		take(piece)
	}
	c.Report.Folded += len(c.Folded)
	c.Insert(at, text)
	c.KeepFold(body, &c.Items[at], whole...)
	c.digest = at
	c.Act(api.Action{Action: api.ActionInsert, Pass: "fold", Message: -1, Tokens: -c.Items[at].Tokens})
}
