// Package script is the automaton of the script estimator: its states, the classes of characters, and the weights of
// its steps for each tokenizer family.
//
// The weights are fitted to true counts of real tokenizers (make tokens-fit). Steps share a weight if there is nothing
// to learn from telling them apart; a feature is a set of steps with one weight. The package knows nothing about
// transcripts.
package script

import (
	"sync"

	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
)

const classes = cRune + 128

// features returns the index of the weight for each state and class, and how many weights there are. The table takes
// some time and memory, so it is made on first use.
var features = sync.OnceValues(func() (*[states][classes]uint16, int) {
	f := new([states][classes]uint16)
	numbers := map[[2]int]uint16{}
	for s := range f {
		for c := range f[s] {
			key := tie(s, c)
			n, ok := numbers[key]
			if !ok {
				n = uint16(len(numbers))
				numbers[key] = n
			}
			f[s][c] = n
		}
	}
	return f, len(numbers)
})

// Features returns the number of step weights of a family.
func Features() int {
	_, n := features()
	return n
}

// Runs is the number of weights for long runs of one character that a family has: one for each class of characters.
const Runs = classes

// beginsWords marks the states after which the first letter of a word matters.
var beginsWords = [states]bool{sLine: true, sSpace: true, sSpaces: true, sUpper: true, sUnderscore: true, sDot: true,
	sSlash: true,
	sQuote: true, sOpen: true, sBackslash: true}

// tie returns the key of the feature to which the step from state s by class c belongs.
func tie(s, c int) [2]int {
	if s >= sEscWord && s <= sEscOther {
		return [2]int{-1, 0} // escapes themselves
	}
	kind := kindOf(s)
	length := s // words count by their length
	if n := wordLength(s); n > 0 {
		length = 1000 + n
	}
	coarse := s
	switch {
	case kind == inWord:
		coarse = 2000
	case s >= sDigit1 && s <= sDigit3:
		coarse = 2001
	case s >= sAccented:
		coarse = 2002
	case s >= sMixedLower && s <= sMixedDigit:
		coarse = 2003
	}
	switch {
	case c < 26:
		if wordLength(s) > 0 || beginsWords[s] {
			return [2]int{s, c}
		}
		return [2]int{s, 0}
	case c < cZero && (s == sSpace || s >= sUpper && s <= sCapitalsC):
		return [2]int{s, c}
	case c < cZero:
		return [2]int{coarse, cUpper + int(letterGroup[c-cUpper])}
	case c == cLine || c == cReturn || c == cTab || c == cBackslash || c == cDouble:
		return [2]int{3000 + kind, c} // escaped in JSON, so their step has its own weight
	case c <= cSpace:
		return [2]int{length, c}
	case c < cRune:
		return [2]int{coarse, c}
	}
	cyrillic := nextRune(s, runeClasses[c-cRune].state)
	switch {
	case cyrillic >= sCyrillic2 && cyrillic <= sCyrillicC:
		return [2]int{s, c}
	case next(s, c) == s:
		return [2]int{4000, c}
	case s == sSpace:
		return [2]int{4001, c}
	case kind == inMark || kind == inLine || kind == inSpace:
		return [2]int{4002, c}
	}
	return [2]int{4003, c}
}

// Count adds to counts how often text uses each feature; weights are fitted with these counts.
func Count(text []byte, counts []uint32) {
	feature, _ := features()
	s := sLine
	for len(text) > 0 {
		c, n := classOf(text)
		counts[feature[s][c]]++
		s = next(s, c)
		text = text[n:]
	}
}

// Class returns the class of a single character.
func Class(char string) int {
	c, _ := classOf([]byte(char))
	return c
}

// weight returns the weight that a byte of a table represents, in 1/16384 token. Small weights are stored more
// precisely.
func weight(code uint8) uint32 { return uint32(code) * uint32(code) }

// Code returns the byte of a table that comes closest to a weight in tokens. Tokens is its inverse.
func Code(tokens float64) uint8 {
	best := 0
	for c := range 256 {
		if d, e := Tokens(uint8(c))-tokens, Tokens(uint8(best))-tokens; d*d < e*e {
			best = c
		}
	}
	return uint8(best)
}

// Tokens returns the weight, in tokens, that a byte of a table represents.
func Tokens(code uint8) float64 { return float64(float64(weight(code)) / (1 << 14)) }

// New builds the automaton from table, which holds the weights of the Features steps, then those of the Runs runs. Each
// byte is the Code of a weight.
func New(table string) *jsonspan.Automaton {
	a := &jsonspan.Automaton{Word: sSpace}
	feature, n := features()
	step := func(s int, symbol byte, c int) {
		a.Step[s<<8|int(symbol)] = weight(table[feature[s][c]])<<16 | uint32(next(s, c))<<8
	}
	for s := range states {
		if s >= sEscWord && s <= sEscOther {
			continue
		}
		for symbol := range jsonspan.FirstRune {
			step(s, byte(symbol), int(markClass[symbol]))
		}
		for c := range runeClasses {
			step(s, byte(jsonspan.FirstRune+c), cRune+c)
		}
		esc := [...]int{inWord: sEscWord, inMark: sEscMark, inSpace: sEscSpace, inLine: sEscLine,
			inOther: sEscOther}[kindOf(s)]
		a.Step[s<<8|'\\'] = uint32(esc) << 8
		// For an escape any state of the same kind will do, because only the kind affects its weight.
		for from, to := range escapes {
			a.Step[esc<<8|int(from)] = a.Step[s<<8|int(to)]
		}
	}
	run := func(c int) uint32 { return weight(table[n+c]) }
	for b := range a.Run {
		if b < jsonspan.FirstRune {
			c, _ := classOf([]byte{byte(b)})
			a.Run[b] = run(c)
		} else if c := cRune + b - jsonspan.FirstRune; c < classes {
			a.Run[b] = run(c)
		}
	}
	a.Run['\\'] = run(cLine) // most escapes that come in runs are line feeds
	a.Runes, a.Pictographs, a.Astral = &runes().plane, runes().pictographs, astral()
	return a
}

// escapes maps the short escapes of JSON to the characters that they represent.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', '/': '/', '"': '"',
	'\\': jsonspan.Backslash}

// Family is a tokenizer family.
type Family struct {
	Name   string              // that of the tokenizer
	Table  string              // weights, in codes
	Bound  int                 // percent: the error that nine of ten texts of a few thousand bytes stay below
	once   sync.Once           // guards weighs
	weighs *jsonspan.Automaton // the automaton for Table; nil until it is needed
}

// Automaton returns the family's automaton, which it builds on first use.
func (f *Family) Automaton() *jsonspan.Automaton {
	f.once.Do(func() { f.weighs = New(f.Table) })
	return f.weighs
}

// ByName returns the family with the given name, which must exist.
func ByName(name string) *Family {
	for _, f := range Families {
		if f.Name == name {
			return f
		}
	}
	return Families[0]
}

// Groups returns, for each feature, the number of its group of similar features. Rare features are fitted together
// with their group.
func Groups() []int {
	feature, n := features()
	groups := make([]int, n)
	for s := states - 1; s >= 0; s-- {
		for c := range classes {
			class := c
			switch {
			case c < 26:
				class = 0
			case c < cZero:
				class = cUpper
			case c <= cDigit:
				class = cDigit
			case c >= cUnderscore && c < cRune:
				class = cMark
			}
			group := kindOf(s)*classes + class
			if c < 26 && wordLength(s) > 2 {
				group += 10 * classes
			}
			groups[feature[s][c]] = group
		}
	}
	return groups
}
