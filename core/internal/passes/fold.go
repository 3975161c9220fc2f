package passes

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/summary"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
)

// FoldPass replaces the older messages with one digest. Pinned messages stay where they are, and so does a tail of the
// newest messages. Its fields are the parameters that its Kind describes.
//
//easyjson:json
type FoldPass struct {
	Pass         string `json:"pass"`          // the pass's name
	KeepTokens   int    `json:"keep_tokens"`   // maximum size of the tail, in tokens
	Boundary     string `json:"boundary"`      // where the tail may begin, such as "turn"
	KeepLast     bool   `json:"keep_last"`     // whether the last group stays even if it is larger
	KeepMessages int    `json:"keep_messages"` // number of newest messages in the tail, for some boundaries
	MinMessages  int    `json:"min_messages"`  // minimum number of messages to fold
	ForceTurn    bool   `json:"force_turn"`    // whether the tail of a forced compaction is the newest turn of the user
}

// foldMode is the purpose of a fold. A fold is either a pass of the policy or a step of the last resort. The latter
// folds even if that frees little, and keeps a tail or folds everything.
type foldMode uint8

const (
	forPolicy foldMode = iota
	forLimit
	forAll
)

func init() {
	Register(Kind{
		Name: "fold",
		Doc:  "replaces the older messages with one digest. Pinned messages and a tail of the newest messages stay.",
		Make: func() Pass { return new(FoldPass) },
		Params: []Param{
			{"keep_tokens", "20000", "keep_tokens is the maximum size of the tail, in tokens. With wire_safe it is at most half of the target."},
			{"boundary", `"turn"`, `boundary is where the tail may begin: "turn" (at a message of the user, unless the tail would lose three quarters of its size by that), "group" (at any), "message" (as "group", since calls and their results stay together; a published system cuts anywhere), "forward" (as "group"; with force it leaves something to fold even where all would fit) or "backward" (keep_messages before the end, or at the start of the group there).`},
			{"keep_last", "true", "keep_last keeps the last group even if it is larger than the tail may be; otherwise nothing is folded in that case."},
			{"keep_messages", "10", `keep_messages is the number of newest messages in the tail where boundary is "backward", or "message" and keep_tokens is 0.`},
			{"min_messages", "1", "min_messages is the minimum number of messages to fold; if there are fewer, none are folded; digests and restored files do not count."},
			{"force_turn", "false", "force_turn makes the newest turn of the user the tail of a compaction that is forced, whatever keep_tokens says."}, // S3.42
		},
		Messages: []*authorship.Message{{Origin: authorship.OfBranch, Role: transcript.User, Prefix: digest.BranchHeader, Summarizable: true}},
		Counts:   []report.Counter{folded},
	})
}

// Check reports an unknown boundary and numbers out of range; it returns "" if there are none.
func (p *FoldPass) Check() string {
	if !slices.Contains([]string{"turn", "group", "message", "forward", "backward"}, p.Boundary) {
		return `boundary must be "turn", "group", "message", "forward" or "backward"`
	}
	if p.MinMessages < 0 {
		return "min_messages must not be negative"
	}
	return cmp.Or(countRange("keep_messages", p.KeepMessages, "messages"), tokensRange("keep_tokens", p.KeepTokens))
}

// Run folds the messages before the tail, as specified by the parameters of the pass.
func (p *FoldPass) Run(c Run) {
	shortenProject(c)
	p.fold(c, forPolicy, c.MaxTokens())
}

// fold replaces the older messages with a digest. most is the maximum size in tokens that it aims for, if the result
// must not exceed a limit.
func (p *FoldPass) fold(c Run, mode foldMode, most int) {
	f := folding{run: c, doc: c.Doc(), pass: p, mode: mode, most: most}
	c.Fold().MaxTail = p.KeepTokens
	f.stays, f.groups = c.Keep().StayingItems()
	f.cut, f.step = f.tailStart()
	f.shortenTail()
	if f.step < 0 {
		f.cut = c.Mend().AtThinking(f.cut, f.groups)
		if mode == forPolicy {
			f.provider = c.Summary().ProviderCompaction(f.cut, f.stays, f.groups)
		}
	}
	f.make()
}

// FoldBefore replaces the items before the cut with a digest, except for those that must stay. cut and step are the
// results of [FoldPass.Cut].
func (p *FoldPass) FoldBefore(c Run, cut int, step int32, stays []bool) {
	f := folding{run: c, doc: c.Doc(), pass: p, mode: forPolicy, most: c.MaxTokens(), stays: stays, cut: cut,
		step: step}
	f.make()
}

// folding is the state of one fold.
type folding struct {
	run      Run                         // the compaction, with its components
	doc      *view.View                  // the document that the fold edits
	pass     *FoldPass                   // the pass, with its parameters
	mode     foldMode                    // why it folds, and so how far it may go
	most     int                         // the maximum size of the result in tokens, if it is bounded
	stays    []bool                      // for each item, whether it stays
	groups   []int32                     // for each item, the number of its group
	cut      int                         // the index of the item at which the tail begins
	step     int32                       // the part of that item at which the tail begins, or -1 if it is the whole item
	provider *summary.ProviderCompaction // the part that the provider can compact; nil if it isn't asked

	scope    api.Scope     // what the summary covers
	messages []int32       // the messages that the digest covers
	prior    string        // the previous digest
	ledger   digest.Ledger // the facts about what is folded
	gain     int           // the size of the folded messages in tokens
	old      int           // the part of gain that belongs to earlier digests
	talk     int           // the number of folded messages that are not digests
	head     int32         // the folded beginning of the message at the cut, or -1
}

// make writes the digest and replaces the folded messages with it, if that is worthwhile.
func (f *folding) make() {
	f.scope, f.ledger = api.ScopeSession, f.run.Ledger().Clone()
	if f.run.Policy().IsBranchScope() {
		f.scope, f.ledger = api.ScopeBranch, digest.Ledger{} // the requests of a branch don't belong to this conversation
	}
	f.gather()
	if !f.worthwhile() {
		return
	}
	f.account()
	d := f.run.Summary().WriteDigest(f.job())
	if d.Failed != "" {
		f.run.RecordDigestFailure(string(d.Failed))
	}
	if d.Pending || d.Failed != "" {
		f.noteCut()
		f.run.Summary().RecordForecast(slices.Index(f.stays, false), f.doc.Total-f.gain)
		return
	}
	if f.shortenAnswers(d.Lacks) {
		job := f.job()
		job.Local = true
		why := f.run.Report().Summary.Fault
		d = f.run.Summary().WriteDigest(job)
		f.run.Report().Summary.Fault = why
	}
	f.put(&d)
}

// gather collects the messages to fold, which are the items before the cut that need not stay, and the beginning of the
// item at the cut.
func (f *folding) gather() {
	for i := range f.doc.Items[:f.cut] {
		if !f.stays[i] {
			f.gain += f.doc.Items[i].Tokens
			f.take(&f.doc.Items[i])
		}
	}
	if f.head = -1; f.step >= 0 {
		f.head = f.doc.BeforePart(f.cut, f.step)
		f.gain += f.doc.P.Parts(f.doc.T, f.doc.T.PartsOf(int(f.head)))
		f.talk++
		f.messages = append(f.messages, f.head)
	}
}

// take adds an item to the messages to fold. Earlier digests and branches are merged into the new digest, and earlier
// counts of dropped messages only leave their standing instructions.
func (f *folding) take(it *view.Item) {
	t, authors := f.doc.T, f.run.Authors()
	switch origin := authors.Origin(it.Msg); {
	case origin == authorship.OfBranch:
		f.ledger.AddBranch(t, int(it.Msg))
		f.messages = append(f.messages, it.Msg)
	case origin == authorship.OfCount:
		f.ledger.ReadStanding(t.Text(t.FirstText(int(it.Msg))))
	case origin == authorship.OfDigest:
		f.carry(it)
	case authors.Summarizable(it.Msg):
		f.talk++
		f.messages = append(f.messages, it.Msg)
	}
}

// carry merges an earlier digest, which is in an item, into the new one.
func (f *folding) carry(it *view.Item) {
	t := f.doc.T
	text := t.Text(t.FirstText(int(it.Msg)))
	if t.Messages[it.Msg].Variant == transcript.Digest {
		f.prior = digest.Fence(text)
		return
	}
	_, text = handles.FoldHandleOf(text)
	f.old += it.Tokens
	var round int
	f.prior, round = digest.Carried(text, &f.ledger)
	if it.In >= 0 { // a host that has lost the state gets the round back; digests of this run have already been counted
		f.run.State().Round = max(f.run.State().Round, round)
	}
	if f.run.Authors().Summarizable(it.Msg) {
		f.messages = append(f.messages, it.Msg)
	}
}

// shortenAnswers cuts the assistant's texts in the tail so that they free the given number of tokens for the user's
// rules. It returns true if the result has become smaller.
func (f *folding) shortenAnswers(tokens int) bool {
	if tokens == 0 || f.mode != forPolicy || !f.run.MustFit() || f.run.Policy().IsPublished() || !f.run.Policy().LastResorts() {
		return false
	}
	before := f.doc.Total
	r := newResort(f.run, f.most)
	r.from, r.part = f.cut, f.step
	r.cutAll(loose, isUnsigned, shortAnswer, before-tokens)
	return f.doc.Total < before
}

// shortAnswer is the number of tokens to which the assistant's texts may be cut if a digest has no room for the user's
// rules.
const shortAnswer = 80

// worthwhile reports whether the fold is large enough to be worth a digest.
func (f *folding) worthwhile() bool {
	least := max(1, f.pass.MinMessages)
	switch bounded := f.run.MustFit(); {
	case f.mode != forPolicy: // an old digest may be made smaller even if there is nothing else to fold
		least = 0
	case bounded && f.doc.Total > f.most:
		least = 1
	}
	if f.talk < least || f.gain == 0 || f.talk == 0 && f.run.MustFit() && f.vain() {
		return false
	}
	if f.mode == forPolicy && f.run.Report().Tokens.Before-f.doc.Total+f.gain < f.run.MinGain() {
		f.run.TooSmall() // even an empty digest would not be worthwhile, so the model is not called
		return false
	}
	return true
}

// account adds facts from the folded messages to the ledger, and updates the ledger according to the messages that
// stay. It reads all messages in the form that they had before the passes.
func (f *folding) account() {
	var staying []int32 // excluding divided messages
	older := 0          // the number of these messages before the cut
	for i, it := range f.doc.Items {
		if i < f.cut && f.stays[i] || i > f.cut || i == f.cut && f.step < 0 {
			staying = append(staying, it.Msg)
		}
		if i < f.cut {
			older = len(staying)
		}
	}
	t := f.doc.Originals(slices.Concat(f.messages, staying))
	f.ledger.Add(t, f.messages)
	f.ledger.Settle(t, staying)
	f.ledger.SettleErrors(t, staying[older:])
}

// job returns the job of writing the digest.
func (f *folding) job() summary.Job {
	tail := -1
	if f.head < 0 {
		tail = f.firstKept()
	}
	return summary.Job{Tail: tail, Cut: f.head >= 0, Scope: f.scope, Messages: f.messages, Prior: f.prior,
		Ledger: &f.ledger, Gain: f.gain, Old: f.old,
		Turn: f.cutTurn(), Room: f.digestBudget(), Least: f.mode == forAll && f.digestLeft() > 0,
		Local: f.mode != forPolicy, Offer: f.provider}
}

// put replaces the folded messages with the digest if that frees any tokens.
func (f *folding) put(d *summary.Digest) {
	if d.Made != nil {
		f.stays = slices.Clone(f.stays)
		for i, old := range f.provider.Old {
			if f.stays[i] = f.stays[i] && !old; old {
				f.gain += f.doc.Items[i].Tokens
			}
		}
		f.gain -= d.Made.Tokens
	}
	at := firstLoose(f.stays, f.cut)
	archive := f.run.Archive()
	elements := archive.FoldElements(at, f.cut, func(i int) bool { return !f.stays[i] }, f.head >= 0)
	body := archive.FoldBody(elements, f.gain)
	role := f.role()
	text := handles.NameFold(f.run.Summary().Style().Write(d.Text, f.scope, f.run.State().Round+1, digest.Chats(f.doc.T, f.messages, f.prior, &f.ledger)), body.HandleOrNone())
	if f.doc.P.NewMessage(role, text) >= f.gain {
		return // nothing would be freed
	}
	f.noteCut()
	PutDigest(f.run, f.cut, f.head, f.stays, f.doc.NewMessage(at, role, text), body)
	if d.Made != nil {
		putCompacted(f.run, d.Made)
	}
	if !f.run.Policy().IsBranchScope() {
		*f.run.Ledger() = f.ledger
	}
}

// role returns the role of the digest message. It is the style's role, except where the provider would refuse that.
func (f *folding) role() transcript.Role {
	role := f.run.Summary().Style().Role
	switch {
	case role == transcript.System && f.doc.F.SystemApart || f.run.Policy().IsBranchScope():
		return transcript.User // S1.37, S3.27
	case role == transcript.Assistant && f.cut < len(f.doc.Items) &&
		f.run.Mend().BeginsBound(f.doc.Items[f.cut].Msg, false):
		return transcript.User // the next turn must begin with its thinking (AN8)
	}
	return role
}

// firstKept returns the input index of the first message from the cut on that comes from the input, or -1 if there is
// none.
func (f *folding) firstKept() int {
	if i := slices.IndexFunc(f.doc.Items[f.cut:], func(it view.Item) bool { return it.In >= 0 }); i >= 0 {
		return int(f.doc.Items[f.cut+i].In)
	}
	return -1
}

// noteCut records the index of the first kept message in the report.
func (f *folding) noteCut() {
	if first := f.firstKept(); first >= 0 {
		f.run.Report().CutPoint = first
	}
}

// digestBudget returns the maximum size of the digest in tokens, or 0 for no limit. The digest gets the room that the
// limit leaves, but at least an eighth of the target, because something else can be cut instead. If everything is
// folded (forAll), it gets half of that room. If there is none, the messages that must stay exceed the limit by
// themselves, and a smaller digest wouldn't help.
func (f *folding) digestBudget() int {
	left := f.digestLeft()
	switch {
	case !f.run.MustFit():
		return 0
	case f.mode == forAll && left > 0:
		return max(64, left/2)
	}
	return max(min(256, f.most/2), f.run.Target()/8, left)
}

// digestLeft returns the number of tokens that the limit leaves for a digest of the folded messages. It is negative if
// the limit can't be met.
func (f *folding) digestLeft() int { return f.most - (f.doc.Total - f.gain) - summary.Frame }

// vain reports whether no digest, however small, can bring the result under the limit or into the window.
func (f *folding) vain() bool {
	rest, window := f.doc.Total-f.gain+summary.Frame, f.run.Report().Tokens.Window
	return rest >= f.run.Limit() && (f.doc.Total <= window || rest >= window)
}

// firstLoose returns the index of the first item before cut that need not stay, or cut if there is none. This is where
// the digest is inserted.
func firstLoose(stays []bool, cut int) int {
	at := 0
	for at < cut && stays[at] {
		at++
	}
	return at
}

// PutDigest removes the items before cut that need not stay. It also removes head, a message with the beginning of the
// item at cut, unless head is -1. It inserts the message text in place of the first removed item. body is the archived
// content, or nil.
func PutDigest(c Run, cut int, head int32, stays []bool, text []byte, body *handles.Taken) {
	doc, to, fold := c.Doc(), c.Report(), c.Fold()
	at := firstLoose(stays, cut)
	fold.Items = make([]view.Item, 0, cut+1)
	to.Actions = slices.Grow(to.Actions, cut+2)
	take := func(it view.Item) {
		fold.Items = append(fold.Items, it)
		to.AddAction(api.Action{Action: api.ActionFold, Pass: "fold", Message: int(it.In), Tokens: it.Tokens})
	}
	var piece view.Item
	if head >= 0 {
		before := doc.Total
		doc.CutOff(cut, head)
		doc.Items[cut].Rest = true
		piece = view.Item{Msg: head, In: doc.Items[cut].In, Tokens: before - doc.Total}
	}
	doc.Remove(func(i int) bool {
		if i >= cut || stays[i] {
			return false
		}
		take(doc.Items[i])
		return true
	})
	whole := fold.Items
	if head >= 0 {
		take(piece)
	}
	to.Folded += len(fold.Items)
	doc.Insert(at, text)
	c.Archive().KeepFold(body, &doc.Items[at], whole...)
	fold.Digest = at
	to.AddAction(api.Action{Action: api.ActionInsert, Pass: "fold", Message: -1, Tokens: -doc.Items[at].Tokens})
}

// putCompacted inserts the provider's compaction before the digest that belongs to it. The compaction is pinned, so
// other passes of this run don't remove it.
func putCompacted(c Run, made *summary.Compacted) {
	doc, fold := c.Doc(), c.Fold()
	for _, text := range made.Messages {
		doc.Insert(fold.Digest, text)
		it := &doc.Items[fold.Digest]
		it.Pinned = true
		c.Report().AddAction(api.Action{Action: api.ActionInsert, Pass: "fold", Message: -1, Tokens: -it.Tokens})
		fold.Digest++
	}
}
