package script

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/internal/testing/steps"
)

// pieces lists the building blocks of random texts.
var pieces = []string{"the ", "Function", "x", "_id", "\n", "\n\n\t", "    ", "123", "0x7f", "\"", "\\", "\\n", "https://a.b/c?d=e", "ünï", "тест ", "你好", "。", "한국어 ",
	"नमस्ते", "👍🏽", "{\"k\": [1, 2]}", "=====", "aGVsbG8gd29ybGQ=", "deadbeef", "\u2028", "\x01", "é", ".", ", ", "(", ");\n", "camelCaseName", "SCREAMING_CASE", "<|endoftext|>"}

func text(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func weigh(t *testing.T, a *jsonspan.Automaton, quoted []byte) float64 {
	t.Helper()
	s := jsonspan.New(quoted)
	s.Weigh = a
	w := s.Text().Weight
	if s.Err() != nil {
		t.Fatalf("%v: %.100s", s.Err(), quoted)
	}
	return float64(w) / jsonspan.WeightUnit
}

// escaped spells every character as an escape.
func escaped(s string) []byte {
	b := []byte{'"'}
	const hex = "0123456789abcdef"
	for _, r := range s {
		for _, u := range utf16(r) {
			b = append(b, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
		}
	}
	return append(b, '"')
}

func utf16(r rune) []rune {
	if r < 0x10000 {
		return []rune{r}
	}
	r -= 0x10000
	return []rune{0xd800 + r>>10, 0xdc00 + r&0x3ff}
}

// Text weighs the same in every JSON spelling, and two texts together weigh as much as separately, except for a few tokens at the seam.
// No weight is negative.
func TestSpellingAndAdditivity(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 9))
		a := Families[seed%uint64(len(Families))].Automaton()
		one, two := text(r, r.IntN(1200)), text(r, r.IntN(1200))
		quoted := func(s string) float64 {
			q, _ := json.Marshal(s)
			return weigh(t, a, q)
		}
		plain := func(s string) float64 { return float64(a.Weight([]byte(s))) / jsonspan.WeightUnit }
		near := func(what string, x, y, slack float64) {
			t.Helper()
			if d := x - y; d > slack+0.03*y || -d > slack+0.03*y {
				t.Errorf("seed %d: %s: %.1f and %.1f tokens", seed, what, x, y)
			}
		}
		near("in quotes and not", quoted(one), plain(one), 2)
		near("all in escapes", weigh(t, a, escaped(one)), plain(one), 2)
		near("together and apart", plain(one+two), plain(one)+plain(two), 3)
		if n := plain(one); n < 0 || n > float64(len(one)) {
			t.Errorf("seed %d: %.1f tokens for %d bytes", seed, n, len(one))
		}
	}
}

// Whatever text is, it takes steps in proportion to its length, and its weight is at most a token for each byte.
func TestHostileTexts(t *testing.T) {
	a := ByName("claude").Automaton()
	var counter *steps.Counter
	if !testing.Short() {
		counter = steps.Start(t)
	}
	for name, text := range map[string]func(n int) string{
		"one word":      func(n int) string { return strings.Repeat("abcdefghij", n/10) },
		"runs and gaps": func(n int) string { return strings.Repeat(strings.Repeat("=", 300)+"x", n/300) },
		"noise": func(n int) string {
			noise, r := make([]byte, n), rand.New(rand.NewPCG(1, 2))
			for i := range noise {
				noise[i] = byte(32 + r.IntN(95))
			}
			return string(noise)
		},
		"escapes":              func(n int) string { return strings.Repeat("\n\t\"\\", n/4) },
		"controls":             func(n int) string { return strings.Repeat("\x00\x1f", n/2) },
		"almost one character": func(n int) string { return "a" + strings.Repeat("的", n/3) },
		"flags":                func(n int) string { return strings.Repeat("🇩🇪", n/8) },
	} {
		s := text(1 << 20)
		quoted, _ := json.Marshal(s)
		if n := weigh(t, a, quoted); n <= 0 || n > float64(len(s)) {
			t.Errorf("%s: %.0f tokens for %d bytes", name, n, len(s))
		}
		if counter == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			answer := counter.Linear(t, "estimate", 64<<10, func(n int) []byte {
				quoted, _ := json.Marshal(text(n))
				return []byte(`{"policy":{"estimator":"script"},"text":` + string(quoted) + `}`)
			})
			if strings.HasPrefix(string(answer), `{"error"`) {
				t.Errorf("%.300s", answer)
			}
		})
	}
}
