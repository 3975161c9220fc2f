package digest

import (
	"strings"
	"testing"
)

func TestWithoutPaste(t *testing.T) {
	frames := strings.Repeat("    at load (/srv/kiln/lib/zones.js:41:13)\n", 8)
	for _, c := range []struct{ name, text, want string }{
		{"a terminal", "➜  kiln git:(main) ✗ npm start\n" + frames + "Error: no zone 7\n" + frames + "➜  kiln git:(main) ✗ npm run zones\nzones is gone, skipping.\n\nplease fix. we no longer have zone 7",
			"[pasted: ran npm start; Error: no zone 7; ran npm run zones; zones is gone, skipping.]\n\nplease fix. we no longer have zone 7"},
		{"a trace", "it crashes at night:\n\nTypeError: cannot read zone of undefined\n" + frames + "\nwhy?",
			"it crashes at night:\n\n[pasted: TypeError: cannot read zone of undefined]\n\nwhy?"},
		{"the output of a build", "ci hates us: 5s\nRun the kiln\nkiln-zones\n\n" + strings.Repeat("zone warm enough\n", 14) + "\nlib/door.ts:35:11 lint/anyType ━━━━\n\n  × The door has no type.\nzone cold\n\nwhat now",
			"ci hates us: 5s\n[pasted: Run the kiln; zone warm enough; lib/door.ts:35:11 lint/anyType: × The door has no type.]\n\nwhat now"},
		{"a review", "pr feedback:\n\n1. Critical: the door is shut twice (lib/door.ts:178)\nThe comment says that zone 7 shuts it.\n\n// Current:\nthis.door.shut(zone);\n\n2. Lamps (lib/lamp.ts)\nYou light two of them:\n\nlamp.on(1);\nlamp.on(2);\nRemove the first one.\n\n3. No tests\nCritical paths:\n\nA door that sticks\nconst zone = door.zone;\n",
			"pr feedback:\n\n[pasted: 1. Critical: the door is shut twice (lib/door.ts:178); 2. Lamps (lib/lamp.ts); 3. No tests]"},
		{"steps with details", "do this:\n" + strings.Repeat("1. Shut the door\nslowly, by hand\nand lock it\n2. Light the lamp\nof zone 7\nand wait\n3. Stop the fan\nwith the switch\nat the wall\n", 2), ""},
		{"code that the user shows", "make it shorter:\n\n```\n" + strings.Repeat("heat := zone.Heat(9)\n", 20) + "```", ""},
		{"prose", strings.Repeat("The kiln is warm.\nIt has three zones.\n", 12), ""},
		{"a list", "do this:\n" + strings.Repeat("- check the door, the fan and the lamp\n", 12), ""},
	} {
		if c.want == "" {
			c.want = strings.TrimSpace(c.text)
		}
		if got := strings.TrimSpace(withoutPaste(c.text)); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// The end of a pasted text is not joined to its beginning if the middle is left out. What the user wrote below it
// stays.
func TestClippedPasteHasOneEnd(t *testing.T) {
	paste := "[pasted: Kiln review: " + strings.Repeat("the lid is not tight; ", 30) + "with these changes it will be a good kiln"
	if got := clipRequest(paste+"]", 200); !strings.HasPrefix(got, "[pasted: Kiln review: ") || !strings.HasSuffix(got, "[…]") {
		t.Errorf("pasted text alone: %q", got)
	}
	list := "Here they are:\n\n1. Berta, born on 3 May 1988\n2. Carl, born on 9 June 1990\n3. Dora, born on 12 July 1995"
	if got := clipRequest(list, 80); got != "Here they are:\n\n1. Berta, born on 3 May 1988\n2. […]\n[…] on 12 July 1995" {
		t.Errorf("%q", got)
	}
	if got := clipRequest(paste+"]\nPlease answer the review.", 200); !strings.HasSuffix(got, " […]\nPlease answer the review.") {
		t.Errorf("pasted text with words of the user: %q", got)
	}
}
