package digest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// turnLog is the body of a digest of a working session that code writes: an entry for each turn of the user's, with the request in the
// user's words, what was done, and what came of it. Which units an entry quotes is chosen for all entries at once, by what each says that
// nothing else does. A later digest reads the entries back.
type turnLog struct {
	turns  []turn
	base   string // the folder that the paths of all units are in, with a slash at its end; "" if there is none
	chosen *extract.Extract
	units  []place  // of the items of chosen
	tidied []string // what was asked in the turns, as Tidy has it
	room   []byte   // the room of entries
}

// newLog makes the log of messages. prior has the sections of the digest before, and known are texts that the reader has anyway.
func newLog(t *transcript.Transcript, messages []int32, l *Ledger, prior [sections]string, known []string) *turnLog {
	k := &turnLog{}
	asked := askedIn(t, messages)
	k.inherit(asked, l, prior)
	next := 1
	if n := len(k.turns); n > 0 {
		next = k.turns[n-1].number + 1
	}
	read := turnsOf(t, messages, asked, next)
	if n := len(k.turns); n > 0 { // the first turn of messages goes on where the digest before has ended
		last := &k.turns[n-1]
		last.units = append(last.units, read.turns[0].units...)
		if len(read.turns) > 1 {
			last.contested = contests(read.turns[1].asked)
		}
		read.turns = read.turns[1:]
	} else if len(read.turns[0].units) == 0 {
		read.turns = read.turns[1:]
	}
	k.turns = append(k.turns, read.turns...)
	k.shorten()
	n := 0
	for i := range k.turns {
		n += len(k.turns[i].units)
	}
	items := make([]extract.Item, 0, n)
	k.units = make([]place, 0, n)
	known = slices.Grow(known, len(k.turns))
	for i := range k.turns {
		known = append(known, k.turns[i].asked)
		for n, u := range k.turns[i].units {
			if u.factor != isDropped {
				items = append(items, extract.Item{Text: u.text, Factor: k.aged(u.factor, i), Whole: true})
				k.units = append(k.units, place{i, n})
			}
		}
	}
	k.chosen = extract.New(items, known)
	return k
}

// aged is a factor of a unit of a turn: from four fifths of it in the oldest turn to six fifths in the newest.
func (k *turnLog) aged(factor, turn int) int {
	return max(1, factor*(820+410*turn/max(len(k.turns)-1, 1))/1024)
}

// inherit takes over the entries of the digest before, or the requests that the ledger has of it; asked are those since then.
func (k *turnLog) inherit(asked []string, l *Ledger, prior [sections]string) {
	k.turns, k.base = readLog(prior[logged])
	k.unclip(l)
	var before turn
	for _, i := range sessionLayout.order {
		if i == logged {
			continue
		}
		heading := strings.TrimLeft(sessionLayout.headings[i], "# ")
		proseUnits(withoutTerms(prior[i]), func(lead, text string, item int) {
			if lead == "" {
				lead = heading
			}
			u := unit{kind: oldUnit, message: -1, lead: lead, text: text, item: item, factor: ofOldLine}
			if passes(lead) {
				u.factor = ofOldLine / 4
			}
			before.units = append(before.units, u)
		})
	}
	if len(k.turns) == 0 {
		var requests []string
		if l.Task != "" {
			requests = append(requests, l.Task)
		}
		requests = append(requests, l.Requests...)
		fresh := 0
		for _, text := range asked {
			if text != "" {
				fresh++
			}
		}
		for n, r := range requests[:max(0, len(requests)-fresh)] {
			k.turns = append(k.turns, turn{number: n + 1, asked: r})
		}
	}
	if len(before.units) > 0 {
		k.turns = append([]turn{before}, k.turns...)
	}
}

// ahead is how many requests of the ledger are looked at for one of the log.
const ahead = 32

// unclip restores the whole text of a request from the ledger, of which an earlier digest had room for a part.
func (k *turnLog) unclip(l *Ledger) {
	requests := append([]string{l.Task}, l.Requests...)
	for i := range k.turns {
		head, _, clipped := strings.Cut(k.turns[i].asked, clippedMark)
		if head = strings.TrimRight(head, " \n"); !clipped || head == "" {
			continue
		}
		for n, r := range requests[:min(ahead, len(requests))] {
			if strings.HasPrefix(Fence(Tidy(r)), head) {
				k.turns[i].asked, requests = r, requests[n+1:]
				break
			}
		}
	}
}

// clippedMark represents what is left out of a request.
const clippedMark = "[…]"

// passing are words of headings under which a digest has what was next when it was written: it is most likely done since.
var passing = strings.Fields("next current progress active plan todo pending remaining nächste aktuell próximo actual prochain suivant 下一步 当前 次の 現在 다음 현재 следующ текущ")

func passes(heading string) bool {
	heading = strings.ToLower(heading)
	for _, word := range passing {
		if strings.Contains(heading, word) {
			return true
		}
	}
	return false
}

// leastBase is how long a folder must be, in bytes, to be named once instead of in each unit.
const leastBase = 12

// leastFiles is how many times files must be named for that.
const leastFiles = 3

// shorten takes the folder off paths that all files are in that were changed or read. Where the digest before has named one, its entries
// are relative to that.
func (k *turnLog) shorten() {
	if k.base == "" {
		k.base = k.commonFolder()
	}
	if k.base == "" {
		return
	}
	for i := range k.turns {
		for n := range k.turns[i].units {
			switch u := &k.turns[i].units[n]; u.kind {
			case changeUnit:
				if rest, found := strings.CutPrefix(u.source, k.base); found {
					u.text = strings.Replace(u.text, Fence(u.source), Fence(rest), 1)
					u.source = rest
				}
			case noteUnit:
				u.source = strings.TrimPrefix(u.source, k.base)
			case readUnit, ranUnit, toldUnit:
				u.text = strings.ReplaceAll(u.text, k.base, "")
			}
		}
	}
}

// commonFolder is the folder that all files are in that have an absolute path, with a slash at its end; "" if it is not worth naming.
func (k *turnLog) commonFolder() string {
	base, files := "", 0
	for i := range k.turns {
		for n := range k.turns[i].units {
			u := &k.turns[i].units[n]
			if u.kind != changeUnit && u.kind != noteUnit || u.source == "" || u.source[0] != '/' {
				continue
			}
			if files++; files == 1 {
				base = u.source
			}
			for !strings.HasPrefix(u.source, base) || !strings.HasSuffix(base, "/") {
				base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
				if len(base) < leastBase {
					return ""
				}
			}
		}
	}
	if files < leastFiles {
		return ""
	}
	return base
}

// requestShare is what the user's words may take of a log, in percent.
const requestShare = 60

// How long requests are shown in any case, in bytes: the first and the newest, and the others.
const (
	newestRequests = 10
	leastNewest    = 540
	leastRequest   = 60
)

// write is the log in at most size bytes, and spare more if requests need them; "" if that is too little for any.
func (k *turnLog) write(size, spare int) string {
	for share := requestShare; share > 0; share /= 2 {
		asked := k.requests(size*share/100 + spare)
		used := 0
		for _, s := range asked {
			if s != "" {
				used += len(s) + requestFrame
			}
		}
		room := size + min(spare, max(0, used-size*share/100))
		if text := k.filled(k.heads(asked), room, room-used); text != "" {
			return text
		}
	}
	return ""
}

// requestFrame is about what the line of a request has besides it, in bytes.
const requestFrame = len("[100] user: \n")

// logTries is how often a log is written until it has nearly the size that it may have.
const logTries = 5

// filled is the longest log of a few tries in at most room bytes; budget is what is first given to units.
func (k *turnLog) filled(heads []string, room, budget int) (best string) {
	for range logTries {
		k.room = k.entries(k.room[:0], heads, k.chosen.Choose(max(0, budget)))
		over := len(k.room) - room
		if over <= 0 && len(k.room) > len(best) {
			best = string(k.room)
		}
		if over <= 0 && over > -room/20 || over > 0 && budget <= 0 {
			break
		}
		budget -= over + over/8
		if over <= 0 && budget > 2*room { // there is no more to say
			break
		}
	}
	return best
}

// requests are the requests of all turns as the log shows them, in about size bytes together: all of them whole, or the longest cut to what
// there is room for. Where there are too many, the oldest but the first are left out.
func (k *turnLog) requests(size int) []string {
	if k.tidied == nil {
		k.tidied = make([]string, len(k.turns))
		for i := range k.turns {
			k.tidied[i] = Tidy(k.turns[i].asked)
		}
	}
	out := make([]string, len(k.turns))
	first := slices.IndexFunc(k.turns, func(t turn) bool { return t.asked != "" })
	newest := len(k.turns)
	for n := 0; newest > 0 && n < newestRequests; newest-- {
		if k.turns[newest-1].asked != "" {
			n++
		}
	}
	least := min(leastNewest, size/(newestRequests-2)) // of the first and the newest
	room := func(i, most int) int {                    // of a request, where the others have most
		if i == first || i >= newest {
			return max(most, least)
		}
		return most
	}
	lengths := make([]int, len(k.turns))
	for i := range k.turns {
		lengths[i] = len(k.turns[i].asked)
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
	low, high := leastRequest, maxRequest
	for low < high {
		if mid := (low + high + 1) / 2; sum(mid) <= size {
			low = mid
		} else {
			high = mid - 1
		}
	}
	left := size
	if first >= 0 {
		s := clipRequest(k.tidied[first], room(first, low))
		if left -= len(s) + requestFrame; left >= 0 {
			out[first] = s
		}
	}
	for i := len(k.turns) - 1; i > first && i >= 0; i-- {
		if k.turns[i].asked == "" {
			continue
		}
		s := clipRequest(k.tidied[i], room(i, low))
		if left -= len(s) + requestFrame; left < 0 {
			break
		}
		out[i] = s
	}
	return out
}

// How long a request of many lines may be, in bytes: most of these were pasted. What is left out of it is told by its lines of trouble.
const (
	manyLines   = 12
	mostPasted  = 900
	toldTrouble = 200
)

// clipRequest shortens a request that is tidy to at most about most bytes, at lines or words: two thirds from its beginning, the rest from its end. Of one
// that was pasted the end has most of it: what the user says of it is there.
func clipRequest(text string, most int) string {
	pasted := strings.Count(text, "\n") > manyLines
	if pasted {
		most = min(most, mostPasted)
	}
	if len(text) <= most {
		return text
	}
	first := most * 2 / 3
	if pasted {
		first = most * 2 / 5
	}
	head := trimRune(text[:first])
	if n := strings.LastIndexAny(head, "\n "); n > len(head)/2 {
		head = head[:n]
	}
	tail := strings.ToValidUTF8(text[len(text)-max(0, most-first-len(" […] ")):], "")
	if n := strings.IndexAny(tail, "\n "); n >= 0 && n < len(tail)/2 {
		tail = tail[n+1:]
	}
	middle := " […] "
	if pasted && most == mostPasted {
		if trouble := troublesIn(plainText(text[len(head):len(text)-len(tail)]), toldTrouble); trouble != "" {
			middle = "\n[…]\n" + trouble + "[…]\n"
		}
	}
	return strings.TrimRight(head, " \n") + middle + strings.TrimLeft(tail, " \n")
}

// The parts of an entry.
const (
	askedLabel     = "user: "
	entryBullet    = "  - "
	requestIndent  = "    "
	saidLabel      = "assistant: "
	answerLabel    = "answer: "
	contestedLabel = "answer, which the user's next message rejects: "
	readLabel      = "looked at: "
	thoughtLabel   = "assistant's thoughts: "
	startHead      = "what was under way already:"
	oldHead        = "earlier digest, written before all that follows:"
	basePrefix     = "Files that were read or changed are named relative to "
)

// heads are the lines of requests with which entries begin; "" where there is none.
func (k *turnLog) heads(asked []string) []string {
	heads := make([]string, len(asked))
	for i, text := range asked {
		if text != "" {
			heads[i] = "[" + itoa(k.turns[i].number) + "] " + askedLabel + Fence(strings.ReplaceAll(text, "\n", "\n"+requestIndent)) + "\n"
		}
	}
	return heads
}

// entries appends the entries with what was chosen of them to b. An entry of which nothing is left is left out.
func (k *turnLog) entries(b []byte, heads []string, chosen []extract.Chosen) []byte {
	if k.base != "" {
		b = append(append(append(b, basePrefix...), Fence(k.base)...), '\n')
	}
	next := 0
	for i := range k.turns {
		from := next
		for next < len(chosen) && k.units[chosen[next].Item].turn == i {
			next++
		}
		switch t := &k.turns[i]; {
		case heads[i] != "":
			b = append(b, heads[i]...)
		case from == next:
			continue
		case t.units[0].kind == oldUnit:
			b = append(b, "["+itoa(t.number)+"] "+oldHead+"\n"...)
		case i == 0:
			b = append(b, "["+itoa(t.number)+"] "+startHead+"\n"...)
		default:
			b = append(b, "["+itoa(t.number)+"]\n"...)
		}
		b = k.entry(b, &k.turns[i], chosen[from:next])
	}
	return bytes.TrimSuffix(b, []byte("\n"))
}

// beyond are the units that say most of what is not known, each on a line, in at most about size bytes.
func (k *turnLog) beyond(size int) string {
	var b strings.Builder
	for _, c := range k.chosen.Choose(size * 4 / 5) {
		at := k.units[c.Item]
		t := &k.turns[at.turn]
		u := &t.units[at.unit]
		line := plainBullet + k.label(t, u) + introOf(u) + u.text + "\n"
		if b.Len()+len(line) <= size {
			b.WriteString(line)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// entry appends the units of an entry to b. What one message says is on one line; so is what was done to one file.
func (k *turnLog) entry(b []byte, t *turn, chosen []extract.Chosen) []byte {
	var last *unit
	for _, c := range chosen {
		u := &t.units[k.units[c.Item].unit]
		same := last != nil && last.kind == u.kind && last.message == u.message && u.source == last.source && u.kind.isProse() && (u.message >= 0 || u.lead == last.lead)
		switch {
		case last != nil && u.kind == readUnit && last.kind == readUnit && u.message >= 0:
			b = append(b, "; "...)
		case same && u.lead == last.lead && u.item > last.item+1 && last.item > 0:
			b = append(b, "; … "...)
		case same && u.lead == last.lead:
			b = append(b, joinOf(last.text)...)
		case same:
			b = append(append(b, joinOf(last.text)...), introOf(u)...)
		default:
			if last != nil {
				b = append(b, '\n')
			}
			b = append(append(append(b, entryBullet...), k.label(t, u)...), introOf(u)...)
		}
		b = append(b, u.text...)
		last = u
	}
	if last != nil {
		b = append(b, '\n')
	}
	return b
}

// isProse reports whether units of a kind are sentences, of which a line may have several.
func (k unitKind) isProse() bool {
	switch k {
	case saidUnit, answerUnit, thoughtUnit, toldUnit, noteUnit, oldUnit:
		return true
	}
	return false
}

// joinOf is what is between two units on one line.
func joinOf(text string) string {
	if endsSentence(text) {
		return " "
	}
	return "; "
}

// introOf is what precedes a unit that something introduces.
func introOf(u *unit) string {
	if u.lead == "" {
		return ""
	}
	return Fence(u.lead) + ": "
}

// label says who says a unit.
func (k *turnLog) label(t *turn, u *unit) string {
	switch u.kind {
	case saidUnit:
		return saidLabel
	case answerUnit:
		if t.contested {
			return contestedLabel
		}
		return answerLabel
	case readUnit:
		return readLabel
	case thoughtUnit:
		return thoughtLabel
	case toldUnit:
		return u.source + " returned: "
	case noteUnit:
		return "comments in " + Fence(u.source) + ": "
	}
	return ""
}

// readLog reads entries back. Each line of one is a unit again.
func readLog(text string) (turns []turn, base string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, found := strings.CutPrefix(line, basePrefix); found && len(turns) == 0 {
			base = rest
			continue
		}
		if number, rest, ok := entryHead(line); ok {
			asked, _ := strings.CutPrefix(rest, askedLabel)
			if rest == oldHead || rest == startHead {
				asked = ""
			}
			turns = append(turns, turn{number: number, asked: asked})
			continue
		}
		if len(turns) == 0 {
			continue
		}
		t := &turns[len(turns)-1]
		if rest, found := strings.CutPrefix(line, entryBullet); found {
			t.units = append(t.units, readUnits(t, rest)...)
		} else if rest, found := strings.CutPrefix(line, requestIndent); found && len(t.units) == 0 {
			t.asked += "\n" + rest
		}
	}
	return turns, base
}

// HasLog reports whether a text has a log of turns.
func HasLog(text string) bool { return strings.Contains(text, sessionLayout.headings[logged]+"\n") }

// readRequests reads the user's requests from the log of a digest into l, unless it has any, and makes its paths absolute.
func readRequests(text string, l *Ledger) {
	if !HasLog(text) {
		return
	}
	turns, base := readLog(splitSections(text)[logged])
	for _, t := range turns {
		for _, u := range t.units {
			if u.kind == readUnit {
				for path := range strings.SplitSeq(u.text, "; ") {
					path, _, _ = strings.Cut(path, " (defines ")
					l.Read = addPath(l.Read, inFolder(base, path))
				}
			}
		}
	}
	for i, path := range l.Modified {
		l.Modified[i] = inFolder(base, path)
	}
	if l.Task != "" || len(l.Requests) > 0 {
		return
	}
	for _, t := range turns {
		switch {
		case t.asked == "":
		case l.Task == "":
			l.Task = t.asked
		default:
			l.Requests = append(l.Requests, t.asked)
		}
	}
}

// entryHead takes the number off the first line of an entry.
func entryHead(line string) (number int, rest string, ok bool) {
	if !strings.HasPrefix(line, "[") {
		return 0, "", false
	}
	n := 1
	for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
		number = number*10 + int(line[n]-'0')
		n++
	}
	if n == 1 || n == len(line) || line[n] != ']' {
		return 0, "", false
	}
	rest = line[n+1:]
	if rest != "" && rest != " "+oldHead && rest != " "+startHead && !strings.HasPrefix(rest, " "+askedLabel) {
		return 0, "", false
	}
	return number, strings.TrimPrefix(rest, " "), true
}

// readUnits are the units of a line of an entry: one for each sentence of what was said, else the line.
func readUnits(t *turn, line string) (units []unit) {
	for _, row := range []struct {
		label string
		kind  unitKind
	}{{saidLabel, saidUnit}, {answerLabel, answerUnit}, {contestedLabel, answerUnit}, {thoughtLabel, thoughtUnit}, {readLabel, readUnit}} {
		rest, found := strings.CutPrefix(line, row.label)
		if !found {
			continue
		}
		t.contested = t.contested || row.label == contestedLabel
		if row.kind == readUnit {
			return []unit{{kind: readUnit, message: -1, text: rest, factor: ofReading}}
		}
		message := int32(len(t.units)) // those of one line stay on one
		for from, to := range extract.Sentences(rest) {
			s := rest[from:to]
			if len(units) > 0 && (pointsBack(s) || !endsSentence(units[len(units)-1].text)) && len(units[len(units)-1].text) < fullUnit {
				units[len(units)-1].text += " " + s
				continue
			}
			units = append(units, unit{kind: row.kind, message: message, text: s, factor: ofOldLine})
		}
		return units
	}
	kind, source := ranUnit, ""
	if len(t.units) == 0 && t.asked == "" || len(t.units) > 0 && t.units[0].kind == oldUnit {
		kind = oldUnit
	}
	for _, verb := range []string{editedVerb, wroteVerb} {
		if rest, found := strings.CutPrefix(line, verb); found {
			kind = changeUnit
			source, _, _ = strings.Cut(rest, ": ")
		}
	}
	return []unit{{kind: kind, message: -1, source: source, text: line, factor: ofOldLine * 3 / 4}}
}

// filesWith are paths of files, each with the entries that tell how it was changed. They are relative to the folder of the log if all are
// absolute.
func (k *turnLog) filesWith(paths []string) []string {
	var events critbit.Map[string]
	add := func(path, verb string, i int) {
		said := events.At(path)
		if event := verb + " in [" + itoa(k.turns[i].number) + "]"; !strings.HasSuffix(*said, event) && len(*said) < mostEvents {
			*said = strings.TrimPrefix(*said+", "+event, ", ")
		}
	}
	for i := range k.turns {
		for _, path := range k.turns[i].touched {
			add(path, "changed", i)
		}
		for n := range k.turns[i].units {
			if u := &k.turns[i].units[n]; u.kind == changeUnit && u.source != "" {
				verb, _, _ := strings.Cut(u.text, " ")
				path := u.source
				if path[0] != '/' {
					path = k.base + path
				}
				add(path, verb, i)
			}
		}
	}
	short := k.base != "" && !slices.ContainsFunc(paths, func(path string) bool { return path == "" || path[0] != '/' })
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = path
		if short {
			out[i] = strings.TrimPrefix(path, k.base)
		}
		if said, _ := events.Get(path); said != "" {
			out[i] += eventsMark + said
		}
	}
	return out
}

// mostEvents is how much is said of what was done to one file, in bytes.
const mostEvents = 32

// eventsMark is between a file and what was done to it.
const eventsMark = " — "
