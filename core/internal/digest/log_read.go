package digest

import (
	"cmp"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// inherit takes over the entries of the previous digest, or else the requests in the ledger. asked holds the requests
// that were made since then.
func (k *turnLog) inherit(asked []string, l *Ledger, prior [sections]string) {
	fresh := 0
	for _, text := range asked {
		if text != "" {
			fresh++
		}
	}
	k.turns, k.base = readLog(prior[logged])
	k.unclip(l)
	var before turn
	for _, i := range sessionLayout.order {
		// The state is read elsewhere, and the files may have changed since then.
		if i == logged || i == ending || i == shown {
			continue
		}
		heading := strings.TrimLeft(sessionLayout.headings[i], "# ")
		unitsWithCode(withoutTerms(prior[i]), longCode, func(lead, text string, item int) {
			u := unit{kind: oldUnit, message: -1, lead: cmp.Or(lead, heading), text: text, item: item}
			if u.factor = worthOfOld(u.lead, text, fresh); i == carryover { // the heading says nothing
				u.lead = lead
			}
			before.units = append(before.units, u)
		})
	}
	if len(k.turns) == 0 {
		var requests []string
		if l.Task != "" {
			requests = append(requests, l.Task)
		}
		requests = append(requests, l.Requests...)
		for n, r := range requests[:max(0, len(requests)-fresh)] {
			k.turns = append(k.turns, turn{number: n + 1, request: withoutPaste(r)})
		}
	}
	if len(before.units) > 0 {
		k.turns = append([]turn{before}, k.turns...)
	}
}

// ahead is the number of requests in the ledger with which a request in the log is compared.
const ahead = 32

// unclip restores requests that were clipped in the previous digest. It gets their full text from the ledger.
func (k *turnLog) unclip(l *Ledger) {
	requests := append([]string{l.Task}, l.Requests...)
	for i, r := range requests {
		requests[i] = withoutPaste(Tidy(r))
	}
	for i := range k.turns {
		head, _, clipped := strings.Cut(k.turns[i].request, clippedMark)
		plan := false
		if line, _, cut := strings.Cut(head, clippedWord+"\n"); cut {
			head, clipped, plan = line, true, true
		}
		if head = strings.TrimRight(head, " \n"); !clipped || head == "" {
			continue
		}
		plan = plan || strings.Contains(head, "\n") || strings.Contains(head, listedSeparator)
		for n, r := range requests[:min(ahead, len(requests))] {
			if strings.HasPrefix(Fence(r), head) || plan && isOutline(r) && strings.HasPrefix(flatOutline(Fence(r)), flatOutline(head)) {
				k.turns[i].request, requests = r, requests[n+1:]
				break
			}
		}
	}
}

// clippedMark replaces the omitted part of a request, and clippedWord that of a line or a sentence.
const (
	clippedMark = "[…]"
	clippedWord = " …"
)

// passing lists words in the headings of sections about next steps or work in progress. Such a section describes the
// state at the time of an earlier digest. Most of its steps have probably been done since then.
var passing = strings.Fields("progress active plan")

// stayingHeads lists words in the headings of sections that remain valid throughout a session, such as those about its
// goal or its rules.
var stayingHeads = strings.Fields("goal objective intent request constraint preference rule guideline guardrail instruction requirement ziel vorgabe regel objectif contrainte consigne objetivo " +
	"restriccion 目标 约束 规则 偏好 目標 制約 ルール 목표 규칙 цель правил")

// upNext lists words in the headings of sections about current or next steps. After mostLeft more requests, these steps
// count as done or obsolete.
var upNext = strings.Fields("next current todo pending remaining nächste aktuell próximo actual prochain suivant 下一步 当前 次の 現在 다음 현재 следующ текущ")

const mostLeft = 3

// worthOfOld returns the factor for the weight of a line from an earlier digest. heading is the heading of the line,
// and requests is the number of requests made since that digest.
func worthOfOld(heading, text string, requests int) int {
	heading = strings.ToLower(heading)
	if heading == "carryover" { // a line may begin with its own label
		heading, _, _ = strings.Cut(strings.ToLower(text), ":")
	}
	has := func(words []string) bool {
		return hasAny(heading, words)
	}
	switch {
	case has(stayingHeads):
		return ofGoal
	case has(upNext) && requests >= mostLeft:
		return isDropped
	case isCodeBlock(text):
		return ofCode
	case has(upNext), has(passing):
		return ofOldLine / 4
	}
	return ofOldLine
}

// readLog parses the entries of a log. Each line of an entry becomes one or more units. base is the folder that paths
// in the log are relative to, or "".
func readLog(text string) (turns []turn, base string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, found := strings.CutPrefix(line, basePrefix); found && len(turns) == 0 {
			base = rest
			continue
		}
		if number, rest, ok := entryHead(line); ok {
			asked, _ := strings.CutPrefix(rest, requestLabel)
			if rest == oldHead || rest == startHead {
				asked = ""
			}
			turns = joinedTurns(turns, number, asked)
			continue
		}
		if len(turns) == 0 {
			continue
		}
		t := &turns[len(turns)-1]
		if rest, found := strings.CutPrefix(line, entryBullet); found {
			units := unitsOfSame(turns, t, rest)
			if units == nil {
				units = readUnits(t, rest)
			}
			t.units = append(t.units, units...)
		} else if rest, found := strings.CutPrefix(line, requestIndent); found && len(t.units) == 0 {
			t.request += "\n" + rest
		}
	}
	for i := range turns {
		t := &turns[i]
		t.request = strings.TrimSuffix(t.request, unknownQuestion)
		if at := strings.LastIndex(t.request, questionOpen); at > 0 && strings.HasSuffix(t.request, questionEnd) {
			t.question.text = strings.TrimSuffix(t.request[at+len(questionOpen):], questionEnd)
			t.request = t.request[:at]
		}
		t.request, t.stopped = strings.CutSuffix(t.request, interruptedNote)
		t.request, t.kept = strings.CutSuffix(t.request, keptNote)
	}
	return turns, base
}

// HasLog reports whether text contains a log of turns.
func HasLog(text string) bool { return strings.Contains(text, sessionLayout.headings[logged]+"\n") }

// readRequests adds the files that the log in a digest lists as read to l. If l has no requests yet, it adds the user's
// requests as well. It makes the paths of changed files in l absolute.
func readRequests(text string, l *Ledger) {
	if !HasLog(text) {
		return
	}
	turns, base := readLog(splitSections(text)[logged])
	for _, t := range turns {
		for _, u := range t.units {
			if u.kind == readUnit {
				for path := range strings.SplitSeq(u.text, "; ") {
					path, _, _ = strings.Cut(path, definesMark)
					l.Read = addPath(l.Read, inFolder(base, path))
				}
			}
		}
	}
	for i, path := range l.Modified {
		l.Modified[i] = inFolder(base, path)
	}
	l.addLogged(turns)
	if l.Task != "" || len(l.Requests) > 0 {
		return
	}
	for _, t := range turns {
		switch {
		case t.request == "" || t.kept:
		case l.Task == "":
			l.Task = t.request
		default:
			l.Requests = append(l.Requests, t.request)
		}
	}
}

// entryHead parses the number at the beginning of an entry's first line. rest is the line after it. ok is false if the
// line begins no entry.
func entryHead(line string) (number int, rest string, ok bool) {
	number, rest, ok = bracketed(line)
	if !ok || rest != "" && rest != " "+oldHead && rest != " "+startHead && !strings.HasPrefix(rest, " "+requestLabel) {
		return 0, "", false
	}
	return number, strings.TrimPrefix(rest, " "), true
}

// bracketed parses the number in brackets at the beginning of text: "[12] …". rest is the text after the brackets. ok
// is false if there is none.
func bracketed(text string) (number int, rest string, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return 0, "", false
	}
	n := 1
	for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
		number = number*10 + int(text[n]-'0')
		n++
	}
	if n == 1 || n == len(text) || text[n] != ']' {
		return 0, "", false
	}
	return number, text[n+1:], true
}

// readUnits returns the units on a line of an entry: one per sentence for speech, and otherwise one for the whole line.
func readUnits(t *turn, line string) (units []unit) {
	doubt, rest, doubted := readDoubt(line)
	if doubted {
		t.doubt, line = doubt, answerLabel+rest
	}
	for _, row := range []struct {
		label string
		kind  unitKind
	}{{saidLabel, saidUnit}, {answerLabel, answerUnit}, {contestedLabel, answerUnit}, {deniedLabel, answerUnit}, {thoughtLabel, thoughtUnit}, {readLabel, readUnit}} {
		rest, found := strings.CutPrefix(line, row.label)
		if !found {
			continue
		}
		t.contested = t.contested || row.label == contestedLabel
		if row.kind == readUnit {
			return []unit{{kind: readUnit, message: -1, text: rest, factor: ofReading}}
		}
		message := int32(len(t.units)) // units of one line stay on one line
		for from, to := range extract.Sentences(rest) {
			s := rest[from:to]
			if len(units) > 0 && (pointsBack(s) || !endsSentence(units[len(units)-1].text)) && len(units[len(units)-1].text) < fullUnit {
				units[len(units)-1].text += " " + s
				continue
			}
			units = append(units, unit{kind: row.kind, message: message, text: s, factor: ofOldLine, beside: row.label == answerLabel && !doubted, denied: row.label == deniedLabel})
		}
		return units
	}
	if source, said, found := strings.Cut(line, returnedLabel); found && line[0] == '`' { // what a command printed
		return []unit{{kind: toldUnit, message: -1, source: source, text: said, factor: ofReport}}
	}
	kind, source := ranUnit, ""
	if len(t.units) == 0 && t.request == "" || len(t.units) > 0 && t.units[0].kind == oldUnit {
		kind = oldUnit
	}
	for _, verb := range []string{editedVerb, wroteVerb, deletedVerb} {
		if rest, found := strings.CutPrefix(line, verb); found {
			kind = changeUnit
			if source, _, found = strings.Cut(rest, ": "); !found && countsLines(rest) { // "door.go (3 lines)"
				source = rest[:strings.LastIndex(rest, " (")]
			}
		}
	}
	u := unit{kind: kind, message: -1, source: source, text: line, factor: ofOldLine * 3 / 4}
	if kind == ranUnit {
		u.readDeed()
	}
	return []unit{u}
}

// readDeed gives a unit that was read from a log its former weight if it is about calls that changed something outside of
// the conversation.
func (u *unit) readDeed() {
	called, found := strings.CutPrefix(u.text, calledVerb)
	name := called[:max(0, strings.IndexAny(called, "( "))]
	if !found || name == "" || isLookup(name) || !isDeed(name) {
		return
	}
	u.factor, u.batch = ofDeed, called[len(name)] == ' '
	if strings.Contains(called, ")"+failedArrow) {
		u.factor = ofFailedDeed
	}
}

// countsLines reports whether a line about a change ends with a number of lines or places rather than a description.
func countsLines(line string) bool {
	return strings.Contains(line, " (") && (strings.HasSuffix(line, " line)") || strings.HasSuffix(line, " lines)") || strings.HasSuffix(line, " places)"))
}
