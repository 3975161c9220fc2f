package digest

import "github.com/ctxfold/ctxfold/core/internal/words"

// wordKind is one or more kinds of words that tell a statement from other sentences.
type wordKind uint16

const (
	conjunctions wordKind = 1 << iota
	joins
	negations
	narrators
	tellers
	habits
	singles
	done
	wishes
	pronouns
	ruleNouns
	pasteNouns
	pastePointers
	reportVerbs
	askers
	conditions
)

// entry is a word of the tables.
type entry struct {
	text  string
	kinds wordKind
	cues  []int32 // the cues that begin with it
}

// table finds entries by a hash. The words of a transcript are only looked up in it, so that they cannot make it slow: no look-up takes more
// steps than there are neighbours in the table.
type table struct {
	slots   [1 << 12]uint16 // one more than the index of an entry; 0 where there is none
	entries []*entry
}

// vocabulary holds the words of all kinds, and those with which cues begin.
var vocabulary table

// get is the entry of a word, or nil.
func (t *table) get(w string) *entry {
	at := words.Hash(w) % uint32(len(t.slots))
	for ; t.slots[at] != 0; at = (at + 1) % uint32(len(t.slots)) {
		if e := t.entries[t.slots[at]-1]; e.text == w {
			return e
		}
	}
	return nil
}

// at is the entry of a word, which is put in where there is none.
func (t *table) at(w string) *entry {
	if e := t.get(w); e != nil {
		return e
	}
	at := words.Hash(w) % uint32(len(t.slots))
	for t.slots[at] != 0 {
		at = (at + 1) % uint32(len(t.slots))
	}
	e := &entry{text: w}
	t.entries = append(t.entries, e)
	t.slots[at] = uint16(len(t.entries))
	return e
}
