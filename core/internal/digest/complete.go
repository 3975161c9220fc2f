package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Completed is a digest that a model wrote, with what code adds to it.
type Completed struct {
	Body    string // the model's text, the rules that it lacks, and the ledger
	Missing string // lines with facts that are not in Body
	// Facts is how many facts were looked for in Body, Found how many of them are there.
	Facts, Found int
	// Named is how many paths, addresses and identifiers the model's text has, Unfounded how many of them are nowhere in the record.
	Named, Unfounded int
}

// Text is the whole digest.
func (c *Completed) Text() string {
	if c.Missing == "" {
		return c.Body
	}
	return Complete(c.Body, c.Missing)
}

// Complete adds to a model's text what code knows better, and leaves out what the text already says: standing is the block of rules that it
// may have next to its room, room is for the text, the ledger and a tenth more for facts, in bytes, and the user's requests may have spare
// bytes besides. The ledger has at least a third of the room, facts a tenth.
func (e *Extract) Complete(text, standing string, room, spare int) Completed {
	text = e.ledger.undenied(text)
	standing = e.standingBeside(text, standing)
	ledger := e.ledger.TextBeside(max(room/3, (room-len(text))*4/5), spare)
	c := Completed{Body: WithStanding(text, standing) + ledger}
	c.Facts, c.Found = e.Check(c.Body)
	c.Missing = e.missing(c.Body, max(room/10, min(room/3, room+room/10-len(text)-len(ledger))))
	c.Named, c.Unfounded = e.founded(text)
	return c
}

// standingBeside is the block of standing instructions in about as many bytes as block has, without those that are an item or
// a line of the text in the user's own words.
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

// flatRule is a rule on one line, without what models put round one.
func flatRule(s string) string {
	return strings.Trim(strings.Join(strings.Fields(s), " "), " \"'“”„«»*_`.!")
}

// missing lists the facts that a digest lacks, in at most max bytes: what is still wrong, then what was mentioned most, last, by somebody
// and in decisions. Each number is with the words around it.
func (e *Extract) missing(body string, max int) string {
	known := new(critbit.Map[struct{}])
	said(body, known)
	var b [termKinds]strings.Builder
	var failed []string
	for _, f := range e.ledger.Errors {
		line := "Failed: " + clipLine(Fence(f.Text), 160)
		if line != "Failed: " && !has(body, line[len("Failed: "):]) && len(line)+1 <= max/2 {
			failed = append(failed, line)
			max -= len(line) + 1
		}
	}
	ranked := e.weighed(false)
	phrases := e.phrases(ranked, known, max)
	for i := range ranked {
		term := &ranked[i]
		if max < 12 {
			break
		}
		text, between := term.text, before(term.kind, true)
		if term.kind == numberTerm {
			if text, _ = phrases.Get(term.text); text == "" {
				continue
			}
			between = "; "
		}
		cost := len(text) + len(between)
		if b[term.kind].Len() == 0 {
			cost += len(termLabels[term.kind]) + 1
		}
		if cost > max || known.Has(term.text) {
			continue
		}
		say(term.kind, term.text, known)
		if b[term.kind].Len() == 0 {
			between = before(term.kind, false)
		}
		if term.kind == numberTerm {
			said(text, known) // a phrase may have several
		}
		b[term.kind].WriteString(between + text)
		max -= cost
	}
	var lines []string
	for i := range b {
		if b[i].Len() > 0 {
			lines = append(lines, Fence(b[i].String()))
		}
	}
	return strings.Join(append(lines, failed...), "\n")
}

// weighed are the terms, the best for their length first. One that is in a decision counts half as much again; one that only tools have said
// counts half, and as a number not at all: most of these are counters, sizes and times.
func (e *Extract) weighed(counters bool) []term {
	var decided, spoken critbit.Map[struct{}]
	for _, line := range e.decisions {
		said(line, &decided)
	}
	for _, i := range e.messages[e.recent():] {
		for _, kind := range speech {
			e.texts(i, kind, func(text string) { eachTerm(text, func(_ termKind, word string) { spoken.Add(word) }) })
		}
	}
	list := make([]term, 0, len(e.terms.list))
	for _, t := range e.terms.list {
		own := spoken.Has(t.text) || t.seen == -2 // in the digest before
		switch {
		case !own && t.kind == numberTerm && !counters, t.kind == pathTerm && t.text[0] == '/' && !strings.ContainsAny(t.text[1:], "/."):
			continue // the latter is most often a tag that is closed
		case !own:
			t.weight /= 2
		case decided.Has(t.text):
			t.weight += t.weight / 2
		}
		list = append(list, t)
	}
	return rank(list)
}

// speech is where somebody says something, and not a tool.
var speech = []transcript.Kind{transcript.Text, transcript.ToolCall}

// phrases are the words around the numbers that rank highest and are not known yet: as many as might find a place in max
// bytes. The newest place counts that somebody wrote, or else one in a tool's arguments.
func (e *Extract) phrases(ranked []term, known *critbit.Map[struct{}], max int) *critbit.Map[string] {
	found := new(critbit.Map[string])
	wanted := new(critbit.Map[struct{}])
	for i := range ranked {
		if wanted.Len() > max/leastPhrase {
			break
		}
		if t := &ranked[i]; t.kind == numberTerm && !known.Has(t.text) {
			wanted.Add(t.text)
		}
	}
	look := func(text string) {
		eachNumber(text, func(from, to int) {
			if n := text[from:to]; wanted.Has(n) && !found.Has(n) {
				if p := phrase(text, from, to); p != "" {
					found.Set(n, p)
				}
			}
		})
	}
	for _, kind := range speech {
		for _, i := range slices.Backward(e.messages) {
			if found.Len() < wanted.Len() {
				e.texts(i, kind, look)
			}
		}
	}
	for _, old := range e.old {
		look(old)
	}
	return found
}

// leastPhrase is about what the shortest number with its words takes, in bytes.
const leastPhrase = 12

// texts calls see for the texts of a kind that are in message i, as far as terms are looked for in them. Arguments of tools that read,
// search or run are left out: their numbers say where to look, and the ledger has their commands and files.
func (e *Extract) texts(i int32, kind transcript.Kind, see func(text string)) {
	m := &e.t.Messages[i]
	for n := m.First; n < m.First+m.Count; n++ {
		p := &e.t.Parts[n]
		if p.Kind != kind || p.Parent >= 0 || p.Has(transcript.Removed) {
			continue
		}
		if kind == transcript.Text {
			text := e.t.Text(p.Body)
			see(text[:min(len(text), lookText)])
			continue
		}
		if u := useOf(e.t.Text(p.Name)); u == reads || u == searches || u == runs {
			continue
		}
		arguments(e.t, p, func(key, text string) {
			if key != "" && len(text) < 20 {
				text = key + ": " + text
			}
			see(text[:min(len(text), lookText)])
		})
	}
}

// eachNumber calls see for where numbers may be in a text: each that eachTerm finds is among them.
func eachNumber(text string, see func(from, to int)) {
	for i := 0; i < len(text); {
		if byteClass[text[i]] == 0 {
			i++
			continue
		}
		from := i
		var all uint8
		for i < len(text) && byteClass[text[i]] != 0 {
			all |= byteClass[text[i]]
			i++
		}
		if all&digit == 0 || all&(small|capital|under) != 0 {
			continue
		}
		to := i
		for from < to && byteClass[text[from]]&joints != 0 {
			from++
		}
		for to > from && byteClass[text[to-1]]&joints != 0 {
			to--
		}
		see(from, to)
	}
}

// How far the words around a number reach, in bytes: those before it, a name that it belongs to ("detect.go:208"), and the word after it.
const (
	phraseBefore = 28
	phraseName   = 60
	phraseBehind = 12
)

// bindings are short words after a number that say nothing of it.
var bindings = []string{"and", "or", "for", "of", "on", "in", "is", "to", "at", "the", "with", "by", "from", "as", "are", "was", "but", "because", "that", "which", "if",
	"und", "et", "y", "e"}

// phrase is a number with the words before it and the one after it, in one clause; "" where there are none.
func phrase(text string, from, to int) string {
	start := from
	for start > 0 && from-start < phraseBefore && !endsClause(text, start-1) {
		start--
	}
	if from-start == phraseBefore && start > 0 && text[start-1] > ' ' { // in the middle of a word
		if at := strings.IndexByte(text[start:from], ' '); at >= 0 {
			start += at + 1
		} else {
			for start > 0 && from-start < phraseName && text[start-1] > ' ' && text[start-1] != '/' && !endsClause(text, start-1) {
				start--
			}
			start += strings.LastIndexByte(text[start:from], '/') + 1
		}
		for start < from && text[start]&0xc0 == 0x80 {
			start++
		}
	}
	end := to
	for end < len(text) && end-to < phraseBehind && !endsClause(text, end) && (text[end] > ' ' || end == to) {
		end++
	}
	if behind := strings.TrimSpace(text[to:end]); end-to == phraseBehind || slices.Contains(bindings, behind) || strings.HasPrefix(behind, "→") {
		end = to
	}
	words := strings.Trim(strings.Join(strings.FieldsFunc(text[start:end], func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("\"'`*\\", r)
	}), " "), " -_=:,.;")
	for _, r := range words {
		if r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80 {
			return words
		}
	}
	return ""
}

// endsClause reports whether a clause ends at a byte of a text: at a line end, a bracket, or a sign with white space after it.
func endsClause(text string, i int) bool {
	switch c := text[i]; c {
	case '\n', '\r', '{', '}', '[', ']', '(', ')', '<', '>', '|', ';':
		return true
	case '.', ',', '!', '?':
		return i+1 == len(text) || text[i+1] <= ' ' || text[i+1] == '"'
	}
	return false
}

// founded counts the paths, addresses and identifiers of a model's text, and those that are nowhere in what it was made of.
func (e *Extract) founded(text string) (named, unfounded int) {
	var words critbit.Map[bool] // those that were found
	eachTerm(text, func(kind termKind, word string) {
		if _, again := words.Get(word); kind != numberTerm && !again {
			_, found := e.terms.at.Get(word)
			words.Set(word, found)
			if !found {
				unfounded++
			}
		}
	})
	clear := func(word string) {
		if found, suspect := words.Get(word); suspect && !found {
			words.Set(word, true)
			unfounded--
		}
	}
	see := func(text string) {
		if unfounded > 0 {
			eachTerm(text, func(kind termKind, word string) {
				clear(word)
				for i := strings.IndexByte(word, '/'); kind == pathTerm && i >= 0; i = strings.IndexByte(word, '/') {
					word = word[i+1:]
					clear(word)
				}
			})
		}
	}
	for _, old := range e.old {
		see(old)
	}
	l := e.ledger
	see(l.Task)
	for _, list := range [][]string{l.Requests, l.Standing, l.Read, l.Modified} {
		for _, s := range list {
			see(s)
		}
	}
	for i := range l.Commands {
		see(l.Commands[i].Command)
	}
	for _, i := range e.messages {
		m := &e.t.Messages[i]
		see(e.t.Text(m.Label))
		for n := m.First; n < m.First+m.Count && unfounded > 0; n++ {
			switch p := &e.t.Parts[n]; p.Kind {
			case transcript.Text, transcript.Reasoning:
				if p.Parent < 0 && e.t.IsString(p.Body) {
					see(e.t.Text(p.Body))
				}
			case transcript.ToolCall:
				see(e.t.Text(p.Name))
				arguments(e.t, p, func(key, text string) { see(key); see(text) })
			case transcript.ToolResult:
				see(ResultText(e.t, int(n)))
			}
		}
	}
	return words.Len(), unfounded
}
