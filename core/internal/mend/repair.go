// Package mend makes valid what a provider would refuse: the repairs of the rules that a wire format names, and thinking that is bound to
// what precedes it. It changes nothing in what is valid.
package mend

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/keep"
	"github.com/ctxfold/ctxfold/core/internal/policy"
	"github.com/ctxfold/ctxfold/core/internal/report"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Mender repairs a document.
type Mender struct {
	doc     *view.View
	policy  *policy.Policy
	authors *authorship.Authors
	keep    *keep.Keeper
	archive *handles.Archive
	ledger  *digest.Ledger // of what a repair folds
	report  *report.Report

	refused   []api.LeftViolation        // what the provider would refuse of the input
	late      int                        // tokens of the messages that came after the plan and are items now
	tolerated map[uint64]cases           // violations of the input that stay, by placeOf
	mended    bool                       // the input is: what is repaired from now on, a pass has brought
	renamed   map[uint64]transcript.Span // where in the source ids are, by the keys of those that were written
}

// New returns what repairs a document by a policy.
func New(doc *view.View, p *policy.Policy, authors *authorship.Authors, k *keep.Keeper, archive *handles.Archive, ledger *digest.Ledger, to *report.Report) *Mender {
	return &Mender{doc: doc, policy: p, authors: authors, keep: k, archive: archive, ledger: ledger, report: to}
}

// Refused lists what the provider would refuse of the input, after RepairInput or Repair.
func (md *Mender) Refused() []api.LeftViolation { return md.refused }

// ForgetLate returns how many tokens the messages have that came after the plan and have become items, for a run that ends with its input.
func (md *Mender) ForgetLate() (tokens int) {
	tokens, md.late = md.late, 0
	return tokens
}

// LostResult is what a repair answers a tool call with whose result is gone.
const LostResult = "[No result: it was lost before this point of the conversation]"

// EmptyResult is what a repair writes into a tool result that has nothing in it, where a provider wants something.
const EmptyResult = "[No output]"

// maxRepairs bounds how often a sequence is checked again after a repair; each round repairs all that the check found.
const maxRepairs = 8

// Repair repairs what makes the sequence invalid, deterministically, and changes nothing in a valid one. A pin does not keep a message from
// being repaired: what a provider refuses helps nobody. Messages that came after the plan stay as they are.
//
// What the provider tolerates stays as it came in, unless the policy wants all repaired. What a pass has brought is repaired: a result
// breaks no rule that the input kept. The report counts only what was repaired of the input; its actions list all.
func (md *Mender) Repair() {
	md.mendAll(func(wire.Violation) bool { return true })
	md.mended = true
	if md.doc.T.LoneBeside && !md.doc.Beside {
		md.doc.Beside = true
		md.report.Repaired++
		md.report.Act(api.Action{Action: repairAction[wire.Replace], Pass: "repair", Message: -1, Rule: "I8"})
	}
}

// RepairInput is repair for what came in. Half surrogate pairs stay until it is known which messages do: a digest has none.
func (md *Mender) RepairInput() {
	md.mendAll(func(v wire.Violation) bool { return v.Fix != wire.Replace })
	md.mended = true
}

// mendAll is repair for some violations.
func (md *Mender) mendAll(which func(wire.Violation) bool) {
	for range maxRepairs {
		violations := md.Violations()
		if md.tolerated == nil {
			md.tolerated, md.refused = map[uint64]cases{}, md.Named(violations)
			for _, v := range violations {
				if v.Severity == wire.Tolerated && md.policy.Repair != "all" {
					md.tolerated[placeOf(&v)] |= 1 << v.Case
				}
			}
		}
		if len(violations) == 0 {
			return
		}
		place := md.places()
		violations = slices.DeleteFunc(violations, func(v wire.Violation) bool { return !which(v) || md.came(&v, place) })
		if !md.mendFirst(violations) {
			return
		}
	}
}

// came reports whether a violation is one of the input's that stay. Two messages of one role in a row are another violation if a pass has
// put the first of them there.
func (md *Mender) came(v *wire.Violation, place places) bool {
	if v.Severity != wire.Tolerated || md.tolerated[placeOf(v)]>>v.Case&1 == 0 {
		return false
	}
	if v.Case != wire.SameRole {
		return true
	}
	for i := place.of(v.Message) - 1; i >= 0; i-- {
		if md.doc.T.Messages[md.doc.Items[i].Msg].Role != transcript.System {
			return md.doc.Items[i].In >= 0
		}
	}
	return true
}

// cases is a set of cases of rules.
type cases uint32

// placeOf is where a rule is broken, as one number: an index of the transcript's messages, and one of its parts or -1.
func placeOf(v *wire.Violation) uint64 { return uint64(uint32(v.Message))<<32 | uint64(uint32(v.Part)) }

// Violations are those of the list as it is now.
func (md *Mender) Violations() []wire.Violation {
	return md.doc.F.Check(md.doc.T, md.doc.Seq(), md.policy.OpenCalls == "answer")
}

// Named are those of some violations that the provider refuses, as a report names them.
func (md *Mender) Named(violations []wire.Violation) (left []api.LeftViolation) {
	if !wire.AnyRefused(violations) {
		return nil
	}
	place := md.places()
	for _, v := range violations {
		if v.Severity == wire.Refused {
			left = append(left, api.LeftViolation{Rule: v.Rule, Message: max(0, place.of(v.Message)), Text: v.Text})
		}
	}
	return left
}

// stage is when a fix is made: ids first, since what else is repaired writes them; turns last, since what else is repaired takes messages
// away and brings others.
func stage(f wire.Fix) int {
	switch f {
	case wire.RenameID:
		return 0
	case wire.AddTurn:
		return 2
	}
	return 1
}

// mendFirst repairs the next violations, and reports whether it could repair any.
func (md *Mender) mendFirst(violations []wire.Violation) bool {
	for s := range 3 {
		now := slices.DeleteFunc(slices.Clone(violations), func(v wire.Violation) bool { return stage(v.Fix) != s })
		if len(now) > 0 && md.mend(now) {
			return true
		}
	}
	return false
}

// mend applies the fixes of one check, from the last item to the first so that places stay right.
func (md *Mender) mend(violations []wire.Violation) bool {
	place := md.places()
	marks := make([]mark, len(md.doc.Items))
	inserts := map[int][]byte{}       // messages to put after an item; -1 is the front
	unanswered := map[int32][]int32{} // by message: the parts that are calls without result
	answered := map[int][]int32{}     // by item: the calls that are answered by what is put after it, in order
	var moved []move
	turns := map[int]transcript.Role{}
	var further map[int32][]int32
	opener, done := -1, false
	for _, v := range violations {
		at := place.of(v.Message)
		if at < 0 {
			continue
		}
		saved := 0
		switch v.Fix {
		case wire.None:
			continue
		case wire.DropMessage:
			marks[at] |= gone
		case wire.DropPart:
			if md.doc.T.Parts[v.Part].List == transcript.NoList {
				marks[at] |= gone
			} else {
				saved = md.doc.P.Parts(md.doc.T, md.doc.T.Parts[v.Part:int(v.Part)+1+len(md.doc.T.Inner(int(v.Part)))])
				md.doc.TakePart(v.Part)
				marks[at] |= touched
			}
		case wire.AddResult:
			unanswered[v.Message] = append(unanswered[v.Message], v.Part)
		case wire.RenameID:
			if further == nil {
				further = md.further()
			}
			if !md.rename(at, v.Part, further[v.Part], place, marks) {
				continue
			}
		case wire.AddUser:
			opener = at
		case wire.AddTurn:
			turns[at-1] = TurnRole(md.doc.T.Messages[md.doc.Items[at-1].Msg].Role, md.doc.T.Messages[v.Message].Role)
		case wire.WrapBody:
			body := md.doc.T.Parts[v.Part].Body
			text := string(md.doc.T.Bytes(body))
			if md.doc.T.IsString(body) {
				text = md.doc.T.Text(body)
			}
			value, size := md.doc.F.ResultBody(nil, md.doc.T, v.Part, text)
			md.doc.SetBody(v.Part, value, size)
			marks[at] |= touched
		case wire.FillBody:
			value, size := md.doc.F.ResultBody(nil, md.doc.T, v.Part, EmptyResult)
			md.doc.SetBody(v.Part, value, size)
			marks[at] |= touched
		case wire.Sign:
			p := &md.doc.T.Parts[v.Part]
			brace := transcript.Span{Start: p.Span.Start, End: p.Span.Start + 1}
			md.doc.Splice(p.Msg, brace, md.doc.T.Write(md.doc.F.Sign(nil, md.doc.T.Bytes(p.Span))))
			p.Flags |= transcript.Signed
			marks[at] |= touched
		case wire.DropCaller:
			md.dropCaller(v.Part)
			marks[at] |= touched
		case wire.Replace:
			if md.replaceLone(v.Message) {
				marks[at] |= gone
			}
			marks[at] |= touched
		case wire.AddReasoning:
			md.think(v.Message)
			marks[at] |= touched
		case wire.MoveResult:
			if md.doc.F.Rules.Answers == wire.OneMessage {
				call := place.of(md.doc.T.Parts[md.doc.T.Parts[v.Part].Pair].Msg)
				if call < 0 {
					continue
				}
				marks[call] |= gathered
				break
			}
			m, ok := md.moveResult(at, v.Part, place, marks)
			if !ok {
				continue
			}
			moved = append(moved, m)
		}
		done = true
		if !md.mended || v.Fix == wire.Replace {
			md.report.Repaired++
		}
		md.report.Act(api.Action{Action: repairAction[v.Fix], Pass: "repair", Message: int(md.doc.Items[at].In), Tokens: saved, Rule: v.Rule})
	}
	for at := range md.doc.Items {
		switch calls := unanswered[md.doc.Items[at].Msg]; {
		case len(calls) > 0 && md.doc.F.Answer != nil:
			md.answer(at, calls)
		case marks[at]&gathered != 0 || len(calls) > 0 && md.doc.F.Rules.Answers == wire.OneMessage:
			inserts[at], answered[at] = md.gather(at, calls, place, marks)
		case len(calls) > 0:
			inserts[at], answered[at] = md.doc.F.Results(nil, md.calls(calls), LostResult), calls
		}
	}
	if opener >= 0 {
		if inserts[opener-1] != nil {
			inserts[opener-1] = append(inserts[opener-1], ',')
		}
		inserts[opener-1] = append(inserts[opener-1], md.doc.NewMessage(max(0, opener-1), transcript.User, authorship.OpeningText)...)
	}
	for at, role := range turns {
		if inserts[at] == nil { // what is inserted there may already separate them
			inserts[at] = md.doc.NewMessage(at, role, authorship.TurnText)
		}
	}
	for at := range md.doc.Items {
		if marks[at]&(touched|drained) != 0 {
			md.doc.Remeasure(at)
		}
		if marks[at]&drained != 0 && md.empty(at) {
			marks[at] |= gone
		}
	}
	md.rebuild(marks, inserts, answered, moved)
	return done
}

// TurnRole is the role of a message between messages of two roles, so that the roles take turns.
func TurnRole(before, after transcript.Role) transcript.Role {
	if after == transcript.User || after == transcript.System && before == transcript.Tool {
		return transcript.Assistant
	}
	return transcript.User
}

// dropCaller makes a tool call one that the model has made itself.
func (md *Mender) dropCaller(part int32) {
	p := &md.doc.T.Parts[part]
	caller, _ := wire.CallerOf(md.doc.T.Bytes(p.Span))
	member := transcript.Span{Start: p.Span.Start + caller.Member.Start, End: p.Span.Start + caller.Member.End}
	md.doc.Splice(p.Msg, md.doc.Member(member, p.Span), transcript.Span{})
	p.Flags, p.Caller = p.Flags&^transcript.Called, 0
}

// gather writes one message with the results of an item's calls, in the order of the calls: those that they have, which
// are taken from where they are, and lost ones for those in unanswered. It returns the calls that it answers. Calls that
// are still open stay so. The items that it takes from are drained.
func (md *Mender) gather(item int, unanswered []int32, place places, marks []mark) ([]byte, []int32) {
	var calls []int32
	var results []wire.Call
	msg := &md.doc.T.Messages[md.doc.Items[item].Msg]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &md.doc.T.Parts[n]
		if p.Kind != transcript.ToolCall || p.Has(transcript.Removed) {
			continue
		}
		call := wire.CallOf(md.doc.T, n)
		from := -1
		if p.Pair >= 0 && !md.doc.T.Parts[p.Pair].Has(transcript.Removed) {
			from = place.of(md.doc.T.Parts[p.Pair].Msg)
		}
		switch {
		case from >= 0:
			call.Result = md.doc.AppendPart(nil, p.Pair)
			md.doc.TakePart(p.Pair)
			marks[from] |= drained
			p.Pair = -1
		case len(unanswered) == 0 || unanswered[0] != n: // they are in order
			continue
		default:
			unanswered = unanswered[1:]
		}
		calls, results = append(calls, n), append(results, call)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	return md.doc.F.Results(nil, results, LostResult), calls
}

// empty reports whether all parts of an item are gone.
func (md *Mender) empty(item int) bool {
	return !slices.ContainsFunc(md.doc.T.PartsOf(int(md.doc.Items[item].Msg)), func(p transcript.Part) bool { return !p.Has(transcript.Removed | transcript.Mark) })
}

var repairAction = map[wire.Fix]api.ActionName{
	wire.DropMessage: api.ActionDrop, wire.DropPart: api.ActionDrop, wire.AddResult: api.ActionInsert, wire.RenameID: api.ActionRename,
	wire.AddUser: api.ActionInsert, wire.MoveResult: api.ActionMove, wire.AddTurn: api.ActionInsert, wire.WrapBody: api.ActionWrap, wire.Sign: api.ActionSign,
	wire.DropCaller: api.ActionDrop, wire.Replace: api.ActionReplace, wire.AddReasoning: api.ActionAdd, wire.FillBody: api.ActionReplace,
}

// think gives a message empty reasoning.
func (md *Mender) think(m int32) {
	msg := &md.doc.T.Messages[m]
	at, text := md.doc.F.Think(md.doc.T.Bytes(msg.Span))
	old := transcript.Span{Start: msg.Span.Start + at.Start, End: msg.Span.Start + at.End}
	md.doc.Splice(m, old, md.doc.T.Write([]byte(text)))
	msg.Reasoned = true
}

// replaceLone puts U+FFFD in place of each half surrogate pair of a message. Reasoning that is signed has to go where it holds one, since
// its signature is of another text then; it reports whether that is the whole message.
func (md *Mender) replaceLone(m int32) (gone bool) {
	msg := &md.doc.T.Messages[m]
	text := md.doc.T.Write([]byte(jsonspan.Replacement))
	b := md.doc.T.Bytes(msg.Span)
	var signed []int32 // in the order of the messages, which is not the order of all parts
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if p := &md.doc.T.Parts[n]; p.Kind == transcript.Reasoning && p.Has(transcript.Signed) {
			signed = append(signed, n)
		}
	}
	sorting.Func(signed, func(a, b int32) int { return cmp.Compare(md.doc.T.Parts[a].Span.Start, md.doc.T.Parts[b].Span.Start) })
	for _, at := range jsonspan.Lone(b, transcript.Span{End: uint32(len(b))}) {
		at += msg.Span.Start
		for len(signed) > 0 && md.doc.T.Parts[signed[0]].Span.End <= at {
			signed = signed[1:]
		}
		if len(signed) > 0 && md.doc.T.Parts[signed[0]].Span.Start <= at {
			md.doc.TakePart(signed[0])
			gone = gone || md.doc.T.Parts[signed[0]].List == transcript.NoList
		}
		md.doc.Splice(m, transcript.Span{Start: at, End: at + text.End - text.Start}, text)
	}
	msg.Lone = false
	return gone
}

// calls are tool calls as a format's Results takes them.
func (md *Mender) calls(parts []int32) []wire.Call {
	calls := make([]wire.Call, len(parts))
	for i, n := range parts {
		calls[i] = wire.CallOf(md.doc.T, n)
	}
	return calls
}

// answer writes the message of an item again, with results in the parts that are calls without one.
func (md *Mender) answer(item int, calls []int32) {
	for _, n := range calls {
		p := &md.doc.T.Parts[n]
		md.doc.Splice(p.Msg, p.Span, md.doc.T.Write(md.doc.F.Answer(nil, md.doc.T.Bytes(p.Span), LostResult)))
		for k := p.Copy; k > 0; k = md.doc.T.Parts[k-1].Copy {
			if q := &md.doc.T.Parts[k-1]; q.List >= 0 {
				md.doc.Splice(q.Msg, q.Span, md.doc.T.Write(md.doc.F.Answer(nil, md.doc.T.Bytes(q.Span), LostResult)))
			}
		}
	}
	md.doc.Items[item].Dirty = true
	md.doc.Replace(item, md.doc.AppendMessage(nil, &md.doc.Items[item]))
}

// move takes an item to after another one. A new message, if there is one, goes there instead.
type move struct {
	from, behind int
	text         []byte
}

// moveResult plans how a tool result gets directly after its call: with its message, or, where that holds more, alone.
func (md *Mender) moveResult(at int, part int32, place places, marks []mark) (move, bool) {
	p := &md.doc.T.Parts[part]
	if p.Has(transcript.Removed) { // it has moved for another rule
		return move{}, false
	}
	call := place.of(md.doc.T.Parts[p.Pair].Msg)
	if call < 0 {
		return move{}, false
	}
	if p.List == transcript.NoList {
		return move{from: at, behind: md.behind(call)}, true
	}
	alone := true
	for _, other := range md.doc.T.PartsOf(int(md.doc.Items[at].Msg)) {
		alone = alone && (other.Has(transcript.Removed) || other.Parent >= 0 || other.Kind == transcript.ToolResult && other.Pair >= 0 &&
			md.doc.T.Parts[other.Pair].Msg == md.doc.T.Parts[p.Pair].Msg)
	}
	if alone && md.doc.F.Stamp == "" { // a message that moves keeps its date
		return move{from: at, behind: call}, true
	}
	text := md.doc.F.Wrap(nil, md.doc.F.Rules.ResultRole, md.doc.AppendPart(nil, part), md.doc.T.Bytes(md.doc.T.Messages[p.Msg].Span))
	md.doc.TakePart(part)
	marks[at] |= touched
	// The pair is linked again when the new message is read.
	md.doc.T.Parts[p.Pair].Pair = -1
	return move{from: -1, behind: call, text: text}, true
}

// behind is the item after which a result goes whose call an item has: that or, where order tells results apart, the last of those that are
// there.
func (md *Mender) behind(call int) int {
	for md.doc.F.Rules.Ordered && call+1 < len(md.doc.Items) && md.doc.T.Messages[md.doc.Items[call+1].Msg].Role == transcript.Tool {
		call++
	}
	return call
}

// rebuild makes the new list of items: without those gone, with inserts after their items and moved items in their places. What answers
// calls is linked to just these, since ids do not always tell.
func (md *Mender) rebuild(marks []mark, inserts map[int][]byte, answered map[int][]int32, moved []move) {
	if len(inserts) == 0 && len(moved) == 0 && !slices.ContainsFunc(marks, func(m mark) bool { return m&gone != 0 }) {
		return
	}
	behind := map[int][]move{}
	for _, m := range moved {
		if m.from >= 0 {
			if marks[m.from]&away != 0 || m.from == m.behind {
				continue
			}
			marks[m.from] |= away
		}
		behind[m.behind] = append(behind[m.behind], m)
	}
	part := len(md.doc.T.Parts)
	old := slices.Clone(md.doc.Items)
	md.doc.Items = md.doc.Items[:0]
	for i := -1; i < len(old); i++ {
		if i >= 0 {
			if marks[i]&gone != 0 {
				md.doc.Total -= old[i].Tokens
			} else if marks[i]&away == 0 {
				md.doc.Items = append(md.doc.Items, old[i])
			}
		}
		for _, m := range behind[i] {
			if m.from >= 0 && marks[m.from]&gone == 0 {
				md.doc.Items = append(md.doc.Items, old[m.from])
			} else if m.from < 0 {
				md.doc.InsertMore(len(md.doc.Items), m.text)
			}
		}
		if text := inserts[i]; text != nil {
			first := int32(len(md.doc.T.Parts))
			md.doc.InsertMore(len(md.doc.Items), text)
			md.link(first, answered[i])
		}
	}
	md.doc.F.Pair(md.doc.T, part)
}

// link pairs the tool results from part index first on with calls, one by one.
func (md *Mender) link(first int32, calls []int32) {
	for n := first; n < int32(len(md.doc.T.Parts)) && len(calls) > 0; n++ {
		r := &md.doc.T.Parts[n]
		if r.Kind != transcript.ToolResult || r.Parent >= 0 {
			continue
		}
		for _, old := range [...]int32{r.Pair, md.doc.T.Parts[calls[0]].Pair} {
			if old >= 0 {
				md.doc.T.Parts[old].Pair = -1
			}
		}
		r.Pair, md.doc.T.Parts[calls[0]].Pair = calls[0], n
		calls = calls[1:]
	}
}
