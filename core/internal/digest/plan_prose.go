package digest

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
)

// An assistant without a tool for plans may write a plan as text: a line that announces the plan, and a list of steps.
// This file finds the newest such plan, and infers from the record which of its steps are done.

// planWords and planSigns list words, in lower case, that occur in lines before a list of steps.
var (
	planWords = wordListOf("plan steps todo todos roadmap schritte pasos étapes план шаги")
	planSigns = strings.Fields("计划 步骤 計画 手順 계획 단계")
)

// longestPlanLead is the maximum length, in bytes, of the line before a list of steps.
const longestPlanLead = 80

// stepsIn returns the steps of the last plan in text, or nil if there is none.
func stepsIn(text string) (steps []point) {
	var list []point
	led, indent := false, 0 // whether a line has announced a plan, and the indentation of its steps
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
		case led && list != nil && len(s) < len(line): // an indented line belongs to the last step
		default:
			end()
			led = leadsPlan(s)
		}
	}
	end()
	return steps[:min(len(steps), mostPoints)]
}

// step returns the point described by a list item. It is done if the text begins with a check mark, and otherwise open.
func step(said string) point {
	said = withoutBold(said)
	rest := strings.TrimLeft(said, "✅✓✔ ")
	if rest != said {
		return point{box: doneBox, text: clipWords(rest, mostPoint)}
	}
	return point{box: openBox, text: clipWords(said, mostPoint)}
}

// leadsPlan reports whether a line announces a plan: "Plan:", "## Next steps".
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

// planOf returns the plan of the session. If a tool keeps a plan, this is known. Otherwise it is
// written, the last plan that the assistant wrote as text, with the boxes checked whose steps the
// record shows to be done. A written plan is left out if no work has been done since, if all steps
// are done, or if the user has made two other requests since. If the messages contain no plan,
// known can be the plan of the previous digest.
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
		if t.from > p.message && !accepts(t.request) {
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

// withoutList drops the units of a message that list the steps of the plan, because the plan has its own section.
func (k *turnLog) withoutList(message int32) {
	for i := range k.turns {
		for n := range k.turns[i].units {
			if u := &k.turns[i].units[n]; u.message == message && message >= 0 && u.lead != "" && leadsPlan(u.lead+":") {
				u.factor = isDropped
			}
		}
	}
}

// marker infers which steps of a plan are done.
type marker struct {
	in   critbit.Map[uint64] // for each word, the set of steps that contain it
	need [mostPoints]int     // for each step, how many of its words a unit must contain
	done uint64              // the steps that are done, one bit for each
}

// newMarker returns a marker for steps. It ignores words that occur in most of the steps, because they don't
// distinguish one step from another.
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

// see marks the steps that a unit mentions as done if the unit reports completed work.
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

// mark checks the boxes of the steps that are done. all reports whether all steps are done.
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

// stemLength is the number of bytes of a word that are compared, so that "update" and "updated" count as equal.
// leastStem is the minimum length, in bytes, of a word that counts.
const (
	stemLength = 6
	leastStem  = 4
)

// eachStem calls see for each long word in text, with the beginning of the word in lower case.
func eachStem(text string, see func(stem string)) {
	for word := range strings.FieldsFuncSeq(lower(text), func(r rune) bool {
		return r < utf8.RuneSelf && byteClass[r]&(small|capital|digit) == 0 || r >= utf8.RuneSelf && !unicode.IsLetter(r)
	}) {
		if len(word) >= leastStem {
			see(trimRune(word[:min(len(word), stemLength)]))
		}
	}
}
