package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Completed is a digest written by a model, together with what code adds to it.
type Completed struct {
	Body    string // the model's text, the rules that it lacks, and the ledger
	Missing string // lines with facts that Body doesn't contain
	// Facts is the number of facts that were looked for in Body. Found is how many of them it contains.
	Facts, Found int
	// Named is the number of paths, addresses and identifiers in the model's text. Unfounded is how many of them the
	// record doesn't contain.
	Named, Unfounded int
}

// Text returns the whole digest: the body with the missing lines inserted, if there are any.
func (c *Completed) Text() string {
	if c.Missing == "" {
		return c.Body
	}
	return Complete(c.Body, c.Missing)
}

// Complete adds rules, the ledger and facts to a model's text, except for those that it already contains. standing is
// the block of rules, whose size isn't limited by room. room is the maximum size of the text and the ledger in bytes.
// Missing facts may exceed it by a tenth, and the user's requests by another spare bytes. The ledger gets at least a
// third of the room.
func (e *Extract) Complete(text, standing string, room, spare int) Completed {
	text = e.ledger.undenied(text)
	standing = e.standingBeside(text, standing)
	ledger := e.ledger.TextBeside(max(room/3, (room-len(text))*4/5), spare)
	c := Completed{Body: WithStanding(text, standing) + ledger}
	terms := e.terms()
	c.Facts, c.Found = e.check(c.Body, terms)
	c.Missing = e.missing(c.Body, max(room/10, min(room/3, room+room/10-len(text)-len(ledger))))
	c.Named, c.Unfounded = e.founded(text, terms)
	return c
}

// standingBeside returns a block of standing instructions of about the same size as block, or "" if block is empty. It
// leaves out instructions that text already contains word for word, as a list item or as a line.
func (e *Extract) standingBeside(text, block string) string {
	l := e.ledger
	if block == "" {
		return ""
	}
	var lines critbit.Map[struct{}]
	for line := range strings.Lines(text) {
		_, line = listItem(strings.TrimSpace(line))
		lines.Add(flatRule(line))
	}
	rest := Ledger{Standing: slices.DeleteFunc(slices.Clone(l.Standing), func(s string) bool {
		return lines.Has(flatRule(Fence(clipLine(s, maxStatement+8))))
	})}
	if len(rest.Standing) == len(l.Standing) {
		return block
	}
	size := len(block) + len("(1000 more)\n")
	if e.layout == chatLayout {
		return rest.ChatStandingBlock(size)
	}
	return rest.StandingBlock(size)
}

// flatRule returns a rule on one line, without the markup, quotation marks and final punctuation that models add.
func flatRule(s string) string {
	return strings.Trim(onOneLine(s), " \"'“”„«»*_`.!")
}

// missing returns lines with the facts that body lacks, at most max bytes in total, or "" if there are none. body is a
// model's digest with the rules and the ledger. The open errors come first, each only if it takes up at most half of
// the remaining room. The most valuable other facts follow.
func (e *Extract) missing(body string, max int) string {
	var lines []string
	for _, f := range e.ledger.Errors {
		line := "Failed: " + clipLine(Fence(f.Text), 160)
		if line != "Failed: " && !has(body, line[len("Failed: "):]) && len(line)+1 <= max/2 {
			lines = append(lines, line)
			max -= len(line) + 1
		}
	}
	if max < leastMissing {
		return strings.Join(lines, "\n")
	}
	more := ""
	if e.layout == chatLayout {
		more = newTalk(e.t, e.messages, [sections]string{}, e.ledger.Standing, body, e.beside).sections(max - len(beyondHeading))[dialogue]
	} else {
		more = newLog(e.t, e.messages, e.ledger, [sections]string{}, append(e.beside, body), nil).beyond(max - len(beyondHeading))
	}
	if more != "" {
		lines = append(lines, beyondHeading+more)
	}
	return strings.Join(lines, "\n")
}

// beyondHeading precedes the lines that code adds to a model's digest. leastMissing is the minimum number of bytes that
// must remain for these lines.
const (
	beyondHeading = "Also in the record:\n"
	leastMissing  = 160
)

// founded returns the number of paths, addresses and identifiers in a model's text, and the number of those that the
// record doesn't contain.
func (e *Extract) founded(text string, terms *terms) (named, unfounded int) {
	f := foundTerms{}
	f.collect(text, terms)
	for _, old := range e.old {
		f.see(old)
	}
	l := e.ledger
	f.see(l.Task)
	for _, list := range [][]string{l.Requests, l.Standing, l.Read, l.Modified} {
		for _, s := range list {
			f.see(s)
		}
	}
	for i := range l.Commands {
		f.see(l.Commands[i].Command)
	}
	for _, i := range e.messages {
		f.message(e.t, i)
	}
	return f.words.Len(), f.missing
}

// foundTerms holds the paths, addresses and identifiers of a model's text, and which of them have been found in the
// record.
type foundTerms struct {
	words   critbit.Map[bool] // for each term, whether it has been found
	missing int               // the number of terms that have not been found
}

// collect takes the terms from a model's text. Those in terms count as found.
func (f *foundTerms) collect(text string, terms *terms) {
	eachTerm(text, func(kind termKind, word string) {
		if _, again := f.words.Get(word); kind == numberTerm || again {
			return
		}
		_, found := terms.at.Get(word)
		f.words.Set(word, found)
		if !found {
			f.missing++
		}
	})
}

// mark marks a term of the record as found, if the model's text has it.
func (f *foundTerms) mark(word string) {
	if found, named := f.words.Get(word); named && !found {
		f.words.Set(word, true)
		f.missing--
	}
}

// see marks the terms in a text of the record as found. The end of a path counts as that path.
func (f *foundTerms) see(text string) {
	if f.missing == 0 {
		return
	}
	eachTerm(text, func(kind termKind, word string) {
		f.mark(word)
		for i := strings.IndexByte(word, '/'); kind == pathTerm && i >= 0; i = strings.IndexByte(word, '/') {
			word = word[i+1:]
			f.mark(word)
		}
	})
}

// message marks the terms in message i as found, until none is missing.
func (f *foundTerms) message(t *transcript.Transcript, i int32) {
	m := &t.Messages[i]
	f.see(t.Text(m.Label))
	for n := m.First; n < m.First+m.Count && f.missing > 0; n++ {
		switch p := &t.Parts[n]; p.Kind {
		case transcript.Text, transcript.Reasoning:
			if p.Parent < 0 && t.IsString(p.Body) {
				f.see(t.Text(p.Body))
			}
		case transcript.ToolCall:
			f.see(t.Text(p.Name))
			arguments(t, p, func(key, text string) { f.see(key); f.see(text) })
		case transcript.ToolResult:
			f.see(ResultText(t, int(n)))
		}
	}
}
