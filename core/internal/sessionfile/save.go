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

// Saving holds the messages with which a session should continue.
type Saving struct {
	// Src contains the messages at the spans in Messages, as JSON objects in the wire format of the file.
	Src      []byte
	Messages []jsonspan.Span
	// Tokens is the size of the conversation before the compaction; 0 means the provider's last count.
	Tokens int64
	// Time is the time of the compaction, in a form that Millis accepts; "" means the time of the last entry in
	// the file.
	Time string
}

// Saved describes the new session file: the first Kept bytes of the old file, followed by Text.
type Saved struct {
	Kind string // the name of the file's kind
	Kept int    // number of bytes
	Text []byte // empty if nothing has changed
}

// Save writes the compacted messages of a session back into its file so that the agent resumes with exactly these
// messages. Where the agent's format allows it, they become one of its own compactions. Files that consist of lines are
// kept and get additional lines; an incomplete last line is dropped. Entries of unchanged messages keep everything that
// the agent recorded in them, except for the provider's counts, which describe the old request.
//
// Ids are derived from the file and the messages, so the same call always returns the same bytes. If nothing has
// changed, the result keeps the whole file. It returns an error if src is no session file, or with the code cannot_save
// if the agent would not resume with these messages.
func Save(src []byte, in Saving) (*Saved, *jsonspan.Error) {
	f, w, err := load(src)
	if err != nil {
		return nil, err
	}
	f.Messages = append(f.openList(), ']')
	s := &saver{file: f, w: w, in: in, old: elements(f.Messages)}
	s.matchMessages()
	if s.unchanged() {
		return &Saved{Kind: f.Kind, Kept: len(src)}, nil
	}
	s.prepare()
	w.save(s)
	if s.err != nil {
		return nil, s.err
	}
	out := &Saved{Kind: f.Kind, Kept: s.kept, Text: s.out}
	back, err := Open(append(src[:s.kept:s.kept], s.out...))
	if err != nil || !bytes.Equal(s.content(back.Messages, elements(back.Messages)), s.content(in.Src, in.Messages)) {
		return nil, &jsonspan.Error{Code: api.CodeCannotSave,
			Message: "a session file of the kind " + f.Kind + " cannot hold these messages"}
	}
	return out, nil
}

// writer saves messages in a session file that it has read.
type writer interface {
	save(s *saver)
	// appendPreserved appends as much of message i's content as this kind of file preserves. Messages for which it
	// appends the same bytes count as equal.
	appendPreserved(dst, src []byte, message jsonspan.Span, i int) []byte
}

// wholeMessages implements appendPreserved for files that store every message unchanged.
type wholeMessages struct{}

func (wholeMessages) appendPreserved(dst, src []byte, message jsonspan.Span, _ int) []byte {
	return jsonspan.AppendCompact(dst, message.Slice(src))
}

// byRole helps to implement appendPreserved for files in which consecutive messages with the same role can't be told
// apart.
type byRole struct{ last string } // the role of the previous message

// begin appends the separator before the content of message i. It appends nothing if the message is merged with the one
// before: if that has the same role, and merges is true, since the file merges consecutive messages with this role.
func (b *byRole) begin(dst []byte, role string, i int, merges bool) []byte {
	if i == 0 || role != b.last || !merges {
		dst = append(append(dst, '\n'), role...)
	}
	b.last = role
	return dst
}

// saver holds the state while other messages are saved in a session file.
type saver struct {
	time int64 // the time of the newest new line, in milliseconds since 1970; 0 before the first
	*file
	in   Saving          // the caller's messages and the time of saving
	old  []jsonspan.Span // the spans of the file's messages in file.Messages
	from []int32         // for each message, the index of the same message in the file, or -1
	// For each message of the file, the start of its origins; the last element is the end of all origins.
	begins []int32
	kept   int    // number of leading bytes of the file that stay
	out    []byte // what follows them, as far as it was written
	seed   []byte // what new ids are derived from: a hash of the file's end and of the messages
	n      int    // the number of ids made so far
	w      writer // saves in the form of the file's kind
}

// elements returns the spans of the values in a list.
func elements(list []byte) (spans []jsonspan.Span) {
	s := jsonspan.New(list)
	s.Lenient = true
	for s.Array(); s.Elem(); {
		spans = append(spans, s.Skip().Span)
	}
	return spans
}

// hash returns the 64-bit FNV-1a hash of text. The texts are messages in compact form, with normalized strings.
// Messages with equal hashes are also compared.
func hash(text []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// matchMessages finds the unchanged messages. It compares from last to first, because compactions preserve the order,
// and ignores differences in spelling, since the host may have decoded and encoded the messages.
func (s *saver) matchMessages() {
	type known struct {
		print uint64 // the hash of the message
		at    int32  // its index among the file's messages
	}
	compact := func(src []byte, p jsonspan.Span) []byte { return jsonspan.AppendCompact(nil, p.Slice(src)) }
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

// unchanged reports whether the messages are the same as those in the file.
func (s *saver) unchanged() bool {
	for i, k := range s.from {
		if k != int32(i) {
			return false
		}
	}
	return len(s.from) == len(s.old)
}

// prepare prepares the new file: it keeps the old file up to its last complete line, and sets the seed for new ids.
func (s *saver) prepare() {
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
		h.Write(p.Slice(s.in.Src))
	}
	h.Write([]byte(s.in.Time))
	s.seed = []byte(h.Handle())
}

// id returns a new id, derived from the seed, in the form of a random UUID (version 4).
func (s *saver) id() string {
	s.n++
	h := []byte(handles.Handle(strconv.AppendInt(slices.Clone(s.seed), int64(s.n), 10)))
	h[12], h[16] = '4', "89ab"[h[16]&3]
	return string(slices.Concat(h[:8], []byte("-"), h[8:12], []byte("-"), h[12:16], []byte("-"), h[16:20], []byte("-"),
		h[20:32]))
}

// newID returns a new id as JSON.
//
//go:noinline
func (s *saver) newID() string { return `"` + s.id() + `"` }

// write appends pieces of JSON to the new file, as appendJSON does. Spans refer to the old file.
//
//go:noinline
func (s *saver) write(pieces ...any) { s.out = appendJSON(s.out, s.src, pieces...) }

// writeText writes a comma and a member whose value is text.
//
//go:noinline
func (s *saver) writeText(key, text string) { s.write(`,"`, key, `":`, quoted(text)) }

// firstRecord returns the first record that message k in the file comes from.
func (s *saver) firstRecord(k int32) int32 { return s.origins[s.begins[k]].record }

// writeComma writes a comma unless k, the index of a value in a list, is 0.
//
//go:noinline
func (s *saver) writeComma(k int) {
	if k > 0 {
		s.write(`,`)
	}
}

// body returns message i, as JSON.
func (s *saver) body(i int) []byte { return s.in.Messages[i].Slice(s.in.Src) }

// value returns the value at a path of message i, as JSON, or nil if there is none.
//
//go:noinline
func (s *saver) value(i int, path string) []byte {
	if v := find(s.in.Src, s.in.Messages[i], path); !v.IsZero() {
		return v.Slice(s.in.Src)
	}
	return nil
}

// refuse makes the saving fail. why is the reason why the file can't contain the messages.
//
//go:noinline
func (s *saver) refuse(why string) {
	s.fail(&jsonspan.Error{Code: api.CodeCannotSave, Message: why}, 0)
}

// recordsOf returns the records that message k in the file comes from.
func (s *saver) recordsOf(k int32) []origin { return s.origins[s.begins[k]:s.begins[k+1]] }

// role returns the role of message i, or "" if it has none.
//
//go:noinline
func (s *saver) role(i int) string {
	role, _ := s.roleText(i)
	return role
}

// roleText returns the role of message i, or "" if it has none, and, if the message consists only of text, this text.
// Otherwise content is "".
func (s *saver) roleText(i int) (role, content string) {
	var name jsonspan.Span
	readOnly := func(in *jsonspan.Scanner) { content = onlyText(in) }
	readAt(s.in.Src, s.in.Messages[i], field{"role", &name}, field{"content", readOnly}, field{"parts", readOnly})
	return jsonspan.Text(s.in.Src, name), content
}

// onlyText reads content and returns its text if it is a string, or a list that contains only text parts. Otherwise it
// returns "".
func onlyText(s *jsonspan.Scanner) string {
	switch s.Kind() {
	case jsonspan.String:
		return jsonspan.Text(s.Src(), stringSpan(s))
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
				all = jsonspan.AppendText(all, s.Src(), stringSpan(s))
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

// digest returns the index of the first message that is new and a plain user text, like the digest that a compaction
// writes. It returns -1 if there is none.
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

// content returns as much of the messages' content as this kind of file preserves, for comparison.
func (s *saver) content(src []byte, messages []jsonspan.Span) (all []byte) {
	for i, p := range messages {
		all = s.w.appendPreserved(all, src, p, i)
	}
	return all
}
