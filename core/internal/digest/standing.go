package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Standing instructions are what the user said about how to work: rules, constraints, preferences. They are a list of their own in the
// ledger because recency does not age them: a rule counts until the user says otherwise. Each is a sentence in the user's own words, oldest
// first. This file keeps the list; statement.go finds the sentences in a text of the user, and subject.go says which of two replaces the
// other.

// standingTag encloses the block of standing instructions in a digest.
const standingTag = "standing-instructions"

// mostStanding is how many statements a ledger keeps, and mostStandingBytes how many bytes of all of them together. Twice as many are compared
// with each other: what is beyond is left out before, by its rank.
const (
	mostStanding      = 310
	mostStandingBytes = 24000
)

// addStanding takes in what the user says about how to work in a text. It is newer than what the ledger has.
func (l *Ledger) addStanding(text string, room *readRoom) {
	l.Standing = append(l.Standing, statements(text, room)...)
}

// AddStanding collects the standing instructions of messages, which are newer than those that the ledger has.
func (l *Ledger) AddStanding(t *transcript.Transcript, messages []int32) {
	room := new(readRoom)
	for _, i := range messages {
		l.addStanding(UserWords(t, int(i)), room)
	}
	l.Standing = newestStanding(l.Standing)
}

// newestStanding leaves of statements about one subject the newest, removes what a later one revokes, and leaves as many as a ledger keeps.
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
	gone := make([]bool, len(list)) // the newest is the first
	for i, s := range list {
		if gone[i] {
			continue
		}
		if s.revokes {
			if k := s.revoked(list[i+1:]); k >= 0 {
				gone[i+1+k] = true
			}
		}
		for k := i + 1; k < len(list); k++ {
			gone[k] = gone[k] || s.replaces(list[k])
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

// staying are the statements that stay where only so many may, of so many bytes: those of a higher rank, and of one rank the oldest and the
// newest in turn. So a rule that was kept stays kept, unless better ones come.
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

// choose says which of n entries stay in so many bytes, by rank, and of one rank the first and the last in turn; those of the lowest two ranks
// may have no more than low bytes.
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

// StandingBlock is the block of standing instructions in at most max bytes, the tags included; "" where there are none or
// not one fits. Where not all fit, those of a higher rank stay, and of one rank the oldest and the newest in turn.
func (l *Ledger) StandingBlock(max int) string { return l.standingBlock(max, max) }

// ChatStandingBlock is StandingBlock for a chat, where what only says how things are may take an eighth of the block: there it is often no
// rule, and what was said has a place of its own.
func (l *Ledger) ChatStandingBlock(max int) string { return l.standingBlock(max, max/8) }

func (l *Ledger) standingBlock(max, low int) string {
	lines := make([]string, len(l.Standing))
	places := make([]int, len(lines)) // their ranks
	for i, text := range l.Standing {
		lines[i] = "- " + Fence(clipLine(text, maxStatement+8)) + "\n"
		r := rate(text, wordsOf(text, quotedIn(text)))
		places[i] = r.rank()
	}
	left := max - 2*len(standingTag) - len("<>\n</>")
	var b strings.Builder
	said := "" // the line that the rules before were under
	for i, stays := range choose(len(lines), func(i int) (int, int) { return places[i], len(lines[i]) }, len(lines), left, low) {
		if !stays {
			continue
		}
		line := lines[i]
		if lead, rule, found := strings.Cut(line[2:], ": "); found && namesRules(lead) {
			if lead == said {
				line = "- " + rule
			}
			said = lead
		}
		b.WriteString(line)
	}
	if b.Len() == 0 {
		return ""
	}
	return "<" + standingTag + ">\n" + b.String() + "</" + standingTag + ">"
}

// namesRules reports whether a line names what follows rules, and says nothing else of them: once is enough for all that follow.
func namesRules(lead string) bool {
	ws := wordsOf(lead, nil)
	return slices.ContainsFunc(ws, func(w word) bool { return w.is(ruleNouns) }) && rate(lead, ws).strength == none
}

// WithStanding puts the block of standing instructions after a text that has no other blocks.
func WithStanding(text, block string) string {
	if block == "" {
		return text
	}
	return text + "\n\n" + block
}

// readStanding is what a block of standing instructions says.
func readStanding(entries []string) (list []string) {
	for _, e := range entries {
		if e = strings.TrimPrefix(e, "- "); e != "" && len(e) <= maxStatement+16 {
			list = append(list, e)
		}
	}
	return list
}

// ReadStanding adds the standing instructions in the text of a message of ours to the ledger, as older than what it has.
func (l *Ledger) ReadStanding(text string) {
	var old Ledger
	cutBlocks(text, &old)
	l.inheritStanding(&old)
}

// inheritStanding takes over the standing instructions of an older ledger, unless l, which was kept apart, has some itself.
func (l *Ledger) inheritStanding(old *Ledger) {
	if len(l.Standing) == 0 {
		l.Standing = newestStanding(slices.Clone(old.Standing))
	}
}
