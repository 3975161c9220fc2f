package digest

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// An assistant that has no tool for plans writes them down: a line that names a plan, and a list of steps. This file finds the newest such
// list, and what of it the record shows to be done.

// planWords and planSigns are in the line before a list of steps, in lower case.
var (
	planWords = wordListOf("plan steps todo todos roadmap schritte pasos étapes план шаги")
	planSigns = strings.Fields("计划 步骤 計画 手順 계획 단계")
)

// longestPlanLead is the maximum length of that line, in bytes.
const longestPlanLead = 80

// stepsIn returns the steps of the last plan in a text; nil if there is none.
func stepsIn(text string) (steps []point) {
	var list []point
	led, indent := false, 0 // a line has named a plan, and how far its steps are indented
	end := func() {
		if len(list) > 1 {
			steps = list
		}
		list, led = nil, false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		s := strings.TrimLeft(line, " \t")
		item, said := listItem(s)
		switch {
		case s == "":
		case led && item && (list == nil || len(line)-len(s) <= indent):
			indent = len(line) - len(s)
			list = append(list, step(said))
		case led && list != nil && len(s) < len(line): // more about the last step
		default:
			end()
			led = leadsPlan(s)
		}
	}
	end()
	return steps[:min(len(steps), mostPoints)]
}

// step returns the point that a list item is.
func step(said string) point {
	said = withoutBold(said)
	rest := strings.TrimLeft(said, "✅✓✔ ")
	if rest != said {
		return point{box: doneBox, text: clipWords(rest, mostPoint)}
	}
	return point{box: openBox, text: clipWords(said, mostPoint)}
}

// leadsPlan reports whether a line names the plan that follows it: "Plan:", "## Next steps".
func leadsPlan(s string) bool {
	if len(s) > longestPlanLead || s == "" || !introduces(s) && s[0] != '#' && !(strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**")) {
		return false
	}
	s = strings.ToLower(s)
	for _, sign := range planSigns {
		if strings.Contains(s, sign) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if planWords.has(word) {
			return true
		}
	}
	return false
}

// planOf returns the plan of the session: known, which a tool keeps, or the last that the assistant wrote down, with what the record shows to
// be done. One that was written down is left out if nothing was done for it, if all of it is done, or if the user has made two other requests
// since. If there is none in the messages, known may be that of the digest before.
func (k *turnLog) planOf(known, written planList) planList {
	p := written
	switch {
	case !known.written && len(known.points) > 0:
		return known
	case len(p.points) == 0:
		p = known
	}
	if len(p.points) == 0 {
		return p
	}
	worked, requests := p.message < 0, 0
	m := newMarker(p.points)
	for i := range k.turns {
		t := &k.turns[i]
		if t.from > p.message && !accepts(t.asked) {
			requests++
		}
		for n := range t.units {
			if u := &t.units[n]; u.message > p.message {
				worked = worked || u.kind == changeUnit || u.kind == ranUnit
				m.see(u)
			}
		}
	}
	if !worked || requests > 1 || m.mark(p.points) {
		return planList{}
	}
	p.written = true
	k.withoutList(p.message)
	return p
}

// withoutList drops the units of a message that list the steps of its plan, which has a section of its own.
func (k *turnLog) withoutList(message int32) {
	for i := range k.turns {
		for n := range k.turns[i].units {
			if u := &k.turns[i].units[n]; u.message == message && message >= 0 && u.lead != "" && leadsPlan(u.lead+":") {
				u.factor = isDropped
			}
		}
	}
}

// marker finds out which steps of a plan are done.
type marker struct {
	in   critbit.Map[uint64] // the steps that have a word
	need [mostPoints]int     // how many words of a step one unit must have
	done uint64
}

// newMarker returns a marker for steps. A word that most of them have tells none apart.
func newMarker(steps []point) *marker {
	m := &marker{}
	for i, s := range steps {
		eachStem(s.text, func(stem string) { *m.in.At(stem) |= 1 << i })
	}
	for i, s := range steps {
		words := 0
		eachStem(s.text, func(stem string) {
			if in, _ := m.in.Get(stem); in&(1<<i) != 0 && m.tells(in, len(steps)) {
				words++
			}
		})
		m.need[i] = max(2, (words*3+4)/5)
	}
	return m
}

func (m *marker) tells(in uint64, steps int) bool {
	return steps < 3 || bits.OnesCount64(in)*2 <= steps
}

// see marks the steps that a unit is about, if the unit says what was done.
func (m *marker) see(u *unit) {
	switch {
	case u.factor == isDropped || u.factor == ofAnnounced:
		return
	case u.kind == ranUnit && failedIn(u.text), u.kind == answerUnit && saysOpen(u.lead+" "+u.text):
		return
	case u.kind != changeUnit && u.kind != ranUnit && u.kind != answerUnit:
		return
	}
	var counts [mostPoints]int
	var seen critbit.Map[struct{}]
	eachStem(u.text, func(stem string) {
		in, found := m.in.Get(stem)
		if !found || seen.Has(stem) {
			return
		}
		seen.Add(strings.Clone(stem))
		for ; in != 0; in &= in - 1 {
			at := bits.TrailingZeros64(in)
			if counts[at]++; counts[at] >= m.need[at] {
				m.done |= 1 << at
			}
		}
	})
}

// mark checks the boxes of the steps that are done, and reports whether all are.
func (m *marker) mark(steps []point) (all bool) {
	all = true
	for i := range steps {
		if m.done&(1<<i) != 0 {
			steps[i].box = doneBox
		}
		all = all && steps[i].box == doneBox
	}
	return all
}

// stemLength is how many bytes of a word count, so that "update" and "updated" are the same; leastStem is the length of the shortest word
// that counts.
const (
	stemLength = 6
	leastStem  = 4
)

// eachStem calls see for the beginning of each longer word of a text, in lower case.
func eachStem(text string, see func(stem string)) {
	for word := range strings.FieldsFuncSeq(lower(text), func(r rune) bool {
		return r < utf8.RuneSelf && byteClass[r]&(small|capital|digit) == 0 || r >= utf8.RuneSelf && !unicode.IsLetter(r)
	}) {
		if len(word) >= leastStem {
			see(trimRune(word[:min(len(word), stemLength)]))
		}
	}
}
