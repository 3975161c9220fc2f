package sessionfile

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// file holds the state while a session file is read: its source, and the session built from it. The first error ends
// the reading.
type file struct {
	*Session
	kind    *Kind           // of the file
	src     []byte          // the bytes of the file
	err     *jsonspan.Error // the first error; nil if there is none
	whole   int             // the end of the last complete line
	stamp   jsonspan.Span   // the time of the last entry, a string; zero if it has none
	latest  int64           // the latest time of all entries, in milliseconds since 1970
	origins []origin        // the records that each message comes from, ordered by message
}

// origin is a record that a message comes from; a message may come from several. Each kind of file numbers its records
// in its own way.
type origin struct{ message, record int32 }

// addOrigin notes that the message being written comes from the given record.
//
//go:noinline
func (f *file) addOrigin(record int32) {
	o := origin{int32(f.Count) - 1, record}
	if n := len(f.origins); n == 0 || f.origins[n-1] != o {
		f.origins = append(f.origins, o)
	}
}

// noteTime notes the time of the entry that was read last. The time is the string at a span.
//
//go:noinline
func (f *file) noteTime(at jsonspan.Span) {
	if f.stamp = at; at.Len() > 2 {
		f.noteLatest(at)
	}
}

// noteLatest records a time that occurs in the file, the string at a span, so that new entries get later times.
func (f *file) noteLatest(at jsonspan.Span) {
	time := f.textAt(at)
	if !strings.HasSuffix(time, "Z") { // OpenHands writes times without a zone
		time += "Z"
	}
	f.latest = max(f.latest, millis(time))
}

// bom is the byte order mark that some editors write before the first line.
const bom = "\xef\xbb\xbf"

// fail records an error, which ends the reading. Only the first one counts, and nil is ignored. line is the number of
// the line in a file that consists of lines, from 1 on, otherwise 0.
func (f *file) fail(e *jsonspan.Error, line int) {
	if e == nil || f.err != nil {
		return
	}
	c := *e
	if line > 0 {
		c.Message = "line " + strconv.Itoa(line) + ": " + c.Message
	}
	f.err = &c
}

// noteSkipped counts n more entries that were left out for the given reason.
func (f *file) noteSkipped(reason api.SkipReason, n int) {
	if n == 0 {
		return
	}
	i := 0
	for i < len(f.Skipped) && f.Skipped[i].What < reason {
		i++
	}
	if i == len(f.Skipped) || f.Skipped[i].What != reason {
		f.Skipped = append(f.Skipped, api.Skipped{})
		copy(f.Skipped[i+1:], f.Skipped[i:])
		f.Skipped[i] = api.Skipped{What: reason}
	}
	f.Skipped[i].Count += n
}

// openList returns the messages so far as a JSON array without its closing bracket.
func (f *file) openList() []byte {
	if f.Messages == nil {
		f.Messages = append(f.Messages, '[')
	}
	return f.Messages
}

// beginMessage starts a message. The caller appends the message itself to f.Messages.
//
//go:noinline
func (f *file) beginMessage() {
	f.Messages = f.openList()
	if f.Count > 0 {
		f.Messages = append(f.Messages, ',')
	}
	f.Count++
}

// appendPieces appends pieces of JSON to the message being written, as appendJSON does. Spans among them refer to the
// file.
//
//go:noinline
func (f *file) appendPieces(pieces ...any) { f.Messages = appendJSON(f.Messages, f.src, pieces...) }

// appendMember appends a member to the message being written, unless the value is missing. It must not be the message's
// first member.
//
//go:noinline
func (f *file) appendMember(key string, value jsonspan.Span) {
	if !value.IsZero() {
		f.appendPieces(`,"`+key+`":`, value)
	}
}

// usageAt reads the provider's counts from the value at a span. For the zero Span they are 0.
func (f *file) usageAt(at jsonspan.Span) (u Usage) {
	if !at.IsZero() {
		u = f.kind.Usage.read(f.scannerAt(at.Start))
	}
	return u
}

// noteUsage records the provider's counts for the call that produced a message, unless all of them are zero. Later
// counts replace earlier ones; Least stays the lowest.
//
//go:noinline
func (f *file) noteUsage(message int, u Usage) {
	u.Message = message
	if u.Total() > 0 {
		if u.Least = u.Total(); f.Usage != nil {
			u.Least = min(u.Least, f.Usage.Least)
		}
		f.Usage = &u
	}
}

// scannerAt returns a scanner at an offset of the file. Lone surrogates pass through unchanged, because this package
// doesn't repair messages.
func (f *file) scannerAt(at uint32) *jsonspan.Scanner { return scanner(f.src, at) }

// scanner returns a scanner at an offset that accepts lone surrogates.
func scanner(src []byte, at uint32) *jsonspan.Scanner {
	s := jsonspan.New(src).At(at)
	s.Lenient = true
	return s
}

// eachOfList calls visit for each object if the file consists of a list. It returns the span of the list, or the zero
// Span for any other file. item names an object in error messages.
func (f *file) eachOfList(item string, visit func(s *jsonspan.Scanner)) (at jsonspan.Span) {
	if s := f.scannerAt(uint32(textStart(f.src))); s.Kind() == jsonspan.Array {
		at = readList(s, "a session", item, visit)
		s.End()
		f.fail(s.Err(), 0)
	}
	return at
}

// eachLine calls visit for each line that is not blank, with a scanner at the line's object. A line
// that isn't an object is an error. An incomplete last line is skipped.
func (f *file) eachLine(visit func(s *jsonspan.Scanner)) {
	src := f.src
	for pos, end := nextLine(src, textStart(src)); pos < len(src) && f.err == nil; {
		s := lineScanner(src, pos, end)
		next, nextEnd := nextLine(src, end)
		if next == len(src) {
			if s.Skip(); s.Err() != nil && s.Err().Code == jsonspan.TruncatedJSON {
				f.noteSkipped(api.SkipUnfinished, 1)
				f.whole = pos
				return
			}
			s = lineScanner(src, pos, end)
		}
		if s.Kind() != jsonspan.Object {
			s.Fail(jsonspan.WrongType, int(s.Pos()), "a line must be an object")
		}
		visit(s)
		if s.End(); s.Err() != nil {
			f.fail(s.Err(), 1+bytes.Count(src[:pos], []byte{'\n'}))
		}
		pos, end = next, nextEnd
	}
}

// nextLine returns the range of the first non-blank line from pos on, without its line feed, or the end of src twice if
// there is none.
func nextLine(src []byte, pos int) (from, end int) {
	for pos < len(src) {
		end = len(src)
		if i := bytes.IndexByte(src[pos:], '\n'); i >= 0 {
			end = pos + i
		}
		for from = pos; from < end; from++ {
			if c := src[from]; c != ' ' && c != '\t' && c != '\r' {
				return pos, end
			}
		}
		pos = end + 1
	}
	return len(src), len(src)
}

// lineScanner returns a scanner for the line at [pos, end), which can't read beyond it.
func lineScanner(src []byte, pos, end int) *jsonspan.Scanner { return scanner(src[:end], uint32(pos)) }

// textStart returns the offset of the first byte after the byte order mark, if there is one. Otherwise it returns 0.
func textStart(src []byte) int {
	if len(src) >= len(bom) && string(src[:len(bom)]) == bom {
		return len(bom)
	}
	return 0
}

// textAt returns the decoded string at a span, or "" for the zero Span.
//
//go:noinline
func (f *file) textAt(p jsonspan.Span) string { return jsonspan.Text(f.src, p) }

// detect finds the kind of a file from its first object that identifies one. If there is none but the file is of a
// type that people often mistake for a session file, why explains what it is.
func detect(src []byte) (k *Kind, why string) {
	if bytes.HasPrefix(src, []byte("SQLite format 3\x00")) {
		return nil, "it is a SQLite database; let the agent export the session, as \"opencode export ID\" does, and give that file"
	}
	if at := textStart(src); lineScanner(src, at, len(src)).Kind() == jsonspan.Array {
		return kindOfList(lineScanner(src, at, len(src)))
	}
	for pos, end := nextLine(src, textStart(src)); pos < len(src); pos, end = nextLine(src, end) {
		k, err := kindOfLine(lineScanner(src, pos, end))
		if err != nil {
			// The file doesn't consist of lines, or this line is broken. The whole file may still be a single object.
			if k, _ = kindOfLine(lineScanner(src, textStart(src), len(src))); k == nil {
				k = kindOfStream(src)
			}
			return k, ""
		}
		if k != nil {
			return k, ""
		}
	}
	return nil, ""
}

// kindOfList returns the kind of a file that is a list, from the first item that identifies one. If an item shows that
// the list is something else, or no item identifies a kind, it returns nil; in the first case the text says what the
// list is.
func kindOfList(s *jsonspan.Scanner) (*Kind, string) {
	for s.Array(); s.Elem(); {
		if s.Kind() != jsonspan.Object {
			break
		}
		at := jsonspan.Span{Start: s.Pos()}
		typ, seen := traits(s)
		if at.End = s.Pos(); s.Err() != nil {
			break
		}
		for _, k := range kinds {
			match, why := k.hasItem(s.Src(), at, typ, seen)
			switch {
			case match:
				return k, ""
			case why != "":
				return nil, why
			}
		}
	}
	return nil, ""
}

// hasItem reports whether a list's item of type typ, with the keys seen, shows that the file is of this kind. If it
// doesn't, why says what the file is instead, if that is known.
func (k *Kind) hasItem(src []byte, at jsonspan.Span, typ string, seen []string) (match bool, why string) {
	for _, b := range k.Beside {
		if b.isShownBy(typ, seen) {
			return false, b.Why
		}
	}
	for _, sign := range k.Items {
		if sign.isShownBy(typ, seen) && (k.Is == nil || k.Is(src, at)) {
			return true, ""
		}
	}
	return false, ""
}

// kindOfLine returns the kind that is identified by the object at s, or nil. It is an error if the object is not the
// whole line.
func kindOfLine(s *jsonspan.Scanner) (*Kind, *jsonspan.Error) {
	k := signOf(s)
	if s.End(); s.Err() != nil {
		return nil, s.Err()
	}
	return k, nil
}

// kindOfStream returns the kind of a file of concatenated objects, from the first object that identifies one. It
// returns nil if none does.
func kindOfStream(src []byte) *Kind {
	for s := lineScanner(src, textStart(src), len(src)); s.Kind() == jsonspan.Object; {
		if k := signOf(s); k != nil && k.Stream {
			return k
		}
		if s.Err() != nil {
			break
		}
		s = lineScanner(src, int(s.Pos()), len(src))
	}
	return nil
}

// signOf returns the kind that is identified by the object at s, or nil. If the value is no object,
// the scanner gets an error.
func signOf(s *jsonspan.Scanner) *Kind {
	if s.Kind() != jsonspan.Object {
		s.Fail(jsonspan.WrongType, int(s.Pos()), "no object")
		return nil
	}
	at := jsonspan.Span{Start: s.Pos()}
	typ, seen := traits(s)
	if at.End = s.Pos(); s.Err() != nil {
		return nil
	}
	for _, k := range kinds {
		for _, sign := range k.Signs {
			if sign.isShownBy(typ, seen) && (k.Is == nil || k.Is(s.Src(), at)) {
				return k
			}
		}
	}
	return nil
}

// traits reads the object at s. typ is its type, or "" if it has none or the type isn't a string of
// at most 64 bytes. seen lists those of its keys that identify a kind of session file.
func traits(s *jsonspan.Scanner) (typ string, seen []string) {
	members(s, func(key []byte) bool {
		if string(key) == "type" && s.Kind() == jsonspan.String {
			if t := s.Text(); t.Bytes <= 64 {
				typ = jsonspan.Text(s.Src(), t.Span)
			}
			return true
		}
		if w := signKey(key); w != "" && !slices.Contains(seen, w) {
			seen = append(seen, w)
		}
		return false
	})
	return typ, seen
}

// signKey returns the key if it identifies a kind of session file, otherwise "".
func signKey(key []byte) string {
	for _, k := range kinds {
		for _, signs := range [...][]Sign{k.Signs, k.Items} {
			for _, sign := range signs {
				for _, w := range sign.Keys {
					if w == string(key) {
						return w
					}
				}
			}
		}
	}
	return ""
}

// isShownBy reports whether an object of type typ with the keys seen has the sign.
func (g *Sign) isShownBy(typ string, seen []string) bool {
	if g.Type != "" && g.Type != typ {
		return false
	}
	for _, w := range g.Keys {
		if !slices.Contains(seen, w) {
			return false
		}
	}
	return true
}
