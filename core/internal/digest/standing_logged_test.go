package digest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

const doorSession = `[
{"role":"user","content":"Never touch the burner. You can also hide the lamp section of the panel."},
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"edit","arguments":{"path":"panel/lamp.go","old_string":"show()","new_string":"hide()"}}]},{"role":"tool_result","tool_call_id":"1","tool_name":"edit","content":"edited"},
{"role":"assistant","content":"The lamp section of panel/lamp.go is hidden."},
{"role":"user","content":"Ensure the ramp has an entry in the manual so that a guest can find it."},
{"role":"assistant","content":"The manual has an entry for the ramp on page 7 now."}]`

// An order about one thing is in its turn in the log, and not among the standing instructions. The next digest, which only
// reads this one, knows it as before.
func TestOrdersAboutOneThingAreInTheLog(t *testing.T) {
	tr, seq := read(t, "native", doorSession)
	var l digest.Ledger
	l.Add(tr, seq)
	e := digest.NewExtract(tr, seq, "", &l)
	e.Keep(l.StandingBlock(2000), 0)
	text := e.Digest(6000)
	from, to := strings.Index(text, "<standing-instructions>"), strings.Index(text, "</standing-instructions>")
	if from < 0 || to < from {
		t.Fatalf("no standing instructions in\n%s", text)
	}
	wants(t, text[from:to], []string{"- Never touch the burner."}, []string{"lamp", "ramp"})
	wants(t, text[:from]+text[to:], []string{"You can also hide the lamp section of the panel.", "Ensure the ramp has an entry in the manual"}, nil)

	var next digest.Ledger
	digest.Body(digest.Message(text), &next)
	if !slices.Equal(next.Standing, l.Standing) {
		t.Errorf("the next digest knows %q, not %q", next.Standing, l.Standing)
	}
}

// Without room for the request in the log, the list has it.
func TestOrdersStayListedWithoutTheirTurn(t *testing.T) {
	tr, seq := read(t, "native", strings.Replace(doorSession, "section of the panel.", "section of the panel."+strings.Repeat(" The kiln is old and the panel is new.", 60), 1))
	var l digest.Ledger
	l.Add(tr, seq)
	e := digest.NewExtract(tr, seq, "", &l)
	e.Keep(l.StandingBlock(2000), 0)
	wants(t, e.Digest(300), []string{"- You can also hide the lamp section"}, nil)
}

// Which statements matter only for their turn depends on their form.
func TestStandingBlockOfASession(t *testing.T) {
	for text, listed := range map[string]bool{
		"Please include how to reach the ramp in the manual.":        false,
		"We still need to move the panel over to door-panel.ts.":     false,
		"Make sure the lamp has a label.":                            false,
		"Make sure the panel stays compatible.":                      true,
		"Make sure every lamp has a label.":                          true,
		"The label should be replaced with the name of the kiln.":    false,
		"The labels of all lamps should be replaced each spring.":    true,
		"I feel like you should document all of this in the manual.": false,
		"You should document all lamps in the manual.":               true,
		"Keep the answers short.":                                    true,
		"Don't touch the burner.":                                    true,
		"I prefer tabs.":                                             true,
		"From now on, add the date to each note.":                    true,
		"Always include the temperature in the summary.":             true,
		"I'd like you to add the fan to the list of parts, too":      false,
	} {
		tr, seq := read(t, "native", strings.Replace(doorSession, "Never touch the burner.", text, 1))
		var l digest.Ledger
		l.Add(tr, seq)
		e := digest.NewExtract(tr, seq, "", &l)
		e.Keep(l.StandingBlock(2000), 0)
		digested := e.Digest(6000)
		if got := strings.Contains(digested, "\n- "+text); got != listed {
			t.Errorf("%q: listed %v in\n%s", text, got, digested)
		}
	}
}

// A sentence that the user quotes from the assistant, to comment on it, is no instruction; one that is the whole message is.
func TestWhatTheUserQuotesIsNoInstruction(t *testing.T) {
	const said = "`kiln heat` now always opens the door with the wrapper by default."
	for text, listed := range map[string]bool{
		"kiln heat now always opens the door with the wrapper by default.\nOnly the guests who can't reach the handle of the door should get the wrapper, and nobody else.": false,
		"kiln heat now always opens the door with the wrapper by default": true,
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		tr, seq := read(t, "native", `[{"role":"user","content":"How does the door open?"},{"role":"assistant","content":"Done. **`+said+`** The handle is new."},{"role":"user","content":`+string(quoted)+`}]`)
		var l digest.Ledger
		l.Add(tr, seq)
		if got := slices.ContainsFunc(l.Standing, func(s string) bool { return strings.HasPrefix(s, "kiln heat now") }); got != listed {
			t.Errorf("listed %v in %q", got, l.Standing)
		}
	}
}
