package canaries

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestSets(t *testing.T) {
	for _, set := range Sets() {
		for seed := range 5 {
			s := set.New(seed, func(text string) int { return len(text) / 4 })
			if len(s.Statements) != 20 {
				t.Errorf("%s: %d statements", set.Name(), len(s.Statements))
			}
			for i, c := range s.Statements {
				if c.Key == "" || !strings.Contains(c.Text, c.Key) || !slices.Contains(Kinds, c.Kind) || strings.ContainsAny(c.Text, "{}[]") {
					t.Errorf("%s: %+v", set.Name(), c)
				}
				for _, other := range s.Statements[:i] {
					if strings.Contains(other.Text, c.Key) {
						t.Errorf("%s: %q stands in %q too", set.Name(), c.Key, other.Text)
					}
				}
			}
			var said strings.Builder
			for n := 0; !s.Said(); n++ {
				if n > 100 {
					t.Fatalf("%s: not all statements are said in 100 turns", set.Name())
				}
				for _, m := range s.Turn() {
					var content struct{ Content string }
					if err := json.Unmarshal(m, &content); err != nil {
						t.Fatal(err)
					}
					said.WriteString(content.Content + "\n")
				}
			}
			for _, c := range s.Statements {
				if n := strings.Count(said.String(), c.Key); n != 1 {
					t.Errorf("%s: %q stands in the session %d times", set.Name(), c.Key, n)
				}
			}
		}
	}
}
