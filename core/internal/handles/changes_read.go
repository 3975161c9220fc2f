package handles

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

// changes holds the parsed changes of a compaction, which describe how to rebuild its input from its result.
type changes struct {
	handle string  // the handle of their body
	before string  // the handle of the previous compaction's changes
	sent   int     // the number of messages in the result
	gone   []gone  // the result messages that do not come from the input
	steps  []step  // where the input messages come from, in order
	space  []space // the texts that precede the input messages
	end    string  // the text after the last message
	was    int     // the result message that the next step's message became, or -1 if unknown
	twice  int     // how many times in a row the result has messages like those dropped before the next kept one
	last   string  // the print of the last result message; "" if unknown
}

// space is the text that precedes each of the next n input messages.
type space struct {
	n    int    // number of messages
	text string // the white space and the comma, as in the input
}

// gone is a result message that doesn't come from the input, with its print.
type gone struct {
	index int    // among the result messages
	print string // the message's print
}

// step describes the source of one or more consecutive input messages.
type step struct {
	op       string   // changesKeep, changesPut or changesFold; "" for a message in full
	index    int      // for a put or a fold, the index of the result message
	from, to int      // for a keep, the range of result messages; for a fold, the range of messages in its body
	handles  []string // for a put, the handles of the contents to put back
	print    string   // the print of the first kept message; "" if unknown
	twice    int      // how many times in a row the result has messages like those dropped before the first kept one
	text     []byte   // the message itself, if op is ""; index is then the result message that it became, or -1
}

// isChanges reports whether a body is the changes of a compaction.
func isChanges(body string) bool { return strings.HasPrefix(body, `["`+changesHeader+`"`) }

// parseChanges parses a body of changes. ok is false if the body is invalid or of another kind.
func parseChanges(text string) (c changes, ok bool) {
	body := []byte(text)
	s := jsonspan.New(body)
	s.Lenient = true
	c.was = -1
	if !isChanges(text) {
		return c, false
	}
	for s.Array(); s.Elem(); {
		kind, start := s.Kind(), s.Pos()
		s.Skip()
		switch piece := body[start:s.Pos()]; kind {
		case jsonspan.Object:
			c.steps = append(c.steps, step{text: piece, index: c.was})
			c.was = -1
		case jsonspan.String:
			if !c.parse(jsonspan.Text(body, jsonspan.Span{Start: start, End: s.Pos()})) {
				return c, false
			}
		default:
			return c, false
		}
	}
	return c, s.Err() == nil
}

// parse parses one string of a changes body. It returns false if the string is invalid.
func (c *changes) parse(line string) bool {
	op, rest, _ := strings.Cut(line, " ")
	for i := range changesWords {
		if w := &changesWords[i]; w.op == op {
			return w.parse(c, rest)
		}
	}
	return false
}

// changesWords maps the first word of each kind of string in a changes body to its parser. A parser gets the rest of
// the string, and returns false if it is invalid.
var changesWords = [...]struct {
	op    string
	parse func(c *changes, rest string) bool
}{
	{"changes", func(_ *changes, rest string) bool {
		_, ok := numbersOf(rest, 1)
		return ok
	}},
	{changesBefore, func(c *changes, rest string) bool {
		c.before = strings.TrimSpace(rest)
		return len(c.before) == Size && IsHandle(c.before)
	}},
	{changesSent, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 1)
		if ok {
			c.sent = n[0]
		}
		return ok
	}},
	{changesGone, (*changes).parseGone},
	{changesKeep, (*changes).parseKeep},
	{changesPut, (*changes).parsePut},
	{changesWas, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 1)
		if ok {
			c.was = n[0]
		}
		return ok
	}},
	{changesTwice, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 1)
		if ok {
			c.twice = n[0]
		}
		return ok && c.twice <= maxRepeated
	}},
	{changesLast, func(c *changes, rest string) bool {
		c.last = rest
		return rest != ""
	}},
	{changesFold, func(c *changes, rest string) bool {
		n, ok := numbersOf(rest, 3)
		if ok {
			c.steps = append(c.steps, step{op: changesFold, index: n[0], from: n[1], to: n[2]})
		}
		return ok && n[1] <= n[2]
	}},
	{changesSpace, (*changes).parseSpace},
	{changesEnd, func(c *changes, rest string) bool {
		c.end = rest
		return between(rest, "]")
	}},
}

// numbersOf parses exactly count non-negative numbers separated by spaces. ok is false for any other text.
func numbersOf(text string, count int) (n []int, ok bool) {
	words := strings.Fields(text)
	for _, w := range words {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 || v > jsonspan.MaxSize {
			return nil, false
		}
		n = append(n, v)
	}
	return n, len(n) == count
}

// parseGone parses "INDEX PRINT". It returns false for anything else.
func (c *changes) parseGone(rest string) bool {
	words := strings.Fields(rest)
	if len(words) != 2 {
		return false
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 0 {
		return false
	}
	c.gone = append(c.gone, gone{n, words[1]})
	return true
}

// parseKeep parses "FROM TO [PRINT]". It returns false for anything else.
func (c *changes) parseKeep(rest string) bool {
	p := step{op: changesKeep, twice: c.twice}
	c.twice = 0
	if words := strings.Fields(rest); len(words) == 3 {
		rest, p.print = words[0]+" "+words[1], words[2]
	}
	n, ok := numbersOf(rest, 2)
	if !ok {
		return false
	}
	p.from, p.to = n[0], n[1]
	c.steps = append(c.steps, p)
	return p.from <= p.to
}

// parsePut parses "INDEX HANDLE …". It returns false for anything else.
func (c *changes) parsePut(rest string) bool {
	words := strings.Fields(rest)
	if len(words) == 0 || slices.ContainsFunc(words[1:], func(h string) bool { return len(h) != Short || !IsHandle(h) }) {
		return false
	}
	n, ok := numbersOf(words[0], 1)
	if ok {
		c.steps = append(c.steps, step{op: changesPut, index: n[0], handles: words[1:]})
	}
	return ok
}

// parseSpace parses "N TEXT". It returns false for anything else.
func (c *changes) parseSpace(rest string) bool {
	number, text, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	c.space = append(c.space, space{n, text})
	return err == nil && n > 0 && n <= jsonspan.MaxSize &&
		(between(text, ",") || len(c.space) == 1 && n == 1 && between(text, "["))
}

// between reports whether text is the given JSON character, with nothing but white space around it.
func between(text, character string) bool { return strings.Trim(text, " \t\r\n") == character }
