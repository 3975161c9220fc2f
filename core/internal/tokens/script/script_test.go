package script

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

func TestSizes(t *testing.T) {
	if states > jsonspan.States || wordStates[len(wordGroups)]['o'-'a'] != states-1 || len(runeClasses) != classes-cRune || jsonspan.FirstRune+len(runeClasses) > 256 {
		t.Errorf("%d states, %d classes of runes", states, len(runeClasses))
	}
	seen, size := map[string]bool{}, len(hanCommon+hanKnown+hanSpelled+hangulCommon+hangulKnown+hangulSpelled)
	for _, f := range Families {
		if len(f.Table) != Features()+Runs {
			t.Errorf("%s has %d weights, not %d: run make tokens-fit", f.Name, len(f.Table), Features()+Runs)
		}
		if !seen[f.Table] {
			size += len(f.Table)
		}
		seen[f.Table] = true
	}
	if size > 16<<10 {
		t.Errorf("the tables take %d bytes", size)
	}
}

var samples = []string{
	"", "a", "Hello, world!\n", "func main() {\n\t\tfmt.Println(\"1234567\", x_y)\n}\n", "Ünïcödé тест 你好，世界 👍🏽 \u2028 \x00\x1f",
	`C:\new\table "quoted" \\server`, strings.Repeat("The quick brown fox jumps over the lazy dog. ", 200),
	strings.Repeat("line of text\n    indented = 12;\n\n", 100), strings.Repeat("0123456789abcdef", 300), strings.Repeat("漢字かな交じり文。", 300),
}

// The weight of text is the sum of its features' weights, however the text is walked: symbol by symbol, or as JSON.
func TestLinear(t *testing.T) {
	for _, f := range Families {
		a := f.Automaton()
		for _, text := range samples {
			counts := make([]uint32, Features())
			Count([]byte(text), counts)
			var want uint64
			for n, c := range counts {
				want += uint64(c) * uint64(weight(f.Table[n]))
			}
			if got := a.Text([]byte(text)); got != want {
				t.Errorf("%s: %.40q weighs %d as a text, want %d", f.Name, text, got, want)
			}
			quoted, _ := json.Marshal(text)
			s := jsonspan.New(quoted)
			s.Weigh = a
			// Pieces of text without spaces begin where the state is guessed.
			if got, want := s.Text().Weight, a.Weight([]byte(text)); got != want && (strings.Contains(text, " ") || got*50 > want*51 || want*50 > got*51) {
				t.Errorf("%s: %.40q weighs %d in JSON, want %d", f.Name, text, got, want)
			}
		}
	}
}

// A run of one character costs what tokenizers count for the run, not what the character costs between others.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		char   string
		tokens map[string]float64 // of one character of many, by the tokenizers themselves
	}{
		{"=", map[string]float64{"o200k": 1. / 64, "cl100k": 1. / 64, "claude": 1. / 64, "llama3": 1. / 64}},
		{"-", map[string]float64{"o200k": 1. / 64, "cl100k": 1. / 64, "claude": 1. / 229, "llama3": 1. / 64}},
		{"a", map[string]float64{"o200k": 1. / 8, "cl100k": 1. / 8, "claude": 1. / 16, "llama3": 1. / 8}},
		{"x", map[string]float64{"o200k": 1. / 8, "cl100k": 1. / 8, "claude": 1. / 32, "llama3": 1. / 8}},
		{" ", map[string]float64{"o200k": 1. / 123, "cl100k": 1. / 123, "claude": 1. / 533, "llama3": 1. / 123}},
		{"\n", map[string]float64{"o200k": 1. / 16, "cl100k": 1. / 32, "claude": 1. / 32, "llama3": 1. / 32}},
		{"0", map[string]float64{"o200k": 1. / 3, "cl100k": 1. / 3, "claude": 1. / 32, "llama3": 1. / 3}},
		{"的", map[string]float64{"o200k": 1, "cl100k": 1, "claude": 1, "llama3": 1}},
		{"😀", map[string]float64{"o200k": 1, "cl100k": 2, "claude": 2, "llama3": 2}},
	} {
		for family, tokens := range c.tokens {
			a := ByName(family).Automaton()
			want := tokens * 50000
			quoted, _ := json.Marshal(strings.Repeat(c.char, 50000))
			s := jsonspan.New(quoted)
			s.Weigh = a
			inside, _ := json.Marshal("It says: " + strings.Repeat(c.char, 200000) + " and so on.")
			among := jsonspan.New(inside)
			among.Weigh = a
			for _, w := range []uint32{a.Weight([]byte(strings.Repeat(c.char, 50000))), s.Text().Weight, among.Text().Weight / 4} {
				if got := float64(w) / jsonspan.WeightUnit; got < want*0.7 || got > want*1.3 {
					t.Errorf("%s: 50,000 times %q: %.0f tokens, want %.0f", family, c.char, got, want)
				}
			}
		}
	}
}
