package core

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// opened is an answer of open that is passed on whole, as the messages of another operation: what it tells about them.
type opened struct {
	format                  *wire.Format
	model                   string
	system, usage, messages jsonspan.Span // zero where there is none
}

// isKind reports whether session files of a kind are known. Reading them is another package, which a slim build leaves out.
func isKind(name string) bool {
	switch api.SessionKind(name) {
	case api.SessionClaudeCode, api.SessionCline, api.SessionCodex, api.SessionGeminiCLI, api.SessionGoose, api.SessionOpencode,
		api.SessionOpenHands, api.SessionPi, api.SessionRooCode:
		return true
	}
	return false
}

// findOpened looks whether the value at s is an answer of open: an object whose kind is one of session files and that names
// its format, both before its messages. It returns nil where it is something else. The scanner stays where it is.
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
			if !isKind(kind) {
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
		return nil // the reader of messages says what is wrong
	}
	if o.format = wire.ByName(jsonspan.Text(s.Src(), format)); o.format == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, Offset: int(format.Start),
			Message: "unknown format; the formats are: " + strings.Join(wire.Names(), ", ")}, 0)
		return nil
	}
	if r.fail(notHere(o.format, format.Start), 0); r.err != nil {
		return nil
	}
	return &o
}

// readOpened reads the messages of an answer of open, with what it tells about them: the format and the model where the policy has none, the
// system prompt, and what the provider has counted where the options have no usage. The transcript is the list alone, and so is what an
// operation answers. The scanner follows the object afterwards.
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

// adopt makes a model that is not named by the policy count as if it were: its window, and its family of tokenizers.
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
