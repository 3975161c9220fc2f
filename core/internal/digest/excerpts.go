package digest

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/sorting"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// ExcerptMarker is the first line of a cleared tool result of which some lines were kept. TruncatedMarker is the first
// line of a truncated text.
const (
	ExcerptMarker   = "[Old tool result content cleared, except these lines]"
	TruncatedMarker = "[Truncated]"
)

// withoutExcerptMarker returns a tool result without the marker on its first line and without the line numbers of the
// excerpt.
func withoutExcerptMarker(text string) string {
	const upToHandle = len(ExcerptMarker) - 1
	if len(text) < len(ExcerptMarker) || text[:upToHandle] != ExcerptMarker[:upToHandle] {
		return text
	}
	_, lines, _ := strings.Cut(text, "\n")
	if !strings.Contains(lines, "→") {
		return lines
	}
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if at := numbered(line); at > 0 && strings.HasSuffix(line[:at], "→") { // only the first of several consecutive lines is numbered
			line = line[at:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// withoutTruncatedMarker returns text without its first line if that line says that a compaction truncated the text.
func withoutTruncatedMarker(text string) string {
	const upToHandle = len(TruncatedMarker) - 1
	if strings.HasPrefix(text, TruncatedMarker+"\n") || strings.HasPrefix(text, TruncatedMarker[:upToHandle]+". Handle: ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// maxExcerpt is the maximum length, in bytes, of a line in an excerpt; longer lines are split. minExcerpt is the
// minimum length, in bytes, of a line that counts as known.
const (
	maxExcerpt = 200
	minExcerpt = 3
)

// maxExcerptLines is the maximum number of lines, from the beginning of a tool result, considered for an excerpt.
const maxExcerptLines = 4000

// Excerpts chooses blocks of tool results on which the rest of the conversation relies: those with names, paths,
// numbers and errors that later messages and calls repeat. It prefers rare terms. A block is quoted as a whole.
type Excerpts struct {
	texts  []string              // the results
	lines  [][]excerptLine       // by result, in text order
	blocks [][]excerptBlock      // by result, in text order
	terms  critbit.Map[repeated] // the terms that later messages repeat
}

// repeated holds the number of lines that contain a term, and the number of times that later messages repeat it.
type repeated struct{ lines, said int32 }

// worth returns the value of a term. The value is higher if fewer lines contain the term, or if it is repeated more
// often.
func (r repeated) worth() int64 {
	return termWorth * int64(bits.Len32(uint32(r.said))) / int64(r.lines+1)
}

// excerptLine is a line of a result, or a piece of a long line.
type excerptLine struct {
	from, to int      // its range in the result, in bytes
	text     int      // the offset after the line's number and indentation
	indent   int      // the width of the indentation, with a tab counting as two
	gap      bool     // whether an empty line precedes this line
	known    bool     // whether an argument of a later call contains the line, where the reader can find it
	own      bool     // whether the line contains a term from the result's own call
	fails    bool     // whether the line says what failed, in the result of a failed call
	chosen   bool     // whether the line is part of the excerpt
	terms    []string // the terms that later messages repeat, except those in the result's own call
}

// NewExcerpts prepares excerpts of the tool results at the given part indexes. messages contains all messages in order,
// and texts the texts of the results, from which NewExcerpts removes what tools and harnesses added. A result gets no
// excerpt if it shows a file that a later message edits, or only says that an edit succeeded.
func NewExcerpts(t *transcript.Transcript, messages, results []int32, texts []string) *Excerpts {
	for i, text := range texts {
		texts[i] = withoutReminders(withoutEnvelope(text))
	}
	e := &Excerpts{texts: texts, lines: make([][]excerptLine, len(results)), blocks: make([][]excerptBlock, len(results))}
	var later laterWords
	left := len(results)
	for _, m := range slices.Backward(messages) {
		msg := &t.Messages[m]
		for n := msg.First + msg.Count - 1; n >= msg.First && left > 0; n-- {
			p := &t.Parts[n]
			switch {
			case n == results[left-1]:
				left--
				if p.Pair >= 0 && later.saysNothing(t, n) {
					continue
				}
				var own critbit.Map[struct{}]
				if p.Pair >= 0 {
					arguments(t, &t.Parts[p.Pair], func(_, text string) {
						eachTerm(text, func(_ termKind, word string) { own.Add(word) })
					})
				}
				e.lines[left] = e.read(texts[left], &later, &own)
				if failedResult(t, n) {
					e.markFailures(left)
				}
				e.blocks[left] = blocksOf(texts[left], e.lines[left])
			case p.Kind == transcript.ToolCall:
				later.called(t, p)
			case p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed) && t.IsString(p.Body):
				later.hear(t.Text(p.Body))
			}
		}
	}
	return e
}

// laterWords holds the terms and lines that occur in the messages after the current result.
type laterWords struct {
	terms  critbit.Map[int32]    // the number of occurrences of each term
	lines  critbit.Map[struct{}] // the lines of the calls' arguments, trimmed of white space
	edited critbit.Map[struct{}] // the files that the messages edit
}

// saysNothing reports whether the result of a call is useless, because a later message edits the file that it shows or
// because it only says that an edit succeeded.
func (l *laterWords) saysNothing(t *transcript.Transcript, result int32) bool {
	call := &t.Parts[t.Parts[result].Pair]
	switch useOfCall(t, call) {
	case reads:
		return l.edited.Has(Path(t, call))
	case edits:
		return !failedResult(t, result)
	}
	return false
}

// called adds the terms and the lines in the arguments of a call, and the files that it edits unless it failed.
func (l *laterWords) called(t *transcript.Transcript, call *transcript.Part) {
	arguments(t, call, func(_, text string) {
		l.hear(text)
		l.hearLines(text)
	})
	if useOfCall(t, call) == edits && !(call.Pair >= 0 && failedResult(t, call.Pair)) {
		for _, c := range changesOf(t, call) {
			l.edited.Add(c.path)
		}
	}
}

// hear adds the terms in a text. A path also counts as each of its endings.
func (l *laterWords) hear(text string) {
	eachTerm(text, func(kind termKind, word string) {
		*l.terms.At(word)++
		for i := strings.IndexByte(word, '/'); i >= 0 && kind == pathTerm; i = strings.IndexByte(word, '/') {
			word = word[i+1:]
			*l.terms.At(word)++
		}
	})
}

// hearLines adds the lines of text if it has more than one.
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

// read splits text into lines, and collects for each line the terms that later messages repeat. own holds the terms in
// the result's own call.
func (e *Excerpts) read(text string, later *laterWords, own *critbit.Map[struct{}]) (lines []excerptLine) {
	at, gap := 0, false
	for line := range strings.Lines(text) {
		from, end := at, at+len(strings.TrimRight(line, " \t\r\n"))
		at += len(line)
		number := from + min(numbered(line), end-from) // the number of an empty line may end with white space
		code := end - len(strings.TrimLeft(text[number:end], " \t"))
		if gap = gap || code == end; code == end {
			continue
		}
		first := excerptLine{gap: gap, indent: widthOf(text[number:code]), known: later.lines.Has(text[code:end])}
		gap = false
		for start := code; start < end && len(lines) < maxExcerptLines; {
			l := first
			l.from, l.text, l.to = from, start, pieceEnd(text, start, end)
			if !l.known && !isAddress(text[start:l.to]) {
				e.addTerms(&l, text[from:l.to], later, own)
			}
			lines = append(lines, l)
			start = l.to + len(text[l.to:end]) - len(strings.TrimLeft(text[l.to:end], " "))
			from, first.gap = start, false
		}
	}
	return lines
}

// widthOf returns the width of a line's leading white space in columns, with a tab counting as two.
func widthOf(space string) int { return len(space) + strings.Count(space, "\t") }

// addTerms records the terms in text, which belongs to line l, if later messages repeat them. A
// term in own, the terms in the result's own call, isn't recorded, but marks the line. The line
// number counts as a term, because a later message that cites it must refer to this line.
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

// numbered returns the length of the line number that a tool put before a line ("  12→", "12\t", "12: ", "12|"), or
// 0.
func numbered(line string) int {
	rest := strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789")
	if len(rest) == len(strings.TrimLeft(line, " ")) {
		return 0
	}
	for _, mark := range []string{"→", "\t", ": ", "|"} {
		if after, found := strings.CutPrefix(rest, mark); found {
			if mark == "|" && strings.HasPrefix(line, "0") { // "00007| text"
				after = strings.TrimPrefix(after, " ")
			}
			return len(line) - len(after)
		}
	}
	return 0
}

// pieceEnd returns the offset at which the piece that begins at offset from ends, in a line that
// ends at offset end. It splits long lines between the members of an object, at the end of a
// sentence, at punctuation or between words, in this order of preference.
func pieceEnd(text string, from, end int) int {
	if end-from <= maxExcerpt {
		return end
	}
	middle, most := from+maxExcerpt/2, from+maxExcerpt
	for !utf8.RuneStart(text[most]) {
		most--
	}
	window := text[middle:most]
	for _, mark := range []string{`,"`, `, "`, `\n`, ". ", "。", "; "} {
		if at := strings.LastIndex(window, mark); at >= 0 {
			return middle + at + len(strings.TrimRight(mark, ` "`))
		}
	}
	if at := strings.LastIndexAny(window, ",;{} "); at >= 0 {
		return middle + at + 1
	}
	if at := strings.IndexAny(text[most:min(end, most+maxExcerpt)], ",;{} \\"); at >= 0 { // a long address
		return most + at + 1
	}
	return most
}

// Choose chooses blocks of all results, in at most room bytes in total and at most sizes[i] bytes for result i. Blocks
// with the rarest terms come first. A result's best block comes before the second block of another result with about
// the same value. Results without any term that later messages repeat then get their first lines, unless these lines
// are numbered as in a file. The remaining room is filled with other informative blocks, up to most[i] bytes for result
// i; see fill. Choose returns the chosen lines of each result in order, each preceded by a line break, or "".
func (e *Excerpts) Choose(sizes, most []int, room int) []string {
	var all []rankedBlock
	for i, size := range sizes {
		all = append(all, e.rank(i, size)...)
	}
	sorting.Func(all, func(a, b rankedBlock) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), b.result-a.result, a.from-b.from)
	})
	for _, lines := range e.lines {
		for n := range lines {
			lines[n].chosen = false
		}
	}
	c := excerptChoice{lines: make([][]int, len(sizes)), used: make([]int, len(sizes)), room: room}
	for _, r := range all {
		c.take(e, r.excerptBlock, r.result)
	}
	e.fill(&c, most)
	out := make([]string, len(sizes))
	for i, lines := range c.lines {
		sorting.Ordered(lines)
		out[i] = e.written(i, lines)
	}
	return out
}

// written returns the chosen lines of a result, each preceded by a line break. A chosen line that follows omitted lines
// begins with its line number, if it has one. The lines after it are indented relative to it.
func (e *Excerpts) written(result int, chosen []int) string {
	var b strings.Builder
	text, margin := e.texts[result], 0
	for i, n := range chosen {
		l := &e.lines[result][n]
		if i > 0 && chosen[i-1] == n-1 && l.indent >= margin {
			b.WriteByte('\n')
			b.WriteString(strings.Repeat(" ", min(l.indent-margin, deepQuote)))
			b.WriteString(text[l.text:l.to])
			continue
		}
		number := strings.TrimSpace(text[l.from:l.text])
		if i > 0 && number == "" && chosen[i-1] != n-1 && !isHit(text[l.text:l.to]) && (l.indent > 0 || codes(text[l.text:l.to])) {
			b.WriteString("\n" + leftOutMark)
		}
		b.WriteByte('\n')
		if number != "" { // always in the form that withoutExcerptMarker recognizes, whatever the tool wrote after it
			b.WriteString(strings.TrimRight(number, "→:|"))
			b.WriteString("→")
		}
		b.WriteString(text[l.text:l.to])
		margin = l.indent
	}
	return b.String()
}

// excerptChoice holds the chosen lines of each result, their sizes in bytes, and the number of bytes that remain for
// all results.
type excerptChoice struct {
	lines [][]int // by result: indexes of lines
	used  []int
	room  int
	said  critbit.Map[struct{}] // the texts of the chosen lines
}

// take adds the lines of a block and of its heads if there is room for all of them. It skips a block if all of its
// lines have already been chosen in this or another result.
func (c *excerptChoice) take(e *Excerpts, block excerptBlock, result int) {
	lines, all, cost, news := e.lines[result], slices.Clone(block.heads), 0, false
	if len(c.lines[result]) == 0 {
		cost = len(ExcerptMarker)
	}
	for n := block.from; n < block.to; n++ {
		all = append(all, n)
		news = news || !c.said.Has(e.text(result, n))
	}
	for _, n := range all {
		if !lines[n].chosen {
			cost += lines[n].size()
		}
	}
	if !news || cost > c.room {
		return
	}
	c.room -= cost
	for _, n := range all {
		if l := &lines[n]; !l.chosen {
			c.used[result] += l.size()
			c.lines[result] = append(c.lines[result], n)
			c.said.Add(e.text(result, n))
			l.chosen = true
		}
	}
}

// size returns the number of bytes that a line takes up in an excerpt, including the line break.
func (l *excerptLine) size() int { return l.to - l.text + l.indent/2 + 1 }

// text returns a line without its number and its indentation. Both parameters are indexes.
func (e *Excerpts) text(result, line int) string {
	l := &e.lines[result][line]
	return e.texts[result][l.text:l.to]
}

// rankedBlock is a block and its worth, which is the total value of those of its terms that are in no better block of
// the same result. The worth is divided by two for the second block of a result, by three for the third, and so on.
type rankedBlock struct {
	excerptBlock
	result int // the index of the result
	worth  int64
}

// rank returns blocks of a result, in at most size bytes altogether, with the most informative ones first. result is
// its index.
func (e *Excerpts) rank(result, size int) (ranked []rankedBlock) {
	var held critbit.Map[struct{}]
	var queue blockQueue
	telling := false
	for i, block := range e.blocks[result] {
		worth := e.worth(result, block, &held)
		telling = telling || worth > 0 || e.isFact(result, block) || e.saysFailure(result, block)
		queue.add(e.candidate(result, i, &held))
	}
	if !telling {
		return e.firstLines(result, size)
	}
	for len(queue) > 0 {
		// Choosing a block can only lower the values of the others. So the first block is the best if its value hasn't
		// changed.
		was := queue.next()
		is := e.candidate(result, was.block, &held)
		if is.cost > size || is.worth < leastWorth {
			continue
		}
		if is.value < was.value {
			queue.add(is)
			continue
		}
		block := e.blocks[result][is.block]
		ranked = append(ranked, rankedBlock{block, result, is.worth / int64(len(ranked)+1)})
		size -= is.cost
		for n := block.from; n < block.to; n++ {
			for _, word := range e.lines[result][n].terms {
				held.Add(word)
			}
		}
	}
	return ranked
}

// candidate returns block i of a result with its cost and its value. Its value doesn't include the terms in held.
func (e *Excerpts) candidate(result, i int, held *critbit.Map[struct{}]) candidateBlock {
	block := e.blocks[result][i]
	c := candidateBlock{block: i, cost: e.sizeOf(result, block), worth: e.worth(result, block, held)}
	if c.worth < leastWorth && e.isFact(result, block) {
		c.worth = leastWorth
	}
	if c.worth < failureWorth && e.saysFailure(result, block) {
		c.worth = failureWorth
	}
	c.value = c.worth * maxExcerpt / int64(maxExcerpt+c.cost)
	return c
}

// isFact reports whether a block begins with a member of a small object, such as a field of an issue. Such a block is
// worth at least leastWorth. result is the index of the block's result.
func (e *Excerpts) isFact(result int, block excerptBlock) bool {
	text := e.texts[result]
	return len(text) <= factsSize && len(text) > 0 && text[0] == '{' && isMember(e.text(result, block.from)) && !isAddress(e.text(result, block.from))
}

// factsSize is the maximum size, in bytes, of an object whose members count as facts.
const factsSize = 4000

// worth returns the total value of the terms in a block, except those in held. A term that occurs several times counts
// once.
func (e *Excerpts) worth(result int, block excerptBlock, held *critbit.Map[struct{}]) (sum int64) {
	var seen critbit.Map[struct{}]
	for n := block.from; n < block.to; n++ {
		for _, word := range e.lines[result][n].terms {
			if !held.Has(word) && !seen.Has(word) {
				seen.Add(word)
				r, _ := e.terms.Get(word)
				sum += r.worth()
			}
		}
	}
	return sum
}

// sizeOf returns the number of bytes that a block and its heads take up in an excerpt. result is the index of the
// block's result.
func (e *Excerpts) sizeOf(result int, block excerptBlock) (size int) {
	for n := block.from; n < block.to; n++ {
		size += e.lines[result][n].size()
	}
	for _, n := range block.heads {
		size += e.lines[result][n].size()
	}
	return size
}

// firstLines returns a block with the first lines of a result, in at most size bytes, or nil. The
// block ends before a line that is numbered, that a later call repeats, or that contains a term
// from the result's own call. It doesn't end with a line that opens a block.
func (e *Excerpts) firstLines(result, size int) []rankedBlock {
	lines, to := e.lines[result], 0
	for to < min(len(lines), firstLines) && numbered(e.texts[result][lines[to].from:lines[to].to]) == 0 && !lines[to].known && !lines[to].own {
		if size -= lines[to].size(); size < 0 {
			break
		}
		to++
	}
	for to > 0 && opens(e.text(result, to-1)) {
		to--
	}
	if to == 0 {
		return nil
	}
	return []rankedBlock{{excerptBlock{to: to}, result, 0}}
}

// firstLines is the maximum number of lines that are quoted from a result without informative lines.
const firstLines = 3

// termWorth is twice the value of a term that occurs in one line and is repeated once. leastWorth is the minimum total
// value of a block's terms. It excludes terms that occur in many lines, because they are not informative. failureWorth
// is the minimum value of a block that says what failed: that of a term in three lines that is repeated once.
const (
	termWorth    = 1 << 20
	leastWorth   = termWorth / 32
	failureWorth = termWorth / 4
)
