package digest

import (
	"strings"
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// Lists of the words and phrases with which sentences about the assistant's next step begin.
var (
	announceHeads = strings.Split("let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|need to |i now have|i have enough|i can now|"+
		"still |waiting |continuing |no change yet|i'm about|time to |here goes|ich werde|lass mich|jetzt |nun |zuerst |voy a|ahora |déjame|je vais|"+
		"maintenant |laissez-moi|d'abord|давайте|теперь |сначала |я сейчас|सबसे पहले|अब |سأ|الآن", "|")
	announceSigns = strings.Fields("让我 我来 现在 接下来 我先 首先 まず 次に では 이제 먼저 다음으로")
	// orderWords may precede an announcement of the next step. After "now" and "next,", a word in selfOrders begins one
	// too. Most of these words are commands that the assistant gives to itself: "Now add …".
	orderWords = wordListOf("now next first then ok okay good great perfect alright so and also finally up")
	selfOrders = wordListOf("i add update fix replace the run check verify implement create write test remove look commit push")
)

// intendHeads lists, in lower case, the beginnings of sentences with which a working agent proposes its next step. In
// an answer, such a sentence is advice to the user.
var intendHeads = strings.Split("we can |we'll |we will |we should |we need to |we could |i should |i can |i could |first we |first, we |it would be prudent to |it would be a good idea to |"+
	"it would be good to |it might be |my next step |i intend to |wir sollten |wir können |on peut |on devrait |podemos |deberíamos |我们可以|我们需要|我们应该", "|")

// longestIntent is the maximum length of a sentence that only proposes a next step, in bytes.
const longestIntent = 200

// intends reports whether a sentence written by a working agent only proposes the next step, without a reason.
func intends(text string) bool {
	return len(text) <= longestIntent && headedBy(text, intendHeads) && !strings.Contains(text, "because") && !strings.Contains(text, "instead")
}

// announceStarts holds the first bytes of all texts that announces looks for. It rules out most texts quickly.
var announceStarts = startsOf(announceHeads, announceSigns, clauseHeads, []string{"i'm ", "now", "next", "first", "ok", "good", "great", "perfect", "alright", "so", "also", "finally", "and"})

// announces reports whether a unit only says what the assistant will do next.
func announces(text string) bool {
	return len(text) < 240 && announceStarts.may(text) && announcing(text) && !hasQuestionMark(text) && !(headedBy(text, []string{"still "}) && reportsTrouble(text))
}

// ordersItself reports whether two words begin a sentence in which the assistant tells itself what to do next: "Now
// check …", "Next I …".
func ordersItself(word, next string) bool {
	switch word {
	case "now", "next,":
		return selfOrders.has(next)
	case "next":
		return next == "i"
	}
	return false
}

// announcing reports whether text begins like an announcement of the next step, even if it is a question.
func announcing(text string) bool {
	head := lower(strings.ReplaceAll(trimRune(text[:min(len(text), 60)]), "’", "'"))
	for n := 0; n < 3; n++ {
		if startsWithAny(head, announceHeads) {
			return true
		}
		if rest, found := strings.CutPrefix(head, "i'm "); found { // "I'm checking …"
			word, _, _ := strings.Cut(strings.TrimPrefix(rest, "now "), " ")
			return strings.HasSuffix(word, "ing")
		}
		if rest, found := afterClause(head); found && announcesPlan(rest) { // "After it returns, I'll …"
			return true
		}
		word, rest, found := strings.Cut(head, " ")
		if !found || !orderWords.has(strings.Trim(word, ",:—-")) {
			break
		}
		head = strings.TrimLeft(rest, "—- ")
		if next, _, _ := strings.Cut(head, " "); ordersItself(word, next) {
			return true
		}
	}
	return startsWithAny(head, announceSigns)
}

// clauseHeads lists words that may begin a clause or phrase about a time, a purpose or a condition.
var clauseHeads = strings.Split("after |before |once |when |while |if |for |then |since ", "|")

// transient lists words for a state that lasts only as long as something runs. In a sentence that contains names, these
// words prove nothing. The words in lasting indicate such a state in any sentence.
var (
	transient = wordListOf("again queued wait moment timeout timed settles settle running ended idle ongoing encore")
	lasting   = wordListOf("yet still waiting pending polling continuing currently shortly soon actively underway momentarily meanwhile noch weiterhin warte attends aún todavía esperando ещё жду")
)

// qualities lists words ending in -ing that don't denote an activity: adjectives, nouns and pronouns.
var qualities = wordListOf("missing existing failing misleading interesting confusing blocking surprising nothing anything something everything string during spring thing bring being")

// finite lists verb forms, in lower case, with which a sentence that begins with an activity can say what came of it.
var finite = wordListOf("is are was were has have had does did fixes fixed breaks broke fails failed makes made shows showed means works worked needs needed solves solved causes caused removes " +
	"avoids gives gave keeps kept lets would will can must")

// sentHeads lists the beginnings of sentences that only repeat what a call did, and stateEnds words at the end of short
// sentences about a state that soon passes.
var (
	sentHeads = strings.Split("i sent |i've sent |i resent |i've resent |i asked |i've asked |i told |i've told |i started |i've started |i spawned |i've spawned |i launched |i've launched |i kicked off ", "|")
	stateEnds = wordListOf("ready spawned started queued launched underway running pending")
)

// mostState is the maximum number of spaces in a short sentence about a state.
const mostState = 8

// longestTransient is the maximum length of a progress report in bytes.
const longestTransient = 240

// passesBy reports whether a sentence that the assistant writes during its work only reports progress, such as "No
// signal yet." or "The tests are being added."
func passesBy(text string) bool {
	if len(text) > longestTransient || hasQuestionMark(text) {
		return false
	}
	if headedBy(text, sentHeads) {
		return true
	}
	named := names(text)
	n, before := 0, ""
	begins, ends := false, false // whether the sentence begins with an activity, and whether it has a finite verb
	for word := range strings.FieldsFuncSeq(lower(text), betweenWords) {
		switch {
		case lasting.has(word), isUnderway(before, word), !named && isPassing(word, n == 0):
			return true
		}
		begins, ends = begins || n == 0 && isActivity(word, 5), ends || finite.has(word)
		before = word
		n++
	}
	return begins && !ends || stateEnds.has(before) && fewSpaces(text, mostState+1)
}

// isPassing reports whether a word in a sentence without names says that a state won't last. first means that the word
// begins the sentence, as in "Checking the status …".
func isPassing(word string, first bool) bool {
	return transient.has(word) || first && strings.HasSuffix(word, "ing") && len(word) > 5
}

// isUnderway reports whether two adjacent words say that something isn't over: "is running", "being added", "in
// progress", "so far".
func isUnderway(before, word string) bool {
	switch before {
	case "in":
		return word == "progress"
	case "so":
		return word == "far"
	case "is", "are":
		return word == "being" || isActivity(word, 6)
	case "now", "actively", "likely":
		return isActivity(word, 6)
	}
	return false
}

// isActivity reports whether a word is a gerund of at least the given number of letters and not one of the qualities.
func isActivity(word string, least int) bool {
	return strings.HasSuffix(word, "ing") && len(word) >= least && !qualities.has(word)
}

// betweenWords reports whether r separates words.
func betweenWords(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }

// afterClause removes a clause or phrase that begins with one of clauseHeads from the beginning of
// head. It returns the text after the first comma or, without a comma, from "i'll" on. found is
// false if there is neither, and rest is then "".
func afterClause(head string) (rest string, found bool) {
	for _, s := range clauseHeads {
		if strings.HasPrefix(head, s) {
			if _, rest, found = strings.Cut(head, ", "); !found {
				if at := strings.Index(head, " i'll "); at >= 0 {
					return head[at+1:], true
				}
			}
			return rest, found
		}
	}
	return "", false
}

// announcesPlan reports whether a clause, given in lower case, only announces the assistant's next step: "i'm checking
// the hooks".
func announcesPlan(clause string) bool {
	for _, s := range []string{"i'll ", "i will ", "let me ", "i'm going to ", "i am going to ", "i need to ", "next i"} {
		if strings.HasPrefix(clause, s) {
			return true
		}
	}
	for _, s := range []string{"i'm ", "i am ", "am "} {
		if rest, found := strings.CutPrefix(clause, s); found {
			for _, skip := range []string{"now ", "also ", "just ", "first "} {
				rest = strings.TrimPrefix(rest, skip)
			}
			word, _, _ := strings.Cut(rest, " ")
			return strings.HasSuffix(word, "ing")
		}
	}
	return false
}

// planJoints lists the strings that can separate a sentence from a final clause that announces the next step.
var planJoints = []string{", so ", "; so ", ", and ", " and ", "; ", ", ", " — ", " – ", " - "}

// dependent lists the beginnings of clauses and phrases that mean nothing without the main clause that follows.
var dependent = strings.Split("since |because |as |now that |although |while |if |when |once |before |after |for |to |given |with |from ", "|")

// leastLeft is the minimum number of bytes that must remain of a sentence when the plan at its end is cut off.
const leastLeft = 16

// withoutPlan returns text, which the assistant wrote before a call, without final clauses that announce the next step
// ("X matches the failure, so I'm checking the hook.") and, except at the beginning, without sentences that do so or
// only report progress. The record shows that step anyway. A text longer than mostUnit bytes is returned unchanged.
func withoutPlan(text string) string {
	if len(text) > mostUnit {
		return text
	}
	var kept []string
	for from, to := range extract.Sentences(text) {
		s := strings.TrimSpace(text[from:to])
		if len(kept) > 0 && (announces(s) || !names(s) && passesBy(s)) {
			continue
		}
		if s = beforePlan(s); s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}

// clausePlans lists substrings. Every clause that announcesPlan recognizes contains at least one of them.
var clausePlans = substringsOf("i'|i’|i will |let me |i am |am |i need |next i")

// beforePlan returns a sentence without a final clause that announces the next step; "" if that was its main clause.
func beforePlan(s string) string {
	if !clausePlans.inAnyCase(s) { // most sentences
		return s
	}
	low := lower(s)
	if len(low) != len(s) {
		return s
	}
	for _, joint := range planJoints {
		for at := strings.LastIndex(low, joint); at >= leastLeft; at = strings.LastIndex(low[:at], joint) {
			clause := strings.ReplaceAll(low[at+len(joint):], "’", "'")
			clause = strings.TrimPrefix(strings.TrimPrefix(clause, "now "), "next ")
			if !announcesPlan(clause) || strings.Contains(clause, "; ") {
				continue
			}
			if joint == ", " && startsWithAny(low, dependent) {
				return ""
			}
			return strings.TrimRight(s[:at], " ,;") + "."
		}
	}
	return s
}
