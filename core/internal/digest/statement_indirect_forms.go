package digest

// This file recognizes, in the languages other than English, sentences that imply a rule: what somebody who reads along
// needs, what the writer can't read, lacks or understands better, who the readers are, and how much is enough.

// impliedAbroad returns the byte offset of the decisive word in a sentence that implies a rule, or -1.
func (sc *scene) impliedAbroad() int {
	if sc.all&(days|others) != 0 || asks(sc.text) {
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

// excludesSo recognizes conclusions without a verb from a fact about the writer or about who reads along: "Mein Chef liest
// mit, also bitte nichts Flapsiges", "Mi jefe lee esto, así que nada informal".
func (sc *scene) excludesSo() int {
	own := sc.all&selves != 0
	for i := range sc.ws {
		w := &sc.ws[i]
		own = own || ourOwn.has(w.text) || i < 3 && pointed.has(w.text)
		if i < 2 || !own || !concluding.has(w.text) && !(i > 0 && (w.text == "que" && sc.ws[i-1].text == "así" || w.text == "что" && sc.ws[i-1].text == "так")) {
			continue
		}
		k := i + 1
		for k < len(sc.ws) && (sc.ws[k].is(joins) || sc.ws[k].text == "eher") {
			k++
		}
		rest := len(sc.ws) - k
		if rest < 1 || rest > 6 {
			return -1
		}
		if excluding.has(sc.ws[k].text) && (rest > 1 || k > i+1 || sc.ws[k].text == "lieber") || rest < 4 && sc.ws[k].is(products) || rest > 1 && rest < 4 && articles.has(sc.ws[k].text) && sc.ws[k+1].is(products) || rest == 3 && sc.ws[k].text == "des" && sc.ws[k+1].is(products) {
			return w.at
		}
		return -1
	}
	return -1
}

// displaying lists verbs and adjectives for being shown or opened on a device, and poorly words for what works badly.
var (
	displaying = wordListOf("anzeigen angezeigt lesen öffnen lesbar affichent affiche ouvrent lisibles lire ven muestran abren cargan leen leer aparecem abrem carregam veem ler vedono aprono caricano leggono leggere видны видно открываются отображаются читаются читать")
	poorly     = wordListOf("плохо mal schlecht kaum трудно тяжело")
)

// unreadable recognizes forms of answers that the writer can't read or use: "Tabellen kann ich auf dem Handy nicht lesen",
// "As tabelas não aparecem no meu celular".
func (sc *scene) unreadable() int {
	if sc.past || len(sc.ws) > 14 || sc.ws[0].is(things) || sc.ws[0].is(persons) && !sc.ws[0].is(selves) {
		return -1
	}
	for i := 1; i < len(sc.ws); i++ {
		if !displaying.has(sc.ws[i].text) {
			continue
		}
		bad, device, matter := false, false, false
		for k := range sc.ws {
			w := &sc.ws[k]
			bad = bad || w.is(negations) || poorly.has(w.text)
			device = device || k > 0 && ourOwn.has(w.text) || device || k > 1 && (sc.ws[k-2].text == "auf" || sc.ws[k-2].text == "im" || sc.ws[k-2].text == "en" || sc.ws[k-2].text == "no" || sc.ws[k-1].text == "sull'")
			matter = matter || forms.has(w.text) || w.is(products)
		}
		if bad && matter && (device || i == len(sc.ws)-1 || sc.all&selves != 0 || endsWithAny(sc.ws[i].text, "ler", "lire", "leer", "leggere", "читать")) {
			return sc.ws[i].at
		}
		return -1
	}
	return -1
}

// forms lists nouns for what an answer consists of.
var forms = wordListOf("tabelle tabellen absätze links bilder tableaux paragraphes liens images tablas párrafos enlaces imágenes tabelas parágrafos imagens tabelle paragrafi immagini таблицы абзацы ссылки картинки эмодзи emojis listen listes listas liste списки")

// slippedAgain recognizes reminders of what the assistant did wrong again: "Du hast schon wieder die Quellen vergessen",
// "Otra vez se te olvidaron las fuentes".
func (sc *scene) slippedAgain() int {
	ws := sc.ws
	if len(ws) < 4 || len(ws) > 12 {
		return -1
	}
	aux := sc.textAt(1)
	switch first := ws[0].text; {
	case first == "du" && aux == "hast", first == "tu" && (aux == "as" || aux == "hai"), first == "vous" && aux == "avez", first == "hai", first == "você", first == "вы" || first == "ты":
		for i := 1; i < len(ws)-1 && i < 5; i++ {
			w := ws[i].text
			if w == "wieder" || w == "encore" || w == "nouveau" || w == "novo" || w == "nuovo" || w == "опять" || w == "снова" || w == "ancora" && first != "tu" {
				return ws[i].at
			}
		}
	case first == "otra" && aux == "vez" && (ws[2].text == "se" && sc.textAt(3) == "te" || ws[2].text == "te" || ws[2].text == "has"):
		return ws[0].at
	case first == "has" && (sc.textAt(2) == "otra" || aux == "vuelto"), first == "опять" && (aux == "ты" || aux == "вы"), first == "wieder" && aux == "hast":
		return ws[0].at
	}
	return -1
}

// Word lists for what the writer understands better: prepositions, verbs, and comparatives.
var (
	withWords     = wordListOf("mit anhand avec con com с")
	understanding = wordListOf("verstehe verstehen lerne begreife merke comprends saisis apprends retiens entiendo comprendo aprendo entendo compreendo capisco imparo понимаю понятнее легче запоминаю")
	betterWords   = wordListOf("besser leichter schneller eher mieux plus vite mejor fácil melhor meglio лучше легче быстрее проще понятнее понять")
)

// understandsBetter recognizes sentences about what helps the writer to understand: "Mit Beispielen verstehe ich es
// leichter", "Con gli esempi capisco meglio".
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

// isLacking recognizes what the household or the home of the writer lacks: "Chez nous, il n'y a pas de four", "У нас нет
// духовки".
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
	home := ws[0].text == "chez" && (ws[1].text == "nous" || ws[1].text == "moi") || ws[0].text == "a" && (ws[1].text == "casa") || ws[0].text == "à" && sc.textAt(2) == "maison" ||
		ws[0].text == "у" && (ws[1].text == "нас" || ws[1].text == "меня") || (ws[0].text == "on" || ws[0].text == "nous") && (ws[1].text == "n'" || ws[1].text == "ne")
	if !home {
		return -1
	}
	for i := 1; i+1 < len(ws); i++ {
		next := ws[i+1].text
		switch ws[i].text {
		case "нет":
			if !ws[i+1].breaks {
				return ws[i].at
			}
		case "non":
			if next == "abbiamo" || next == "ho" || next == "c'è" || next == "c'" {
				return ws[i].at
			}
		case "pas":
			if (next == "de" || next == "d'") && (ws[i-1].text == "a" || ws[i-1].text == "ai" || ws[i-1].text == "avons") {
				return ws[i].at
			}
		}
	}
	return -1
}

// readersAbroad lists nouns for those who read what the assistant writes.
var readersAbroad = wordListOf("leser leserinnen leserschaft zuhörer publikum zielgruppe kunden lecteurs lectrices lectorat public clients élèves lectores público clientes alumnos leitores alunos lettori pubblico clienti studenti читатели слушатели клиенты ученики аудитория")

// namesAudience recognizes descriptions of those who will read an answer: "Meine Leser sind Kinder".
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

// satisfies recognizes how much is enough for the writer: "Mir reicht eine kurze Zusammenfassung", "Une phrase me suffit".
func (sc *scene) satisfies() int {
	ws := sc.ws
	if sc.past || len(ws) < 4 || len(ws) > 10 || ws[0].is(things) {
		return -1
	}
	for i := 0; i+1 < len(ws); i++ {
		w, next := ws[i].text, ws[i+1].text
		switch {
		case w == "mir" && (next == "reicht" || next == "reichen" || next == "genügt" || next == "genügen"):
			if i+2 < len(ws) && (articles.has(ws[i+2].text) || ws[i+2].is(numbers|products)) && i == 0 {
				return ws[i+1].at
			}
		case (w == "reicht" || w == "reichen" || w == "genügt") && next == "mir",
			w == "me" && (next == "suffit" || next == "suffisent" || next == "basta" || next == "bastan" || next == "bastam"),
			w == "mi" && (next == "basta" || next == "bastano"),
			w == "мне" && (next == "достаточно" || next == "хватит" || next == "хватает"):
			if forms.has(ws[0].text) || i > 1 && (articles.has(ws[0].text) || withWords.has(ws[0].text) || ws[0].is(numbers|products)) || i+2 < len(ws) && (articles.has(ws[i+2].text) || ws[i+2].is(numbers|products)) {
				return ws[i+1].at
			}
		}
	}
	return -1
}

// dispensable recognizes what the writer doesn't need: "Die langen Einleitungen brauche ich nicht", "Pas la peine de
// t'excuser".
func (sc *scene) dispensable() int {
	ws := sc.ws
	last := len(ws) - 1
	switch {
	case last < 3 || sc.past:
	case definite.has(ws[0].text) && last >= 4 && ws[last].text == "nicht" && ws[last-1].text == "ich" && (ws[last-2].text == "brauche" || ws[last-2].text == "brauch"):
		return ws[last-2].at
	case ws[0].text == "pas" && (ws[1].text == "la" && ws[2].text == "peine" || ws[1].text == "besoin") && (sc.textAt(3) == "de" || sc.textAt(2) == "de" || sc.textAt(3) == "d'"):
		return ws[0].at
	}
	return -1
}
