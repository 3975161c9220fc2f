package digest

import (
	"strings"
	"unicode"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// Words and phrases that begin sentences about what comes next.
var (
	announceHeads = strings.Split("let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|need to |i now have|i have enough|i can now|"+
		"still |waiting |continuing |no change yet|i'm about|time to |here goes|ich werde|lass mich|jetzt |nun |zuerst |voy a|ahora |déjame|je vais|"+
		"maintenant |laissez-moi|d'abord|давайте|теперь |сначала |я сейчас|सबसे पहले|अब |سأ|الآن", "|")
	announceSigns = strings.Fields("让我 我来 现在 接下来 我先 首先 まず 次に では 이제 먼저 다음으로")
	// orderWords may precede what is done next, and behind them orders to oneself announce it too: "Now add …".
	orderWords = wordListOf("now next first then ok okay good great perfect alright so and also finally up")
	selfOrders = wordListOf("i add update fix replace the run check verify implement create write test remove look commit push")
)

// announceStarts are the starts of everything that announces looks for.
var announceStarts = startsOf(announceHeads, announceSigns, clauseHeads, []string{"i'm ", "now", "next", "first", "ok", "good", "great", "perfect", "alright", "so", "also", "finally", "and"})

// announces reports whether a unit only says what the assistant will do next.
func announces(text string) bool {
	return len(text) < 240 && announceStarts.may(text) && announcing(text) && !asksIn(text)
}

// announcing reports whether a text begins as what announces does, be it a question or not.
func announcing(text string) bool {
	head := lower(strings.ReplaceAll(trimRune(text[:min(len(text), 60)]), "’", "'"))
	for n := 0; n < 3; n++ {
		for _, s := range announceHeads {
			if strings.HasPrefix(head, s) {
				return true
			}
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
		next, _, _ := strings.Cut(head, " ")
		if (word == "now" || word == "next,") && selfOrders.has(next) || word == "next" && next == "i" {
			return true
		}
	}
	for _, s := range announceSigns {
		if strings.HasPrefix(head, s) {
			return true
		}
	}
	return false
}

// clauseHeads begin clauses that say when something happens.
var clauseHeads = strings.Split("after |before |once |when |while |if |for |then |since ", "|")

// transient are words of what was so for a moment, while something ran, and lasting those of them that say so of what has a name, too.
var (
	transient = wordListOf("again queued wait moment timeout timed settles settle running ended idle ongoing encore")
	lasting   = wordListOf("yet still waiting pending polling continuing currently shortly soon actively underway momentarily meanwhile noch weiterhin warte attends aún todavía esperando ещё жду")
)

// longestTransient is the maximum length of such a sentence, in bytes.
const longestTransient = 160

// passesBy reports whether a sentence of the assistant's at work tells how something went on: "No signal yet.", "The tests are being added."
func passesBy(text string) bool {
	if len(text) > longestTransient || asksIn(text) {
		return false
	}
	named := names(text)
	n, before := 0, ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		gerund := strings.HasSuffix(word, "ing") && len(word) > 5
		switch {
		case len(word) < 3:
		case lasting.has(word), !named && transient.has(word):
			return true
		case gerund && !named && n == 0: // "Checking the status …"
			return true
		case word == "progress" && before == "in", word == "far" && before == "so", (word == "now" || word == "being") && (before == "is" || before == "are"):
			return true
		}
		before = word
		n++
	}
	return false
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
