package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// A session that mostly reads files has a short log. The room that is left goes to content of the files: outlines of
// long definitions, and passages that the conversation doesn't name.

// leastFilled is the minimum size, in bytes, of a digest that is filled with further passages. leastSpare is the
// minimum room for them, in bytes.
const (
	leastFilled = 3000
	leastSpare  = 400
)

// ofEditedFile and ofSpare are the factors, in 1024ths, by which the weights of spare passages are multiplied:
// ofEditedFile for passages of files that the work edited, ofSpare for all others. fillTries is the maximum number of
// attempts to choose passages that fill the room.
const (
	ofEditedFile = 256
	ofSpare      = 128
	fillTries    = 6
)

// ofTheWork returns the passages that belong to the work, and lowers the weights of those that are
// spare. A spare passage only belongs to the work if its file was edited or was read in the last
// turn, or if the log mentions the file's name or another of its passages.
func (r *quoteReader) ofTheWork(found []fileQuote) []fileQuote {
	var edited, mentioned critbit.Map[struct{}]
	last := 0
	for i := range r.log.turns {
		last = r.log.turns[i].number
		for n := range r.log.turns[i].units {
			if u := &r.log.turns[i].units[n]; u.kind == changeUnit {
				edited.Add(u.source)
			}
		}
	}
	for n := range found {
		if p := &found[n]; !p.spare {
			mentioned.Add(p.path)
		}
	}
	for n := range found {
		if p := &found[n]; p.spare && edited.Has(p.path) {
			p.factor = max(1, p.factor*ofEditedFile/1024)
		} else if p.spare {
			p.factor = max(1, p.factor*ofSpare/1024)
		}
	}
	return slices.DeleteFunc(found, func(p fileQuote) bool {
		return p.spare && p.turn != last && !edited.Has(p.path) && !mentioned.Has(p.path) && !r.said.mentions(fileName(p.path))
	})
}

// passagesFor returns the best passages for about budget bytes, without those that others contain.
func (k *turnLog) passagesFor(budget int) (chosen []*fileQuote) {
	for _, c := range k.filling.Choose(budget) {
		if p := &k.passages[c.Item]; !p.isIn(chosen) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

// fill returns a log with as many passages as fit into size bytes, each in its longest form.
func (k *turnLog) fill(w logText, size int) logText {
	most := size - len(w.log) - shownFrame
	if len(k.passages) == 0 || most-len(w.files) < leastSpare {
		return w
	}
	if k.filling == nil {
		items := make([]extract.Item, len(k.passages))
		for n := range k.passages {
			items[n] = extract.Item{Text: k.passages[n].longest(), Factor: k.passages[n].factor, Whole: true}
		}
		k.filling = extract.New(items, k.known)
	}
	budget := most
	for try := range fillTries {
		text := showQuotes(k.passagesFor(budget), (*fileQuote).longest)
		if len(text) <= most {
			if len(text) > len(w.files) {
				w.files = text
			}
			break
		}
		budget -= (len(text) - most + leastSpare/4) << try // passages are not split, so a small step often makes no difference
	}
	return w
}

// isIn reports whether the newest outline in chosen is that of the definition around the passage, and contains the
// first line of the passage.
func (p *fileQuote) isIn(chosen []*fileQuote) bool {
	if p.within == "" {
		return false
	}
	for _, around := range slices.Backward(chosen) {
		if around.outline != "" {
			first, _, _ := strings.Cut(p.text, "\n")
			return around.name == p.within && around.path == p.path && strings.Contains(around.outline, first)
		}
	}
	return false
}

// show returns the chosen passages as text, under the names of their files.
func (k *turnLog) show(chosen []extract.Chosen) string {
	quotes := make([]*fileQuote, len(chosen))
	for n, c := range chosen {
		quotes[n] = &k.quotes[k.units[c.Item].unit]
	}
	return showQuotes(quotes, func(p *fileQuote) string { return p.text })
}

// writtenNote follows the name of a file whose passages the assistant wrote.
const writtenNote = ", as the assistant wrote it"

// showQuotes returns the text of passages, grouped under the name of their file and the number of their entry, with "…"
// between two passages. textOf returns the form in which a passage is shown.
func showQuotes(quotes []*fileQuote, textOf func(p *fileQuote) string) string {
	var b strings.Builder
	var last *fileQuote
	for _, p := range quotes {
		same := last != nil && p.path == last.path && p.turn == last.turn && p.written == last.written
		if !same {
			b.WriteString("[" + itoa(p.turn) + "] " + Fence(p.path))
			if p.written {
				b.WriteString(writtenNote)
			}
			b.WriteString(":\n")
		}
		text := textOf(p)
		if p.number != "" {
			text = p.number + ": " + text
		}
		if p.within != "" && (!same || p.within != last.within) {
			text = "in " + p.within + ":\n" + text
		}
		if same && !strings.HasSuffix(b.String(), requestIndent+leftOutMark+"\n") {
			text = leftOutMark + "\n" + text
		}
		b.WriteString(requestIndent + strings.ReplaceAll(Fence(text), "\n", "\n"+requestIndent) + "\n")
		last = p
	}
	return strings.TrimSuffix(b.String(), "\n")
}
