package digest

import (
	"slices"
	"strings"
	"testing"
)

// Items stay below their heads at any depth, but only there.
func TestProseUnits(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nested heads", "1. Door (`door.go`):\n   - Lines 3-9: `Door` with:\n     - Line 4: `hinge`\n   - Lines 20-30: `Close`\n2. Fan:\n   - Line 7: `Spin`\n\nAll is well.",
			[]string{"Door (`door.go`): Lines 3-9: `Door` with| Line 4: `hinge`", "Door (`door.go`)| Lines 20-30: `Close`", "Fan| Line 7: `Spin`", "| All is well."}},
		{"a heading above", "### 3. Lamp (`lamp.go`)\n- Lines 18-47: `Lamp` with:\n  - Line 31: `lux`\n", []string{"3. Lamp (`lamp.go`): Lines 18-47: `Lamp` with| Line 31: `lux`"}},
		{"an item with code", "Findings:\n\n1. The lamp is slow.\n2. The ramp repeats itself:\n   ```\n   a\n   b\n   c\n   d\n   ```\n   Could use a table.\n",
			[]string{"Findings| 1. The lamp is slow. 2. The ramp repeats itself: Could use a table."}},
	} {
		var got []string
		proseUnits(c.text, func(lead, text string, item int) { got = append(got, lead+"| "+text) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// A longer code block in an answer forms a unit with its introduction. A block that is too long is left out together
// with it.
func TestCodeInAnswers(t *testing.T) {
	tree := strings.Repeat("lamp.go # the lamp\n", 12)
	var got []string
	unitsWithCode("Done. The folders:\n```\n"+tree+"```\n\nRun:\n```\ncd kiln\nlamp on\n\nlamp off\nfan `on`\n```\nThe rest:\n```\n"+tree+"fan.go\n```\nAll is well.\n## Tree\n```\n├── "+strings.Repeat("lamp", 60)+"\n```\nIt stays.", longCode, func(lead, text string, item int) {
		got = append(got, lead+"| "+text)
	})
	if want := []string{"| Done.", "The folders| " + strings.TrimSpace(strings.Repeat("`lamp.go # the lamp` ", 12)), "Run| `cd kiln` `lamp on` `lamp off` `` fan `on` ``", "| All is well.", "| It stays."}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
