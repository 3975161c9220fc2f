package digest

// If a paragraph asks for something new, its other sentences describe that thing: "We want a file of rules … Unknown
// keys must be errors." They are part of the request, and not rules for later work.

// featureOf finds requests for something new in a paragraph.
type featureOf struct {
	passage string // the paragraph
	read    int    // number of bytes that have been searched
	found   bool   // one of the searched sentences asks for something new
}

// builds lists verbs that people use to ask for something new.
var builds = wordListOf("add implement create build write make support introduce send provide expose develop design generate")

// specifiedBy reports whether the sentence at offset at describes the thing that an earlier
// sentence asks for. Such a sentence has a cue, but isn't an order, forbids nothing, doesn't
// address the reader, and contains no word such as "always". ws are its words, and r is its rating.
func (f *featureOf) specifiedBy(ws []word, r *rating, at int) bool {
	if at == 0 || r.strength == none || r.told || r.changes || r.negative || ws[0].is(selves) {
		return false
	}
	for i := range ws {
		if ws[i].is(addressees | lastingly) {
			return false
		}
	}
	if !f.found && f.read < at {
		rest := f.passage[f.read:at]
		signs := hasSigns(rest)
		for _, s := range sentencesIn(nil, rest, nil) {
			f.found = f.found || asksForNew(wordsOf(rest[s[0]:s[1]], nil)) || signs && errandSigned(rest[s[0]:s[1]])
		}
		f.read = at
	}
	return f.found
}

// asksForNew reports whether a sentence asks for something new: "Please add …", "We want a …".
func asksForNew(ws []word) bool {
	i, wanted := 0, false
	for i < len(ws) && (reacting.has(ws[i].text) || modals.has(ws[i].text)) {
		wanted = wanted || askFor.has(ws[i].text)
		i++
	}
	return i < len(ws) && (builds.has(ws[i].text) || wanted && (ws[i].text == "a" || ws[i].text == "an"))
}
