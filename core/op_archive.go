package core

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// restore undoes compactions as far as the given bodies allow. Without bodies it lists the handles that the transcript
// names; without messages it lists the handles that the bodies name. Like every operation, it returns nil if r has an
// error.
func restore(r *request) []byte {
	var bodies api.Bodies
	if r.decode(operations.InBodies, &bodies); r.err != nil {
		return nil
	}
	if len(bodies) > 0 && r.session == nil && r.members[operations.InMessages].IsZero() {
		var a api.NamedHandles
		a.Handles, a.Corrupt = handles.Of(bodies)
		return encoded(a.MarshalEasyJSON)
	}
	if !r.need(operations.InMessages) {
		return nil
	}
	var state api.State
	if r.stateOf(&state); r.err != nil {
		return nil
	}
	if r.settleBy(bodies); r.err != nil {
		return nil
	}
	c, left, err := compact.Restore(r.input(state), bodies)
	if err != nil {
		err.At = strings.TrimPrefix(err.At, "bodies")
		r.fail(err, r.members[operations.InBodies].Start)
		return nil
	}
	t := r.again(c)
	a := api.Restored{Report: api.Report(*c.Report()), Markers: left,
		Valid: !wire.AnyRefused(r.violations(t))}
	if r.session != nil || !r.members[operations.InState].IsZero() {
		a.State = encoded(c.State().MarshalEasyJSON)
	}
	if r.continuesSession() && c.Report().Changed {
		r.session.state = *c.State()
	}
	return r.appendResult(encoded(a.MarshalEasyJSON), c)
}

// settleBy reads the messages again in the format of the bodies if the messages contain nothing but texts and neither
// the policy nor a state names a format. The folded messages may show more clearly which format it is.
func (r *request) settleBy(bodies api.Bodies) {
	if !r.guessed || r.session != nil || r.format.Name != wire.Plain {
		return
	}
	var messages [][]byte
	for i := range bodies {
		s := jsonspan.New([]byte(bodies[i].Text))
		if s.Kind() != jsonspan.Array {
			continue
		}
		for s.Array(); s.Elem(); {
			if kind, v := s.Kind(), s.Skip(); kind == jsonspan.Object {
				messages = append(messages, v.Slice(s.Src()))
			}
		}
	}
	reads := func(f *wire.Format) bool {
		t := &transcript.Transcript{Src: []byte("[]"), Named: f.Rules.Named, Ordered: f.Rules.Ordered}
		return !slices.ContainsFunc(messages, func(m []byte) bool {
			_, ok := f.AddOne(t, m)
			return !ok
		})
	}
	if reads(r.format) {
		return
	}
	found := wire.Detect(jsonspan.New(slices.Concat([]byte("["), bytes.Join(messages, []byte(",")), []byte("]"))))
	found.Guesses = slices.DeleteFunc(found.Guesses, func(g wire.Guess) bool { return !reads(g.Format) })
	if f := found.StrictestFormat(); f != nil {
		next := *r.source
		next.format = f
		next.suit()
		r.source = &next
		r.readAt(r.members[operations.InMessages].Start)
	}
}

// The name and the limits of the tool by which a model requests removed content.
const (
	recallName = "recall"
	recallDoc  = "Returns content that was removed from this conversation to make room. With a handle from a marker or a digest, it returns " +
		"the removed text; with a query, the messages that match best, with their handles. Long texts come in pieces: call again with " +
		"the offset from the answer."
	recallSchema = `{"type":"object","properties":{"handle":{"type":"string","description":"The hexadecimal digits from a marker or an answer."},` +
		`"query":{"type":"string","description":"What to look for: names, words, dates."},` +
		`"message":{"type":"integer","description":"With a handle: the number of the message to start at."},` +
		`"offset":{"type":"integer","description":"Where to start, in characters; 0 is the beginning."}}}`
	// recallPiece is the maximum length of the text that one call returns, in Unicode scalar values.
	recallPiece = 20000
)

// recall returns the definition of the recall tool, what a call of the tool requests (a body or a search), or the
// response to the call, depending on the members of the request. It returns nil if r has an error.
func recall(r *request) []byte {
	a := api.Recalled{}
	if p := r.members[operations.InArguments]; p.IsZero() {
		a.Tool = r.recallTool()
	} else {
		var args recallArguments
		if problem := args.read(p.Slice(r.src)); problem != "" { // the model made a mistake, so the model gets the explanation
			a.Text = &problem
		} else if a.Handle, a.Query = args.handle, args.query; a.Query != "" {
			a.Text = r.recallFound()
		} else {
			a.Text = r.recallBody(&args)
		}
	}
	if r.err != nil {
		return nil
	}
	return encoded(a.MarshalEasyJSON)
}

// recallTool returns the definition of the recall tool in the format of the request. It is an error if the request has
// no format, because each has its own definition.
func (r *request) recallTool() api.Raw {
	if r.format == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, At: "format",
			Message: `set "format" in the policy: each has a definition of its own`}, r.policyAt)
		return nil
	}
	str := func(s string) string { return string(jsonspan.AppendString(nil, s)) }
	return api.Raw(strings.NewReplacer("%n", str(recallName), "%d", str(recallDoc), "%p", recallSchema).
		Replace(r.format.Tool))
}

// recallFound returns the response to a call with a query. It returns nil if the host has not
// searched yet, or if r has an error.
func (r *request) recallFound() *string {
	if !r.has(operations.InFound) {
		return nil
	}
	var f api.GivenFound
	if r.decode(operations.InFound, &f); r.err != nil {
		return nil
	}
	text := foundText((*api.Found)(&f))
	return &text
}

// recallBody returns the response to a call with a handle. It returns nil if the host has not
// loaded the body yet, or if the request fails because the body is wrong.
func (r *request) recallBody(args *recallArguments) *string {
	p := r.members[operations.InBody]
	if p.IsZero() {
		return nil
	}
	s := jsonspan.New(r.src).At(p.Start)
	switch s.Kind() {
	case jsonspan.Null:
		text := "Nothing is kept under the handle " + args.handle + "."
		return &text
	case jsonspan.String:
	default:
		r.fail(&jsonspan.Error{Code: jsonspan.WrongType,
			Message: "the body must be a string, or null if the store has none"}, p.Start)
		return nil
	}
	body := s.Text()
	if r.fail(s.Err(), 0); r.err != nil {
		return nil
	}
	text := []byte(jsonspan.Text(r.src, body.Span))
	if h := handles.Handle(text); h[:len(args.handle)] != args.handle {
		r.fail(&jsonspan.Error{Code: api.CodeHandleMismatch,
			Message: "this content does not match the handle: its SHA-256 is another one"}, p.Start)
		return nil
	}
	piece := recallText(handles.Readable(r.format, fromMessage(text, args.message)), args.offset)
	return &piece
}

// recallText returns at most recallPiece Unicode scalar values of text, from an offset on that is
// counted in the same unit. Unless this is all of the text, a last line says which piece it is and
// how to get the next one. If the offset is beyond the end, the result says so.
func recallText(text string, offset int) string {
	from, to, at := len(text), len(text), 0
	for i := range text {
		if at == offset {
			from = i
		}
		if at == offset+recallPiece {
			to = i
		}
		at++
	}
	switch {
	case offset == 0 && to == len(text):
		return text
	case from == len(text):
		return "The text has " + strconv.Itoa(at) + " characters: there is nothing at offset " +
			strconv.Itoa(offset) + "."
	}
	piece := text[from:to] + "\n\n[Characters " + strconv.Itoa(offset) + " to " +
		strconv.Itoa(min(at, offset+recallPiece)) + " of " + strconv.Itoa(at)
	if to < len(text) {
		piece += "; call again with offset " + strconv.Itoa(offset+recallPiece)
	}
	return piece + "]"
}

// recallArguments are the arguments in a call of the recall tool.
type recallArguments struct {
	handle, query   string // what to read, or what to search for; "" if not given
	message, offset int    // where to begin in what the handle names
}

// read reads the arguments of a call as the model wrote them: an object, or a string that contains one. It returns a
// description of the problem if they are invalid, otherwise "". Unknown arguments, which the model made up, are
// ignored.
func (a *recallArguments) read(src []byte) (problem string) {
	const bad = "The arguments must be an object with a handle or a query, strings, and the message and the offset, whole numbers of at least 0."
	if s := jsonspan.New(src); s.Kind() == jsonspan.String {
		src = []byte(jsonspan.Text(src, s.Text().Span))
	}
	s := jsonspan.New(src)
	if s.Kind() != jsonspan.Object {
		return bad
	}
	for key := range s.Members {
		if !a.readMember(string(key), s) {
			return bad
		}
	}
	s.End()
	switch {
	case s.Err() != nil:
		return bad
	case (a.query == "" || a.handle != "") && !handles.IsHandle(a.handle):
		return "The handle has from 16 to 64 hexadecimal digits, as the marker names it."
	case a.query != "":
		return problemOf(a.query)
	}
	return ""
}

// readMember reads the value of an argument. It returns false for an invalid number.
func (a *recallArguments) readMember(name string, s *jsonspan.Scanner) bool {
	kind := s.Kind()
	switch {
	case name == "handle" && kind == jsonspan.String:
		a.handle = strings.ToLower(strings.TrimSpace(jsonspan.Text(s.Src(), s.Text().Span)))
	case name == "query" && kind == jsonspan.String:
		a.query = strings.TrimSpace(jsonspan.Text(s.Src(), s.Text().Span))
	case name == "offset":
		return wholeNumber(s, &a.offset)
	case name == "message":
		return wholeNumber(s, &a.message)
	default:
		s.Skip()
	}
	return true
}

// wholeNumber reads a whole number from 0 to [jsonspan.MaxSize], which may be in quotes, into *to; null is read as 0. For
// any other value it returns false, and *to means nothing.
func wholeNumber(s *jsonspan.Scanner, to *int) bool {
	kind := s.Kind()
	n, err := strconv.Atoi(strings.Trim(string(s.Skip().Slice(s.Src())), `"`))
	*to = n
	return kind == jsonspan.Null || err == nil && n >= 0 && n <= jsonspan.MaxSize
}
