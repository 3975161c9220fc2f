package digest

import "strings"

// People who build a program with an assistant report what it prints and what it fails to do. Such sentences have cues
// like those of rules, but say nothing about how to work: "Value of type 'Zone' must be unwrapped", "not saving the zone".

// isOfProgram reports whether a sentence is a message of a compiler or says what a program does wrong, or whether it is
// the beginning of a sentence only. ws are its words.
func isOfProgram(s string, ws []word) bool {
	if len(ws) == 0 {
		return false
	}
	last := ws[len(ws)-1].text
	switch {
	case isDiagnostic(s, ws):
		return true
	case len(ws) > 1 && (ws[0].text == "not" || ws[0].text == "still" && ws[1].text == "not") && (strings.HasSuffix(afterNot(ws), "ing") || afterNot(ws) == "even"):
		return true
	case len(ws) > 3 && ws[0].text == "that" && ws[len(ws)-1].text == "want" && len(ws) <= 6: // "that is exactly what I want"
		return true
	case last == "be" && len(ws) <= shortSentence, len(ws) > 2 && ws[len(ws)-2].text == "like" && pointed.has(last) && ws[0].is(selves):
		return true
	}
	for i := 2; i < len(ws); i++ { // "is defined but never called"
		if ws[i-2].text != "" && strings.HasSuffix(ws[i-2].text, "ed") && ws[i-1].text == "but" && (ws[i].text == "never" || ws[i].text == "not") {
			return true
		}
	}
	return false
}

// afterNot returns the word after the first "not", or "".
func afterNot(ws []word) string {
	for i := range ws[:len(ws)-1] {
		if ws[i].text == "not" {
			return ws[i+1].text
		}
	}
	return ""
}

// shortSentence is the maximum number of words of a sentence that is taken for a beginning if it ends in "be".
const shortSentence = 4

// diagnosing lists words with which messages of compilers and interpreters begin.
var diagnosing = wordListOf("value initializer cannot can't cannot could type argument arguments missing referencing property unexpected expected unresolved undefined invalid object module generic " +
	"instance static left right operator return use call extra incorrect ambiguous variable")

// isDiagnostic reports whether a sentence is a message of a compiler or an interpreter: it begins with the name of an
// error, or with one of their words, names something in single quotation marks, and addresses nobody.
func isDiagnostic(s string, ws []word) bool {
	if head, _, found := strings.Cut(s, ": "); found && !strings.Contains(head, " ") && endsWithAny(head, "Error", "Exception", "Warning", "Fault") {
		return true
	}
	if !diagnosing.has(ws[0].text) || strings.Count(s, "'")+strings.Count(s, "’")+strings.Count(s, "‘") < 2 {
		return false
	}
	for i := range ws {
		if ws[i].is(selves | addressees | lastingly) {
			return false
		}
	}
	from := strings.IndexAny(s, "'‘")
	return from > 0 && s[from-1] == ' '
}

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
