package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Users of chats paste code without marking it. A line such as "Text(title)" doesn't look like code by itself, but it does
// between lines of code.

// Limits for lines of code that are a passage: the minimum number of them, and the size in bytes from which fewer are
// enough.
const (
	leastCodeRun  = 3
	leastCodeSize = 160
)

// codeRun is a run of lines of code.
type codeRun struct {
	from, to int // in bytes
	lines    int // 0 if there is no run
}

// add adds the line of text between two offsets to the run, and reports whether the line is code. The line must have
// more than white space.
func (r *codeRun) add(text string, from, to int) bool {
	said := strings.TrimSpace(text[from:to])
	if !codesAlone(said) && (r.lines == 0 || !codesWithin(text[from:to], said)) {
		return false
	}
	if r.lines == 0 {
		r.from = from
	}
	r.to = to
	r.lines++
	return true
}

// isPassage reports whether the run is long enough for a passage.
func (r *codeRun) isPassage() bool {
	return r.lines >= leastCodeRun || r.lines > 0 && r.to-r.from >= leastCodeSize
}

// codePassages returns the ranges, in bytes, of code in a text that isn't marked as code, in order.
func codePassages(text string) (passages [][2]int) {
	var run codeRun
	fenced := false
	end := func() {
		if run.isPassage() {
			passages = append(passages, [2]int{run.from, run.to})
		}
		run = codeRun{}
	}
	for at := 0; at < len(text); {
		line := at + len(firstLine(text[at:]))
		switch {
		case isFence(strings.TrimLeft(text[at:line], " ")):
			fenced = !fenced
			end()
		case !fenced && !blank(text[at:line]) && !run.add(text, at, line):
			end()
		}
		at = line + 1
	}
	end()
	return passages
}

// writesCode reports whether messages are a chat in which at least a third of what the assistant says has code. It
// returns false if the assistant calls tools, with which it writes its code then.
func writesCode(t *transcript.Transcript, messages []int32) bool {
	all, coded := 0, 0
	for _, i := range messages {
		if t.Messages[i].Role != transcript.Assistant {
			continue
		}
		for _, p := range t.PartsOf(int(i)) {
			if p.Kind == transcript.ToolCall {
				return false
			}
		}
		if said := saidIn(t, int(i)); said != "" {
			all++
			if strings.Contains(said, "```") || len(codePassages(said)) > 0 {
				coded++
			}
		}
	}
	return coded >= leastCoded && coded*3 >= all
}

// leastCoded is the minimum number of messages with code in a conversation about code.
const leastCoded = 3

// codesAlone reports whether a line without the white space around it looks like code, wherever it is.
func codesAlone(said string) bool { return codes(said) || opensCode(said) || isCall(said) }

// codesWithin reports whether a line belongs to code if the line before it does. said is the line without the white space
// around it. A line that begins with two spaces or a tab does, because prose isn't indented.
func codesWithin(line, said string) bool {
	switch {
	case codesAlone(said), strings.HasPrefix(line, "  "), line[0] == '\t':
		return true
	case strings.IndexByte(".@})]/<", said[0]) >= 0, strings.IndexByte("({[,;=)}]", said[len(said)-1]) >= 0:
		return true
	}
	return !strings.Contains(said, " ") && isIdentifier(said)
}

// codeOpeners lists words with which lines of code begin in many languages, and which prose seldom has before a name that
// is followed by a mark of code.
var codeOpeners = wordListOf("let var val const func fun fn def class struct enum protocol interface extension impl import package using namespace private public internal " +
	"protected static override guard switch case default return async await export extends typedef typealias init deinit mutating lazy weak final abstract readonly")

// opensCode reports whether a line begins with a word of a programming language and has a mark of code, or nothing else
// but a name: "import SwiftUI", "case .open:", "let zone: Int".
func opensCode(said string) bool {
	first, rest, found := strings.Cut(said, " ")
	if !codeOpeners.has(strings.TrimRight(first, ":(")) {
		return false
	}
	if !found {
		return strings.HasSuffix(first, ":") || strings.Contains(first, "(")
	}
	return marksCode(rest) && !endsSentence(strings.TrimRight(rest, ":")) || !strings.Contains(rest, " ") && strings.ToLower(rest) != rest
}

// marksCode reports whether text contains a mark of code: a sign that prose doesn't have, a parenthesis directly after a
// name, a colon before a type with a capital, or a name that begins with a dot.
func marksCode(text string) bool {
	for i := range len(text) {
		var before, next byte
		if i > 0 {
			before = text[i-1]
		}
		if i+1 < len(text) {
			next = text[i+1]
		}
		letters := byteClass[before]&(small|capital|digit) != 0
		switch text[i] {
		case '=', '{', '<':
			return true
		case '(':
			if letters {
				return true
			}
		case '.':
			if !letters && byteClass[next]&(small|capital) != 0 {
				return true
			}
		case ':':
			if next == ' ' && i+2 < len(text) && byteClass[text[i+2]]&capital != 0 {
				return true
			}
		}
	}
	return false
}

// isCall reports whether a line is a call or a member of one: "Text(title)", ".frame(height: 40)", "db.close()".
func isCall(said string) bool {
	name, args, found := strings.Cut(said, "(")
	if !found || len(name) == 0 || !isIdentifier(strings.TrimPrefix(name, ".")) {
		return false
	}
	end := said[len(said)-1]
	return (end == ')' || end == '{' || end == ',' || end == '(' || end == '[') && (name[0] == '.' || byteClass[name[0]]&capital != 0 || strings.ContainsAny(name, "._") || strings.ContainsAny(args, "\"=:.,")) || args == ")"
}

// isIdentifier reports whether text is a name as in code, possibly with dots: "clientEntity.name".
func isIdentifier(text string) bool {
	if text == "" {
		return false
	}
	for i := range len(text) {
		if byteClass[text[i]]&(small|capital|digit) == 0 && text[i] != '_' && text[i] != '.' && text[i] != '$' {
			return false
		}
	}
	return text[0] != '.' && text[len(text)-1] != '.'
}
