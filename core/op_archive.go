package core

import (
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/compact"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/view"
	"github.com/ctxfold/ctxfold/core/internal/wire"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// restore undoes compactions as far as the given bodies allow. Without bodies it lists the handles that the transcript names; without
// messages, those that the bodies name.
func restore(r *request, dst []byte) []byte {
	var bodies api.Bodies
	if r.decode(operations.InBodies, &bodies); r.err != nil {
		return dst
	}
	if len(bodies) > 0 && r.session == nil && r.members[operations.InMessages].Zero() {
		var a api.NamedHandles
		a.Handles, a.Corrupt = handles.Of(bodies)
		return appendJSON(dst, a.MarshalEasyJSON)
	}
	if !r.need(operations.InMessages) {
		return dst
	}
	var state api.State
	if r.stateOf(&state); r.err != nil {
		return dst
	}
	c, left, err := compact.Restore(view.Input{Transcript: r.t, Format: r.format, Estimator: r.profile, Policy: r.policy,
		State: state, N: len(r.t.Messages)}, bodies)
	if err != nil {
		err.At = strings.TrimPrefix(err.At, "bodies")
		r.fail(err, r.members[operations.InBodies].Start)
		return dst
	}
	t := r.again(c)
	seq := make([]int32, len(t.Messages))
	for i := range seq {
		seq[i] = int32(i)
	}
	a := api.Restored{Report: api.Report(*c.Report()), Markers: left, Valid: !wire.AnyRefused(r.format.Check(t, seq, r.policy.OpenCalls == "answer"))}
	if r.session != nil || !r.members[operations.InState].Zero() {
		a.State = appendJSON(nil, c.State().MarshalEasyJSON)
	}
	if r.session != nil && c.Report().Changed && r.policy.Answer != "report" {
		r.session.state = *c.State()
	}
	return r.appendResult(appendJSON(dst, a.MarshalEasyJSON), c)
}

// The tool with which a model requests what a marker stands for.
const (
	recallName = "recall"
	recallDoc  = "Returns content that was removed from this conversation to make room. With a handle from a marker or a digest, it returns " +
		"the removed text; with a query, the messages that match best, with their handles. Long texts come in pieces: call again with " +
		"the offset from the answer."
	recallSchema = `{"type":"object","properties":{"handle":{"type":"string","description":"The hexadecimal digits from a marker or an answer."},` +
		`"query":{"type":"string","description":"What to look for: names, words, dates."},` +
		`"message":{"type":"integer","description":"With a handle: the number of the message to start at."},` +
		`"offset":{"type":"integer","description":"Where to start, in characters; 0 is the beginning."}}}`
	// recallPiece is how much of a text one call returns, in Unicode scalar values.
	recallPiece = 20000
)

// recall answers three questions about the tool: its definition, what a call of it requests (a body or a search), and the answer to the
// call.
func recall(r *request, dst []byte) []byte {
	a := api.Recalled{}
	p := r.members[operations.InArguments]
	if p.Zero() {
		if r.format == nil {
			r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, At: "format", Message: `set "format" in the policy: each has a definition of its own`}, r.policyAt)
			return dst
		}
		str := func(s string) string { return string(jsonspan.AppendString(nil, s)) }
		a.Tool = api.Raw(strings.NewReplacer("%n", str(recallName), "%d", str(recallDoc), "%p", recallSchema).Replace(r.format.Tool))
		return appendJSON(dst, a.MarshalEasyJSON)
	}
	var args recallArguments
	problem := args.read(p.Of(r.src))
	if problem == "" && (args.query == "" || args.handle != "") && !handles.IsHandle(args.handle) {
		problem = "The handle has from 16 to 64 hexadecimal digits, as the marker names it."
	}
	if problem == "" && args.query != "" {
		problem = problemOf(args.query)
	}
	if problem != "" { // the model made the mistake, so it gets the message
		a.Text = &problem
		return appendJSON(dst, a.MarshalEasyJSON)
	}
	if a.Handle, a.Query = args.handle, args.query; a.Query != "" {
		if found := r.members[operations.InFound]; !found.Zero() {
			var f api.GivenFound
			if r.decode(operations.InFound, &f); r.err != nil {
				return dst
			}
			text := foundText(args.query, (*api.Found)(&f))
			a.Text = &text
		}
		return appendJSON(dst, a.MarshalEasyJSON)
	}
	p = r.members[operations.InBody]
	if p.Zero() {
		return appendJSON(dst, a.MarshalEasyJSON)
	}
	s := jsonspan.New(r.src).At(p.Start)
	switch s.Kind() {
	case jsonspan.Null:
		text := "Nothing is kept under the handle " + args.handle + "."
		a.Text = &text
		return appendJSON(dst, a.MarshalEasyJSON)
	case jsonspan.String:
	default:
		r.fail(&jsonspan.Error{Code: jsonspan.WrongType, Message: "the body must be a string, or null if the store has none"}, p.Start)
		return dst
	}
	body := s.Text()
	if r.fail(s.Err(), 0); r.err != nil {
		return dst
	}
	text := []byte(jsonspan.Text(r.src, body.Span))
	if h := handles.Handle(text); h[:len(args.handle)] != args.handle {
		r.fail(&jsonspan.Error{Code: api.CodeHandleMismatch, Message: "this content does not match the handle: its SHA-256 is another one"}, p.Start)
		return dst
	}
	piece := recallText(handles.Readable(r.format, fromMessage(text, args.message)), args.offset)
	a.Text = &piece
	return appendJSON(dst, a.MarshalEasyJSON)
}

// recallText returns a piece of a text, whose last line says how to get the next piece.
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
		return "The text has " + strconv.Itoa(at) + " characters: there is nothing at offset " + strconv.Itoa(offset) + "."
	}
	piece := text[from:to] + "\n\n[Characters " + strconv.Itoa(offset) + " to " + strconv.Itoa(min(at, offset+recallPiece)) + " of " + strconv.Itoa(at)
	if to < len(text) {
		piece += "; call again with offset " + strconv.Itoa(offset+recallPiece)
	}
	return piece + "]"
}

// recallArguments are the arguments of a call of the tool.
type recallArguments struct {
	handle, query   string
	message, offset int
}

// read reads the arguments of a call as the model wrote them: an object, or a string that contains one. It returns what is wrong with them,
// or "". Arguments that the model made up are ignored.
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
		kind := s.Kind()
		start := s.Pos()
		switch {
		case string(key) == "handle" && kind == jsonspan.String:
			a.handle = strings.ToLower(strings.TrimSpace(jsonspan.Text(src, s.Text().Span)))
		case string(key) == "query" && kind == jsonspan.String:
			a.query = strings.TrimSpace(jsonspan.Text(src, s.Text().Span))
		case string(key) == "offset" || string(key) == "message":
			of := &a.offset
			if string(key) == "message" {
				of = &a.message
			}
			s.Skip()
			n, err := strconv.Atoi(strings.Trim(string(src[start:s.Pos()]), `"`))
			if kind != jsonspan.Null && (err != nil || n < 0 || n > jsonspan.MaxSize) {
				return bad
			}
			*of = n
		default:
			s.Skip()
		}
	}
	if s.End(); s.Err() != nil {
		return bad
	}
	return ""
}
