package jsonspan

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// lastSymbol returns an automaton whose state is the last symbol (its lower five bits), and whose weights differ by
// state and symbol. So any symbol that is read in the wrong order, twice or not at all changes the sum.
func lastSymbol() *Automaton {
	a := &Automaton{Word: ' ' & 31, Runes: new([1 << 16]uint8), Astral: 0xff}
	step := func(s, sym int) uint32 { return uint32(1+(s*7+sym*3)%97)<<16 | uint32(sym&31)<<8 }
	for s := range 32 {
		for sym := range 256 {
			a.Step[s<<8|sym] = step(s, sym)
		}
		a.Step[s<<8|'\\'] = uint32(32+s) << 8
		for from, to := range map[byte]int{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '/': '/', '\\': Backslash} {
			a.Step[(32+s)<<8|int(from)] = step(s, to)
		}
	}
	for r := range a.Runes {
		a.Runes[r] = uint8(FirstRune + r%100)
	}
	for i := range a.Pictographs {
		a.Pictographs[i] = uint8(FirstRune + 100 + i%20)
	}
	for i := range a.Run {
		a.Run[i] = uint32(1000 + i)
	}
	return a
}

// symbolOf returns the symbol of a character.
func symbolOf(a *Automaton, r rune) int {
	switch {
	case r == '\\':
		return Backslash
	case r < utf8.RuneSelf:
		return int(r)
	case r < 0x10000:
		return int(a.Runes[r])
	case r >= 0x1f000 && r < 0x20000:
		return int(a.Pictographs[r>>6&63])
	}
	return int(a.Astral)
}

// walked returns the weight of text, computed character by character.
func walked(a *Automaton, text string) (sum uint64) {
	s := 0
	for _, r := range text {
		step := a.Step[s<<8|symbolOf(a, r)]
		sum, s = sum+uint64(step>>16), int(step>>8&31)
	}
	return sum
}

// inEscapes writes every character that isn't ASCII, and every third letter, as an escape of six characters.
func inEscapes(text string) string {
	var b strings.Builder
	for i, r := range text {
		q, _ := json.Marshal(string(r))
		switch s := string(q[1 : len(q)-1]); {
		case r >= 0x10000:
			r -= 0x10000
			b.WriteString(hexEscape(0xd800+r>>10) + hexEscape(0xdc00+r&0x3ff))
		case r >= utf8.RuneSelf || i%3 == 0:
			b.WriteString(hexEscape(r))
		default:
			b.WriteString(s)
		}
	}
	return b.String()
}

func hexEscape(r rune) string {
	const hex = "0123456789abcdef"
	return `\u` + string([]byte{hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
}

// TestAutomaton compares the optimized ways to walk text with the plain one.
func TestAutomaton(t *testing.T) {
	a := lastSymbol()
	pieces := []string{"the ", "cat", "X", "\n", "\t", "\"", "\\", "/", "é", "ю", "漢字", "。", "😀", "🇩🇪", "𝒳", "\u0080", "\uffff", "߿", "ࠀ"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		from := pieces
		if seed%2 == 0 {
			from = pieces[:8] // ASCII
		}
		var b strings.Builder
		for n := r.IntN(6000); b.Len() < n; {
			b.WriteString(from[r.IntN(len(from))])
		}
		text := b.String()
		want := walked(a, text)
		if got := a.Text([]byte(text)); got != want {
			t.Errorf("seed %d: the text weighs %d, not %d", seed, got, want)
		}
		var plain strings.Builder
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(text)
		for name, quoted := range map[string]string{"JSON": strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSpace(plain.String())), "escapes": `"` + inEscapes(text) + `"`} {
			s := New([]byte(quoted))
			s.Weigh = a
			if got := s.Text(); s.Err() != nil || got.Weight != roundWeight(want, len(text)) {
				t.Errorf("seed %d: %s weighs %d, not %d: %v", seed, name, got.Weight, roundWeight(want, len(text)), s.Err())
			}
		}
	}
}

// TestAutomatonRuns tests long runs of one character, which have separate weights.
func TestAutomatonRuns(t *testing.T) {
	a := lastSymbol()
	step := func(text string) uint64 { return walked(a, text) }
	for _, c := range []struct {
		name, text string
		want       uint64
	}{
		{"a run", strings.Repeat("=", 300), 300 * uint64(a.Run['='])},
		{"a run of the least size", strings.Repeat("=", repeats), repeats * uint64(a.Run['='])},
		{"a byte less", strings.Repeat("=", repeats-1), step(strings.Repeat("=", repeats-1))},
		{"of two blocks", strings.Repeat("=", block+700), (block + 700) * uint64(a.Run['='])},
		{"of Han characters", strings.Repeat("漢", 300), 300 * uint64(a.Run[symbolOf(a, '漢')])},
		{"of pictographs", strings.Repeat("😀", 300), 300 * uint64(a.Run[symbolOf(a, '😀')])},
		{"of others", strings.Repeat("𝒳", 300), 300 * uint64(a.Run[symbolOf(a, '𝒳')])},
		{"behind text", "say: " + strings.Repeat("=", 300), step("say: =") + 299*uint64(a.Run['='])},
		{"too short behind text", "say: " + strings.Repeat("=", repeats), step("say: " + strings.Repeat("=", repeats))},
		{"before text", strings.Repeat("=", 300) + "!", 300*uint64(a.Run['=']) + step("!")},
		{"almost a run", strings.Repeat("=", 255) + "!", step(strings.Repeat("=", 255) + "!")},
	} {
		if got := a.Text([]byte(c.text)); got != c.want {
			t.Errorf("%s weighs %d, not %d", c.name, got, c.want)
		}
	}
	if got, want := a.JSON([]byte(strings.Repeat(`\n`, 300)), true, false), 300*uint64(a.Run['\\']); got != want {
		t.Errorf("a run of escapes weighs %d, not %d", got, want)
	}
	if got, want := a.JSON([]byte("a"+strings.Repeat(`\n`, 300)), true, false), step("a"+strings.Repeat("\n", 300)); got != want {
		t.Errorf("escapes behind a letter weigh %d, not %d", got, want)
	}
	for sum, want := range map[uint64]uint32{0: 0, stepUnit / WeightUnit: 1, stepUnit/WeightUnit/2 - 1: 0, stepUnit / WeightUnit / 2: 1, stepUnit: WeightUnit, 1 << 60: 1 << 31} {
		if got := roundWeight(sum, 1<<30); got != want {
			t.Errorf("%d is rounded to %d, not %d", sum, got, want)
		}
	}
}
