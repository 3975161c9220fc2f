package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/extract"
)

// requestShare is the percentage of a log that the user's requests may take up.
const requestShare = 60

// wholeShare is the larger percentage that the requests may take up if this makes room for wholeRequest bytes of
// each.
const (
	wholeShare   = 75
	wholeRequest = 400
)

// wholeNeed returns the number of bytes that the requests take up if each is clipped to wholeRequest bytes.
func (k *turnLog) wholeNeed() (sum int) {
	for i := range k.turns {
		if n := len(k.turns[i].request); n > 0 {
			sum += min(n, wholeRequest) + requestFrame
		}
	}
	return sum
}

// newestRequests is the number of newest requests that get more room than the others. leastNewest
// is the length, in bytes, that the first and the newest requests get at least, and leastRequest
// that of all others.
const (
	newestRequests = 10
	leastNewest    = 540
	leastRequest   = 40
)

// requestFrame is the approximate length, in bytes, of the rest of a request's line.
const requestFrame = len("[100] user: \n")

// requests returns the requests of all turns for the log, in about size bytes altogether. If they don't all fit, the
// longest ones are clipped. If there are too many even for that, it returns the first and the newest requests, and only
// those sentences of the others that add something. used is the size of the result in bytes.
func (k *turnLog) requests(size int) (out []string, used int) {
	if k.tidied == nil {
		k.tidied, k.brief = make([]string, len(k.turns)), make([]string, len(k.turns))
		for i := range k.turns {
			k.tidied[i] = Tidy(k.turns[i].request)
		}
	}
	out = make([]string, len(k.turns))
	first := slices.IndexFunc(k.turns, func(t turn) bool { return t.request != "" })
	newest := len(k.turns)
	for n := 0; newest > 0 && n < newestRequests; newest-- {
		if k.turns[newest-1].request != "" {
			n++
		}
	}
	least := min(leastNewest, size/(newestRequests-2)) // for the first and the newest requests
	room := func(i, most int) int {                    // returns the room for request i if older requests get most bytes each
		if i == first || i >= newest {
			return max(most, least)
		}
		return most
	}
	lengths := make([]int, len(k.turns))
	for i := range k.turns {
		lengths[i] = len(k.turns[i].request)
	}
	sum := func(most int) (sum int) {
		for i, n := range lengths {
			if n == 0 {
				continue
			}
			if n > most {
				n = min(n, room(i, most))
			}
			sum += n + requestFrame
		}
		return sum
	}
	recent := newest
	if k.short = false; sum(leastRequest) > size {
		if out, used := k.briefly(size*wholeShare/requestShare, first); out != nil {
			k.short = true
			return out, used
		}
		// The newest third must not displace all the others.
		newest = max(newest, len(k.turns)-max(1, len(k.turns)/3))
	}
	low := largest(leastRequest, maxRequest, func(most int) bool { return sum(most) <= size })
	left := size
	if first >= 0 {
		s := clipRequest(k.tidied[first], room(first, low))
		if left -= len(s) + requestFrame; left >= 0 {
			out[first] = s
		}
	}
	for i := len(k.turns) - 1; i > first && i >= 0; i-- {
		if i < newest && low < leastWhole {
			k.terselyBut(out, first+1, recent, newest, left)
			break
		}
		if k.turns[i].request == "" {
			continue
		}
		s := clipRequest(k.tidied[i], room(i, low))
		if left -= len(s) + requestFrame; left < 0 {
			break
		}
		out[i] = s
	}
	for _, s := range out {
		if s != "" {
			used += len(s) + requestFrame
		}
	}
	return out, used
}

// largest returns the largest number in [low, high] for which fits returns true, or low if there is none.
func largest(low, high int, fits func(n int) bool) int {
	for low < high {
		if mid := (low + high + 1) / 2; fits(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// terselyBut is like tersely for the turns in [from, to), but keeps requests of at most leastRequest bytes from index
// recent on. Answers such as "yes" and "the second one" record a decision in a few bytes. size is the room in bytes,
// and out has the requests of all turns.
func (k *turnLog) terselyBut(out []string, from, recent, to, size int) {
	short := func(i int) bool { return k.tidied[i] != "" && len(k.tidied[i]) <= leastRequest }
	for i := max(from, recent); i < to; i++ {
		if short(i) {
			size -= len(k.tidied[i]) + requestFrame
		}
	}
	k.tersely(out, from, to, max(0, size))
	for i := max(from, recent); i < to; i++ {
		if short(i) {
			out[i] = k.tidied[i]
		}
	}
}

// least returns the request of turn i, in at most leastRequest bytes.
func (k *turnLog) least(i int) string {
	if k.brief[i] == "" {
		k.brief[i] = clipRequest(k.tidied[i], leastRequest)
	}
	return k.brief[i]
}

// leastTail is the minimum length, in bytes, of the end of a clipped request. A shorter end says nothing.
const leastTail = 8

// Limits for requests that consist mostly of pasted lines: the number of line breaks that such a request exceeds, its
// maximum length in bytes, and the room for error lines from the omitted part.
const (
	manyLines   = 12
	mostPasted  = 640
	toldTrouble = 200
)

// clipRequest shortens a request to about most bytes, at the end of a line or between words. The
// request must be tidied. Two thirds of the result come from the beginning of the request, and the
// rest from its end. For a pasted request, most of the room goes to the end, where the user's
// comment is. A plan with one step per line keeps its lines, but each is shortened.
func clipRequest(text string, most int) string {
	pasted := strings.Count(text, "\n") > manyLines
	if pasted && isOutline(text) {
		if len(text) <= min(most, mostPlan) {
			return text
		}
		for _, clip := range []func(text string, most int) string{clipOutline, clipParts} {
			if plan := clip(text, min(most, mostPlan)); plan != "" {
				return plan
			}
		}
	}
	if pasted {
		most = min(most, mostPasted)
	}
	if len(text) <= most {
		return text
	}
	spoken := isSpoken(text)
	if spoken {
		if said := clipSentences(text, most); said != "" {
			return said
		}
	}
	first := most * 2 / 3
	if pasted {
		first = most * 2 / 5
	}
	head := beginningOf(text, first)
	from := len(text) - max(0, most-first-len(" […] "))
	tail := strings.ToValidUTF8(text[from:], "")
	inside := from > 0 && from < len(text) && byteClass[text[from-1]]&byteClass[text[from]]&(small|digit) != 0 // the cut is inside a word
	if n := strings.IndexAny(tail, "\n "); n >= 0 && (inside || n < len(tail)/2) {
		tail = tail[n+1:]
	} else if inside { // the end of a word
		tail = ""
	}
	if spoken {
		tail = wholeClause(text, len(text)-len(tail))
	}
	if len(tail) < leastTail {
		tail = ""
	}
	if tail == "" && spoken {
		head = beginningOf(text, max(0, most-len(" […]")))
	}
	if at := strings.LastIndex(text[:from], pastedOpen); at >= 0 && !strings.Contains(text[at:from], pastedEnd+"\n") {
		// Without a line break, both ends of the pasted text would read as a single sentence.
		_, tail, _ = strings.Cut(tail, pastedEnd+"\n")
	}
	if strings.Trim(tail, "`~ \n") == "" || pasted && mostlyCode(tail) { // the end contains no words of the user
		tail = ""
	}
	middle, removed := " […] ", text[len(head):len(text)-len(tail)]
	switch { // without a separator, two lines, such as list items, would read as one
	case strings.HasSuffix(removed, "\n"):
		middle = " […]\n"
	case strings.Contains(removed, "\n"):
		middle = " […]\n[…] "
	}
	if pasted && most == mostPasted {
		if trouble := troublesIn(plainText(removed), toldTrouble); trouble != "" {
			middle = "\n[…]\n" + trouble + "[…]\n"
		}
	}
	if tail == "" {
		head = withoutOpenWords(head)
	}
	return strings.TrimRight(strings.TrimRight(head, " \n")+middle+strings.TrimLeft(tail, " \n"), " \n")
}

// openWords lists words that mean nothing without the next one.
var openWords = wordListOf("with the a an to of and or for in on at by from into that which your my our this if as " +
	"mit der die das den dem ein eine zu von und oder für im auf avec le la les un une de des du et ou pour con el los las y para por")

// withoutOpenWords returns the beginning of a text without words at its end that mean nothing without the next one:
// "Yes, please proceed with the".
func withoutOpenWords(head string) string {
	for {
		head = strings.TrimRight(head, " \n")
		at := strings.LastIndexAny(head, " \n")
		if at < 0 || !openWords.hasInAnyCase(head[at+1:]) {
			return head
		}
		head = head[:at]
	}
}

// beginningOf returns the beginning of a request in at most size bytes. It consists of whole sentences if these fill
// two thirds of the room, and of whole words otherwise.
func beginningOf(text string, size int) string {
	head := trimRune(text[:min(len(text), size)])
	for end := len(head); end > len(head)*2/3; end-- {
		if endsWhole(head, end) {
			return head[:end]
		}
	}
	if n := strings.LastIndexAny(head, "\n "); n > len(head)/2 {
		head = head[:n]
	}
	return head
}

// endsWhole reports whether a sentence or a paragraph of text ends at offset end, and more text follows.
func endsWhole(text string, end int) bool {
	switch c := text[end-1]; {
	case c >= utf8.RuneSelf && endsWithAny(text[:end], "。", "？", "！"):
		return true
	case c == '.', c == '?', c == '!':
		return end < len(text) && (text[end] == ' ' || text[end] == '\n')
	}
	return strings.HasPrefix(text[end:], "\n\n")
}

// mostlyCode reports whether most lines of text are code or part of a diff.
func mostlyCode(text string) bool {
	code, lines := 0, 0
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \r\n"); line == "" {
			continue
		}
		if lines++; line[0] == '+' || line[0] == ' ' || line[0] == '\t' || strings.ContainsRune("{}()[];", rune(line[len(line)-1])) || codes(line) {
			code++
		}
	}
	return code*3 > lines*2
}

// questionOpen and questionEnd enclose the question that a request answers, if no earlier entry contains it.
const (
	questionOpen = " (asked before: “"
	questionEnd  = "”)"
	// unknownQuestion follows an answer at the beginning of the record if the record doesn't include its question.
	unknownQuestion = " (answers what was said before this record)"
)

// has reports whether the last of the chosen units include the given question or option.
func (k *turnLog) has(chosen []extract.Chosen, question *unit) bool {
	for n := len(chosen) - 1; n >= 0; n-- {
		at := k.units[chosen[n].Item]
		switch u := &k.turns[at.turn].units[at.unit]; {
		case u.message != question.message:
			return false
		case u.text == question.text:
			return true
		}
	}
	return false
}

// lastQuestion returns the last question in text or else its beginning, fenced and cut to mostLead bytes.
func lastQuestion(text string) string {
	last := text
	for from, to := range extract.Sentences(text) {
		if hasQuestionMark(text[from:to]) {
			last = strings.TrimSpace(text[from:to])
		}
	}
	return Fence(clipWords(last, mostLead))
}
