package core

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/internal/operations"
)

// memory is a compaction that was made for the beginning of a history: an entry of a request's member memory, as an answer of fit
// had it. One that cannot be read, or is of another version, counts as missing, which costs only a compaction.
type memory struct {
	format       string
	messages     int    // how many messages of the history it represents
	print        string // of these, as Transcript.Prints has it
	sentMessages int    // how many messages were sent for them
	sent         string // the print of these
	edits        jsonspan.Span
	state        jsonspan.Span
	result       []place // what was sent
}

const (
	memoryVersion = 1
	// maxMemories is how many entries of a request are read: the last ones.
	maxMemories = 64
)

// place says where a message of a result comes from.
type place struct {
	in   int    // its index in a list of messages, or -1 for a new one
	text []byte // where it is not that message as it is: the message
}

// memories reads the request's member memory. An entry that isn't one stays zero, so that the others keep their indexes.
func (r *request) memories() (list []memory) {
	at := r.members[operations.InMemory]
	if at.Zero() || r.err != nil {
		return nil
	}
	s := jsonspan.New(r.src).At(at.Start)
	switch s.Kind() {
	case jsonspan.Null:
		return nil
	case jsonspan.Array:
	default:
		r.fail(&jsonspan.Error{Code: jsonspan.WrongType, Message: "memory must be a list of the memory that fit returned"}, at.Start)
		return nil
	}
	for s.Array(); s.Elem(); {
		if s.Kind() == jsonspan.Object {
			list = append(list, readMemory(s))
		} else {
			s.Skip()
			list = append(list, memory{})
		}
	}
	r.fail(s.Err(), 0)
	clear(list[:max(0, len(list)-maxMemories)])
	return list
}

func readMemory(s *jsonspan.Scanner) (m memory) {
	version := 0
	for s.Object(); ; {
		key, ok := s.Key()
		if !ok {
			break
		}
		name := string(key)
		v := s.Skip()
		if s.Err() != nil {
			return memory{}
		}
		number := func() int {
			n, err := strconv.Atoi(string(v.Of(s.Src())))
			if v.Kind != jsonspan.Number || err != nil || n < 0 {
				return 0
			}
			return n
		}
		text := func() string {
			if v.Kind != jsonspan.String || v.Len() > 66 {
				return ""
			}
			return jsonspan.Text(s.Src(), v.Span)
		}
		switch name {
		case "version":
			version = number()
		case "format":
			m.format = text()
		case "messages":
			m.messages = number()
		case "print":
			m.print = text()
		case "sent_messages":
			m.sentMessages = number()
		case "sent":
			m.sent = text()
		case "edits":
			m.edits = v.Span
		case "state":
			m.state = v.Span
		}
	}
	if version != memoryVersion || m.messages == 0 || m.sentMessages == 0 || m.print == "" || m.sent == "" || m.edits.Zero() || m.state.Zero() {
		return memory{}
	}
	return m
}

// read reads what was sent. It reports whether that can be put in place of the first messages of a history: what is kept of these is in
// their order, and nothing twice.
func (m *memory) read(src []byte) bool {
	s := jsonspan.New(src).At(m.edits.Start)
	last := -1
	take := func(in int) bool {
		ok := in > last && in < m.messages
		last = max(last, in)
		return ok
	}
	for s.Array(); s.Elem(); {
		set, from, to := -1, -1, -1
		var text []byte
		for s.Object(); ; {
			key, ok := s.Key()
			if !ok {
				break
			}
			switch name := string(key); name {
			case "keep":
				var ends [2]int
				n := 0
				for s.Array(); s.Elem(); n++ {
					if number, err := strconv.Atoi(string(s.Skip().Of(src))); err == nil && n < 2 {
						ends[n] = number
					}
				}
				from, to = ends[0], ends[1]
			case "set":
				n, err := strconv.Atoi(string(s.Skip().Of(src)))
				if err != nil {
					return false
				}
				set = n
			case "insert", "message":
				text = s.Skip().Of(src)
			default:
				return false
			}
		}
		switch {
		case s.Err() != nil:
			return false
		case from >= 0:
			if text != nil || set >= 0 || to <= from || to > m.messages {
				return false
			}
			for in := from; in < to; in++ {
				if !take(in) {
					return false
				}
				m.result = append(m.result, place{in: in})
			}
		case text == nil || text[0] != '{' || set >= 0 && !take(set):
			return false
		default:
			m.result = append(m.result, place{in: set, text: text})
		}
	}
	return s.Err() == nil && len(m.result) == m.sentMessages
}

// marks are the members of messages and parts that tell a provider up to where a prompt cache goes.
var marks = []string{"cache_control", "cacheControl", "cachePoint"}

// marked are the members that may hold parts with marks, or options with one.
var marked = []string{"content", "parts", "providerOptions", "providerMetadata"}

// unmarked is a message without the cache breakpoints: a provider takes few of them, and the app sets its own.
func unmarked(message []byte) []byte {
	if !slices.ContainsFunc(marks, func(name string) bool { return bytes.Contains(message, []byte(name)) }) {
		return message
	}
	return appendUnmarked(make([]byte, 0, len(message)), jsonspan.New(message), true)
}

// appendUnmarked appends the value at the scanner without marks; deep reports whether one may be in its members.
func appendUnmarked(dst []byte, s *jsonspan.Scanner, deep bool) []byte {
	src, first := s.Src(), true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	switch kind := s.Kind(); {
	case kind == jsonspan.Object:
		dst = append(dst, '{')
		for s.Object(); ; {
			key, ok := s.Key()
			if !ok {
				break
			}
			if slices.Contains(marks, string(key)) {
				s.Skip()
				continue
			}
			comma()
			dst = append(dst, src[s.KeyPos():s.Pos()]...)
			if name := string(key); deep && (slices.Contains(marked, name) || s.Kind() == jsonspan.Object && name == "anthropic") {
				dst = appendUnmarked(dst, s, true)
			} else {
				dst = append(dst, s.Skip().Of(src)...)
			}
		}
		return append(dst, '}')
	case kind == jsonspan.Array:
		dst = append(dst, '[')
		for s.Array(); s.Elem(); {
			was, at, start := first, len(dst), s.Pos()
			comma()
			dst = appendUnmarked(dst, s, deep)
			if bytes.HasSuffix(dst[at:], []byte("{}")) && bytes.IndexByte(src[start:s.Pos()], ':') >= 0 { // a mark, and nothing else
				first, dst = was, dst[:at]
			}
		}
		return append(dst, ']')
	}
	return append(dst, s.Skip().Of(src)...)
}
