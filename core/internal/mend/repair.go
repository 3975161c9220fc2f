// Package mend repairs what a provider would refuse: violations of a wire format's rules, and thinking that is bound to what precedes it.
// It changes nothing that is valid.
package mend

import (
	"cmp"
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// Run is a run whose view is repaired.
type Run struct {
	handles.Run
	Refused   []api.LeftViolation        // what the provider would refuse in the input
	Late      int                        // tokens of the messages that came after the plan and are now items
	tolerated map[uint64]cases           // violations in the input that stay, by placeOf
	mended    bool                       // the input is repaired: later violations were caused by a pass
	renamed   map[uint64]transcript.Span // the positions of ids in the source, by the keys of those that were written
}

// LostResult is the result with which a repair answers a tool call whose own result is gone.
const LostResult = "[No result: it was lost before this point of the conversation]"

// EmptyResult is the body that a repair gives to an empty tool result if the provider requires one.
const EmptyResult = "[No output]"

// maxRepairs limits how often a sequence is checked again after a repair; each round repairs everything that the check found.
const maxRepairs = 8

// Repair repairs what makes the sequence invalid, deterministically, and changes nothing in a valid one. Pinned messages are repaired too,
// because a refused request helps nobody. Messages that came after the plan stay as they are.
//
// Violations in the input that the provider tolerates stay, unless the policy wants everything repaired. Violations that a pass has caused
// are repaired: a result breaks no rule that the input kept. The report counts only repairs of the input; its actions list all.
func (c *Run) Repair() {
	c.mendAll(func(wire.Violation) bool { return true })
	c.mended = true
	if c.T.LoneBeside && !c.Beside {
		c.Beside = true
		c.Report.Repaired++
		c.Act(api.Action{Action: repairAction[wire.Replace], Pass: "repair", Message: -1, Rule: "I8"})
	}
}

// RepairInput does what Repair does for the input. Lone surrogates stay until it is known which messages stay: a digest has none.
func (c *Run) RepairInput() {
	c.mendAll(func(v wire.Violation) bool { return v.Fix != wire.Replace })
	c.mended = true
}

// mendAll repairs the violations that which accepts.
func (c *Run) mendAll(which func(wire.Violation) bool) {
	for range maxRepairs {
		violations := c.Violations()
		if c.tolerated == nil {
			c.tolerated, c.Refused = map[uint64]cases{}, c.Named(violations)
			for _, v := range violations {
				if v.Severity == wire.Tolerated && c.Policy.Repair != "all" {
					c.tolerated[placeOf(&v)] |= 1 << v.Case
				}
			}
		}
		if len(violations) == 0 {
			return
		}
		place := c.places()
		violations = slices.DeleteFunc(violations, func(v wire.Violation) bool { return !which(v) || c.came(&v, place) })
		if !c.mendFirst(violations) {
			return
		}
	}
}

// came reports whether a violation is in the input and stays. Two consecutive messages of one role are a different violation if a pass has
// put the first of them there.
func (c *Run) came(v *wire.Violation, place places) bool {
	if v.Severity != wire.Tolerated || c.tolerated[placeOf(v)]>>v.Case&1 == 0 {
		return false
	}
	if v.Case != wire.SameRole {
		return true
	}
	for i := place.of(v.Message) - 1; i >= 0; i-- {
		if c.T.Messages[c.Items[i].Msg].Role != transcript.System {
			return c.Items[i].In >= 0
		}
	}
	return true
}

// cases is a set of cases of rules.
type cases uint32

// placeOf returns where a rule is broken as one number: the index of a message, and that of a part, or -1.
func placeOf(v *wire.Violation) uint64 { return uint64(uint32(v.Message))<<32 | uint64(uint32(v.Part)) }

// Violations returns the violations in the current list.
func (c *Run) Violations() []wire.Violation {
	return c.F.Check(c.T, c.Seq(), c.Policy.OpenCalls == "answer")
}

// Named returns those of some violations that the provider refuses, in the words of a report.
func (c *Run) Named(violations []wire.Violation) (left []api.LeftViolation) {
	if !wire.AnyRefused(violations) {
		return nil
	}
	place := c.places()
	for _, v := range violations {
		if v.Severity == wire.Refused {
			left = append(left, api.LeftViolation{Rule: v.Rule, Message: max(0, place.of(v.Message)), Text: v.Text})
		}
	}
	return left
}

// stage returns when a fix is made: ids first, since other repairs write them; roles last, since other repairs remove and add messages.
func stage(f wire.Fix) int {
	switch f {
	case wire.RenameID:
		return 0
	case wire.AddTurn:
		return 2
	}
	return 1
}

// mendFirst repairs the next violations, and reports whether it repaired any.
func (c *Run) mendFirst(violations []wire.Violation) bool {
	for s := range 3 {
		now := slices.DeleteFunc(slices.Clone(violations), func(v wire.Violation) bool { return stage(v.Fix) != s })
		if len(now) > 0 && c.mend(now) {
			return true
		}
	}
	return false
}

// mend applies the fixes of one check, from the last item to the first so that positions stay valid.
func (c *Run) mend(violations []wire.Violation) bool {
	place := c.places()
	marks := make([]mark, len(c.Items))
	inserts := map[int][]byte{}       // messages to insert after an item; -1 is the front
	unanswered := map[int32][]int32{} // for each message: the parts that are calls without a result
	answered := map[int][]int32{}     // for each item: the calls that are answered by what is inserted after it, in order
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
			if c.T.Parts[v.Part].List == transcript.NoList {
				marks[at] |= gone
			} else {
				saved = c.P.Parts(c.T, c.T.Parts[v.Part:int(v.Part)+1+len(c.T.Inner(int(v.Part)))])
				c.TakePart(v.Part)
				marks[at] |= touched
			}
		case wire.AddResult:
			unanswered[v.Message] = append(unanswered[v.Message], v.Part)
		case wire.RenameID:
			if further == nil {
				further = c.further()
			}
			if !c.rename(at, v.Part, further[v.Part], place, marks) {
				continue
			}
		case wire.AddUser:
			opener = at
		case wire.AddTurn:
			turns[at-1] = TurnRole(c.T.Messages[c.Items[at-1].Msg].Role, c.T.Messages[v.Message].Role)
		case wire.WrapBody:
			body := c.T.Parts[v.Part].Body
			text := string(c.T.Bytes(body))
			if c.T.IsString(body) {
				text = c.T.Text(body)
			}
			value, size := c.F.ResultBody(nil, c.T, v.Part, text)
			c.SetBody(v.Part, value, size)
			marks[at] |= touched
		case wire.FillBody:
			value, size := c.F.ResultBody(nil, c.T, v.Part, EmptyResult)
			c.SetBody(v.Part, value, size)
			marks[at] |= touched
		case wire.Sign:
			p := &c.T.Parts[v.Part]
			brace := transcript.Span{Start: p.Span.Start, End: p.Span.Start + 1}
			c.Splice(p.Msg, brace, c.T.Write(c.F.Sign(nil, c.T.Bytes(p.Span))))
			p.Flags |= transcript.Signed
			marks[at] |= touched
		case wire.DropCaller:
			c.dropCaller(v.Part)
			marks[at] |= touched
		case wire.Replace:
			if c.replaceLone(v.Message) {
				marks[at] |= gone
			}
			marks[at] |= touched
		case wire.AddReasoning:
			c.think(v.Message)
			marks[at] |= touched
		case wire.MoveResult:
			if c.F.Rules.Answers == wire.OneMessage {
				call := place.of(c.T.Parts[c.T.Parts[v.Part].Pair].Msg)
				if call < 0 {
					continue
				}
				marks[call] |= gathered
				break
			}
			m, ok := c.moveResult(at, v.Part, place, marks)
			if !ok {
				continue
			}
			moved = append(moved, m)
		}
		done = true
		if !c.mended || v.Fix == wire.Replace {
			c.Report.Repaired++
		}
		c.Act(api.Action{Action: repairAction[v.Fix], Pass: "repair", Message: int(c.Items[at].In), Tokens: saved, Rule: v.Rule})
	}
	for at := range c.Items {
		switch calls := unanswered[c.Items[at].Msg]; {
		case len(calls) > 0 && c.F.Answer != nil:
			c.answer(at, calls)
		case marks[at]&gathered != 0 || len(calls) > 0 && c.F.Rules.Answers == wire.OneMessage:
			inserts[at], answered[at] = c.gather(at, calls, place, marks)
		case len(calls) > 0:
			inserts[at], answered[at] = c.F.Results(nil, c.calls(calls), LostResult), calls
		}
	}
	if opener >= 0 {
		if inserts[opener-1] != nil {
			inserts[opener-1] = append(inserts[opener-1], ',')
		}
		inserts[opener-1] = append(inserts[opener-1], c.NewMessage(max(0, opener-1), transcript.User, view.OpeningText)...)
	}
	for at, role := range turns {
		if inserts[at] == nil { // an insertion there may already separate them
			inserts[at] = c.NewMessage(at, role, view.TurnText)
		}
	}
	for at := range c.Items {
		if marks[at]&(touched|drained) != 0 {
			c.Remeasure(at)
		}
		if marks[at]&drained != 0 && c.empty(at) {
			marks[at] |= gone
		}
	}
	c.rebuild(marks, inserts, answered, moved)
	return done
}

// TurnRole returns the role of a message inserted between messages of two roles so that the roles alternate.
func TurnRole(before, after transcript.Role) transcript.Role {
	if after == transcript.User || after == transcript.System && before == transcript.Tool {
		return transcript.Assistant
	}
	return transcript.User
}

// dropCaller makes a tool call one that the model itself has made.
func (c *Run) dropCaller(part int32) {
	p := &c.T.Parts[part]
	caller, _ := wire.CallerOf(c.T.Bytes(p.Span))
	member := transcript.Span{Start: p.Span.Start + caller.Member.Start, End: p.Span.Start + caller.Member.End}
	c.Splice(p.Msg, c.Member(member, p.Span), transcript.Span{})
	p.Flags, p.Caller = p.Flags&^transcript.Called, 0
}

// gather writes one message with the results of an item's calls, in the order of the calls: existing ones, which are moved, and lost ones
// for those in unanswered. It returns the calls that it answers. Calls that are still open stay open. Items that lose results are marked as
// drained.
func (c *Run) gather(item int, unanswered []int32, place places, marks []mark) ([]byte, []int32) {
	var calls []int32
	var results []wire.Call
	msg := &c.T.Messages[c.Items[item].Msg]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &c.T.Parts[n]
		if p.Kind != transcript.ToolCall || p.Has(transcript.Removed) {
			continue
		}
		call := wire.CallOf(c.T, n)
		from := -1
		if p.Pair >= 0 && !c.T.Parts[p.Pair].Has(transcript.Removed) {
			from = place.of(c.T.Parts[p.Pair].Msg)
		}
		switch {
		case from >= 0:
			call.Result = c.AppendPart(nil, p.Pair)
			c.TakePart(p.Pair)
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
	return c.F.Results(nil, results, LostResult), calls
}

// empty reports whether all parts of an item were removed.
func (c *Run) empty(item int) bool {
	return !slices.ContainsFunc(c.T.PartsOf(int(c.Items[item].Msg)), func(p transcript.Part) bool { return !p.Has(transcript.Removed | transcript.Mark) })
}

var repairAction = map[wire.Fix]api.ActionName{
	wire.DropMessage: api.ActionDrop, wire.DropPart: api.ActionDrop, wire.AddResult: api.ActionInsert, wire.RenameID: api.ActionRename,
	wire.AddUser: api.ActionInsert, wire.MoveResult: api.ActionMove, wire.AddTurn: api.ActionInsert, wire.WrapBody: api.ActionWrap, wire.Sign: api.ActionSign,
	wire.DropCaller: api.ActionDrop, wire.Replace: api.ActionReplace, wire.AddReasoning: api.ActionAdd, wire.FillBody: api.ActionReplace,
}

// think gives a message empty reasoning.
func (c *Run) think(m int32) {
	msg := &c.T.Messages[m]
	at, text := c.F.Think(c.T.Bytes(msg.Span))
	old := transcript.Span{Start: msg.Span.Start + at.Start, End: msg.Span.Start + at.End}
	c.Splice(m, old, c.T.Write([]byte(text)))
	msg.Reasoned = true
}

// replaceLone replaces each lone surrogate of a message with U+FFFD. Signed reasoning that contains one is removed, because its signature
// would no longer match; it reports whether that is the whole message.
func (c *Run) replaceLone(m int32) (gone bool) {
	msg := &c.T.Messages[m]
	text := c.T.Write([]byte(jsonspan.Replacement))
	b := c.T.Bytes(msg.Span)
	var signed []int32 // in the order of the messages, which is not the order of all parts
	for n := msg.First; n < msg.First+msg.Count; n++ {
		if p := &c.T.Parts[n]; p.Kind == transcript.Reasoning && p.Has(transcript.Signed) {
			signed = append(signed, n)
		}
	}
	sorting.Func(signed, func(a, b int32) int { return cmp.Compare(c.T.Parts[a].Span.Start, c.T.Parts[b].Span.Start) })
	for _, at := range jsonspan.Lone(b, transcript.Span{End: uint32(len(b))}) {
		at += msg.Span.Start
		for len(signed) > 0 && c.T.Parts[signed[0]].Span.End <= at {
			signed = signed[1:]
		}
		if len(signed) > 0 && c.T.Parts[signed[0]].Span.Start <= at {
			c.TakePart(signed[0])
			gone = gone || c.T.Parts[signed[0]].List == transcript.NoList
		}
		c.Splice(m, transcript.Span{Start: at, End: at + text.End - text.Start}, text)
	}
	msg.Lone = false
	return gone
}

// calls returns tool calls in the form that a format's Results takes.
func (c *Run) calls(parts []int32) []wire.Call {
	calls := make([]wire.Call, len(parts))
	for i, n := range parts {
		calls[i] = wire.CallOf(c.T, n)
	}
	return calls
}

// answer rewrites the message of an item, with results in the parts that are calls without one.
func (c *Run) answer(item int, calls []int32) {
	for _, n := range calls {
		p := &c.T.Parts[n]
		c.Splice(p.Msg, p.Span, c.T.Write(c.F.Answer(nil, c.T.Bytes(p.Span), LostResult)))
		for k := p.Copy; k > 0; k = c.T.Parts[k-1].Copy {
			if q := &c.T.Parts[k-1]; q.List >= 0 {
				c.Splice(q.Msg, q.Span, c.T.Write(c.F.Answer(nil, c.T.Bytes(q.Span), LostResult)))
			}
		}
	}
	c.Items[item].Dirty = true
	c.Replace(item, c.AppendMessage(nil, &c.Items[item]))
}

// move moves an item to after another one. A new message, if there is one, goes there instead.
type move struct {
	from, behind int
	text         []byte
}

// moveResult plans how to move a tool result directly after its call: with its message or, if that contains more, alone.
func (c *Run) moveResult(at int, part int32, place places, marks []mark) (move, bool) {
	p := &c.T.Parts[part]
	if p.Has(transcript.Removed) { // another rule has moved it
		return move{}, false
	}
	call := place.of(c.T.Parts[p.Pair].Msg)
	if call < 0 {
		return move{}, false
	}
	if p.List == transcript.NoList {
		return move{from: at, behind: c.behind(call)}, true
	}
	alone := true
	for _, other := range c.T.PartsOf(int(c.Items[at].Msg)) {
		alone = alone && (other.Has(transcript.Removed) || other.Parent >= 0 || other.Kind == transcript.ToolResult && other.Pair >= 0 &&
			c.T.Parts[other.Pair].Msg == c.T.Parts[p.Pair].Msg)
	}
	if alone && c.F.Stamp == "" { // a moved message keeps its date
		return move{from: at, behind: call}, true
	}
	text := c.F.Wrap(nil, c.F.Rules.ResultRole, c.AppendPart(nil, part), c.T.Bytes(c.T.Messages[p.Msg].Span))
	c.TakePart(part)
	marks[at] |= touched
	// The pair is linked when the new message is read.
	c.T.Parts[p.Pair].Pair = -1
	return move{from: -1, behind: call, text: text}, true
}

// behind returns the item after which the result of an item's call goes: the item itself or, if the order identifies results, the last of
// the existing results.
func (c *Run) behind(call int) int {
	for c.F.Rules.Ordered && call+1 < len(c.Items) && c.T.Messages[c.Items[call+1].Msg].Role == transcript.Tool {
		call++
	}
	return call
}

// rebuild builds the new list of items: without removed ones, with insertions after their items and moved items in their places. Answers
// are linked to exactly their calls, since ids are not always enough.
func (c *Run) rebuild(marks []mark, inserts map[int][]byte, answered map[int][]int32, moved []move) {
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
	part := len(c.T.Parts)
	old := slices.Clone(c.Items)
	c.Items = c.Items[:0]
	for i := -1; i < len(old); i++ {
		if i >= 0 {
			if marks[i]&gone != 0 {
				c.Total -= old[i].Tokens
			} else if marks[i]&away == 0 {
				c.Items = append(c.Items, old[i])
			}
		}
		for _, m := range behind[i] {
			if m.from >= 0 && marks[m.from]&gone == 0 {
				c.Items = append(c.Items, old[m.from])
			} else if m.from < 0 {
				c.InsertMore(len(c.Items), m.text)
			}
		}
		if text := inserts[i]; text != nil {
			first := int32(len(c.T.Parts))
			c.InsertMore(len(c.Items), text)
			c.link(first, answered[i])
		}
	}
	c.F.Pair(c.T, part)
}

// link pairs the tool results from part index first on with calls, one by one.
func (c *Run) link(first int32, calls []int32) {
	for n := first; n < int32(len(c.T.Parts)) && len(calls) > 0; n++ {
		r := &c.T.Parts[n]
		if r.Kind != transcript.ToolResult || r.Parent >= 0 {
			continue
		}
		for _, old := range [...]int32{r.Pair, c.T.Parts[calls[0]].Pair} {
			if old >= 0 {
				c.T.Parts[old].Pair = -1
			}
		}
		r.Pair, c.T.Parts[calls[0]].Pair = calls[0], n
		calls = calls[1:]
	}
}
