package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// What a turn only looked at, such as a search hit or the definitions in a file, is worth reporting only if the turn
// mentions it later. This file weighs the units about such things.

// turnWords holds what the user and the assistant mention in a turn: word stems, file names and names in code.
type turnWords struct {
	stems words.StemSet // of all words
	names words.HashSet // hashes of the names
	room  []words.Word  // a buffer for words
}

func (s *turnWords) add(text string) {
	text = text[:min(len(text), mostPasted*4)]
	s.stems.Add(text)
	eachName(text, func(name string) { s.names.Put(words.Hash64(name)) })
}

// mentions reports whether the turn mentions the given name.
func (s *turnWords) mentions(name string) bool { return s.names.Has(words.Hash64(name)) }

// withoutEndMarks returns a word without the dots and hyphens at its end.
func withoutEndMarks(word string) string {
	for len(word) > 0 && (word[len(word)-1] == '.' || word[len(word)-1] == '-') {
		word = word[:len(word)-1]
	}
	return word
}

// eachPart calls see for each part of a name with dots that is longer than three bytes.
func eachPart(name string, see func(part string)) {
	for part := range strings.SplitSeq(name, ".") {
		if len(part) > 3 {
			see(part)
		}
	}
}

// eachName calls see for each identifier and each file name (without its folder) in text, in order.
func eachName(text string, see func(name string)) {
	for i := 0; i < len(text); {
		if !nameByte[text[i]] {
			i++
			continue
		}
		from := i
		for i < len(text) && nameByte[text[i]] {
			i++
		}
		if i-from < 4 {
			continue
		}
		word := withoutEndMarks(text[from:i])
		if len(word) > 3 {
			see(word)
		}
		if n := strings.IndexByte(word, '.'); n > 3 && len(word)-n > 3 {
			eachPart(word, see)
		}
	}
}

// nameByte marks the bytes that can occur in identifiers and file names.
var nameByte = func() (in [256]bool) {
	for c, class := range byteClass {
		in[c] = class&(small|capital|digit|under|dot) != 0 || c == '$' || c == '-'
	}
	return in
}()

// shared returns how many long words in text the turn mentions too, and how many long words there are in text. A long
// word has at least five bytes.
func (s *turnWords) shared(text string) (shared, long int) {
	s.room = words.Append(s.room[:0], text)
	for _, w := range s.room {
		if w.End-w.From < 5 {
			continue
		}
		long++
		if s.stems.Has(w.Stem) {
			shared++
		}
	}
	return shared, long
}

// repeats reports whether the words and names in text nearly all occur in the turn.
func (s *turnWords) repeats(text string) bool {
	shared, long := s.shared(text)
	return long > 0 && shared*10 >= long*9 && s.namesAll(text)
}

// namesAll reports whether the turn mentions all names of code and numbers in text, apart from very short ones.
func (s *turnWords) namesAll(text string) bool {
	all := true
	eachName(text, func(name string) {
		if distinct(name, capital, digit|under|dot) {
			all = all && s.mentions(name)
		}
	})
	return all
}

// distinct reports whether a name contains a byte of one of the classes in inner after its first byte, or a byte of one
// of the classes in others anywhere.
func distinct(name string, inner, others uint8) bool {
	all := byteClass[name[0]] & others
	for i := 1; i < len(name); i++ {
		all |= byteClass[name[i]] & (inner | others)
	}
	return all != 0
}

// fileName returns the last element of a path.
func fileName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// mostBare is the maximum number of files listed for a turn that only looked at them.
const mostBare = 5

// weighNotes drops units about what the turn looked at but doesn't mention, and thoughts that the assistant repeats
// later. last means that this is the last turn.
func (r *turnReader) weighNotes(last bool) {
	t := r.now()
	closed := !last || t.has(func(u *unit) bool { return u.kind == answerUnit })
	var said turnWords
	if t.has(func(u *unit) bool {
		return u.kind == thoughtUnit || u.kind == toldUnit || u.kind == hitUnit || u.kind == lineUnit
	}) {
		said.add(t.request)
		for n := range t.units {
			if u := &t.units[n]; u.kind == saidUnit || u.kind == answerUnit {
				said.add(u.text)
			}
		}
		t.dropHeard(&said, closed)
		for n := range t.units {
			if u := &t.units[n]; u.kind == changeUnit {
				said.add(u.source + " " + u.text)
			}
		}
	}
	t.weighLooks(&said, closed)
}

// dropHeard drops thoughts that the assistant repeats in what it says or thinks, and sentences from
// results that later ones repeat. closed means that the turn has ended.
func (t *turn) dropHeard(said *turnWords, closed bool) {
	var told turnWords
	for n := range slices.Backward(t.units) { // a later repetition takes precedence
		u := &t.units[n]
		known, most := said, 8
		switch {
		case u.kind == toldUnit:
			known, most = &told, 7
		case u.kind != thoughtUnit:
			continue
		case closed: // the answer says the same in fewer words
			most = 6
		}
		if shared, long := known.shared(u.text); long > 0 && shared*10 >= long*most && known.namesAll(u.text) {
			u.factor = isDropped
			continue
		}
		known.add(u.text)
	}
}

// editedFiles returns the paths of the files that the turn changed, also by commands.
func (t *turn) editedFiles() (paths critbit.Map[struct{}]) {
	for n := range t.units {
		if u := &t.units[n]; u.kind == changeUnit {
			paths.Add(u.source)
		}
	}
	for _, f := range t.touched {
		paths.Add(f.path)
	}
	return paths
}

// weighLooks weighs the units about what the turn looked at by whether the turn mentions it. closed means that the turn
// has ended.
func (t *turn) weighLooks(said *turnWords, closed bool) {
	edited := t.editedFiles()
	bare := 0
	for n := range slices.Backward(t.units) {
		u := &t.units[n]
		switch u.kind {
		case lineUnit:
			if !closed {
				said.quoteLines(u)
			}
			u.body = ""
		case hitUnit:
			if shared, long := said.shared(u.text); shared*2 < long {
				u.factor = isDropped
			}
		case readUnit:
			if !edited.Has(u.source) {
				bare++
			}
			u.weighRead(edited.Has(u.source), bare, closed)
		case toldUnit:
			if shared, long := said.shared(u.text); u.factor != isDropped && shared*5 < long*2 {
				u.factor = u.factor * ofContested / 1024
			}
		}
	}
}

// weighRead weighs a unit about a file that was read. edited means that the log lists an edit of it, and bare is the
// number of units about files that were only read, from this one on. closed means that the turn has ended.
func (u *unit) weighRead(edited bool, bare int, closed bool) {
	switch {
	case edited, closed && bare > mostBare:
		u.factor = isDropped
	case closed: // the outcome of the turn is known
		u.factor = ofReading / 8
	}
}

// Limits for quotes of code: the maximum number of lines per result, the maximum length of a line
// and the minimum length of a name, both in bytes, and the minimum number of names that a line
// shares with the turn.
const (
	mostLines   = 3
	longestCode = 120
	leastName   = 6
	leastShared = 2
)

// quoteLines makes u quote the search hits that contain the most names mentioned in the turn.
func (s *turnWords) quoteLines(u *unit) {
	type codeLine struct {
		text  string // without white space around it
		names int    // number of names that the turn mentions
	}
	var best []codeLine
	for line := range strings.Lines(trimRune(u.body)) {
		line = strings.TrimSpace(line)
		if len(line) < leastName*leastShared || len(line) > 3*longestCode || isContext(line) || isCommentLine(line) {
			continue
		}
		names := s.namesIn(line)
		if names < leastShared {
			continue
		}
		at := len(best)
		if at == mostLines {
			at = 0
			for i := range best {
				if best[i].names < best[at].names {
					at = i
				}
			}
			if best[at].names >= names {
				continue
			}
			best = append(best[:at], best[at+1:]...)
		}
		best = append(best, codeLine{clipLine(line, longestCode), names})
	}
	if len(best) == 0 {
		return
	}
	text := "found for " + codeQuote(clipLine(u.text, maxName)) + ": "
	for i := range best {
		if i > 0 {
			text += " "
		}
		text += codeQuote(Fence(best[i].text))
	}
	u.text, u.factor = text, ofLines
}

// namesIn returns the number of distinct names in a line of code that the turn mentions, up to
// eight. Two names of which one contains the other count as one.
func (s *turnWords) namesIn(code string) (n int) {
	var seen [8]string
	eachName(code, func(name string) {
		if len(name) < leastName || n == len(seen) || !distinct(name, capital, under|dot) || !s.mentions(name) {
			return
		}
		for _, known := range seen[:n] {
			if strings.Contains(known, name) || strings.Contains(name, known) {
				return
			}
		}
		seen[n] = name
		n++
	})
	return n
}

// definesMark separates the path of a file that was read from the names that the file defines, in digests written by
// earlier versions.
const definesMark = " (defines "
