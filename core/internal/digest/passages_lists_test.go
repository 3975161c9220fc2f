package digest

import (
	"slices"
	"testing"
)

// Items of a list of bans are rules, and items of a list of things to do aren't, unless they forbid something.
func TestListsOfTasks(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Do NOT:\n- restart the kiln\n- remove any shelf\n\nAfter changes:\n- fire one test plate", []string{"Do NOT: restart the kiln", "Do NOT: remove any shelf"}},
		{"Please avoid:\n- glazes with lead\n- wooden tools", []string{"Please avoid: glazes with lead", "Please avoid: wooden tools"}},
		{"Improve:\n- always falls back to the small kiln\n- shelves do not tilt without a plate\n- never open the door above 80 degrees", []string{"never open the door above 80 degrees"}},
		{"Analyze every shelf and every plate across:\n- the front kiln\n- the rear kiln", nil},
		{"Show form:\n- name, always in capitals\n- the only colour", nil},
		{"Update README with:\n- setup steps\n\nNever fire on Sundays.", []string{"Never fire on Sundays."}},
		{"Here is the README, please summarize it:\n- setup steps\n\nNever fire on Sundays.", nil},
		{"Steps:\n1. always run the linter\n2. open the door", []string{"always run the linter"}},
		{"Create:\n- a dial\n\n- always reply in German\n- keep answers short", []string{"always reply in German", "keep answers short"}},
		{"Rules:\n- plates go on the left", []string{"Rules: plates go on the left"}},
	} {
		if got := statements(c.text, new(readRoom)); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// Items of one list share a line of the block, and become statements of their own when the block is read.
func TestItemsShareALine(t *testing.T) {
	l := Ledger{Standing: []string{"Do NOT: restart the kiln", "Do NOT: remove any shelf", "Never fire on Sundays.", "Please avoid: wooden tools; they burn"}}
	block := l.StandingBlock(1000)
	want := "<standing-instructions>\n- Do NOT: restart the kiln | remove any shelf\n- Never fire on Sundays.\n- Please avoid: wooden tools; they burn\n</standing-instructions>"
	if block != want {
		t.Errorf("the block is %s", block)
	}
	for _, s := range l.Standing {
		if !listsStanding(block, s) {
			t.Errorf("%q is not found", s)
		}
	}
	for _, s := range []string{"Always: restart the kiln", "Do NOT: remove any"} {
		if listsStanding(block, s) {
			t.Errorf("%q is found", s)
		}
	}
	var read Ledger
	read.ReadStanding(block)
	if !slices.Equal(read.Standing, l.Standing) {
		t.Errorf("read as %q", read.Standing)
	}
}
