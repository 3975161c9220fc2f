package digest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A status says that all checks pass or that the work is complete, which is only true at that time. The section with
// the end state has the latest results, so statuses are omitted from all entries but the last.

// Word lists for statuses: their subjects, their states, and words that show that a sentence says more than a status.
var (
	statusSubjects = wordListOf("all build builds check checks ci everything hooks lint pipeline tests typecheck typescript")
	statusStates   = wordListOf("clean cleanly complete green pass passes passing production-ready ready success successful successfully succeeds works working")
	statusLimits   = wordListOf("because but except failed fails if must no not once that unless until when")
	// Each word in statusStates contains at least one of these substrings.
	stateSigns  = substringsOf("clean|complete|green|pass|ready|succe|work")
	statusSigns = strings.Fields("✅ ✔ ✓ 🎉 🎯 🚀 🏆")
)

// The number of words at the beginning of a status that may be its subject, and the number of words after the subject
// that may be the state: "Finally, the build now passes".
const (
	beforeSubject = 3
	beforeState   = 4
)

// dropStatuses removes statuses from the answers of all turns but the last. It removes them from the last turn too if a
// check still fails at the end of it.
func (k *turnLog) dropStatuses() {
	failing := slices.ContainsFunc(k.state.checks, func(c checkState) bool { return c.failed })
	for i := range k.turns {
		if i == len(k.turns)-1 && !failing {
			break
		}
		for n := range k.turns[i].units {
			u := &k.turns[i].units[n]
			if u.kind != answerUnit && u.kind != saidUnit || u.factor == isDropped {
				continue
			}
			if u.text = withoutStatuses(u.text); u.text == "" {
				u.factor = isDropped
			} else if u.lead != "" {
				u.lead = withoutStatuses(u.lead)
			}
		}
	}
}

// withoutStatuses returns an assistant's text without the parts that are only a status. It also removes list items that
// are introduced by nothing but a status, unless they name something.
func withoutStatuses(text string) string {
	if isASCII(text) && !stateSigns.inAnyCase(text) { // most texts
		return text
	}
	var kept strings.Builder
	kept.Grow(len(text))
	listed, intro := false, -1
	for part := range partsOf(text) {
		said := unsigned(part)
		switch listed = listed && !names(said) && !hasQuestionMark(said); {
		case listed:
		case isStatus(part):
			listed = strings.HasSuffix(said, ":")
		default:
			if intro = -1; strings.HasSuffix(said, ":") {
				intro = kept.Len()
			}
			kept.WriteString(beforeStatus(part))
		}
	}
	switch {
	case kept.Len() == len(text):
		return text
	case intro >= 0: // the whole list was removed, so remove its introduction too
		return strings.TrimRight(kept.String()[:intro], " ;")
	}
	return strings.TrimRight(kept.String(), " ;")
}

// partsOf yields the sentences and list items of text, each with the separator after it. It doesn't split inside
// code spans.
func partsOf(text string) func(yield func(part string) bool) {
	return func(yield func(part string) bool) {
		from, quoted := 0, false
		for at := 0; at < len(text); at++ {
			if text[at] == '`' {
				quoted = !quoted
			}
			if quoted || text[at] != ' ' || at == from {
				continue
			}
			if byteClass[text[at-1]]&(small|capital|digit) != 0 && (at+1 == len(text) || text[at+1] < utf8.RuneSelf) { // most spaces
				continue
			}
			if !divided(text[from:at], text[at+1:]) {
				continue
			}
			if !yield(text[from : at+1]) {
				return
			}
			from = at + 1
		}
		if from < len(text) {
			yield(text[from:])
		}
	}
}

// divided reports whether a part of a text ends where rest begins. A space separates the two.
func divided(part, rest string) bool {
	if part == "" {
		return false
	}
	switch part[len(part)-1] {
	case ';', '!', '?':
		return true
	case '.':
		return strings.Trim(part, "0123456789.") != "" // the dot doesn't belong to the number of an item
	case ':':
		return signed(rest) || isStatus(part)
	}
	return signed(rest) && unsigned(part) != ""
}

// signed reports whether text begins with a sign of success, such as a checkmark, followed by other text.
func signed(text string) bool {
	return text != "" && text[0] >= utf8.RuneSelf && slices.ContainsFunc(statusSigns, func(s string) bool {
		rest, found := strings.CutPrefix(text, s)
		return found && strings.HasPrefix(rest, " ")
	})
}

// unsigned returns a part of text without its item number, signs of success, and the separator at its end.
func unsigned(part string) string {
	part = strings.TrimRight(part, " ;")
	if rest := strings.TrimLeft(part, "0123456789"); strings.HasPrefix(rest, ". ") {
		part = rest[2:]
	}
	if isASCII(part) {
		return strings.TrimSpace(part)
	}
	for _, s := range statusSigns {
		part = strings.TrimSpace(strings.ReplaceAll(part, s, ""))
	}
	return part
}

// isStatus reports whether a part of text only says that checks pass or that the work is complete.
func isStatus(part string) bool {
	if len(part) > longestPrediction || hasQuestionMark(part) || strings.ContainsAny(part, "`/_") {
		return false
	}
	said := unsigned(part)
	low := lower(said)
	if !stateSigns.in(low) {
		return false
	}
	if head, _, found := cutDash(said); found && isStatus(head) {
		return true
	}
	words := strings.Fields(low)
	praises := strings.HasSuffix(said, "!")
	for i, w := range words {
		words[i] = strings.Trim(w, ".,!:;()*\"")
		if i < len(words)-1 && statusLimits.has(words[i]) {
			return false
		}
	}
	praises = praises || hasAny(part, statusSigns)
	return ofChecks(words) || (praises && !names(said) || slices.Contains(words, "production-ready")) && slices.ContainsFunc(words, statusStates.has)
}

// ofChecks reports whether words begin with the result of checks or of everything, as in "the build now passes" or
// "passes all checks".
func ofChecks(words []string) bool {
	for i, w := range words[:min(len(words), beforeSubject)] {
		after := words[i+1 : min(len(words), i+1+beforeState)]
		if statusSubjects.has(w) && slices.ContainsFunc(after, statusStates.has) || i == 0 && statusStates.has(w) && slices.ContainsFunc(after, statusSubjects.has) {
			return true
		}
	}
	return false
}

// beforeStatus returns a part of text without a status that follows a dash: "Pushed - all hooks pass".
func beforeStatus(part string) string {
	if head, tail, found := cutDash(part); found && isStatus(tail) {
		return head + part[len(strings.TrimRight(part, " ;.")):]
	}
	return part
}

var dashes = substringsOf(" - | – | — ")

// cutDash splits text at the first dash with spaces around it. If there is none, head is the whole text, and found is
// false.
func cutDash(text string) (head, tail string, found bool) {
	if !dashes.in(text) {
		return text, "", false
	}
	for _, dash := range dashes.list {
		if head, tail, found = strings.Cut(text, dash); found {
			return head, tail, true
		}
	}
	return text, "", false
}
