package wire

import (
	"bytes"
	"slices"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// MarkKind is a way to write a cache breakpoint.
type MarkKind uint8

// The kinds of cache breakpoints, for [Format.Marks].
const (
	ControlMark MarkKind = 1 << iota // the member cache_control of a part or a message
	PointMark                        // a separate part: cachePoint
	// A member of providerOptions: {"anthropic":{"cacheControl":…}}, {"bedrock":{"cachePoint":…}}.
	OptionMark
)

// MaxMarks is the maximum number of cache breakpoints in a request, including those in the system prompt and the tools.
// It is Anthropic's limit, and Amazon Bedrock's limit for all models that accept breakpoints.
const MaxMarks = 4

// Mark is a cache breakpoint. A provider caches the request up to this place.
type Mark struct {
	Kind  MarkKind // how it is written
	Value []byte   // the breakpoint as JSON, such as {"type":"ephemeral","ttl":"1h"}
	// For an OptionMark: the names of the provider and of the option, including quotes.
	provider, option []byte
}

// markKeys is the common beginning of the keys of all cache breakpoints, for [jsonspan.Scanner.Watch].
const markKeys = 'c' | 'a'<<8 | 'c'<<16 | 'h'<<24

// MayMark reports whether text may contain cache breakpoints. It is a quick check: if it returns false, there
// certainly are none.
func MayMark(text []byte) bool {
	return bytes.Contains(text, []byte("cache_control")) || bytes.Contains(text, []byte("cacheControl")) ||
		bytes.Contains(text, []byte("cachePoint"))
}

// MarksOf appends the cache breakpoints of a message, which is JSON, to marks, in order.
func (f *Format) MarksOf(marks []Mark, message []byte) []Mark {
	if f.Marks == 0 || !MayMark(message) {
		return marks
	}
	w := marking{f: f, marks: marks}
	w.readObject(jsonspan.New(message))
	return w.marks
}

// MarksBeside appends the cache breakpoints of a request body, which is JSON, outside its messages: those of the
// system prompt and the tools, and the one that makes the provider mark the newest message.
func (f *Format) MarksBeside(marks []Mark, body []byte) []Mark {
	if f.Marks == 0 || !MayMark(body) {
		return marks
	}
	w := marking{f: f, marks: marks}
	s := jsonspan.New(body)
	if s.Kind() != jsonspan.Object {
		return marks
	}
	for key := range s.Members {
		switch name := string(key); {
		case name == "system" || name == "tools":
			w.readList(s)
		case name == "toolConfig" && s.Kind() == jsonspan.Object:
			w.readTools(s)
		default:
			w.readMember(s, name)
		}
	}
	return w.marks
}

// readTools reads the cache breakpoints of the tools in Bedrock's tool configuration.
func (w *marking) readTools(s *jsonspan.Scanner) {
	for key := range s.Members {
		if string(key) == "tools" {
			w.readList(s)
		} else {
			s.Skip()
		}
	}
}

// marking collects cache breakpoints.
type marking struct {
	f     *Format // says which breakpoints the messages can have
	marks []Mark  // the breakpoints found so far
}

// readObject reads the cache breakpoints of the message, part or tool at the scanner.
func (w *marking) readObject(s *jsonspan.Scanner) {
	for key := range s.Members {
		switch name := string(key); {
		case name == w.f.contentKey():
			w.readList(s)
		case s.Kind() == jsonspan.Object && (name == "providerOptions" || name == "providerMetadata"):
			w.readOptions(s)
		case s.Kind() == jsonspan.Object && name != "" && w.f.isOuterKey(name):
			w.readObject(s)
		default:
			w.readMember(s, name)
		}
	}
}

// readList reads the cache breakpoints of the parts or tools in the list at the scanner.
func (w *marking) readList(s *jsonspan.Scanner) {
	if s.Kind() != jsonspan.Array {
		s.Skip()
		return
	}
	for s.Array(); s.Elem(); {
		if s.Kind() == jsonspan.Object {
			w.readObject(s)
		} else {
			s.Skip()
		}
	}
}

// readMember reads a member that is a cache breakpoint.
func (w *marking) readMember(s *jsonspan.Scanner, name string) {
	kind := markOf(name)
	if value := s.Skip(); kind&w.f.Marks != 0 && value.Kind == jsonspan.Object {
		w.marks = append(w.marks, Mark{Kind: kind, Value: value.Slice(s.Src())})
	}
}

func markOf(name string) MarkKind {
	switch name {
	case "cache_control":
		return ControlMark
	case "cachePoint":
		return PointMark
	}
	return 0
}

// readOptions reads the cache breakpoints in provider options.
func (w *marking) readOptions(s *jsonspan.Scanner) {
	for range s.Members {
		provider := keyOf(s)
		if s.Kind() != jsonspan.Object {
			s.Skip()
			continue
		}
		for key := range s.Members {
			name, option := string(key), keyOf(s)
			value := s.Skip()
			if (name == "cacheControl" || markOf(name) != 0) && w.f.Marks&OptionMark != 0 && value.Kind == jsonspan.Object {
				w.marks = append(w.marks, Mark{OptionMark, value.Slice(s.Src()), provider, option})
			}
		}
	}
}

// keyOf returns the key that the scanner has just read, including quotes.
func keyOf(s *jsonspan.Scanner) []byte {
	return bytes.TrimRight(s.Src()[s.KeyPos():s.Pos()], ": \t\r\n")
}

// contentKey returns the key of a message's list of parts.
func (f *Format) contentKey() string {
	if f.Parts == "" {
		return "content"
	}
	return f.Parts
}

// isOuterKey reports whether messages in any spelling of the format hold their content under this key.
func (f *Format) isOuterKey(key string) bool {
	return slices.Contains(f.Within, key)
}

// CacheMarkPlace returns where to insert a cache breakpoint in a message, given as JSON, that doesn't end with one, and
// the text to insert. ok is false if the message has no place for a breakpoint.
func (f *Format) CacheMarkPlace(message []byte, m Mark) (at jsonspan.Span, text []byte, ok bool) {
	s := jsonspan.New(message)
	if s.Kind() != jsonspan.Object {
		return at, nil, false
	}
	at, text, ok = f.markAt(s, m)
	return at, text, ok && s.Err() == nil
}

// markAt returns the place for a breakpoint in the message at the scanner, and the text to insert there. ok is false if
// the message can't have one.
func (f *Format) markAt(s *jsonspan.Scanner, m Mark) (at jsonspan.Span, text []byte, ok bool) {
	src, members := s.Src(), 0
	for key := range s.Members {
		members++
		switch name := string(key); {
		case m.Kind == OptionMark:
			if s.Skip(); name == "providerOptions" { // these provider options were set by the app
				return at, nil, false
			}
		case name == f.contentKey():
			at, text, ok = markedContent(s, m)
		case s.Kind() == jsonspan.Object && f.isOuterKey(name):
			at, text, ok = f.markAt(s, m)
		default:
			s.Skip()
		}
	}
	if m.Kind != OptionMark {
		return at, text, ok
	}
	text = append(append(append(text, `,"providerOptions":{`...), m.provider...), ':', '{')
	text = append(append(append(append(text, m.option...), ':'), m.Value...), "}}"...)
	return emptySpanBefore(s.Pos()), text, members > 0 && src[s.Pos()-1] == '}'
}

// emptySpanBefore returns the empty span before the closing bracket that ends at offset end.
func emptySpanBefore(end uint32) jsonspan.Span { return jsonspan.Span{Start: end - 1, End: end - 1} }

// unmarkable lists the types of parts that accept no cache breakpoint.
var unmarkable = [][]byte{[]byte(`"thinking"`), []byte(`"redacted_thinking"`), []byte(`"reasoning"`)}

// acceptsMark reads the part at the scanner. It reports whether the part accepts a cache breakpoint and has none.
func acceptsMark(s *jsonspan.Scanner) bool {
	accepts, members := true, 0
	for key := range s.Members {
		members++
		value := s.Skip().Slice(s.Src())
		switch name := string(key); {
		case markOf(name) != 0 || name == "reasoningContent" || name == "text" && len(value) <= 2:
			accepts = false
		case name == "type":
			accepts = accepts && !slices.ContainsFunc(unmarkable, func(not []byte) bool {
				return bytes.Equal(value, not)
			})
		}
	}
	return accepts && members > 0
}

// markedContent is like CacheMarkPlace, for the message content at the scanner. ok is false if the content has no place
// for the breakpoint.
func markedContent(s *jsonspan.Scanner, m Mark) (at jsonspan.Span, text []byte, ok bool) {
	if s.Kind() == jsonspan.String {
		value := s.Text()
		if m.Kind != ControlMark || value.Span.Len() <= 2 {
			return at, nil, false
		}
		text = append(append(append(text, `[{"type":"text","text":`...), value.Span.Slice(s.Src())...),
			`,"cache_control":`...)
		return value.Span, append(append(text, m.Value...), "}]"...), true
	}
	if s.Kind() != jsonspan.Array {
		s.Skip()
		return at, nil, false
	}
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			s.Skip()
			ok = false
			continue
		}
		ok = acceptsMark(s)
		at = emptySpanBefore(s.Pos())
	}
	switch {
	case !ok:
		return at, nil, false
	case m.Kind == PointMark:
		return emptySpanBefore(s.Pos()), append(append(append(text, `,{"cachePoint":`...), m.Value...), '}'), true
	}
	return at, append(append(text, `,"cache_control":`...), m.Value...), true
}
