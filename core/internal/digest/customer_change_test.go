package digest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/digest"
)

// What a customer wished is no rule for the next one, who says hello and gives another name and number. Members of a group give no number, and their rules stay.
func TestCustomerChange(t *testing.T) {
	first := []string{"Hi, I need a berth.", "My name is Lena Falk, customer 20417.", "I always prefer a berth near the slipway."}
	next := "I never want a berth near the fuel dock."
	for _, c := range []struct {
		name  string
		texts []string
		first bool // whether the first customer's wish stays
	}{
		{"another name", append(slices.Clone(first), "Thanks, bye!", "Hello there!", "My name is Ole Brandt, customer 31182.", next), false},
		{"a member of a group", append(slices.Clone(first), "Hello there!", "My name is Ole Brandt.", next), true},
		{"another id", []string{"Hello, my user id is falk_77.", first[2], "Good morning, my user id is brandt_12.", next}, false},
		{"another language", []string{"Hallo, mein Name ist Lena Falk, lena@falk.example.", first[2], "Guten Tag, mein Name ist Ole Brandt, ole@brandt.example.", next}, false},
		{"the same name", append(slices.Clone(first), "Hello again!", "As I said, my name is Lena Falk, customer 20417.", next), true},
		{"a correction", append(slices.Clone(first), "Sorry, my name is Lena Falck.", next), true},
		{"a greeting", append(slices.Clone(first), "Hello again!", next), true},
		{"no name", append(slices.Clone(first), "Hello!", "I'm sorry, but I'm not at home.", next), true},
	} {
		list := standing(t, c.texts...)
		text := strings.Join(list, "\n")
		if strings.Contains(text, "slipway") != c.first || !strings.Contains(text, "fuel dock") {
			t.Errorf("%s: %q", c.name, list)
		}
	}
}

// Rules of an earlier digest stay: who made them is unknown.
func TestCustomerChangeKeepEarlierRules(t *testing.T) {
	l := &digest.Ledger{Standing: []string{"Never book a berth without a deposit."}}
	tr, seq := read(t, "openai-chat", chatOf(t, "Hi, my name is Lena Falk, customer 20417.", "ok", "I always prefer a berth near the slipway.", "ok", "Hi, my name is Ole Brandt, customer 31182.", "ok", "I never want a berth near the fuel dock."))
	l.Add(tr, seq)
	want := []string{"Never book a berth without a deposit.", "I never want a berth near the fuel dock."}
	if !slices.Equal(l.Standing, want) {
		t.Errorf("%q", l.Standing)
	}
}
