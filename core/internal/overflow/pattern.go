package overflow

import "strings"

// Rule describes how one provider words an error.
type Rule struct {
	Provider string // who words it so
	// Pattern is a piece of the error's text in lower case. {used} and {limit} match numbers of tokens, {n}
	// matches any other number, and * matches any text of up to 200 bytes.
	Pattern string
	Class   Class
	Source  string // where the wording is reported
}

// gapMax is the maximum number of bytes that * matches.
const gapMax = 200

// find searches text for the rule's pattern. It returns the numbers in the places of {used} and {limit}. ok is
// false if the pattern isn't found.
func (r *Rule) find(text string) (used, limit int, ok bool) {
	head := r.Pattern
	if i := strings.IndexAny(head, "{*"); i >= 0 {
		head = head[:i]
	}
	for from := 0; ; {
		at := strings.Index(text[from:], head)
		if at < 0 {
			return 0, 0, false
		}
		from += at + len(head)
		used, limit = 0, 0
		if rest(r.Pattern[len(head):], text[from:], &used, &limit) {
			return used, limit, true
		}
	}
}

// literal returns the beginning of a pattern, up to the first placeholder.
func literal(pattern string) string {
	if i := strings.IndexAny(pattern, "{*"); i >= 0 {
		return pattern[:i]
	}
	return pattern
}

// rest reports whether text begins with pattern. It stores in used and limit the numbers that match {used} and {limit}.
func rest(pattern, text string, used, limit *int) bool {
	for pattern != "" {
		switch pattern[0] {
		case '{':
			end := strings.IndexByte(pattern, '}')
			n, size := number(text)
			if size == 0 {
				return false
			}
			switch pattern[1:end] {
			case "used":
				*used = n
			case "limit":
				*limit = n
			}
			pattern, text = pattern[end+1:], text[size:]
		case '*':
			pattern = pattern[1:]
			next := literal(pattern)
			at := strings.Index(text[:min(len(text), gapMax+len(next))], next)
			if at < 0 {
				return false
			}
			pattern, text = pattern[len(next):], text[at+len(next):]
		default:
			next := literal(pattern)
			if !strings.HasPrefix(text, next) {
				return false
			}
			pattern, text = pattern[len(next):], text[len(next):]
		}
	}
	return true
}

// number parses a number of up to 13 digits, which may be grouped by commas or underscores; size is 0 if there is none.
func number(text string) (n, size int) {
	digits := 0
	for i := 0; i < len(text) && digits <= 12; i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
			digits++
			size = i + 1
		case (c == ',' || c == '_') && digits > 0 && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
		default:
			return n, size
		}
	}
	return n, size
}

// match returns the first rule whose pattern is in the text, or nil.
func match(rules []Rule, text string) *Rule {
	for i := range rules {
		if _, _, ok := rules[i].find(text); ok {
			return &rules[i]
		}
	}
	return nil
}
