package digest

import (
	"slices"
	"strings"
)

// This file recognizes choices about a booking, an order or a payment: "No, I don't want travel insurance", "I'd prefer
// not to be transferred". They are worded like preferences, but no longer matter once the deal is made. A choice has
// two signs: it is a wish for the moment, and its object is part of a deal with a service.

// The words used in choices, in English, German, French and Spanish.
var (
	// dealing lists verbs for things that people arrange with a service.
	dealing = wordListOf("book reserve order buy rent hire change cancel add upgrade return exchange pay fly depart leave check schedule reschedule")
	// getting lists other verbs that occur in wishes about a deal.
	getting = wordListOf("use keep get take have receive proceed go be")
	// arranged lists nouns for objects of deals. Most are singular, because plurals also express tastes: "I like aisle
	// seats".
	arranged = wordListOf("insurance flight ticket booking reservation refund payment voucher certificate seat baggage luggage bags fee card cards visa mastercard compensation cancellation allowance warranty option train bus room " +
		"zug zimmer versicherung reiseversicherung gepäck erstattung rückerstattung gutschein geschenkkarte kreditkarte sitzplatz flug buchung zahlung stornierung " +
		"assurance bagage bagages remboursement vol billet réservation paiement carte siège " +
		"seguro equipaje reembolso vuelo billete boleto reserva pago tarjeta asiento cartão passagem pagamento assento bagagem voo")
	// handedOver lists verb forms for what a service does with a customer.
	handedOver = wordListOf("transferred weitergeleitet verbunden weiterverbunden transféré transférée transferido transferida")
	// afterArranged lists words that can follow a noun in arranged. Before any other word, the noun only modifies
	// another noun: "the payment module".
	afterArranged = wordListOf("for instead either ending please thanks thank needed together für bitte danke pour de merci qui para por gracias que that which werden not")
	// wanting lists verbs that can express a wish. wantingMe lists verb forms that only express a wish of the writer.
	wanting   = wordListOf("want need like prefer rather use appreciate have")
	wantingMe = wordListOf("möchte brauche hätte nehme quiero quisiera necesito preferiría usaré voudrais veux préférerais utiliserai")
	// wouldBe lists words that can come between "I" and its verb.
	wouldBe = wordListOf("would will do not don't won't wouldn't really just only also still much actually simply definitely ne n'")
	// noneOf lists words that decline an offer when they begin a clause.
	noneOf = wordListOf("no kein keine keinen pas sin")
	// excepting lists words that limit a rule: "no booking without a deposit".
	excepting = wordListOf("without unless ohne sans")
	// charging lists verbs of orders that name a means of payment.
	charging = wordListOf("use charge")
	// replacing lists words that can follow a choice although they look like cues.
	replacing = wordListOf("instead myself")
	owned     = wordListOf("the my this that these those")
	// further lists words that limit a preceding "any" to the same deal: "any additional charges".
	further = wordListOf("additional extra further other more remaining form")
)

// mostOpposed is the maximum number of words, including "not", that name a rejected option without an article.
const mostOpposed = 3

// mostObject is the maximum number of words from the verb of a choice to the end of its object.
const mostObject = 8

// ofDeal reports whether a sentence contains nothing but choices about a single deal.
func ofDeal(ws []word) bool {
	if vitalToMe(ws) {
		return true
	}
	found, arranging := false, false
	ws = ws[concession(ws):]
	for i := 0; i < len(ws); {
		arranging = arranging || i > 1 && ws[i-1].text == "to" && ws[i-2].text == "like" && dealing.has(ws[i].text)
		found = found || arranging
		n := choiceAt(ws, i, arranging)
		switch {
		case n > 0:
			found = true
		case ws[i].cue && !(found && (replacing.has(ws[i].text) || opposed(ws[i:]))):
			return false
		default:
			n = 1
		}
		i += n
	}
	return found && !isGeneral(ws)
}

// concession returns the number of words in a polite introduction to an objection: "I appreciate the suggestion, but
// …". It returns 0 if there is none.
func concession(ws []word) int {
	for i := range ws {
		if i > 3 && ws[i].text == "but" && ws[0].is(selves) && (ws[1].text == "appreciate" || ws[1].text == "understand") && (owned.has(ws[2].text) || ws[2].text == "your") {
			return i
		}
	}
	return 0
}

// opposed reports whether words begin with "not" and name an option that was rejected: "not a return".
func opposed(ws []word) bool {
	return len(ws) > 1 && ws[0].starts && ws[0].text == "not" && (articles.has(ws[1].text) || owned.has(ws[1].text) || len(ws) <= mostOpposed)
}

// isGeneral reports whether words apply to more than one deal, or to the reader's own writing.
func isGeneral(ws []word) bool {
	for i := range ws {
		if w := &ws[i]; w.is(products|lastingly) || excepting.has(w.text) || (each.has(w.text) || w.is(quantifiers)) && w.text != "both" && !(i > 0 && ws[i-1].text == "once") && !(i+1 < len(ws) && (further.has(ws[i+1].text) || arranged.has(ws[i+1].text))) {
			return true
		}
	}
	return false
}

// vitalToMe reports whether a sentence only says that something mentioned before matters: "This is important to me."
func vitalToMe(ws []word) bool {
	i := slices.IndexFunc(ws, func(w word) bool { return vital.has(w.text) })
	if i < 1 || i+2 >= len(ws) || ws[i+1].text != "to" || ws[i+2].text != "me" || isGeneral(ws) {
		return false
	}
	from := i
	for from > 0 && !ws[from].breaks {
		from--
	}
	if ws[from].is(joins | conjunctions) {
		from++
	}
	rest := ws[i+3:]
	return (ws[from].is(things) || strings.HasPrefix(ws[from].text, "it'")) &&
		(len(rest) == 0 || len(rest) > 2 && rest[0].text == "to" && getting.has(rest[1].text) && owned.has(rest[2].text))
}

// choiceAt returns the number of words in the choice that begins at index i and ends with its object, or 0. arranging
// means that the sentence asks for a deal, so anything that the writer wants belongs to this deal.
func choiceAt(ws []word, i int, arranging bool) int {
	size, plain := 1, false
	switch w := &ws[i]; {
	case w.starts && noneOf.has(w.text), wantingMe.has(w.text):
	case w.starts && charging.has(w.text):
		plain = true
	case w.is(selves):
		if size, plain = wishOf(ws[i:]); size == 0 {
			return 0
		}
	default:
		return 0
	}
	if n := objectOf(ws[i+size:], plain); n > 0 {
		return size + n
	} else if arranging && !plain {
		return size
	}
	return 0
}

// wishOf returns the number of words in the subject and the verb of a wish at the beginning of ws,
// or 0 if there is no wish. plain means that the verb can also express a taste.
func wishOf(ws []word) (size int, plain bool) {
	k, negative, would := 1, false, strings.HasSuffix(ws[0].text, "'d") || strings.HasSuffix(ws[0].text, "'ll")
	for k < len(ws) && wouldBe.has(ws[k].text) {
		would = would || strings.HasPrefix(ws[k].text, "w")
		negative = negative || strings.HasPrefix(ws[k].text, "don")
		k++
	}
	switch {
	case k < len(ws) && wantingMe.has(ws[k].text):
		return k + 1, false
	case k < len(ws) && wanting.has(ws[k].text):
		verb := ws[k].text
		return k + 1, !would && verb != "want" && verb != "need" && !(negative && verb == "have")
	}
	return 0, false
}

// objectOf returns the number of words in the object at the beginning of ws if it is part of a deal, or 0. plain means
// that the verb can also express a taste, so the object must be a particular one.
func objectOf(ws []word, plain bool) int {
	ws = ws[:min(len(ws), 3*mostObject)]
	if end := slices.IndexFunc(ws, func(w word) bool { return w.breaks }); end >= 0 {
		ws = ws[:end]
	}
	certain := !plain || slices.ContainsFunc(ws, func(w word) bool { return owned.has(w.text) || w.text == "instead" || isThis(&w) })
	for n, w := range ws[:min(len(ws), mostObject)] {
		switch {
		case w.is(addressees), n > 0 && ws[n-1].text == "to" && !getting.has(w.text) && !dealing.has(w.text):
			return 0
		case certain && (handedOver.has(w.text) || arranged.has(w.text) && endsObject(ws[n+1:])):
			return n + 1
		}
	}
	return 0
}

// endsObject reports whether an object can end before ws.
func endsObject(ws []word) bool {
	return len(ws) == 0 || afterArranged.has(ws[0].text) || ws[0].is(conjunctions|joins)
}

// Character sequences in Chinese choices. wishSigns express a wish or a refusal; arrangedSigns are objects of deals that
// count at the end of a clause, certainSigns objects that count anywhere in it.
var (
	wishSigns     = strings.Fields("我想 我要 我就 我不想 我还是 我宁愿 我不需要 我不用 我不要 我用 就用 不要 不用 不需要")
	arrangedSigns = strings.Fields("保险 保險 礼品卡 禮品卡 信用卡 优惠券 優惠券 代金券 退款 付款 支付 转接 轉接 转人工 靠窗的座位 行李 改签 改簽 托运 託運")
	certainSigns  = strings.Fields("尾号 尾號")
)

// choosesSigned is the counterpart of ofDeal for Chinese. The object must be at the end of its clause.
func choosesSigned(s string) bool {
	if strings.ContainsAny(s, "都每总總從从任") || hasAny(strings.ReplaceAll(s, "不要", ""), lastSigns) {
		return false
	}
	wished := false
	for c := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("，。！；,.!;", r) }) {
		if c = strings.TrimRight(c, "了吧的呢啊谢 "); c == "不用" || !hasAny(c, wishSigns) {
			continue
		}
		if !endsWithAny(c, arrangedSigns...) && !hasAny(c, certainSigns) {
			return false
		}
		wished = true
	}
	return wished
}

// hasAny reports whether s contains any of the signs.
func hasAny(s string, signs []string) bool {
	for _, sign := range signs {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}
