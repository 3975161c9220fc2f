package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/dates"
)

// An errand is something that the user asks for once: "ok, read the file and tell me what is wrong". It may be worded
// like a rule, but no longer matters when the turn ends. A sentence that says how long or when it applies is no errand.

// Word lists for recognizing errands, in English, German, French, Spanish and other languages.
var (
	// reacting lists words that begin a reaction to what the assistant has just said.
	reacting = wordListOf("actually hi hello hey ok okay yes yeah yep yup sure alright right wait hmm hm oh ah cool nice great so sooo soo but and also then now please well hey good perfect thanks just plus btw fyi " +
		"ja gut also dann und aber jetzt bitte oui bon alors et mais maintenant bien vale entonces pero ahora sí si")
	// answering lists the words in reacting that make the rest of a sentence an errand, unless it contains a demand or
	// begins with a command.
	answering = wordListOf("ok okay yes yeah yep yup sure alright wait hmm hm oh ah so sooo soo ja oui vale sí")
	// lasts lists words which indicate that a sentence applies beyond the current turn.
	lasts = wordListOf("always never ever mustn't don't dont whenever throughout everywhere anywhere avoid prefer without forever rule rules convention policy " +
		"only unless when everytime future default standard onwards forbidden allowed allergic strictly no-one " +
		"immer nie niemals stets nur künftig zukünftig kein keine keinen wenn ohne toujours jamais sans quand seulement siempre nunca jamás sin cuando solo sólo")
	// demands lists words that make a sentence a rule unless its verb describes something done once.
	demands = wordListOf("must darf dürfen muss müssen")
	// obliging lists verbs in statements of what something must be like.
	obliging = wordListOf("must should may " + "shall " + "has have need needs")
	// errands lists verbs that describe something done once.
	errands = wordListOf("read review explain check look find search fix move remove delete create spawn run update revert undo save commit push merge rebase show tell investigate " +
		"continue implement refactor rename open switch build try debug split extract clean finish start fetch pull deploy install restart rerun compare research summarize summarise propose suggest " +
		"analyze analyse tackle figure see go let change replace convert migrate bump release publish inspect verify describe list rewrite simplify drop get do configure set put " +
		"lies prüfe schau suche behebe lösche entferne erstelle starte ändere zeige erkläre lis vérifie cherche corrige supprime crée lance change montre explique " +
		"lee revisa busca arregla borra elimina crea ejecuta cambia muestra explica")
	// modals lists words that can occur between the beginning of a sentence and the verb of an errand.
	modals = wordListOf("we i you need to want should can could would like have has let's lets us me do also just i'd we'd i'll we'll going gonna maybe probably first next")
	// regretting lists words that introduce something the writer can't do: "Unfortunately, I can't come". supposing
	// lists verbs that, after "I" or "we", express uncertainty or an opinion.
	regretting = wordListOf("unfortunately sadly regrettably leider malheureusement desafortunadamente lamentablemente infelizmente purtroppo helaas")
	supposing  = wordListOf("think thought believe believed guess suppose supposed assume assumed wonder understand see")
	asksWhy    = wordListOf("why what what's whats how how's hows where where's who which warum wieso wie pourquoi comment qué cómo")
	ownTools   = wordListOf("skill agent agents worker workers tool subagent subagents mcp")
	troubled   = wordListOf("issue problem error bug cause reason fehler problem problème erreur problema")
	states     = wordListOf("is was seems ist war est était es era")
	needing    = wordListOf("i i'm i've i'll")
	taskLabels = wordListOf("request task step ticket issue todo item part phase aufgabe schritt tâche étape tarea paso")
	firstTwo   = wordListOf("i we")
	// besides lists prepositions of time and occasion that can't introduce a condition.
	besides    = wordListOf("with upon vor nach bei mit de после перед")
	each       = wordListOf("every each any jede jeder jedes jedem jeden chaque cada каждого каждой каждым")
	times      = wordListOf("time mal fois vez volta keer раз المرة")
	nextTime   = wordListOf("next nächstes nächste prochaine próxima prossima volgende следующий")
	inBetween  = wordListOf("don't do not still also would really just")
	askingVerb = wordListOf("can could should would may")
)

// errand reports whether sentence s, with the words ws, is useless later because it asks for something that is done
// within one turn, or only states an opinion. direct means that the cue addresses the reader.
func errand(s string, ws []word, direct bool) bool {
	if unspacedText(s) {
		return errandSigned(s)
	}
	if hasSigns(s) && (isThisTimeSigned(s) || isNotYetSigned(s)) {
		return true
	}
	i, answers := reaction(ws)
	if i == len(ws) || ws[0].text == "wait" && ws[1].text == "for" { // "wait for my go-ahead before …"
		return false
	}
	holds, demanded := holding(ws)
	first, next := ws[i].text, word{}
	if i+1 < len(ws) {
		next = ws[i+1]
	}
	switch {
	case declines(ws), choosesListed(s, ws[i:]), ofSection(ws), ponders(ws, i, direct), weighs(ws[i:]), ofOne(ws[i:]), ofDeal(ws[i:]), plansAct(s, ws[i:]), isThisTime(ws), onlyNow(ws[i:]), forNow(s, ws[i:]),
		regretting.has(first) && next.is(singles) && !isGeneral(ws), asksWhy.has(first) && !holds && !next.is(selves), asksAboutPaste(ws[i:]):
		return true
	case fixesOne(ws[i:]):
		return true
	case each.has(afterVerb(ws[i:])) && slices.ContainsFunc(ws, func(w word) bool { return w.text == "with" }): // "start each lesson with a joke"
		return false
	case holds || rulesOut(ws) || recurs(ws) >= 0:
		return false
	case strings.Contains(s, ")") && strings.IndexByte(s, '(') < 0: // the end of a parenthesis
		return true
	case first == "use" && len(ws) <= 6 && ownTools.has(ws[len(ws)-1].text),
		answers && !demanded && !(direct && ws[i].cue):
		return true
	}
	return announcesErrand(ws[i:]) || asksAction(ws, i)
}

// fixesOne reports whether words ask to fix something, possibly after the priority of the task: "P0: Fix the dial not being
// called". What they say about it is no ban.
func fixesOne(ws []word) bool {
	if len(ws) > 1 && len(ws[0].text) == 2 && ws[0].text[0] == 'p' && byteClass[ws[0].text[1]]&digit != 0 {
		ws = ws[1:]
	}
	return ws[0].text == "fix" && !anyIs(ws, lastingly|quantifiers|conditions) && !rulesOut(ws) &&
		!slices.ContainsFunc(ws, func(w word) bool { return w.text == "without" })
}

// afterVerb returns the word after the verb of a request, or "" if there is none. Modal verbs at the beginning are
// skipped.
func afterVerb(ws []word) string {
	i := 0
	for i < len(ws) && modals.has(ws[i].text) {
		i++
	}
	if i+1 < len(ws) {
		return ws[i+1].text
	}
	return ""
}

// reaction returns the number of words at the beginning of a sentence that react to what the assistant has said.
// answers reports whether they answer it.
func reaction(ws []word) (n int, answers bool) {
	for n < len(ws) && (reacting.has(ws[n].text) || ws[n].text == "no" && n+1 < len(ws) && ws[n+1].breaks) {
		answers = answers || answering.has(ws[n].text)
		n++
	}
	return n, answers
}

// holding returns two results: whether words make a sentence apply beyond the current turn, and whether they make it a
// rule unless its verb describes something done once.
func holding(ws []word) (holds, demanded bool) {
	for i := range ws {
		w := &ws[i]
		if i > 0 && w.breaks && i+1 < len(ws) && (w.text == "it" || w.text == "they") && !obliging.has(ws[i+1].text) {
			break // the reason for the request: "fix the loop, it never ends"
		}
		if !w.quoted {
			holds = holds || lasts.has(w.text) && !(w.text == "when" && i == 0)
			demanded = demanded || demands.has(w.text)
		}
	}
	return holds, demanded
}

// asksAboutPaste reports whether words begin with a verb and a reference to pasted text: "translate this sentence".
func asksAboutPaste(ws []word) bool {
	return len(ws) > 2 && ws[1].text == "this" && !ws[0].cue && !ws[0].is(persons|quantifiers|negations) &&
		ws[2].is(products|pasteNouns)
}

// announcesErrand reports whether words begin in a way that is typical only of errands: "Task 7: write the file.",
// "ensure we have a ticket", "the issue is …".
func announcesErrand(ws []word) bool {
	first := ws[0].text
	switch {
	case needing.has(first) && needs(ws):
		return true
	case len(ws) == 1:
		return false
	case taskLabels.has(first) && strings.IndexByte("0123456789#", ws[1].text[0]) >= 0:
		return true
	case (first == "ensure" || first == "make" && ws[1].text == "sure") &&
		(hasNow(ws[1:]) || len(ws) > 3 && ws[2].text == "get" && objectOf(ws[3:], false) > 0):
		return true
	}
	return len(ws) > 2 && ws[0].is(tasks) && troubled.has(ws[1].text) && states.has(ws[2].text)
}

// asksAction reports whether the verb of a sentence describes something done once. The words before index from are a
// reaction.
func asksAction(ws []word, from int) bool {
	i := from
	for i < len(ws) && (modals.has(ws[i].text) || reacting.has(ws[i].text)) {
		i++
	}
	i = max(i, requested(ws))
	return i < len(ws) && errands.has(ws[i].text) && !(i == from+1 && firstTwo.has(ws[from].text)) // "I find …" asks for nothing
}

// ofOne reports whether a sentence is about a single thing or a single day: "bring it on Monday", "if I am not there,
// give it to Tom", "Tuesday suits me better", "I want my money back", "I'd rather have it repaired".
func ofOne(ws []word) bool {
	last := len(ws) - 1
	if last < 3 || slices.ContainsFunc(ws, func(w word) bool { return w.is(lastingly) || each.has(w.text) }) {
		return false
	}
	away, negative, it, day := false, false, 0, 0
	for k, w := range ws {
		away = away || w.text == "if" && absent(ws[k:])
		negative = negative || w.is(negations)
		if w.text == "it" || w.text == "them" {
			it = k
		}
		if dates.IsWeekday(w.text) {
			day = k + 1
		}
	}
	switch {
	case it > 0 && away:
		return true
	case negative:
		return false
	case day == 1:
		return ws[last].text == "better" || ws[last].text == "best"
	case it > 0 && ws[it-1].text == "have":
		return it+1 == last && strings.HasSuffix(ws[last].text, "ed")
	}
	return it == 1 && day > 0 || ws[0].text == "i" && ws[1].text == "want" && ws[last].text == "back"
}

// absent reports whether words begin with the condition that the writer is away: "if I'm not at home".
func absent(ws []word) bool {
	if len(ws) > 3 && ws[1].text == "i" && ws[2].text == "am" {
		ws = ws[1:]
	} else if len(ws) < 3 || ws[1].text != "i'm" {
		return false
	}
	return ws[2].text == "not" || ws[2].text == "out" || ws[2].text == "away"
}

// Character sequences in Chinese and Japanese: those at the beginning of an errand, a story or thanks, and those that
// turn such a sentence into a rule.
var (
	errandSigns = strings.Fields("他 她 谢谢 創建 创建 帮我 请帮 請幫 生成 写一 寫一 我正在 作为一 现在，试 看一下 看看 修复 删除 删掉 解释 检查 运行 彼は 彼女は ありがとう 作って 見て 直して 削除して 説明して")
	lastSigns   = strings.Fields("必须 必須 不要 别 別 总是 從不 从不 永远 每次 以后 以後 今后 始终 只能 禁止 务必 不得 一律 绝 絕 决不 先 ないで 必ず 絶対 いつも 常に 今後 毎回 しないで 禁止")
)

// errandSigned is the counterpart of errand for scripts without spaces.
func errandSigned(s string) bool {
	if isThisTimeSigned(s) || isNotYetSigned(s) || requestsOne(s) {
		return true
	}
	for _, also := range [...]string{"另外", "顺便", "順便", "还有", "還有", "然后", "再", "，"} {
		s = strings.TrimPrefix(s, also)
	}
	for _, sign := range errandSigns {
		if strings.HasPrefix(s, sign) {
			return !hasAny(s, lastSigns)
		}
	}
	return choosesSigned(s) || changesOne(s)
}

// Character sequences for a single occasion, and for the future, in scripts without spaces, in Korean and in Hindi.
var (
	onceSigns   = strings.Split("这次|這次|这一次|這一次|今回|이번만|이번에|이번 한 번|इस बार", "|")
	futureSigns = strings.Split("以后|以後|今后|今後|每次|总是|總是|永远|永遠|从不|從不|一律|始终|始終|都要|これから|毎回|いつも|常に|앞으로|항상|매번|언제나|마다|늘 |हमेशा|हर बार", "|")
)

// isThisTimeSigned is the counterpart of isThisTime.
func isThisTimeSigned(s string) bool { return hasAny(s, onceSigns) && !hasAny(s, futureSigns) }

// Character sequences in requests to change one thing: words that point at the thing, verbs for a change, and words
// that turn the request into a rule.
var (
	pointingSigns  = strings.Split("这|這|那个|那個|那一|那行|该|該|此|この|その|あの|이 |그 |저 |不是了", "|")
	changeSigns    = strings.Fields("改成 改为 改為 换成 換成 に変更 に変え に直し 바꿔 고쳐 변경해")
	ruleSignsOfOne = strings.Fields("都 每 所有 默认 默認 以外 常に 毎 すべて 全て 항상 앞으로 모든 매번 언제나 마다")
)

// changesOne reports whether a sentence in a script without spaces asks to change one thing that it points at: "change
// this line to …".
func changesOne(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "请"), "請"), "把")
	return startsWithAny(s, pointingSigns) && hasAny(s, changeSigns) && !hasAny(s, lastSigns) && !hasAny(s, ruleSignsOfOne)
}

// rulesOut reports whether a sentence also forbids something, or requires something else to be done first: "you can
// read the logs but not change them", "read the notes before you touch the pump".
func rulesOut(ws []word) bool {
	for i := range ws[:len(ws)-1] {
		switch next := &ws[i+1]; {
		case ws[i].text == "but" && (next.is(negations) ||
			anyCue(ws[i:])):
			return true
		case ws[i].text == "before" && next.text == "they" &&
			anyIs(ws[:i], quantifiers):
			return true
		case ws[i].text == "before" && next.text == "you":
			return i+2 < len(ws) && !ws[i+2].is(moment|idle|beings) && ws[i+2].text != "leave"
		}
	}
	return false
}

// recurs returns the index of the word that makes a sentence refer to recurring events, as in "after every deal", "each
// time" or "whatever you touch", or -1. "In every file" doesn't count, because it names places rather than events.
func recurs(ws []word) int {
	for i := range ws[:max(len(ws)-1, 0)] {
		switch w, next := ws[i].text, &ws[i+1]; {
		case each.has(next.text) && (ws[i].is(conditions) || besides.has(w)),
			each.has(w) && (times.has(next.text) || i+2 < len(ws) && ws[i+2].text == "you"),
			nextTime.has(w) && times.has(next.text) && i+2 < len(ws) &&
				!ws[i+2].is(persons|selves|addressees|askers|tellers),
			everything.has(w) && next.is(addressees):
			return i
		}
	}
	return -1
}

// ponders reports whether a sentence expresses an opinion or a supposition, or asks what "we" can do. The words before
// index i are a reaction. direct means that the sentence's cue addresses the reader.
func ponders(ws []word, i int, direct bool) bool {
	first, next := ws[i].text, ""
	if i+1 < len(ws) {
		next = ws[i+1].text
	}
	return supposes(ws) || suppositions.has(first) || unreal(ws) || first == "that" && next == "means" ||
		mayDo(ws[i:]) || askingVerb.has(first) && firstTwo.has(next) ||
		!direct && slices.ContainsFunc(ws, func(w word) bool { return w.text == "perhaps" || w.text == "maybe" })
}

// weighs reports whether words ask the reader to think about a question: "Consider whether it should stay".
func weighs(ws []word) bool {
	return len(ws) > 1 && ws[0].text == "consider" &&
		(ws[1].is(conditions|askers) || ws[1].text == "whether" || strings.HasSuffix(ws[1].text, "ing"))
}

// noteHeads lists the beginnings of sentences that remind the reader of a fact.
var noteHeads = []string{"keep in mind that ", "bear in mind that ", "note that ", "please note that ",
	"please keep in mind that ", "please bear in mind that ", "remember that ", "beachte, dass ", "ten en cuenta que ",
	"n'oublie pas que "}

// isNote reports whether a sentence only reminds the reader of a fact that matters for the request in before, the
// preceding sentence: "Keep in mind that the small kiln has its own clock." It returns false if the fact is about the
// user, or if the sentence states a rule.
func isNote(s, before string) bool {
	if before == "" || !headedBy(s, noteHeads) {
		return false
	}
	for _, head := range noteHeads {
		if len(s) > len(head) && lower(s[:len(head)]) == head {
			said := wordsOf(s[len(head):], nil)
			asked := wordsOf(before, nil)
			return len(said) > 0 && !said[0].is(selves) && rate(s[len(head):], said).strength < wish &&
				len(asked) > 0 && (isQuestion(before) || errand(before, asked, false))
		}
	}
	return false
}

// onlyNow reports whether the first clause of a sentence limits it to one thing or one occasion: "for this chapter
// only, …", "just for today, …".
func onlyNow(ws []word) bool {
	if onceAside(ws) {
		return true
	}
	only := false
	for i := range ws[:len(ws)-1] {
		if i > 0 && ws[i].breaks {
			return false
		}
		only = only || ws[i].text == "only" || ws[i].text == "just"
		if ws[i].text == "for" && i == 0 && ws[i+1].text == "this" && i+2 < len(ws) && ws[i+2].text == "one" {
			return true
		}
		if ws[i].text == "for" && (ws[i+1].is(days) || ws[i+1].text == "once" || ws[i+1].text == "now") {
			return only || i == 0 ||
				i+2 == len(ws) && !anyIs(ws, negations)
		}
		if ws[i].text == "for" && pointed.has(ws[i+1].text) && i+2 < len(ws) && !general.has(ws[i+2].text) && (i == 0 || only) {
			return only || i+3 < len(ws) && ws[i+3].text == "only"
		}
	}
	return false
}

// mayDo reports whether a sentence only mentions a possibility: "If we want it, we can …".
func mayDo(ws []word) bool {
	if !ws[0].is(conditions) {
		return false
	}
	for k := range ws[:len(ws)-1] {
		if next := ws[k+1].text; (firstTwo.has(ws[k].text) || ws[k].text == "you") && (next == "can" || next == "could" || next == "might") {
			return true
		}
	}
	return false
}

// needs reports whether a sentence says what somebody has to do: "I need to …".
func needs(ws []word) bool {
	for k := range ws[:len(ws)-1] {
		if w := ws[k].text; (w == "need" || w == "have") && ws[k+1].text == "to" {
			return true
		}
	}
	return false
}

// hasNow reports whether words say that somebody has something: "ensure [we have] a ticket".
func hasNow(ws []word) bool {
	for k := range ws[:min(len(ws), 3)] {
		if ws[k].text == "have" || ws[k].text == "has" {
			return true
		}
	}
	return false
}

// supposes reports whether a sentence expresses the writer's own opinion: "I don't think we need it".
func supposes(ws []word) bool {
	for i := range ws {
		if !firstTwo.has(ws[i].text) {
			continue
		}
		k := i + 1
		for k < len(ws) && inBetween.has(ws[k].text) {
			k++
		}
		if k < len(ws) && supposing.has(ws[k].text) {
			if ws[len(ws)-1].text == "me" { // "I believe early trains work best for me"
				return false
			}
			for _, w := range ws[k:] {
				if w.text == "always" || w.text == "never" || w.text == "prefer" {
					return false
				}
			}
			return true
		}
	}
	return false
}

// onceAside reports whether a sentence says, in any of its clauses, that it is about one thing or one occasion: "Draft it,
// and only for this one, make it rhyme". A rule before that clause holds nevertheless.
func onceAside(ws []word) bool {
	for i := 0; i+2 < len(ws); i++ {
		w, next, last := &ws[i], ws[i+1].text, ws[i+2].text
		switch {
		case w.is(lastingly | negations):
			return false
		case onlyWords.has(w.text) && next == "this" && last == "once",
			onlyWords.has(w.text) && forWords.has(next) && (pointed.has(last) || nearby.has(last)):
			return i+3 == len(ws) || !general.has(ws[i+3].text)
		case forWords.has(w.text) && ws[i+1].is(days) && onlyWords.has(last):
			return true
		}
	}
	return false
}

// The words for "only" and "for".
var (
	onlyWords = wordListOf("only just nur seulement uniquement juste solo sólo só somente apenas soltanto alleen только")
	forWords  = wordListOf("for für pour para per voor для")
)
