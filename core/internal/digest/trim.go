package digest

import "unicode/utf8"

// TrimRunes returns the first max runes of text, or the whole text if max is 0 or less (S4.28).
func TrimRunes(text string, max int) string {
	if max <= 0 || len(text) <= max {
		return text
	}
	return text[:RuneOffset(text, max)]
}

// TrimWithTail shortens text to max runes plus a marker of 21 runes. Two thirds of the runes are from the beginning and
// one third is from the end, with at least one from each. If max is 0 or less, it returns the whole text (S4.28).
func TrimWithTail(text string, max int) string {
	if max <= 0 || len(text) <= max {
		return text
	}
	n := utf8.RuneCountInString(text)
	if n <= max {
		return text
	}
	head := max * 2 / 3
	tail := max - head
	if head < 1 { // max is 1
		head = 1
	}
	return text[:RuneOffset(text, head)] + trimMarker + text[RuneOffset(text, n-tail):]
}

const trimMarker = "\n... (truncated) ...\n"

// RuneOffset returns the byte offset of the rune with index n, or the length of the text if there is no such rune.
func RuneOffset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
