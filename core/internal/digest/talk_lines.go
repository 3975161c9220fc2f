package digest

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// This file turns chosen sentences into the statements of a chat digest.

// continuesLine reports whether a line needs no label after a line by the same speaker, because it can only be read as
// speech.
func continuesLine(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	return inWord(first) && labelEnd(line) == 0
}

// announces reports whether the first chosen statement only announces something that wasn't chosen. Such a statement is
// a heading that ends with a colon, or the first row of a table, and isn't followed by the next line.
func (k *talk) announces(chosen []extract.Chosen) bool {
	c := chosen[0]
	text := k.items[c.Item].Text
	said, rest := c.Text(text), strings.TrimLeft(text[c.To:], " *\r\n|")
	if !strings.HasSuffix(strings.TrimRight(said, "* "), ":") && !(said != "" && said[0] == '|' && strings.HasPrefix(strings.TrimLeft(rest, ":"), "--")) {
		return false
	}
	return len(chosen) == 1 || chosen[1].Item != c.Item || chosen[1].Sentence != c.Sentence+1
}

// longestListHeading is the maximum length, in bytes, of a heading that is repeated with an item of its list.
// longestList is the maximum number of lines between the two.
const (
	longestListHeading = 48
	longestList        = 24
)

// listHeading returns the heading of the list whose item begins at a byte offset of text: "To buy later:". It returns
// "" if no item begins there, or if the list has no short heading. Without its heading, an item may seem to belong to
// the items before it.
func listHeading(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	if item, _ := listItem(strings.TrimSpace(text[from:])); !item || at-from > len("  10. **") {
		return ""
	}
	for range longestList {
		end := max(from-1, 0)
		from = strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.Trim(text[from:end], " #*\r")
		if item, _ := listItem(strings.TrimSpace(text[from:end])); item || line == "" && end > 0 {
			continue
		}
		switch {
		case len(line) > longestListHeading:
		case strings.HasSuffix(line, ":"):
			return line
		case isHeading(strings.TrimSpace(text[from:end])):
			return line + ":"
		}
		return ""
	}
	return ""
}

// isHeading reports whether a line is a heading in Markdown: it begins with "#", or all of it is bold.
func isHeading(line string) bool {
	bold, found := strings.CutPrefix(line, "**")
	return found && len(bold) > 2 && strings.Index(bold, "**") == len(bold)-2 || strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " ")
}

// longestPictureHeading is the maximum length, in bytes, of a heading that begins with a picture character.
const longestPictureHeading = 80

// isPictureHeading reports whether a line is a heading as assistants write them without Markdown: a few words after a
// picture character, such as "✅ Step 2: Wire the dial". A line with a value after a colon is none.
func isPictureHeading(line string) bool {
	r, size := utf8.DecodeRuneInString(line)
	if len(line) > longestPictureHeading || !(r >= 0x2600 && r < 0x27C0 || r >= 0x1F300 && r < 0x1FB00) {
		return false
	}
	said := strings.TrimLeft(line[size:], "\ufe0f ")
	label, _, found := strings.Cut(said, ": ")
	kind, _, _ := strings.Cut(label, " ")
	return said != "" && !endsSentence(said) && (!found || stepLabels.hasInAnyCase(kind))
}

// stepLabels lists words with which such a heading begins before a colon.
var stepLabels = wordListOf("step fix bonus tip option optional example part phase summary solution problem schritt étape paso passo")

// listed returns a statement without its number in a list, unless the statement before it on the line has the previous
// number. In "2. Mint. 4. Sage." the missing numbers would look like a mistake. It also returns the number, -1 if it
// was removed, or previous if there is none.
func listed(text string, previous int) (string, int) {
	digits := 0
	for digits < min(len(text), 3) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	item, rest := listItem(text)
	if digits == 0 || !item || len(rest) < minStatement {
		return text, previous
	}
	number, _ := strconv.Atoi(text[:digits])
	if number == previous+1 {
		return text, number
	}
	return rest, -1
}

// rowOf returns the cells of a table row as a phrase: "| oak | 140 € |" becomes "oak: 140 €". An empty cell before
// other cells becomes a dash, so that each cell keeps its column.
func rowOf(text string) string {
	row := strings.TrimSpace(text)
	if len(row) < 3 || row[0] != '|' {
		return text
	}
	var b strings.Builder
	cells := 0
	write := func(cell string) {
		switch cells++; cells {
		case 1:
		case 2:
			b.WriteString(labelMark)
		default:
			b.WriteString(", ")
		}
		b.WriteString(cell)
	}
	empty := 0 // the number of empty cells since the last cell with text
	for rest := row[1:]; rest != ""; {
		end := cellEnd(rest)
		cell := strings.ReplaceAll(strings.TrimSpace(rest[:end]), `\|`, "|")
		if rest = rest[min(end+1, len(rest)):]; cell == "" {
			empty++
			continue
		}
		for ; empty > 0; empty-- {
			write("–")
		}
		write(cell)
	}
	return b.String()
}

// cellEnd returns the length of the cell at the beginning of text. A bar after a backslash is part of the cell.
func cellEnd(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '|' && (i == 0 || text[i-1] != '\\') {
			return i
		}
	}
	return len(text)
}

// statementLine returns a statement in the form in which it is written on a line. It ends with punctuation, so that the
// next compaction can separate it from the following statement. was is appended as a note, unless it is empty.
func statementLine(text, was string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "**", ""))
	if was == "" && strings.HasSuffix(text, ":") { // it announces the next statement
		return Fence(text)
	}
	text = strings.TrimRight(text, ",;:–—-( ，；：、،")
	bare := strings.TrimRight(text, "\"'”’»)）」』》")
	end, _ := utf8.DecodeLastRuneInString(bare)
	switch {
	case was != "":
		text = strings.TrimRight(text, ".。।") + was + "."
	case strings.ContainsRune(".!?…。！？؟।॥۔", end):
	case unicode.In(end, unicode.Han, unicode.Hiragana, unicode.Katakana):
		text += "。"
	default:
		text += "."
	}
	return Fence(text)
}
