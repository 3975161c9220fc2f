package digest

import "strings"

// People who build a program with an assistant report what it prints and what it fails to do. Such sentences have cues
// like those of rules, but say nothing about how to work: "Value of type 'Zone' must be unwrapped", "not saving the zone".

// isOfProgram reports whether a sentence is a message of a compiler or an interpreter, says what a program does wrong, or
// is unfinished, or only says that something is what the user wants. ws are its words. coding means that the conversation
// is about code that the assistant writes.
func isOfProgram(s string, ws []word, coding bool) bool {
	if len(ws) == 0 || isException(s) {
		return len(ws) > 0
	}
	first, last := ws[0].text, ws[len(ws)-1].text
	switch {
	case coding && neverDoes(ws):
		return true
	case anyIs(ws, lastingly|wishes):
		return false
	case len(ws) <= 6 && first == "that" && last == "want", len(ws) > 3 && ws[0].is(selves) && ws[len(ws)-2].text == "like" && pointed.has(last):
		return !anyIs(ws, negations)
	case last == "be" && len(ws) <= shortSentence:
		return !anyIs(ws, negations)
	case !coding:
		return false
	}
	return isDiagnostic(s, ws) || isSymptom(ws)
}

// shortSentence is the maximum number of words of a sentence that counts as unfinished if it ends in "be".
const shortSentence = 4

// isSymptom reports whether words say that a program doesn't do something: "not saving the zone", "still not showing".
func isSymptom(ws []word) bool {
	k := 0
	if ws[0].text == "still" {
		k = 1
	}
	return k+1 < len(ws) && ws[k].text == "not" && (ws[k+1].text == "even" || strings.HasSuffix(ws[k+1].text, "ing") && !noVerbs.has(ws[k+1].text))
}

// noVerbs lists words that end like a verb that says what a program does, but with which bans begin, too.
var noVerbs = wordListOf("during using anything everything nothing something being having including")

// neverDoes reports whether words say that something exists, but isn't used: "is defined but never called".
func neverDoes(ws []word) bool {
	for i := 3; i < len(ws); i++ {
		if existing.has(ws[i-3].text) && strings.HasSuffix(ws[i-2].text, "ed") && ws[i-1].text == "but" && (ws[i].text == "never" || ws[i].text == "not") {
			return true
		}
	}
	return false
}

// existing lists the forms of "be" with which a sentence says that something exists.
var existing = wordListOf("is was are were")

// isException reports whether a text begins with the name of an exception and a colon: "TypeError: …". A label such as
// "Warning:" is no such name.
func isException(s string) bool {
	name, _, found := strings.Cut(s, ": ")
	if !found || strings.Contains(name, " ") {
		return false
	}
	for _, end := range []string{"Error", "Exception"} {
		if head, found := strings.CutSuffix(name, end); found && head != "" && byteClass[head[len(head)-1]]&small != 0 {
			return true
		}
	}
	return false
}

// diagnostics lists how messages of compilers begin, in lower case.
var diagnostics = strings.Split("value of |initializer for |cannot find |cannot convert |cannot assign |cannot use |cannot call |could not |type '|argument '|argument of |arguments |missing argument|referencing |property '|"+
	"unexpected |expected |unresolved |undefined |invalid |object literal |module '|generic |instance member |static member |incorrect argument|extra argument", "|")

// isDiagnostic reports whether a sentence is a message of a compiler: it begins with one of their phrases, names something
// in single quotation marks, and addresses nobody.
func isDiagnostic(s string, ws []word) bool {
	if !startsWithAny(lower(s[:min(len(s), longestDiagnostic)]), diagnostics) || anyIs(ws, selves|addressees) {
		return false
	}
	from := strings.IndexAny(s, "'‘")
	return from > 0 && s[from-1] == ' ' && strings.ContainsAny(s[from+1:], "'’")
}

// longestDiagnostic is the number of bytes of a sentence in which the longest of diagnostics fits.
const longestDiagnostic = 24

// wantsPart reports whether a sentence asks for a part of the program that is being built: "add an edit option", "I want
// small buttons". In a conversation about code it is done once. r is the rating of the sentence.
func wantsPart(ws []word, r *rating) bool {
	if len(ws) == 0 || r.strength > wish || r.lasting || r.negative || r.changes || r.revokes {
		return false
	}
	for i := range ws {
		if ws[i].is(addressees|lastingly|quantifiers|products|negations) || each.has(ws[i].text) || whens.has(ws[i].text) {
			return false
		}
	}
	for i := range ws[:min(len(ws)-1, 2)] {
		if builds.has(ws[i].text) || partVerbs.has(ws[i].text) || ws[i].text == "i" && (ws[i+1].text == "want" || ws[i+1].text == "need") {
			return true
		}
	}
	return false
}

// partVerbs lists more verbs that ask for a part of a program.
var partVerbs = wordListOf("include show give display put hide move open")
