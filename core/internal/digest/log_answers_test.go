package digest_test

import (
	"fmt"
	"strings"
	"testing"
)

// answersOf returns the messages of a session in which each request is followed by a command and an answer.
func answersOf(turns ...[2]string) string {
	var b strings.Builder
	for n, turn := range turns {
		fmt.Fprintf(&b, `,{"role":"user","content":%q},%s,{"role":"assistant","content":%q}`, turn[0], ranAs(fmt.Sprint(n), "", "true", ""), turn[1])
	}
	return "[" + b.String()[1:] + "]"
}

// The outcome of a turn is a sentence or a list of the answer, even if a table or code comes before it.
func TestOutcomeIsProse(t *testing.T) {
	var turns [][2]string
	for n := range 12 {
		turns = append(turns, [2]string{fmt.Sprintf("Compare the log of kiln %d with its meter, please, and say whether the two agree about zone %d.", n, n+40),
			fmt.Sprintf("Here they are:\n\n| Source | Start | End |\n|---|---|---|\n| the log of kiln %d | %d | %d |\n| its meter | %d | %d |\n\nThe meter of kiln %d runs %d degrees ahead of the log, because it sits at the burner.", n, n+200, n+900, n+210, n+930, n, n+11)},
			[2]string{fmt.Sprintf("Would it help to lower shelf %d in the same kiln before the next firing begins?", n),
				fmt.Sprintf("You're right about that.\n\nIf we lower it, the code becomes longer:\n\n```\nshelf.lower(%d)\nfan.turn(%d)\nlamp.blink(30)\nlamp.rest(60)\n```\n\nThe pots on shelf %d stay %d degrees colder than those above it.", n, n, n, n+60)})
	}
	text := logOf(t, answersOf(turns...), 5600)
	if ahead, colder := strings.Count(text, " degrees ahead of the "), strings.Count(text, " degrees colder than "); ahead != 12 || colder != 12 {
		t.Errorf("%d and %d of 12 outcomes are in\n%s", ahead, colder, text)
	}
}

// Each turn shows the sentence that states its outcome, and the newest ones also the last sentence of a long answer.
func TestNewestOutcomesAreFull(t *testing.T) {
	var turns [][2]string
	for n := range 14 {
		items := ""
		for i := range 8 {
			items += fmt.Sprintf("%d. Burner %d%d - it was cleaned with the long brush and put back into its old place, where the gas of the second pipe arrives first\n", i+1, n, i)
		}
		turns = append(turns, [2]string{fmt.Sprintf("Look after the burners of kiln %d.", n), fmt.Sprintf("All burners of kiln_%d are clean.\n\n%s\nNozzle %d must be replaced before winter.", n, items, n+70)})
	}
	text := logOf(t, answersOf(turns...), 2400)
	if nozzles := strings.Count(text, " must be replaced before winter."); !strings.Contains(text, "Nozzle 83 ") || nozzles < 3 || strings.Count(text, "are clean.") != 14 {
		t.Errorf("%s", text)
	}
}
