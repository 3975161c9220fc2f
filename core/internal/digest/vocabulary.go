package digest

import (
	"strings"
	"sync"

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

// The tables are made when they are first asked for: as they would be when the module has started, they would be a part of it. They hold
// numbers and no pointers, which say where something is in the rows.

// table finds words by a hash. The words of a transcript are only looked up in it, so that they cannot make it slow: no look-up takes more
// steps than there are neighbours in the table.
type table struct {
	slots [1 << 13]uint16 // one more than the number of a word; 0 where there is none
	rows  []uint8         // of each word, the number of the row in which it is
	ats   []uint16        // where it begins there, in bytes
	sizes []uint8         // in bytes
	cues  []uint16        // one more than the number of the first cue that begins with it; 0 where none does
	sets  []uint8         // the number of its kinds
	kinds [256]wordKind   // the kinds of words that go together; the first has none
}

// vocabulary holds the words of all kinds, and those with which cues begin.
var vocabulary table

// get is the number of a word, or -1.
func (t *table) get(w string) int {
	at := words.Hash(w) % uint32(len(t.slots))
	for ; t.slots[at] != 0; at = (at + 1) % uint32(len(t.slots)) {
		if n := int(t.slots[at]) - 1; int(t.sizes[n]) == len(w) && t.text(n) == w {
			return n
		}
	}
	return -1
}

func (t *table) text(n int) string { return rowTexts[t.rows[n]][t.ats[n]:][:t.sizes[n]] }

// put is the number of a word, which is put in where the table does not have it.
func (t *table) put(w string, row uint8, at uint16) int {
	if n := t.get(w); n >= 0 {
		return n
	}
	slot := words.Hash(w) % uint32(len(t.slots))
	for t.slots[slot] != 0 {
		slot = (slot + 1) % uint32(len(t.slots))
	}
	t.rows, t.ats, t.sizes = append(t.rows, row), append(t.ats, at), append(t.sizes, uint8(len(w)))
	t.cues, t.sets = append(t.cues, 0), append(t.sets, 0)
	t.slots[slot] = uint16(len(t.rows))
	return len(t.rows) - 1
}

// set is the number of some kinds.
func (t *table) set(kinds wordKind) uint8 {
	n := 0
	for t.kinds[n] != kinds {
		if n++; t.kinds[n] == 0 {
			t.kinds[n] = kinds
		}
	}
	return uint8(n)
}

// phrases are the cues of rows, in the order in which they are written. Those that begin alike are a list.
type phrases struct {
	rows []uint8  // of each cue, the number of its row
	ats  []uint16 // where it begins in the text of the row, in bytes
	next []uint16 // how many cues further the next one of its list is; 0 where none follows
}

var (
	cueTables = [...][]cueRow{cueRows, tasteRows, signRows, tasteSigns}
	rowTexts  []string // the texts of the rows of cueTables, and behind these those of wordSets
	cues      phrases  // of scripts with spaces; those of a list begin with the same word
)

func (p *phrases) text(n int) string {
	row := p.rows[n]
	if n+1 < len(p.rows) && p.rows[n+1] == row {
		return rowTexts[row][p.ats[n] : p.ats[n+1]-1]
	}
	return rowTexts[row][p.ats[n]:]
}

// from is the text of a row from a cue on.
func (p *phrases) from(n int) string { return rowTexts[p.rows[n]][p.ats[n]:] }

// row is the row that a cue is in.
func (p *phrases) row(n int) *cueRow {
	at := int(p.rows[n])
	for _, rows := range cueTables {
		if at < len(rows) {
			return &rows[at]
		}
		at -= len(rows)
	}
	return nil
}

// after is the number of the next cue of the list, or -1.
func (p *phrases) after(n int) int {
	if p.next[n] == 0 {
		return -1
	}
	return n + int(p.next[n])
}

// add appends a cue.
func (p *phrases) add(row uint8, at uint16) {
	p.rows, p.ats, p.next = append(p.rows, row), append(p.ats, at), append(p.next, 0)
}

// link makes a cue the first of a list. head is one more than the number of the list's first cue, or 0.
func (p *phrases) link(n int, head *uint16) {
	if *head > 0 {
		p.next[n] = *head - 1 - uint16(n)
	}
	*head = uint16(n + 1)
}

// cue is some words, or a sign, by which a statement is known.
type cue struct {
	*cueRow
	text string
}

// words is how many words a cue has.
func (c *cue) words() int { return 1 + strings.Count(c.text, " ") }

// eachIn calls do with each piece of the text of a new row.
func eachIn(text, separator string, do func(piece string, row uint8, at uint16)) {
	row, at := uint8(len(rowTexts)), 0
	rowTexts = append(rowTexts, text)
	for piece := range strings.SplitSeq(text, separator) {
		do(piece, row, uint16(at))
		at += len(piece) + len(separator)
	}
}

// ready makes the tables. Whatever looks a word or a sign up calls it before.
var ready = sync.OnceFunc(func() {
	for n, rows := range cueTables {
		for _, row := range rows {
			eachIn(row.cues, ",", func(piece string, row uint8, at uint16) {
				if n >= 2 {
					signIndex.add(row, at)
					return
				}
				tell(piece)
				cues.add(row, at)
			})
		}
	}
	for n := len(cues.rows) - 1; n >= 0; n-- {
		first, _, _ := strings.Cut(cues.text(n), " ")
		cues.link(n, &vocabulary.cues[vocabulary.put(first, cues.rows[n], cues.ats[n])])
	}
	signIndex.index()
	kinds := make([]wordKind, len(vocabulary.slots)/2)
	for _, row := range wordSets {
		kind := row.kind
		eachIn(row.words, " ", func(w string, row uint8, at uint16) {
			kinds[vocabulary.put(w, row, at)] |= kind
			if kind == lastingly || kind == quantifiers { // with one of them an order is a rule
				tell(w)
			}
		})
	}
	tell("me") // see moved
	for n := range vocabulary.sets {
		vocabulary.sets[n] = vocabulary.set(kinds[n])
	}
})
