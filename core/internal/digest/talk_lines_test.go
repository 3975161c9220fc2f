package digest

import "testing"

// Rows of tables are written as phrases, without bars.
func TestRowsBecomePhrases(t *testing.T) {
	for row, want := range map[string]string{
		"| oak shelf, 80 cm | 140 € |":  "oak shelf, 80 cm: 140 €",
		"| Mon | 9:00 | hall | ":        "Mon: 9:00, hall",
		"|| tea |":                      "–: tea",
		"| pear | | 3 € | |":            "pear: –, 3 €",
		`| a\|b | x |`:                  "a|b: x",
		"| | |":                         "",
		"a | b":                         "a | b",
		"Twelve chairs and two tables.": "Twelve chairs and two tables.",
	} {
		if got := rowOf(row); got != want {
			t.Errorf("%q becomes %q, not %q", row, got, want)
		}
	}
}

// Items of a list keep their numbers only if the numbers begin with the first and have no gaps.
func TestItemsOfPartialListsHaveNoNumbers(t *testing.T) {
	number := 0
	for i, c := range []struct{ text, want string }{
		{"1. Sand the shelf.", "1. Sand the shelf."},
		{"2. Oil the shelf.", "2. Oil the shelf."},
		{"Wait for a day.", "Wait for a day."},
		{"4. Put up the shelf.", "Put up the shelf."},
		{"5. Clean the room.", "Clean the room."},
	} {
		got := ""
		if got, number = listed(c.text, number); got != c.want {
			t.Errorf("%d: %q becomes %q, not %q", i, c.text, got, c.want)
		}
	}
	if got, _ := listed("140 guests came.", 0); got != "140 guests came." {
		t.Errorf("a number that is none of a list is lost: %q", got)
	}
}
