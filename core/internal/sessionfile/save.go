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

// Saving holds the messages with which a session continues.
type Saving struct {
	// Src holds the messages: JSON objects in the wire format of the file, at the spans in Messages.
	Src      []byte
	Messages []jsonspan.Span
	// Tokens is the size of the conversation before the compaction; 0 uses the provider's last count.
	Tokens int64
	// Time is the time of the compaction, in a form that Millis reads; "" is the time of the last entry in the file.
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
	f, w, err := load(src)
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
	// tell appends what a file of this kind preserves of the i-th message. Messages for which it appends the same bytes are equal.
	tell(dst, src []byte, message jsonspan.Span, i int) []byte
}

// byteForByte compares messages in files that store every message unchanged.
type byteForByte struct{}

func (byteForByte) tell(dst, src []byte, message jsonspan.Span, _ int) []byte {
	return jsonspan.AppendCompact(dst, message.Of(src))
}

// byRole compares messages in files that do not show where a message ends and the next one of the same role begins.
type byRole struct{ last string } // the role of the previous message

// begin appends what precedes the content of the i-th message. merges says that consecutive messages of this role are merged.
func (b *byRole) begin(dst []byte, role string, i int, merges bool) []byte {
	if i == 0 || role != b.last || !merges {
		dst = append(append(dst, '\n'), role...)
	}
	b.last = role
	return dst
}

// saver is a session file that is being rewritten with other messages.
type saver struct {
	time int64 // of the newest new line, in milliseconds since 1970; 0 before the first
	*file
	in     Saving
	old    []jsonspan.Span // the messages of the file, in file.Messages
	from   []int32         // for each message, the index of the same message in the file, or -1
	begins []int32         // for each message of the file, where its origins begin; followed by where all end
	kept   int
	out    []byte
	seed   []byte
	n      int // how many ids were made
	w      writer
}

// elements returns the values of a list that has been written by this package.
func elements(list []byte) (spans []jsonspan.Span) {
	s := jsonspan.New(list)
	s.Lenient = true
	for s.Array(); s.Elem(); {
		spans = append(spans, s.Skip().Span)
	}
	return spans
}

// hash returns the 64-bit FNV-1a hash of a text. Messages are hashed without white space and with normalised strings; those with equal
// hashes are then compared.
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

// unchanged reports whether the messages are exactly those of the file.
func (s *saver) unchanged() bool {
	for i, k := range s.from {
		if k != int32(i) {
			return false
		}
	}
	return len(s.from) == len(s.old)
}

// begin sets what every kind begins with: a file of lines stays, except for a last line that is cut off.
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

// id returns a new id, in the form of a random UUID.
func (s *saver) id() string {
	s.n++
	h := []byte(handles.Handle(strconv.AppendInt(slices.Clone(s.seed), int64(s.n), 10)))
	h[12], h[16] = '4', "89ab"[h[16]&3]
	return string(slices.Concat(h[:8], []byte("-"), h[8:12], []byte("-"), h[12:16], []byte("-"), h[16:20], []byte("-"), h[20:32]))
}

// newID returns a new id as JSON.
func (s *saver) newID() string { return `"` + s.id() + `"` }

// write appends pieces of JSON to the new file, as appendJSON does. Spans refer to the old file.
func (s *saver) write(pieces ...any) { s.out = appendJSON(s.out, s.src, pieces...) }

// first returns the record that a message of the file is made of, or the first of them.
func (s *saver) first(k int32) int32 { return s.origins[s.begins[k]].record }

// comma writes a comma before the k-th value of a list, unless that is the first.
func (s *saver) comma(k int) {
	if k > 0 {
		s.write(`,`)
	}
}

// body returns message i, as JSON.
func (s *saver) body(i int) []byte { return s.in.Messages[i].Of(s.in.Src) }

// value returns the value at a path of a message, as JSON; nil if there is none.
func (s *saver) value(i int, path string) []byte {
	if v := find(s.in.Src, s.in.Messages[i], path); !v.Zero() {
		return v.Of(s.in.Src)
	}
	return nil
}

// cannot fails with the reason why the file can't hold the messages.
func (s *saver) cannot(why string) {
	s.fail(&jsonspan.Error{Code: api.CodeCannotSave, Message: why}, 0)
}

// recordsOf returns the records that a message of the file comes from.
func (s *saver) recordsOf(k int32) []origin { return s.origins[s.begins[k]:s.begins[k+1]] }

// role returns the role of a message; "" if it has none.
func (s *saver) role(i int) string {
	role, _ := s.roleText(i)
	return role
}

// roleText returns the role of a message, and its text if the message contains nothing else.
func (s *saver) roleText(i int) (role, content string) {
	var name jsonspan.Span
	readOnly := func(in *jsonspan.Scanner) { content = onlyText(in) }
	readAt(s.in.Src, s.in.Messages[i], field{"role", &name}, field{"content", readOnly}, field{"parts", readOnly})
	return jsonspan.Text(s.in.Src, name), content
}

// onlyText reads content that is a text, or a list of nothing but text parts, and returns the text; "" for anything else.
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
		if role, text := s.roleText(i); role == "user" && text != "" {
			return i
		}
	}
	return -1
}

// content returns what a file of the kind can tell of messages.
func (s *saver) content(src []byte, messages []jsonspan.Span) (all []byte) {
	for i, p := range messages {
		all = s.w.tell(all, src, p, i)
	}
	return all
}
