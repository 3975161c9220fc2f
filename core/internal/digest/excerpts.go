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

// ExcerptMarker is the first line of what stays of a tool result that was cleared but for some of its lines, and TruncatedMarker that of a text
// that was shortened.
const (
	ExcerptMarker   = "[Old tool result content cleared, except these lines]"
	TruncatedMarker = "[Truncated]"
)

// withoutExcerptMarker is a tool result without the line, if there is one, that says that the lines after it are an excerpt.
func withoutExcerptMarker(text string) string {
	const upToHandle = len(ExcerptMarker) - 1
	if len(text) < len(ExcerptMarker) || text[:upToHandle] != ExcerptMarker[:upToHandle] {
		return text
	}
	_, lines, _ := strings.Cut(text, "\n")
	return lines
}

// The sizes of lines of an excerpt, in bytes: longer ones are divided, and shorter pieces than minExcerpt say nothing.
const (
	maxExcerpt = 200
	minExcerpt = 3
)

// maxExcerptLines is how many lines of a tool result an excerpt is chosen from: the first ones.
const maxExcerptLines = 4000

// Excerpts chooses the lines of tool results that what came later builds on: those with the names, paths, numbers and errors that later
// messages and calls repeat, the rarest first.
type Excerpts struct {
	texts []string
	lines [][]excerptLine       // by result, in the order of the text
	terms critbit.Map[repeated] // the terms that later messages repeat
}

// repeated is how many lines have a term, and how often later messages do.
type repeated struct{ lines, said int32 }

// worth is the more the fewer lines have the term, and the more often it is repeated.
func (r repeated) worth() int64 {
	return termWorth * int64(bits.Len32(uint32(r.said))) / int64(r.lines+1)
}

// excerptLine is a line, or a piece of a long one.
type excerptLine struct {
	from, to int
	head     int      // the line that it is within by its indentation, the outermost; -1 for none
	number   bool     // a number of the line is before it
	terms    []string // that later messages repeat
}

// NewExcerpts reads messages, in order, and of them the texts of the tool results at the given indexes of Parts, in the same order.
func NewExcerpts(t *transcript.Transcript, messages, results []int32, texts []string) *Excerpts {
	for i, text := range texts {
		texts[i] = withoutEnvelope(text)
	}
	e := &Excerpts{texts: texts, lines: make([][]excerptLine, len(results))}
	var later critbit.Map[int32] // how often what comes after the result that is read has a term
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

// read divides a text into lines with the terms that later messages repeat.
func (e *Excerpts) read(text string, later *critbit.Map[int32]) (lines []excerptLine) {
	at := 0
	head, margin := -1, 0 // the outermost line that the next ones may be within, and its indentation
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
				eachTerm(text[from:to], func(_ termKind, word string) { // also its number: who cites it has looked at it
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

// numbered is the length of the number of the line that tools put before it ("  12→", "12\t", "12: ", "12|"); 0 where there is none.
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

// pieceEnd is where a piece ends that begins at from, of a line that ends at end: a long line is divided at its punctuation.
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

// Choose chooses lines of all results in at most room bytes, of each in at most its size: those with the rarest terms first, and at last the
// first lines of results of which no line has a term that later messages repeat, unless its lines have numbers, which a file has. It returns for each result its lines in their order, each
// after a line break, or "".
func (e *Excerpts) Choose(sizes []int, room int) []string {
	var all []rankedLine
	for i, size := range sizes {
		all = append(all, e.rank(i, size)...)
	}
	sorting.Func(all, func(a, b rankedLine) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), b.result-a.result, a.line-b.line)
	})
	chosen := make([][]int, len(sizes))
	for _, r := range all {
		l := &e.lines[r.result][r.line]
		cost := l.to - l.from + 1
		if len(chosen[r.result]) == 0 {
			cost += len(ExcerptMarker)
		}
		if cost <= room {
			room -= cost
			chosen[r.result] = append(chosen[r.result], r.line)
		}
	}
	out := make([]string, len(sizes))
	for i, lines := range chosen {
		slices.Sort(lines)
		for _, line := range lines {
			l := &e.lines[i][line]
			out[i] += "\n" + strings.TrimLeft(e.texts[i][l.from:l.to], " \t")
		}
	}
	return out
}

// rankedLine is a line of a result, and what its terms are worth that those before it do not have.
type rankedLine struct {
	result, line int
	worth        int64
}

// rank returns lines of a result in at most size bytes, the most telling first.
func (e *Excerpts) rank(result, size int) (ranked []rankedLine) {
	lines := e.lines[result]
	var telling []int // lines with terms, those that are not chosen
	for i := range lines {
		if len(lines[i].terms) > 0 {
			telling = append(telling, i)
		}
	}
	taken := make([]bool, len(lines))
	var found []int // the telling ones, the best first
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
	for after := 1; after <= linesAfter; after++ { // what a line of a file says ends in those after it
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

// firstLines is how many of the first lines represent a result of which no line is telling, and linesAfter how many lines come with one that is,
// of a file.
const (
	firstLines = 3
	linesAfter = 2
)

// termWorth is twice what a term is worth that one line has and that is repeated once, and leastWorth what those terms of a line must be worth
// together that no chosen one has: what many lines say tells nothing.
const (
	termWorth  = 1 << 20
	leastWorth = termWorth / 32
)
