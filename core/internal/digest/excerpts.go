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

// withoutExcerptMarker returns a tool result without its first line, if that line is the marker of an excerpt.
func withoutExcerptMarker(text string) string {
	const upToHandle = len(ExcerptMarker) - 1
	if len(text) < len(ExcerptMarker) || text[:upToHandle] != ExcerptMarker[:upToHandle] {
		return text
	}
	_, lines, _ := strings.Cut(text, "\n")
	return lines
}

// The sizes of lines in an excerpt, in bytes. Longer lines are divided into pieces; pieces shorter than minExcerpt
// are uninformative.
const (
	maxExcerpt = 200
	minExcerpt = 3
)

// maxExcerptLines is the number of lines at the beginning of a tool result that are considered for an excerpt.
const maxExcerptLines = 4000

// Excerpts chooses the lines of tool results that later messages build on: those with names, paths, numbers and errors that later messages
// and calls repeat, rarest first. Lines are quoted in unbroken spans.
type Excerpts struct {
	texts []string
	lines [][]excerptLine       // by result, in the order of the text
	runs  [][]lineRun           // by result; nil until they are needed
	terms critbit.Map[repeated] // terms that later messages repeat
}

// repeated holds how many lines contain a term, and how often later messages repeat it.
type repeated struct{ lines, said int32 }

// worth returns the value of a term: the fewer lines contain it and the more often it is repeated, the more it is
// worth.
func (r repeated) worth() int64 {
	return termWorth * int64(bits.Len32(uint32(r.said))) / int64(r.lines+1)
}

// excerptLine is a line, or a piece of a long one.
type excerptLine struct {
	from, to int
	head     int      // the outermost line that encloses it by indentation; -1 if none does
	number   bool     // preceded by a line number
	known    bool     // an argument of a later call contains the line, so that the reader has it there, or the line was changed
	own      bool     // contains a name from the call of its result
	chosen   bool     // part of the excerpt
	terms    []string // terms that later messages repeat and that are not in the result's own call
}

// NewExcerpts prepares excerpts of the tool results at the given part indexes. messages are all messages in order,
// and texts the texts of the results. A file that a later message edits gets no excerpt.
func NewExcerpts(t *transcript.Transcript, messages, results []int32, texts []string) *Excerpts {
	for i, text := range texts {
		texts[i] = withoutReminders(withoutEnvelope(text))
	}
	e := &Excerpts{texts: texts, lines: make([][]excerptLine, len(results)), runs: make([][]lineRun, len(results))}
	var later laterWords
	left := len(results)
	for _, m := range slices.Backward(messages) {
		msg := &t.Messages[m]
		for n := msg.First + msg.Count - 1; n >= msg.First && left > 0; n-- {
			p := &t.Parts[n]
			switch {
			case n == results[left-1]:
				left--
				var own critbit.Map[struct{}]
				if p.Pair >= 0 {
					if call := &t.Parts[p.Pair]; useOf(t.Text(call.Name)) == reads && later.edited.Has(Path(t, call)) {
						continue
					}
					arguments(t, &t.Parts[p.Pair], func(_, text string) {
						eachTerm(text, func(_ termKind, word string) { own.Add(word) })
					})
				}
				e.lines[left] = e.read(texts[left], &later, &own)
			case p.Kind == transcript.ToolCall:
				later.called(t, p)
			case p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed) && t.IsString(p.Body):
				later.hear(t.Text(p.Body))
			}
		}
	}
	return e
}

// laterWords holds the words and lines of the messages after the current result.
type laterWords struct {
	terms  critbit.Map[int32]    // the number of occurrences of each term
	lines  critbit.Map[struct{}] // the lines of the arguments of calls, without white space around them
	edited critbit.Map[struct{}] // the files that the messages edit
}

// called adds the words and lines of a call's arguments.
func (l *laterWords) called(t *transcript.Transcript, call *transcript.Part) {
	arguments(t, call, func(_, text string) {
		l.hear(text)
		l.hearLines(text)
	})
	if useOf(t.Text(call.Name)) == edits && !(call.Pair >= 0 && failedResult(t, call.Pair)) {
		for _, c := range changesOf(t, call) {
			l.edited.Add(c.path)
		}
	}
}

// hear adds the terms of a text.
func (l *laterWords) hear(text string) {
	eachTerm(text, func(kind termKind, word string) {
		*l.terms.At(word)++
		for i := strings.IndexByte(word, '/'); i >= 0 && kind == pathTerm; i = strings.IndexByte(word, '/') {
			word = word[i+1:]
			*l.terms.At(word)++
		}
	})
}

// hearLines adds the lines of a text of several lines.
func (l *laterWords) hearLines(text string) {
	if strings.IndexByte(text, '\n') < 0 {
		return
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= minExcerpt {
			l.lines.Add(line)
		}
	}
}

// read splits a text into lines, each with the terms that later messages repeat. own are the terms of the result's
// call.
func (e *Excerpts) read(text string, later *laterWords, own *critbit.Map[struct{}]) (lines []excerptLine) {
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
		known := later.lines.Has(text[code:end])
		for words < end && len(lines) < maxExcerptLines {
			to := pieceEnd(text, words, end)
			if to-words >= minExcerpt {
				l := excerptLine{from: from, to: to, head: within, number: words > from, known: known}
				if !known {
					e.addTerms(&l, text[from:to], later, own)
				}
				lines = append(lines, l)
			}
			from, words = to, to
		}
	}
	return lines
}

// addTerms adds to a line the terms of its text, including the line's number: a message that cites the number shows
// that the line was read.
func (e *Excerpts) addTerms(l *excerptLine, text string, later *laterWords, own *critbit.Map[struct{}]) {
	eachTerm(text, func(_ termKind, word string) {
		if own.Has(word) {
			l.own = true
		} else if n, found := later.terms.Get(word); found && !slices.Contains(l.terms, word) {
			l.terms = append(l.terms, word)
			seen := e.terms.At(word)
			seen.lines++
			seen.said = max(seen.said, n)
		}
	})
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

// Choose chooses lines of all results, in at most room bytes in total, and in at most sizes bytes for each result.
// Lines with the rarest terms come first. A result without any term that later messages repeat gets its first lines
// last, unless its lines are numbered, as in a file. The remaining room is filled with other informative lines, for
// each result up to most bytes; see fill. It returns the chosen lines of each result in order, each preceded by a
// line break, or "".
func (e *Excerpts) Choose(sizes, most []int, room int) []string {
	var all []rankedSpan
	for i, size := range sizes {
		all = append(all, e.rank(i, size)...)
	}
	sorting.Func(all, func(a, b rankedSpan) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), b.result-a.result, a.from-b.from)
	})
	for _, lines := range e.lines {
		for n := range lines {
			lines[n].chosen = false
		}
	}
	c := excerptChoice{lines: make([][]int, len(sizes)), used: make([]int, len(sizes)), room: room}
	for _, r := range all {
		for span := r.lineRun; span.to > span.from && c.room > minExcerpt && !c.takeSpan(e, span); span.to-- {
		}
	}
	e.fill(&c, most)
	out := make([]string, len(sizes))
	for i, lines := range c.lines {
		sorting.Ordered(lines)
		for _, line := range lines {
			l := &e.lines[i][line]
			out[i] += "\n" + strings.TrimLeft(e.texts[i][l.from:l.to], " \t")
		}
	}
	return out
}

// excerptChoice holds, for each result, the chosen lines and their size in bytes, and how many bytes are left for all
// results.
type excerptChoice struct {
	lines [][]int
	used  []int
	room  int
	said  critbit.Map[struct{}] // the lines that are chosen
}

// takeSpan adds the lines of a span, with the heading above it and the definition that encloses it. It returns false
// if there isn't room for all of them. A span is skipped if all of its lines have already been chosen, in any result.
func (c *excerptChoice) takeSpan(e *Excerpts, span lineRun) bool {
	lines, all, cost, news := e.lines[span.result], e.owners(span), 0, false
	if len(c.lines[span.result]) == 0 {
		cost = len(ExcerptMarker)
	}
	for n := span.from; n < span.to; n++ {
		all = append(all, n)
		news = news || !c.said.Has(strings.TrimSpace(e.text(span.result, n)))
	}
	for _, n := range all {
		if !lines[n].chosen {
			cost += lines[n].to - lines[n].from + 1
		}
	}
	if !news || cost > c.room {
		return !news
	}
	c.room -= cost
	for _, n := range all {
		if l := &lines[n]; !l.chosen {
			c.used[span.result] += l.to - l.from + 1
			c.lines[span.result] = append(c.lines[span.result], n)
			c.said.Add(strings.TrimSpace(e.text(span.result, n)))
			l.chosen = true
		}
	}
	return true
}

// rankedSpan is a span of lines, with the value of those of its terms that no higher-ranked span of its result has.
type rankedSpan struct {
	lineRun
	worth int64
}

// rank returns spans of a result in at most size bytes, the most informative first. A span goes from the first to the
// last line of a run with terms that later messages repeat; in a file it goes a bit further.
func (e *Excerpts) rank(result, size int) (ranked []rankedSpan) {
	spans := e.telling(result)
	if len(spans) == 0 {
		return e.firstLines(result, size)
	}
	var have critbit.Map[struct{}]
	for {
		best, value, worth := -1, int64(0), int64(0)
		for i, span := range spans {
			cost := e.sizeOf(span)
			if cost > size {
				continue
			}
			is := e.worth(span, &have)
			if v := is * maxExcerpt / int64(maxExcerpt/2+cost); is >= leastWorth && v > value {
				best, value, worth = i, v, is
			}
		}
		if best < 0 {
			return ranked
		}
		span := spans[best]
		spans = slices.Delete(spans, best, best+1)
		ranked = append(ranked, rankedSpan{span, worth})
		size -= e.sizeOf(span)
		for n := span.from; n < span.to; n++ {
			for _, word := range e.lines[result][n].terms {
				have.Add(word)
			}
		}
	}
}

// telling returns the informative spans of a result. Each goes from the first to the last of a few neighboring lines
// with terms that later messages repeat.
func (e *Excerpts) telling(result int) (spans []lineRun) {
	lines := e.lines[result]
	var seen critbit.Map[struct{}] // terms of earlier lines of the paragraph
	title, paragraph := -1, 0
	for n := range lines {
		if n > 0 && (lines[n].known || e.isTitle(result, n) || e.parts(result, n)) {
			paragraph, seen = n, critbit.Map[struct{}]{}
		}
		tells := false
		for _, word := range lines[n].terms {
			tells = tells || !seen.Has(word)
			seen.Add(word)
		}
		if last := len(spans) - 1; tells && last >= 0 && spans[last].from >= paragraph && n-spans[last].to < mostBetween && lines[n].to-lines[spans[last].from].from < mostSpan {
			spans[last].to = n + 1
		} else if tells {
			spans = append(spans, lineRun{result: result, from: n, to: n + 1, title: title})
		}
		if e.isTitle(result, n) {
			title = n
		}
	}
	for i := range spans {
		end := min(len(lines), spans[i].to+linesAfter)
		if i+1 < len(spans) {
			end = min(end, spans[i+1].from)
		}
		for spans[i].to < end && e.continues(result, spans[i].to) {
			spans[i].to++
		}
		spans[i] = e.trimmed(spans[i])
	}
	return spans
}

// parts reports whether an empty line precedes a line. Lines of brackets are not empty.
func (e *Excerpts) parts(result, line int) bool {
	gap := e.texts[result][e.lines[result][line-1].to:e.lines[result][line].from]
	return strings.Count(gap, "\n") > 1 && !strings.ContainsAny(gap, "{}()[]")
}

// continues reports whether a line after an informative one belongs to it, as the next line of a file does, or a
// definition after its comment.
func (e *Excerpts) continues(result, line int) bool {
	text := strings.TrimSpace(e.text(result, line))
	if e.lines[result][line].known || e.parts(result, line) {
		return false
	}
	return definedBy(text) != "" || e.lines[result][line].number && strings.ContainsFunc(text, unicode.IsLetter) && !e.opens(result, line)
}

// worth returns the value of the terms in a span that have doesn't contain.
func (e *Excerpts) worth(span lineRun, have *critbit.Map[struct{}]) (sum int64) {
	var seen critbit.Map[struct{}]
	for n := span.from; n < span.to; n++ {
		for _, word := range e.lines[span.result][n].terms {
			if !have.Has(word) && !seen.Has(word) {
				seen.Add(word)
				r, _ := e.terms.Get(word)
				sum += r.worth()
			}
		}
	}
	return sum
}

// sizeOf returns the size in bytes of an excerpt that consists of a span and its owners.
func (e *Excerpts) sizeOf(span lineRun) (size int) {
	lines := e.lines[span.result]
	for n := span.from; n < span.to; n++ {
		size += lines[n].to - lines[n].from + 1
	}
	for _, n := range e.owners(span) {
		size += lines[n].to - lines[n].from + 1
	}
	return size
}

// owners returns the lines above a span that are needed to understand it: the heading, and the line that encloses it
// by indentation, unless that line is a statement.
func (e *Excerpts) owners(span lineRun) (lines []int) {
	if span.title >= 0 && span.title < span.from {
		lines = append(lines, span.title)
	}
	head := e.lines[span.result][span.from].head
	if head < 0 || head >= span.from || head == span.title {
		return lines
	}
	if text := strings.TrimSpace(e.text(span.result, head)); definedBy(text) != "" || !codes(text) {
		lines = append(lines, head)
	}
	return lines
}

// firstLines returns a span with the first lines of a result, in at most size bytes. It ends before a numbered line,
// and before one that only repeats the call.
func (e *Excerpts) firstLines(result, size int) []rankedSpan {
	lines := e.lines[result]
	span := lineRun{result: result, title: -1}
	for span.to < min(len(lines), firstLines) && !lines[span.to].number && !lines[span.to].known && !lines[span.to].own {
		if size -= lines[span.to].to - lines[span.to].from + 1; size < 0 {
			break
		}
		span.to++
	}
	if span.to == 0 {
		return nil
	}
	return []rankedSpan{{span, 0}}
}

// firstLines is the number of leading lines that represent a result without informative lines. linesAfter is the
// number of lines that are kept after an informative line of a file. Two informative lines with mostBetween or more
// lines between them are in separate spans. mostSpan is the maximum size of a span, in bytes.
const (
	firstLines  = 3
	linesAfter  = 2
	mostBetween = 4
	mostSpan    = 400
)

// termWorth is twice the value of a term that occurs in one line and is repeated once. leastWorth is the minimum
// total value of those terms of a span that no chosen span has. Terms that occur in many lines are not informative.
const (
	termWorth  = 1 << 20
	leastWorth = termWorth / 32
)
