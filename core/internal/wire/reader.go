package wire

import (
	"slices"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// The maximum numbers of messages and parts in a transcript. A message takes up to about 3 KB of memory during a
// compaction, and WebAssembly has 4 GiB. Longer transcripts would crash the instance, so they are rejected.
const (
	MaxMessages = 1 << 20
	MaxParts    = 1 << 21
)

// Reader reads one transcript: a scanner, and the records that are built from it.
type Reader struct {
	*jsonspan.Scanner
	T     *transcript.Transcript // the transcript that is being built
	F     *Format                // its format
	input bool                   // the text is the caller's input, so its size must be limited
	// The results of fields by depth, modulo the number of frames.
	frames [6]frame
	depth  int          // the number of frames in use
	from   uint32       // offset at which reading began
	items  *itemDialect // the spelling of the items; nil in formats without items
	lone   int          // number of lone surrogates in messages
	// skipped counts the bytes of members that were not read.
	skipped int
	// message is the message being read. It is a field of the reader because arguments of function values would be
	// heap-allocated.
	message transcript.Message
}

// field is a member of an object, as read by fields. Its Kind is Invalid if the object has no such member.
type field struct {
	Kind jsonspan.Kind // the kind of its value
	Key  uint32        // offset of the member, at its key
	jsonspan.Span
	Size jsonspan.Measure // the size of a string's text, or of any other value as compact JSON
	Raw  uint32           // size as compact JSON, in bytes
}

// Str reports whether the field is a string.
func (f *field) Str() bool { return f.Kind == jsonspan.String }

// isFilled reports whether the field is a string that isn't empty, such as a signature.
func (f *field) isFilled() bool { return f.Str() && f.Size.Bytes > 0 }

// jsonSize returns the measure of the field's value, written as compact JSON.
func (f *field) jsonSize() jsonspan.Measure {
	if f.Str() {
		return f.Size.Add(jsonspan.ASCII(f.Raw - f.Size.Bytes))
	}
	return f.Size
}

// maxFields is the maximum number of keys that a format may read from one object.
const maxFields = 21

type frame [maxFields]field

// fields reads an object: it fills in one field for each of the keys, and skips all other members. If a value is an
// object or an array, inner may read it and return true; the field then has a kind and a span, but no size. A key that
// occurs twice is an error, because it is unknown which value counts. The next call at the same
// depth or six levels deeper overwrites the frame. The measure covers the whole object except the members that inner
// has read.
func (r *Reader) fields(keys []string, inner func(r *Reader, key int, f *frame) bool) (*frame, jsonspan.Measure) {
	f := &r.frames[r.depth%len(r.frames)]
	clear(f[:len(keys)])
	r.depth++
	size := jsonspan.ASCII(1)
	for r.Object(); ; {
		name, ok := r.Key()
		if !ok {
			break
		}
		size = size.Add(jsonspan.ASCII(uint32(len(name)) + 4))
		k := indexOf(keys, name)
		if k < 0 {
			rest := r.Skip().Measure
			r.skipped += int(rest.Bytes)
			size = size.Add(rest)
			continue
		}
		at := &f[k]
		if at.Kind != jsonspan.Invalid {
			r.Fail(jsonspan.DuplicateKey, int(r.KeyPos()), "the key \""+keys[k]+"\" appears twice in one object")
			break
		}
		at.Key = r.KeyPos()
		kind := r.Kind()
		at.Start = r.Pos()
		switch {
		case kind == jsonspan.String:
			s := r.Text()
			at.Span, at.Size = s.Span, s.Measure
			at.Raw = s.Bytes + s.Escapes + 2
			size = size.Add(s.JSON())
		case inner != nil && (kind == jsonspan.Array || kind == jsonspan.Object) && inner(r, k, f):
			at.End = r.Pos()
		default:
			v := r.Skip()
			at.Span, at.Size, at.Raw = v.Span, v.Measure, v.Bytes
			size = size.Add(v.Measure)
		}
		at.Kind = kind
	}
	r.depth--
	if r.Err() != nil {
		clear(f[:]) // the fields read so far are unreliable
	}
	return f, size
}

// object reads the next value as a part: it sets the part's span, and returns the fields for the keys and the measure
// of the whole object. See fields for inner. If the value isn't an object, the fields are empty, and object reports an
// error in which subject names the expected value.
func (r *Reader) object(p *transcript.Part, subject string, keys []string,
	inner func(r *Reader, key int, f *frame) bool) (*frame, jsonspan.Measure) {
	if r.Kind() != jsonspan.Object {
		r.Fail(jsonspan.WrongType, int(r.Pos()), subject+" must be an object")
	}
	p.Span.Start = r.Pos()
	f, size := r.fields(keys, inner)
	p.Span.End = r.Pos()
	return f, size
}

// firstOf returns the first of the given members that the object has, or the last of them if it has none.
func (f *frame) firstOf(keys ...int) *field {
	for _, k := range keys[:len(keys)-1] {
		if f[k].Kind != jsonspan.Invalid {
			return &f[k]
		}
	}
	return &f[keys[len(keys)-1]]
}

// setText makes the part text or reasoning whose body is the field's string. If the field isn't a string, the part
// stays unchanged. The same applies to setID, setToolName and setFlags.
//
//go:noinline
func (f *field) setText(p *transcript.Part, kind transcript.Kind) {
	if f.Str() {
		p.Kind, p.Body, p.Size = kind, f.Span, f.Size
	}
}

// setID sets the part's id from the field. A field that is no string leaves the part without an id.
//
//go:noinline
func (f *field) setID(p *transcript.Part) {
	if f.Str() {
		p.ID = f.Span
	}
}

// setToolName sets the name of the part's tool from the field.
//
//go:noinline
func (f *field) setToolName(p *transcript.Part) {
	if f.Str() {
		p.Name, p.NameSz = f.Span, f.Size
	}
}

// setFlags sets flags of the part if the field is a non-empty string, such as a signature.
//
//go:noinline
func (f *field) setFlags(p *transcript.Part, flags transcript.Flags) {
	if f.isFilled() {
		p.Flags |= flags
	}
}

func indexOf(keys []string, name []byte) int {
	for i, k := range keys {
		if string(name) == k {
			return i
		}
	}
	return -1
}

// list reads an array. It calls read for each element, and returns the array's span.
func (r *Reader) list(read func(r *Reader)) jsonspan.Span {
	r.Kind() // also skips white space
	p := jsonspan.Span{Start: r.Pos()}
	if r.Array() {
		for r.Elem() {
			read(r)
		}
	}
	p.End = r.Pos()
	return p
}

// readAgain calls read to read the value of a field a second time. This is needed for objects whose type comes after
// the members that depend on it; most writers put the type first.
func (r *Reader) readAgain(f *field, read func(r *Reader)) {
	if r.Err() != nil {
		return
	}
	back := r.Scanner
	r.Scanner = back.At(f.Start)
	read(r)
	err := r.Err()
	if r.Scanner = back; err != nil {
		r.Fail(err.Code, err.Offset, err.Message)
	}
}

// leadingType returns the type of the object at the reader if the type is its first member, where most writers put it.
// Otherwise it returns "". tag is the key for the type.
func (r *Reader) leadingType(tag string) string {
	s := r.Scanner.At(r.Pos())
	if !s.Object() {
		return ""
	}
	if name, ok := s.Key(); !ok || string(name) != tag || s.Kind() != jsonspan.String {
		return ""
	}
	text := s.Text()
	return r.shortText(&field{Kind: jsonspan.String, Span: text.Span, Size: text.Measure})
}

// Add adds a part to the message being read and returns the part's index in Parts. It is an error if
// the input has more than MaxParts parts.
func (r *Reader) Add(p transcript.Part) int {
	p.Msg = int32(len(r.T.Messages))
	p.Pair = -1
	if r.input && len(r.T.Parts) >= MaxParts {
		r.Fail(jsonspan.TooLarge, int(r.Pos()), "the transcript has more than 2,097,152 parts")
	}
	if len(r.T.Parts) == cap(r.T.Parts) {
		r.T.Parts = slices.Grow(r.T.Parts, r.expectedMore(len(r.T.Parts)))
	}
	r.T.Parts = append(r.T.Parts, p)
	return len(r.T.Parts) - 1
}

// addReserved adds a part and returns its index in Parts. self is the index that was reserved for the part so that its
// nested parts could follow it, or -1 if none was reserved.
func (r *Reader) addReserved(self int, p transcript.Part) int {
	if self < 0 {
		return r.Add(p)
	}
	p.Msg, p.Pair = r.T.Parts[self].Msg, -1
	r.T.Parts[self] = p
	return self
}

// roleAndList reads a message whose role and content are under the first two keys. If the content is a list, part
// reads each of its elements.
func (r *Reader) roleAndList(m *transcript.Message, keys []string, part func(r *Reader)) frame {
	f, _ := r.fields(keys, func(r *Reader, key int, f *frame) bool {
		if key != 1 || r.Kind() != jsonspan.Array {
			return false
		}
		m.Lists[transcript.ContentList] = r.list(part)
		return true
	})
	return *f
}

// wholePart turns a field into a part that is the whole content of its message.
//
//go:noinline
func wholePart(kind transcript.Kind, f *field) transcript.Part {
	return transcript.Part{Kind: kind, List: transcript.NoList, Parent: -1, Span: f.Span, Body: f.Span, Size: f.Size}
}

// memberPart turns a field, including its key, into a part that is a member of its message.
//
//go:noinline
func memberPart(kind transcript.Kind, f *field) transcript.Part {
	p := wholePart(kind, f)
	p.List = transcript.Member
	p.Span.Start = f.Key
	return p
}

// isText reports whether a field is a string with the given text.
//
//go:noinline
func (r *Reader) isText(f *field, text string) bool {
	return f.Str() && jsonspan.EqualText(r.Src(), f.Span, text)
}

// shortText returns the text of a string field of at most maxWord bytes, such as a type or a role. For any other field
// it returns "".
func (r *Reader) shortText(f *field) string {
	if !f.Str() || f.Size.Bytes > maxWord {
		return ""
	}
	if b := r.Src()[f.Start+1 : f.End-1]; len(b) <= maxWord {
		for _, word := range knownWords[len(b)] {
			if string(b) == word {
				return word
			}
		}
	}
	return jsonspan.Text(r.Src(), f.Span)
}

// knownWords holds the types and roles that formats know, by length, so that reading a known one doesn't allocate.
var knownWords [maxWord + 1][]string

// maxWord is the maximum length, in bytes, of the types and roles that shortText returns.
const maxWord = 64

// wantKind reports an error with the given message, unless the field is missing or is of kind a or b.
//
//go:noinline
func (r *Reader) wantKind(f *field, a, b jsonspan.Kind, message string) {
	if f.Kind != jsonspan.Invalid && f.Kind != a && f.Kind != b {
		r.Fail(jsonspan.WrongType, int(f.Start), message)
	}
}

// setRole sets the role of a message from a field, according to the format's list of roles. A role
// that isn't in the list is transcript.Other. A missing role, and one that isn't a string, is an
// error.
func (r *Reader) setRole(m *transcript.Message, f *field, roles []roleName) {
	if f.Kind == jsonspan.Invalid {
		r.Fail(api.CodeMissingRole, int(m.Span.Start), "this message has no role")
		return
	}
	r.wantKind(f, jsonspan.String, jsonspan.String, "the role must be a string")
	m.RoleSpan = f.Span
	name := r.shortText(f)
	m.Role = transcript.Other
	for _, role := range roles {
		if role.name == name {
			m.Role = role.role
		}
	}
}

// roleName is a format's name for a role.
type roleName struct {
	name string          // as in the format
	role transcript.Role // what it means
}

// Read reads the transcript at the scanner: a list of messages, or a request body that contains one. Afterwards the
// scanner is at the end of that value. Errors are reported by the scanner.
func (f *Format) Read(s *jsonspan.Scanner) *transcript.Transcript {
	t := &transcript.Transcript{Src: s.Src(), Named: f.Rules.Named, Ordered: f.Rules.Ordered, Weigh: s.Weigh}
	r := &Reader{Scanner: s, T: t, F: f, input: true}
	kind := r.Kind()
	t.Outer.Start = r.Pos()
	r.from = t.Outer.Start
	r.Watch = markKeys
	switch kind {
	case jsonspan.Array:
		r.messages()
	case jsonspan.Object:
		r.body()
	case jsonspan.Invalid:
	default:
		r.Fail(jsonspan.WrongType, int(r.Pos()),
			"messages must be a list, or a request body with one under \""+f.List+"\"")
	}
	t.Outer.End = r.Pos()
	t.LoneBeside = r.Lone > r.lone
	t.Marks, t.Skipped = r.Met, r.skipped
	t.Input = len(t.Messages)
	if r.Err() != nil {
		return t
	}
	t.MarkSent(0)
	t.PairCalls(0)
	if f.Link != nil {
		f.Link(t, 0)
	}
	return t
}

func (r *Reader) messages() {
	r.T.List = r.list(func(r *Reader) { r.Message() })
}

// Message reads the message at the reader and adds it to the transcript. A value that isn't an
// object is an error, and so are more than MaxMessages messages in the input.
func (r *Reader) Message() {
	if kind := r.Kind(); kind != jsonspan.Object {
		r.Fail(jsonspan.WrongType, int(r.Pos()), "a message must be an object")
		return
	}
	if r.input && len(r.T.Messages) >= MaxMessages {
		r.Fail(jsonspan.TooLarge, int(r.Pos()), "the transcript has more than 1,048,576 messages")
		return
	}
	m := &r.message
	*m = transcript.Message{First: int32(len(r.T.Parts))}
	m.Span.Start = r.Pos()
	lone := r.Lone
	r.F.ReadMessage(r, m)
	m.Span.End = r.Pos()
	m.Lone = r.Lone > lone
	r.lone += r.Lone - lone
	m.Count = int32(len(r.T.Parts)) - m.First
	if r.Err() == nil {
		if len(r.T.Messages) == cap(r.T.Messages) {
			r.T.Messages = slices.Grow(r.T.Messages, r.expectedMore(len(r.T.Messages)))
		}
		r.T.Messages = append(r.T.Messages, *m)
	}
}

// expectedMore estimates how many more records of a kind will follow after n have been read, assuming that the rest of
// the source is similar. With this estimate, slices are reallocated only a few times, and little memory is wasted.
func (r *Reader) expectedMore(n int) int {
	read, left := uint64(r.Pos()-r.from), uint64(len(r.Src()))-uint64(r.Pos())
	if n < 16 || read == 0 {
		return 16
	}
	return n/8 + int(min(uint64(n)*left/read*17/16, left/64))
}

// Extend reads the messages that were appended to t.Src from offset on, and adds them to t. If it returns an error, t
// is unchanged; the error's offset refers to t.Src.
func (f *Format) Extend(t *transcript.Transcript, offset uint32) *jsonspan.Error {
	messages, parts := len(t.Messages), len(t.Parts)
	depth := 1
	if t.Outer.Start != t.List.Start {
		depth = 2
	}
	r := &Reader{Scanner: jsonspan.New(t.Src).Within(offset, depth), T: t, F: f, from: offset, input: true}
	r.Weigh, r.Watch = t.Weigh, markKeys
	for r.Elem() {
		r.Message()
	}
	if err := r.Err(); err != nil {
		t.Messages, t.Parts = t.Messages[:messages], t.Parts[:parts]
		return err
	}
	t.Marks = t.Marks || r.Met
	t.AppendRead(messages, parts)
	t.MarkSent(messages)
	return nil
}

// Snapshot returns a copy of the records of a transcript that has grown, linked as if the transcript had been read as a
// whole.
func (f *Format) Snapshot(t *transcript.Transcript) *transcript.Transcript {
	c := t.Clone()
	if f.Link != nil {
		f.Link(c, 0)
	}
	return c
}

// Adder adds messages to a transcript. It reuses its reader, which is large compared to most messages.
type Adder struct{ r Reader }

// Add reads messages that ctxfold itself has written, separated by commas, and adds them to t after the last message.
// It returns the index of the first one. It doesn't link their parts, because Pair takes time proportional to the whole
// transcript.
func (a *Adder) Add(f *Format, t *transcript.Transcript, text []byte) int {
	first, part := len(t.Messages), len(t.Parts)
	text = append(append([]byte{'['}, text...), ']')
	r := &a.r
	r.Scanner, r.T, r.F = jsonspan.New(text), t, f
	r.depth, r.from, r.items, r.lone = 0, 0, nil, 0
	r.Weigh = t.Weigh
	list := t.List
	r.messages()
	t.List = list
	t.MoveToArena(text, first, part)
	return first
}

// AddOne adds one message of unknown origin, given as JSON, to t. ok is false if it is not a valid message of the
// format. Its parts aren't linked to other parts.
func (f *Format) AddOne(t *transcript.Transcript, text []byte) (message int32, ok bool) {
	first, part := len(t.Messages), len(t.Parts)
	r := &Reader{Scanner: jsonspan.New(text), T: t, F: f}
	r.Weigh = t.Weigh
	r.Message()
	r.End()
	if r.Err() != nil || len(t.Messages) != first+1 {
		t.Messages, t.Parts = t.Messages[:first], t.Parts[:part]
		return -1, false
	}
	t.MoveToArena(text, first, part)
	return int32(first), true
}

// Pair links the parts of t from index part on to the parts that they belong to.
func (f *Format) Pair(t *transcript.Transcript, part int) {
	t.PairCalls(part)
	if f.Link != nil {
		f.Link(t, part)
	}
}
