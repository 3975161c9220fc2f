package digest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fences lists the names, as plainName returns them, of the tags around data in prompts and digests. Data must not be
// able to open or close these tags.
var fences []string

func init() {
	for _, tag := range []string{RecordTag, PriorTag, requestsTag, standingTag, modifiedTag, readTag, commandsTag, errorsTag, runningTag, unloadedTag, "conversation", "previous-summary", "tool-output"} {
		fences = append(fences, plainName(tag))
	}
}

// fenceRoom is the number of bytes after an opening bracket in which the name of a tag is looked for.
const fenceRoom = 96

// Fence makes text safe to put between our tags. If anything in the text reads like one of our tags, even with
// lookalike letters, hidden characters or entities, Fence replaces its opening bracket with ‹. It also removes
// characters that reverse the text direction or carry invisible text. All other text stays unchanged. Fencing a text
// twice has the same result as fencing it once.
func Fence(text string) string {
	plain := 0
	for plain < len(text) && !mayFence[text[plain]] {
		plain++
	}
	if plain == len(text) {
		return text
	}
	var b strings.Builder
	from := 0
	for i := plain; i < len(text); {
		c := text[i]
		size, drop, opener := 1, false, 0
		switch {
		case c == '<':
			opener = 1
		case c == '&':
			opener = entity(text[i:])
		case c >= 0x80:
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			drop = hidden(r)
			if r == '＜' || r == '﹤' || r == '〈' {
				opener = size
			}
		}
		switch {
		case drop:
			b.WriteString(text[from:i])
			from = i + size
		case opener > 0 && closesFence(text[i+opener:]):
			b.WriteString(text[from:i])
			b.WriteString("‹")
			size = opener
			from = i + size
		}
		i += size
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// mayFence marks the bytes with which characters that Fence may change begin.
var mayFence = func() (may [256]bool) {
	for c := range may {
		may[c] = c == '<' || c == '&' || c >= utf8.RuneSelf
	}
	return may
}()

// isASCII reports whether text contains only ASCII characters.
func isASCII(text string) bool {
	for ; len(text) >= 8; text = text[8:] {
		if text[0]|text[1]|text[2]|text[3]|text[4]|text[5]|text[6]|text[7] >= utf8.RuneSelf {
			return false
		}
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// entity returns the length, in bytes, of the entity for < at the beginning of text, or 0 if there is none.
func entity(text string) int {
	for _, e := range []string{"&lt;", "&LT;", "&#60;", "&#x3c;", "&#x3C;"} {
		if strings.HasPrefix(text, e) {
			return len(e)
		}
	}
	return 0
}

// closesFence reports whether text, which follows an opening bracket, reads like one of our tags.
func closesFence(text string) bool {
	name := plainName(text[:min(len(text), fenceRoom)])
	for _, f := range fences {
		if strings.HasPrefix(name, f) {
			return true
		}
	}
	return false
}

// plainName returns the letters at the beginning of text, in lower-case ASCII. It converts lookalike letters, and skips
// spaces, hyphens, underscores, slashes, combining marks and invisible characters between letters.
func plainName(text string) string {
	var b []byte
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			b = append(b, byte(r))
		case r >= 'A' && r <= 'Z':
			b = append(b, byte(r-'A'+'a'))
		case r >= 'ａ' && r <= 'ｚ':
			b = append(b, byte(r-'ａ'+'a'))
		case r >= 'Ａ' && r <= 'Ｚ':
			b = append(b, byte(r-'Ａ'+'a'))
		case strings.ContainsRune(" \t\r\n/\\-_‐‑‒–—−／＼\u00a0\u3000\u00ad", r), hidden(r), r == '\u200c', r == '\u200d', r == utf8.RuneError,
			r >= 0x0300 && r <= 0x036f, r >= 0xfe00 && r <= 0xfe0f:
		default:
			letter, found := lookalikes[r]
			if !found {
				return string(b)
			}
			b = append(b, letter)
		}
	}
	return string(b)
}

// lookalikes maps letters of other scripts to the Latin letters that they resemble.
var lookalikes = map[rune]byte{
	'а': 'a', 'с': 'c', 'е': 'e', 'о': 'o', 'р': 'p', 'ѕ': 's', 'і': 'i', 'ԁ': 'd', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'т': 't', 'у': 'y', 'в': 'b',
	'ο': 'o', 'α': 'a', 'ι': 'i', 'κ': 'k', 'ρ': 'p', 'τ': 't', 'ν': 'v', 'ε': 'e', 'ꜱ': 's', 'ᴄ': 'c', 'ᴏ': 'o', 'ı': 'i', 'ⅼ': 'l', 'ⅽ': 'c',
}

// hidden reports whether a rune is invisible or changes the text direction. Such runes are embeddings, overrides and
// isolates, invisible separators, joiners and operators, the byte order mark, and the tag characters, which can hide
// text. The joiners and marks that some scripts need (U+200C to U+200F) don't count.
func hidden(r rune) bool {
	switch {
	case r == 0x200b || r == 0xfeff || r == 0x180e,
		r >= 0x202a && r <= 0x202e,
		r >= 0x2060 && r <= 0x2069,
		r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// labels lists the bracketed labels, as plainName returns them, with which the pieces of a record begin in the
// published styles.
var labels = []string{"user", "assistant", "system", "developer", "thinking", "toolresult", "toolcall"}

// Guarded makes text from the conversation safe to include in a record with such labels: it fences the text, and makes
// sure that no line in it reads like the beginning of another piece.
func Guarded(text string) string { return guardLabels(Fence(text)) }

// guardLabels makes text safe to include in a record with such labels. If a line begins with something that reads like
// the label of another piece ("[User]:", "[Tool result read]:", "[3] USER:"), guardLabels replaces the opening bracket
// with a parenthesis.
func guardLabels(text string) string {
	if !strings.ContainsAny(text, "[［") {
		return text
	}
	var b strings.Builder
	from, start := 0, true
	for i, r := range text {
		switch {
		case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
			start = true
		case !start || unicode.IsSpace(r) || hidden(r):
		case (r == '[' || r == '［') && isLabel(text[i+utf8.RuneLen(r):]):
			b.WriteString(text[from:i] + "(")
			from, start = i+utf8.RuneLen(r), false
		default:
			start = false
		}
	}
	if from == 0 {
		return text
	}
	return b.String() + text[from:]
}

// isLabel reports whether text, which follows an opening bracket, reads like a label.
func isLabel(text string) bool {
	text = text[:min(len(text), fenceRoom)]
	if n := strings.IndexAny(text, "\r\n"); n >= 0 {
		text = text[:n]
	}
	if rest := strings.TrimLeft(text, "0123456789"); len(rest) < len(text) {
		if text = strings.TrimPrefix(rest, "]"); len(text) == len(rest) {
			return false
		}
	} else if !strings.ContainsAny(text, "]］") {
		return false
	}
	name := plainName(text)
	for _, l := range labels {
		if strings.HasPrefix(name, l) && strings.ContainsAny(text, ":：") {
			return true
		}
	}
	return false
}

// onOneLine replaces each run of white space in text with a single space, and trims white space from both ends. It
// doesn't copy a text that clearly needs no change.
func onOneLine(text string) string {
	space := true // the last byte was a space, or there was none
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && space {
			return strings.Join(strings.Fields(text), " ")
		}
		space = c == ' '
	}
	if space {
		return strings.TrimSuffix(text, " ")
	}
	return text
}
