package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

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
	row, at uint16 // where it is; see phrase
	cues    uint16 // one more than the number of the first cue that begins with it; 0 where none does
	size    uint8
	set     uint8 // the number of its kinds
}

// table finds entries by a hash. The words of a transcript are only looked up in it, so that they cannot make it slow: no look-up takes more
// steps than there are neighbours in the table.
type table struct {
	slots   [1 << 13]uint16 // one more than the index of an entry; 0 where there is none
	entries []entry
	sets    [256]wordKind // the kinds of words that go together; the first set is empty
}

// vocabulary holds the words of all kinds, and those with which cues begin.
var vocabulary table

// get is the entry of a word, or nil.
func (t *table) get(w string) *entry {
	at := words.Hash(w) % uint32(len(t.slots))
	for ; t.slots[at] != 0; at = (at + 1) % uint32(len(t.slots)) {
		if e := &t.entries[t.slots[at]-1]; int(e.size) == len(w) && e.text() == w {
			return e
		}
	}
	return nil
}

func (e *entry) text() string { return rowTexts[e.row][e.at : int(e.at)+int(e.size)] }

// put returns the number of the entry of a word, which is put in where there is none.
func (t *table) put(p phrase) int {
	w := p.text()
	at := words.Hash(w) % uint32(len(t.slots))
	for ; t.slots[at] != 0; at = (at + 1) % uint32(len(t.slots)) {
		if n := int(t.slots[at] - 1); t.entries[n].text() == w {
			return n
		}
	}
	t.entries = append(t.entries, entry{row: p.row, at: p.at, size: p.size})
	t.slots[at] = uint16(len(t.entries))
	return len(t.entries) - 1
}

// setOf is the number of a set of kinds, of which there may be as many as sets has room for.
func (t *table) setOf(kinds wordKind) uint8 {
	n := 0
	for t.sets[n] != kinds {
		if n++; t.sets[n] == 0 {
			t.sets[n] = kinds
		}
	}
	return uint8(n)
}

// cue is some words, or a sign, by which a statement is known.
type cue struct {
	*cueRow
	text string
}

// words is how many words a cue has.
func (c *cue) words() int { return 1 + strings.Count(c.text, " ") }

// phrase is a cue, or a word, by where it is in the tables: nothing of what they hold is in memory twice.
type phrase struct {
	row  uint16 // the number of its row
	at   uint16 // where it begins in the text of the row, in bytes
	next uint16 // one more than the number of the next one in its list; 0 where none follows
	size uint8  // in bytes
}

var (
	cueTables = [...][]cueRow{cueRows, tasteRows, signRows, tasteSigns}
	rowTexts  []string // the texts of the rows of all tables, those of wordSets behind the cues
	cues      []phrase // those of a list begin with the same word
)

func (p *phrase) text() string { return rowTexts[p.row][p.at : int(p.at)+int(p.size)] }

// cueRow is the row that a cue is in.
func (p *phrase) cueRow() *cueRow {
	n := int(p.row)
	for _, rows := range cueTables {
		if n < len(rows) {
			return &rows[n]
		}
		n -= len(rows)
	}
	return nil
}

// eachPhrase calls do with each phrase of a new row.
func eachPhrase(text, separator string, do func(p phrase)) {
	row, at := uint16(len(rowTexts)), 0
	rowTexts = append(rowTexts, text)
	for s := range strings.SplitSeq(text, separator) {
		do(phrase{row: row, at: uint16(at), size: uint8(len(s))})
		at += len(s) + len(separator)
	}
}

func init() {
	for n, rows := range cueTables {
		for _, row := range rows {
			eachPhrase(row.cues, ",", func(p phrase) {
				if n >= 2 {
					signIndex.add(p)
					return
				}
				tell(p.text())
				cues = append(cues, p)
			})
		}
	}
	for n := len(cues) - 1; n >= 0; n-- { // each list has its cues in the order of the tables
		first := cues[n]
		if at := strings.IndexByte(first.text(), ' '); at >= 0 {
			first.size = uint8(at)
		}
		e := &vocabulary.entries[vocabulary.put(first)]
		cues[n].next, e.cues = e.cues, uint16(n+1)
	}
	kinds := make([]wordKind, len(vocabulary.slots)/2)
	for _, row := range wordSets {
		eachPhrase(row.words, " ", func(p phrase) {
			kinds[vocabulary.put(p)] |= row.kind
			if row.kind == lastingly || row.kind == quantifiers { // with one of them an order is a rule
				tell(p.text())
			}
		})
	}
	for n := range vocabulary.entries {
		vocabulary.entries[n].set = vocabulary.setOf(kinds[n])
	}
}
