package words

import (
	"math/bits"
	"strings"
	"sync"
)

// Table looks up words, as they are spelled, in rows of words. It stores only their places in the rows, and is built on first use, because
// whatever a table holds when the program starts is part of the module.
type Table struct {
	rows  []string
	once  sync.Once
	slots []uint32 // the length is a power of two, and at most half is in use; a slot holds the row number above one more than the word's place in it
}

// placeBits is how many bits of a slot hold the place in a row: all rows are shorter than 1<<placeBits bytes.
const placeBits = 16

// NewTable returns a table of rows whose words are separated by one space.
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

// Row returns the number of the row that contains a word, counted from 1; the last one if there are several, and 0 if there is none.
func (t *Table) Row(word string) int {
	t.once.Do(t.build)
	if slot := t.slots[t.find(word)]; slot > 0 {
		return int(slot>>placeBits) + 1
	}
	return 0
}

// Has reports whether a row contains a word.
func (t *Table) Has(word string) bool {
	t.once.Do(t.build)
	return t.slots[t.find(word)] > 0
}

// find returns the slot of a word, or the empty slot where it would go.
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
