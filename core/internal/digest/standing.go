package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Standing instructions are what the user said about how to work: rules, constraints, preferences. They are a list of their own in the
// ledger because recency does not age them: a rule counts until the user says otherwise. Each is a sentence in the user's own words, oldest
// first. This file keeps the list; statement.go finds the sentences in a text of the user, and subject.go says which of two replaces the
// other.

// standingTag encloses the block of standing instructions in a digest.
const standingTag = "standing-instructions"

// How much a ledger keeps of each strength: statements, and bytes of all of them together. What is beyond loses its oldest.
var standingLimits = [...]struct{ count, bytes int }{weak: {60, 4000}, wish: {100, 8000}, strict: {150, 12000}}

// addStanding takes in what the user says about how to work in a text. It is newer than what the ledger has.
func (l *Ledger) addStanding(text string) {
	l.Standing = append(l.Standing, statements(text)...)
}

// AddStanding collects the standing instructions of messages, which are newer than those that the ledger has.
func (l *Ledger) AddStanding(t *transcript.Transcript, messages []int32) {
	for _, i := range messages {
		l.addStanding(Asked(t, int(i)))
	}
	l.Standing = newestStanding(l.Standing)
}

// newestStanding leaves of statements about one subject the newest, and as many of each strength as a ledger keeps.
func newestStanding(all []string) []string {
	if len(all) == 0 {
		return nil
	}
	var seen critbit.Map[struct{}]
	var counts, sizes [len(standingLimits)]int
	var kept []*statement
	from := len(all)
	for i, text := range slices.Backward(all) {
		if seen.Has(text) {
			continue
		}
		seen.Add(text)
		s := analyse(text)
		limit := standingLimits[s.strength]
		if counts[s.strength] >= limit.count || sizes[s.strength]+len(text) > limit.bytes {
			counts[s.strength] = limit.count // older ones have no place either
			continue
		}
		if slices.ContainsFunc(kept, func(newer *statement) bool { return newer.replaces(s) }) {
			continue
		}
		counts[s.strength]++
		sizes[s.strength] += len(text)
		kept = append(kept, s)
		from--
		all[from] = all[i]
	}
	return all[from:]
}

// StandingBlock is the block of standing instructions in at most max bytes, the tags included; "" where there are none or
// not one fits. Where not all fit, the stricter ones stay, and of these the newest.
func (l *Ledger) StandingBlock(max int) string { return l.standingBlock(max, l.strictest) }

// ChatStandingBlock is StandingBlock for a chat. Where not all fit, those stay that say most: people say "always" and "never" of
// much that is no rule.
func (l *Ledger) ChatStandingBlock(max int) string { return l.standingBlock(max, l.telling) }

func (l *Ledger) standingBlock(max int, stay func(lines []string, left int) []bool) string {
	left := max - 2*len(standingTag) - len("<>\n</>") - len("(1000 more)\n")
	lines := make([]string, len(l.Standing))
	for i, text := range l.Standing {
		lines[i] = "- " + Fence(clipLine(text, maxStatement+8)) + "\n"
	}
	some := 0
	for i, stays := range stay(lines, left) {
		if !stays {
			lines[i] = ""
			continue
		}
		some++
	}
	if some == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<" + standingTag + ">\n")
	if some < len(lines) {
		b.WriteString("(" + itoa(len(lines)-some) + " more)\n")
	}
	for _, line := range lines {
		b.WriteString(line)
	}
	b.WriteString("</" + standingTag + ">")
	return b.String()
}

// strictest says which lines stay in so many bytes: those of the strictest statements, of these the newest.
func (l *Ledger) strictest(lines []string, left int) []bool {
	stays := make([]bool, len(lines))
	strengths := make([]int, len(lines))
	for i, text := range l.Standing {
		strengths[i] = strengthOf(text)
	}
	for strength := strict; strength >= weak; strength-- {
		for i, line := range slices.Backward(lines) {
			if strengths[i] == strength && len(line) <= left {
				left -= len(line)
				stays[i] = true
			}
		}
	}
	return stays
}

// telling says which lines stay in so many bytes: those of the statements that say most that no other one says, of which the stricter ones
// count more.
func (l *Ledger) telling(lines []string, left int) []bool {
	factors := [...]int{weak: 512, wish: 1024, strict: 2048}
	items := make([]extract.Item, len(lines))
	for i, text := range l.Standing {
		items[i] = extract.Item{Text: strings.TrimSpace(strings.TrimPrefix(lines[i], "- ")), Factor: factors[strengthOf(text)], Whole: true}
	}
	stays := make([]bool, len(lines))
	for _, c := range extract.New(items, nil).Choose(left) {
		stays[c.Item] = true
	}
	return stays
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
