package digest

import (
	"slices"
	"strings"
)

// A block is a passage that a person would copy as a whole: a short definition with its comment, a statement with the
// lines indented below it, a paragraph, a list item, or a search hit.

// excerptBlock is a block in a result: the lines from from up to, but not including, to.
type excerptBlock struct {
	from, to int // indexes of lines
	// The lines above the block that the reader needs to understand it: its heading, the line that introduces its list,
	// and the definition around it.
	heads []int
}

// The sizes of blocks in bytes. A definition is split if it is larger than largeDefinition, including its comment. Any
// other block is split if it is larger than mostBlock. A paragraph is split after each statement, but not between lines
// that continue each other before the block has leastBlock bytes. At nesting levels from deepestBlock on, everything is
// split like a paragraph.
const (
	mostBlock       = 600
	largeDefinition = 900
	leastBlock      = 100
	deepestBlock    = 30
)

// mostBlockHeads is the number of a block's heads beyond which the lines inside it don't inherit
// them.
const mostBlockHeads = 6

// blockSplitter divides the lines of a text into blocks.
type blockSplitter struct {
	source string         // the text
	lines  []excerptLine  // its lines
	ends   []int          // for each line, the first later line that isn't indented more
	title  int            // the line of the current heading, or -1
	blocks []excerptBlock // the blocks so far
}

// blocksOf returns the blocks of a text. No two blocks share a line.
func blocksOf(text string, lines []excerptLine) []excerptBlock {
	s := blockSplitter{source: text, lines: lines, ends: make([]int, len(lines)), title: -1}
	var open []int
	for n := range lines {
		for len(open) > 0 && lines[open[len(open)-1]].indent >= lines[n].indent {
			s.ends[open[len(open)-1]] = n
			open = open[:len(open)-1]
		}
		open = append(open, n)
	}
	for _, n := range open {
		s.ends[n] = len(lines)
	}
	s.split(0, len(lines), nil, 0)
	return s.blocks
}

// text returns line n without its number and its indentation.
func (s *blockSplitter) text(n int) string { return s.source[s.lines[n].text:s.lines[n].to] }

// size returns the number of bytes in the lines [from, to).
func (s *blockSplitter) size(from, to int) int { return s.lines[to-1].to - s.lines[from].from }

// split divides the lines [from, to) into blocks. heads contains the indexes of the lines above
// that are needed to understand these lines, and depth is their nesting level.
func (s *blockSplitter) split(from, to int, heads []int, depth int) {
	paragraph := from // the beginning of the current paragraph
	for n := from; n < to; {
		line := s.lineAfterComments(n, to)
		end := s.endOf(line, to)
		defines := end > line+1 && definedBy(s.text(line)) != ""
		title := s.isTitle(n)
		most := mostBlock
		if defines {
			most = largeDefinition
		}
		large := end > line+1 && s.size(n, end) > most && depth < deepestBlock
		if s.lines[n].gap || defines || title || large {
			s.paragraph(paragraph, n, heads)
			paragraph = n
		}
		switch {
		case title:
			s.title, paragraph, end = n, n+1, n+1
		case large:
			if defines || !opens(s.text(line)) {
				s.add(n, line+1, heads)
			}
			s.split(line+1, end, s.headsBelow(n, line, heads), depth+1)
			paragraph = end
		case defines:
			s.add(n, end, heads)
			paragraph = end
		}
		n = end
	}
	s.paragraph(paragraph, to, heads)
}

// isTitle reports whether line n is a heading of Markdown. In the result of a tool that numbers lines, a line that begins
// with the same sign is more likely a comment.
func (s *blockSplitter) isTitle(n int) bool {
	l := &s.lines[n]
	return strings.HasPrefix(s.text(n), "#") && l.text == l.from && l.indent == 0
}

// lineAfterComments returns the index of the first line, from n on, that is not a comment on, or an
// annotation of, the line below it. The result is less than to.
func (s *blockSplitter) lineAfterComments(n, to int) int {
	for s.isAbout(n) {
		next := n + 1
		if strings.HasPrefix(s.text(n), "/*") {
			next = s.ends[n]
		}
		if next >= to || s.lines[next].gap || s.lines[next].indent != s.lines[n].indent {
			break
		}
		n = next
	}
	return n
}

// isAbout reports whether line n is an annotation or a comment, which may be empty. Lines of a block comment and list
// items can both begin with an asterisk, but only the former have an odd indentation.
func (s *blockSplitter) isAbout(n int) bool {
	text := s.text(n)
	if text[0] == '*' {
		return s.lines[n].indent%2 == 1
	}
	return text[0] == '@' || isCommentLine(text)
}

// endOf returns the index of the line after the list or statement that begins on line n, but at
// most to. A list ends after its last item. A statement ends after the lines below it that are
// indented more, that close a bracket or that continue with another case.
func (s *blockSplitter) endOf(n, to int) int {
	end := min(s.ends[n], to)
	if text := s.text(n); text[len(text)-1] == ':' && end == n+1 {
		for end < to && s.lines[end].indent == s.lines[n].indent && isListItem(s.text(end)) {
			end = min(s.ends[end], to)
		}
		return end
	}
	for end > n+1 && end < to && s.lines[end].indent == s.lines[n].indent && closesOrContinues(s.text(end)) {
		end = min(s.ends[end], to)
	}
	return end
}

// closesOrContinues reports whether a line closes or continues a statement whose inner lines are indented more.
func closesOrContinues(text string) bool {
	return strings.IndexByte(closers, text[0]) >= 0 || isNextCase(text)
}

// closers lists the closing brackets.
const closers = "})]"

// isNextCase reports whether a line begins another case of the statement above it.
func isNextCase(text string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSuffix(text, ":"), closers+" "), " ")
	return continuations.has(first)
}

var continuations = wordListOf("else elif elsif except finally catch rescue ensure end fi done esac")

// headsBelow returns the heads of the lines below a line, whose own heads are given. They consist
// of the given heads, unless the line begins a definition or there are too many of them; the
// comments on the line, which begin at line n, if they are short; and the line itself.
func (s *blockSplitter) headsBelow(n, line int, heads []int) []int {
	if s.size(n, line+1) > mostBlock/2 {
		n = line
	}
	if definedBy(s.text(line)) != "" || len(heads) > mostBlockHeads {
		heads = nil
	}
	heads = slices.Clone(heads)
	for ; n <= line; n++ {
		heads = append(heads, n)
	}
	return heads
}

// paragraph divides the lines [from, to) into blocks of limited size, and adds them. heads are the
// lines that introduce them.
func (s *blockSplitter) paragraph(from, to int, heads []int) {
	for start, n := from, from; n < to; {
		hit := s.hits(n)
		n = s.endOf(s.lineAfterComments(n, to), to)
		if n < to && !hit && !s.hits(n) && (s.size(from, to) <= mostBlock || s.size(start, n) < leastBlock && s.size(start, n+1) <= mostBlock && s.goesOnBelow(n-1)) {
			continue
		}
		s.add(start, n, heads)
		start = n
	}
}

// goesOnBelow reports whether the text of line n may continue on the next line, because it is
// indented, or is long and doesn't end a sentence.
func (s *blockSplitter) goesOnBelow(n int) bool {
	text := s.text(n)
	return s.lines[n].indent > 0 || len(text) >= leastBlock/2 && strings.IndexByte(".!?;", text[len(text)-1]) < 0
}

// hits reports whether line n is a search hit, which forms a block of its own.
func (s *blockSplitter) hits(n int) bool { return isHit(s.source[s.lines[n].from:s.lines[n].to]) }

// saysNothing reports whether line n is a search hit without information: an empty line, an import, or code that only
// prints something or passes on a value or an error.
func (s *blockSplitter) saysNothing(n int) bool {
	_, rest, _ := strings.Cut(s.text(n), ":")
	_, rest, _ = strings.Cut(rest, ":")
	rest = strings.TrimSpace(rest)
	return s.hits(n) && (rest == "" || worthInQuote(rest) == 0)
}

// add adds a block with the lines [from, to), except for lines at its end that only begin
// something. It skips a block that says nothing or begins with a closing bracket, and a block of
// which at least half of the lines are repeated in later calls. heads are the lines that introduce
// the block.
func (s *blockSplitter) add(from, to int, heads []int) {
	if first := s.text(from); strings.IndexByte(closers, first[0]) >= 0 && !isNextCase(first) {
		return
	}
	for to > from && s.isLoose(from, to-1) {
		to--
	}
	words, known := 0, 0
	for n := from; n < to; n++ {
		if strings.ContainsFunc(s.text(n), isLetter) {
			words++
			if s.lines[n].known {
				known++
			}
		}
	}
	if words == 0 || 2*known >= words || s.saysNothing(from) {
		return
	}
	if s.title >= 0 && s.title < from {
		heads = append([]int{s.title}, heads...)
	}
	s.blocks = append(s.blocks, excerptBlock{from, to, heads})
}

// isLoose reports whether last, the last line of a block that begins at line from, only begins something, or closes
// something that began before the block.
func (s *blockSplitter) isLoose(from, last int) bool {
	text := s.text(last)
	if opens(text) && (text[len(text)-1] != ':' || s.lines[last].indent > 0) {
		return definedBy(text) == ""
	}
	return s.lines[last].indent < s.lines[from].indent && !strings.ContainsFunc(text, isLetter)
}

// opens reports whether a line ends with an opening bracket or a colon.
func opens(text string) bool { return strings.IndexByte("{([:", text[len(text)-1]) >= 0 }

// markFailures marks the lines of a failed call's result that say what failed.
func (e *Excerpts) markFailures(result int) {
	for n := range e.lines[result] {
		e.lines[result][n].fails = tellsFailure(e.text(result, n))
	}
}

// tellsFailure reports whether a line of a failed command's output names a failed test, an error, what a test expected,
// or a place in a test.
func tellsFailure(line string) bool {
	first, _, _ := strings.Cut(line, " ")
	return failedTest(line) != "" || isTrouble(line) && !isOthersWarning(line) || startsWithAny(line, assertHeads) ||
		strings.HasPrefix(line, "E  ") || namesFileLine(first) && (strings.Contains(first, "test") || strings.Contains(first, "spec"))
}

// saysFailure reports whether a line of a block says what failed. result is the index of the block's result.
func (e *Excerpts) saysFailure(result int, block excerptBlock) bool {
	return slices.ContainsFunc(e.lines[result][block.from:block.to], func(l excerptLine) bool { return l.fails })
}
