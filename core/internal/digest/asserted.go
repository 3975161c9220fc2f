package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// How many words stand before a question, and in it, where a sentence asserts something and then asks. Fewer words before it are a
// greeting ("Hey Mia, …"); fewer words in it are a tag that asks whether the assertion is true ("…, isn't it?").
const (
	leastAsserted = 3
	leastAsked    = 3
)

// asserted is how many bytes of a question say something before it asks: "Mia is allergic to walnuts" of "Mia is allergic to walnuts,
// does that matter?". It is 0 where a sentence only asks, asks under a condition ("If it rains, do I water?"), or is no question.
func asserted(s string, ws []word) int {
	if !asks(s) {
		return 0
	}
	at := 0
	for at < len(ws) && conjunctions.Has(ws[at].text) {
		at++
	}
	if at == len(ws) || askers.Has(ws[at].text) || conditions.Has(ws[at].text) {
		return 0
	}
	for i := at + leastAsserted; i+leastAsked <= len(ws); i++ {
		first := i
		for first < len(ws) && conjunctions.Has(ws[first].text) {
			first++
		}
		if !ws[i].breaks || ws[i].quoted || first+leastAsked > len(ws) || !askers.Has(ws[first].text) {
			continue
		}
		return len(strings.TrimRight(s[:ws[i].at], " \t,;:–—-，；：、"))
	}
	return 0
}

// askers are words with which a question begins, and conditions those with which a clause says under what something is asked.
var askers, conditions critbit.Map[struct{}]

func init() {
	for _, set := range []struct {
		into *critbit.Map[struct{}]
		rows []string
	}{
		{&askers, []string{
			"what which who whom whose when where why how is are am was were do does did has have had can could will would shall should may might must any",
			"was welche welcher welches wer wem wen wann wo warum wieso wie ist sind war waren hat haben kann können könnte soll sollen sollte darf dürfen muss müssen wird werden gibt geht passt macht",
			"que quoi quel quelle quels quelles qui quand où pourquoi comment combien est sont peut puis dois doit faut",
			"qué cuál cuáles quién cuándo dónde cómo cuánto cuántos es son está están puedo puede debo debe hay",
			"o que qual quais quem quando onde como quanto é são está posso pode devo deve há",
			"che cosa quale quali chi quando dove come quanto è sono posso può devo deve",
			"что какой какая какие кто когда где почему зачем как сколько можно нужно надо ли",
		}},
		{&conditions, []string{
			"if when whenever whether unless while before after once since because though although",
			"wenn falls sobald solange bevor nachdem weil obwohl ob",
			"si quand lorsque avant après parce",
			"cuando antes después porque aunque",
			"se quando antes depois porque",
			"prima dopo perché",
			"если когда пока потому хотя",
		}},
	} {
		for _, row := range set.rows {
			for _, w := range strings.Fields(row) {
				set.into.Add(w)
			}
		}
	}
}
