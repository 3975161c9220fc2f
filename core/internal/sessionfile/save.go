package sessionfile

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
)

// Saving holds the messages that a session file continues with.
type Saving struct {
	// Src holds the messages, JSON objects in the wire format of the file, where Messages says.
	Src      []byte
	Messages []jsonspan.Span
	// Tokens is how many there were before the compaction; 0 takes the provider's last count.
	Tokens int64
	// Time is when it was made, as Millis reads it; "" is when the last entry of the file was.
	Time string
}

// Saved is the new session file: the first Kept bytes of the old file, and Text after them.
type Saved struct {
	Kind string
	Kept int
	Text []byte
}

// Save writes the compacted messages of a session back into its file so that the agent resumes with exactly these messages. Where the
// agent's format allows it, they become one of its own compactions. Files that grow by lines are kept and get more lines; an incomplete last
// line is dropped. Entries of unchanged messages keep everything that the agent has noted in them, except for the provider's counts, which
// describe the old request.
//
// Ids are derived from the file and the messages, so the same call returns the same bytes.
func Save(src []byte, in Saving) (*Saved, *jsonspan.Error) {
	f, w, err := read(src)
	if err != nil {
		return nil, err
	}
	f.Messages = append(f.open(), ']')
	s := &saver{file: f, w: w, in: in, old: elements(f.Messages)}
	s.match()
	if s.unchanged() {
		return &Saved{Kind: f.Kind, Kept: len(src)}, nil
	}
	s.begin()
	w.save(s)
	if s.err != nil {
		return nil, s.err
	}
	out := &Saved{Kind: f.Kind, Kept: s.kept, Text: s.out}
	back, err := Open(append(src[:s.kept:s.kept], s.out...))
	if err != nil || !bytes.Equal(s.content(back.Messages, elements(back.Messages)), s.content(in.Src, in.Messages)) {
		return nil, &jsonspan.Error{Code: api.CodeCannotSave, Message: "a session file of the kind " + f.Kind + " cannot hold these messages"}
	}
	return out, nil
}

// writer writes messages into a session file that it has read.
type writer interface {
	save(s *saver)
	// tell appends what a file of the kind can tell of a message, the i-th one: two messages of which it tells the same are the same.
	tell(dst, src []byte, message jsonspan.Span, i int) []byte
}

// saver is a session file on its way to other messages.
type saver struct {
	time int64 // of the newest new line, in milliseconds since 1970; 0 before the first
	*file
	in     Saving
	old    []jsonspan.Span // the messages of the file, in file.Messages
	from   []int32         // of each message, the one of the file that it is, or -1
	begins []int32         // of each message of the file, where its origins begin; and where all end
	kept   int
	out    []byte
	seed   []byte
	n      int // ids given out
	w      writer
}

// elements are the values of a list that has been written by this package.
func elements(list []byte) (spans []jsonspan.Span) {
	s := jsonspan.New(list)
	s.Lenient = true
	for s.Array(); s.Elem(); {
		spans = append(spans, s.Skip().Span)
	}
	return spans
}

// hash is FNV-1a with 64 bits. Messages are hashed without white space, and with their strings spelled alike; equal hashes are
// compared.
func hash(text []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// match finds the unchanged messages, from last to first, because compactions keep the order. It ignores differences in spelling: the host
// may have decoded and encoded the messages.
func (s *saver) match() {
	type known struct {
		print uint64
		at    int32
	}
	compact := func(src []byte, p jsonspan.Span) []byte { return jsonspan.AppendCompact(nil, p.Of(src)) }
	order := make([]known, len(s.old))
	for i, p := range s.old {
		order[i] = known{hash(compact(s.Messages, p)), int32(i)}
	}
	compare := func(a, b known) int { return cmp.Or(cmp.Compare(a.print, b.print), cmp.Compare(a.at, b.at)) }
	sorting.Func(order, compare)
	s.from = filled(len(s.in.Messages), -1)
	for i, last := len(s.in.Messages)-1, int32(len(s.old)); i >= 0; i-- {
		text := compact(s.in.Src, s.in.Messages[i])
		want := known{hash(text), last}
		at, _ := slices.BinarySearchFunc(order, want, compare)
		if at == 0 || order[at-1].print != want.print {
			continue
		}
		if k := order[at-1].at; bytes.Equal(text, compact(s.Messages, s.old[k])) {
			s.from[i], last = k, k
		}
	}
}

// unchanged reports whether the messages are those of the file.
func (s *saver) unchanged() bool {
	for i, k := range s.from {
		if k != int32(i) {
			return false
		}
	}
	return len(s.from) == len(s.old)
}

// begin sets what every kind begins with: a file of lines stays, but for a last line that is cut off.
func (s *saver) begin() {
	if s.in.Time == "" {
		if s.in.Time = s.textAt(s.stamp); millis(s.in.Time) < 0 {
			s.in.Time = "1970-01-01T00:00:00.000Z"
		}
	}
	if s.in.Tokens == 0 && s.Usage != nil {
		s.in.Tokens = s.Usage.Total()
	}
	s.begins = filled(len(s.old)+1, int32(len(s.origins)))
	for i := len(s.origins) - 1; i >= 0; i-- {
		s.begins[s.origins[i].message] = int32(i)
	}
	s.kept = s.whole
	if s.kept > 0 && s.src[s.kept-1] != '\n' {
		s.out = append(s.out, '\n')
	}
	tail := s.src[max(0, len(s.src)-4096):]
	h := handles.New()
	h.Write(strconv.AppendInt(nil, int64(len(s.src)), 10))
	h.Write(tail)
	for _, p := range s.in.Messages {
		h.Write(p.Of(s.in.Src))
	}
	h.Write([]byte(s.in.Time))
	s.seed = []byte(h.Handle())
}

// id is a new id, in the form of a random UUID.
func (s *saver) id() string {
	s.n++
	h := []byte(handles.Handle(strconv.AppendInt(slices.Clone(s.seed), int64(s.n), 10)))
	h[12], h[16] = '4', "89ab"[h[16]&3]
	return string(slices.Concat(h[:8], []byte("-"), h[8:12], []byte("-"), h[12:16], []byte("-"), h[16:20], []byte("-"), h[20:32]))
}

func (s *saver) write(text string) { s.out = append(s.out, text...) }
func (s *saver) quote(text string) { s.out = jsonspan.AppendString(s.out, text) }
func (s *saver) number(n int64)    { s.out = strconv.AppendInt(s.out, n, 10) }

// first is the record that a message of the file is made of, or the first of them.
func (s *saver) first(k int32) int32 { return s.origins[s.begins[k]].record }

// comma goes before the k-th value of a list, unless that is the first.
func (s *saver) comma(k int) {
	if k > 0 {
		s.write(`,`)
	}
}

func (s *saver) body(i int) []byte { return s.in.Messages[i].Of(s.in.Src) }

// role is the role of a message, "" where it has none.
func (s *saver) role(i int) (role string) {
	role, _ = s.textOf(i)
	return role
}

// textOf is the role of a message, and its text where it holds nothing but text.
func (s *saver) textOf(i int) (role, content string) {
	in := scanner(s.in.Src, s.in.Messages[i].Start)
	members(in, func(key []byte) bool {
		switch string(key) {
		case "role":
			role = jsonspan.Text(s.in.Src, text(in))
		case "content", "parts":
			content = onlyText(in)
		default:
			return false
		}
		return true
	})
	return role, content
}

// onlyText reads content that is a text, or a list of parts with a text each and nothing else but a type; anything else is "".
func onlyText(s *jsonspan.Scanner) string {
	switch s.Kind() {
	case jsonspan.String:
		return jsonspan.Text(s.Src(), text(s))
	case jsonspan.Array:
	default:
		s.Skip()
		return ""
	}
	var all []byte
	plain := true
	for s.Array(); s.Elem(); {
		if !isObject(s) {
			plain = false
			continue
		}
		members(s, func(key []byte) bool {
			switch string(key) {
			case "text":
				all = jsonspan.AppendText(all, s.Src(), text(s))
				return true
			case "type", "cache_control":
			default:
				plain = false
			}
			return false
		})
	}
	if !plain {
		return ""
	}
	return string(all)
}

// digest returns the index of the first new message that is a plain user text, which is how a compaction replaces the messages that it
// removes; -1 if there is none.
func (s *saver) digest() int {
	for i, k := range s.from {
		if k >= 0 {
			continue
		}
		if role, text := s.textOf(i); role == "user" && text != "" {
			return i
		}
	}
	return -1
}

// content is what a file of the kind can tell of messages.
func (s *saver) content(src []byte, messages []jsonspan.Span) (all []byte) {
	for i, p := range messages {
		all = s.w.tell(all, src, p, i)
	}
	return all
}

// scanner returns a scanner at an offset that accepts lone surrogates.
func scanner(src []byte, at uint32) *jsonspan.Scanner {
	s := jsonspan.New(src).At(at)
	s.Lenient = true
	return s
}

// find returns the value of a member of the object at a span, the zero Span where it has none.
func find(src []byte, at jsonspan.Span, key string) (value jsonspan.Span) {
	if at.Zero() {
		return value
	}
	s := scanner(src, at.Start)
	if s.Kind() != jsonspan.Object {
		return value
	}
	members(s, func(name []byte) bool {
		if string(name) == key && value.Zero() {
			value = s.Skip().Span
			return true
		}
		return false
	})
	return value
}

// stringAt returns the string that a member of an object is, the zero Span where it is something else.
func stringAt(src []byte, at jsonspan.Span, key string) jsonspan.Span {
	if v := find(src, at, key); !v.Zero() && src[v.Start] == '"' {
		return v
	}
	return jsonspan.Span{}
}
