package digest

import "github.com/ctxfold/ctxfold/core/internal/words"

// wordKind is one or more kinds of words that tell a statement from other sentences.
type wordKind uint64

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
	shades      // they only shade the next word: "really"
	selves      // who speaks of themselves
	persons     // of whom a story is told, and whose things are in it
	others      // persons who are neither spoken to nor speak
	things      // pronouns of things
	addressees  // who is spoken to
	pasts       // verbs of a story
	days        // one day, not every day
	products    // what the reader writes
	quantifiers // of all of something
	lastingly   // for good
	numbers
	tasks     // with them the object of one task begins: "write [a] poem"
	idle      // behind "no", "keep" and others they make a remark of it: "no problem"
	moods     // what somebody or something is likely to be: "you must be tired"
	beings    // forms of "be"
	advice    // what is recommended to somebody: "you should try"
	reactions // what a remark refers to: "I love that"
	moment    // when a request is made, not a rule: "when you have time"
	agains    // with them a permission takes a rule back
	verbs     // that are also something else
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
	slots   [1 << 13]uint16 // one more than the index of an entry; 0 where there is none
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
