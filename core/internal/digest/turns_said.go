package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// said adds units for the assistant's thoughts and texts in message i, and records the plan in them, if any. If last is
// set and the message calls no tool, its text is the turn's answer.
func (r *turnReader) said(i int, last bool) {
	t := r.t
	for _, p := range t.PartsOf(i) {
		if p.Kind == transcript.Reasoning && !p.Has(transcript.Removed) && t.IsString(p.Body) {
			thought := t.Text(p.Body)
			r.thoughts(i, thoughtUnit, trimRune(thought[:min(len(thought), mostThought)]))
		}
	}
	text := saidIn(t, i)
	if t.Outputs {
		text = withoutCalls(text)
	}
	text = joinText(text, r.closingWords(i))
	if blank(text) {
		return
	}
	r.plan.replace(stepsIn(text[:min(len(text), lookText)]), int32(i))
	calls := makesCalls(t, i) || slices.ContainsFunc(r.called, func(c textCall) bool { return !closingTools.hasTool(c.tool) })
	kind, factor, code := saidUnit, ofSaid, shortCode
	if last && !calls {
		kind, factor, code = answerUnit, ofAnswer, longCode
	}
	text = text[:min(len(text), lookText)]
	if kind == saidUnit && thinksAloud(text) {
		r.thoughts(i, kind, text)
		return
	}
	from := len(r.now().units)
	unitsWithCode(text, code, func(lead, text string, item int) {
		if announces(lead) {
			lead = ""
		}
		r.say(from, calls, unit{kind: kind, message: int32(i), lead: lead, text: text, item: item, factor: factor})
	})
}

// say adds a unit of the assistant's text. from is the index of the first unit of the same message. calls means that
// tool calls follow in the message.
func (r *turnReader) say(from int, calls bool, u unit) {
	atWork := u.kind == saidUnit
	back := atWork && takesBack(u.text)
	if calls || atWork {
		u.text = withoutPlan(u.text)
	}
	if u.text = withoutPraise(u.text); u.text == "" {
		return
	}
	if atWork {
		r.doubted(from, u.text)
	}
	if flatters(u.text) || back || r.joined(from, u) {
		return
	}
	switch {
	case atWork && u.lead == "" && len(r.now().units) == from && (r.explained(&u) || r.inVain(&u)):
		return
	case atWork && u.lead == "" && len(r.now().units) == from && leans(u.text):
		r.about(u)
		return
	case atWork && u.lead == "" && singleSigns.inAnyCase(u.text):
		u.lead = r.looking.nameAt(u.message)
	}
	switch {
	case saysLittle(u.text) && (atWork || u.item == 0 && u.lead == "" && (!strings.Contains(u.text, " ") || isPraise(u.text))):
		return
	case announces(u.text), atWork && intends(u.text), u.item == 0 && u.lead == "" && isStep(u.text):
		u.factor = ofAnnounced
	case atWork:
		u.factor = worthAtWork(u.text)
	case predicts(u.text):
		u.factor = ofPrediction
	case len(r.now().units) < from+2 && !u.isTable():
		u.factor = ofFirstWords
	}
	r.add(u)
}

// isCodeBlock reports whether the text of a unit is a block of code that is quoted as a whole and has more than
// shortCode bytes.
func isCodeBlock(text string) bool {
	return len(text) > shortCode && text[0] == '`' && strings.HasSuffix(text, "`")
}

// worthAtWork returns the weight of what the assistant writes while working.
func worthAtWork(text string) int {
	switch {
	case isStep(text):
		return ofAnnounced
	case passesBy(text):
		if !names(text) {
			return ofAnnounced
		}
		return ofStatus
	case guesses(text):
		return ofSaid / 2
	case !namesMore(text) && !unspacedText(text):
		return ofRemark
	}
	return ofSaid
}

// endStatus cuts a status that later messages have overtaken down to the sentences that remain true: "The build passed.
// `x` is still being tested." It drops the unit if those sentences say too little.
func (u *unit) endStatus() {
	var kept []string
	for from, to := range extract.Sentences(u.text) {
		if s := strings.TrimSpace(u.text[from:to]); !passesBy(s) {
			kept = append(kept, s)
		}
	}
	u.text = strings.Join(kept, " ")
	u.factor = isDropped
	if names(u.text) {
		if worth := worthAtWork(u.text); worth != ofStatus {
			u.factor = worth
		}
	}
}

// isStep reports whether text only announces a numbered next step: "Step 3: Check the hooks", "Critical issue #1: Fix
// the door".
func isStep(text string) bool {
	head, rest, found := strings.Cut(text, ": ")
	if !found || len(text) > longestStep || strings.ContainsAny(text, "`(") || strings.Contains(rest, ". ") {
		return false
	}
	name, number, _ := strings.Cut(head, "#") // "Critical issue #1"
	if number == "" {
		name, number, found = strings.Cut(head, " ")
		return found && name == "Step" && exitOf(number) != ""
	}
	return strings.Count(name, " ") > 1 && exitOf(number) == number
}

// longestStep is the maximum length of a step's heading, in bytes.
const longestStep = 80

// predictions lists phrases that predict how finished work will turn out.
var predictions = substringsOf("should now |should pass|should work|should succeed|should be green|should be completely |should be fixed|should be good|should be fine|should be resolved|" +
	"will pass|will be green|sollte jetzt |sollte nun |devrait maintenant |debería |должн|应该|はずです")

// longestPrediction is the maximum length of a sentence that is only a prediction, in bytes.
const longestPrediction = 160

// predicts reports whether a sentence only predicts how finished work will turn out. A list never does, because it
// contains more.
func predicts(text string) bool {
	return len(text) <= longestPrediction && !strings.Contains(text, "; ") && predictions.inAnyCase(text)
}

// joined appends u to the previous unit of the same message if u means nothing without that unit,
// and reports whether it did so. from is the index of the message's first unit.
func (r *turnReader) joined(from int, u unit) bool {
	units := r.now().units
	if len(units) <= from || units[len(units)-1].factor == isDropped || u.lead != "" && u.lead != units[len(units)-1].lead || u.item > 0 || !joinsBack(u.text) {
		return false
	}
	last := &units[len(units)-1]
	if last.factor == ofAnnounced || last.kind != u.kind || len(last.text)+len(u.text) > mostList {
		return false
	}
	if last.lead == "" && last.kind == saidUnit && singleSigns.inAnyCase(u.text) {
		last.lead = r.looking.nameAt(u.message)
	}
	last.text += joinOf(last.text) + u.text
	return true
}

// withoutPraise returns text without an initial sentence that only expresses approval: "Good context. So …"
func withoutPraise(text string) string {
	if startsWithAny(text, courtesies) {
		return withoutCourtesy(text)
	}
	const longest = 64
	end := strings.IndexAny(text, ".!")
	if end < 0 || end > longest || end+2 >= len(text) || text[end+1] != ' ' {
		return text
	}
	head := text[:end]
	for _, p := range praise {
		if strings.HasPrefix(head, p) && strings.Count(head, " ") < 8 && !names(head) && !strings.Contains(head, ":") {
			return strings.TrimSpace(text[end+2:])
		}
	}
	return text
}

// courtesies lists the beginnings of sentences in which assistants only thank or apologize.
var courtesies = []string{"Thank you for", "Thanks for", "Thank you", "I apologize for", "I apologise for", "My apologies", "Apologies for", "Sorry for", "Sorry about",
	"Danke für", "Vielen Dank für", "Entschuldigung für", "Merci pour", "Merci d'", "Je m'excuse", "Désolé pour", "Gracias por", "Perdón por", "Disculpa por",
	"Obrigado por", "Desculpe pel", "Grazie per", "Scusa per", "Спасибо за", "Извините за", "Прошу прощения за"}

// withoutCourtesy returns a text without its first sentence, which begins with one of the courtesies, or the whole text
// if that sentence has a comma or a colon, and so may say more. If there is nothing else, it returns "".
func withoutCourtesy(text string) string {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == ',' || text[i] == ':':
			return text
		case (text[i] == '.' || text[i] == '!') && (i+1 == len(text) || text[i+1] == ' '):
			return strings.TrimSpace(text[i+1:])
		}
	}
	return ""
}

// about adds a unit that begins a message and has only a pronoun as its subject. It joins the unit to the command or
// change just before it, to which it most likely refers. If there is none, the name of the file that the assistant has
// just looked at introduces it. If there is none either, the unit is added only if a noun follows the pronoun. A unit that
// names nothing is omitted.
func (r *turnReader) about(u unit) {
	units := r.now().units
	if !names(u.text) && !unspacedText(u.text) {
		return
	}
	if n := len(units) - 1; n >= 0 && u.message-units[n].message <= 2 && (units[n].kind == ranUnit || units[n].kind == changeUnit) && len(u.text) <= mostLead {
		units[n].text += " (" + saidLabel + u.text + ")"
		units[n].factor = max(units[n].factor, ofSaid/2)
		return
	}
	if u.lead = r.looking.nameAt(u.message); u.lead != "" {
		u.factor = worthAtWork(u.text)
		r.add(u)
		return
	}
	if word, rest, _ := strings.Cut(lower(u.text), " "); pointing.has(word) && !states.has(rest[:max(0, strings.IndexByte(rest, ' '))]) { // "This file …"
		r.add(u)
	}
}

// pointing lists pronouns that can precede the noun to which they belong.
var pointing = wordListOf("this that these those dies diese dieser dieses ce cet cette ces este esta estos estas это этот эта")

// names reports whether text contains a number or a code name.
func names(text string) bool {
	for i := 0; i < len(text); i++ {
		if ofNames[text[i]] {
			return true
		}
	}
	return false
}

// ofNames marks the bytes that occur in numbers and in code names but not in other words.
var ofNames = func() (in [256]bool) {
	for _, c := range []byte("`0123456789/_") {
		in[c] = true
	}
	return in
}()

// namesMore reports whether text names anything besides line numbers. It is false for "The function ends at line 499."
func namesMore(text string) bool {
	if !names(text) {
		return false
	}
	if strings.ContainsAny(text, "`/_") {
		return true
	}
	for word, before := range wordsBefore(text) {
		if strings.ContainsAny(word, "0123456789") && !strings.HasPrefix(lower(before), "line") {
			return true
		}
	}
	return false
}

// wordsBefore yields the words of text, each with the word before it. The first word has "" before it.
func wordsBefore(text string) func(yield func(word, before string) bool) {
	return func(yield func(word, before string) bool) {
		before := ""
		for word := range strings.FieldsSeq(text) {
			if !yield(word, before) {
				return
			}
			before = word
		}
	}
}

// withoutCalls returns the text before the first call, for an agent that writes its calls as text. It also removes the
// label that such an agent puts before its thoughts.
func withoutCalls(text string) string {
	for at := 0; at < len(text); {
		n := strings.IndexAny(text[at:], "<`")
		if n < 0 {
			break
		}
		at += n
		if strings.HasPrefix(text[at:], "```") || text[at] == '<' && at+1 < len(text) && tagName(text[at+1:]) != "" {
			text = text[:at]
			break
		}
		at++
	}
	text = strings.TrimSpace(text)
	for _, label := range []string{"THOUGHT:", "Thought:", "DISCUSSION", "DISCUSSION:"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, label))
	}
	if n := strings.Index(text, "\nAction:"); n >= 0 {
		text = text[:n]
	}
	return text
}

// thoughts adds, as units of the given kind, the assistant's thoughts in message i that name something and aren't
// guesses, questions or plans.
func (r *turnReader) thoughts(i int, kind unitKind, text string) {
	from := len(r.now().units)
	proseUnits(text, func(lead, text string, item int) {
		u := unit{kind: kind, message: int32(i), lead: lead, text: withoutPraise(withoutPlan(text)), item: item, factor: ofThought}
		r.doubted(from, text)
		if text = u.text; announces(text) || hasQuestionMark(text) || wonders(text) || saysLittle(text) || announces(lead) || wonders(lead) || takesBack(text) || r.joined(from, u) {
			return
		}
		if guesses(text) || deliberates(text) || lead == "" && isFragment(text) {
			return
		}
		if strings.IndexByte(text, '"') >= 0 || namesMore(text) {
			r.add(u)
		}
	})
}

// isFragment reports whether a thought is only a piece of code that it is about to use, or begins inside one.
func isFragment(text string) bool {
	return text != "" && (strings.IndexByte(")]}", text[0]) >= 0 || text[0] == '`' && strings.IndexByte(text[1:], '`') == len(text)-2)
}

// thinksAloud reports whether the assistant thinks aloud in a text that it writes while working. That is the case if it
// retracts something or asks itself a question at least aloudTurns times.
func thinksAloud(text string) bool {
	turns := 0
	for line := range strings.Lines(text) {
		for from, to := range extract.Sentences(line) {
			if s := strings.TrimSpace(line[from:to]); doubtStarts.may(s) && headedBy(s, doubtHeads) || hasQuestionMark(s) {
				if turns++; turns == aloudTurns {
					return true
				}
			}
		}
	}
	return false
}

// aloudTurns is the minimum number of retractions and questions in text that counts as thinking aloud. A report may
// contain one of each.
const aloudTurns = 3

// doubted drops the last unit of a message if text, which follows it, retracts it: "Wait, …". from is the index of the
// message's first unit.
func (r *turnReader) doubted(from int, text string) {
	if units := r.now().units; len(units) > from && doubtStarts.may(text) && headedBy(text, doubtHeads) {
		units[len(units)-1].factor = isDropped
	}
}

// takesBack reports whether a sentence in text retracts an earlier one: "It reads the file twice. But wait, …".
func takesBack(text string) bool {
	for rest := text; ; {
		at := strings.IndexAny(rest, ".!?")
		if at < 0 || at+2 >= len(rest) {
			return false
		}
		if rest = rest[at+1:]; rest[0] == ' ' && doubtStarts.may(rest[1:]) && headedBy(rest[1:], doubtHeads) {
			return true
		}
	}
}

// guessSigns lists phrases from sentences that express uncertainty.
var guessSigns = substringsOf("aybe |erhaps|might |robably|ossibly|could be | think |ait, |mm, |vielleicht|womöglich|peut-être|quizá|возможно|可能|也许|かもしれ|아마")

// guesses reports whether text is only a guess.
func guesses(text string) bool {
	return guessSigns.in(text)
}

// deliberations lists phrases in thoughts about the next step.
var deliberations = substringsOf("e should |e can |e need |e could |e'll |I should |I can |I need |I could |safest|simplest|let's |Let's |Look for |Look at ")

// deliberates reports whether a thought is about the next step.
func deliberates(text string) bool {
	return deliberations.in(text)
}

// doubtHeads lists the beginnings of sentences that retract the previous sentence.
var doubtHeads = strings.Split("wait|hmm|but wait|oh wait|actually, |but here's the thing|but hmm|no, |no wait|scratch that|that's wrong|that is wrong|moment, |warte|nein, |attends|non, |espera|不对|等等|いや、|待って", "|")

// mostThought is the maximum number of bytes to read from one piece of reasoning.
const mostThought = 8000

// wonderHeads lists the beginnings of sentences that express doubt or repeat the question.
var wonderHeads = strings.Split("wait|hmm|actually|i've |i have |i'm |i am |my |maybe|perhaps|possibly|but wait|ok so|okay|so the user|the user |user |i should|i think|i could|i can |i want|i wonder|i might|we |we'll|we'd|we're|so we |but we |also we |also, we |then we |thus we |now we |or we |first we |however, we |therefore, we |let |could |might |need |i'm not sure|good|great|now|then |also need|alternatively|for now|the real question|the key question|so the real question|so the question|so the key|the question is|what if|looking at|let's see|could it be|why ", "|")

var wonderStarts, doubtStarts = startsOf(wonderHeads), startsOf(doubtHeads)

func wonders(text string) bool { return wonderStarts.may(text) && headedBy(text, wonderHeads) }

// headedBy reports whether text begins with one of the given prefixes, which are in lower case and not empty. It ignores
// the case of the text.
func headedBy(text string, heads []string) bool {
	text = text[:min(len(text), longestHead)]
	if !isASCII(text) {
		return startsWithAny(lower(strings.ReplaceAll(trimRune(text), "’", "'")), heads)
	}
	if text == "" {
		return false
	}
	first := smallByte[text[0]]
	for _, head := range heads {
		if head[0] == first && len(head) <= len(text) && strings.EqualFold(text[:len(head)], head) {
			return true
		}
	}
	return false
}

// longestHead is the number of bytes at the beginning of a text that are compared with prefixes.
const longestHead = 40

// saysLittle reports whether text is a single word, or has only a few words and neither a number nor a code name:
// "Good, those are fine."
func saysLittle(text string) bool {
	if !strings.Contains(text, " ") && !unspacedText(text) {
		return true
	}
	least := 3
	if praiseStarts.may(text) {
		for _, head := range praise {
			if strings.HasPrefix(text, head) {
				least = 9
			}
		}
	}
	return fewSpaces(text, least) && !names(text) && !unspacedText(text)
}

// isPraise reports whether a sentence consists of two words of praise: "Good progress."
func isPraise(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return fewSpaces(text, 2) && praiseWords.has(lower(first))
}

// praiseWords lists adjectives that express praise.
var praiseWords = wordListOf("good great perfect excellent nice interesting awesome")

// fewSpaces reports whether text has fewer than n spaces.
func fewSpaces(text string, n int) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == ' ' {
			if n--; n == 0 {
				return false
			}
		}
	}
	return true
}

// flattery lists the beginnings of sentences that only flatter the user.
var flattery = []string{"Good question", "Great question", "Good point", "Good catch", "Good observation", "Great point", "You're right", "You're absolutely", "You are right",
	"Great catch", "Excellent question", "Got it", "Understood", "承知しました", "了解", "好的", "알겠습니다", "Gute Frage", "Bonne question", "Buena pregunta"}

// flatters reports whether a sentence only flatters the user.
func flatters(text string) bool {
	return len(text) < 60 && !names(text) && startsWithAny(text, flattery)
}

// praise lists words that begin sentences in which assistants praise something, usually their own work.
var praise = []string{"Interesting", "Indeed", "Right", "Good", "Great", "Perfect", "Excellent", "Nice", "Clean", "All clean", "All good", "Looks good", "Those are", "That is", "That's", "You're right", "You're absolutely", "You are right", "Good catch", "Understood", "Got it", "Gut", "Parfait", "Perfecto"}

var praiseStarts = startsOf(praise)
