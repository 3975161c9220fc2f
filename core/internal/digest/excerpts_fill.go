package digest

import (
	"strings"
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// The weights of the lines that fill excerpts, in 1/1024, by kind.
const (
	ofProseLine   = 1024 // sentences, comments and list items
	ofDefinition  = 700
	ofCodeLine    = 256
	leastRunWorth = 200
)

// leastFill is the minimum room that is worth filling, in bytes. lookFill is the number of bytes of results that are read for each byte of
// room, newest results first. A run of more than mostRun bytes ends at the next definition, comment or heading.
const (
	leastFill = 400
	lookFill  = 64
	mostRun   = 300
)

// fill adds runs of lines as long as there is room. It prefers runs that add most to the chosen lines and to the
// other runs. most is the maximum size for each result, in bytes.
func (e *Excerpts) fill(c *excerptChoice, most []int) {
	if c.room < leastFill {
		return
	}
	f := filler{Excerpts: e, choice: c, known: make([][]string, len(most))}
	left := c.room * lookFill
	for result := len(most) - 1; result >= 0 && left > 0; result-- {
		for _, run := range e.runsOf(result) {
			f.add(run)
		}
		left -= len(e.texts[result])
	}
	var known []string
	for _, lines := range f.known {
		known = append(known, lines...)
	}
	chosen := extract.New(f.items, known).Choose(c.room)
	for len(chosen) > 0 {
		result, n := f.runs[chosen[0].Item].result, 1
		for n < len(chosen) && f.runs[chosen[n].Item].result == result {
			n++
		}
		f.put(result, chosen[:n], most[result]-c.used[result])
		chosen = chosen[n:]
	}
}

// filler holds the runs of lines that may fill excerpts.
type filler struct {
	*Excerpts
	choice *excerptChoice
	items  []extract.Item
	runs   []lineRun  // the run of each item
	known  [][]string // for each result, the chosen lines
}

// lineRun is a paragraph, or another piece of a result that can only be understood as a whole. from and to are line
// indexes.
type lineRun struct {
	result, from, to int
	title            int // the line of the last heading above it, or -1
}

// runsOf returns the runs of a result. No run contains a known line.
func (e *Excerpts) runsOf(result int) []lineRun {
	if e.runs[result] != nil {
		return e.runs[result]
	}
	run, title := lineRun{result: result, title: -1}, -1
	for n := range e.lines[result] {
		text := strings.TrimSpace(e.text(result, n))
		known := e.lines[result][n].known
		if n > run.from && (known || e.ends(run, n, text)) {
			e.runs[result] = append(e.runs[result], run)
			run = lineRun{result: result, from: n, title: title}
		}
		if run.to = n + 1; known {
			run.from = n + 1
		}
		if e.isTitle(result, n) {
			title = n
		}
	}
	if run.to > run.from {
		e.runs[result] = append(e.runs[result], run)
	}
	return e.runs[result]
}

// isTitle reports whether a line is a heading of a text.
func (e *Excerpts) isTitle(result, line int) bool {
	l := &e.lines[result][line]
	return !l.number && strings.HasPrefix(strings.TrimLeft(e.texts[result][l.from:l.to], " \t"), "#")
}

// trimmed returns a span without lines of brackets at its ends, and without lines at its end that only open a block
// of code.
func (e *Excerpts) trimmed(span lineRun) lineRun {
	for ; span.from < span.to; span.to-- {
		text := strings.TrimSpace(e.text(span.result, span.to-1))
		if strings.ContainsFunc(text, unicode.IsLetter) && (!e.opens(span.result, span.to-1) || definedBy(text) != "") {
			break
		}
	}
	for span.from < span.to && !strings.ContainsFunc(e.text(span.result, span.from), unicode.IsLetter) {
		span.from++
	}
	return span
}

// opens reports whether a piece ends its line with an open bracket.
func (e *Excerpts) opens(result, piece int) bool {
	at := e.lines[result][piece].to
	if last := e.texts[result][at-1]; last != '{' && last != '(' {
		return false
	}
	rest := strings.TrimLeft(e.texts[result][at:], " \t\r")
	return rest == "" || rest[0] == '\n'
}

// ends reports whether a run ends before line n, which has the given text.
func (e *Excerpts) ends(run lineRun, n int, text string) bool {
	lines := e.lines[run.result]
	if strings.Count(e.texts[run.result][lines[n-1].to:lines[n].from], "\n") > 1 { // an empty line, or a closing brace
		return lines[n].to-lines[run.from].from > mostRun/4
	}
	begins := commentOf(text) != "" || definedBy(text) != "" || text != "" && (text[0] == '#' || text[0] == '*')
	return begins && lines[n].to-lines[run.from].from > mostRun/2 || lines[n].to-lines[run.from].from > 2*mostRun
}

// add adds a run unless it is uninformative.
func (f *filler) add(run lineRun) {
	var text []string
	size, worth := 0, 0
	run = f.trimmed(run)
	for n := run.from; n < run.to; n++ {
		line := f.text(run.result, n)
		if f.lines[run.result][n].chosen {
			f.known[run.result] = append(f.known[run.result], line)
			continue
		}
		text = append(text, line)
		size += len(line)
		worth += len(line) * min(worthOfLine(line), worthInQuote(strings.TrimSpace(line)))
	}
	if size == 0 || worth/size < leastRunWorth || len(text) == 1 && strings.HasSuffix(text[0], ":") {
		return
	}
	f.items = append(f.items, extract.Item{Text: strings.Join(text, "\n"), Factor: worth / size, Whole: true})
	f.runs = append(f.runs, run)
}

// put adds the chosen runs of a result, in at most size bytes. If not all of them fit, it adds the best ones.
func (f *filler) put(result int, chosen []extract.Chosen, size int) {
	need, items := 0, make([]extract.Item, len(chosen))
	for i, c := range chosen {
		items[i] = f.items[c.Item]
		need += len(items[i].Text) + 1
	}
	if need > size {
		var best []extract.Chosen
		for _, c := range extract.New(items, f.known[result]).Choose(size) { // not all known lines, because the cost would be quadratic in the number of results
			best = append(best, chosen[c.Item])
		}
		chosen = best
	}
	for _, c := range chosen {
		f.choice.takeSpan(f.Excerpts, f.runs[c.Item])
	}
}

// text returns a line without its number.
func (e *Excerpts) text(result, line int) string {
	l := &e.lines[result][line]
	text := e.texts[result][l.from:l.to]
	return text[numbered(text):]
}

// worthOfLine returns the weight of a line by its kind. It is 0 if the line is uninformative, only passes on a value,
// or is a search hit.
func worthOfLine(line string) int {
	line = strings.TrimSpace(line)
	switch {
	case line == "", line[0] == '[' && line[len(line)-1] == ']', isHit(line), copiesName(line): // or a note of the tool
		return 0
	case commentOf(line) != "" || !codes(line) && !fewSpaces(line, 4):
		return ofProseLine
	case definedBy(line) != "":
		return ofDefinition
	case importStarts.may(line) && headedBy(line, importHeads):
		return 0
	}
	return ofCodeLine
}

// copiesName reports whether a line only passes on a value under nearly its own name: "AuthorName: author.Name," or "owner=owner,".
func copiesName(line string) bool {
	line, isMember := strings.CutSuffix(line, ",")
	at := strings.IndexAny(line, ":=")
	if !isMember || at <= 0 || len(line) > longestCode {
		return false
	}
	name, value := strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+1:])
	if value == "" || strings.ContainsFunc(name+value, func(r rune) bool { return r > unicode.MaxASCII || !inName(byte(r)) }) {
		return false
	}
	value = lower(value)
	last := value[strings.LastIndexByte(value, '.')+1:]
	return last != "" && (strings.Contains(value, lower(name)) || strings.HasSuffix(lower(name), last))
}

// importHeads begin lines that only name other files.
var importHeads = []string{"import ", "from ", "use ", "using ", "package ", "#include", "#!", "export * from", "require"}

var importStarts = startsOf(importHeads)

// isHit reports whether a line is a hit of a search, or context around one: "main.go:12: import".
func isHit(line string) bool {
	file, rest, _ := strings.Cut(line, ":")
	return isContext(line) || exitOf(rest) != "" && !strings.Contains(file, " ") && strings.ContainsAny(file, "./")
}
