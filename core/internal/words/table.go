package words

import (
	"math/bits"
	"strings"
	"sync"
)

// Table maps words, compared as they are spelled, to the number of the row that contains them. It stores only the
// positions of the words in the rows, and is built on first use, because data that exists when the program starts
// becomes part of the module.
type Table struct {
	rows []string
	once sync.Once
	may  [4]uint64 // rules out most words that no row contains: a bit is set for the length and the ends of each word
	// A hash table whose size is a power of two, at most half full. A slot is the row's index << positionBits, plus the
	// word's position in the row, plus one.
	slots []uint32
}

// positionBits is the number of bits in a slot for the position in a row. All rows must be shorter than 1<<positionBits
// bytes.
const positionBits = 16

// NewTable returns a table of rows. In each row, words are separated by single spaces.
func NewTable(rows ...string) *Table { return &Table{rows: rows} }

// build fills the slots.
func (t *Table) build() {
	n := 0
	for _, row := range t.rows {
		n += strings.Count(row, " ") + 1
	}
	t.slots = make([]uint32, 2<<bits.Len(uint(n)))
	for i, row := range t.rows {
		at := 0
		for w := range strings.SplitSeq(row, " ") {
			bit := mayBit(w)
			t.may[bit/64] |= 1 << (bit % 64)
			t.slots[t.find(w)] = uint32(i<<positionBits | at + 1)
			at += len(w) + 1
		}
	}
}

// Row returns the number of the row that contains a word, from 1, or 0 if there is none. If several rows contain the
// word, it returns the last of them.
func (t *Table) Row(word string) int {
	if !single || t.slots == nil {
		t.once.Do(t.build)
	}
	if slot := t.slots[t.find(word)]; slot > 0 {
		return int(slot>>positionBits) + 1
	}
	return 0
}

// Has reports whether any row contains a word.
func (t *Table) Has(word string) bool {
	if !single || t.slots == nil {
		t.once.Do(t.build)
	}
	bit := mayBit(word)
	return t.may[bit/64]>>(bit%64)&1 != 0 && t.slots[t.find(word)] > 0
}

// mayBit returns the number of a word's bit in may, which depends on its first and last byte and its length.
func mayBit(word string) uint8 {
	n := len(word)
	if n == 0 {
		return 0
	}
	return word[0]*5 ^ word[n-1]*37 ^ uint8(n)*11
}

// find returns the slot that contains a word, or the empty slot where it belongs.
func (t *Table) find(word string) int {
	mask := len(t.slots) - 1
	at := int(Hash(word)) & mask
	for ; t.slots[at] > 0; at = (at + 1) & mask {
		slot := t.slots[at]
		rest := t.rows[slot>>positionBits][slot&(1<<positionBits-1)-1:]
		if strings.HasPrefix(rest, word) && (len(rest) == len(word) || rest[len(word)] == ' ') && strings.IndexByte(word, ' ') < 0 {
			break
		}
	}
	return at
}
