package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// The weights of the lines with which excerpts are filled, in 1/1024, by what they say.
const (
	ofProseLine  = 1024 // sentences, comments and list items
	ofTextLine   = 700  // code that contains a text of several words, such as an error message
	ofDefinition = 600
	ofCodeLine   = 256 // code with a number or a short text
)

// leastFill is how much room filling is worth, in bytes, and lookFill how many bytes of results are read for each byte of room, newest
// results first.
const (
	leastFill = 400
	lookFill  = 64
)

// fill adds lines that no later message repeats, while there is room: those that say most that neither the chosen lines nor each other say.
// A result gets at most its part of most.
func (e *Excerpts) fill(c *excerptChoice, most []int) {
	if c.room < leastFill {
		return
	}
	f := filler{Excerpts: e, choice: c, known: slices.Clone(e.known)}
	left := c.room * lookFill
	for result := len(most) - 1; result >= 0 && left > 0; result-- {
		left -= f.read(result)
	}
	chosen := extract.New(f.items, f.known).Choose(c.room)
	for len(chosen) > 0 {
		result, n := f.places[chosen[0].Item].result, 1
		for n < len(chosen) && f.places[chosen[n].Item].result == result {
			n++
		}
		f.put(result, chosen[:n], most[result]-c.used[result])
		chosen = chosen[n:]
	}
}

// filler is the lines with which excerpts may be filled.
type filler struct {
	*Excerpts
	choice *excerptChoice
	items  []extract.Item
	places []rankedLine // of the items
	known  []string     // the lines that are chosen
}

// read adds the lines of a result, and returns how many bytes they have.
func (f *filler) read(result int) (size int) {
	for n := range f.lines[result] {
		text := f.text(result, n)
		if size += len(text); f.lines[result][n].chosen {
			f.known = append(f.known, text)
		} else if factor := worthOfLine(text); factor > 0 {
			f.items = append(f.items, extract.Item{Text: text, Factor: factor, Whole: true})
			f.places = append(f.places, rankedLine{result: result, line: n})
		}
	}
	return size
}

// put adds chosen lines of a result in at most size bytes: the best of them if not all of them fit. A line within a definition takes that along.
func (f *filler) put(result int, chosen []extract.Chosen, size int) {
	need, items := 0, make([]extract.Item, len(chosen))
	for i, c := range chosen {
		items[i] = f.items[c.Item]
		need += len(items[i].Text) + 1
	}
	places := make([]int, 0, len(chosen))
	if need <= size {
		for _, c := range chosen {
			places = append(places, f.places[c.Item].line)
		}
	} else {
		for _, c := range extract.New(items, f.known).Choose(size) {
			places = append(places, f.places[chosen[c.Item].Item].line)
		}
	}
	for _, n := range places {
		head := f.lines[result][n].head
		if head >= 0 && !f.lines[result][head].chosen && definedBy(strings.TrimSpace(f.text(result, head))) != "" {
			f.choice.take(f.Excerpts, result, head)
		}
		if !f.lines[result][n].chosen {
			f.choice.take(f.Excerpts, result, n)
		}
	}
}

// text returns a line without its number.
func (e *Excerpts) text(result, line int) string {
	l := &e.lines[result][line]
	text := e.texts[result][l.from:l.to]
	return text[numbered(text):]
}

// worthOfLine returns the weight of a line by what it says, or 0 if it says nothing.
func worthOfLine(line string) int {
	line = strings.TrimSpace(line)
	switch {
	case len(line) < leastFillLine, line[0] == '[' && line[len(line)-1] == ']': // or a note of the tool
		return 0
	case commentOf(line) != "" || !codes(line) && !fewSpaces(line, 4):
		return ofProseLine
	case hasText(line):
		return ofTextLine
	case definedBy(line) != "":
		return ofDefinition
	case strings.ContainsAny(line, "\"'`0123456789"):
		return ofCodeLine
	}
	return 0
}

// leastFillLine is the minimum length of a line that says something by itself, in bytes.
const leastFillLine = 12

// hasText reports whether a line of code contains a quoted text of several words.
func hasText(line string) bool {
	for _, quote := range []byte{'"', '\'', '`'} {
		_, rest, _ := strings.Cut(line, string(quote))
		if said, _, closed := strings.Cut(rest, string(quote)); closed && !fewSpaces(said, 2) {
			return true
		}
	}
	return false
}
