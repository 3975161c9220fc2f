package digest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// The texts with which the lines of an entry begin.
const (
	requestLabel   = "user: "
	entryBullet    = "  - "
	requestIndent  = "    "
	saidLabel      = "assistant: "
	answerLabel    = "answer: "
	contestedLabel = "answer, which the user's next message rejects: "
	deniedLabel    = "answer, although the last check failed: "
	readLabel      = "looked at: "
	returnedLabel  = " returned: "
	thoughtLabel   = "assistant's thoughts: "
	reportLabel    = "a subagent reported: "
	startHead      = "what was under way already:"
	oldHead        = "earlier digest, written before all that follows:"
	basePrefix     = "Files that were read or changed are named relative to "
)

// entries appends the entries, with the units chosen for them, to b. It leaves out empty entries. asked holds the
// request of each turn.
func (k *turnLog) entries(b []byte, asked []string, chosen []extract.Chosen) []byte {
	if k.base != "" {
		b = append(append(append(b, basePrefix...), Fence(k.base)...), '\n')
	}
	opening := k.openingRequest()
	k.wrote = slices.Grow(k.wrote[:0], len(k.turns))[:len(k.turns)]
	clear(k.wrote)
	next, complete := 0, k.outcome.from == 0 && k.hasAllRequests(asked)
	bare := false // whether the previous entry consists of a few words of a request
	for i := range k.turns {
		t := &k.turns[i]
		from := next
		next += k.countOfTurn(chosen[from:], i)
		_, line := k.outcomeIn(i, k.outcome)
		request := k.requestOf(t, i, asked[i], line, from < next)
		if from == next && (request == "" || line == "" && isChatter(request) && t.question.text == "") {
			continue
		}
		start, joins := len(b), bare && i+1 < len(k.turns)
		b = append(b, "["+itoa(t.number)+"]"...)
		b = append(k.appendHead(b, i, request, i == opening, chosen[:from]), '\n')
		body := len(b)
		shown, missing := chosen[from:next], false
		if complete {
			shown, missing = k.withOutcome(i, shown)
		}
		b = k.entry(b, t, shown)
		if line != "" {
			b = k.closeEntry(b, body, i, shown, missing)
		}
		if bare = k.short && len(b) == body; bare && joins {
			b = joinEntry(b, start)
		}
	}
	return withoutRepeatedLinks(bytes.TrimSuffix(b, []byte("\n")))
}

// hasAllRequests reports whether asked contains the requests of all turns. If it doesn't, there is no room
// to spare: what one entry gets, another one loses.
func (k *turnLog) hasAllRequests(asked []string) bool {
	for i := range k.turns {
		if asked[i] == "" && k.turns[i].request != "" {
			return false
		}
	}
	return true
}

// requestOf returns the request shown in the entry of t, the turn with index i. asked is the request as far as the log
// has room for it, and line is the outcome of the turn. An answer means nothing without its request. So if asked is
// empty but there are units or an outcome to show, requestOf returns the shortest form of the request.
func (k *turnLog) requestOf(t *turn, i int, asked, line string, units bool) string {
	deed := line != "" && len(k.outcomeAt(i, k.outcome).deeds) > 0
	if asked == "" && (units || deed || line != "" && !k.outcomes) && t.request != "" {
		return k.least(i)
	}
	return asked
}

// closeEntry appends the outcome of the turn with index i to b, unless the entry already contains it on its lines,
// which begin at byte body. chosen holds the units that are in the entry, and missing means that they don't include it.
func (k *turnLog) closeEntry(b []byte, body, i int, chosen []extract.Chosen, missing bool) []byte {
	outcome, line := k.outcomeIn(i, k.outcome)
	if deeds := k.outcomeAt(i, k.outcome).deeds; len(deeds) > 0 {
		return appendDeeds(b, body, deeds)
	}
	if end := len(b) - len(line); end >= body && string(b[end:]) == line {
		b = b[:end]
	} else if !missing && k.containsOutcome(b[body:], &k.turns[i], chosen, outcome) {
		return b
	}
	return k.appendOutcome(b, i)
}

// countOfTurn returns the number of units at the beginning of chosen that belong to turn i.
func (k *turnLog) countOfTurn(chosen []extract.Chosen, i int) (n int) {
	for n < len(chosen) && k.units[chosen[n].Item].turn == i {
		n++
	}
	return n
}

// openingRequest returns the index of the first turn with a request. It returns -1 if there is none, or if units of an
// earlier turn show what the request answers.
func (k *turnLog) openingRequest() int {
	first := slices.IndexFunc(k.turns, func(t turn) bool { return t.request != "" })
	isRecorded := func(t turn) bool { return len(t.units) > 0 && t.units[0].kind != oldUnit }
	if first >= 0 && slices.ContainsFunc(k.turns[:first], isRecorded) {
		return -1
	}
	return first
}

// appendHead appends the rest of the first line of the entry for turn i to b. This is the request with notes on it or,
// if the turn has no request, a label. opens means that the conversation begins with this request. earlier holds the
// units chosen for earlier turns.
func (k *turnLog) appendHead(b []byte, i int, request string, opens bool, earlier []extract.Chosen) []byte {
	t := &k.turns[i]
	switch {
	case request != "":
	case t.units[0].kind == oldUnit:
		return append(b, " "+oldHead...)
	case i == 0:
		return append(b, " "+startHead...)
	default:
		return b
	}
	b = append(append(b, ' '), requestLabel...)
	b = append(b, Fence(strings.ReplaceAll(request, "\n", "\n"+requestIndent))...)
	if t.kept {
		b = append(b, keptNote...)
	}
	if t.stopped {
		b = append(b, interruptedNote...)
	}
	if opens && affirms(t.request) {
		b = append(b, unknownQuestion...)
	}
	if q := &t.question; q.text != "" && !k.has(earlier, q) {
		b = append(b, questionOpen+lastQuestion(q.text)+questionEnd...)
	}
	return b
}

// containsOutcome reports whether the entry of turn t, which shows the chosen units, contains the outcome.
func (k *turnLog) containsOutcome(entry []byte, t *turn, chosen []extract.Chosen, outcome *unit) bool {
	if k.outcomes && k.tells(t, chosen) {
		return true
	}
	k.sought = append(k.sought[:0], outcome.text...)
	return bytes.Contains(entry, k.sought)
}

// beyond returns the units that add most to the known texts, one per line, in at most size bytes.
func (k *turnLog) beyond(size int) string {
	var b strings.Builder
	units, _ := k.choose(size * 4 / 5)
	for _, c := range units {
		at := k.units[c.Item]
		t := &k.turns[at.turn]
		u := &t.units[at.unit]
		line := plainBullet + k.label(t, u) + introOf(u) + u.text + "\n"
		if b.Len()+len(line) <= size {
			b.WriteString(line)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// entry appends the chosen units of turn t to b. Units of one message share a line, as do changes to one file.
func (k *turnLog) entry(b []byte, t *turn, chosen []extract.Chosen) []byte {
	var last *unit
	reads := false
	var room [4]string
	leads := room[:0] // the introductions that are already on the line
	for n := 0; n < len(chosen); n++ {
		u := &t.units[k.units[chosen[n].Item].unit]
		switch {
		case u.readsFile(): // the files that were read share a line
			reads = true
			continue
		case last != nil && last.sharesLine(u):
			b = append(b, last.joinTo(u)...)
			if !slices.Contains(leads, u.lead) {
				b = append(b, introOf(u)...)
				leads = append(leads, u.lead)
			}
			b = append(b, u.text...)
			last = u
			continue
		case last.namesCall(u):
			continue
		case last != nil:
			b = append(b, '\n')
		}
		b = append(append(append(b, entryBullet...), k.label(t, u)...), introOf(u)...)
		leads = append(leads[:0], u.lead)
		text, joined := k.joined(t, chosen[n:])
		n += joined - 1
		b = append(b, text...)
		last = u
	}
	if last != nil {
		b = append(b, '\n')
	}
	if reads {
		b = append(k.appendFiles(append(b, entryBullet+readLabel...), t, chosen), '\n')
	}
	return b
}

// appendFiles appends the names of the files read in turn t, according to the chosen units, to b.
func (k *turnLog) appendFiles(b []byte, t *turn, chosen []extract.Chosen) []byte {
	separator := ""
	for _, c := range chosen {
		if u := &t.units[k.units[c.Item].unit]; u.readsFile() {
			b = append(append(b, separator...), u.text...)
			separator = "; "
		}
	}
	return b
}

// readsFile reports whether a unit names files that a call has read.
func (u *unit) readsFile() bool { return u.kind == readUnit && u.message >= 0 }

// joined returns the text for the first of the chosen units of turn t. If the following units edit the same file, or
// describe scripts as well, the text also covers them. n is the number of units that it covers.
func (k *turnLog) joined(t *turn, chosen []extract.Chosen) (text string, n int) {
	u := &t.units[k.units[chosen[0].Item].unit]
	switch {
	case u.kind == changeUnit && u.message >= 0:
		if text, n = k.describeChanges(t, chosen); u.undone {
			text += undoneNote
		}
		return text, n
	case u.isScript():
		return k.scripts(t, chosen)
	}
	return u.text, 1
}

// namesCall reports whether u quotes the result of a call and therefore names the call, so that next, the unit that
// reports the call, isn't needed.
func (u *unit) namesCall(next *unit) bool {
	return u != nil && u.kind == toldUnit && next.kind == ranUnit && next.text == calledVerb+u.source
}

// sharesLine reports whether next, the unit after u, is written on the same line as u.
func (u *unit) sharesLine(next *unit) bool {
	return u.kind == next.kind && u.message == next.message && u.beside == next.beside && u.denied == next.denied && next.source == u.source && next.kind.isProse() &&
		(next.message >= 0 || next.lead == u.lead)
}

// joinTo returns the separator between u and next, the unit after u on the same line.
func (u *unit) joinTo(next *unit) string {
	if next.lead == u.lead && next.item > u.item+1 && u.item > 0 {
		return "; … "
	}
	return joinOf(u.text)
}

// describeChanges returns a description of the change at the beginning of chosen and of the changes
// to the same file that directly follow it. It leaves out changes to imports if there are other
// changes. n is the number of changes, including these.
func (k *turnLog) describeChanges(t *turn, chosen []extract.Chosen) (text string, n int) {
	first := &t.units[k.units[chosen[0].Item].unit]
	var said []string
	for ; n < len(chosen); n++ {
		u := &t.units[k.units[chosen[n].Item].unit]
		if u.kind != changeUnit || u.source != first.source || u.undone != first.undone || u.message < 0 {
			break
		}
		if _, text, found := strings.Cut(u.text, Fence(u.source)+": "); found && u.factor != ofImport {
			said = append(said, text)
		}
	}
	if n == 1 {
		return first.text, n
	}
	head, _, _ := strings.Cut(first.text, Fence(first.source))
	if head += Fence(first.source); len(said) == 0 {
		return head + " (in " + itoa(n) + " places)", n
	}
	return head + ": " + joinEdits(said), n
}

// isScript reports whether a unit describes a script, and contains nothing but its purpose.
func (u *unit) isScript() bool {
	return u.kind == ranUnit && u.message >= 0 && strings.HasPrefix(u.text, scriptVerb) && strings.HasSuffix(u.text, "`")
}

// longestScripts is the length, in bytes, of a line with the purposes of scripts after which further scripts are only
// counted.
const longestScripts = 300

// scripts returns one line with the purposes of the scripts at the beginning of chosen. n is the number of scripts.
func (k *turnLog) scripts(t *turn, chosen []extract.Chosen) (text string, n int) {
	left := 0
	for ; n < len(chosen); n++ {
		u := &t.units[k.units[chosen[n].Item].unit]
		if !u.isScript() {
			break
		}
		switch purpose := strings.Trim(u.text[len(scriptVerb):], "`"); {
		case n == 0:
			text = purpose
		case len(text) > longestScripts:
			left++
		default:
			text += "; " + purpose
		}
	}
	if n == 1 {
		return scriptVerb + text, n
	}
	if left > 0 {
		text += "; and " + itoa(left) + " more"
	}
	return "ran " + itoa(n) + " scripts: " + text, n
}

// isProse reports whether units of this kind are sentences, which can share a line.
func (k unitKind) isProse() bool {
	switch k {
	case saidUnit, answerUnit, thoughtUnit, toldUnit, oldUnit:
		return true
	}
	return false
}

// delegating lists the names, as ToolKey returns them, of tools that delegate a task to another agent.
var delegating = wordListOf("task agent subagent delegate newtask runsubagent spawnagent dispatchagent delegatetask calltask")

// joinOf returns the separator between a text and the unit that follows it on the same line.
func joinOf(text string) string {
	if endsSentence(text) {
		return " "
	}
	return "; "
}

// introOf returns the introduction of a unit, followed by a colon, or "" if it has none.
func introOf(u *unit) string {
	if u.lead == "" {
		return ""
	}
	return Fence(u.lead) + ": "
}

// toolOf returns the name of the tool from whose result a unit comes.
func toolOf(u *unit) string {
	name, _, _ := strings.Cut(u.source, "(")
	return name
}

// label returns the text that precedes a unit, such as the name of the speaker, or "" for a unit that needs none.
func (k *turnLog) label(t *turn, u *unit) string {
	switch u.kind {
	case saidUnit:
		return saidLabel
	case answerUnit:
		return answerLabelOf(t, u)
	case readUnit:
		return readLabel
	case thoughtUnit:
		return thoughtLabel
	case toldUnit:
		if strings.HasPrefix(u.source, promptVerb) {
			return u.source + ": "
		}
		if delegating.hasTool(toolOf(u)) {
			return reportLabelOf(u.source)
		}
		return u.source + returnedLabel
	}
	return ""
}
