package words

import (
	"math/bits"
	"strings"
	"sync"
)

// Table finds fixed words, as they are spelled, in rows of them. It holds where they are in the rows and nothing else, and that only from the
// first look-up on: what a table holds when the program starts is a part of the module.
type Table struct {
	rows  []string
	once  sync.Once
	slots []uint32 // a power of two, at most half of it in use: one more than the place of a word in its row, below the number of the row
}

// placeBits is how many bits of a slot are a place in a row: no row has as many bytes.
const placeBits = 16

// NewTable returns a table of rows, each of which has one space between its words.
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
			t.slots[t.find(w)] = uint32(i<<placeBits | at + 1)
			at += len(w) + 1
		}
	}
}

// Row returns the number of the row that has a word, from 1: of several the last one. It returns 0 if none has it.
func (t *Table) Row(word string) int {
	t.once.Do(t.build)
	if slot := t.slots[t.find(word)]; slot > 0 {
		return int(slot>>placeBits) + 1
	}
	return 0
}

// Has reports whether a row has a word.
func (t *Table) Has(word string) bool {
	t.once.Do(t.build)
	return t.slots[t.find(word)] > 0
}

// find returns the slot of a word, or the empty one where it would be.
func (t *Table) find(word string) int {
	mask := len(t.slots) - 1
	at := int(Hash(word)) & mask
	for ; t.slots[at] > 0; at = (at + 1) & mask {
		slot := t.slots[at]
		rest := t.rows[slot>>placeBits][slot&(1<<placeBits-1)-1:]
		if strings.HasPrefix(rest, word) && (len(rest) == len(word) || rest[len(word)] == ' ') && strings.IndexByte(word, ' ') < 0 {
			break
		}
	}
	return at
}
