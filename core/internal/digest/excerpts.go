package digest

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// ExcerptMarker is the first line of a cleared tool result that keeps some lines, and TruncatedMarker the first line of a shortened text.
const (
	ExcerptMarker   = "[Old tool result content cleared, except these lines]"
	TruncatedMarker = "[Truncated]"
)

// withoutExcerptMarker returns a tool result without its first line, if that says that an excerpt follows.
func withoutExcerptMarker(text string) string {
	const upToHandle = len(ExcerptMarker) - 1
	if len(text) < len(ExcerptMarker) || text[:upToHandle] != ExcerptMarker[:upToHandle] {
		return text
	}
	_, lines, _ := strings.Cut(text, "\n")
	return lines
}

// The sizes of the lines of an excerpt, in bytes. Longer lines are divided; pieces shorter than minExcerpt say nothing.
const (
	maxExcerpt = 200
	minExcerpt = 3
)

// maxExcerptLines is the number of a tool result's first lines that are considered for an excerpt.
const maxExcerptLines = 4000

// Excerpts chooses the lines of tool results that later messages build on: those with names, paths, numbers and errors that later messages
// and calls repeat, rarest first.
type Excerpts struct {
	texts []string
	known []string              // texts that the reader has anyway
	gaps  bool                  // omitted lines leave a mark, unless lines have numbers
	lines [][]excerptLine       // by result, in text order
	terms critbit.Map[repeated] // terms that later messages repeat
}

// repeated counts the lines and the later occurrences of a term.
type repeated struct{ lines, said int32 }

// worth returns the value of a term, which grows the fewer lines contain it and the more often it is repeated.
func (r repeated) worth() int64 {
	return termWorth * int64(bits.Len32(uint32(r.said))) / int64(r.lines+1)
}

// excerptLine is a line, or a piece of a long one.
type excerptLine struct {
	from, to int
	head     int  // the outermost line that encloses it by indentation; -1 if none does
	number   bool // preceded by a line number
	chosen   bool
	terms    []string // terms that later messages repeat
}

// NewExcerpts reads messages in order, and the texts of the tool results at the given part indexes, in the same order.
func NewExcerpts(t *transcript.Transcript, messages, results []int32, texts []string) *Excerpts {
	for i, text := range texts {
		texts[i] = withoutReminders(withoutEnvelope(text))
	}
	e := &Excerpts{texts: texts, lines: make([][]excerptLine, len(results))}
	var later critbit.Map[int32] // how often the messages after the current result contain a term
	repeat := func(text string) {
		eachTerm(text, func(kind termKind, word string) {
			*later.At(word)++
			for i := strings.IndexByte(word, '/'); i >= 0 && kind == pathTerm; i = strings.IndexByte(word, '/') {
				word = word[i+1:]
				*later.At(word)++
			}
		})
	}
	left := len(results)
	for _, m := range slices.Backward(messages) {
		msg := &t.Messages[m]
		for n := msg.First + msg.Count - 1; n >= msg.First && left > 0; n-- {
			p := &t.Parts[n]
			switch {
			case n == results[left-1]:
				left--
				e.lines[left] = e.read(texts[left], &later)
			case p.Kind == transcript.ToolCall:
				arguments(t, p, func(_, text string) { repeat(text) })
			case p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed) && t.IsString(p.Body):
				repeat(t.Text(p.Body))
			}
		}
	}
	return e
}

// read splits a text into lines with the terms that later messages repeat.
func (e *Excerpts) read(text string, later *critbit.Map[int32]) (lines []excerptLine) {
	at := 0
	head, margin := -1, 0 // the outermost line that may enclose the next ones, and its indentation
	for line := range strings.Lines(text) {
		from, end := at, at+len(strings.TrimRight(line, " \t\r\n"))
		words := from + numbered(text[from:end])
		code := words + len(text[words:end]) - len(strings.TrimLeft(text[words:end], " \t"))
		within := -1
		if at += len(line); code < end && head >= 0 && code-words > margin {
			within = head
		}
		if code < end && within < 0 {
			head, margin = -1, code-words
			if strings.ContainsFunc(text[code:end], unicode.IsLetter) {
				head = len(lines)
			}
		}
		for words < end && len(lines) < maxExcerptLines {
			to := pieceEnd(text, words, end)
			if to-words >= minExcerpt {
				l := excerptLine{from: from, to: to, head: within, number: words > from}
				eachTerm(text[from:to], func(_ termKind, word string) { // including its number: citing it shows that it was read
					if n, found := later.Get(word); found && !slices.Contains(l.terms, word) {
						l.terms = append(l.terms, word)
						seen := e.terms.At(word)
						seen.lines++
						seen.said = max(seen.said, n)
					}
				})
				lines = append(lines, l)
			}
			from, words = to, to
		}
	}
	return lines
}

// numbered returns the length of the line number that tools put before a line ("  12→", "12\t", "12: ", "12|"); 0 if there is none.
func numbered(line string) int {
	rest := strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789")
	if len(rest) == len(strings.TrimLeft(line, " ")) {
		return 0
	}
	for _, mark := range []string{"→", "\t", ": ", "|"} {
		if after, found := strings.CutPrefix(rest, mark); found {
			return len(line) - len(after)
		}
	}
	return 0
}

// pieceEnd returns the end of the piece that begins at from, in a line that ends at end. Long lines are divided at punctuation.
func pieceEnd(text string, from, end int) int {
	if end-from <= maxExcerpt {
		return end
	}
	most := from + maxExcerpt
	if at := strings.LastIndexAny(text[from+maxExcerpt/2:most], ",;{}"); at >= 0 {
		return from + maxExcerpt/2 + at + 1
	}
	if at := strings.LastIndexByte(text[from+maxExcerpt/2:most], ' '); at >= 0 {
		return from + maxExcerpt/2 + at + 1
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return most
}

// Choose chooses lines of all results, in at most room bytes in total and at most its size for each result. Lines with the rarest terms
// come first. Results whose lines have no term that later messages repeat get their first lines at the end, unless the lines are numbered,
// as in a file. The remaining room is filled with other informative lines, limited for each result by most; see fill. It returns the chosen
// lines of each result in order, each preceded by a line break, or "".
func (e *Excerpts) Choose(sizes, most []int, room int) []string {
	var all []rankedLine
	for i, size := range sizes {
		all = append(all, e.rank(i, size)...)
	}
	sorting.Func(all, func(a, b rankedLine) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), b.result-a.result, a.line-b.line)
	})
	for _, lines := range e.lines {
		for n := range lines {
			lines[n].chosen = false
		}
	}
	c := excerptChoice{lines: make([][]int, len(sizes)), used: make([]int, len(sizes)), room: room}
	for _, r := range all {
		c.take(e, r.result, r.line)
	}
	e.fill(&c, most)
	out := make([]string, len(sizes))
	for i, lines := range c.lines {
		sorting.Ordered(lines)
		for k, line := range lines {
			l := &e.lines[i][line]
			if e.gaps && k > 0 && lines[k-1] != line-1 && !l.number {
				out[i] += " …"
			}
			out[i] += "\n" + strings.TrimLeft(e.texts[i][l.from:l.to], " \t")
		}
	}
	return out
}

// excerptChoice holds the chosen lines and their bytes for each result, and the number of bytes left for all of them.
type excerptChoice struct {
	lines [][]int
	used  []int
	room  int
}

// take adds a line if there is room for it.
func (c *excerptChoice) take(e *Excerpts, result, line int) {
	l := &e.lines[result][line]
	cost := l.to - l.from + 1
	if len(c.lines[result]) == 0 {
		cost += len(ExcerptMarker)
	}
	if cost <= c.room {
		c.room -= cost
		c.used[result] += l.to - l.from + 1
		c.lines[result] = append(c.lines[result], line)
		l.chosen = true
	}
}

// rankedLine is a line of a result, with the value of its terms that higher-ranked lines don't have.
type rankedLine struct {
	result, line int
	worth        int64
}

// rank returns lines of a result in at most size bytes, most informative first.
func (e *Excerpts) rank(result, size int) (ranked []rankedLine) {
	lines := e.lines[result]
	var telling []int // lines with terms that are not yet chosen
	for i := range lines {
		if len(lines[i].terms) > 0 {
			telling = append(telling, i)
		}
	}
	taken := make([]bool, len(lines))
	var found []int // the informative lines, best first
	var have critbit.Map[struct{}]
	for {
		best, value, worth := -1, int64(0), int64(0)
		for at, i := range telling {
			l := &lines[i]
			if l.to-l.from+1 > size {
				continue
			}
			is := int64(0)
			for _, word := range l.terms {
				if !have.Has(word) {
					r, _ := e.terms.Get(word)
					is += r.worth()
				}
			}
			if is < leastWorth {
				continue
			}
			if v := is * maxExcerpt / int64(maxExcerpt/2+l.to-l.from); v > value {
				best, value, worth = at, v, is
			}
		}
		if best < 0 {
			break
		}
		n := telling[best]
		telling = slices.Delete(telling, best, best+1)
		if taken[n] {
			continue
		}
		found = append(found, n)
		for _, n := range []int{lines[n].head, n} {
			if n < 0 || taken[n] || lines[n].to-lines[n].from+1 > size {
				continue
			}
			l := &lines[n]
			taken[n] = true
			ranked = append(ranked, rankedLine{result, n, worth})
			size -= l.to - l.from + 1
			for _, word := range l.terms {
				have.Add(word)
			}
		}
	}
	for after := 1; after <= linesAfter; after++ { // a statement in a file continues in the following lines
		for _, n := range found {
			n += after
			if n >= len(lines) || !lines[n].number || lines[n].head < 0 || taken[n] || !taken[n-1] || lines[n].to-lines[n].from+1 > size ||
				!strings.ContainsFunc(e.texts[result][lines[n].from:lines[n].to], unicode.IsLetter) {
				continue
			}
			taken[n] = true
			ranked = append(ranked, rankedLine{result: result, line: n})
			size -= lines[n].to - lines[n].from + 1
		}
	}
	for i := 0; i < len(lines) && len(ranked) == i && !lines[i].number; i++ {
		if size -= lines[i].to - lines[i].from + 1; size < 0 || i == firstLines {
			break
		}
		ranked = append(ranked, rankedLine{result: result, line: i})
	}
	return ranked
}

// firstLines is the number of leading lines that represent a result without informative lines; linesAfter is the number of lines that are
// kept after an informative line of a file.
const (
	firstLines = 3
	linesAfter = 2
)

// termWorth is twice the value of a term that one line has and that is repeated once. leastWorth is the minimum total value of a line's
// terms that no chosen line has: what many lines say is not informative.
const (
	termWorth  = 1 << 20
	leastWorth = termWorth / 32
)
