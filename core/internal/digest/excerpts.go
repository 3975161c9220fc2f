package digest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// ExcerptMarker is the first line of what stays of a tool result that was cleared but for some of its lines.
const ExcerptMarker = "[Old tool result content cleared, except these lines]"

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
	lines [][]excerptLine    // by result, in the order of the text
	terms critbit.Map[int32] // the terms that later messages repeat: how many lines have them
}

// excerptLine is a line, or a piece of a long one.
type excerptLine struct {
	from, to int
	terms    []string // that later messages repeat
}

// NewExcerpts reads messages, in order, and of them the texts of the tool results at the given indexes of Parts, in the same order.
func NewExcerpts(t *transcript.Transcript, messages, results []int32, texts []string) *Excerpts {
	for i, text := range texts {
		texts[i] = withoutEnvelope(text)
	}
	e := &Excerpts{texts: texts, lines: make([][]excerptLine, len(results))}
	var later critbit.Map[struct{}] // the terms of what comes after the result that is read
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
				arguments(t, p, func(_, text string) { said(text, &later) })
			case p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed) && t.IsString(p.Body):
				said(t.Text(p.Body), &later)
			}
		}
	}
	return e
}

// read divides a text into lines with the terms that later messages repeat.
func (e *Excerpts) read(text string, later *critbit.Map[struct{}]) (lines []excerptLine) {
	at := 0
	for line := range strings.Lines(text) {
		from, end := at, at+len(strings.TrimRight(line, " \t\r\n"))
		for at += len(line); from < end && len(lines) < maxExcerptLines; {
			to := pieceEnd(text, from, end)
			if to-from >= minExcerpt {
				l := excerptLine{from: from, to: to}
				eachTerm(text[from:to], func(_ termKind, word string) {
					if later.Has(word) && !slices.Contains(l.terms, word) {
						l.terms = append(l.terms, word)
						*e.terms.At(word)++
					}
				})
				lines = append(lines, l)
			}
			from = to
		}
	}
	return lines
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
// first lines of results of which no line has a term that later messages repeat. It returns for each result its lines in their order, each
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
					n, _ := e.terms.Get(word)
					is += termWorth / int64(n+1)
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
		l := &lines[telling[best]]
		ranked = append(ranked, rankedLine{result, telling[best], worth})
		telling = slices.Delete(telling, best, best+1)
		size -= l.to - l.from + 1
		for _, word := range l.terms {
			have.Add(word)
		}
	}
	for i := 0; i < len(lines) && len(ranked) == i; i++ {
		if size -= lines[i].to - lines[i].from + 1; size < 0 || i == firstLines {
			break
		}
		ranked = append(ranked, rankedLine{result: result, line: i})
	}
	return ranked
}

// firstLines is how many of the first lines represent a result of which no line is telling.
const firstLines = 3

// termWorth is what a term is worth that no line has, and leastWorth what the terms of a line must be worth together that no chosen one has:
// what many lines say tells nothing.
const (
	termWorth  = 1 << 20
	leastWorth = termWorth / 8
)
