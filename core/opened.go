package core

import (
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/wire"
)

// opened is an answer of open that is passed on whole, as the messages of another operation, with what it says about them.
type opened struct {
	format                  *wire.Format
	model                   string
	system, usage, messages jsonspan.Span // zero if there is none
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

// findOpened checks whether the value at s is an answer of open: an object with the kind of a session file and a format, both before its
// messages. It returns nil for anything else. The scanner doesn't move.
func (r *request) findOpened(s *jsonspan.Scanner) *opened {
	if s.Kind() != jsonspan.Object {
		return nil
	}
	s = s.At(s.Pos())
	o, told := opened{}, openedTold{}
	for key := range s.Members {
		name := string(key)
		if wire.ListKey(name) && (told.kind == "" || told.format.Zero()) {
			return nil // a request body
		}
		if o.read(name, s, &told); told.kind != "" && !isKind(told.kind) {
			return nil
		}
	}
	if s.Err() != nil || o.messages.Zero() {
		return nil // the reader of messages reports what is wrong
	}
	if o.format = wire.ByName(jsonspan.Text(s.Src(), told.format)); o.format == nil {
		r.fail(&jsonspan.Error{Code: api.CodeUnknownFormat, Offset: int(told.format.Start),
			Message: "unknown format; the formats are: " + strings.Join(wire.Names(), ", ")}, 0)
		return nil
	}
	if r.fail(notHere(o.format, told.format.Start), 0); r.err != nil {
		return nil
	}
	return &o
}

// openedTold is what tells an answer of open from other objects.
type openedTold struct {
	kind   string
	format jsonspan.Span
}

// read takes in the member of an answer of open at the scanner. What has another type than it should have is passed over.
func (o *opened) read(name string, s *jsonspan.Scanner, told *openedTold) {
	is := s.Kind()
	switch {
	case name == "kind" && is == jsonspan.String:
		told.kind = jsonspan.Text(s.Src(), s.Text().Span)
	case name == "format" && is == jsonspan.String:
		told.format = s.Text().Span
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

// readOpened reads the messages of an answer of open into a source, with what it tells about them: the format and the model where the policy
// has none, the system prompt, and what the provider has counted where the options have no usage. The transcript is the list alone, and so is
// what an operation answers. The scanner follows the object afterwards.
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
		r.fail(&jsonspan.Error{Code: api.CodeNoMessages, Message: `"messages" must be a list, as open answers it`}, o.messages.Start)
		return
	}
	if r.readList(list, in, reading{unweighed: how.unweighed}); r.err != nil {
		return
	}
	if !o.system.Zero() {
		in.promptAt = o.system
		text := s.At(o.system.Start)
		text.Weigh = in.profile.Automaton
		in.t.System = text.Text().Measure
	}
	s.Skip()
}
