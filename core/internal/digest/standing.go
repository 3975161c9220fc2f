package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Standing instructions are the user's statements about how to work: rules, constraints, preferences. They have their
// own list in the ledger because they don't age: a rule applies until the user says otherwise. Each is a sentence in
// the user's own words; the oldest comes first. This file maintains the list; statement.go finds the sentences in a
// user text, and subject.go decides which of two replaces the other.

// standingTag encloses the block of standing instructions in a digest.
const standingTag = "standing-instructions"

// mostStanding is the maximum number of statements in a ledger, and mostStandingBytes their maximum total size. Up to
// twice as many are compared with each other; if there are more, the lowest-ranking ones are dropped first.
const (
	mostStanding      = 310
	mostStandingBytes = 24000
)

// addStanding adds the standing instructions in text, the user's words in message i, which is newer
// than all messages already in the ledger. A passage that the user pasted has none, and neither has
// a sentence that the user quotes from the assistant's last message to comment on it. room holds
// buffers.
func (l *Ledger) addStanding(t *transcript.Transcript, i int, text string, room *readRoom) {
	found := statements(withoutPassages(text), room)
	if len(found) > 0 && len(text) > leastReaction {
		said := withoutMarkup(lastSaidBefore(t, i))
		found = slices.DeleteFunc(found, func(s string) bool {
			return len(s) >= leastQuoted && len(text) >= 2*len(s) && strings.Contains(said, withoutMarkup(s))
		})
	}
	l.Standing = append(l.Standing, found...)
}

// Limits for a sentence that the user quotes from the assistant: its minimum length and that of the message, in bytes, and
// the number of messages before it in which the assistant's text is looked for.
const (
	leastQuoted   = 32
	leastReaction = 2 * leastQuoted
	lookBefore    = 4
)

// lastSaidBefore returns the last text that the assistant wrote in the few messages before message i, or "".
func lastSaidBefore(t *transcript.Transcript, i int) string {
	for k := i - 1; k >= max(0, i-lookBefore); k-- {
		if t.Messages[k].Role == transcript.Assistant {
			if said := saidIn(t, k); said != "" {
				return said
			}
		}
	}
	return ""
}

// withoutMarkup returns text without the characters that mark code and emphasis in Markdown.
func withoutMarkup(text string) string {
	if !strings.ContainsAny(text, "*`") {
		return text
	}
	return strings.NewReplacer("*", "", "`", "").Replace(text)
}

// AddStanding adds the standing instructions in messages, which must be newer than all messages already in the ledger.
// A conversation between people has none.
func (l *Ledger) AddStanding(t *transcript.Transcript, messages []int32) {
	if isBetweenPeople(t, messages) {
		return
	}
	room := &readRoom{coding: writesCode(t, messages)}
	var people customerChange
	for _, i := range messages {
		words := UserWords(t, int(i))
		from, to := people.departed(words, len(l.Standing))
		l.Standing = slices.Delete(l.Standing, from, to)
		l.addStanding(t, int(i), words, room)
	}
	l.Standing = newestStanding(l.Standing)
}

// newestStanding keeps only the newest of several statements about one subject, removes statements
// that a later one revokes, and limits the rest to what a ledger may hold. all is in the order in
// which they were said, and so is the result, which is nil if there are none.
func newestStanding(all []string) []string {
	if len(all) == 0 {
		return nil
	}
	list := make([]*statement, 0, len(all))
	var seen critbit.Map[struct{}]
	room := make([]word, 0, 64)
	for _, text := range slices.Backward(all) {
		if seen.Has(text) {
			continue
		}
		seen.Add(text)
		list = append(list, &statement{text: text, rating: rate(text, appendWords(room[:0], text, quotedIn(text)))})
	}
	list = staying(list, 2*mostStanding, 2*mostStandingBytes)
	for _, s := range list {
		s.analyse()
	}
	gone := make([]bool, len(list)) // newest first
	for i, s := range list {
		if gone[i] {
			continue
		}
		if s.amends && (s.amend(list[i+1:]) || !s.changes && !s.able) { // by itself it says nothing
			gone[i] = true
			continue
		}
		if s.revokes {
			if k := s.revoked(list[i+1:]); k >= 0 {
				gone[i+1+k] = true
			} else if s.also && s.widens(list[i+1:]) || s.strength <= weak { // it says nothing else
				gone[i] = true
				continue
			}
		}
		for k := i + 1; k < len(list) && !gone[i]; k++ {
			gone[i] = !gone[k] && s.repeats(list[k])
			gone[k] = gone[k] || !gone[i] && s.replaces(list[k])
		}
	}
	n := 0
	for i, s := range list {
		if !gone[i] {
			list[n] = s
			n++
		}
	}
	list = staying(list[:n], mostStanding, mostStandingBytes)
	from := len(all) - len(list)
	for i, s := range list {
		all[len(all)-1-i] = s.text
	}
	return all[from:]
}

// staying returns the statements in list that are kept. most limits their number, and bytes their total size. It
// prefers higher ranks. Within a rank it takes the oldest and the newest in turn, so that a rule that was kept once
// stays unless more important ones follow.
func staying(list []*statement, most, bytes int) []*statement {
	if len(list) <= most {
		size := 0
		for _, s := range list {
			size += len(s.text)
		}
		if size <= bytes {
			return list
		}
	}
	stays := choose(len(list), func(i int) (rank, size int) { return list[i].rank(), len(list[i].text) }, most, bytes, bytes)
	n := 0
	for i, s := range list {
		if stays[i] {
			list[n] = s
			n++
		}
	}
	return list[:n]
}

// choose decides which of n entries to keep, and returns for each entry whether it is kept. most is the maximum number
// of kept entries, and left the maximum of their total size in bytes. The function of returns an entry's rank and size.
// Higher ranks are preferred; within a rank the first and the last entry are taken in turn. Entries of the lowest two
// ranks may take at most low bytes.
func choose(n int, of func(i int) (rank, size int), most, left, low int) []bool {
	var byRank [ranks][]int
	for i := range n {
		rank, _ := of(i)
		byRank[rank] = append(byRank[rank], i)
	}
	stays := make([]bool, n)
	for rank := ranks - 1; rank >= 0; rank-- {
		if rank <= 2*weak+1 {
			left = min(left, low)
		}
		list := byRank[rank]
		for turn := range list {
			i := list[turn/2]
			if turn%2 == 1 {
				i = list[len(list)-1-turn/2]
			}
			if _, size := of(i); size <= left && most > 0 {
				left -= size
				most--
				stays[i] = true
			}
		}
	}
	return stays
}

// StandingBlock returns the block of standing instructions in at most max bytes including the tags, or "" if none fits.
// If not all fit, all are in their short forms. It prefers higher ranks, and within a rank it takes the oldest and the
// newest in turn.
func (l *Ledger) StandingBlock(max int) string { return l.standingBlock(max, max) }

// ChatStandingBlock is like StandingBlock, but for chats: statements of fact may take only an eighth of the block,
// because in chats they are often not rules, and have a section of their own.
func (l *Ledger) ChatStandingBlock(max int) string { return l.standingBlock(max, max/8) }

// standingBlock returns the rules that fit into max bytes, including the tags, in their order; "" if none fits. If not
// all of them fit, they are abbreviated, and those with the highest ranks are chosen. The rules of the two lowest ranks
// may take at most low bytes.
func (l *Ledger) standingBlock(max, low int) string {
	lines := make([]string, len(l.Standing))
	places := make([]int, len(lines)) // the ranks of the lines
	size, left := 0, max-2*len(standingTag)-len("<>\n</>")
	for i, text := range l.Standing {
		lines[i] = standingLine(text)
		size += len(lines[i])
		r := rate(text, wordsOf(text, quotedIn(text)))
		places[i] = r.rank()
	}
	if size > left {
		for i, text := range l.Standing {
			lines[i] = standingLine(briefOf(text))
		}
	}
	var kept []string
	said := "" // the introduction of the previous rules
	for i, stays := range choose(len(lines), func(i int) (int, int) { return places[i], len(lines[i]) }, len(lines), left, low) {
		if !stays {
			continue
		}
		line := lines[i]
		lead, rule := splitRule(line[2:])
		if lead != "" && (lead == said || ofAll(lead)) {
			line = "- " + rule
		}
		if lead == "" {
			lead, rule = splitItem(line[2:])
			if last := len(kept) - 1; lead != "" && lead == said && len(kept[last])+len(rule) <= maxStatement {
				kept[last] = strings.TrimSuffix(kept[last], "\n") + itemSeparator + rule
				continue
			}
		}
		said = lead
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return ""
	}
	return "<" + standingTag + ">\n" + strings.Join(kept, "") + "</" + standingTag + ">"
}

// itemSeparator separates the items of one list on a line of a block: "Do NOT: remove shelves | restart the kiln". A statement
// rarely contains it.
const itemSeparator = " | "

// splitItem splits a statement into the introduction of its list and the item if the introduction is needed to understand
// the item. Otherwise lead is "", and item is the whole statement.
func splitItem(statement string) (lead, item string) {
	lead, item, found := strings.Cut(statement, ": ")
	if !found || len(lead) > maxLead || strings.Contains(item, itemSeparator) || namesRules(lead) || !introducesRules(lead) {
		return "", statement
	}
	return lead, item
}

// standingLine returns the line of a statement in a block.
func standingLine(statement string) string {
	return "- " + Fence(clipLine(statement, maxStatement+8)) + "\n"
}

// listsStanding reports whether a block of standing instructions contains a statement, in full or in its short form.
func listsStanding(block, statement string) bool {
	_, rule := splitRule(statement)
	if strings.Contains(block, standingLine(rule)[2:]) || strings.Contains(block, standingLine(briefOf(statement))) {
		return true
	}
	said := strings.TrimSuffix(standingLine(statement)[2:], "\n")
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(strings.TrimPrefix(line, "- "), "\n")
		if strings.Contains(line, itemSeparator) && slices.Contains(itemsIn(line), said) {
			return true
		}
	}
	return false
}

// splitRule splits a statement into its introduction and the rule if the introduction announces rules. Otherwise lead
// is "", and rule is the whole statement.
func splitRule(statement string) (lead, rule string) {
	if lead, rule, found := strings.Cut(statement, ": "); found && namesRules(lead) {
		return lead, rule
	}
	return "", statement
}

// ofAll reports whether an introduction only says that rules for the whole conversation follow. The block itself says
// that already.
func ofAll(lead string) bool {
	for _, w := range wordsOf(lead, nil) {
		if !w.is(ruleNouns|quantifiers|lastingly|persons|addressees) && !stopWords.Has(w.text) && !general.has(w.text) {
			return false
		}
	}
	return true
}

// general lists words that occur in such introductions.
var general = wordListOf("standing general ground house basic whole session conversation chat project following work")

// namesRules reports whether a line only announces rules. One such line is enough for all rules after it.
func namesRules(lead string) bool {
	ws := wordsOf(lead, nil)
	return anyIs(ws, ruleNouns) && rate(lead, ws).strength == none
}

// WithStanding appends the block of standing instructions to text that has no other blocks.
func WithStanding(text, block string) string {
	if block == "" {
		return text
	}
	return text + "\n\n" + block
}

// readStanding returns the statements in a block of standing instructions. Entries that are longer than a statement can
// be are ignored. The bullets are removed, and items that share a line become statements of their own.
func readStanding(entries []string) (list []string) {
	for _, e := range entries {
		if e = strings.TrimPrefix(e, "- "); e != "" && len(e) <= maxStatement+16 {
			list = append(list, itemsIn(e)...)
		}
	}
	return list
}

// itemsIn returns the statements that share a line of a block, each with the introduction of its list.
func itemsIn(line string) []string {
	items := strings.Split(line, itemSeparator)
	lead, _ := splitItem(items[0])
	for i := 1; i < len(items) && lead != ""; i++ {
		items[i] = lead + ": " + items[i]
	}
	if lead == "" {
		return []string{line}
	}
	return items
}

// ReadStanding adds the standing instructions in the text of a message that a compaction wrote, unless the ledger
// already has some.
func (l *Ledger) ReadStanding(text string) {
	var old Ledger
	cutBlocks(text, &old)
	l.inheritStanding(&old)
}

// inheritStanding takes over the standing instructions of an older ledger, unless l has some itself.
func (l *Ledger) inheritStanding(old *Ledger) {
	if len(l.Standing) == 0 {
		l.Standing = newestStanding(slices.Clone(old.Standing))
	}
}
