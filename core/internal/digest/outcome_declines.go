package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// An assistant that cannot do what it was asked for says so in its answer, and often why. Without that, the request
// looks as if it were open or done. This file recognizes such answers.

// declineSigns lists phrases, in lower case, of sentences that say that something cannot be done or was not found.
var declineSigns = substringsOf("unfortunately|unable to |cannot be |can't be |can not be |i cannot |i can't |we cannot |we can't |couldn't find|could not find|not possible|not eligible|isn't eligible|not allowed|" +
	"leider |nicht möglich|kann ich nicht|können wir nicht|malheureusement|impossible|ne peux pas|ne peut pas|ne pouvons pas|lamentablemente|desafortunadamente|no es posible|no puedo |no se puede|" +
	"purtroppo|non è possibile|infelizmente|não é possível|não posso |к сожалению|невозможно|抱歉|很遗憾|无法|できません|수 없습니다")

// declinesIn reports whether a text says that something cannot be done or was not found.
func declinesIn(text string) bool { return declineSigns.inAnyCase(text) }

// declining returns the sentence of an answer that declines something, or the answer itself if none does, or if the
// beginning of the answer, up to most bytes, already does.
func declining(text string, most int) string {
	if declinesIn(text[:min(most, len(text))]) || !declinesIn(text) {
		return text
	}
	for from, to := range extract.Sentences(text) {
		if s := strings.TrimSpace(text[from:to]); declinesIn(s) {
			return s
		}
	}
	return text
}
