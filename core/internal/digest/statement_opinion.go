package digest

// This file recognizes opinions that revoke a rule: "The word limit was silly", "The quiz at the end was a bad idea". Such
// a sentence says nothing about how to work if there is no rule that it is about.

// Word lists, in some of the languages of the cue tables: verbs that link a rule to an opinion, opinions against a rule,
// and nouns for what is judged.
var (
	linking  = wordListOf("sono são foram wurden was were is are war waren ist sind était étaient est sont fue fueron era eran es son foi é è erano была был было")
	against  = wordListOf("silly stupid dumb ridiculous pointless unnecessary overkill excessive nonsense mistake restrictive strict rigid harsh albern dumm doof unsinn quatsch übertrieben unnötig lächerlich streng ridicule inutile bête idiote idiot stricte excessive absurde absurdo absurda tonto tonta tontería exagerado exagerada innecesario innecesaria estricto estricta ridículo ridícula bobo boba besteira sciocco sciocca stupido stupida ridicolo ridicola глупой глупым глупостью лишним лишней onzin dom overdreven streng bad mala schlechte mauvaise")
	opinions = wordListOf("idea idee idée ideia")
	judged   = wordListOf("limit limits cap ban thing business limite límite tope grenze limit sache histoire cosa")
)

// mostOpinion is the maximum number of words between the verb and the opinion: "was [a bit too] strict".
const mostOpinion = 3

// isOpinionOnRule reports whether a sentence judges a rule or an idea, and marks the words that say so.
func (j *judging) isOpinionOnRule() bool {
	if j.mayGo() || j.dropsLimit() {
		return true
	}
	from := -1 // where the clause begins
	ofRule := false
	for i := range j.ws {
		w := &j.ws[i]
		switch {
		case w.breaks && definite.has(w.text):
			from, ofRule = i, false
		case w.breaks:
			from = -1
		case from >= 0 && i > from+1 && linking.has(w.text):
			return j.judgesAfter(i, ofRule)
		}
		ofRule = ofRule || w.is(ruleNouns) || judged.has(w.text)
	}
	return false
}

// dropsLimit reports whether a sentence is an order to forget a limit or a ban, and marks its verb:
// "Forget the word limit".
func (j *judging) dropsLimit() bool {
	if len(j.ws) < 3 || !dropping.has(j.ws[0].text) || !definite.has(j.ws[1].text) && j.ws[1].text != "about" {
		return false
	}
	for i := 2; i < len(j.ws) && i < 6 && !j.ws[i].breaks; i++ {
		if limitNouns.has(j.ws[i].text) || j.ws[i].text == "ban" {
			j.ws[0].cue = true
			return true
		}
	}
	return false
}

// dropping lists verbs of such orders.
var dropping = wordListOf("forget drop ignore scratch vergiss oublie oubliez olvida olvide esquece dimentica забудь vergeet")

// mayGo reports whether a sentence says that something is no longer needed, and marks the words
// that say so: "The riddles can go".
func (j *judging) mayGo() bool {
	if len(j.ws) < 4 || !definite.has(j.ws[0].text) {
		return false
	}
	for i := 2; i+1 < len(j.ws) && i < 5 && !j.ws[i].breaks; i++ {
		if j.ws[i].text == "can" && j.ws[i+1].text == "go" && (i+2 == len(j.ws) || j.ws[i+2].breaks || i+3 == len(j.ws) && j.ws[i+2].text == "now") {
			j.ws[i].cue, j.ws[i+1].cue = true, true
			return true
		}
	}
	return false
}

// judgesAfter is like isOpinionOnRule for a sentence with the verb at word i. ofRule means that its subject is a rule.
func (j *judging) judgesAfter(i int, ofRule bool) bool {
	found := false
	for k := i + 1; k < len(j.ws) && k <= i+mostOpinion+1 && !j.ws[k].breaks; k++ {
		found = found || against.has(j.ws[k].text)
		ofRule = ofRule || opinions.has(j.ws[k].text)
	}
	if !found || !ofRule {
		return false
	}
	for k := range j.ws {
		if w := &j.ws[k]; k >= i || w.is(ruleNouns) || judged.has(w.text) {
			w.cue = true
		}
	}
	return true
}
