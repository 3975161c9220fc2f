package digest_test

import (
	"strings"
	"testing"
)

// A short reply is shown with the option or the question that it refers to, but not with an empty question.
func TestWhatAReplyRefersTo(t *testing.T) {
	answer := `{"role":"assistant","content":"The lamp of zone 7 flickers at 412 lux.\n\nOptions:\n\n1. Replace the relay in kiln/zones.go\n2. Lower the current to 30 ampere\n3. Leave the lamp alone\n\nWhat's your preference?"},`
	messages := func(reply string) string {
		return `[{"role":"user","content":"Why does the lamp flicker?"},` + ranAs("1", "", "make lamp", "ok") + "," + answer + `
{"role":"user","content":"` + reply + `"},` + ranAs("2", "", "git commit -m 'Lower it'", `[main 9f8e7d6] Lower it\n 1 file changed`) + `,
{"role":"assistant","content":"The lamp of zone 7 holds 412 lux."}]`
	}
	wants(t, logOf(t, messages("option 2, please"), 4000), []string{"2. Lower the current to 30 ampere"}, []string{"preference", "“”"})
	wants(t, logOf(t, messages("2"), 300), []string{"2. Lower the current to 30 ampere"}, []string{"preference", "“”"})
	wants(t, logOf(t, messages("ok, do nothing"), 4000), []string{"1. Replace the relay", "3. Leave the lamp alone"}, []string{"preference", "“”"})
}

// "can we …" asks for something new, so it accepts nothing.
func TestQuestionsAreNoReplies(t *testing.T) {
	for reply, accepts := range map[string]bool{"can we paint the lamp instead": false, "do you have a bulb of 40 watts?": false, "can stay": true, "do it, please": true} {
		text := logOf(t, `[{"role":"user","content":"Why does the lamp flicker?"},`+ranAs("1", "", "make lamp", "ok")+`,{"role":"assistant","content":"The relay of zone_7 is old. Shall I replace the relay in kiln/zones.go?"},
{"role":"user","content":"`+reply+`"},{"role":"assistant","content":"The lamp of zone_7 holds 412 lux."},{"role":"user","content":"Good."}]`, 150)
		if strings.Contains(text, "asked before") != accepts {
			t.Errorf("%q: %s", reply, text)
		}
	}
}

// If options have headings, the lines of the option that the user chose are kept.
func TestChosenOption(t *testing.T) {
	option := func(number, ship, fare string) string {
		return number + `. **Option ` + number + `:**\n   - **First leg:** Rotterdam to Hull\n     - Ship: ` + ship + `1\n     - Fare: ` + fare + `8 guilders\n   - **Second leg:** Hull to Bergen\n     - Ship: ` + ship + `2\n     - Fare: ` + fare + `9 guilders\n\n`
	}
	text := logOf(t, `[{"role":"user","content":"Find ships to Bergen."},`+ranAs("1", "", "ships Bergen", "ok")+`,{"role":"assistant","content":"These ships sail on Monday:\n\n`+option("1", "KLN10", "15")+option("2", "KLN20", "16")+option("3", "KLN30", "17")+
		`Which one would you like?"},{"role":"user","content":"I'll go with Option 1, please book it."},`+ranAs("2", "", "ships book", "booked")+`,{"role":"assistant","content":"Booked."},{"role":"user","content":"Good."}]`, 330)
	wants(t, text, []string{"KLN101", "KLN102"}, []string{"KLN201", "KLN302"})
}

// A short outcome begins with the chosen option, also if its heading begins with another word.
func TestChosenOptionInAnOutcome(t *testing.T) {
	option := func(number, ship, fare string) string {
		return number + `. **Ship Option ` + number + `:**\n   - **First leg:** Rotterdam to Hull\n     - Ship: ` + ship + `1\n     - Fare: ` + fare + `8 guilders\n   - **Second leg:** Hull to Bergen\n     - Ship: ` + ship + `2\n     - Fare: ` + fare + `9 guilders\n\n`
	}
	text := logOf(t, `[{"role":"user","content":"Find ships to Bergen."},`+ranAs("1", "", "ships Bergen", "ok")+`,{"role":"assistant","content":"These ships sail on Monday:\n\n`+option("1", "KLN10", "15")+option("2", "KLN20", "16")+option("3", "KLN30", "17")+
		`Which one would you like?"},{"role":"user","content":"I would like to take Ship Option 2, please."},{"role":"assistant","content":"It is noted."},{"role":"user","content":"Good."}]`, 300)
	wants(t, text, []string{"KLN201"}, []string{"KLN101", "KLN301"})
}
