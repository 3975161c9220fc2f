package digest

import (
	"runtime"
	"strings"
	"testing"
)

// TestPassagesOfTables reads short lines that don't end a sentence, like those of a pasted table. They form one
// paragraph, and joining them takes memory proportional to their length.
func TestPassagesOfTables(t *testing.T) {
	for _, lines := range []string{"a,b,1\n", "ab;\"\"\n", "x,y\"\n", "a\n", "- a\nb\n", "ab,\n\n"} {
		text := strings.Repeat(lines, lookHead/len(lines))
		passages(text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := passages(text)
		runtime.ReadMemStats(&after)
		if made, most := after.TotalAlloc-before.TotalAlloc, uint64(100*len(text)); made > most {
			t.Errorf("%q: %d bytes of text took %d bytes of memory, more than %d", lines, len(text), made, most)
		}
		if len(out) == 0 || !strings.HasPrefix(strings.ReplaceAll(text, "\n", " "), strings.TrimSuffix(out[0].text, "b")) && !strings.HasPrefix(lines, "-") {
			t.Errorf("%q: the passages are %.80v", lines, out)
		}
	}
}

// TestWrappedPassages reads lines that continue on the next line.
func TestWrappedPassages(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Always answer\nin French.\nUse tabs.", "Always answer in French.|Use tabs."},
		{"He said \"stop.\"\nthen go", "He said \"stop.\"|then go"},
		{"He said stop.\n\"\"\nthen go", "He said stop.|\"\" then go"},
		{"He said stop\n\"\"\nThen go", "He said stop|\"\"|Then go"},
		{"# Weather\nuse tabs", "Weather|use tabs"},
		{"- Use tabs\nand LF.\n- No emoji", "Use tabs and LF.|No emoji"},
		{strings.Repeat("long ", 13) + "\nNever stop", strings.Repeat("long ", 13) + "Never stop"},
	} {
		var got []string
		for _, p := range passages(c.text) {
			got = append(got, p.text)
		}
		if all := strings.Join(got, "|"); all != c.want {
			t.Errorf("%q: passages are %q, not %q", c.text, all, c.want)
		}
	}
}
