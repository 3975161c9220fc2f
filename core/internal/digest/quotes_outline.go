package digest

import "strings"

// mostOutlined is the maximum number of lines of a definition that are considered for its outline. mostOutline is the
// maximum size of an outline in bytes.
const (
	mostOutlined = 160
	mostOutline  = 1400
)

// leastOutline is the minimum number of lines of the body in an outline. If the body has at least manyRemarks comments,
// these and the statements after them explain what it does, and simple calls are left out.
const (
	leastOutline = 2
	manyRemarks  = 3
)

// addLongDefinition adds a definition that is too long to be quoted. The passage consists of the definition's first
// lines, if a comment explains them, and of its outline. The comment begins at line i, and the definition at line at.
func (f *passageFinder) addLongDefinition(i, at int, name string, explains bool) {
	p := f.passage(i, name, explains)
	from := f.signature(at)
	if from == at {
		return
	}
	if explains {
		p.text = f.textOf(i, from)
	}
	if end := f.bodyEnd(at, from); end > from {
		p.outline = f.outline(i, from, end)
	}
	if p.longest() != "" {
		f.see(p)
	}
}

// bodyEnd returns the index of the line after the body of a definition, or of the line at which the
// search for an outline ends. The definition begins at line at, and its body at line from. If the
// text ends inside the body, bodyEnd returns from.
func (f *passageFinder) bodyEnd(at, from int) int {
	depth := 0
	for n := at; n < min(len(f.lines), from+mostOutlined); n++ {
		line := &f.lines[n]
		if n >= from && line.text != "" && line.text != leftOut && line.indent <= f.lines[at].indent {
			return n
		}
		if !line.comment {
			depth += bracketsIn(line.text)
		}
	}
	if len(f.lines) < from+mostOutlined && depth != 0 {
		return from
	}
	return min(len(f.lines), from+mostOutlined)
}

// outline returns the outline of a definition. Its comment begins at line i, and its body consists of the lines [from,
// end). The outline contains the comment and the first lines. From the body, it takes informative lines with the least
// indentation, comments with enough words, and the ends of the blocks that these lines open. outline returns "" if the
// body has too few such lines.
func (f *passageFinder) outline(i, from, end int) string {
	f.room = f.room[:0]
	for n := i; n < from; n++ {
		f.write(&f.lines[n], f.lines[i].indent)
	}
	o := outlineWriter{f: f, indent: f.lines[i].indent, opens: true, open: []openBlock{{f.lines[i].indent, true}}}
	indent, remarks := f.bodyOf(from, end)
	last, told := "", 0
	for n := from; n < end; n++ {
		line := &f.lines[n]
		if line.text == "" || o.closed(line) {
			continue
		}
		outlines := line.outlines(indent, remarks >= manyRemarks && !f.lines[n-1].comment) || f.isOutcome(n, indent)
		if !outlines || line.text == last || len(f.room)+len(line.text) > mostOutline {
			o.omit(line)
			continue
		}
		o.write(line)
		last, told = line.text, told+1
	}
	if told < leastOutline {
		return ""
	}
	if end == len(f.lines) || !o.closed(&f.lines[end]) {
		o.mark()
	}
	return string(f.room)
}

// outlineWriter writes lines of a definition's body, with "…" in place of lines that are left out.
type outlineWriter struct {
	f      *passageFinder // finds the lines and writes them
	indent int            // the indentation of the definition
	open   []openBlock    // the blocks around the current line whose first lines were written
	opens  bool           // whether the last line that was written opens a block with a bracket
	gap    int            // the indentation of the first line left out since the last written one, or 0
}

// openBlock is a block whose first line has been written.
type openBlock struct {
	indent  int  // the indentation of its first line
	bracket bool // whether a bracket opens the block and another one must close it
}

// closed ends the blocks that end before or at a line. It returns true if the line does nothing but close blocks. Such
// a line is written if the first line of its block was written.
func (o *outlineWriter) closed(line *fileText) bool {
	ends := line.closes()
	own := false
	for n := len(o.open) - 1; n >= 0 && !line.comment; n-- {
		block := o.open[n]
		if block.indent < line.indent || block.indent == line.indent && block.bracket && !ends {
			break
		}
		own = own || block.indent == line.indent
		o.open = o.open[:n]
	}
	if !ends || !own {
		return ends
	}
	if o.gap > 0 && o.opens {
		o.f.room = append(o.f.room, " "+leftOutMark+" "+line.text...)
	} else {
		o.mark()
		o.f.write(line, o.indent)
	}
	o.gap, o.opens = 0, false
	return true
}

// omit records that a line is left out. The indentation of the first such line is that of the mark.
func (o *outlineWriter) omit(line *fileText) {
	if o.gap == 0 {
		o.gap = max(line.indent, 1)
	}
}

// write writes a line, preceded by a mark if lines before it were left out.
func (o *outlineWriter) write(line *fileText) {
	o.mark()
	o.f.write(line, o.indent)
	if o.opens = false; !line.comment {
		o.opens = bracketsIn(line.text) > 0
		o.open = append(o.open, openBlock{line.indent, o.opens})
	}
}

// mark writes "…" if lines were left out.
func (o *outlineWriter) mark() {
	if o.gap > 0 {
		o.f.write(&fileText{text: leftOutMark, indent: o.gap}, o.indent)
		o.gap = 0
	}
}

// bodyOf returns the indentation of a body, which consists of the lines [from, end), and the number of comments in it.
// indent is -1 if all lines are blank.
func (f *passageFinder) bodyOf(from, end int) (indent, remarks int) {
	indent = -1
	for n := from; n < end; n++ {
		line := &f.lines[n]
		if line.text == "" || line.text == leftOut {
			continue
		}
		if indent < 0 {
			indent = line.indent
		}
		if line.comment && !f.lines[n-1].comment {
			remarks++
		}
	}
	return indent, remarks
}

// isOutcome reports whether line n is the only line in the block of a condition with the given indentation.
func (f *passageFinder) isOutcome(n, indent int) bool {
	head := &f.lines[n-1]
	return f.lines[n].text != leftOut && f.lines[n].indent > indent && head.indent == indent && worthInQuote(head.text) == ofCondition && worthInQuote(f.lines[n].text) > 0 &&
		(n+1 == len(f.lines) || f.lines[n+1].indent <= indent)
}

// outlines reports whether a line belongs to the outline of a definition. indent is the indentation of the definition's
// body. terse means that simple calls are left out.
func (l *fileText) outlines(indent int, terse bool) bool {
	switch {
	case l.text == leftOut:
		return false
	case l.comment && l.indent > indent:
		said := commentOf(l.text)
		return said != "" && !codes(said) && !fewSpaces(said, leastExplained-1)
	case l.indent != indent:
		return false
	}
	worth := worthInQuote(l.text)
	return worth > 0 && !(terse && worth == ofCallLine && strings.ContainsAny(l.text, "(="))
}

// closes reports whether a line only closes what earlier lines opened.
func (l *fileText) closes() bool { return strings.Trim(l.text, "})];,") == "" || endsBlock(l.text) }
