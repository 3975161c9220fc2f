package digest

import "strings"

// This file recognizes sentences that choose another alternative, such as another language. In scripts whose cues are
// character sequences, it also recognizes those that say that a limit has changed.

// Word lists for a change to another alternative: verbs with "let's" or its translations, and words for "back".
var (
	switching = wordListOf("switch change go return move swap wechseln passons revenons changeons cambiemos volvamos pasemos mudemos voltemos passemos passiamo torniamo cambiamo перейдём перейдем вернёмся вернемся")
	returning = wordListOf("back zurück wieder")
)

// switches recognizes sentences that choose another alternative: "Let's go back to English", "Torniamo all'italiano". It
// returns the byte offset of the verb, or -1.
func (sc *scene) switches() int {
	if sc.past || isQuestion(sc.text) || len(sc.ws) > longestSwitch || sc.all&days != 0 {
		return -1
	}
	from := leadUp(sc.ws)
	for from+1 < len(sc.ws) && (sc.ws[from].is(joins|conjunctions) || sc.ws[from].text == "let's" || sc.ws[from].text == "lass" || sc.ws[from].text == "uns") {
		from++
	}
	if from >= len(sc.ws) || !switching.has(sc.ws[from].text) && !returning.has(sc.ws[from].text) && !(switching.has(sc.ws[len(sc.ws)-1].text) && sc.textAt(from) == "zu") {
		return -1
	}
	for i := from + 1; i < len(sc.ws); i++ {
		if alternativeOf(sc.ws[i].text) >= 0 && !sc.ws[i].is(addressees) {
			return sc.ws[from].at
		}
	}
	return -1
}

// alternativeOf returns the number of the row of alternatives that contains a word, perhaps after an elided article, or -1.
func alternativeOf(w string) int {
	if at := strings.IndexByte(w, '\''); at > 1 && at+1 < len(w) { // "all'italiano"
		w = w[at+1:]
	}
	return alternatives.Row(w) - 1
}

// longestSwitch is the maximum length of such a sentence, in words.
const longestSwitch = 10

// Signs of a change: words for "rather" or "back", and words that say that an amount has changed.
var (
	ratherSigns = strings.Fields("还是 還是 改回 换回 換回 やっぱり やはり これからは 다시 역시")
	riseSigns   = strings.Fields("提高 增加 涨 漲 升到 降到 降低 减少 減少 减到 調整 调整 上が 下が 増え 減り 変わり 늘었 늘어 줄었 올랐 내렸 올라")
	boundSigns  = strings.Fields("预算 預算 予算 예산 上限 限额 限額 한도 期限 截止 締め切り 마감")
)

// switchesSigned is like switches for scripts whose cues are character sequences.
func switchesSigned(s string) bool {
	if len(s) > maxStatement/4 || strings.ContainsAny(s, "?？吗嗎") || !hasAny(s, ratherSigns) {
		return false
	}
	for _, row := range alternativeSigns {
		if hasAny(s, row) {
			return true
		}
	}
	return false
}

// raisedSigned is like raised for such scripts.
func raisedSigned(s string) bool {
	return len(s) <= maxStatement/2 && boundSign(s) >= 0 && hasAny(s, riseSigns) && !strings.ContainsAny(s, "?？吗嗎")
}

// boundSign returns the number of the noun for a limit at the beginning of a sentence that contains a number, or -1.
func boundSign(s string) int {
	if !strings.ContainsAny(s, "0123456789"+numerals) {
		return -1
	}
	for n, sign := range boundSigns {
		if at := strings.Index(s, sign); at >= 0 && at <= len("我们现在的") {
			return n
		}
	}
	return -1
}
