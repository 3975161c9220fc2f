package mend

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/authorship"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// fixer applies the fixes for one check. It edits messages immediately but collects changes to the list of items,
// which is rebuilt at the end, so that positions stay valid until then.
type fixer struct {
	md    *Mender    // the Mender
	doc   *view.View // the document to repair
	place places     // the positions of messages
	marks []mark     // by item

	inserts    map[int][]byte    // messages to insert after an item; -1 means the front
	unanswered map[int32][]int32 // by message: the part indexes of calls without results
	// By item: the calls that are answered by the message inserted after it, in order.
	answered map[int][]int32
	moved    []move                  // the moves, in the order of the violations
	turns    map[int]transcript.Role // by item: the role of a message to insert after it so that the roles alternate
	// By call: its results besides the one that it is paired with; computed on demand.
	others map[int32][]int32
	opener int // the item before which a first user message is inserted, or -1
}

func (md *Mender) newFixer() *fixer {
	return &fixer{md: md, doc: md.doc, place: md.places(), marks: make([]mark, len(md.doc.Items)),
		inserts:    map[int][]byte{},
		unanswered: map[int32][]int32{}, answered: map[int][]int32{}, turns: map[int]transcript.Role{}, opener: -1}
}

// fixes lists, for each fix, the name of its action in the report and the function that applies it to the item at index
// at. The function returns the number of tokens saved; ok is false if it did nothing.
var fixes = [...]struct {
	action api.ActionName
	do     func(r *fixer, at int, v *wire.Violation) (saved int, ok bool)
}{
	wire.DropMessage: {api.ActionDrop, func(r *fixer, at int, _ *wire.Violation) (int, bool) { return r.mark(at, gone) }},
	wire.DropPart:    {api.ActionDrop, (*fixer).dropPart},
	wire.AddResult: {api.ActionInsert, func(r *fixer, _ int, v *wire.Violation) (int, bool) {
		r.unanswered[v.Message] = append(r.unanswered[v.Message], v.Part)
		return 0, true
	}},
	wire.RenameID: {api.ActionRename, (*fixer).rename},
	wire.AddUser: {api.ActionInsert, func(r *fixer, at int, _ *wire.Violation) (int, bool) {
		r.opener = at
		return 0, true
	}},
	wire.MoveResult: {api.ActionMove, (*fixer).moveResult},
	wire.AddTurn: {api.ActionInsert, func(r *fixer, at int, v *wire.Violation) (int, bool) {
		t := r.doc.T
		r.turns[at-1] = TurnRole(t.Messages[r.doc.Items[at-1].Msg].Role, t.Messages[v.Message].Role)
		return 0, true
	}},
	wire.WrapBody: {api.ActionWrap, func(r *fixer, at int, v *wire.Violation) (int, bool) {
		t := r.doc.T
		body := t.Parts[v.Part].Body
		if t.IsString(body) {
			return r.setBody(at, v.Part, t.Text(body))
		}
		return r.setBody(at, v.Part, string(t.Bytes(body)))
	}},
	wire.FillBody: {api.ActionReplace, func(r *fixer, at int, v *wire.Violation) (int, bool) { return r.setBody(at, v.Part, EmptyResult) }},
	wire.Sign: {api.ActionSign, func(r *fixer, at int, v *wire.Violation) (int, bool) {
		p := &r.doc.T.Parts[v.Part]
		brace := transcript.Span{Start: p.Span.Start, End: p.Span.Start + 1}
		r.doc.Splice(p.Msg, brace, r.doc.T.WriteToArena(r.doc.F.Sign(nil, r.doc.T.Bytes(p.Span))))
		p.Flags |= transcript.Signed
		return r.mark(at, touched)
	}},
	wire.DropCaller: {api.ActionDrop, func(r *fixer, at int, v *wire.Violation) (int, bool) {
		r.md.dropCaller(v.Part)
		return r.mark(at, touched)
	}},
	wire.Replace: {api.ActionReplace, func(r *fixer, at int, v *wire.Violation) (int, bool) {
		if r.md.replaceLone(v.Message) {
			r.mark(at, gone)
		}
		return r.mark(at, touched)
	}},
	wire.AddReasoning: {api.ActionAdd, func(r *fixer, at int, v *wire.Violation) (int, bool) {
		r.md.think(v.Message)
		return r.mark(at, touched)
	}},
}

// fix applies the fixes of some violations. It returns false if it couldn't apply any.
func (r *fixer) fix(violations []wire.Violation) (done bool) {
	for i := range violations {
		v := &violations[i]
		at := r.place.of(v.Message)
		if at < 0 || fixes[v.Fix].do == nil {
			continue
		}
		saved, ok := fixes[v.Fix].do(r, at, v)
		if !ok {
			continue
		}
		done = true
		if !r.md.mended || v.Fix == wire.Replace {
			r.md.report.Repaired++
		}
		r.md.report.AddAction(api.Action{Action: fixes[v.Fix].action, Pass: "repair", Message: int(r.doc.Items[at].In),
			Tokens: saved, Rule: v.Rule})
	}
	r.answer()
	r.open()
	for at := range r.doc.Items {
		if r.marks[at]&(touched|drained) != 0 {
			r.doc.Remeasure(at)
		}
		if r.marks[at]&drained != 0 && r.empty(at) {
			r.marks[at] |= gone
		}
	}
	r.rebuild()
	return done
}

// mark marks an item. It returns 0 and true, the results of a successful fix that saves nothing.
func (r *fixer) mark(at int, m mark) (saved int, ok bool) {
	r.marks[at] |= m
	return 0, true
}

// dropPart removes the part of a violation from its message, or the whole message if it has no other content. Like
// every fix, it returns the number of tokens that it saves, and false if it couldn't be made.
func (r *fixer) dropPart(at int, v *wire.Violation) (saved int, ok bool) {
	t := r.doc.T
	if t.Parts[v.Part].List == transcript.NoList {
		return r.mark(at, gone)
	}
	saved = r.doc.P.Parts(t, t.Parts[v.Part:int(v.Part)+1+len(t.InnerParts(int(v.Part)))])
	r.doc.TakePart(v.Part)
	r.marks[at] |= touched
	return saved, true
}

// setBody replaces the body of a tool result with text. Its results are those of mark. part is the part of the result
// in item at.
func (r *fixer) setBody(at int, part int32, text string) (saved int, ok bool) {
	value, size := r.doc.ResultBody(part, text)
	r.doc.SetBody(part, value, size)
	return r.mark(at, touched)
}

// answer adds results for calls that have none, and gathers results that must be in a single message.
func (r *fixer) answer() {
	for at := range r.doc.Items {
		switch calls := r.unanswered[r.doc.Items[at].Msg]; {
		case len(calls) > 0 && r.doc.F.Answer != nil:
			r.answerInside(at, calls)
		case r.marks[at]&gathered != 0 || len(calls) > 0 && r.doc.F.Rules.Answers == wire.OneMessage:
			r.inserts[at], r.answered[at] = r.gather(at, calls)
		case len(calls) > 0:
			r.inserts[at], r.answered[at] = r.doc.F.Results(nil, r.calls(calls), LostResult), calls
		}
	}
}

// open inserts a first user message, and messages that make the roles alternate.
func (r *fixer) open() {
	if before := r.opener - 1; r.opener >= 0 {
		if r.inserts[before] != nil {
			r.inserts[before] = append(r.inserts[before], ',')
		}
		r.inserts[before] = append(r.inserts[before],
			r.doc.NewMessage(max(0, before), transcript.User, authorship.OpeningText)...)
	}
	for at, role := range r.turns {
		if r.inserts[at] == nil { // the messages inserted there may already separate the roles
			r.inserts[at] = r.doc.NewMessage(at, role, authorship.TurnText)
		}
	}
}

// gather writes one message with the results of an item's calls, in the order of the calls: existing results, which are
// moved, and placeholders for the lost results of the calls in unanswered. It also returns the calls that the message
// answers. Open calls stay open. It marks the items from which it takes results as drained. Both results are nil if no
// call has a result or gets a placeholder.
func (r *fixer) gather(item int, unanswered []int32) ([]byte, []int32) {
	var calls []int32
	var results []wire.Call
	msg := &r.doc.T.Messages[r.doc.Items[item].Msg]
	for n := msg.First; n < msg.First+msg.Count; n++ {
		p := &r.doc.T.Parts[n]
		if p.Kind != transcript.ToolCall || p.Has(transcript.Removed) {
			continue
		}
		call := wire.CallOf(r.doc.T, n)
		from := -1
		if p.Pair >= 0 && !r.doc.T.Parts[p.Pair].Has(transcript.Removed) {
			from = r.place.of(r.doc.T.Parts[p.Pair].Msg)
		}
		switch {
		case from >= 0:
			call.Result = r.doc.AppendPart(nil, p.Pair)
			r.doc.TakePart(p.Pair)
			r.marks[from] |= drained
			p.Pair = -1
		case len(unanswered) == 0 || unanswered[0] != n: // they are sorted in the order of the parts
			continue
		default:
			unanswered = unanswered[1:]
		}
		calls, results = append(calls, n), append(results, call)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	return r.doc.F.Results(nil, results, LostResult), calls
}

// empty reports whether all parts of an item have been removed, except for cache breakpoints.
func (r *fixer) empty(item int) bool {
	return !slices.ContainsFunc(r.doc.T.PartsOf(int(r.doc.Items[item].Msg)), func(p transcript.Part) bool {
		return !p.Has(transcript.Removed | transcript.Mark)
	})
}

// calls returns the tool calls at the given part indexes as a format's Results function takes them.
func (r *fixer) calls(parts []int32) []wire.Call {
	calls := make([]wire.Call, len(parts))
	for i, n := range parts {
		calls[i] = wire.CallOf(r.doc.T, n)
	}
	return calls
}

// answerInside rewrites the message of an item so that its calls have results, for formats in which a call and its
// result are one part.
func (r *fixer) answerInside(item int, calls []int32) {
	for _, n := range calls {
		p := &r.doc.T.Parts[n]
		r.doc.Splice(p.Msg, p.Span, r.doc.T.WriteToArena(r.doc.F.Answer(nil, r.doc.T.Bytes(p.Span), LostResult)))
		for k := p.Copy; k > 0; k = r.doc.T.Parts[k-1].Copy {
			if q := &r.doc.T.Parts[k-1]; q.List >= 0 {
				r.doc.Splice(q.Msg, q.Span,
					r.doc.T.WriteToArena(r.doc.F.Answer(nil, r.doc.T.Bytes(q.Span), LostResult)))
			}
		}
	}
	r.doc.Items[item].Dirty = true
	r.doc.Replace(item, r.doc.AppendMessage(nil, &r.doc.Items[item]))
}

// move moves an item to the position after another item. If from is -1, a new message is inserted there instead.
type move struct {
	from, after int    // indexes of items
	text        []byte // the new message, if from is -1
}

// moveResult plans to move a tool result directly after its call: together with its message or, if the message has
// other parts, alone. Its results are those of every fix. It does nothing, and returns false, if another fix has
// already moved the result.
func (r *fixer) moveResult(at int, v *wire.Violation) (saved int, ok bool) {
	t := r.doc.T
	p := &t.Parts[v.Part]
	if p.Has(transcript.Removed) && r.doc.F.Rules.Answers != wire.OneMessage { // another rule has already moved it
		return 0, false
	}
	call := r.place.of(t.Parts[p.Pair].Msg)
	switch {
	case call < 0:
		return 0, false
	case r.doc.F.Rules.Answers == wire.OneMessage:
		return r.mark(call, gathered)
	case p.List == transcript.NoList:
		r.moved = append(r.moved, move{from: at, after: r.lastAnswer(call)})
	case r.doc.F.Stamp == "" && r.answersOnly(at, t.Parts[p.Pair].Msg): // where messages have dates, a moved message would keep its date
		r.moved = append(r.moved, move{from: at, after: call})
	default:
		text := r.doc.F.Wrap(nil, r.doc.F.Rules.ResultRole, r.doc.AppendPart(nil, v.Part),
			t.Bytes(t.Messages[p.Msg].Span))
		r.doc.TakePart(v.Part)
		r.marks[at] |= touched
		// The result is paired when the new message is read.
		t.Parts[p.Pair].Pair = -1
		r.moved = append(r.moved, move{from: -1, after: call, text: text})
	}
	return 0, true
}

// answersOnly reports whether an item contains only results of the calls in message caller.
func (r *fixer) answersOnly(item int, caller int32) bool {
	t := r.doc.T
	return !slices.ContainsFunc(t.PartsOf(int(r.doc.Items[item].Msg)), func(p transcript.Part) bool {
		return !p.Has(transcript.Removed) && p.Parent < 0 &&
			!(p.Kind == transcript.ToolResult && p.Pair >= 0 && t.Parts[p.Pair].Msg == caller)
	})
}

// lastAnswer returns the index of the item after which the result of a call in item call must be: that item itself or, if
// results are identified by their order, the last of the existing results.
func (r *fixer) lastAnswer(call int) int {
	for r.doc.F.Rules.Ordered && call+1 < len(r.doc.Items) && r.doc.T.Messages[r.doc.Items[call+1].Msg].Role == transcript.Tool {
		call++
	}
	return call
}

// rebuild builds the new list of items: without removed items, and with insertions and moved items in their new
// positions. Results are linked explicitly to their calls, because ids don't always identify them.
func (r *fixer) rebuild() {
	if len(r.inserts) == 0 && len(r.moved) == 0 && !slices.ContainsFunc(r.marks, func(m mark) bool { return m&gone != 0 }) {
		return
	}
	behind := r.moves()
	part := len(r.doc.T.Parts)
	old := slices.Clone(r.doc.Items)
	r.doc.Items = r.doc.Items[:0]
	for i := -1; i < len(old); i++ {
		switch {
		case i < 0 || r.marks[i]&away != 0 && r.marks[i]&gone == 0:
		case r.marks[i]&gone != 0:
			r.doc.Total -= old[i].Tokens
		default:
			r.doc.Items = append(r.doc.Items, old[i])
		}
		for _, m := range behind[i] {
			if m.from < 0 {
				r.doc.InsertMore(len(r.doc.Items), m.text)
			} else if r.marks[m.from]&gone == 0 {
				r.doc.Items = append(r.doc.Items, old[m.from])
			}
		}
		if text := r.inserts[i]; text != nil {
			first := int32(len(r.doc.T.Parts))
			r.doc.InsertMore(len(r.doc.Items), text)
			r.link(first, r.answered[i])
		}
	}
	r.doc.F.Pair(r.doc.T, part)
}

// moves returns the moves, keyed by the index of the item after which the moved item is placed. Each item moves at most
// once.
func (r *fixer) moves() map[int][]move {
	behind := map[int][]move{}
	for _, m := range r.moved {
		if m.from >= 0 {
			if r.marks[m.from]&away != 0 || m.from == m.after {
				continue
			}
			r.marks[m.from] |= away
		}
		behind[m.after] = append(behind[m.after], m)
	}
	return behind
}

// link pairs the tool results from part index first on with calls, one by one.
func (r *fixer) link(first int32, calls []int32) {
	t := r.doc.T
	for n := first; n < int32(len(t.Parts)) && len(calls) > 0; n++ {
		result := &t.Parts[n]
		if result.Kind != transcript.ToolResult || result.Parent >= 0 {
			continue
		}
		for _, old := range [...]int32{result.Pair, t.Parts[calls[0]].Pair} {
			if old >= 0 {
				t.Parts[old].Pair = -1
			}
		}
		result.Pair, t.Parts[calls[0]].Pair = calls[0], n
		calls = calls[1:]
	}
}
