package digest

import (
	"strings"
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// The weights, in 1024ths, of the lines with which excerpts are filled, by kind of line.
const (
	ofProseLine  = 1024 // sentences, comments and list items
	ofDefinition = 700
	ofCodeLine   = 256
)

// leastFill is the minimum number of bytes that are worth filling. lookFill is the maximum number of bytes of results
// that are read per byte of room, beginning with the newest results.
const (
	leastFill = 400
	lookFill  = 64
)

// leastLine is the minimum size, in bytes, of a block of one line that can fill an excerpt.
const leastLine = 30

// leastFillWorth is the minimum average weight per byte of a block that can fill an excerpt.
const leastFillWorth = 250

// fill adds blocks as long as there is room. It prefers those that add most to what the chosen
// lines already say. most is the maximum number of bytes for each result.
func (e *Excerpts) fill(c *excerptChoice, most []int) {
	if c.room < leastFill {
		return
	}
	f := filler{Excerpts: e, choice: c, known: make([][]string, len(most))}
	left := c.room * lookFill
	for result := len(most) - 1; result >= 0 && left > 0; result-- {
		for _, block := range e.blocks[result] {
			f.add(result, block)
		}
		left -= len(e.texts[result])
	}
	var known []string
	for _, lines := range f.known {
		known = append(known, lines...)
	}
	chosen := extract.New(f.items, words.StemsOf(known)).Choose(c.room)
	for len(chosen) > 0 {
		result, n := f.results[chosen[0].Item], 1
		for n < len(chosen) && f.results[chosen[n].Item] == result {
			n++
		}
		f.put(result, chosen[:n], most[result]-c.used[result])
		chosen = chosen[n:]
	}
}

// filler holds the blocks with which excerpts can be filled.
type filler struct {
	*Excerpts
	choice  *excerptChoice // what has been chosen so far
	items   []extract.Item // one for each block
	found   []excerptBlock // the block of each item
	results []int          // the result of each item
	known   [][]string     // the chosen lines of each result
}

// add adds a block unless it says nothing. A block of a result that has no excerpt yet gets twice the weight.
func (f *filler) add(result int, block excerptBlock) {
	var text []string
	size, worth := 0, 0
	for n := block.from; n < block.to; n++ {
		line := f.text(result, n)
		if f.lines[result][n].chosen {
			f.known[result] = append(f.known[result], line)
			continue
		}
		text = append(text, line)
		size += len(line)
		worth += len(line) * worthInExcerpt(line)
	}
	if size == 0 || worth/size < leastFillWorth || len(text) == 1 && (size < leastLine || opens(text[0]) || definedBy(text[0]) != "") || f.isUnexplained(result, block, text) {
		return
	}
	factor := worth / size
	if len(f.choice.lines[result]) == 0 {
		factor *= 2
	}
	f.items = append(f.items, extract.Item{Text: strings.Join(text, "\n"), Factor: factor, Whole: true})
	f.found, f.results = append(f.found, block), append(f.results, result)
}

// isUnexplained reports whether the lines of a block are code without a comment, or with a comment that is too short to
// say more than the code. text has the lines of the block.
func (f *filler) isUnexplained(result int, block excerptBlock, text []string) bool {
	least := leastExplained
	if len(block.heads) > 0 {
		least = leastInside
		if f.text(result, block.heads[0])[0] == '#' {
			return false
		}
	}
	words, code := 0, false
	for _, line := range text {
		if said := commentOf(line); said != "" {
			words += strings.Count(said, " ") + 1
		} else {
			code = code || codes(line) && !isMember(line)
		}
	}
	return code && words < least && !isListItem(text[0])
}

// worthInExcerpt returns the weight, in 1024ths, of a line with which an excerpt can be filled, or 0 if it says
// nothing.
func worthInExcerpt(line string) int {
	if isAddress(line) {
		return 0
	}
	if isMember(line) {
		return ofDefinition
	}
	return min(worthOfLine(line), worthInQuote(line))
}

// isMember reports whether a line begins with a member of an object.
func isMember(line string) bool {
	line = strings.TrimLeft(line, "[{")
	return strings.HasPrefix(line, `"`) && strings.Contains(line, `":`)
}

// isAddress reports whether a line consists mostly of the address of a page or an image.
func isAddress(line string) bool {
	at := strings.Index(line, "://")
	if at < 0 {
		return false
	}
	end := strings.IndexAny(line[at:], " \t\"")
	if end < 0 {
		end = len(line) - at
	}
	return 4*end > 3*len(line)
}

// put adds the chosen blocks of a result, in at most size bytes. If they don't all fit, it adds the best ones.
func (f *filler) put(result int, chosen []extract.Chosen, size int) {
	need, items := 0, make([]extract.Item, len(chosen))
	for i, c := range chosen {
		items[i] = f.items[c.Item]
		need += len(items[i].Text) + 1
	}
	if need > size {
		var best []extract.Chosen
		// It uses only the known lines of this result, because using all of them would make the cost quadratic in the
		// number of results.
		for _, c := range extract.New(items, words.StemsOf(f.known[result])).Choose(size) {
			best = append(best, chosen[c.Item])
		}
		chosen = best
	}
	for _, c := range chosen {
		f.choice.take(f.Excerpts, f.found[c.Item], result)
	}
}

// worthOfLine returns the weight of a line, in 1024ths, which depends on its kind. It returns 0 for a line without
// information, a search hit, an import, and a line that only copies a value under its own name, such as "owner=owner,".
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

// copiesName reports whether a line only copies a value under almost the same name, as in "AuthorName: author.Name,"
// and "owner=owner,".
func copiesName(line string) bool {
	line, isMember := strings.CutSuffix(line, ",")
	at := strings.IndexAny(line, ":=")
	if !isMember || at <= 0 || len(line) > longestCode {
		return false
	}
	name, value := strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+1:])
	if value == "" || strings.ContainsFunc(name+value, func(r rune) bool { return r > unicode.MaxASCII || !nameByte[r] }) {
		return false
	}
	value = lower(value)
	last := value[strings.LastIndexByte(value, '.')+1:]
	return last != "" && (strings.Contains(value, lower(name)) || strings.HasSuffix(lower(name), last))
}

// importHeads lists the beginnings of lines that only import other files, or name a package or an
// interpreter.
var importHeads = []string{"import ", "from ", "use ", "using ", "package ", "#include", "#!", "export * from", "require"}

var importStarts = startsOf(importHeads)

// isHit reports whether a line is a search hit ("main.go:12: import"), or a line of context around a hit.
func isHit(line string) bool {
	file, rest, _ := strings.Cut(line, ":")
	return isContext(line) || exitOf(rest) != "" && !strings.Contains(file, " ") && strings.ContainsAny(file, "./")
}
