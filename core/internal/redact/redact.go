// Package redact replaces texts in a transcript before a compaction reads it, so that nothing that the compaction
// produces contains them: requests, digest, ledger and archive. Messages that stay are written from the original.
//
// The host decides which texts are secret; this package only replaces them.
package redact

import (
	"bytes"
	"strconv"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/handles"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

const (
	// FailedAs is the placeholder for a whole text on which the host's function failed.
	FailedAs = "[REDACTED: not checked]"
	// unnamed is the placeholder for a text without a number.
	unnamed = "[REDACTED]"
	// maxKnown is the maximum number of texts in a conversation that get a number of their own.
	maxKnown = 4096
)

// Redactor replaces texts with placeholders.
type Redactor struct {
	Known  []string           // the hashes of the numbered texts, in the order of their numbers
	Counts api.ReportRedacted // what was replaced

	texts   []api.Redaction // the texts to replace
	as      []string        // the placeholder of each text; "" until it is found
	matcher matcher         // finds the spellings
	// By the text, the index in texts plus one, for texts that must match a whole string.
	whole   critbit.Map[int32]
	numbers critbit.Map[int32] // the number of each text in Known, by its hash
	spelled []int32            // for each spelling in the matcher, the index of its text in texts
	// For each spelling, the number of levels of nested JSON that its placeholder must be escaped for.
	levels []int8

	hits    []hit    // a buffer for the hits in a string
	text    []byte   // a buffer for a decoded string
	offsets []uint32 // for each byte of text, its offset in the source; the last element is the end
}

// New returns a redactor that replaces texts in a conversation. known holds the hashes of the texts that were numbered
// earlier in the conversation.
func New(texts []api.Redaction, known []string) *Redactor {
	r := &Redactor{texts: texts, as: make([]string, len(texts)), Known: known[:len(known):len(known)]}
	for i, hash := range known {
		r.numbers.Set(hash, int32(i)+1)
	}
	for i := range texts {
		if texts[i].Whole {
			r.whole.Set(texts[i].Text, int32(i)+1)
		} else {
			r.addSpelling(texts[i].Text, int32(i), 0)
		}
	}
	for i := range texts {
		if !texts[i].Whole {
			r.addEscaped(texts[i].Text, int32(i))
		}
	}
	r.matcher.completeLinks()
	return r
}

// addSpelling adds a spelling of text i, which is escaped level times.
func (r *Redactor) addSpelling(text string, i int32, level int8) {
	r.matcher.add(text, len(r.spelled))
	r.spelled, r.levels = append(r.spelled, i), append(r.levels, level)
}

// addEscaped adds the spellings of text i in JSON, and in JSON within a string of JSON.
func (r *Redactor) addEscaped(text string, i int32) {
	for _, once := range spellings(text) {
		if once != text {
			r.addSpelling(once, i, 1)
		}
		if twice := escapeInside(once); twice != once {
			r.addSpelling(twice, i, 2)
		}
	}
}

// placeholder returns the placeholder of text i. On the first call it assigns one and counts the text.
func (r *Redactor) placeholder(i int32) string {
	if r.as[i] != "" {
		return r.as[i]
	}
	t := &r.texts[i]
	as := t.Placeholder
	switch {
	case as != "":
	case t.Failed:
		as = FailedAs
	default:
		hash := handles.Handle([]byte(t.Text))[:handles.Short]
		n := r.numbers.At(hash)
		if *n == 0 && len(r.Known) < maxKnown {
			r.Known = append(r.Known, hash)
			*n = int32(len(r.Known))
		}
		if as = unnamed; *n > 0 {
			as = "[REDACTED:" + strconv.Itoa(int(*n)) + "]"
		}
	}
	r.as[i] = as
	r.Counts.Texts++
	if t.Failed {
		r.Counts.Failed++
	}
	return as
}

// stringAt returns the offset of the closing quote of the string that begins at offset at, and whether the string is
// the key of a member.
func stringAt(src []byte, at int) (end int, isKey bool) {
	end = at + 1
	for src[end] != '"' {
		if src[end] == '\\' {
			end++
		}
		end++
	}
	next := end + 1
	for next < len(src) && bytes.IndexByte([]byte(" \t\n\r"), src[next]) >= 0 {
		next++
	}
	return end, next < len(src) && src[next] == ':'
}

// Apply replaces the texts in the strings of the value at list, which must be valid JSON. It returns the new source
// and its mapping to the original, or nil if nothing was replaced. Unless structure is set, object keys stay
// unchanged, and so do the values of keys for which isFixedWordKey returns true.
func (r *Redactor) Apply(src []byte, list jsonspan.Span, structure bool) ([]byte, *transcript.Origin) {
	var out []byte
	origin := &transcript.Origin{Src: src}
	done := 0 // the offset up to which src has been copied to out
	key := "" // the preceding key, if its value comes next
	for i := int(list.Start); i < int(list.End); i++ {
		switch c := src[i]; c {
		case ' ', '\t', '\n', '\r', ':':
			continue
		case '"':
		default:
			key = ""
			continue
		}
		end, isKey := stringAt(src[:list.End], i)
		if structure || !isKey && !isFixedWordKey(key) {
			for _, h := range r.findIn(src, i, end+1) {
				if h.to < 0 { // the whole string
					h.from, h.to = int32(i+1), int32(end)
				}
				out = append(out, src[done:h.from]...)
				from := uint32(len(out))
				out = append(out, r.escapedPlaceholder(h.text)...)
				origin.Add(from, uint32(len(out)), uint32(h.from), uint32(h.to))
				done = int(h.to)
				r.Counts.Places++
			}
		}
		key = ""
		if isKey {
			key = string(src[i+1 : end])
		}
		i = end
	}
	if done == 0 {
		return nil, nil
	}
	return append(out, src[done:]...), origin
}

// isFixedWordKey reports whether the values of a key are words that the wire formats define.
func isFixedWordKey(key string) bool {
	switch key {
	case "role", "type", "state", "status", "kind":
		return true
	}
	return false
}

// escapedPlaceholder returns the placeholder for a hit, escaped for the inside of a JSON string. text is the index of a
// spelling in the matcher, or -n-1 for the whole text n.
func (r *Redactor) escapedPlaceholder(text int32) string {
	if text < 0 {
		return escapeInside(r.placeholder(-text - 1))
	}
	as := r.placeholder(r.spelled[text])
	for range r.levels[text] + 1 {
		as = escapeInside(as)
	}
	return as
}

// findIn finds the texts to replace in the JSON string at [from, to), which includes the quotes. The offsets of the
// hits refer to src.
func (r *Redactor) findIn(src []byte, from, to int) []hit {
	b := src[from+1 : to-1]
	r.hits = r.hits[:0]
	escapes := bytes.IndexByte(b, '\\') >= 0
	if escapes {
		r.decodeString(src, from+1, to-1)
		b = r.text
	}
	if r.whole.Len() > 0 && len(b) > 0 {
		if n, found := r.whole.Get(string(b)); found {
			return append(r.hits, hit{0, -1, -n})
		}
	}
	r.hits = r.matcher.appendHits(r.hits, b)
	for i := range r.hits {
		h := &r.hits[i]
		if escapes {
			h.from, h.to = int32(r.offsets[h.from]), int32(r.offsets[h.to])
		} else {
			h.from, h.to = h.from+int32(from)+1, h.to+int32(from)+1
		}
	}
	return r.hits
}

// decodeString decodes the inside of a string into r.text. r.offsets gets the offset in src of each decoded byte, and
// of the end.
func (r *Redactor) decodeString(src []byte, from, to int) {
	r.text, r.offsets = r.text[:0], r.offsets[:0]
	for i := from; i < to; {
		n := 1
		if src[i] == '\\' {
			n = escapeLength(src[i:to])
			r.text = jsonspan.AppendText(r.text, src, jsonspan.Span{Start: uint32(i) - 1, End: uint32(i+n) + 1})
		} else {
			r.text = append(r.text, src[i])
		}
		for len(r.offsets) < len(r.text) {
			r.offsets = append(r.offsets, uint32(i))
		}
		i += n
	}
	r.offsets = append(r.offsets, uint32(to))
}

// escapeLength returns the length in bytes of the escape sequence at the start of b. A surrogate pair counts as one
// sequence.
func escapeLength(b []byte) int {
	if b[1] != 'u' {
		return 2
	}
	half := func(at int, from, to byte) bool {
		c := b[at+1] | 0x20
		return b[at]|0x20 == 'd' && c >= from && c <= to
	}
	high := func(c byte) bool { return c == '8' || c == '9' || c|0x20 == 'a' || c|0x20 == 'b' }
	if len(b) >= 12 && b[2]|0x20 == 'd' && high(b[3]) && b[6] == '\\' && b[7] == 'u' && half(8, 'c', 'f') {
		return 12
	}
	return 6
}
