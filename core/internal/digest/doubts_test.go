package digest_test

import (
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// An answer is marked if a later turn puts it in doubt: the user reports trouble after "all done", the same error
// occurs again, or the user denies something that the answer names.
func TestAnswersInDoubt(t *testing.T) {
	const work = "The boiler's valve now opens in `open_slowly`, and the pump follows it in `pump_on`."
	asked := func(request, answer string) string {
		return `{"role":"user","content":"` + request + `"},` + ranAs("1", "x", "ls", "valve.py") + `,{"role":"assistant","content":"` + answer + `"}`
	}
	const pasted = `the log says:\n$ python run.py\nvalve.py:12:4 PressureError: the gauge in /dev/ttyS1 is missing\nvalve.py:13:4 PressureError: no pressure in /dev/ttyS1\n` +
		`valve.py:14:4 PressureError: no flow in /dev/ttyS2 and nothing else to say about it\nvalve.py:15:4 PressureError: no heat in /dev/ttyS3 and nothing else to say\nvalve.py:16:4 PressureError: stopped\n`
	for name, c := range map[string]struct{ messages, want, not string }{
		"trouble after a claim": {asked("Make the valve open slowly.", work+" Everything passes, so it is complete! ✅") + `,` + asked("something broke: the valve does not open and the boiler is cold.", "The relay `K4` was off."),
			"answer, which [2] puts in doubt: The boiler's valve", "puts in doubt: The relay"},
		"trouble with something else": {asked("Make the valve open slowly.", work+" The tests in `valve_test.py` now pass. It is complete! ✅") + `,` + asked("the lamp in the cellar is broken.", "The bulb `B4` was off."),
			"answer: The boiler's valve", "puts in doubt"},
		"a claim among other things": {asked("Make the valve open slowly.", "The boiler's valve opens in `open_slowly`.\\n\\nThe gauge has moved to `ttyS4`.\\n\\nThe lint of `pump.py` now passes. ✅ All checks of `boiler.yml` are a success.") + `,` + asked("boiler.yml fails in CI with an error", "The relay `K4` was off."),
			"answer, which [2] puts in doubt: ✅ All checks of `boiler.yml`", "puts in doubt: The gauge"},
		"the same error again": {asked(pasted, "The gauge was on `ttyS0`, and `valve.py` has the right one now.") + `,` + asked("Run it, please.", "`run.py` runs.") + `,` + asked("hm. "+pasted, "The gauge has no power on `ttyS1`."),
			"answer, which [3] puts in doubt: The gauge was on", "puts in doubt: The gauge has no power"},
		"a denial": {asked("Why is it cold?", "The pump follows `pump:on` too late.") + `,` + asked("ah, it's the relay I think, not pump:on.", "The relay `K4` was off."),
			"answer, which the user's next message rejects: The pump", ""},
		"a correction by the assistant": {asked("Where is the gauge?", "The gauge of the boiler is on port 5432, in `valve.py`.") + `,` + asked("And the pump?", "I was wrong: the gauge is on port 5433. The pump follows it.") + `,` + asked("Fine.", "The relay `K4` was off."),
			"answer, which [2] puts in doubt: The gauge of the boiler is on port 5432", "puts in doubt: I was"},
		"a name that is denied elsewhere": {asked("What would the gauge of Boreas cost?", "The gauge of Boreas runs on `ttyS4` for 40 guilders.") + `,` + asked("Then leave it out.", "The plan of the boiler has one pump in `pump.py`, no Boreas gauge, no lamp.") + `,` + asked("Fine.", "The relay `K4` was off."),
			"answer: The gauge of Boreas", "puts in doubt"},
		"a part that is corrected": {asked("Where is the gauge?", "The gauge of the boiler is on port 5432, in `valve.py`.\\n\\nThe lamp `L7` hangs in the cellar.") + `,` + asked("And the pump?", "I was wrong: the gauge is on port 5433. The pump follows it.") + `,` + asked("Fine.", "The relay `K4` was off."),
			"answer: The lamp `L7` hangs", "puts in doubt: The lamp"},
		"no trouble": {asked("Make the valve open slowly.", work+" It is complete! ✅") + `,` + asked("Good. Now I still want the pump to follow.", "It follows in `pump_on`."),
			"answer: ", "puts in doubt"},
	} {
		text := logOf(t, "["+c.messages+"]", 6000)
		if !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: want %q and not %q in\n%s", name, c.want, c.not, text)
		}
	}
}

// In a contested answer, the log keeps the part that the correction is about. Its line names a heading only once.
func TestContestedPart(t *testing.T) {
	said := func(request, answer string) string {
		return `{"role":"user","content":"` + request + `"},` + ranAs("1", "x", "ls", "valve.py") + `,{"role":"assistant","content":"` + answer + `"}`
	}
	text := logOf(t, "["+said("Why are four burners cold?", `The burners of zone_9 share one fuse with the lamps.\n\n`+
		`The thermostat in relay.py switches the chimney off.`)+","+said("ah. the cause is the fuse I think, not relay.py and its thermostat.", "The fuse `F2` has blown.")+"]", 900)
	want := "  - answer: The burners of zone_9 share one fuse with the lamps.\n  - answer, which the user's next message rejects: The thermostat in relay.py switches the chimney off.\n"
	if !strings.Contains(text, want) {
		t.Error(text)
	}
	tr, seq := read(t, "native", `[{"role":"user","content":"And the pump?"},`+ranAs("1", "x", "ls", "pump.py")+`,{"role":"assistant","content":"It runs at 40 percent."}]`)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	if again := digest.NewExtract(tr, seq, text, l).Digest(6000); !strings.Contains(again, want) {
		t.Error(again)
	}
	text = logOf(t, "["+said("Look at the boiler.", `## Findings\n\nThe valve of `+"`boiler_1`"+` sticks.\n\nIt goes like this:\n1. `+"`pump_on`"+` runs before the valve opens.\n2. `+
		"`valve.py`"+` then waits for 30 seconds.\n\nThe pump `+"`P7`"+` has no such fault.`)+"]", 6000)
	if strings.Count(text, "Findings:") != 1 || !strings.Contains(text, "no such fault") {
		t.Error(text)
	}
}

// The next digest contains the mark, too.
func TestDoubtGoesOn(t *testing.T) {
	before := "# What happened\n[1] user: Make the valve open slowly.\n  - answer, which [2] puts in doubt: The valve opens in `open_slowly`.\n[2] user: it does not heat.\n  - answer: The relay `K4` was off."
	tr, seq := read(t, "native", `[{"role":"user","content":"And the pump?"},`+ranAs("1", "x", "ls", "pump.py")+`,{"role":"assistant","content":"It runs at 40 percent."}]`)
	l := &digest.Ledger{}
	l.Add(tr, seq)
	if text := digest.NewExtract(tr, seq, before, l).Digest(6000); !strings.Contains(text, "answer, which [2] puts in doubt: The valve opens in `open_slowly`.") {
		t.Error(text)
	}
}

// If a command changes many files at once, only their number and folder are reported. The next ledger adds no file for
// that.
func TestSweptFiles(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Format the press."},`+ranAs("1", "x",
		"sed -i s/a/b/ press/src/a.go press/src/b.go press/src/c.go press/src/d.go press/test/e.go press/test/f.go press/test/g.go", "ok")+`]`, 6000)
	if !strings.Contains(text, "\n7 files in press/ — changed in [1]\n") {
		t.Error(text)
	}
	var l digest.Ledger
	if digest.Body(digest.Message(text), &l); len(l.Modified) != 0 {
		t.Errorf("read back: %q", l.Modified)
	}
}

// If the user didn't wait for the answer to a question, the assistant's findings follow the question.
func TestInterruptedQuestionHasAFinding(t *testing.T) {
	messages := `{"role":"user","content":"Why does the pump stop?"},` + ranAs("1", "The pump stops because `relay_off` is called by the watchdog of the boiler.", "cat pump.py", "def pump(): pass")
	for n := range 12 {
		messages += `,{"role":"user","content":"` + strings.Repeat("Then look at the valve, the gauge, the heater and the lamp, and say which of them is cold. ", 2) + `"},{"role":"assistant","content":"` +
			strings.Repeat("Valve V"+string(rune('A'+n))+" is cold, and `heater_on` is not called. ", 12) + `"}`
	}
	if text := logOf(t, "["+messages+"]", 6000); !strings.Contains(text, "assistant: The pump stops because `relay_off`") {
		t.Error(text)
	}
}

// The outcome of a turn without an answer isn't repeated if the entry already contains it after other words.
func TestOutcomeOnce(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Does this oven belong in the cellar? The rest looks fine."},{"role":"assistant","content":[{"type":"text","text":"You have a point:\n\n1. `+"`bake_all`"+` belongs in the kitchen.\n\n`+
		`| Room | Purpose |\n|---|---|\n| `+"`kitchen/oven.py`"+` | Baking, and warming the plates |\n| `+"`cellar/main.py`"+` | Storage, cooling, door check (inline) |"},{"type":"tool_call","id":"1","name":"bash","arguments":{"command":"mkdir kitchen"}}]},`+
		`{"role":"tool","content":[{"type":"tool_result","id":"1","content":"ok"}]},{"role":"user","content":"And clean the old rooms when you are done."},`+ranAs("2", "x", "rm -r attic", "ok")+`]`, 6000)
	if n := strings.Count(text, "door check (inline)"); n != 1 {
		t.Errorf("said %d times in\n%s", n, text)
	}
}

// If an answer claims success although the last check failed, its line says so, unless the answer admits the failure or
// a later run passed.
func TestClaimsAgainstChecks(t *testing.T) {
	failed, passed := `lamp.go:3:5: undefined: fan\nexit code: 1`, `ok  \texample.com/kiln\t0.1s`
	turn := func(outputs []string, answer string) string {
		messages := `[{"role":"user","content":"Build the kiln."}`
		for n, out := range outputs {
			messages += "," + ranAs(string(rune('a'+n)), "x", "go build ./...", out)
		}
		return messages + `,{"role":"assistant","content":"` + answer + `"}`
	}
	for name, c := range map[string]struct {
		outputs []string
		answer  string
		denied  bool
	}{
		"claimed":                        {[]string{failed}, "All built, and the lamp of `zone_7` is in its place.", true},
		"German":                         {[]string{failed}, "Alles ist gebaut, und die Lampe von `zone_7` ist da.", true},
		"Chinese":                        {[]string{failed}, "`zone_7` 的灯构建完成。", true},
		"admitted":                       {[]string{failed}, "The lamp of `zone_7` works. The build still fails in lamp.go.", false},
		"repaired":                       {[]string{failed, passed}, "All built, and the lamp of `zone_7` is in its place.", false},
		"repaired, without a word of it": {[]string{failed, ""}, "All built, and the lamp of `zone_7` is in its place.", false},
		"no such claim":                  {[]string{failed}, "The lamp belongs to `zone_7`.", false},
		"an order":                       {[]string{failed}, "Pass the degrees of `zone_7` to the lamp.", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := logOf(t, turn(c.outputs, c.answer)+"]", 4000)
			if got := strings.Contains(text, "answer, although the last check failed: "); got != c.denied {
				t.Errorf("%v in\n%s", got, text)
			}
			tr, seq := read(t, "native", turn(nil, "`K4` is off.")+"]")
			l := &digest.Ledger{}
			l.Add(tr, seq)
			_, log, _ := strings.Cut(text, "# What happened\n")
			again := digest.NewExtract(tr, seq, "# What happened\n"+log, l).Digest(4000)
			if got := strings.Contains(again, "answer, although the last check failed: "); got != c.denied {
				t.Errorf("read back: %v in\n%s", got, again)
			}
		})
	}
}

// A sentence whose only subject is a pronoun stays with the previous sentence.
func TestPronounAlone(t *testing.T) {
	text := logOf(t, `[{"role":"user","content":"Write the table of the months."},`+ranAs("1", "x", "ls", "months.go")+`,{"role":"assistant","content":"monthNames is not defined yet. I add it next."}]`, 130)
	if strings.Contains(text, "answer: I add") {
		t.Error(text)
	}
}

// Of several suppositions before the result that settles them, only the last one stays.
func TestSuppositions(t *testing.T) {
	text := logOf(t, `[
{"role":"user","content":"Why is zone 7 of the kiln too cold?"},
`+ranAs("1", "It seems that the door of the kiln is open.", "cat door.go", "package kiln")+`,
`+ranAs("2", "It looks like the fan of zone 6 cools it.", "cat fan.go", "package fan")+`,
`+ranAs("3", "It seems that heat() stops at 640 degrees.", "sed -i 's/640/900/' heat.go && git commit -am 'Heat zone 7 to 900'", `[main 9f8e7d6] Heat zone 7 to 900\n 1 file changed, 1 insertion(+)`)+`,
`+ranAs("8", "The lamp and the cone of zone 7 are next, says plan_3.", "cat plan_3.md", "lamp, cone")+`,
`+ranAs("5", "It still doesn't work for zone 7.", "cat heat.go", "package kiln")+`,
`+ranAs("6", "Hmm, the lamp fails, too.", "cat lamp.go", "package kiln")+`,
`+ranAs("7", "The cone of zone 7 is broken, which nobody noticed.", "sed -i 's/cone_3/cone_4/' cone.go && git commit -am 'Use cone 4'", `[main 1f8e7d6] Use cone 4\n 1 file changed, 1 insertion(+)`)+`,
`+ranAs("4", "It appears that ramp.go has the same limit.", "ls", "ramp.go")+`
]`, 4000)
	wants(t, text, []string{"It seems that heat() stops", "It appears that ramp.go", "cone of zone 7 is broken"}, []string{"door of the kiln", "fan of zone 6", "still doesn't work", "Hmm, the lamp"})
}
