package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/critbit"
	"github.com/ctxfold/ctxfold/core/transcript"
)

// Standing instructions are what the user said about how to work: rules, constraints, preferences. They are a list of their
// own in the ledger because recency does not age them: a rule counts until the user says otherwise. Each is a sentence in
// the user's own words, oldest first. This file keeps the list; statement.go finds the sentences in a text of the user,
// and subject.go tells which of two replaces the other.

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
func (l *Ledger) StandingBlock(max int) string {
	left := max - 2*len(standingTag) - len("<>\n</>") - len("(1000 more)\n")
	chosen := make([]string, len(l.Standing))
	strengths := make([]int, len(l.Standing))
	for i, text := range l.Standing {
		strengths[i] = strengthOf(text)
	}
	some := 0
	for strength := strict; strength >= weak; strength-- {
		for i, text := range slices.Backward(l.Standing) {
			if strengths[i] != strength {
				continue
			}
			line := "- " + Fence(clipLine(text, maxStatement+8)) + "\n"
			if len(line) > left {
				continue
			}
			left -= len(line)
			chosen[i] = line
			some++
		}
	}
	if some == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<" + standingTag + ">\n")
	if some < len(chosen) {
		b.WriteString("(" + itoa(len(chosen)-some) + " more)\n")
	}
	for _, line := range chosen {
		b.WriteString(line)
	}
	b.WriteString("</" + standingTag + ">")
	return b.String()
}

// WithStanding puts the block of standing instructions behind a text that has no other blocks.
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
