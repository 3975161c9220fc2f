package digest

// This file recognizes errands about one numbered part of a task, and answers that consist of a few words.

// Word lists for numbered parts of a task, and for the one text or function that a request is about.
var (
	taskParts = wordListOf("part question exercise problem section assignment teil aufgabe frage abschnitt partie exercice section parte ejercicio pregunta exercício esercizio domanda часть задача вопрос")
	oneUnit   = wordListOf("paragraph sentence function method line query essay assignment exercise section chapter poem verse stanza")
)

// ofSection reports whether a sentence is about one numbered part of a task, or about the one text or function that it
// points at: "Be sure to give reasons in part b", "Avoid loops in this function".
func ofSection(ws []word) bool {
	if anyIs(ws, lastingly|ruleNouns) {
		return false
	}
	for i := 1; i < len(ws); i++ {
		w, before := ws[i].text, ws[i-1].text
		switch {
		case ws[i].breaks || ws[i].quoted:
		case taskParts.has(before) && (w[0]-'0' < 10 || (ws[i].is(numbers) || len(w) == 1 && w[0] <= 'h') && (i+1 == len(ws) || ws[i+1].breaks || ws[i+1].text == "of")):
			return true
		case before == "this" && oneUnit.has(w) && i > 1 && manner.has(ws[i-2].text) && i+1 == len(ws):
			return true
		}
	}
	return false
}

// longestFragment is the maximum number of words in an answer that isn't a sentence.
const longestFragment = 3

// declines reports whether words only decline or limit something that was just said: "Not for now", "Nothing else",
// "Only if it's cheap".
func declines(ws []word) bool {
	last := len(ws) - 1
	if last < 1 || last > longestFragment {
		return false
	}
	end := ws[last].text
	switch first := &ws[0]; {
	case first.text == "nothing":
		return last == 1 && (end == "else" || end == "more")
	case first.text == "only":
		return last > 1 && ws[1].text == "if" && ws[2].is(things)
	case first.is(negations):
		return (last == 1 || !ws[1].is(beings)) && last < longestFragment && (atOnce.has(end) || last == 2 && ws[1].text == "this" && ws[2].text != "one")
	}
	return false
}
