package core

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sessionfile"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// opened is an answer of open that is passed on whole, as the messages of another operation, with what it says about them.
type opened struct {
	format                  *wire.Format
	model                   string
	system, usage, messages jsonspan.Span // zero if there is none
}

// findOpened checks whether the value at s is an answer of open: an object with the kind of a session file and a format, both before its
// messages. It returns nil for anything else. The scanner doesn't move.
func (r *request) findOpened(s *jsonspan.Scanner) *opened {
	if s.Kind() != jsonspan.Object {
		return nil
	}
	s = s.At(s.Pos())
	o, kind, format := opened{}, "", jsonspan.Span{}
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			break
		}
		name := string(key)
		is := s.Kind()
		switch {
		case wire.ListKey(name) && (kind == "" || format.Zero()):
			return nil // a request body
		case name == "kind" && is == jsonspan.String:
			kind = jsonspan.Text(s.Src(), s.Text().Span)
			if !sessionfile.IsKind(kind) {
				return nil
			}
		case name == "format" && is == jsonspan.String:
			format = s.Text().Span
		case name == "model" && is == jsonspan.String:
			o.model = jsonspan.Text(s.Src(), s.Text().Span)
		case name == "system" && is == jsonspan.String:
			o.system = s.Text().Span
		case name == "usage" && is == jsonspan.Object:
			o.usage = s.Skip().Span
		case name == "messages":
			o.messages = s.Skip().Span
		default:
			s.Skip()
		}
	}
	if s.Err() != nil || o.messages.Zero() {
		return nil // the reader of messages reports what is wrong
	}
	if o.format = wire.ByName(jsonspan.Text(s.Src(), format)); o.format == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, Offset: int(format.Start),
			Message: "unknown format; the formats are: " + strings.Join(wire.Names(), ", ")}, 0)
		return nil
	}
	return &o
}

// readOpened reads the messages of an answer of open and what it says about them: the format and the model if the policy has none, the
// system prompt, and the provider's counts if the options have no usage. The transcript is only the list, and so is what an operation
// answers. The scanner is after the object afterwards.
func (r *request) readOpened(s *jsonspan.Scanner, o *opened) {
	if r.format == nil {
		r.format = o.format
	}
	if r.adopt(o.model); r.err != nil {
		return
	}
	r.suit()
	r.usageAt = o.usage
	in := s.At(o.messages.Start)
	if in.Kind() != jsonspan.Array {
		r.fail(&jsonspan.Error{Code: api.CodeNoMessages, Message: `"messages" must be a list, as open answers it`}, o.messages.Start)
		return
	}
	if r.readList(in, nil); r.err != nil {
		return
	}
	if !o.system.Zero() {
		r.promptAt = o.system
		in := s.At(o.system.Start)
		in.Weigh = r.profile.Automaton
		r.t.System = in.Text().Measure
	}
	s.Skip()
}

// adopt uses a model that the policy doesn't name as if it did: its window, and its family of tokenizers.
func (r *request) adopt(model string) {
	if model == "" || r.policy.Model != "" {
		return
	}
	p, err := r.base.ForModel(model)
	if r.fail(err, r.policyAt); r.err != nil {
		return
	}
	p, err = p.With(&r.options)
	if r.fail(err, r.optionsAt); r.err != nil {
		return
	}
	r.policy, r.model = p, model
	r.estimator()
}
