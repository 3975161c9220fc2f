package digest

import (
	"strings"
	"sync"

	"github.com/ctxfold/ctxfold/core/internal/words"
)

// wordKind is a set of word kinds. The kinds help to distinguish a statement from other sentences.
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
	shades      // modifiers of the next word
	selves      // the speaker
	persons     // people in a story, and their belongings
	others      // people who are absent
	things      // pronouns for things
	addressees  // the reader
	pasts       // past-tense verbs
	days        // one day, not every day
	products    // what the reader writes
	quantifiers // all of something
	lastingly   // permanently
	numbers
	tasks     // objects of a single task: "write [a] poem"
	idle      // words that form a remark after "no", "keep" and others: "no problem"
	moods     // likely states: "you must be tired"
	beings    // forms of "be"
	advice    // recommendations: "you should try"
	reactions // objects of remarks: "I love that"
	moment    // words for the time of a single request, unlike a rule: "when you have time"
	agains    // words that turn a permission into the revocation of a rule
	verbs     // verbs that can also be other parts of speech
)

// The tables are built on first use, because tables built at start-up would become part of the module. They refer to
// positions in the rows by number, and contain no pointers.

// table is a hash table of words. Words of a transcript are only looked up and never added, so a transcript can't slow
// it down: a lookup takes no more steps than the longest run of occupied slots.
type table struct {
	slots [1 << 13]uint16 // the number of a word plus one; 0 if the slot is empty
	rows  []uint8         // the row number of each word
	ats   []uint16        // the offset of each word in its row, in bytes
	sizes []uint8         // the length of each word, in bytes
	cues  []uint16        // for each word, the number of the first cue that begins with it, plus one; 0 if none does
	sets  []uint8         // for each word, the number of its combination of kinds
	kinds [256]wordKind   // the combinations of kinds; the first is empty
}

// vocabulary contains the words of every kind, and the words that begin cues.
var vocabulary table

// get returns the number of a word, or -1 if the table doesn't contain it.
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

// put returns the number of a word. If the table doesn't contain the word, put adds it.
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

// set returns the number of a combination of kinds. It adds the combination if it is new.
func (t *table) set(kinds wordKind) uint8 {
	n := 0
	for t.kinds[n] != kinds {
		if n++; t.kinds[n] == 0 {
			t.kinds[n] = kinds
		}
	}
	return uint8(n)
}

// phrases holds the cues of rows, in the order of the source. Cues with the same beginning form a list.
type phrases struct {
	rows []uint8  // the row number of each cue
	ats  []uint16 // the offset of each cue in the text of its row, in bytes
	next []uint16 // the distance to the next cue of the same list; 0 if none follows
}

var (
	cueTables = [...][]cueRow{cueRows, tasteRows, signRows, tasteSigns}
	rowTexts  []string // the texts of the rows of cueTables, followed by those of wordSets
	cues      phrases  // cues in scripts with spaces; the cues of a list begin with the same word
)

func (p *phrases) text(n int) string {
	row := p.rows[n]
	if n+1 < len(p.rows) && p.rows[n+1] == row {
		return rowTexts[row][p.ats[n] : p.ats[n+1]-1]
	}
	return rowTexts[row][p.ats[n]:]
}

// from returns the text of cue n's row, beginning with that cue.
func (p *phrases) from(n int) string { return rowTexts[p.rows[n]][p.ats[n]:] }

// row returns the row that contains cue n. Every cue has one, so the result isn't nil.
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

// after returns the number of the next cue in the list, or -1.
func (p *phrases) after(n int) int {
	if p.next[n] == 0 {
		return -1
	}
	return n + int(p.next[n])
}

// add appends the cue that begins at byte offset at of a row.
func (p *phrases) add(row uint8, at uint16) {
	p.rows, p.ats, p.next = append(p.rows, row), append(p.ats, at), append(p.next, 0)
}

// link puts a cue at the head of a list. head is the number of the list's first cue plus one, or 0 if the list is
// empty.
func (p *phrases) link(n int, head *uint16) {
	if *head > 0 {
		p.next[n] = *head - 1 - uint16(n)
	}
	*head = uint16(n + 1)
}

// cue is a phrase, or a character sequence, that suggests that a sentence is a statement.
type cue struct {
	*cueRow
	text string // in lower case
}

// words returns the number of words in a cue.
func (c *cue) words() int { return 1 + strings.Count(c.text, " ") }

// eachIn adds text as a new row, splits it at the separator, and calls do with each piece, the
// row's number and the piece's offset in bytes.
func eachIn(text, separator string, do func(piece string, row uint8, at uint16)) {
	row, at := uint8(len(rowTexts)), 0
	rowTexts = append(rowTexts, text)
	for piece := range strings.SplitSeq(text, separator) {
		do(piece, row, uint16(at))
		at += len(piece) + len(separator)
	}
}

// ready builds the tables. It must be called before any lookup of a word or a sign.
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
		word := vocabulary.put(first, cues.rows[n], cues.ats[n])
		cues.link(n, &vocabulary.cues[word])
	}
	signIndex.index()
	kinds := make([]wordKind, len(vocabulary.slots)/2)
	for _, row := range wordSets {
		kind := row.kind
		eachIn(row.words, " ", func(w string, row uint8, at uint16) {
			kinds[vocabulary.put(w, row, at)] |= kind
			// These words turn an order into a rule.
			if kind == lastingly || kind == quantifiers || kind == products && len(w) > 4 && w[len(w)-1] == 's' {
				tell(w)
			}
		})
	}
	for _, w := range formWords {
		tell(w)
	}
	for n := range vocabulary.sets {
		vocabulary.sets[n] = vocabulary.set(kinds[n])
	}
})
