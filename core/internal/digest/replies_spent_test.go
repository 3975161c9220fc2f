package digest_test

import (
	"strings"
	"testing"
)

// What an answer only asks for is in the user's next message, so the log quotes only what else the answer says. A question
// that a numbered reply answers stays, and so does a proposal that the user accepts.
func TestALogTellsNoSpentAnswer(t *testing.T) {
	messages := func(answer, reply string) string {
		return `[{"role":"user","content":"I want a berth for the Amsel."},` + ranAs("1", "", "berths", "ok") + `,{"role":"assistant","content":"` + answer + `"},{"role":"user","content":"` + reply + `"},
` + ranAs("2", "", "berths C12", "ok") + `,{"role":"assistant","content":"Berth C12 costs 31 euros per night."},{"role":"user","content":"Good, take it."}]`
	}
	for _, c := range []struct{ answer, reply, want, not string }{
		{"To find a berth, I'll need your boat's length. Could you please provide that?", "It is 9 metres long, with a draught of 2.", "9 metres", "provide"},
		{"I found no berth under that name. Could you please provide your membership number?", "My number is M-4410, and the boat is 9 metres long.", "found no berth under that name", "provide"},
		{"The harbour is full until 6 May. Please let me know which day suits you.", "Then we come on 7 May with the whole family and a dog.", "full until 6 May", "let me know"},
		{"I see your boat here. Please share its length so that I can go on.", "It is 9 metres long, with a draught of 2.", "see your boat", "share its"},
		{"I need the following details: 1. Is it a sailing boat? 2. Do you want electricity?", "1. Yes\\n2. No", "2. Do you want electricity", "M-4410"},
		{"I have noted the boat. Shall I reserve the berth by the crane?", "yes", "Shall I reserve the berth", "M-4410"},
		{"Your berth is by the crane. If you have any questions, feel free to ask!", "Thank you. How deep is the water there at low tide?", "by the crane", "feel free"},
		{"Ihr Platz liegt am Kran. Bitte teilen Sie mir die Länge mit.", "Das Boot ist 9 Meter lang und hat 2 Meter Tiefgang.", "am Kran", "Bitte teilen"},
	} {
		text := logOf(t, messages(c.answer, c.reply), 1200)
		if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s\n%s", c.answer, text)
		}
	}
}
