package digest

import (
	"strings"
	"testing"
)

const harbourPlan = `Carry out this plan:

# Berths for guests

## What is wrong

1. **Double berths**: two boats got the same berth in May because the list is only read at noon, and nobody writes into it before the evening.
2. **Fees**: guests from abroad paid twice.
   - the Amsel paid 31 euros on the 4th and on the 5th
   - the Kranich paid 62 euros

## What to do

1. Read the list every hour.
2. Take the fee from the table:

| length | fee |
|---|---|
| up to 8 metres | 18 |
| up to 12 metres | 31 |

3. Write to the guests who paid twice, and give them back what they paid.

## How to check it

- The list of the 6th of May has no berth twice.
- The sum of the fees of May is 4,412 euros.`

// A plan keeps each of its parts however short it gets, and says where something was left out.
func TestAPlanIsNotCutInTheMiddle(t *testing.T) {
	for _, most := range []int{500, 540, 580, 640} {
		got := clipRequest(harbourPlan, most)
		if len(got) > most {
			t.Errorf("%d bytes of %d", len(got), most)
		}
		for _, want := range []string{"Carry out this plan:", "# Berths for guests", "1. **Double berths**: two boats got the same", "2. **Fees**", "## What to do", "1. Read the list every hour.", "3. Write to the guests", "4,412 euros."} {
			if !strings.Contains(got, want) {
				t.Errorf("%d bytes lack %q:\n%s", most, want, got)
			}
		}
		if strings.Contains(got, "| up to 8") != (most > 620) || strings.Contains(got, "\n\n") {
			t.Errorf("%d:\n%s", most, got)
		}
	}
	if got := clipRequest(harbourPlan, len(harbourPlan)); got != harbourPlan {
		t.Error("a plan that fits is changed")
	}
}

func TestIsOutline(t *testing.T) {
	for text, want := range map[string]bool{
		harbourPlan: true,
		strings.Repeat("func berth() {\n\treturn x;\n}\n", 9):                   false,
		strings.Repeat("12:00 berth 7 is free\n", 30):                           false,
		strings.Repeat("- a\n", lookPlan):                                       false,
		strings.Repeat("We met at noon, and he said nothing about it.\n", 20):   false,
		"[pasted: Kiln review: one; two]\n" + strings.Repeat("- the lid\n", 30): false,
	} {
		if isOutline(text) != want {
			t.Errorf("%.60q: not %v", text, want)
		}
	}
	for _, text := range []string{"", "\n", "```", strings.Repeat("```\n", 40), strings.Repeat("|\n", 40), strings.Repeat(" - x\n", 60)} {
		for most := range 120 {
			if got := clipOutline(text, most); len(got) > most {
				t.Errorf("%q: %d bytes of %d: %q", text, len(got), most, got)
			}
		}
	}
}

// A plan that was shortened in an earlier digest is shortened from its full text again.
func TestAShortenedPlanIsFoundAgain(t *testing.T) {
	for _, most := range []int{500, 560, 640} {
		k := &turnLog{turns: []turn{{number: 1, request: clipRequest(harbourPlan, most)}, {number: 2, request: "And now?"}}}
		k.unclip(&Ledger{Task: harbourPlan, Requests: []string{"And now?"}})
		if k.turns[0].request != withoutPaste(Tidy(harbourPlan)) {
			t.Errorf("%d:\n%s", most, k.turns[0].request)
		}
	}
}
