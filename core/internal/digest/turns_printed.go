package digest

import (
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// Some commands print text for people: another agent's report on a terminal, an issue, a note in a tracker, the verdict
// of a script. The log quotes sentences of such text in the room that is left.

// The weights of printed sentences, in 1024ths: of those that name something, and of others. They are so low that these
// sentences seldom displace other units.
const (
	ofPrinted = ofReport / 4
	ofUnnamed = ofReport / 8
)

// leastPrinted is the minimum number of spaces in a printed sentence.
const leastPrinted = 5

// printed adds to the current turn the sentences that a command printed for people, or else what it says about the
// state of something.
func (r *turnReader) printed(c *execution) {
	call := reporterIn(c.script)
	if call == "" || c.kind > acts || c.result != "" || blank(c.output) || abandoned(c.output) || c.kind == looks && r.polled(c, call) {
		return
	}
	output := textIn(c.output)
	proseUnits(r.paragraphs(output), func(lead, text string, item int) {
		if text = withoutPraise(withoutPlan(text)); !isFinding(lead, text, item) || r.sent.repeats(text) {
			return
		}
		factor := ofUnnamed
		if namesMore(text) || unspacedText(text) {
			factor = ofPrinted
		}
		r.add(unit{kind: toldUnit, message: int32(c.message), lead: lead, source: codeQuote(call), text: text, item: item, factor: factor})
	})
}

// isFinding reports whether a printed sentence is worth quoting. It isn't if it only announces something, reports
// progress or explains a program, or if its beginning or its end is missing. lead is the text that introduces it, or
// "". item is the number of the list item that it is, or 0.
func isFinding(lead, text string, item int) bool {
	if fewSpaces(text, leastPrinted) && !unspacedText(text) || codesBare(text) || hasQuestionMark(text) || announces(text) || announces(lead) || passesBy(text) {
		return false
	}
	if lead == "" && headedBy(text, hintHeads) || strings.Contains(text, "--help") || strings.HasSuffix(strings.TrimRight(text, `"'”`), "...") {
		return false
	}
	first := byteClass[text[0]]
	return lead != "" || item > 0 || (first&(capital|digit) != 0 || text[0] == '`' || text[0] >= utf8.RuneSelf) && (endsSentence(text) || unspacedText(text))
}

// hintHeads lists the beginnings of sentences in which a program tells its user how to use it.
var hintHeads = []string{"please ", "use ", "to get started", "to see ", "for more ", "for details", "see also", "press ", "try ", "hint:", "usage:", "note that you "}

// reporterIn returns the name of the first command in a script that may print text for people, or "". Programs that
// print files or lists don't count.
func reporterIn(script string) (call string) {
	eachCommand(script, func(words []string) {
		for len(words) > 1 && shellKeywords.has(words[0]) {
			words = words[1:]
		}
		words, name := withoutLaunchers(words)
		for len(words) > 2 && strings.HasPrefix(words[1], "--") {
			words = words[1:]
		}
		if call == "" && name != "git" && wrappedIn(words) == nil && !lookers.has(name) && !tidying.has(name) && !shellKeywords.has(name) && !helps(words) && !isManual(words, name) {
			call = Fence(callName(words, name))
		}
	}, func(string) {})
	return call
}

// shellKeywords lists words of the shell's language that may precede a command.
var shellKeywords = wordListOf("for while until if then else elif fi do done case esac { } ( ) ! function")

// helps reports whether a command only prints how it is used.
func helps(words []string) bool {
	for _, w := range words {
		if w == "--help" || w == "-h" || w == "help" || w == "--version" {
			return true
		}
	}
	return false
}

// manuals lists programs that print documentation. documenters lists those that do it with the subcommand "doc" or
// "docs".
var (
	manuals     = wordListOf("man info pydoc pydoc3 perldoc ri tldr apropos whatis godoc")
	documenters = wordListOf("go npm rustup php")
)

// isManual reports whether a command prints documentation, which says nothing about the work. name is the name of its
// program.
func isManual(words []string, name string) bool {
	if manuals.has(name) {
		return true
	}
	if len(words) < 2 {
		return false
	}
	module := len(words) > 2 && words[1] == "-m" && manuals.has(words[2])
	return module || documenters.has(name) && (words[1] == "doc" || words[1] == "docs")
}

// textIn returns an output's beginning and end or, if it is JSON, the long texts in it. It returns "" if the JSON is
// long or invalid.
func textIn(output string) string {
	output = strings.TrimSpace(output)
	if output == "" || output[0] != '{' && output[0] != '[' {
		return strings.ToValidUTF8(endsOf(output), "")
	}
	src := []byte(output)
	if len(src) > lookText || !valid(jsonspan.New(src)) {
		return ""
	}
	var b strings.Builder
	pairsIn(jsonspan.New(src), src, "", "", func(_, text string) {
		if len(text) > mostLead {
			b.WriteString(text + "\n\n")
		}
	})
	return b.String()
}

// wideLine is the minimum length, in bytes, of a line that may end in the middle of a sentence.
const wideLine = 60

// leastAgain is the minimum length, in bytes, of a line that isn't quoted if it was printed before.
const leastAgain = 20

// paragraphs returns an output without code, tables, hits, and lines that an earlier output contained. It also leaves
// out what a terminal shows of an agent's calls: their names, and the lines below.
func (r *turnReader) paragraphs(output string) string {
	var b []byte
	start, open := 0, false // the start of the last paragraph in b; whether it may continue
	dotted := isDotted(output)
	below := dotted // whether the line is below the name of a call, or below a paragraph whose beginning is missing
	for line := range strings.Lines(output) {
		text := strings.TrimSpace(line)
		dot := dotted && text != withoutDot(text)
		if branches(text) {
			b, open, below = b[:start], false, true
			continue
		}
		if below = below && !dot && (text == "" || line[0] <= ' '); below {
			continue
		}
		if dotted {
			line, text = strings.TrimPrefix(line, "  "), withoutDot(text)
		}
		text = strings.TrimSpace(plainText(text))
		if !r.tells(text) {
			b, open = append(b, '\n'), false
			continue
		}
		if dot || !open {
			b = append(b, '\n')
			start = len(b)
		}
		b = append(b, line[:len(line)-len(strings.TrimLeft(line, " \t"))]...)
		b = append(append(b, text...), '\n')
		open = len(text) >= wideLine || introduces(text)
	}
	return string(b)
}

// tells reports whether a line of an output may belong to prose, and whether no earlier output contained it.
func (r *turnReader) tells(line string) bool {
	_, rest := listItem(line)
	if rest == "" || strings.Contains(rest, "   ") || isHit(rest) || isMember(rest) || codesBare(rest) {
		return false
	}
	if n := len(exitOf(rest)); n > 0 && n+2 < len(rest) && rest[n] == ' ' && strings.IndexByte(" +-", rest[n+1]) >= 0 { // "12 + lines of a diff"
		return false
	}
	return !r.isPrinted(line)
}

// isPrinted reports whether an earlier output contains a line, and records the line.
func (r *turnReader) isPrinted(line string) bool {
	if len(line) < leastAgain {
		return false
	}
	hash := words.Hash64(line)
	known := r.lines.Has(hash)
	r.lines.Put(hash)
	return known
}

// branches reports whether a line begins with the branch of a tree. Below the name of a call, terminals show its output
// in this way.
func branches(line string) bool {
	return startsWithAny(line, []string{"└", "├", "│", "⎿", "╰", "┃"})
}

// dots lists the signs with which an agent's paragraphs begin on a terminal.
var dots = []string{"• ", "⏺ ", "● "}

// isDotted reports whether an output shows what an agent wrote on a terminal.
func isDotted(output string) bool {
	for _, dot := range dots {
		if strings.HasPrefix(output, dot) || strings.Contains(output, "\n"+dot) {
			return true
		}
	}
	return false
}

// withoutDot returns a line without the sign with which an agent's paragraph begins on a terminal.
func withoutDot(line string) string {
	for _, dot := range dots {
		line = strings.TrimPrefix(line, dot)
	}
	return line
}

// poll counts the calls of a command that looks at the state of something. at is the unit of the last one.
type poll struct {
	calls int // number of calls in the turn
	at    place
	shown bool // whether there is such a unit
}

// polled adds what a command says about the state of something in a few words. Of several calls in a turn, only the last
// one is kept, with their number. polled reports whether the output is that short.
func (r *turnReader) polled(c *execution, call string) bool {
	p := r.polls.At(call)
	if p.calls++; p.shown {
		r.drop(p.at)
	}
	said := onOneLine(plainText(endsOf(c.output)))
	if p.shown = len(said) <= mostReturned && saysOutcome(said); !p.shown {
		return false
	}
	text := "ran " + codeQuote(call)
	if p.calls > 1 {
		text += " " + itoa(p.calls) + " times, the last time"
	}
	p.at = r.here()
	r.add(unit{kind: ranUnit, message: int32(c.message), text: text + " → " + Fence(said), factor: ofReading / 2})
	return true
}
