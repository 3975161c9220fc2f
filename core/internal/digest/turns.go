package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/api"
	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// turn is an entry of the log: what the user asked, and what came of it until the user spoke again.
type turn struct {
	number    int
	asked     string   // the user's words; "" where a turn goes on that was begun before, or nobody asked
	units     []unit   // in the order in which they happened
	touched   []string // files that commands changed
	contested bool     // the user's next message rejects it
}

// What a unit gains, in 1/1024 of what its words are worth: by what it is.
const (
	ofAnswer     = 1700 // of the message that closes a turn
	ofFirstWords = 2600 // its first two units: agents begin with what came of it
	ofProposal   = 3072 // a closing question that the user answers in a few words
	ofSaid       = 1024
	ofAnnounced  = 100 // "Let me look at …"
	ofBeforeCall = 500 // the last thing said before a call
	ofChange     = 1000
	ofCreation   = 1100
	ofCommit     = 2200
	ofCheck      = 800
	ofFailure    = 900
	ofCommand    = 160
	ofReading    = 480
	ofSearch     = 420
	ofNote       = 360  // a comment in a file that was read
	ofThought    = 600  // what the assistant thinks and does not say
	ofReport     = 640  // what a tool that is not known says in sentences
	ofContested  = 256  // what the user has rejected, of 1024
	ofOldLine    = 1400 // a line of the digest before
)

// shortReply is how short an answer may be to be unclear without its question, in bytes.
const shortReply = 60

// mostReport is how much of what a tool says is looked through for sentences, in bytes.
const mostReport = 6000

// turnReader makes entries of messages.
type turnReader struct {
	t       *transcript.Transcript
	turns   []turn
	changed critbit.Map[place]    // by path and line: the unit that added the line
	read    critbit.Map[struct{}] // the files that the turn looked at
	called  []textCall            // calls written as text, whose output is to come
	ran     critbit.Map[place]    // by command, in this turn: the unit that ran it last
}

// turnsOf are the entries of messages, in which the user asked what asked says, numbered from first on. Messages before the first of the user's are the rest of the turn before it.
func turnsOf(t *transcript.Transcript, messages []int32, asked []string, first int) *turnReader {
	r := &turnReader{t: t, turns: []turn{{number: first - 1}}}
	recent := recentOf(t, messages)
	closing := closingOf(t, messages, asked)
	thin(t, messages[:recent], closing)
	for k, i := range messages {
		if asked[k] != "" {
			r.endTurn()
			r.turns = append(r.turns, turn{number: first, asked: asked[k]})
			first++
			r.before(asked[k])
		}
		if k >= recent || closing[k] {
			r.message(int(i), closing[k])
		}
	}
	r.endTurn()
	return r
}

// closingOf marks the last message in which the assistant says something of each turn, unless a call follows.
func closingOf(t *transcript.Transcript, messages []int32, asked []string) []bool {
	closing := make([]bool, len(messages))
	open := true // no message of the assistant's follows in the turn
	for k := len(messages) - 1; k >= 0; k-- {
		i := int(messages[k])
		if t.Messages[i].Role == transcript.Assistant && open {
			open = false
			closing[k] = says(t, i)
		}
		open = open || asked[k] != ""
	}
	return closing
}

// mostClosing is how much of the last messages of old turns is read, in bytes: taken evenly, where they have more.
const mostClosing = 1 << 18

// thin takes so many of the marks of old messages away that what is left of them has no more than mostClosing bytes.
func thin(t *transcript.Transcript, old []int32, closing []bool) {
	size := func(k int) (sum int) {
		if closing[k] {
			for _, p := range t.PartsOf(int(old[k])) {
				if p.Kind == transcript.Text {
					sum += min(int(p.Size.Bytes), lookText)
				}
			}
		}
		return sum
	}
	all, seen, taken := 0, 0, 0
	for k := range old {
		all += size(k)
	}
	if all <= mostClosing {
		return
	}
	for k := range old {
		n := size(k)
		seen += n
		if closing[k] = closing[k] && taken+n <= mostClosing/1024*(seen/(all/1024)); closing[k] {
			taken += n
		}
	}
}

// says reports whether the assistant says anything in message i.
func says(t *transcript.Transcript, i int) bool {
	for _, p := range t.PartsOf(i) {
		if p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed|transcript.Said) &&
			(!blank(beginning(t, p.Body, lookAhead)) || !blank(t.Text(p.Body))) {
			return true
		}
	}
	return false
}

func (r *turnReader) now() *turn { return &r.turns[len(r.turns)-1] }

// before weighs the turn that a request of the user ends: what it rejects, and the question that a short one answers.
func (r *turnReader) before(asked string) {
	last := &r.turns[len(r.turns)-2]
	last.contested = contests(asked)
	for n := range last.units {
		u := &last.units[n]
		if u.kind != answerUnit && u.kind != saidUnit {
			continue
		}
		switch {
		case last.contested:
			u.factor = u.factor * ofContested / 1024
		case len(asked) <= shortReply && n == len(last.units)-1 && u.kind == answerUnit && asksIn(u.text):
			u.factor = ofProposal
		}
	}
}

func asksIn(text string) bool { return strings.ContainsAny(text, "?？؟") }

// endTurn closes the entry.
func (r *turnReader) endTurn() {
	r.weighNotes()
	r.read = critbit.Map[struct{}]{}
	r.ran = critbit.Map[place]{}
}

// weighNotes drops comments, and takes weight off what tools say, that share few words with what the user and the assistant say in the turn.
func (r *turnReader) weighNotes() {
	t := r.now()
	if !slices.ContainsFunc(t.units, func(u unit) bool { return u.kind == noteUnit || u.kind == toldUnit }) {
		return
	}
	var ws []words.Word
	spoken := map[uint32]struct{}{}
	add := func(text string) {
		ws = words.Append(ws[:0], text[:min(len(text), mostPasted)])
		for _, w := range ws {
			spoken[w.Stem] = struct{}{}
		}
	}
	add(t.asked)
	for _, u := range t.units {
		if u.kind == saidUnit || u.kind == answerUnit || u.kind == thoughtUnit {
			add(u.text)
		}
	}
	for n := range t.units {
		u := &t.units[n]
		if u.kind != noteUnit && u.kind != toldUnit {
			continue
		}
		long, shared := 0, 0
		ws = words.Append(ws[:0], u.text)
		for _, w := range ws {
			if w.End-w.From < 5 {
				continue
			}
			long++
			if _, found := spoken[w.Stem]; found {
				shared++
			}
		}
		switch {
		case shared*5 >= long*2:
		case u.kind == noteUnit:
			u.factor = isDropped
		default:
			u.factor = u.factor * ofContested / 1024
		}
	}
}

func (r *turnReader) add(u unit) {
	if u.text != "" {
		t := r.now()
		t.units = append(t.units, u)
	}
}

// message adds what message i says and does. The last message of a turn is its answer, unless it calls a tool.
func (r *turnReader) message(i int, last bool) {
	t, m := r.t, &r.t.Messages[i]
	if m.Variant == transcript.Shell {
		run := runOf(t.Text(m.Label), t.Text(t.FirstText(i)), false)
		if run.exit = exitOf(string(t.Bytes(m.Exit))); run.kind == looks {
			return
		}
		r.add(unit{kind: ranUnit, message: int32(i), text: "the user " + run.text(), factor: ofCheck})
		return
	}
	if m.Role == transcript.Assistant {
		r.called = textCalls(t, i)
		r.said(i, last)
	}
	if isTextResult(t, i) {
		r.textResult(i)
	}
	for n := m.First; n < m.First+m.Count; n++ {
		if p := &t.Parts[n]; p.Kind == transcript.ToolResult && !p.Has(transcript.Removed) && p.Pair >= 0 {
			r.result(i, n)
		}
	}
}

// said adds what the assistant says in message i.
func (r *turnReader) said(i int, last bool) {
	t := r.t
	calls := false
	for _, p := range t.PartsOf(i) {
		calls = calls || p.Kind == transcript.ToolCall && !p.Has(transcript.Removed)
		if p.Kind == transcript.Reasoning && !p.Has(transcript.Removed) && t.IsString(p.Body) {
			r.thought(i, t.Text(p.Body))
		}
	}
	text := saidIn(t, i)
	if t.Outputs {
		text = withoutCalls(text)
	}
	if blank(text) {
		return
	}
	calls = calls || len(r.called) > 0
	kind, factor := saidUnit, ofSaid
	if last && !calls {
		kind, factor = answerUnit, ofAnswer
	}
	from := len(r.now().units)
	proseUnits(text[:min(len(text), lookText)], func(lead, text string, item int) {
		u := unit{kind: kind, message: int32(i), lead: lead, text: text, item: item, factor: factor}
		switch {
		case saysLittle(text) && (kind == saidUnit || item == 0 && lead == "" && !strings.Contains(text, " ")):
			return
		case announces(text):
			u.factor = ofAnnounced
		case announces(lead):
			u.factor = ofBeforeCall
		case kind == answerUnit && len(r.now().units) < from+2:
			u.factor = ofFirstWords
		}
		r.add(u)
	})
	if units := r.now().units; calls && len(units) > from {
		u := &units[len(units)-1]
		u.factor = min(u.factor, ofBeforeCall)
	}
}

// withoutCalls is what an agent that writes its calls as text says before the first of them, without the label of its thoughts.
func withoutCalls(text string) string {
	for at := 0; at < len(text); {
		n := strings.IndexAny(text[at:], "<`")
		if n < 0 {
			break
		}
		at += n
		if strings.HasPrefix(text[at:], "```") || text[at] == '<' && at+1 < len(text) && tagName(text[at+1:]) != "" {
			text = text[:at]
			break
		}
		at++
	}
	text = strings.TrimSpace(text)
	for _, label := range []string{"THOUGHT:", "Thought:", "DISCUSSION", "DISCUSSION:"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, label))
	}
	if n := strings.Index(text, "\nAction:"); n >= 0 {
		text = text[:n]
	}
	return text
}

// textResult adds what the calls did that message i, a text, is the output of.
func (r *turnReader) textResult(i int) {
	output := ""
	for _, p := range r.t.PartsOf(i) {
		if p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed) {
			output = joinText(output, r.t.Text(p.Body))
		}
	}
	for n, call := range r.called {
		said := ""
		if n == len(r.called)-1 { // one output is about all of them
			said = output
		}
		switch {
		case call.command != "":
			r.run(i, call.command, said, failedText(said))
		case useOf(call.tool) == edits && call.path != "":
			r.change(i, &change{path: call.path, added: linesOf(call.text)})
		case call.path != "":
			r.looked(i, call.path, said)
		}
	}
	r.called = nil
}

// thought adds what the assistant thinks in message i and names something in, but for what it wonders and what it is going to do.
func (r *turnReader) thought(i int, text string) {
	proseUnits(trimRune(text[:min(len(text), mostThought)]), func(lead, text string, item int) {
		if strings.ContainsAny(text, "`0123456789/_\"") && !announces(text) && !asksIn(text) && !wonders(text) && !saysLittle(text) && !announces(lead) && !wonders(lead) {
			r.add(unit{kind: thoughtUnit, message: int32(i), lead: lead, text: text, item: item, factor: ofThought})
		}
	})
}

// mostThought is how much of one piece of reasoning is looked through, in bytes.
const mostThought = 8000

// wonderHeads begin sentences of somebody who is not sure, or who only repeats what is asked.
var wonderHeads = strings.Split("wait|hmm|actually|maybe|perhaps|but wait|ok so|okay|so the user|the user |user |i should|i think|i could|i can |i want|we need|we should|i'm not sure|good|great|now", "|")

var wonderStarts = startsOf(wonderHeads)

func wonders(text string) bool {
	if !wonderStarts.may(text) {
		return false
	}
	head := lower(strings.ReplaceAll(trimRune(text[:min(len(text), 40)]), "’", "'"))
	for _, s := range wonderHeads {
		if strings.HasPrefix(head, s) {
			return true
		}
	}
	return false
}

// saysLittle reports whether a text is one word, or has few of them and neither a number nor a name of code: "Good, those are fine."
func saysLittle(text string) bool {
	if !strings.Contains(text, " ") && !unspacedText(text) {
		return true
	}
	least := 3
	if praiseStarts.may(text) {
		for _, head := range praise {
			if strings.HasPrefix(text, head) {
				least = 9
			}
		}
	}
	return fewSpaces(text, least) && !strings.ContainsAny(text, "`0123456789/_") && !unspacedText(text)
}

// fewSpaces reports whether a text has less than n spaces.
func fewSpaces(text string, n int) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == ' ' {
			if n--; n == 0 {
				return false
			}
		}
	}
	return true
}

// praise begins sentences in which an assistant approves of something, most often of what it has just done.
var praise = []string{"Good", "Great", "Perfect", "Excellent", "Nice", "Clean", "All clean", "All good", "Looks good", "Those are", "That is", "That's", "Gut", "Parfait", "Perfecto"}

var praiseStarts = startsOf(praise)

// Words and signs with which sentences begin that say what comes next.
var (
	announceHeads = strings.Split("let me|now let me|let's|i'll|i will|i'm going to|i am going to|i need to|now i |now i'll|next, |next i|first, let me|first, i|good, now|"+
		"ok, now|okay, now|still |waiting |continuing |no change yet|i now have|i have enough|now add|now update|now fix|now replace|now the |ich werde|lass mich|jetzt |nun |zuerst |voy a|ahora |déjame|je vais|"+
		"maintenant |laissez-moi|d'abord|давайте|теперь |сначала |я сейчас|सबसे पहले|अब |سأ|الآن", "|")
	announceSigns = strings.Fields("让我 我来 现在 接下来 我先 首先 まず 次に では 이제 먼저 다음으로")
)

// announceStarts are the starts of announceHeads, announceSigns and of "I'm …".
var announceStarts = startsOf(announceHeads, announceSigns, []string{"i'm "})

// announces reports whether a unit only says what the assistant does next.
func announces(text string) bool {
	if len(text) >= 240 || !announceStarts.may(text) {
		return false
	}
	head := lower(strings.ReplaceAll(trimRune(text[:min(len(text), 40)]), "’", "'"))
	for _, s := range announceHeads {
		if strings.HasPrefix(head, s) {
			return !asksIn(text)
		}
	}
	if rest, found := strings.CutPrefix(head, "i'm "); found { // "I'm checking …"
		word, _, _ := strings.Cut(strings.TrimPrefix(rest, "now "), " ")
		return strings.HasSuffix(word, "ing") && !asksIn(text)
	}
	for _, s := range announceSigns {
		if strings.HasPrefix(head, s) {
			return !asksIn(text)
		}
	}
	return false
}

// result adds what a call did, by its result, part n of message i.
func (r *turnReader) result(i int, n int32) {
	t, p := r.t, &r.t.Parts[n]
	call := &t.Parts[p.Pair]
	name := t.Text(call.Name)
	failed := p.Has(transcript.IsError)
	switch useOf(name) {
	case edits:
		if !failed {
			for _, c := range changesOf(t, call) {
				r.change(i, &c)
			}
		}
	case runs:
		r.run(i, commandOf(t, call), ResultText(t, int(n)), failed)
	case reads:
		if path := Path(t, call); path != "" && !failed {
			r.looked(i, path, ResultText(t, int(n)))
		}
	case searches:
		if pattern := patternOf(t, call); !failed {
			r.found(i, pattern, ResultText(t, int(n)))
		}
	case unknown:
		if !failed && !polling.has(ToolKey(name)) {
			r.report(i, name, ResultText(t, int(n)))
		}
	}
}

// place says where a unit is: which turn, which unit of it.
type place struct{ turn, unit int }

// isDropped is the factor of a unit that no longer holds.
const isDropped = -1

func (r *turnReader) here() place { return place{len(r.turns) - 1, len(r.now().units)} }

func (r *turnReader) drop(p place) { r.turns[p.turn].units[p.unit].factor = isDropped }

// polling are tools that ask how something goes on that runs.
var polling = wordListOf("writestdin bashoutput taskoutput killshell killbash wait sleep getterminaloutput")

// change adds a change of a file. An earlier one is dropped if this one takes its lines out again.
func (r *turnReader) change(i int, c *change) {
	if c.path == "" || thrownAway(c.path) {
		return
	}
	for _, line := range c.removed {
		if at, found := r.changed.Get(c.path + "\x00" + line); found {
			r.drop(at)
		}
	}
	verb, factor := editedVerb, ofChange
	if c.created {
		verb, factor = wroteVerb, ofCreation
	}
	text := verb + Fence(c.path)
	if said := c.text(); said != "" {
		text += ": " + said
	}
	at := r.here()
	for _, line := range telling(c.added) {
		r.changed.Set(c.path+"\x00"+line, at)
	}
	r.add(unit{kind: changeUnit, message: int32(i), source: c.path, text: text, factor: factor})
}

// The first words of a unit that reports a change, before the path.
const (
	editedVerb = "edited "
	wroteVerb  = "wrote "
)

// thrownAway reports whether a file is in a folder whose contents nobody keeps.
func thrownAway(path string) bool {
	for _, dir := range []string{"/tmp/", "/var/folders/", "/var/tmp/", "/private/tmp/", "/dev/"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return strings.Contains(path, "/scratchpad/") || strings.Contains(path, "\\Temp\\")
}

// run adds a command, and drops the same one before it in the turn.
func (r *turnReader) run(i int, script, output string, failed bool) {
	if script == "" {
		return
	}
	run := runOf(script, output, failed)
	output = withoutEnvelope(output)
	factor := ofCommand
	var files []string
	folder := folderOf(script)
	shellFiles(script, func(path string) { files = addPath(files, inFolder(folder, path)) }, func(path string) {
		factor = max(factor, ofCheck/2)
		t := r.now()
		t.touched = addPath(t.touched, inFolder(folder, path))
	})
	_, docs := cutHeredocs(script)
	for _, doc := range docs {
		for _, c := range patchChanges(doc) {
			r.change(i, &c)
		}
	}
	bad := run.exit != "" && run.exit != "0"
	switch {
	case run.kind == looks && !bad && len(files) == 1:
		r.looked(i, files[0], output)
		return
	case run.kind == looks && !bad:
		if pattern := searchedFor(run.script); pattern != "" {
			r.found(i, pattern, output)
		}
		return
	case run.kind == looks, run.kind == acts && !bad:
		return
	case run.kind == commits:
		factor = ofCommit
	case bad:
		factor = ofFailure
	case run.kind == checks:
		factor = ofCheck
	}
	text := run.text()
	f := key(&api.LedgerFailure{Tool: "bash", On: clipLine(run.script, maxCommand)})
	if at, found := r.ran.Get(f); found && run.kind == checks {
		if earlier := &r.turns[at.turn].units[at.unit]; strings.Contains(earlier.text, "→ exit") || strings.Contains(earlier.text, "→ failed") {
			if !bad {
				text += " (failed before)"
			}
		}
		r.drop(at)
	}
	r.ran.Set(f, r.here())
	r.add(unit{kind: ranUnit, message: int32(i), text: text, factor: factor})
}

// looked adds that a file was looked at, and what it defines, and the comments in what was read of it.
func (r *turnReader) looked(i int, path, text string) {
	if r.read.Has(path) || path == "" {
		return
	}
	r.read.Add(strings.Clone(path))
	said, factor := Fence(clipLine(path, maxCommand)), ofReading/4
	if names := definedIn(readLines(text)); len(names) > 0 {
		said, factor = said+" (defines "+strings.Join(names, ", ")+")", ofReading
	}
	r.add(unit{kind: readUnit, message: int32(i), source: path, text: said, factor: factor})
	r.notes(i, path, text)
}

// readLines are the lines of a file as a tool shows them, without numbers.
func readLines(text string) []string {
	lines := linesOf(trimRune(text[:min(len(text), 2*mostReport)]))
	for i, line := range lines {
		lines[i] = unnumbered(line)
	}
	return lines
}

// unnumbered is a line of a file without the number before it.
func unnumbered(line string) string {
	i := 0
	for i < len(line) {
		switch c := line[i]; {
		case c == ' ', c == '\t', c >= '0' && c <= ':', c == '|':
			i++
		case c == "→"[0] && strings.HasPrefix(line[i:], "→"):
			i += len("→")
		default:
			return line[i:]
		}
	}
	return ""
}

// mostFound is how many files of a search are named, and mostHits how many places may be quoted with what they say.
const (
	mostFound = 6
	mostHits  = 3
)

// found adds what a search found: few places with what they say, of many the files.
func (r *turnReader) found(i int, pattern, text string) {
	var hits, files []string
	for line := range strings.Lines(trimRune(text[:min(len(text), mostReport)])) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "./")
		file, said, _ := strings.Cut(line, ":")
		if strings.ContainsAny(file, " \t") || !strings.ContainsAny(file, "./") || len(file) > maxCommand {
			continue
		}
		if hits = append(hits, file); said != "" {
			hits[len(hits)-1] = clipLine(line, mostLead)
		}
		files = append(files, file)
	}
	if pattern == "" || len(files) == 0 {
		return
	}
	said, factor := "", ofSearch
	if len(hits) <= mostHits {
		said = strings.Join(hits, "; ")
	} else {
		files = newestOf(files, mostFound, func(s string) string { return s })
		said, factor = strings.Join(files, ", "), ofReading/4
	}
	text = "searched for `" + strings.ReplaceAll(clipLine(pattern, maxName), "`", "'") + "`: " + said
	r.add(unit{kind: ranUnit, message: int32(i), text: Fence(text), factor: factor})
}

// patternOf is what a call of a tool that searches looks for.
func patternOf(t *transcript.Transcript, call *transcript.Part) (pattern string) {
	arguments(t, call, func(key, text string) {
		if pattern == "" && searchKeys.has(key) {
			pattern = text
		}
	})
	return pattern
}

var searchKeys = wordListOf("pattern query regex search q glob glob_pattern search_term")

// searchedFor is what the first search of a script looks for, or "".
func searchedFor(script string) string {
	for n := 0; len(script) > 0 && n < 8; n++ {
		var words []string
		words, script = simpleCommand(script, func(string) {})
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "grep", "rg", "ag", "egrep", "fgrep":
			for _, w := range words[1:] {
				if !strings.HasPrefix(w, "-") {
					return w
				}
			}
		}
	}
	return ""
}

// report adds what a tool says whose use is not known: an agent, a page, an issue. Of JSON its texts count, short ones with their keys.
func (r *turnReader) report(i int, name, text string) {
	name = clipLine(Fence(name), maxName)
	add := func(lead, text string, item int) {
		r.add(unit{kind: toldUnit, message: int32(i), lead: lead, source: name, text: text, item: item, factor: ofReport})
	}
	prose := func(text string) {
		proseUnits(trimRune(text[:min(len(text), mostReport)]), func(lead, text string, item int) {
			if (!fewSpaces(text, 4) || unspacedText(text)) && !codes(text) && !announces(text) {
				add(lead, text, item)
			}
		})
	}
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		prose(text)
		return
	}
	src := []byte(text)
	if len(src) > lookText || !valid(jsonspan.New(src)) {
		return
	}
	var pairs strings.Builder
	pairsIn(jsonspan.New(src), src, "", "", func(key, text string) {
		switch {
		case len(text) > mostLead:
			prose(text)
		case len(text) > 3 && !isOpaque(text):
			if pairs.Len()+len(key)+len(text) > fullUnit {
				add("", Fence(pairs.String()), 0)
				pairs.Reset()
			}
			if pairs.Len() > 0 {
				pairs.WriteString("; ")
			}
			pairs.WriteString(clipLine(key, maxName) + ": " + clipLine(text, mostLead))
		}
	})
	add("", Fence(pairs.String()), 0)
}

// pairsIn calls see for each text in a JSON value with the key that it is under, after the key of the object that it is in.
func pairsIn(s *jsonspan.Scanner, src []byte, parent, key string, see func(key, text string)) {
	switch s.Kind() {
	case jsonspan.String:
		see(strings.TrimSpace(parent+" "+key), jsonspan.Text(src, s.Text().Span))
	case jsonspan.Array:
		for s.Array(); s.Elem(); {
			pairsIn(s, src, parent, key, see)
		}
	case jsonspan.Object:
		for s.Object(); ; {
			name, ok := s.Key()
			if !ok {
				return
			}
			pairsIn(s, src, key, string(name), see)
		}
	default:
		s.Skip()
	}
}

// leastNote is how many words a comment must have to be worth a unit.
const leastNote = 6

// notes adds what the comments in a file say that was read: the sentences in it.
func (r *turnReader) notes(i int, path, text string) {
	var note strings.Builder
	end := func() {
		if note.Len() == 0 {
			return
		}
		if s := cleanUnit(note.String(), mostUnit); !fewSpaces(s, leastNote-1) {
			r.add(unit{kind: noteUnit, message: int32(i), source: path, text: s, factor: ofNote})
		}
		note.Reset()
	}
	for line := range strings.Lines(trimRune(text[:min(len(text), mostReport)])) {
		line = unnumbered(line)
		comment, found := "", false
		if line != "" && byteClass[line[0]]&(small|capital) == 0 {
			for _, mark := range []string{"//", "# ", "* ", "/** ", "-- ", "\"\"\""} {
				if comment, found = strings.CutPrefix(line, mark); found {
					break
				}
			}
		}
		if !found {
			end()
			continue
		}
		if comment = strings.TrimSpace(strings.Trim(comment, "/*\" \r\n")); comment == "" || codes(comment) {
			end()
			continue
		}
		if note.Len() > 0 {
			note.WriteByte(' ')
		}
		note.WriteString(comment)
	}
	end()
}

// unspacedText reports whether a text is in a script without spaces.
func unspacedText(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"'“「《*_ "))
	return words.Unspaced(r)
}

// isOpaque reports whether a text is an id, a date, an address or a number: nothing that anybody reads.
func isOpaque(text string) bool {
	if strings.Contains(text, "://") {
		return true
	}
	letters, other := 0, 0
	for i := range len(text) {
		switch c := text[i] | 0x20; {
		case c >= 'a' && c <= 'z' || text[i] >= 0x80 || text[i] == ' ':
			letters++
		case text[i] != '_' && text[i] != '/' && text[i] != '-':
			other++
		}
	}
	return other*3 > letters
}

func valid(s *jsonspan.Scanner) bool {
	s.Skip()
	return s.Err() == nil
}

// maxName is how long the name of a tool may be in an entry, in bytes.
const maxName = 64
