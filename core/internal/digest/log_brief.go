package digest

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Some sessions consist of so many short requests that not even the beginnings of all of them fit into the log. Then
// each request is cut to a few words. Knowing the topic of every turn helps the reader more than knowing some requests
// in full and nothing about the others.

// The minimum lengths of such requests in bytes, for scripts with and without spaces, and the maximum average length of
// the original requests in characters. If the requests are longer, whole sentences are chosen instead.
const (
	leastBrief    = 30
	leastBriefHan = 18
	mostBriefly   = 60
)

// ownWords is the minimum number of distinctive words of a request that gets three times the room
// of the others, because it says more than its topic. A word is distinctive if at most one other
// request contains it.
const ownWords = 4

// briefJoin separates an entry from the previous one on the same line. briefFrame is the length, in bytes, of the text
// before a request on such a line.
const (
	briefJoin  = " / "
	briefFrame = len(briefJoin + "[100] ")
)

// briefMark replaces what was cut from the beginning or the end of such a request.
const briefMark = "…"

// briefRequests is what briefly needs to know about the requests at any size. lengths are their
// lengths in bytes (0 for small talk), or nil if they are too long to be cut, and least is the
// minimum length to which they may be cut. own[i] means that request i has at least ownWords words
// of its own.
type briefRequests struct {
	lengths []int
	least   int
	own     []bool
}

// briefOnes returns what briefly needs to know about the requests. It is computed once.
func (k *turnLog) briefOnes() *briefRequests {
	if k.briefs == nil {
		k.briefs = &briefRequests{}
		b := k.briefs
		if b.lengths, b.least = k.briefLengths(); b.lengths != nil {
			b.own = make([]bool, len(k.turns))
			for i, text := range k.tidied {
				b.own[i] = b.lengths[i] > b.least && k.termsOfRequests().Rare(text, 2) >= ownWords
			}
		}
	}
	return k.briefs
}

// briefly returns the requests of all turns, cut to the same length so that they take up at most about size bytes, or
// nil if they would become too short or are too long for that. Small talk is "". The request with index first and the
// newest requests may be twice as long as the others, and those with words of their own three times as long. used is
// the total size, in bytes, of the returned requests and of the text before each of them.
func (k *turnLog) briefly(size, first int) (out []string, used int) {
	ones := k.briefOnes()
	lengths, least := ones.lengths, ones.least
	if lengths == nil {
		return nil, 0
	}
	room := func(i, most int) int {
		switch {
		case ones.own[i]:
			return 3 * most
		case i == first || i >= len(k.turns)-newestAnswers:
			return 2 * most
		}
		return most
	}
	most := largest(0, leastRequest, func(most int) bool {
		sum := 0
		for i, n := range lengths {
			if n > 0 {
				sum += min(n, room(i, most)) + briefFrame
			}
		}
		return sum <= size
	})
	if most < least {
		return nil, 0
	}
	out = make([]string, len(k.turns))
	for i, n := range lengths {
		if n > 0 {
			out[i] = k.clipBriefly(k.tidied[i], room(i, most))
			used += len(out[i]) + briefFrame
		}
	}
	return out, used
}

// briefLengths returns the lengths of the requests in bytes (0 for small talk), and the minimum length to which they
// may be cut. It returns nil if the requests are too long for this treatment. least is smaller for scripts whose
// characters are words.
func (k *turnLog) briefLengths() (lengths []int, least int) {
	all, turns, unspaced := 0, 0, 0
	lengths = make([]int, len(k.turns))
	for i, text := range k.tidied {
		if text == "" || k.isSmallTalk(i) {
			continue
		}
		lengths[i] = len(text)
		if all += utf8.RuneCountInString(text); all > mostBriefly*len(k.turns) {
			return nil, 0
		}
		turns++
		if unspacedText(text) {
			unspaced++
		}
	}
	switch {
	case all == 0 || all > mostBriefly*turns:
		return nil, 0
	case unspaced*2 > turns:
		return lengths, leastBriefHan
	}
	return lengths, leastBrief
}

// isSmallTalk reports whether the request of the turn with index i says nothing, and the turn ran no command.
func (k *turnLog) isSmallTalk(i int) bool {
	t := &k.turns[i]
	text := k.tidied[i]
	thanks := len(text) <= longestChatter && !hasQuestionMark(text) && hasAny(text, chatterSigns)
	return (thanks || isChatter(text)) && t.question.text == "" && !t.has(func(u *unit) bool { return u.kind == ranUnit })
}

// clipBriefly shortens a request to about most bytes, and keeps the words that best distinguish it from the others.
func (k *turnLog) clipBriefly(text string, most int) string {
	text = strings.ReplaceAll(text, "\n", " ")
	if len(text) <= most {
		return text
	}
	from, to := k.termsOfRequests().Gist(text, most-len(briefMark))
	said := text[from:to]
	if hasWords(text[:from]) {
		said = briefMark + said
	}
	if hasWords(text[to:]) {
		said += briefMark
	}
	return said
}

// joinEntry appends the entry that begins at byte start of b to the previous line, unless that line is long. The entry
// must consist only of a request. joinedTurns parses such a line.
func joinEntry(b []byte, start int) []byte {
	if start-bytes.LastIndexByte(b[:start-1], '\n') > wholeRequest {
		return b
	}
	entry := strings.Replace(string(b[start:]), requestLabel, "", 1)
	return append(append(b[:start-1], briefJoin...), entry...)
}

// joinedTurns appends the turns on a line to turns. number is the number of the first one, and asked the rest of the
// line.
func joinedTurns(turns []turn, number int, asked string) []turn {
	for at := 0; ; {
		n := strings.Index(asked[at:], briefJoin+"[")
		if n < 0 {
			return append(turns, turn{number: number, request: asked})
		}
		next, rest, ok := bracketed(asked[at+n+len(briefJoin):])
		if !ok || next <= number { // the user's own words
			at += n + len(briefJoin)
			continue
		}
		turns = append(turns, turn{number: number, request: asked[:at+n]})
		number, asked, at = next, strings.TrimPrefix(rest, " "), 0
	}
}
