package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// turn is an entry of the log: what the user asked for, and what happened until the user's next message.
type turn struct {
	number    int     // the number of the entry, from 1
	from      int32   // the message that begins it
	request   string  // the user's words; "" if it continues an earlier turn, or if nobody asked
	kept      bool    // the request stays in the context
	stopped   bool    // the user stopped the assistant before it had done anything
	units     []unit  // in chronological order
	touched   []touch // files that commands changed
	contested bool    // the user's next message rejects it
	claims    bool    // its answer says that all is well
	doubt     int     // the number of the turn that puts its answer in doubt, or 0
	question  unit    // the previous turn's question if asked answers it; otherwise its text is empty
}

// The weights of units, in 1024ths, by their kind. A weight multiplies what a unit adds to the log for its length, so a
// unit with 2048 wins against one that says twice as much. Some code recognizes units by their weight: endTurn drops failed
// trials of earlier turns, so ofProbe must differ from all others. ofContested is a factor for the weights of a turn.
const (
	ofAnswer     = 1700 // in the message that closes a turn
	ofFirstWords = 2600 // its first two units: agents usually begin with the outcome
	ofProposal   = 3072 // a closing question that the user answers in a few words
	ofOpen       = 2600 // what the last answer leaves to be done
	ofSaid       = 1024
	ofAnnounced  = 100 // "Let me look at …"
	ofStatus     = 340 // "`x` has not merged yet"
	ofRemark     = 420 // what the assistant says while working, without naming anything
	ofPrediction = 640 // "CI should pass now": the following units show whether it did
	ofChange     = 1000
	ofCreation   = 1100
	ofMoved      = 500 // files that were only moved to another folder; the list of changed files has them too
	ofImport     = 120 // a change that only names other files
	ofCommit     = 2200
	ofCheck      = 800
	ofFailure    = 900
	ofOvercome   = 1400 // a command that failed before it succeeded
	ofProbe      = 299  // a trial that failed
	ofTrial      = 480  // a program that was run, if the unit has the result that it printed
	ofCommand    = 160
	ofCall       = 360  // a call of an unknown tool
	ofTask       = 1100 // what another agent was asked
	ofDeed       = 2200 // a call of a tool that changes something outside of the conversation
	ofFailedDeed = 1500 // such a call that failed
	ofReading    = 480
	ofSearch     = 420
	ofCode       = 320  // a long block of code in an answer
	ofLines      = 300  // lines of code that contain names from the turn
	ofThought    = 600  // what the assistant thinks but doesn't say
	ofReport     = 640  // sentences from the result of an unknown tool
	ofContested  = 256  // for what the user has rejected
	ofOldLine    = 1400 // a line of the previous digest
	ofGoal       = 9000 // the goal and the rules in it
)

// shortReply is the maximum length, in bytes, of a reply that is unclear without the question that it answers.
const shortReply = 60

// turnReader creates the entries of the log from messages.
type turnReader struct {
	t       *transcript.Transcript // the transcript
	turns   []turn                 // the entries so far
	open    hunks                  // the edits whose units have no description yet
	changed critbit.Map[place]     // for each path and line, the unit that added the line, once it has its description
	edited  critbit.Map[string]    // for each file name, the path under which a tool changed the file
	read    critbit.Map[place]     // for each path, the unit about the file that the turn read
	looking lookedFile             // the file that the last calls looked at
	called  []textCall             // calls written as text whose output is still to come
	ran     critbit.Map[place]     // for each command, the unit of its last run in this turn
	// failures counts the last failures of each call of an unknown tool in this turn, without a success between them.
	failures critbit.Map[int]
	values   words.HashSet           // hashes of the values in calls of unknown tools and in their results
	lookups  []lookup                // records that calls returned, until lookedUp adds the units about them
	batch    batch                   // the last calls that changed something outside of the conversation
	polls    critbit.Map[poll]       // for each command that looks at the state of something, its calls in this turn
	lines    words.HashSet           // hashes of the lines that commands printed
	sent     turnWords               // the words of the texts that commands passed to other programs
	shells   critbit.Map[*execution] // for each id of a shell that runs on, its command
	plan     planList                // the last plan that the assistant wrote down
	state    *endState               // the state of the work after the entries
	// troubles maps an error's key to the index of the last turn in which the error occurred, plus one.
	troubles critbit.Map[int]
	goesOn   bool                // the assistant continues after the last message
	written  critbit.Map[place]  // for each path, as a script spells it, the unit about the file written from a heredoc
	scripts  scriptFiles         // the programs that scripts wrote to files
	copies   critbit.Map[copied] // the copies of files, by path
	commits  []place             // the commits that no rebase has replaced
	stashed  []place             // the edits that git's stash holds
	unlogged []unloggedEdit      // the commands whose changes to a file the log doesn't describe
	patches  patchFiles          // the patches that scripts wrote to files
	around   remarks             // what the agent said before and after the current message
	facts    factReader          // analyses sentences
	silent   unit                // the last command that isn't worth a unit, unless the assistant then says that it didn't work
}

// turnsOf returns a reader with the entries for messages, numbered from first on. asked holds the user's requests in
// the messages, and kept the requests between messages (see keptBefore). Messages before the user's first request
// belong to the previous turn. turnsOf also updates state.
func turnsOf(t *transcript.Transcript, messages []int32, asked, kept []string, first int, state *endState) *turnReader {
	r := &turnReader{t: t, state: state, turns: []turn{{number: first - 1}}}
	recent := recentOf(t, messages)
	closing := closingOf(t, messages, asked, kept)
	thin(t, messages[:recent], closing)
	for k, i := range messages {
		if kept[k] != "" && asked[k] == "" {
			r.begin(i, kept[k])
			now := r.now()
			now.request, now.kept = keptBeginning(Tidy(now.request)), true
		}
		if k >= recent {
			r.results(int(i)) // before the user's words in the same message, which begin the next turn
		}
		if asked[k] != "" {
			r.begin(i, asked[k])
		}
		if k >= recent || closing[k] {
			r.message(int(i), closing[k])
		}
		if k >= recent && asked[k] == "" && t.Messages[i].Role == transcript.User {
			now := r.now()
			now.stopped = now.stopped || now.from >= messages[recent] && now.request != "" && len(now.units) == 0 && interrupts(t, int(i))
		}
	}
	r.goesOn = len(messages) > 0 && speaksAfter(t, int(messages[len(messages)-1]))
	r.endTurn(true)
	r.lookedUp()
	return r
}

// begin begins the turn for a request that was made in or before message i. asked is the request.
func (r *turnReader) begin(i int32, asked string) {
	r.endTurn(false)
	r.turns = append(r.turns, turn{number: r.now().number + 1, from: i, request: withoutPaste(asked)})
	r.before(asked)
}

// speaksAfter reports whether the assistant writes or does anything after message i.
func speaksAfter(t *transcript.Transcript, i int) bool {
	return slices.ContainsFunc(t.Messages[i+1:], func(m transcript.Message) bool { return m.Role == transcript.Assistant })
}

// assistantSpeaks reports whether the assistant says anything in message i.
func assistantSpeaks(t *transcript.Transcript, i int) bool {
	for _, p := range t.PartsOf(i) {
		if p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed|transcript.Said) &&
			(!blank(beginning(t, p.Body, lookAhead)) || !blank(t.Text(p.Body))) && !isStub(t, &p) || closes(t, &p) {
			return true
		}
	}
	return false
}

// makesCalls reports whether the assistant calls a tool in message i, other than one that closes its work.
func makesCalls(t *transcript.Transcript, i int) bool {
	return slices.ContainsFunc(t.PartsOf(i), func(p transcript.Part) bool {
		return p.Kind == transcript.ToolCall && !p.Has(transcript.Removed) && !closes(t, &p)
	})
}

func (r *turnReader) now() *turn { return &r.turns[len(r.turns)-1] }

// before adjusts the weights in the turn that the user's next request ends: those of the parts that the request
// rejects, and those of the question that the request answers if it is short. asked is the request. The current turn
// must not be the first.
func (r *turnReader) before(asked string) {
	last, now := &r.turns[len(r.turns)-2], r.now()
	last.judge(asked, now.number)
	r.toldAgain(now.request)
	if last.contested {
		last.narrow(asked)
	}
	f := followUp{request: asked, meant: last.meant(asked), chooses: optionIn(asked) > 0, accepts: accepts(asked),
		trouble: reportsTrouble(asked)}
	for n := range last.units {
		u := &last.units[n]
		if u.kind != answerUnit && u.kind != saidUnit || u.factor == isDropped {
			continue
		}
		if last.contested {
			u.factor = u.factor * ofContested / 1024
			continue
		}
		if f.weigh(u, n, u.message == last.units[len(last.units)-1].message) {
			now.question = *u
		}
	}
}

func hasQuestionMark(text string) bool {
	return strings.IndexByte(text, '?') >= 0 || strings.Contains(text, "？") || strings.Contains(text, "؟")
}

// has reports whether any unit of the turn meets a condition. Units are large, so they aren't copied.
func (t *turn) has(meets func(u *unit) bool) bool {
	for n := range t.units {
		if meets(&t.units[n]) {
			return true
		}
	}
	return false
}

// countSaid returns how many statements made during the work have their usual weight.
func (t *turn) countSaid() (count int) {
	for n := range t.units {
		if u := &t.units[n]; u.kind == saidUnit && u.factor == ofSaid {
			count++
		}
	}
	return count
}

// endTurn closes the entry. It drops announcements, because the announced work has been done, except for one at the end
// of the last turn. If the turn has an answer or the assistant continues, it also drops reports of unfinished work.
// Of the assistant's thoughts, the last ones weigh the most.
func (r *turnReader) endTurn(last bool) {
	t := r.now()
	e := entryEnd{last: last, said: t.countSaid(), answered: t.has(func(u *unit) bool { return u.kind == answerUnit })}
	r.describeEdits()
	r.dropRepeated()
	r.deny()
	r.corrects()
	r.markRefuted()
	t.dropDiagnoses()
	t.dropSuppositions()
	t.dropThoughtAgain()
	if !last && t.reportsProgress() {
		t.dropReport()
	}
	e.overtaken = e.answered || last && r.goesOn
	if e.answered || !last {
		e.newerSaid, e.newerThoughts = max(e.said-1, 0), newThoughts
	}
	for n := range slices.Backward(t.units) {
		u := &t.units[n]
		u.endAttempt()
		if u.factor == ofStatus && e.overtaken {
			u.endStatus()
		}
		if e.isOver(u, n == len(t.units)-1) || e.isMinor(u) {
			u.factor = isDropped
		} else {
			e.weigh(u)
		}
	}
	r.weighNotes(last)
	r.read = critbit.Map[place]{}
	r.ran = critbit.Map[place]{}
	r.failures = critbit.Map[int]{}
	r.polls = critbit.Map[poll]{}
}

// diagnosisSigns lists phrases, in lower case, from sentences that name a cause.
var diagnosisSigns = substringsOf("real issue|root cause|the problem is|the bug is|the issue is|issue becomes|key issue|so the bug|actual problem|eigentliche problem|ursache|根本原因|原因は")

// dropDiagnoses drops all diagnoses in the agent's thoughts and statements except for the last one.
func (t *turn) dropDiagnoses() {
	found := false
	for n := range slices.Backward(t.units) {
		u := &t.units[n]
		if !u.kind.isProse() || u.kind == toldUnit || u.kind == oldUnit || u.factor == isDropped {
			continue
		}
		diagnoses := diagnosisSigns.inAnyCase(u.text)
		if diagnoses && found && u.kind != answerUnit {
			u.factor = isDropped
		}
		found = found || diagnoses
	}
}

// progressHeads lists the beginnings of answers about the progress of the work.
var progressHeads = []string{"i'm in the middle ", "we're in the middle ", "i'm still ", "still working", "ich bin noch ", "je suis en train ", "sigo "}

// reportsProgress reports whether a turn only reports the progress of an earlier turn's work.
func (t *turn) reportsProgress() bool {
	return len(t.units) > 0 && headedBy(t.units[0].text, progressHeads) && !t.has(func(u *unit) bool { return u.kind != answerUnit })
}

// dropReport drops everything in a turn except for questions.
func (t *turn) dropReport() {
	for n := range t.units {
		if u := &t.units[n]; !hasQuestionMark(u.text) {
			u.factor = isDropped
		}
	}
}

// dropRepeated drops the parts of the current turn's statements that its answer, or a later statement, repeats exactly.
func (r *turnReader) dropRepeated() {
	var later words.HashSet
	var room []byte // a buffer for a part in lower case
	units := r.now().units
	first := slices.IndexFunc(units, func(u unit) bool { return u.kind == saidUnit })
	if first < 0 {
		return
	}
	for n := range slices.Backward(units[first:]) {
		u := &units[first+n]
		if u.kind != saidUnit && u.kind != answerUnit || u.factor == isDropped {
			continue
		}
		for part := range partsOf(u.text) {
			room = words.AppendLower(room[:0], unsigned(part))
			switch key := words.Hash64(room); {
			case len(room) < leastSaidAgain:
			case u.kind == saidUnit && later.Has(key):
				u.text = strings.TrimSpace(strings.Replace(u.text, part, "", 1))
			default:
				later.Put(key)
			}
		}
		if u.text == "" {
			u.factor = isDropped
		}
	}
}

// usualUnits is the initial capacity of a turn's list of units.
const usualUnits = 4

// leastSaidAgain is the minimum length of a repeated part that is dropped, in bytes.
const leastSaidAgain = 30

func (r *turnReader) add(u unit) {
	if u.text != "" {
		t := r.now()
		if t.units == nil {
			t.units = make([]unit, 0, usualUnits)
		}
		t.units = append(t.units, u)
	}
}

// message adds what message i contributes to the current turn: the assistant's texts, a command that the user ran, an
// agent program's summary, or what was done by calls whose output is text. last means that the assistant writes nothing
// more in this turn, so its text is the turn's answer unless the message calls a tool.
func (r *turnReader) message(i int, last bool) {
	t, m := r.t, &r.t.Messages[i]
	if m.Variant == transcript.Shell {
		output := t.Text(t.FirstText(i))
		run := runOf(t.Text(m.Label), output, false)
		if run.exit = exitOf(string(t.Bytes(m.Exit))); run.kind == looks {
			return
		}
		r.state.ran(&run, output, r.now().number)
		r.add(unit{kind: ranUnit, message: int32(i), text: "the user " + run.text(), factor: ofCheck})
		return
	}
	if m.Role == transcript.Assistant {
		r.called = textCalls(t, i)
		r.said(i, last)
	}
	if m.Role == transcript.User {
		r.continued(i)
		r.notified(i)
	}
	if isTextResult(t, i) {
		r.textResult(i)
	}
}

// results adds what was done by the calls whose results are in message i.
func (r *turnReader) results(i int) {
	m := &r.t.Messages[i]
	for n := m.First; n < m.First+m.Count; n++ {
		if p := &r.t.Parts[n]; p.Kind == transcript.ToolResult && !p.Has(transcript.Removed) && p.Pair >= 0 {
			r.result(i, n)
		}
	}
}

// result adds what a call did according to its result, which is part n of message i.
func (r *turnReader) result(i int, n int32) {
	t, p := r.t, &r.t.Parts[n]
	call := &t.Parts[p.Pair]
	failed := p.Has(transcript.IsError)
	if refusedBare(t, n) {
		r.add(unit{kind: ranUnit, message: int32(i), text: "the user refused " + Fence(calledAs(t, call)), factor: ofFailure})
		return
	}
	text := func() string { return withoutExcerptMarker(ResultText(t, int(n))) }
	switch useOfCall(t, call) {
	case edits:
		if !failedResult(t, n) {
			for _, c := range changesOf(t, call) {
				r.change(i, &c)
			}
		}
	case runs:
		r.addCommand(i, n, commandOf(t, call), text(), failed)
	case reads:
		if path := Path(t, call); path != "" && !failed {
			r.looking.set(call.Msg, path)
			r.looked(i, path)
		}
	case searches:
		if pattern := patternOf(t, call); !failed {
			r.looking.set(call.Msg, Path(t, call))
			r.found(i, pattern, text())
		}
	case unknown:
		if c := r.awaited(call); c != nil {
			r.addAwaited(i, c, text(), failed)
			return
		}
		r.other(i, n, call, text(), failed)
	}
}

// place is the position of a unit: the index of its turn, and its index in the turn.
type place struct{ turn, unit int }

// openSigns lists phrases, in lower case, from sentences and headings about remaining work.
var openSigns = substringsOf("remaining|next step|next up|still to |still open|still need|todo|to do|to-do|not yet|not done|left to|outstanding|blocked|follow-up|pending|" +
	"offen|noch zu|noch nicht|nächste schritte|restant|à faire|reste à|pendiente|por hacer|осталось|待办|剩余|下一步|未完|残り|남은")

// saysOpen reports whether text mentions remaining work.
func saysOpen(text string) bool {
	return openSigns.inAnyCase(text)
}

// shortRemark is the length, in bytes, below which a remark is worthless once an answer ends the turn.
const shortRemark = 100

// The numbers of newest statements and thoughts that keep their full weight. Once an answer or another turn follows,
// all statements count as equally old, and newThoughts further thoughts are assumed, because an agent that reports each
// step also reports the outcome at the end.
const (
	newSaid     = 10
	newThoughts = 10
)

// olderThan returns the factor of a unit that is followed by newer units of its kind. newer is the number of those
// units. A unit keeps its factor if that number is below newest.
func olderThan(factor, newer, newest int) int {
	if factor == isDropped || newer < newest {
		return factor
	}
	return max(factor*newest/(newer+1), factor/2)
}

// isDropped is the factor of a unit that no longer applies.
const isDropped = -1

func (r *turnReader) here() place { return place{len(r.turns) - 1, len(r.now().units)} }

func (r *turnReader) unitAt(p place) *unit { return &r.turns[p.turn].units[p.unit] }

func (r *turnReader) drop(p place) { r.unitAt(p).factor = isDropped }

// polling lists tools that check on, wait for or end running work, record the agent's thoughts, or find other tools.
var polling = wordListOf("writestdin bashoutput taskoutput killshell killbash taskstop wait sleep getterminaloutput think processthoughts sequentialthinking toolsearch toolsearchcall")
