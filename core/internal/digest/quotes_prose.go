package digest

import (
	"slices"
	"strings"
)

// This file finds passages in files of prose: paragraphs, lists and tables. A paragraph that introduces a list, a table
// or an example is quoted together with it, or not at all.

// form is the form of a line in a file of prose. See the constants.
type form uint8

// The forms of lines.
const (
	proseForm form = iota
	heading
	item
	row
	fence
	gapInBlock // code that was left out
)

// Limits: the maximum lengths of a heading and of a list item in bytes, and the maximum number of lines in an
// example.
const (
	longestTitle = 80
	longestItem  = 200
	mostExample  = 8
)

// findForms sets the form of each line in a file of prose. Lines of code keep the form of prose. Some fences may have
// been left out. Therefore, a fence that names a language always opens a block, and a heading below the first level
// ends one. A gap belongs to a block if the next fence names no language.
func (f *passageFinder) findForms() {
	closes := false
	for n := range slices.Backward(f.lines) {
		switch line := &f.lines[n]; {
		case isFence(line.text):
			line.form, closes = fence, !namesLanguage(line.text)
		case line.text == leftOut && closes:
			line.form = gapInBlock
		}
	}
	fenced := false
	for n := range f.lines {
		line := &f.lines[n]
		isItem, _ := listItem(line.text)
		hashes := len(line.text) - len(strings.TrimLeft(line.text, "#"))
		switch {
		case line.form == fence:
			fenced = !fenced || namesLanguage(line.text)
		case line.text == leftOut:
			fenced = line.form == gapInBlock
		case hashes > 0 && (!fenced || hashes > 1) && strings.HasPrefix(line.text[hashes:], " "):
			line.form, line.comment, fenced = heading, false, false
		case fenced:
		case isItem:
			line.form, line.comment = item, false
		case strings.HasPrefix(line.text, "|"):
			line.form = row
		}
	}
}

// isFence reports whether a line opens or closes a Markdown code block.
func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// namesLanguage reports whether a fence names the language of the code that follows.
func namesLanguage(fence string) bool { return strings.Trim(fence, "`~ ") != "" }

// paragraph adds the paragraph of prose that begins at line i if it ends with a complete sentence
// and contains no code or gap. If the paragraph ends with a colon, what follows is added as well.
// paragraph returns the index of the line after what it read.
func (f *passageFinder) paragraph(i int) int {
	end, whole := i, true
	for ; end < len(f.lines) && f.lines[end].text != "" && f.lines[end].form == proseForm; end++ {
		whole = whole && f.lines[end].text != leftOut && !codesBare(f.lines[end].text)
	}
	switch last := f.lines[end-1].text; {
	case !whole:
	case strings.HasSuffix(last, ":"), strings.HasSuffix(last, "："):
		return f.introduced(i, end)
	case endsSentence(last):
		f.add(i, end, "", true)
	}
	return end
}

// boldBefore returns the index of the line in bold type that introduces the list or table at line i ("**Changes to the
// ramp:**"), or i if there is none.
func (f *passageFinder) boldBefore(i int) int {
	for n := i - 1; n >= 0; n-- {
		if line := &f.lines[n]; strings.HasPrefix(line.text, "**") && line.form == proseForm {
			return n
		} else if line.text != "" {
			break
		}
	}
	return i
}

// introduced adds the paragraph in the lines [i, end), together with the list, table or example
// that follows it. It returns the index of the line after what it added.
func (f *passageFinder) introduced(i, end int) int {
	at := end
	for at < len(f.lines) && f.lines[at].text == "" {
		at++
	}
	if at == len(f.lines) {
		return end
	}
	switch f.lines[at].form {
	case item, row:
		return f.list(i, at)
	case fence:
		return f.example(i, end, at)
	}
	return end
}

// example adds the paragraph in the lines [i, end), together with the code block whose opening
// fence is line at. It returns the index of the line after the closing fence.
func (f *passageFinder) example(i, end, at int) int {
	f.begin(i, end)
	n := at + 1
	for ; n < len(f.lines) && f.lines[n].form != fence && f.lines[n].form != heading; n++ {
		line := f.lines[n]
		if line.indent += 2; n-at > mostExample || line.text == "" || line.text == leftOut {
			continue
		}
		f.write(&line, 0)
	}
	if n-at > mostExample+1 {
		f.room = append(f.room, "\n  "+leftOutMark...)
	}
	f.seeRoom(i)
	if n < len(f.lines) && f.lines[n].form == fence {
		n++
	}
	return n
}

// list adds the list or table that begins at line at, together with the lines before it, which
// begin at line i. It returns the index of the line after the list. Long items and long lists are
// shortened.
func (f *passageFinder) list(i, at int) int {
	f.begin(i, at)
	end, items, links := at, 0, 0
	for end < len(f.lines) && f.goesOn(at, end) {
		first := f.lines[end]
		to := f.itemEnd(end)
		for n := end + 1; n < to && len(first.text) <= longestItem; n++ {
			if next := f.lines[n].text; next != "" && next != leftOut {
				first.text += " " + next
			}
		}
		end = to
		_, said := listItem(first.text)
		switch {
		case strings.Trim(said, "|-: ") == "", said == leftOut:
			continue
		case strings.HasPrefix(said, "["):
			links++
		}
		if items++; len(f.room)+longestItem <= mostPassage {
			first.text = clipWords(first.text, longestItem)
			f.write(&first, f.lines[at].indent)
		} else if !strings.HasSuffix(string(f.room[max(0, len(f.room)-len(leftOutMark)-1):]), "\n"+leftOutMark) {
			f.room = append(f.room, "\n"+leftOutMark...)
		}
	}
	if items > 1 && links < items {
		f.seeRoom(i)
	}
	return max(end, at+1)
}

// goesOn reports whether the list or table that begins at line at continues at line n.
func (f *passageFinder) goesOn(at, n int) bool {
	return f.lines[n].form == f.lines[at].form && f.lines[n].indent >= f.lines[at].indent
}

// itemEnd returns the index of the line after a list item or a table row, which begins at line n.
// This is the next line that begins an item, a row, a heading or a paragraph.
func (f *passageFinder) itemEnd(n int) int {
	first, blank := &f.lines[n], false
	for n++; n < len(f.lines); n++ {
		line := &f.lines[n]
		if line.text == "" {
			blank = true
			continue
		}
		if line.form == item || line.form == row || line.form == heading || first.form == row || blank && line.indent <= first.indent {
			break
		}
	}
	return n
}

// begin starts the text of a passage with the lines [i, end).
func (f *passageFinder) begin(i, end int) {
	f.room = f.room[:0]
	for n := i; n < end; n++ {
		if f.lines[n].text != "" {
			f.write(&f.lines[n], f.lines[i].indent)
		}
	}
}

// seeRoom adds the text in f.room as a passage that begins at line i, unless it is too long.
func (f *passageFinder) seeRoom(i int) {
	if len(f.room) <= mostPassage {
		p := f.passage(i, "", true)
		p.text = string(f.room)
		f.see(p)
	}
}
