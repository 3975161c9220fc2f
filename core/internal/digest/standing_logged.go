package digest

import (
	"slices"
	"strings"
)

// Some statements look like rules, but are about one thing or belong to a plan: "also hide the evidence section". They
// matter for the turn in which the user made them. If the log of turns quotes such a statement, it also shows what came
// of it, so the list of standing instructions leaves it out.

// standingBesideLog returns the digest's block of standing instructions without the statements that
// matter only for one turn and are quoted in log, the text of the log of turns. The result is no
// longer than the digest's block. It is "" if nothing is left.
func (e *Extract) standingBesideLog(log string) string {
	if e.standing == "" {
		return ""
	}
	flat := onOneLine(log)
	plans := e.log.plansOfUser()
	rest := Ledger{Standing: slices.DeleteFunc(slices.Clone(e.ledger.Standing), func(s string) bool {
		said := s
		if _, rule, found := strings.Cut(s, ": "); found && !strings.Contains(flat, Fence(s)) {
			said = rule
		}
		return strings.Contains(flat, Fence(said)) && ofTurn(s, slices.ContainsFunc(plans, func(plan string) bool { return strings.Contains(plan, said) }))
	})}
	if len(rest.Standing) == len(e.ledger.Standing) {
		return e.standing
	}
	return rest.StandingBlock(len(e.standing))
}

// addLogged adds the statements that an earlier digest left out of its list because the entries of its log, turns, quote
// them. They go to the end, together with the listed ones that the entries quote too, in the order of the turns.
func (l *Ledger) addLogged(turns []turn) {
	room := new(readRoom)
	var logged []string
	for i := range turns {
		t := &turns[i]
		if t.request == "" || t.kept {
			continue
		}
		planned := isPlanOfUser(t.request)
		for _, s := range statements(t.request, room) {
			if at := slices.Index(l.Standing, s); at >= 0 {
				l.Standing = slices.Delete(l.Standing, at, at+1)
				logged = append(logged, s)
			} else if ofTurn(s, planned) {
				logged = append(logged, s)
			}
		}
	}
	l.Standing = append(l.Standing, logged...)
}

// isPlanOfUser reports whether a request is a plan, of which the log shows each line.
func isPlanOfUser(asked string) bool {
	return strings.Count(asked, "\n") > manyLines && isOutline(asked)
}

// plansOfUser returns the requests that are plans, each on one line.
func (k *turnLog) plansOfUser() (plans []string) {
	for i := range k.turns {
		if asked := k.turns[i].request; isPlanOfUser(asked) {
			plans = append(plans, onOneLine(asked))
		}
	}
	return plans
}

// ofTurn reports whether a statement matters only for the turn in which the user made it. It does if it orders or praises
// one thing, or if it is no strict rule and either an item of a plan, as planned says, or a remark about a file that
// forbids nothing.
func ofTurn(s string, planned bool) bool {
	ws := wordsOf(s, quotedIn(s))
	if len(ws) == 0 {
		return false
	}
	r := rate(s, ws)
	if r.lasting || r.revokes || r.amends || isLasting(ws) || recurs(ws) >= 0 {
		return false
	}
	if replacesOne(ws) {
		return true
	}
	if holds, demanded := holding(ws); !planned && (holds || demanded) {
		return false
	}
	if r.strength < strict && (planned || !r.told && !r.negative && namesFile(s)) {
		return true
	}
	return ordersOneThing(ws) || !r.negative && len(ws) > 2 && ws[0].text == "i" && likes.has(ws[1].text) && ws[2].text == "the"
}

// Word lists for an order about one thing: verbs for a change, and words that introduce the order. The verbs in errands
// count, too.
var (
	changing = wordListOf("add hide include document respond reply note rename call make give place insert ensure mark tweak adjust extend wire hook swap")
	leading  = wordListOf("also please just then now maybe can could should you'd would like feel think you to i we need want i'd we'd let's go ahead and yep yes ok okay so sure")
)

// ordersOneThing reports whether words are an order to change one thing that is known, without a word that makes it hold
// for many: "You can also hide the evidence section", "Please include how to branch in the repository".
func ordersOneThing(ws []word) bool {
	i := 0
	for i < len(ws) && leading.has(ws[i].text) {
		i++
	}
	if i+1 >= len(ws) || !changing.has(ws[i].text) && !errands.has(ws[i].text) {
		return false
	}
	// "Make sure that the tests pass" may be a lasting rule. "Make sure that the panel has a title" is done once.
	ensures := ws[i].text == "ensure" || ws[i].text == "make" && ws[i+1].text == "sure"
	one, has := false, false
	for k := i + 1; k < len(ws); k++ {
		w := &ws[k]
		if w.text == "all" && k+2 < len(ws) && ws[k+1].text == "of" && pointed.has(ws[k+2].text) { // "all of this"
			continue
		}
		if w.is(quantifiers) || each.has(w.text) || w.is(ruleNouns) {
			return false
		}
		one = one || !w.quoted && (w.text == "the" || pointed.has(w.text) || singleOnes.has(w.text) && k == i+1)
		has = has || w.text == "has" || w.text == "have"
	}
	return one && (has || !ensures)
}

// replaced lists participles for changes that are made once.
var replaced = wordListOf("replaced renamed moved removed deleted swapped hidden shortened enlarged")

// replacesOne reports whether words say how one thing should change: "The title should be replaced with the name".
func replacesOne(ws []word) bool {
	at := slices.IndexFunc(ws, func(w word) bool { return w.text == "should" })
	if at < 1 || at+2 >= len(ws) || ws[at+1].text != "be" || !replaced.has(ws[at+2].text) {
		return false
	}
	return (ws[0].quoted || ws[0].text == "the" || pointed.has(ws[0].text)) && !slices.ContainsFunc(ws, func(w word) bool {
		return w.is(quantifiers) || each.has(w.text) || w.is(ruleNouns) || whens.has(w.text)
	})
}

// namesFile reports whether one of the words of text has the form of a file's name: "door-panel.ts".
func namesFile(text string) bool {
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimRight(word, ".,;:!?)")
		if at := strings.LastIndexByte(word, '.'); at > 1 && len(word)-at <= longestSuffix && at+1 < len(word) && byteClass[word[at-1]]&(small|capital|digit) != 0 && byteClass[word[at+1]]&small != 0 {
			return true
		}
	}
	return false
}

// longestSuffix is the maximum length of a file name's suffix, with its dot, in bytes.
const longestSuffix = 6
