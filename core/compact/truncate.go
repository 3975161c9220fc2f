package compact

import (
	"strconv"
	"strings"
)

// markerLines is how many lines the marker between head and tail takes, with the empty line before and after it.
const markerLines = 3

// TruncateHeadTail shortens a text to its first and last lines, half of maxLines each (the odd one is the tail's), with a
// marker between them that counts what is left out. A text of at most maxLines lines stays as it is, its line ends too
// (S0.10 to S0.12).
//
// charged counts the marker among the lines, so that the result has maxLines of them and stays as it is when it is
// truncated again; up to 4 lines there is no room for a marker. Without it the result has maxLines+3 lines (S0.15).
func TruncateHeadTail(text string, maxLines int, charged bool) string {
	lines := splitLines(text)
	if len(lines) <= maxLines {
		return text
	}
	keep, marked := maxLines, true
	if charged {
		if marked = maxLines > markerLines+1; marked {
			keep -= markerLines
		}
	}
	head := keep / 2
	tail := keep - head
	first, last := strings.Join(lines[:head], "\n"), strings.Join(lines[len(lines)-tail:], "\n")
	switch {
	case marked:
		return first + "\n\n[... " + strconv.Itoa(len(lines)-keep) + " lines truncated ...]\n\n" + last
	case head > 0 && tail > 0:
		return first + "\n" + last
	}
	return first + last
}

// splitLines splits a text at line feeds. One carriage return right before a line feed belongs to the line end; a line
// feed at the end of the text begins no further line (S0.14).
func splitLines(text string) []string {
	var lines []string
	for len(text) > 0 {
		line, rest, ended := strings.Cut(text, "\n")
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		lines = append(lines, line)
		text = rest
	}
	return lines
}
