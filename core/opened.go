package core

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// opened is a result of open that is passed as the messages of another operation.
type opened struct {
	format                  *wire.Format  // of the messages
	model                   string        // the name of the model in the session file; "" if it has none
	system, usage, messages jsonspan.Span // zero if there is none
}

// isKind reports whether a kind of session file is known. The kinds are listed here because a slim build lacks the
// package that reads session files.
func isKind(name string) bool {
	switch api.SessionKind(name) {
	case api.SessionClaudeCode, api.SessionCline, api.SessionCodex, api.SessionCopilot, api.SessionGeminiCLI,
		api.SessionGoose, api.SessionLetta,
		api.SessionLibreChat, api.SessionOpenWebUI, api.SessionLlamaIndex, api.SessionOpencode, api.SessionOpenHands,
		api.SessionPi,
		api.SessionRooCode, api.SessionSemanticKernel:
		return true
	}
	return false
}

// findOpened checks whether the value at s is a result of open: an object with a kind of session file and a format,
// both before its messages. It returns nil for anything else. The scanner doesn't move.
func (r *request) findOpened(s *jsonspan.Scanner) *opened {
	if s.Kind() != jsonspan.Object {
		return nil
	}
	s = s.At(s.Pos())
	o, signs := opened{}, openedSigns{}
	for key := range s.Members {
		name := string(key)
		if wire.ListKey(name) && (signs.kind == "" || signs.format.IsZero()) {
			return nil // a request body
		}
		if o.read(name, s, &signs); signs.kind != "" && !isKind(signs.kind) {
			return nil
		}
	}
	if s.Err() != nil || o.messages.IsZero() {
		return nil // the error is reported when the messages are read
	}
	if o.format = wire.ByName(jsonspan.Text(s.Src(), signs.format)); o.format == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, Offset: int(signs.format.Start),
			Message: "unknown format; the formats are: " + strings.Join(wire.Names(), ", ")}, 0)
		return nil
	}
	if r.fail(notHere(o.format, signs.format.Start), 0); r.err != nil {
		return nil
	}
	return &o
}

// openedSigns records which distinctive members of a result of open have been seen.
type openedSigns struct {
	kind   string
	format jsonspan.Span
}

// read reads a member of a result of open into o. Values of an unexpected type are skipped.
func (o *opened) read(name string, s *jsonspan.Scanner, signs *openedSigns) {
	kind := s.Kind()
	switch {
	case name == "kind" && kind == jsonspan.String:
		signs.kind = jsonspan.Text(s.Src(), s.Text().Span)
	case name == "format" && kind == jsonspan.String:
		signs.format = s.Text().Span
	case name == "model" && kind == jsonspan.String:
		o.model = jsonspan.Text(s.Src(), s.Text().Span)
	case name == "system" && kind == jsonspan.String:
		o.system = s.Text().Span
	case name == "usage" && kind == jsonspan.Object:
		o.usage = s.Skip().Span
	case name == "messages":
		o.messages = s.Skip().Span
	default:
		s.Skip()
	}
}

// readOpened reads the messages of a result of open into a source. It also reads the format and the model if the
// policy has none, the system prompt, and the provider's count if the options have no usage. The transcript, and the
// result of the operation, consists only of the list of messages. Afterwards the scanner is after the object.
func (r *request) readOpened(s *jsonspan.Scanner, o *opened, in *source, how reading) {
	if in.format == nil {
		in.format = o.format
	}
	if r.adopt(&in.settings, o.model); r.err != nil {
		return
	}
	in.suit()
	in.usageAt = o.usage
	list := s.At(o.messages.Start)
	if list.Kind() != jsonspan.Array {
		r.fail(&jsonspan.Error{Code: api.CodeNoMessages, Message: `"messages" must be a list, as open answers it`},
			o.messages.Start)
		return
	}
	if r.readList(list, in, reading{unweighed: how.unweighed}); r.err != nil {
		return
	}
	if !o.system.IsZero() {
		in.promptAt = o.system
		text := s.At(o.system.Start)
		text.Weigh = in.profile.Automaton
		in.t.System = text.Text().Measure
	}
	s.Skip()
}
