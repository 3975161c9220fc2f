package digest

// This file recognizes, in the languages other than English, sentences that imply a rule: what somebody who reads along
// needs, what the writer can't read, lacks or understands better, who the readers are, and how much is enough.

// impliedAbroad returns the byte offset of the decisive word in a sentence that implies a rule, or -1.
func (sc *scene) impliedAbroad() int {
	if sc.all&(days|others) != 0 || isQuestion(sc.text) {
		return -1
	}
	return max(sc.excludesSo(), sc.unreadable(), sc.slippedAgain(), sc.understandsBetter(), sc.isLacking(), sc.namesAudience(), sc.satisfies(), sc.dispensable())
}

// excluding lists words with which a conclusion rules something out or recommends it. ourOwn lists the possessive
// pronouns that refer to the writer ("my", "our").
var (
	excluding = wordListOf("nichts kein keine keinen ohne lieber besser nur rien pas sans plutôt mieux seulement uniquement nada sin mejor solo sólo sem melhor só apenas niente nessun nessuna senza meglio без лучше только никаких")
	ourOwn    = wordListOf("mein meine meinen meinem meiner unser unsere unseren unserem mon ma mes notre nos mi mis nuestro nuestra nuestros nuestras meu minha meus minhas nosso nossa nossos nossas mio mia miei mie nostro nostra nostri nostre мой моя моё мои моём моем моей наш наша наши нашей нашем")
)

// excludesSo recognizes conclusions without a verb from a fact about the writer or about who reads
// along: "Mein Chef liest mit, also bitte nichts Flapsiges", "Mi jefe lee esto, así que nada
// informal". It returns the byte offset of the word that introduces the conclusion, or -1.
func (sc *scene) excludesSo() int {
	own := sc.all&selves != 0
	for i := range sc.ws {
		w := &sc.ws[i]
		own = own || ourOwn.has(w.text) || i < 3 && pointed.has(w.text)
		if i < 2 || !own || !sc.concludesWith(i) {
			continue
		}
		if sc.excludesAfter(i) {
			return w.at
		}
		return -1
	}
	return -1
}

// concludesWith reports whether a conclusion begins with word i, or with the two words that end there.
func (sc *scene) concludesWith(i int) bool {
	w, before := sc.ws[i].text, sc.textAt(i-1)
	return concluding.has(w) || w == "que" && before == "así" || w == "что" && before == "так"
}

// excludesAfter reports whether the conclusion after word i is short, and rules something out or names what to write.
func (sc *scene) excludesAfter(i int) bool {
	k := i + 1
	for k < len(sc.ws) && (sc.ws[k].is(joins) || sc.ws[k].text == "eher") {
		k++
	}
	rest := len(sc.ws) - k
	if rest < 1 || rest > 6 {
		return false
	}
	w := &sc.ws[k]
	if excluding.has(w.text) && (rest > 1 || k > i+1 || w.text == "lieber") {
		return true
	}
	named := w.is(products) || sc.word(k+1).is(products) && (articles.has(w.text) || rest == 3 && w.text == "des")
	return rest < 4 && named
}

// displaying lists verbs and adjectives for being shown or opened on a device, and poorly words for what works badly.
var (
	displaying = wordListOf("anzeigen angezeigt lesen öffnen lesbar affichent affiche ouvrent lisibles lire ven muestran abren cargan leen leer aparecem abrem carregam veem ler vedono aprono caricano leggono leggere видны видно открываются отображаются читаются читать")
	poorly     = wordListOf("плохо mal schlecht kaum трудно тяжело")
)

// unreadable recognizes sentences about a form of answers that the writer can't read or use:
// "Tabellen kann ich auf dem Handy nicht lesen", "As tabelas não aparecem no meu celular". It
// returns the byte offset of the word for being shown or opened, or -1.
func (sc *scene) unreadable() int {
	if sc.past || len(sc.ws) > 14 || sc.ws[0].is(things) || sc.ws[0].is(persons) && !sc.ws[0].is(selves) {
		return -1
	}
	for i := 1; i < len(sc.ws); i++ {
		if !displaying.has(sc.ws[i].text) {
			continue
		}
		infinitive := endsWithAny(sc.ws[i].text, "ler", "lire", "leer", "leggere", "читать")
		if sc.showsBadly() && (i == len(sc.ws)-1 || sc.all&selves != 0 || infinitive || sc.onDevice()) {
			return sc.ws[i].at
		}
		return -1
	}
	return -1
}

// showsBadly reports whether a sentence says that a part of an answer is shown badly, or not at all.
func (sc *scene) showsBadly() bool {
	bad, matter := false, false
	for i := range sc.ws {
		w := &sc.ws[i]
		bad, matter = bad || w.is(negations) || poorly.has(w.text), matter || w.is(products) || forms.has(w.text)
	}
	return bad && matter
}

// onDevice reports whether a sentence names a device of the writer: "im Browser", "no meu celular".
func (sc *scene) onDevice() bool {
	for i := 1; i < len(sc.ws); i++ {
		if ourOwn.has(sc.ws[i].text) || i > 1 && (onWords.has(sc.ws[i-2].text) || sc.ws[i-1].text == "sull'") {
			return true
		}
	}
	return false
}

// onWords lists prepositions before an article and a device.
var onWords = wordListOf("auf im en no")

// forms lists nouns for what an answer consists of.
var forms = wordListOf("tabelle tabellen absätze links bilder tableaux paragraphes liens images tablas párrafos enlaces imágenes tabelas parágrafos imagens tabelle paragrafi immagini таблицы абзацы ссылки картинки эмодзи emojis listen listes listas liste списки")

// slippedAgain recognizes reminders of what the assistant did wrong again: "Du hast schon wieder
// die Quellen vergessen", "Otra vez se te olvidaron las fuentes". It returns the byte offset of the
// word that shows it, or -1.
func (sc *scene) slippedAgain() int {
	ws := sc.ws
	if len(ws) < 4 || len(ws) > 12 {
		return -1
	}
	first, next, third := ws[0].text, ws[1].text, ws[2].text
	for _, form := range &reproaches {
		if first != form.first || form.next != "" && next != form.next {
			continue
		}
		for i := 1; i < len(ws)-1 && i < 5; i++ {
			if againWords.has(ws[i].text) || ws[i].text == "ancora" && first != "tu" {
				return ws[i].at
			}
		}
		return -1
	}
	again := false // whether the first words are "again you have", or "you have … again"
	switch first {
	case "otra":
		again = next == "vez" && (third == "te" || third == "has" || third == "se" && ws[3].text == "te")
	case "has":
		again = next == "vuelto" || third == "otra"
	case "опять":
		again = next == "ты" || next == "вы"
	case "wieder":
		again = next == "hast"
	}
	if again {
		return ws[0].at
	}
	return -1
}

// reproaches lists how sentences begin about what the reader did. next is empty if any word may follow. againWords lists
// the words for "again" in such sentences.
var (
	reproaches = [...]struct{ first, next string }{
		{"du", "hast"}, {"tu", "as"}, {"tu", "hai"}, {"vous", "avez"}, {"hai", ""}, {"você", ""}, {"вы", ""}, {"ты", ""},
	}
	againWords = wordListOf("wieder encore nouveau novo nuovo опять снова")
)

// Word lists for what the writer understands better: prepositions, verbs, and comparatives.
var (
	withWords     = wordListOf("mit anhand avec con com с")
	understanding = wordListOf("verstehe verstehen lerne begreife merke comprends saisis apprends retiens entiendo comprendo aprendo entendo compreendo capisco imparo понимаю понятнее легче запоминаю")
	betterWords   = wordListOf("besser leichter schneller eher mieux plus vite mejor fácil melhor meglio лучше легче быстрее проще понятнее понять")
)

// understandsBetter recognizes sentences about what helps the writer to understand: "Mit Beispielen verstehe ich es
// leichter", "Con gli esempi capisco meglio". It returns the byte offset of the verb, or -1.
func (sc *scene) understandsBetter() int {
	if sc.past || len(sc.ws) > 12 || len(sc.ws) < 4 || !withWords.has(sc.ws[0].text) || sc.ws[1].is(addressees|persons|things) || ourOwn.has(sc.ws[1].text) {
		return -1
	}
	verb, better := -1, false
	for i := 1; i < len(sc.ws); i++ {
		if verb < 0 && understanding.has(sc.ws[i].text) {
			verb = sc.ws[i].at
		}
		better = better || betterWords.has(sc.ws[i].text)
	}
	if better {
		return verb
	}
	return -1
}

// notThings lists nouns for what people lack at the moment.
var notThings = wordListOf("temps idée idées chance choix problème problèmes nouvelles mal tort envie besoin tempo idea idee problemi fretta voglia scelta времени идей вопросов проблем выбора желания сил новостей tiempo problema problemas prisa ganas")

// isLacking recognizes sentences about what the writer's household or home lacks: "Chez nous, il
// n'y a pas de four", "У нас нет духовки". It returns the byte offset of the word that shows it, or
// -1.
func (sc *scene) isLacking() int {
	ws := sc.ws
	if sc.past || len(ws) < 4 || len(ws) > 10 {
		return -1
	}
	for i := range ws {
		if notThings.has(ws[i].text) {
			return -1
		}
	}
	if !sc.atHome() {
		return -1
	}
	for i := 1; i+1 < len(ws); i++ {
		next, lacks := ws[i+1].text, false
		switch ws[i].text {
		case "нет":
			lacks = !ws[i+1].breaks
		case "non":
			lacks = italianHave.has(next)
		case "pas":
			lacks = (next == "de" || next == "d'") && frenchHave.has(ws[i-1].text)
		}
		if lacks {
			return ws[i].at
		}
	}
	return -1
}

// italianHave and frenchHave list the verbs of sentences about what a home has.
var (
	italianHave = wordListOf("abbiamo ho c'è c'")
	frenchHave  = wordListOf("a ai avons")
)

// atHome reports whether a sentence begins by saying that it is about the writer's home or household.
func (sc *scene) atHome() bool {
	next := sc.ws[1].text
	switch sc.ws[0].text {
	case "chez":
		return next == "nous" || next == "moi"
	case "a":
		return next == "casa"
	case "à":
		return sc.textAt(2) == "maison"
	case "у":
		return next == "нас" || next == "меня"
	case "on", "nous":
		return next == "n'" || next == "ne"
	}
	return false
}

// readersAbroad lists nouns for those who read what the assistant writes.
var readersAbroad = wordListOf("leser leserinnen leserschaft zuhörer publikum zielgruppe kunden lecteurs lectrices lectorat public clients élèves lectores público clientes alumnos leitores alunos lettori pubblico clienti studenti читатели слушатели клиенты ученики аудитория")

// namesAudience recognizes descriptions of those who will read an answer: "Meine Leser sind
// Kinder". It returns the byte offset of the word that shows it, or -1.
func (sc *scene) namesAudience() int {
	at := 0
	if definite.has(sc.ws[0].text) || sc.ws[0].text == "i" {
		at = 1
	}
	if len(sc.ws) < at+3 || len(sc.ws) > 9 || sc.past {
		return -1
	}
	if !ourOwn.has(sc.ws[at].text) && !(at == 1 && sc.textAt(2) != "") {
		return -1
	}
	if ourOwn.has(sc.ws[at].text) {
		at++
	}
	if at >= len(sc.ws)-1 || !readersAbroad.has(sc.ws[at].text) {
		return -1
	}
	next := &sc.ws[at+1]
	if linking.has(next.text) || next.text == "sono" || next.text == "são" || next.text == "это" {
		if after := sc.word(at + 2); after == nil || after.is(moods|moment|things) {
			return -1
		}
		return next.at
	}
	if next.breaks && at+2 == len(sc.ws) && sc.ws[at].text[0] >= 0xd0 { // "Наши читатели — дети"
		return next.at
	}
	return -1
}

// satisfies recognizes sentences about how much is enough for the writer: "Mir reicht eine kurze
// Zusammenfassung", "Une phrase me suffit". It returns the byte offset of the word that shows it,
// or -1.
func (sc *scene) satisfies() int {
	ws := sc.ws
	if sc.past || len(ws) < 4 || len(ws) > 10 || ws[0].is(things) {
		return -1
	}
	for i := 0; i+1 < len(ws); i++ {
		w, next := ws[i].text, ws[i+1].text
		follows := i+2 < len(ws) && isAmount(&ws[i+2]) // what is enough
		switch {
		case w == "mir" && germanEnough.has(next):
			if i == 0 && follows {
				return ws[1].at
			}
		case w != "genügen" && germanEnough.has(w) && next == "mir", sufficesIn(w, next):
			if follows || forms.has(ws[0].text) || i > 1 && (isAmount(&ws[0]) || withWords.has(ws[0].text)) {
				return ws[i+1].at
			}
		}
	}
	return -1
}

// isAmount reports whether w is a number or something that the assistant writes, or precedes such a word as an article.
func isAmount(w *word) bool { return articles.has(w.text) || w.is(numbers|products) }

// germanEnough lists German verbs for being enough, and enoughVerbs those of other languages by the pronoun before them.
var (
	germanEnough = wordListOf("reicht reichen genügt genügen")
	enoughVerbs  = [...]struct {
		pronoun string
		verbs   wordList
	}{
		{"me", wordListOf("suffit suffisent basta bastan bastam")}, {"mi", wordListOf("basta bastano")},
		{"мне", wordListOf("достаточно хватит хватает")},
	}
)

// sufficesIn reports whether a pronoun for the writer and the next word say, in a language other than German, that
// something is enough.
func sufficesIn(pronoun, next string) bool {
	for i := range enoughVerbs {
		if enoughVerbs[i].pronoun == pronoun {
			return enoughVerbs[i].verbs.has(next)
		}
	}
	return false
}

// germanNeed lists German verbs for needing something.
var germanNeed = wordListOf("brauche brauch")

// dispensable recognizes sentences about what the writer doesn't need: "Die langen Einleitungen
// brauche ich nicht", "Pas la peine de t'excuser". It returns the byte offset of the word that
// shows it, or -1.
func (sc *scene) dispensable() int {
	ws := sc.ws
	last := len(ws) - 1
	if last < 3 || sc.past {
		return -1
	}
	if last >= 4 && definite.has(ws[0].text) && ws[last].text == "nicht" && ws[last-1].text == "ich" && germanNeed.has(ws[last-2].text) {
		return ws[last-2].at
	}
	needless := ws[1].text == "besoin" || ws[1].text == "la" && ws[2].text == "peine"
	if ws[0].text == "pas" && needless && (ws[2].text == "de" || ws[3].text == "de" || ws[3].text == "d'") {
		return ws[0].at
	}
	return -1
}
