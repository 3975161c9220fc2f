package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// mostReport is the maximum number of bytes to read from the output of a search.
const mostReport = 6000

// looked adds a unit about a file that the assistant looked at.
func (r *turnReader) looked(i int, path string) {
	if path == "" || isSkill(path) {
		return
	}
	if at, found := r.read.Get(path); found { // a file that is read repeatedly is what the work is about
		u := &r.turns[at.turn].units[at.unit]
		u.factor = min(u.factor+ofReading/4, ofReading*2)
		return
	}
	r.read.Set(strings.Clone(path), r.here())
	r.add(unit{kind: readUnit, message: int32(i), source: path, text: Fence(clipLine(path, maxCommand)), factor: ofReading / 4})
}

// lookedFile is the file that the calls of one message read or searched. If the assistant says
// "this one" next, it means that file.
type lookedFile struct {
	message int32  // the message with the calls
	path    string // the file, or "" if there are several
}

// set records that a call of a message has looked at a file.
func (f *lookedFile) set(message int32, path string) {
	switch {
	case f.message != message:
		*f = lookedFile{message, path}
	case f.path != path:
		f.path = ""
	}
}

// nameAt returns the name of the file if message is the assistant's first one after the calls, and
// "" otherwise. It also returns "" if the name has no extension, because it may be that of a
// folder.
func (f *lookedFile) nameAt(message int32) string {
	name := fileName(f.path)
	if message <= f.message || message > f.message+2 || !strings.Contains(strings.Trim(name, "."), ".") {
		return ""
	}
	return clipLine(name, maxName)
}

// singleSigns lists phrases for the one thing that was just looked at.
var singleSigns = substringsOf("this one|that one|this file|that file")

// isSkill reports whether a file holds instructions for an agent program, which say nothing about the work.
func isSkill(path string) bool { return fileName(path) == "SKILL.md" }

// mostHits is the maximum number of search hits, and of pushed branches, that are quoted with their text.
const mostHits = 3

// found adds the hits of a search. If there are only a few, they are quoted with their text. Otherwise, only lines that
// the turn mentions are quoted later. i is the index of the message with the hits, and text has one hit per line.
func (r *turnReader) found(i int, pattern, text string) {
	var hits []string
	for line := range strings.Lines(trimRune(text[:min(len(text), mostReport)])) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "./")
		file, said, _ := strings.Cut(line, ":")
		if said == "" && isContext(file) || isTestFile(file) || strings.ContainsAny(file, " \t") || !strings.ContainsAny(file, "./") || len(file) > maxCommand {
			continue
		}
		if hits = append(hits, file); said != "" {
			hits[len(hits)-1] = clipLine(line, mostLead)
		}
	}
	body := trimRune(text[:min(len(text), mostReport)])
	if pattern = strings.ReplaceAll(pattern, "\\", ""); pattern == "" || len(hits) == 0 || strings.ContainsAny(pattern, "|*[]{}^?+\n") {
		return
	}
	text = codeQuote(clipLine(pattern, maxName)) + " is in "
	if len(hits) <= mostHits {
		text += strings.Join(hits, "; ")
	} else {
		r.add(unit{kind: lineUnit, message: int32(i), text: pattern, body: body, factor: isDropped})
		return
	}
	r.add(unit{kind: hitUnit, message: int32(i), text: Fence(text), factor: ofSearch})
}

// isContext reports whether a line of a search result is context around a hit: "main.go-12-import".
func isContext(line string) bool {
	file, rest, found := strings.Cut(line, "-")
	for found && !strings.ContainsAny(file, " \t\"'") {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n > 0 && n < len(rest) && rest[n] == '-' {
			return true
		}
		file, rest, found = strings.Cut(rest, "-")
	}
	return false
}

// patternOf returns the pattern in a call of a search tool. It returns "" if the call has none.
func patternOf(t *transcript.Transcript, call *transcript.Part) (pattern string) {
	arguments(t, call, func(key, text string) {
		if pattern == "" && searchKeys.has(key) {
			pattern = text
		}
	})
	return pattern
}

var searchKeys = wordListOf("pattern query regex search q glob glob_pattern search_term")

// searchedFor returns the pattern of the first search in a script, or "".
func searchedFor(script string) string {
	for n := 0; len(script) > 0 && n < 8; n++ {
		var words []string
		words, script = simpleCommand(script, func(string) {})
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "grep", "rg", "ag", "egrep", "fgrep":
			for _, w := range words[1:] {
				if !strings.HasPrefix(w, "-") {
					return w
				}
			}
		}
	}
	return ""
}

// report adds the output of a tool whose use is unknown, such as an agent's answer, a web page or an issue. If the
// output is JSON, it adds the long texts in it, and remembers it for lookedUp. It ignores JSON that is long or cut off.
// i is the index of the message, and call the call's text.
func (r *turnReader) report(i int, call, text string) {
	add := func(lead, text string, item int) {
		// An item's number means nothing if the neighboring items are left out.
		if n := len(exitOf(lead)); n > 0 && strings.HasPrefix(lead[n:], ". ") {
			lead = lead[n+len(". "):]
		}
		r.add(unit{kind: toldUnit, message: int32(i), lead: lead, source: call, text: text, item: item, factor: ofReport})
	}
	prose := func(text string) {
		proseUnits(trimRune(text[:min(len(text), lookText)]), func(lead, text string, item int) {
			if (!fewSpaces(text, 4) || unspacedText(text) || lead != "" && names(text)) && !codesBare(text) && !announces(text) && !strings.HasPrefix(text, "(truncated") {
				add(lead, text, item)
			}
		})
	}
	text = strings.TrimSpace(withoutEnvelope(text))
	if text == "" || text[0] != '{' && text[0] != '[' {
		prose(text)
		return
	}
	src := []byte(text)
	if len(src) > lookText || !valid(jsonspan.New(src)) {
		return
	}
	r.lookUp(i, call, text)
	depth := 0
	var see func(key, text string)
	see = func(_, text string) {
		switch {
		case len(text) <= mostLead:
		case depth < 4 && (text[0] == '{' || text[0] == '[') && valid(jsonspan.New([]byte(text))): // JSON in text
			r.lookUp(i, call, text)
			depth++
			pairsIn(jsonspan.New([]byte(text)), []byte(text), "", "", see)
			depth--
		case text[0] == '{' || text[0] == '[': // ignore JSON that was cut off
		default:
			prose(text)
		}
	}
	pairsIn(jsonspan.New(src), src, "", "", see)
}

// pairsIn calls see with each text in a JSON value, and with the text's key, preceded by the key of
// the enclosing object. key is that of the value, and parent that of the object around it. s is at
// the value, and src is what s reads.
//
//go:noinline
func pairsIn(s *jsonspan.Scanner, src []byte, parent, key string, see func(key, text string)) {
	valuesUnder(s, parent, key, func(parent, key string, v jsonspan.Value) {
		if v.Kind == jsonspan.String {
			see(strings.TrimSpace(parent+" "+key), jsonspan.Text(src, v.Span))
		}
	})
}

// unspacedText reports whether text is in a script without spaces.
func unspacedText(text string) bool {
	if text == "" || byteClass[text[0]]&(small|capital) != 0 { // most texts
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"'“「《*_ "))
	return words.Unspaced(r)
}

func valid(s *jsonspan.Scanner) bool {
	s.Skip()
	return s.Err() == nil
}

// maxName is the maximum length, in bytes, of a name of a tool or an argument, or of a search pattern, in an entry.
const maxName = 64
