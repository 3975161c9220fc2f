package digest

import (
	"slices"
	"strings"
)

// A later turn can put an answer in doubt, because the user reports trouble although the answer claimed success, or
// because the same error occurs again. The log keeps such an answer, since later answers refer to it, and says which
// turn puts it in doubt.

// mostDoubted is the maximum number of earlier turns whose answers a recurring error or a correction puts in doubt.
const mostDoubted = 8

// The two parts of the label of an answer in doubt. The number of the later turn is inserted between them.
const (
	doubtOpen = "answer, which ["
	doubtEnd  = "] puts in doubt: "
)

// judge records what asked, the user's next message, reveals about the turn. number is the number of the next turn.
func (t *turn) judge(asked string, number int) {
	t.contested = contests(asked) || t.denied(asked)
	t.claims = t.has(func(u *unit) bool { return u.kind == answerUnit && claims(u.whole()) })
	if t.claims && t.doubt == 0 && reportsTrouble(asked) {
		t.doubtClaims(number, asked)
	}
}

// doubtClaims records that the turn with the given number puts those parts of the answer in doubt that claim success or
// share at least leastAbout words with trouble, the user's message. trouble may be empty. The other parts are not in
// doubt, nor is a claim that contains code and shares no word with trouble.
func (t *turn) doubtClaims(number int, trouble string) {
	t.doubt = number
	var said turnWords
	said.add(trimRune(trouble[:min(len(trouble), lookTrouble)]))
	for n := range t.units {
		u := &t.units[n]
		if u.kind != answerUnit || u.factor == isDropped {
			continue
		}
		shared, _ := said.shared(u.whole())
		if claims(u.whole()) {
			u.beside = trouble != "" && shared == 0 && strings.Contains(u.text, "`")
		} else {
			u.beside = shared < leastAbout
		}
	}
}

// leastAbout is the minimum number of words that a sentence must share with a message to be about the same subject.
const leastAbout = 2

// inDoubt returns the factor for the weight of a unit of an answer in doubt, or isDropped if the unit only claims
// success.
func inDoubt(u *unit) int {
	switch {
	case (saysLittle(u.text) || claims(u.text) && !u.beside) && !namesMore(u.text):
		return isDropped
	case u.beside || u.factor == isDropped:
		return u.factor
	}
	return u.factor / 2
}

// ofBeside divides the weights of those parts of a contested answer that are not affected by the user's correction.
const ofBeside = 4

// narrow marks the units of a contested answer that the user's correction doesn't affect, and lowers their weights.
// They share fewer words with it than others do. A correction that shares no words with any unit rejects all of them.
func (t *turn) narrow(correction string) {
	var said turnWords
	said.add(trimRune(correction[:min(len(correction), lookTrouble)]))
	most, shared := 0, make([]int, len(t.units))
	for n := range t.units {
		if u := &t.units[n]; u.kind == answerUnit && u.factor != isDropped {
			shared[n], _ = said.shared(u.whole())
			most = max(most, shared[n])
		}
	}
	for n := range t.units {
		if u := &t.units[n]; u.kind == answerUnit && u.factor != isDropped {
			if u.beside = shared[n] < most; u.beside {
				u.factor /= ofBeside
			}
		}
	}
}

// lookDenied is the number of bytes at the beginning of a message that are searched for a denial.
const lookDenied = 160

// denied reports whether a user's message rejects a name that occurs in the turn's answer: "it's the linter, not
// db:generate". It looks only at the beginning of the message.
func (t *turn) denied(asked string) bool {
	head := asked[:min(len(asked), lookDenied)]
	_, rest, found := strings.Cut(head, ", not ")
	if !found {
		return false
	}
	name, _, _ := strings.Cut(rest, " ")
	name = strings.Trim(name, ".,;:!?`'\"")
	if len(name) < 4 || !strings.ContainsAny(name, ":._-/0123456789") {
		return false
	}
	return t.has(func(u *unit) bool { return u.kind == answerUnit && strings.Contains(u.text, name) })
}

// comesAgain records that the error with the given key occurs in the current turn. If the error occurred before, the
// answers since then are put in doubt: all of them if always is true, otherwise only those that claim success.
func (r *turnReader) comesAgain(key string, always bool) {
	now := len(r.turns) - 1
	at := r.troubles.At(key)
	for n := now - 1; *at > 0 && n >= max(*at-1, now-mostDoubted); n-- {
		switch t := &r.turns[n]; {
		case t.doubt > 0:
		case always:
			t.doubt = r.turns[now].number
		case t.claims:
			t.doubtClaims(r.turns[now].number, "")
		}
	}
	*at = now + 1
}

// toldAgain records the errors in text that the user pasted into asked, the current turn's request.
func (r *turnReader) toldAgain(asked string) {
	for {
		_, rest, found := strings.Cut(asked, pastedOpen)
		if !found {
			return
		}
		var said string
		said, asked, _ = strings.Cut(rest, pastedEnd+"\n")
		for line := range strings.SplitSeq(strings.TrimSuffix(said, pastedEnd), "; ") {
			first, _, _ := strings.Cut(line, " ")
			switch {
			case namesFileLine(first):
				r.comesAgain("place\x00"+first, true)
			case isTrouble(line) && strings.ContainsAny(line, "/`_"):
				r.comesAgain("line\x00"+line, true)
			}
		}
	}
}

// successSigns lists phrases, in lower case, that occur in sentences saying that something works. failureSigns lists
// phrases that occur in sentences saying that something doesn't work.
var (
	successSigns = substringsOf("passes|passed|passing|all pass|tests pass|checks pass|built|builds|compiles|compiled|green|works|no error|bestanden|gebaut|erfolgreich|läuft|réussi|passent|fonctionne|pasan|exitos|funciona|passam|" +
		"проход|собран|успешно|работает|通过|成功|构建完成|通りま|통과|성공")
	failureSigns = substringsOf("fail|error|broken|red |not pass|n't |not yet|except|fehl|schlägt|noch nicht|échou|erreur|fall|не |ошибк|失败|错误|未|失敗|エラー|ません|실패|오류|않")
)

// deny marks those parts of the answer that claim success although the last check of the turn failed. It marks none if
// the answer mentions a failure.
func (r *turnReader) deny() {
	t, last := r.now(), len(r.state.checks)-1
	if last < 0 || !r.state.checks[last].failed || r.state.checks[last].turn != t.number {
		return
	}
	for n := range t.units {
		u := &t.units[n]
		if u.kind != answerUnit {
			continue
		}
		said := lower(u.whole())
		if failureSigns.in(said) {
			for n := range t.units {
				t.units[n].denied = false
			}
			return
		}
		u.denied = claims(said) || successSigns.in(said)
	}
}

// answerLabelOf returns the label that precedes a unit of a turn's answer.
func answerLabelOf(t *turn, u *unit) string {
	switch {
	case u.beside && (t.contested || t.doubt > 0):
		return answerLabel
	case t.contested:
		return contestedLabel
	case t.doubt > 0:
		return doubtOpen + itoa(t.doubt) + doubtEnd
	case u.denied:
		return deniedLabel
	}
	return answerLabel
}

// readDoubt parses the label of an answer in doubt at the beginning of a line. It returns the number of the later turn
// and the rest of the line. ok is false if there is no such label.
func readDoubt(line string) (doubt int, rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, doubtOpen)
	number, rest, found := strings.Cut(rest, doubtEnd)
	if !ok || !found {
		return 0, line, false
	}
	if doubt, _, ok = entryHead("[" + number + "]"); !ok {
		return 0, line, false
	}
	return doubt, rest, true
}

// seemHeads lists the beginnings of statements in which the assistant supposes something.
var seemHeads = []string{"it seems ", "it looks like ", "it appears ", "it would seem ", "looks like ", "seems like ", "es scheint", "il semble", "parece que ", "похоже", "看起来", "似乎", "どうやら"}

// longestSupposition is the length, in bytes, above which a statement that begins with a supposition counts as saying
// more than that.
const longestSupposition = 200

// dropSuppositions drops the statements in which the assistant only supposes something, or says in a few words that
// something doesn't work, if it makes another such statement before a command succeeds or a file changes. The last one
// is the one that led to the result.
func (t *turn) dropSuppositions() {
	later := false
	for n := range slices.Backward(t.units) {
		u := &t.units[n]
		switch {
		case u.factor == isDropped:
		case u.kind == changeUnit, u.kind == ranUnit && u.factor != ofFailure && !failedIn(u.text):
			later = false
		case u.kind != saidUnit || !headedBy(u.text, seemHeads) && !(len(u.text) < shortRemark && reportsTrouble(u.text)):
		case later && len(u.text) <= longestSupposition:
			u.factor = isDropped
		default:
			later = true
		}
	}
}
