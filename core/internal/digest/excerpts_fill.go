package digest

import (
	"strings"
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// The weights of the lines that fill excerpts, in 1/1024, by kind.
const (
	ofProseLine  = 1024 // sentences, comments and list items
	ofDefinition = 700
	ofCodeLine   = 256
)

// leastFill is the minimum room that is worth filling, in bytes. lookFill is the maximum number of bytes of results to
// read for each byte of room; the newest results are read first.
const (
	leastFill = 400
	lookFill  = 64
)

// leastLine is the minimum size of a block of one line that fills an excerpt, in bytes.
const leastLine = 30

// leastFillWorth is the minimum average weight per byte for a block that fills an excerpt.
const leastFillWorth = 250

// fill adds blocks while there is room. It prefers blocks that add the most to the chosen lines and the other blocks.
// most limits the bytes for each result.
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

// filler holds the blocks that may fill excerpts.
type filler struct {
	*Excerpts
	choice  *excerptChoice
	items   []extract.Item
	found   []excerptBlock // of the items
	results []int          // of the items
	known   [][]string     // by result: the lines that are chosen
}

// add adds a block unless it says nothing. Blocks of results that have no excerpt yet weigh twice as much.
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

// isUnexplained reports whether the lines of a block are code with no comment, or with one that is too short to say
// more than the code.
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
	return code && words < least && !isItem(text[0])
}

// worthInExcerpt returns the weight of a line that fills an excerpt.
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

// isAddress reports whether a line consists of little more than the address of a page or an image.
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

// put adds the chosen blocks of a result, in at most size bytes. If not all of them fit, it adds the best ones.
func (f *filler) put(result int, chosen []extract.Chosen, size int) {
	need, items := 0, make([]extract.Item, len(chosen))
	for i, c := range chosen {
		items[i] = f.items[c.Item]
		need += len(items[i].Text) + 1
	}
	if need > size {
		var best []extract.Chosen
		// Only the known lines of this result, because using all would make the cost quadratic in the number of
		// results.
		for _, c := range extract.New(items, words.StemsOf(f.known[result])).Choose(size) {
			best = append(best, chosen[c.Item])
		}
		chosen = best
	}
	for _, c := range chosen {
		f.choice.take(f.Excerpts, f.found[c.Item], result)
	}
}

// worthOfLine returns a line's weight, which depends on its kind. The weight is 0 for a line without information, a
// search hit, an import, and a line that only copies a value under its own name, such as "owner=owner,".
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

// copiesName reports whether a line only passes on a value under nearly its own name: "AuthorName: author.Name," or
// "owner=owner,".
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

// importHeads lists the beginnings of lines that only name other files.
var importHeads = []string{"import ", "from ", "use ", "using ", "package ", "#include", "#!", "export * from", "require"}

var importStarts = startsOf(importHeads)

// isHit reports whether a line is a search hit, or context around one: "main.go:12: import".
func isHit(line string) bool {
	file, rest, _ := strings.Cut(line, ":")
	return isContext(line) || exitOf(rest) != "" && !strings.Contains(file, " ") && strings.ContainsAny(file, "./")
}
