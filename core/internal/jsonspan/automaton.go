package jsonspan

import "unicode/utf8"

// States is the maximum number of states of an Automaton.
const States = 64

// WeightUnit is the number of units of a Measure's Weight that make one token.
const WeightUnit = 16

// stepUnit is the number of units of an Automaton's weights that make one token.
const stepUnit = 1 << 14

// Symbols of an Automaton other than ASCII characters. ASCII characters are their own symbols, except for a backslash
// in decoded text, which is Backslash: '\\' itself is the first byte of a JSON escape. Symbols from FirstRune on are
// classes of other characters.
const (
	Backslash = 0x01
	FirstRune = 0x80
)

// Automaton computes the weight of text: it goes from state to state, one symbol at a time, and each step has a weight.
// The weight of text is the sum of the weights of its steps.
//
// It reads the bytes of a JSON string without decoding them: the step on '\\' leads to a state in which the next byte
// counts as the character that the escape represents. It processes four pieces of a long text in parallel, because each
// step has to wait for the table entry of the previous one. The state in which a piece begins is determined by the text
// directly before it.
type Automaton struct {
	// Step holds weight<<16 | next<<8 at index state<<8 | symbol. Weights are in 1/16384 token.
	Step [States << 8]uint32
	// Run is the weight of each character in a long run of the same character, by its symbol; '\\' represents escapes.
	Run [256]uint32
	// Word is the state at the beginning of a word.
	Word uint8
	// Runes holds the symbols of the non-ASCII characters up to U+FFFF. Pictographs holds the symbols of U+1F000 to
	// U+1FFFF, one per 64 characters. Astral is the symbol of all other characters.
	Runes       *[1 << 16]uint8
	Pictographs [64]uint8
	Astral      uint8
}

const nextMask = (States - 1) << 8

// block is the maximum number of bytes that the method blocks processes at a time.
const block = 2048

// The weight that JSON's syntax adds to a string, in 1/WeightUnit token. The quotes together with the adjacent colon or
// comma are about one token, and an escape splits what would otherwise be one token.
const (
	quoteWeight  = WeightUnit
	escapeWeight = WeightUnit * 3 / 4
)

// weight returns the weight of the bytes between the quotes of a JSON string, in 1/WeightUnit token. m is the measure
// of the decoded text; wide means that there are escapes of six characters.
func (a *Automaton) weight(b []byte, m Measure, wide bool) uint32 {
	return roundWeight(a.JSON(b, m.Runes == m.Bytes, wide), int(m.Bytes))
}

// Weight returns the weight of text that is not JSON-encoded, in 1/WeightUnit token.
func (a *Automaton) Weight(text []byte) uint32 { return roundWeight(a.Text(text), len(text)) }

// roundWeight converts the weight of text of n bytes to 1/WeightUnit token. A token has at least one byte, so the
// weight is at most one token per byte, whatever weights were fitted to the characters. Hosts rely on this bound: a
// conversation with fewer bytes than the limit in tokens always fits.
func roundWeight(sum uint64, n int) uint32 {
	const unit = stepUnit / WeightUnit
	return uint32(min((sum+unit/2)/unit, uint64(n)*WeightUnit, 1<<31))
}

// JSON returns the weight of the bytes between the quotes of a JSON string that a Scanner has read, in 1/16384 token.
// ascii means that all bytes are ASCII, and wide that there are escapes of six characters.
func (a *Automaton) JSON(b []byte, ascii, wide bool) (sum uint64) {
	if ascii && !wide && len(b) < repeats {
		sum, _ = a.side(b, 0)
		return sum
	}
	if wide {
		sum, _ = a.symbols(b, 0, true)
		return sum
	}
	return a.blocks(b, func(b []byte, e uint) (uint64, uint) {
		if ascii {
			return a.side(b, e)
		}
		return a.mixed(b, e)
	})
}

// Text returns the weight of text that is not JSON-encoded, in units of 1/16384 of a token.
func (a *Automaton) Text(text []byte) uint64 {
	return a.blocks(text, func(b []byte, e uint) (uint64, uint) {
		return a.symbols(b, e, false)
	})
}

// blockEnd returns the size of the first block of b, which doesn't end inside a character or a short escape.
func blockEnd(b []byte) int {
	if len(b) <= block {
		return len(b)
	}
	n := block
	for n > 1 && b[n]&0xc0 == 0x80 {
		n--
	}
	odd := false
	for k := n - 1; k >= 0 && b[k] == '\\'; k-- {
		odd = !odd
	}
	if odd && n > 1 {
		n--
	}
	return n
}

// blocks calls walk with consecutive blocks of b, none of which ends inside a character or a short
// escape, and returns the sum of the weights in 1/16384 token. It weighs a long run of one
// character at the beginning or end of a block with run instead, because the weights of steps are
// fitted to text, not to such runs.
func (a *Automaton) blocks(b []byte, walk func(b []byte, e uint) (uint64, uint)) (sum uint64) {
	var e uint
	for len(b) > 0 {
		n := blockEnd(b)
		var w uint64
		if run := headRun(b[:n]); run >= repeats {
			n = run
			w = a.run(b[:n])
		} else {
			if run := tailRun(b[:n]); run >= repeats && run < n {
				n -= run
			}
			w, e = walk(b[:n], e)
		}
		sum += w
		b = b[n:]
	}
	return sum
}

// repeats is the minimum length in bytes of a long run of one character.
const repeats = 256

// headRun returns the number of bytes at the start of b that repeat one character or one short escape.
func headRun(b []byte) int {
	size := 1
	switch c := b[0]; {
	case c == '\\':
		size = 2
	case c >= 0x80:
		size = max(runeLen(b), 1)
	}
	n := min(size, len(b))
	for n < len(b) && b[n] == b[n-size] {
		n++
	}
	return n - n%size
}

// tailRun returns the number of bytes at the end of b that repeat one ASCII character and are not part of an escape. b
// must not be empty. It returns 0 if b ends with a character that can't be part of such a run.
func tailRun(b []byte) int {
	c := b[len(b)-1]
	if c >= 0x80 || c == '\\' {
		return 0
	}
	n := 1
	for n < len(b) && b[len(b)-1-n] == c {
		n++
	}
	return n - 1 // the first byte of the run may end an escape
}

// run returns the weight of b, which repeats one character or one short escape, in 1/16384 token.
func (a *Automaton) run(b []byte) uint64 {
	sym, size := b[0], 1
	switch {
	case sym == '\\':
		size = 2
	case sym >= 0x80:
		sym, size = a.symbol(b)
	}
	return uint64(a.Run[sym]) * uint64(len(b)/size)
}

// asciiRun returns the number of ASCII bytes at the start of b.
func asciiRun(b []byte) int {
	i := 0
	for i+8 <= len(b) && LoadWord(b, i)&highs == 0 {
		i += 8
	}
	for i < len(b) && b[i] < 0x80 {
		i++
	}
	return i
}

// mixed returns the weight of JSON text that isn't all ASCII, in 1/16384 token, and the state after
// it. It processes each escape as two steps, and long ASCII runs in parallel pieces.
func (a *Automaton) mixed(b []byte, e uint) (sum uint64, _ uint) {
	for len(b) > 0 {
		var w uint64
		n := asciiRun(b)
		if n >= sides { // no escape ends after the run, because escapes are all ASCII
			w, e = a.side(b[:n], e)
		} else {
			w, e, n = a.runes(b, e, sides)
		}
		sum += w
		b = b[n:]
	}
	return sum, e
}

// runes weighs UTF-8 text character by character, from state e up to the first character that
// begins at or after limit, an index in bytes. It returns the weight in 1/16384 token, the next
// state, and the position of that character. It calls no functions, so that its loop remains a loop
// in the module.
func (a *Automaton) runes(b []byte, e uint, limit int) (sum uint64, _ uint, _ int) {
	i := 0
	for i < limit && i < len(b) {
		sym := b[i]
		switch {
		case sym < 0x80:
			i++
		case sym < 0xe0 && i+2 <= len(b):
			sym = a.Runes[uint16(sym&31)<<6|uint16(b[i+1]&63)]
			i += 2
		case sym < 0xf0 && i+3 <= len(b):
			sym = a.Runes[uint16(sym)<<12|uint16(b[i+1]&63)<<6|uint16(b[i+2]&63)]
			i += 3
		case sym == 0xf0 && i+3 <= len(b) && b[i+1] == 0x9f:
			sym = a.Pictographs[b[i+2]&63]
			i += 4
		default:
			sym = a.Astral
			i += 4
		}
		e = uint(a.Step[e&nextMask|uint(sym)])
		sum += uint64(e >> 16)
	}
	return sum, e, min(i, len(b))
}

// one weighs ASCII bytes, starting in state e. It returns the weight in 1/16384 token, and the next
// state. An escape takes two steps.
func (a *Automaton) one(b []byte, e uint) (uint64, uint) {
	var sum uint64
	for _, c := range b {
		e = uint(a.Step[e&nextMask|uint(c)])
		sum += uint64(e >> 16)
	}
	return sum, e
}

// sides is the minimum number of bytes for which splitting text into parallel pieces pays off.
const sides = 96

// before is the number of bytes that are read before a piece to determine its state. Earlier bytes make no difference
// in nearly all texts.
const before = 16

// side is like one, but processes four pieces in parallel. It returns the sum of the weights in
// 1/16384 token, and the state of the automaton at the end of b.
func (a *Automaton) side(b []byte, e uint) (sum uint64, _ uint) {
	if len(b) < sides {
		return a.one(b, e)
	}
	t, n := &a.Step, len(b)/4
	e0, e1, e2, e3 := e, uint(a.Word)<<8, uint(a.Word)<<8, uint(a.Word)<<8
	b0, b1, b2 := b[n-before:n], b[2*n-before:2*n], b[3*n-before:3*n]
	for i, c := range b0 {
		e1 = uint(t[e1&nextMask|uint(c)])
		e2 = uint(t[e2&nextMask|uint(b1[i])])
		e3 = uint(t[e3&nextMask|uint(b2[i])])
	}
	last := [4]uint{e0, e1, e2, e3}
	sum = a.four(b[:n], b[n:2*n], b[2*n:3*n], b[3*n:4*n], &last)
	e = last[3]
	for _, c := range b[4*n:] {
		e = uint(t[e&nextMask|uint(c)])
		sum += uint64(e >> 16)
	}
	return sum, e
}

// four returns the total weight, in 1/16384 token, of four pieces of the same length, each from its
// state in e, and stores the state after the last piece in e[3]. It is a separate function because
// WebAssembly has enough locals for the loop, but not also for the code around it.
func (a *Automaton) four(b0, b1, b2, b3 []byte, e *[4]uint) (sum uint64) {
	t := &a.Step
	b1, b2, b3 = b1[:len(b0)], b2[:len(b0)], b3[:len(b0)]
	e0, e1, e2, e3 := e[0], e[1], e[2], e[3]
	for i, c := range b0 {
		e0 = uint(t[e0&nextMask|uint(c)])
		e1 = uint(t[e1&nextMask|uint(b1[i])])
		e2 = uint(t[e2&nextMask|uint(b2[i])])
		e3 = uint(t[e3&nextMask|uint(b3[i])])
		sum += uint64(e0>>16 + e1>>16 + e2>>16 + e3>>16)
	}
	e[3] = e3
	return sum
}

// symbols weighs any text symbol by symbol, from state e. It returns the weight in 1/16384 token,
// and the next state. json means that the text contains JSON escapes.
func (a *Automaton) symbols(b []byte, e uint, json bool) (sum uint64, _ uint) {
	for i := 0; i < len(b); {
		sym, n := b[i], 1
		switch {
		case sym >= 0xe1 && sym < 0xf0 && i+2 < len(b):
			sym, n = a.Runes[uint16(sym)<<12|uint16(b[i+1]&63)<<6|uint16(b[i+2]&63)], 3
		case sym >= 0x80:
			sym, n = a.symbol(b[i:])
		case sym == '\\' && !json:
			sym = Backslash
		case sym == '\\':
			sym, n = a.escaped(b[i:])
		}
		i += n
		e = uint(a.Step[e&nextMask|uint(sym)])
		sum += uint64(e >> 16)
	}
	return sum, e
}

// escaped returns the symbol of the escape at the start of b, and the escape's length in bytes.
func (a *Automaton) escaped(b []byte) (sym uint8, n int) {
	if len(b) < 6 || b[1] != 'u' {
		if sym = unescape(b[min(1, len(b)-1)]); sym == '\\' {
			sym = Backslash
		}
		return sym, 2
	}
	r, n := unicodeEscape(b)
	if r < utf8.RuneSelf {
		if r == '\\' {
			r = Backslash
		}
		return uint8(r), n
	}
	var buf [4]byte
	sym, _ = a.symbol(buf[:utf8.EncodeRune(buf[:], r)])
	return sym, n
}

// unicodeEscape decodes the \u escape at the start of b, or the surrogate pair of two such escapes. A lone surrogate
// becomes U+FFFD. It also returns the number of bytes that it has read.
func unicodeEscape(b []byte) (rune, int) {
	u, _ := hex4(b, 2)
	if u >= 0xd800 && u < 0xdc00 && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if low, ok := hex4(b, 8); ok && low >= 0xdc00 && low <= 0xdfff {
			return rune((u-0xd800)<<10|(low-0xdc00)) + 0x10000, 12
		}
	}
	if u >= 0xd800 && u <= 0xdfff {
		return utf8.RuneError, 6
	}
	return rune(u), 6
}

// symbol returns the symbol of the non-ASCII character at the start of b, and its length in bytes.
func (a *Automaton) symbol(b []byte) (uint8, int) {
	switch c := b[0]; {
	case len(b) < 2:
		return a.Astral, 1
	case c < 0xe0:
		return a.Runes[uint16(c&31)<<6|uint16(b[1]&63)], 2
	case len(b) < 3:
		return a.Astral, 2
	case c < 0xf0:
		return a.Runes[uint16(c)<<12|uint16(b[1]&63)<<6|uint16(b[2]&63)], 3
	case c == 0xf0 && b[1] == 0x9f:
		return a.Pictographs[b[2]&63], min(4, len(b))
	}
	return a.Astral, min(4, len(b))
}
