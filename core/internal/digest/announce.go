package digest

import (
	"strings"
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// Words and phrases that begin sentences about what comes next.
var (
	announceHeads = strings.Split("let me|now let me|let's|i'll|i will|i'm going to|i am going to|i need to|now i |now i'll|next, |next i|first, let me|first, i|good, now|"+
		"ok, now|okay, now|still |waiting |continuing |no change yet|i now have|i have enough|now add|now update|now fix|now replace|now the |then i'll|next up|i'm about|time to |here goes|ich werde|lass mich|jetzt |nun |zuerst |voy a|ahora |déjame|je vais|"+
		"maintenant |laissez-moi|d'abord|давайте|теперь |сначала |я сейчас|सबसे पहले|अब |سأ|الآن", "|")
	announceSigns = strings.Fields("让我 我来 现在 接下来 我先 首先 まず 次に では 이제 먼저 다음으로")
)

// announceStarts are the starts of everything that announces looks for.
var announceStarts = startsOf(announceHeads, announceSigns, clauseHeads, []string{"i'm "})

// announces reports whether a unit only says what the assistant will do next.
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
	if rest, found := afterClause(head); found && announcesPlan(rest) { // "After it returns, I'll …"
		return !asksIn(text)
	}
	for _, s := range announceSigns {
		if strings.HasPrefix(head, s) {
			return !asksIn(text)
		}
	}
	return false
}

// clauseHeads begin clauses that say when something happens.
var clauseHeads = strings.Split("after |before |once |when |while |if |for |then |since ", "|")

// transient are words for what was only true for a moment, while something was running.
var transient = wordListOf("yet still again queued waiting wait moment timeout timed settles settle running ended pending polling idle continuing ongoing noch weiterhin warte encore attends aún todavía esperando ещё жду")

// longestTransient is the maximum length of such a sentence, in bytes.
const longestTransient = 120

// passesBy reports whether a sentence that the assistant says at work reports progress without naming anything: "No signal yet."
func passesBy(text string) bool {
	if len(text) > longestTransient || names(text) || asksIn(text) {
		return false
	}
	found, first := false, true
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if first && strings.HasSuffix(word, "ing") && len(word) > 5 { // "Checking the status …"
			return true
		}
		first = false
		found = found || transient.has(word)
	}
	return found
}

// afterClause returns the text after a leading clause that says when.
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

// announcesPlan reports whether a clause, in lower case, only says what the assistant will do next: "i'm checking the hooks".
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

// planJoints join a final clause that says what comes next to its sentence.
var planJoints = []string{", so ", "; so ", ", and ", " and ", "; ", ", ", " — ", " – ", " - "}

// dependent are words that begin clauses which mean nothing without the clause after them.
var dependent = strings.Split("since |because |as |now that |although |while |if |when |once |before |after |for |to |given |with |from ", "|")

// leastLeft is how many bytes of a sentence must remain for the plan at its end to be cut off.
const leastLeft = 16

// withoutPlan returns what the assistant says before a call, without the sentences and final clauses that say what comes next: "X matches
// the failure, so I'm checking the hook." The record itself shows what came next.
func withoutPlan(text string) string {
	if len(text) > mostUnit {
		return text
	}
	var kept []string
	for from, to := range extract.Sentences(text) {
		s := strings.TrimSpace(text[from:to])
		if len(kept) > 0 && announces(s) {
			continue
		}
		if s = beforePlan(s); s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}

// beforePlan returns a sentence without its final clause that says what comes next; "" if that is all.
func beforePlan(s string) string {
	low := strings.ToLower(s)
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
			for _, head := range dependent {
				if strings.HasPrefix(low, head) && joint == ", " {
					return ""
				}
			}
			return strings.TrimRight(s[:at], " ,;") + "."
		}
	}
	return s
}
