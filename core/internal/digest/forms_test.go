package digest_test

import (
	"os"
	"strings"
	"testing"
)

// form is a group of sentences of one kind in one language.
type form struct {
	kind, language string
	sentences      []string
}

func forms(t *testing.T) (all []form) {
	t.Helper()
	text, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if kind, found := strings.CutPrefix(line, "= "); found {
			kind, language, _ := strings.Cut(kind, " ")
			all = append(all, form{kind: kind, language: language})
		} else if line != "" && line[0] != '#' {
			last := &all[len(all)-1]
			last.sentences = append(last.sentences, line)
		}
	}
	return all
}

// Rules, preferences and indirect requests are recognized by their form in ten languages. Small talk is none of these.
func TestForms(t *testing.T) {
	counts := map[string]*[2]int{}
	for _, f := range forms(t) {
		if counts[f.kind] == nil {
			counts[f.kind] = &[2]int{}
		}
		found := 0
		for _, s := range f.sentences {
			if got := len(standing(t, s)) > 0; got {
				found++
				if f.kind == "decoy" {
					t.Logf("%s %s: taken: %s", f.kind, f.language, s)
				}
			} else if f.kind != "decoy" {
				t.Logf("%s %s: missed: %s", f.kind, f.language, s)
			}
		}
		counts[f.kind][0] += found
		counts[f.kind][1] += len(f.sentences)
	}
	for kind, share := range map[string][2]int{"rule": {95, 100}, "preference": {90, 100}, "indirect": {80, 100}, "decoy": {0, 8}} {
		n := counts[kind]
		t.Logf("%s: %d of %d", kind, n[0], n[1])
		if n[0]*100 < n[1]*share[0] || n[0]*100 > n[1]*share[1] {
			t.Errorf("%s: %d of %d, not from %d to %d %%", kind, n[0], n[1], share[0], share[1])
		}
	}
}
