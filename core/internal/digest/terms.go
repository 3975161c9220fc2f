package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// A term is a piece of text that is specific to one conversation: a path, an address, an identifier, a number, or an
// error message. If a digest loses a term, later messages can't bring it back.

type termKind uint8

const (
	pathTerm termKind = iota
	urlTerm
	nameTerm
	numberTerm
	errorTerm // an error message, from its name to the end of the line
	termKinds
)

// The classes of bytes. A term is a sequence of bytes that each have a class; the term's class is the union of theirs.
const (
	small = 1 << iota
	capital
	digit
	under
	dot
	link // - @ ~ +
	slash

	joints = dot | link | slash
)

var byteClass = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c >= 'a' && c <= 'z':
			class[c] = small
		case c >= 'A' && c <= 'Z':
			class[c] = capital
		case c >= '0' && c <= '9':
			class[c] = digit
		}
	}
	class['_'], class['.'], class['/'] = under, dot, slash
	for _, c := range []byte("-@~+") {
		class[c] = link
	}
	return class
}()

// The maximum lengths of terms, in bytes: maxLink for addresses and paths with slashes, maxNumber for numbers, and
// maxTerm for file names and identifiers. Longer sequences are considered data.
const (
	maxTerm   = 64
	maxNumber = 15
	maxLink   = 200
)

// eachTerm calls see with each term in text and its kind, in order.
func eachTerm(text string, see func(kind termKind, term string)) {
	var e escapes
	for i := 0; i < len(text); {
		if byteClass[text[i]] == 0 {
			i = e.after(text, i)
			continue
		}
		from, all := i, uint8(0)
		for ; i < len(text) && byteClass[text[i]] != 0; i++ {
			all |= byteClass[text[i]]
		}
		word := text[from:i]
		if i == len(text) || text[i] != ':' {
			if all != small { // most words are ordinary ones
				termsOf(word, all, see)
			}
		} else if all&joints == 0 && strings.HasPrefix(text[i:], "://") {
			i = urlEnd(text, i+3)
			if url := strings.TrimRight(text[from:i], ".,;:!?*_"); len(url) <= maxLink && len(url) > 10 {
				see(urlTerm, url)
			}
		} else {
			if strings.HasPrefix(text[i:], ": ") && isError(word) {
				if said := errorIn(text[from:]); said != "" {
					see(errorTerm, said)
				}
			}
			termsOf(word, all, see)
		}
	}
}

// termsOf calls see with the terms in a word. all holds the classes of its bytes.
func termsOf(word string, all uint8, see func(kind termKind, term string)) {
	switch {
	case len(word) < 3 || all == small || all == capital: // most words, which are ordinary words and not names
	case all&(joints|digit) == 0:
		if isName(word) {
			see(nameTerm, word)
		}
	case len(word) > maxLink:
	case all&slash != 0:
		if p := trimPath(word); isPath(p) {
			see(pathTerm, p)
			return
		}
		for part := range strings.SplitSeq(word, "/") {
			linked(part, see)
		}
	default:
		linked(word, see)
	}
}

// escapes records whether the backslashes in a text are escapes, as in quoted text, or part of Windows paths. This is
// determined on first use.
type escapes struct{ known, windows bool }

// after returns the index at which to continue after byte i, which belongs to no word. It skips a control sequence or
// an escape sequence that begins there.
func (e *escapes) after(text string, i int) int {
	next := i + 1
	switch {
	case text[i] == 0x1b:
		return controlEnd(text, next)
	case text[i] != '\\' || next == len(text) || text[next] != 'n' && text[next] != 't' && text[next] != 'r':
		return next
	}
	if !e.known {
		e.known, e.windows = true, strings.Contains(text, ":\\")
	}
	if e.windows {
		return next
	}
	return next + 1
}

// controlEnd returns the end of a terminal control sequence (ESC [ … letter). i is the index after ESC.
func controlEnd(text string, i int) int {
	if i >= len(text) || text[i] != '[' {
		return i
	}
	for i++; i < len(text) && text[i] < '@'; i++ {
	}
	return min(i+1, len(text))
}

// isError reports whether a word introduces an error message: "TypeError", "error", "fatal".
func isError(word string) bool {
	switch len(word) {
	case 5:
		return strings.EqualFold(word, "error") || strings.EqualFold(word, "fatal") || strings.EqualFold(word, "panic")
	}
	return len(word) > 5 && word[0] >= 'A' && word[0] <= 'Z' && (strings.HasSuffix(word, "Error") || strings.HasSuffix(word, "Exception"))
}

// The minimum and maximum sizes of error messages in bytes, including the error's name.
const (
	leastError = 16
	mostError  = 160
)

// errorIn returns the error message at the beginning of text, or "" if that message is too short.
func errorIn(text string) string {
	said := text[:min(len(text), mostError)]
	if n := strings.IndexAny(said, "\n\r\x1b"); n >= 0 {
		said = said[:n]
	}
	if said = strings.TrimSpace(trimRune(said)); len(said) < leastError {
		return ""
	}
	return said
}

// linked calls see with the terms in a word that contains no slash.
func linked(word string, see func(termKind, string)) {
	for len(word) > 0 && byteClass[word[0]]&joints != 0 {
		word = word[1:]
	}
	for len(word) > 0 && byteClass[word[len(word)-1]]&joints != 0 {
		word = word[:len(word)-1]
	}
	if len(word) < 3 {
		return
	}
	var all uint8
	for i := range len(word) {
		all |= byteClass[word[i]]
	}
	switch {
	case all == small || all == capital:
	case all&^(digit|dot) == 0 && len(word) <= maxNumber:
		see(numberTerm, word)
	case all&dot != 0 && isFile(word):
		see(pathTerm, word)
	case all&link != 0 && all&digit != 0 && len(word) <= maxTerm && len(word) > 5:
		see(nameTerm, word) // a version, an id, a date, a model
	default:
		for from, i := 0, 0; i <= len(word); i++ {
			if i == len(word) || byteClass[word[i]]&joints != 0 {
				if isName(word[from:i]) {
					see(nameTerm, word[from:i])
				}
				from = i + 1
			}
		}
	}
}

func urlEnd(text string, i int) int {
	for i < len(text) && text[i] > ' ' && !strings.ContainsRune("\"'<>()[]{}`\\|", rune(text[i])) && text[i] < 0x80 {
		i++
	}
	return i
}

// isName reports whether a word of letters and digits is an identifier: it has an underscore, an inner capital, or both
// letters and digits.
func isName(w string) bool {
	if len(w) < 5 || len(w) > maxTerm {
		return false
	}
	lower, upper, digits, under, hump := 0, 0, 0, 0, false
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c == '_':
			under++
		case c >= 'a' && c <= 'z':
			lower++
			hump = hump || upper > 1 && i > 1 && w[i-1] < 'a' && w[i-1] >= 'A'
		case c >= 'A' && c <= 'Z':
			upper++
			hump = hump || i > 0 && w[i-1] >= 'a'
		default:
			digits++
		}
	}
	letters := lower + upper
	return letters > 0 && (under > 0 && letters+digits > 1 || hump || digits > 0)
}

// isFile reports whether a word without slashes is a file name, that is, ends with a dot and a known extension. Any
// other ending may belong to an abbreviation, or to two words joined by the period of a sentence.
func isFile(w string) bool {
	at := strings.LastIndexByte(w, '.')
	if at < 1 || at == len(w)-1 || len(w)-at > 6 || len(w) > maxTerm {
		return false
	}
	return extensions.has(w[at+1:])
}

// extensions lists the file extensions that conversations with agents often mention.
var extensions = wordListOf("go py ts tsx js jsx mjs cjs json jsonl md mdx txt yaml yml toml sql sh rs java kt swift c h cc cpp hpp cs rb " +
	"php css scss html xml svg cfg ini conf env lock log diff patch ipynb lua zig ex exs erl hs scala dart vue svelte tf proto " +
	"graphql csv tsv pdf png jpg wasm mod sum gradle lean r jl pl mk")

func trimPath(w string) string { return strings.TrimRight(strings.TrimLeft(w, "-+"), "./-+@~") }

// isPath reports whether a word with a slash is a path rather than two words. A path has a letter and, in addition,
// two slashes, a file name, or a character that words don't contain, such as a digit.
func isPath(w string) bool {
	if len(w) < 5 || strings.HasPrefix(w, "//") || strings.Contains(w, "...") {
		return false
	}
	last := strings.LastIndexByte(w, '/')
	if last < 0 {
		return false
	}
	letters := false
	for i := 0; i < len(w) && !letters; i++ {
		letters = byteClass[w[i]]&(small|capital|under) != 0
	}
	return letters && (strings.Count(w, "/") >= 2 || isFile(w[last+1:]) || strings.ContainsAny(w, "_-@0123456789"))
}

// terms collects terms with weights.
type terms struct {
	at   critbit.Map[int32] // for each term, its index in list
	list []term
	size int // the number of bytes that were searched
}

// term is a term with its weight.
type term struct {
	text   string   // as it was spelled first
	kind   termKind // what it looks like
	seen   int32    // the last message that was counted for the term
	weight int64    // the sum of the weights of the messages that contain it
}

func (ts *terms) add(text string, weight int64, message int32) {
	ts.size += len(text)
	eachTerm(text, func(kind termKind, word string) { ts.put(kind, word, weight, message) })
}

func (ts *terms) put(kind termKind, word string, weight int64, message int32) {
	i, found := ts.at.Get(word)
	if !found {
		i = int32(len(ts.list))
		word = strings.Clone(word)
		ts.at.Set(word, i)
		ts.list = append(ts.list, term{text: word, kind: kind, seen: -1})
	}
	if t := &ts.list[i]; t.seen != message {
		t.seen = message
		t.weight += weight
	}
}

// value returns a term's weight in proportion to its length. Errors are treated as if they were short, because a share
// of the room is reserved for them.
func (t *term) value() int64 {
	size := len(t.text) + 12
	if t.kind == errorTerm {
		size = 24
		if t.text[0] >= 'a' && strings.ContainsAny(t.text, "{}()`") { // probably code with a field named "error"
			size = 96
		}
	}
	return t.weight * 1000 / int64(size)
}

// best returns the n terms with the highest values, the highest first.
func (ts *terms) best(n int) []*term {
	list, values := make([]*term, 0, n), make([]int64, 0, n)
	for i := range ts.list {
		t := &ts.list[i]
		value, at := t.value(), len(list)
		for at > 0 && (value > values[at-1] || value == values[at-1] && t.text < list[at-1].text) {
			at--
		}
		if at == n {
			continue
		}
		if len(list) < n {
			list, values = append(list, nil), append(values, 0)
		}
		copy(list[at+1:], list[at:])
		copy(values[at+1:], values[at:])
		list[at], values[at] = t, value
	}
	return list
}

// said adds the terms in text, and all suffixes of the paths among them, to the set into.
func said(text string, into *critbit.Map[struct{}]) {
	eachTerm(text, func(kind termKind, word string) { say(kind, word, into) })
}

func say(kind termKind, word string, into *critbit.Map[struct{}]) {
	into.Add(word)
	if kind != pathTerm {
		return
	}
	for i := strings.IndexByte(word, '/'); i >= 0; i = strings.IndexByte(word, '/') {
		word = word[i+1:]
		into.Add(word)
	}
}

// eachNumber calls see with each range of text that may be a number, including all numbers that eachTerm finds.
func eachNumber(text string, see func(from, to int)) {
	for i := 0; i < len(text); {
		if byteClass[text[i]] == 0 {
			i++
			continue
		}
		from := i
		var all uint8
		for i < len(text) && byteClass[text[i]] != 0 {
			all |= byteClass[text[i]]
			i++
		}
		if all&digit == 0 || all&(small|capital|under) != 0 {
			continue
		}
		to := i
		for from < to && byteClass[text[from]]&joints != 0 {
			from++
		}
		for to > from && byteClass[text[to-1]]&joints != 0 {
			to--
		}
		see(from, to)
	}
}
