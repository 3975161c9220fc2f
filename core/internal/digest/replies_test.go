package digest_test

import "testing"

// A short reply comes with the option or the question that it means, and not with an empty question.
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
