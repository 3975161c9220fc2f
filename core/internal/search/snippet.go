package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/digest"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// snippetBytes is the maximum length of a snippet in bytes, without ellipses. spread is the maximum distance, in bytes,
// between the first and the last query word that a snippet is chosen to show.
const (
	snippetBytes = 234
	spread       = 160
)

// hitOf returns the hit for a doc, including its snippet. r is the doc with its score. A snippet that doesn't begin at
// the start of the message begins with an ellipsis.
func (s *searching) hitOf(r ranked) Hit {
	d := s.docs[r.doc]
	h := Hit{Body: int(d.body), Index: int(d.index), Score: int(r.score), Role: d.role, Date: d.date}
	text := s.textOf(&d)
	from, to := s.passage(text)
	h.Offset = utf8.RuneCount(text[:from])
	b := appendTidy(nil, text[from:to])
	if from > 0 {
		b = append([]byte("…"), b...)
	}
	if to < len(text) {
		b = append(b, "…"...)
	}
	h.Snippet = digest.Fence(string(b))
	return h
}

// textOf returns the text of the message that a doc belongs to.
func (s *searching) textOf(d *doc) []byte {
	src := s.bodies[d.body].Text[:d.end]
	if d.raw {
		return src
	}
	c := &searching{collects: true}
	m := message{searching: c, r: jsonspan.New(src).At(d.from)}
	if m.r.Kind() == jsonspan.Object {
		m.readObject(0)
	} else {
		m.readValue(0)
	}
	return c.collected
}

// weightOf returns the weight of a word in a text: that of the query's word, or a share of it if it only resembles it.
func (s *searching) weightOf(f *words.Found) int64 {
	w := int64(s.term[f.Term].weight)
	if f.Exact {
		return w
	}
	return w * relativeShare / one
}

// passage returns the range of text, in bytes, where the most important words of the query are closest together, or the
// beginning of the text if it contains none.
func (s *searching) passage(text []byte) (from, to int) {
	found, _ := s.known.Find(s.found[:0], text)
	var counts [words.MostKnown]int32
	var sum, most int64
	first, last := -1, -1
	lo := 0
	for hi := range found {
		f := &found[hi]
		if counts[f.Term]++; counts[f.Term] == 1 {
			sum += s.weightOf(f)
		}
		for ; f.At-found[lo].At > spread; lo++ {
			if l := &found[lo]; counts[l.Term] == 1 {
				counts[l.Term] = 0
				sum -= s.weightOf(l)
			} else {
				counts[l.Term]--
			}
		}
		if sum > most {
			most, first, last = sum, int(found[lo].At), int(f.At)
		}
	}
	s.found = found
	if first < 0 {
		first, last = 0, 0
	}
	if len(text) <= snippetBytes {
		return 0, len(text)
	}
	// A third of the remaining space goes before the words, and the rest after them.
	from = max(0, min(first-(snippetBytes-min(last-first, spread))/3, len(text)-snippetBytes))
	to = min(from+snippetBytes, len(text))
	return passageStart(text, from, first), passageEnd(text, to, max(last, from))
}

// passageStart returns the offset at which a passage begins that should begin at from: after a
// blank at most 40 bytes later, if that is not beyond most, or else at the start of a rune. If from
// is 0, the result is 0.
func passageStart(text []byte, from, most int) int {
	if from == 0 {
		return 0
	}
	for i := from; i <= most && i < from+40; i++ {
		if isBlank(text[i-1]) {
			return i
		}
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return from
}

// passageEnd returns the offset at which a passage ends that should end at to: at a blank less than
// 40 bytes earlier, if that is after the offset least, or else at the start of a rune. If to is the
// end of the text, so is the result.
func passageEnd(text []byte, to, least int) int {
	if to == len(text) {
		return to
	}
	for i := to; i > least && i > to-40; i-- {
		if isBlank(text[i]) {
			return i
		}
	}
	for to > 0 && !utf8.RuneStart(text[to]) {
		to--
	}
	return to
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// appendTidy appends text as one line: runs of white space become one blank, and control characters are removed.
func appendTidy(dst, text []byte) []byte {
	blank := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case unicode.IsSpace(r):
			blank = len(dst) > 0
		case r == utf8.RuneError && size == 1, unicode.IsControl(r):
		default:
			if blank {
				dst = append(dst, ' ')
				blank = false
			}
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}
