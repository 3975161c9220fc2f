package digest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// turnLog is the main part of a digest of a working session that code writes. It has one entry for each user turn, with
// the request in the user's words, the work done and the outcome. The units to quote are chosen for all entries
// together, by how much each adds to the others. A later digest parses the entries again.
type turnLog struct {
	turns  []turn         // the entries, oldest first
	base   string         // the common folder of all paths in the units, with a trailing slash; "" if there is none
	items  []extract.Item // the units and passages to choose from
	known  *words.StemSet // the words of texts that the reader of the log sees anyway
	units  []place        // the unit of each item; the last ones are those of passages, whose turn is len(turns)
	quotes []fileQuote    // the passages that may be quoted
	// passages are the passages of files that can be quoted if there is room. They include quotes.
	passages     []fileQuote
	read         func() (quotes, all []fileQuote) // finds quotes and passages; nil after they have been found
	chosen       [2]*extract.Extract              // extracts of the units alone, and of the units and the passages together
	filling      *extract.Extract                 // an extract of the passages alone; nil until it is needed
	showing      bool                             // whether there is room for passages
	tidied       []string                         // the requests of the turns, as Tidy returns them
	brief        []string                         // the same requests, clipped to leastRequest bytes; "" until they are needed
	briefs       *briefRequests                   // what briefly needs to know about the requests; nil until it is needed
	room         []byte                           // a buffer for entries
	sought       []byte                           // a buffer for the text of an outcome
	requestTexts []string                         // the requests of the turns, with pasted ones clipped; see tersely
	terse        *extract.Extract                 // an extract of requestTexts
	plan         planList                         // the plan of the session
	state        endState                         // the state at the end of the messages
	// outcomes is true if there is enough room for each entry to show an outcome.
	outcomes bool
	short    bool // whether each request is cut to a few words; see briefly
	// declining is true if outcomes that say what cannot be done take precedence; see settles.
	declining bool
	outcome   outcomeRoom                     // how much of the outcomes there is room for
	told      [fullOutcomes + 1][]turnOutcome // the outcomes of all turns, for each length; nil until they are needed
	wrote     []bool                          // for each turn, whether its entry ends with the line of its outcome
}

// goOn updates the log with the messages that stay in the context, which begin at index from.
func (k *turnLog) goOn(t *transcript.Transcript, from int) {
	k.state.goOn(t, from)
	for n := len(k.turns) - 1; n >= 0 && k.state.commitUndone; n-- {
		for i := range slices.Backward(k.turns[n].units) {
			if u := &k.turns[n].units[i]; strings.HasPrefix(u.text, committedVerb) && !strings.Contains(u.text, undoneMark) {
				u.text += undoneMark + "since)"
				return
			}
		}
	}
}

// newLog creates the log of messages. prior holds the sections of the previous digest, and known the texts that appear
// next to the log. kept is the plan kept by a tool, or else the plan of the previous digest. It is nil if the digest
// has no section for a plan.
func newLog(t *transcript.Transcript, messages []int32, l *Ledger, prior [sections]string, known []string, kept *planList) *turnLog {
	k := &turnLog{}
	asked := requestsIn(t, messages)
	k.inherit(asked, l, prior)
	k.state = readState(prior[ending], func(name string) string { return inFolder(k.base, name) })
	next := 1
	if n := len(k.turns); n > 0 {
		next = k.turns[n-1].number + 1
	}
	k.resume(asked)
	read := turnsOf(t, messages, asked, keptBefore(t, messages, k.turns), next, &k.state)
	if n := len(k.turns); n > 0 { // the first turn of messages continues where the earlier digest ended
		last := &k.turns[n-1]
		last.units = append(last.units, read.turns[0].units...)
		last.doubt = cmp.Or(last.doubt, read.turns[0].doubt)
		if len(read.turns) > 1 {
			if last.judge(read.turns[1].request, read.turns[1].number); last.contested {
				last.narrow(read.turns[1].request)
			}
		}
		read.turns = read.turns[1:]
	} else if len(read.turns[0].units) == 0 {
		read.turns = read.turns[1:]
	}
	k.turns = append(k.turns, read.turns...)
	if kept != nil {
		k.plan = k.planOf(*kept, read.plan)
	}
	k.dropStatuses()
	k.shorten()
	n := 0
	for i := range k.turns {
		n += len(k.turns[i].units)
	}
	k.items = make([]extract.Item, 0, n)
	k.units = make([]place, 0, n)
	k.known = words.StemsOf(known)
	ends := len(k.turns) > 0 && k.turns[len(k.turns)-1].has(func(u *unit) bool { return u.kind == answerUnit })
	for i := range k.turns {
		k.known.Add(k.turns[i].request)
		for n, u := range k.turns[i].units {
			if u.kind == answerUnit && k.turns[i].doubt > 0 {
				u.factor = inDoubt(&u)
			}
			if u.factor != isDropped && !u.passes {
				k.items = append(k.items, extract.Item{Text: u.text, Factor: k.aged(u.factor, i, ends && u.isStep()), Whole: true})
				k.units = append(k.units, place{i, n})
			}
		}
	}
	if kept != nil {
		k.read = func() (quotes, all []fileQuote) { return k.quotesOf(t, messages) }
	}
	return k
}

// briefChange is the maximum number of bytes of a change that a reader needs.
const briefChange = 200

// bytesOf returns the size, in bytes, of so many characters in the language of the requests: 12,000 Chinese characters are
// 36,000 bytes.
func (k *turnLog) bytesOf(characters int) int {
	bytes, runes := 1, 1
	for i := range k.turns {
		bytes += len(k.turns[i].request)
		runes += utf8.RuneCountInString(k.turns[i].request)
	}
	return characters * (16 * bytes / runes) / 16
}

// need returns the number of bytes that the log takes up with the requests, what answers say, what was done, each change
// of a file in brief, and the lines of an earlier digest, but without the steps of the work.
func (k *turnLog) need() (sum int) {
	for i := range k.turns {
		if t := &k.turns[i]; t.request != "" {
			sum += len(t.request) + requestFrame
		}
		for n := range k.turns[i].units {
			switch u := &k.turns[i].units[n]; {
			case u.factor >= ofOvercome:
				sum += len(u.text) + len(entryBullet)
			case u.kind == changeUnit && u.factor != isDropped:
				sum += min(len(u.text), briefChange) + len(entryBullet)
			}
		}
	}
	return sum
}

// readFiles finds the passages of files, for a digest that has room for them.
func (k *turnLog) readFiles() {
	if k.read == nil {
		return
	}
	k.quotes, k.passages = k.read()
	k.read = nil
	for n := range k.quotes {
		k.items = append(k.items, extract.Item{Text: k.quotes[n].text, Factor: max(k.quotes[n].factor, 1), Whole: true})
		k.units = append(k.units, place{len(k.turns), n})
	}
}

// choose returns the units that say the most in about budget bytes, in the order of the log. If passages may be shown,
// they compete with the units for this room, and quotes has those that were chosen.
func (k *turnLog) choose(budget int) (units, quotes []extract.Chosen) {
	which, n := 0, len(k.items)-len(k.quotes)
	if k.showing {
		which, n = 1, len(k.items)
	}
	if k.chosen[which] == nil {
		k.chosen[which] = extract.New(k.items[:n], k.known)
	}
	units = k.chosen[which].Choose(budget)
	n = len(units)
	for n > 0 && k.units[units[n-1].Item].turn == len(k.turns) {
		n--
	}
	return units[:n], units[n:]
}

// quoteShare is the percentage of the log's room that quotes of files may take up. Quotes with a total size of more
// than leastCode bytes may not be longer than the log.
const (
	quoteShare = 20
	leastCode  = 1500
)

// bestQuotes returns a function that selects, from the chosen quotes, those that add the most in about size bytes.
func (k *turnLog) bestQuotes(chosen []extract.Chosen) func(size int) []extract.Chosen {
	need, items := 0, make([]extract.Item, len(chosen))
	for i, c := range chosen {
		items[i] = k.items[c.Item]
		need += len(items[i].Text)
	}
	var e *extract.Extract
	return func(size int) []extract.Chosen {
		if need <= size {
			return chosen
		}
		if e == nil {
			e = extract.New(items, k.known)
		}
		best := make([]extract.Chosen, 0, len(chosen))
		for _, c := range e.Choose(size) {
			best = append(best, chosen[c.Item])
		}
		return best
	}
}

// turnAt returns the number of the turn that contains a message, or 0 if no turn contains it.
func (k *turnLog) turnAt(message int32) int {
	i, found := slices.BinarySearchFunc(k.turns, message, func(t turn, message int32) int { return cmp.Compare(t.from, message) })
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return k.turns[i].number
}

// aged multiplies a factor by a weight that depends on the age of the turn; the result is at least 1. The weight rises
// evenly from 0.8 for the oldest turn to 1.2 for the last one. Units of the last turn have the weight ofLastTurn
// instead, because they show the current state, unless it is the only turn or led is true. led means that the unit is a
// step that led to an answer which the turn already has.
func (k *turnLog) aged(factor, turn int, led bool) int {
	if turn > 0 && turn == len(k.turns)-1 && !led {
		return max(1, factor*ofLastTurn/1024)
	}
	return max(1, factor*(820+410*turn/max(len(k.turns)-1, 1))/1024)
}

// isStep reports whether a unit is what the assistant thought or said on the way to its answer.
func (u *unit) isStep() bool { return u.kind == thoughtUnit || u.kind == saidUnit }

// ofLastTurn is the weight of the last turn, in 1024ths.
const ofLastTurn = 1700

// leastBase is the minimum length, in bytes, of a folder that is named once instead of in each unit.
const leastBase = 12

// leastFiles is the minimum number of file names in a folder that is named once.
const leastFiles = 3

// shorten removes the common folder of all changed and read files from their paths. If the previous digest named such a
// folder, the paths in its entries are already relative to it.
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
			case hitUnit, lineUnit:
				u.text = withoutBase(u.text, k.base)
			case readUnit, ranUnit, toldUnit, oldUnit:
				u.text, u.lead = strings.ReplaceAll(u.text, k.base, ""), strings.ReplaceAll(u.lead, k.base, "")
			}
		}
	}
}

// mostEndings is the maximum number of suffixes of a folder that are looked for. leastEnding is the minimum length of
// such a suffix in bytes.
const (
	mostEndings = 6
	leastEnding = 8
)

// withoutBase removes a folder, or a suffix of it, before file names in text. Only a suffix appears in the output of a
// search that was run in a parent folder, because it lists files relative to that folder. base ends in "/".
func withoutBase(text, base string) string {
	text = strings.ReplaceAll(text, base, "")
	rest := base
	for n := 0; n < mostEndings; n++ {
		_, after, found := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		if !found || len(after) < leastEnding || !strings.Contains(strings.TrimSuffix(after, "/"), "/") {
			break
		}
		rest = after
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+rest, " "), "`"+rest, "`")
	}
	return text
}

// commonFolder returns the common folder of all files with absolute paths, with a trailing slash, or "" if it isn't
// worth naming. If changed files have relative paths, the folder of the files that were read counts only if one of them is
// a changed file: otherwise the changed files may be elsewhere.
func (k *turnLog) commonFolder() string {
	base, files := "", 0
	var relative []string // paths of changed files, up to mostRelative
	within := false       // whether one of them is among the files with absolute paths
	take := func(path string) bool {
		if path == "" || path[0] != '/' {
			if path != "" && len(relative) < mostRelative {
				relative = append(relative, path)
			}
			return true
		}
		if files++; files == 1 {
			base = path
		}
		for !strings.HasPrefix(path, base) || !strings.HasSuffix(base, "/") {
			base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
			if len(base) < leastBase {
				return false
			}
		}
		within = within || slices.ContainsFunc(relative, func(name string) bool { return path == base+name })
		return true
	}
	for _, kind := range []unitKind{changeUnit, readUnit} { // files that were only read count if none was changed
		for i := range k.turns {
			for _, f := range k.turns[i].touched {
				if !thrownAway(f.path) && !take(f.path) {
					return ""
				}
			}
			for n := range k.turns[i].units {
				if u := &k.turns[i].units[n]; u.kind == kind && !take(u.source) {
					return ""
				}
			}
		}
		if files >= leastFiles && (relative == nil || within) {
			return base
		}
	}
	return ""
}

// mostRelative is the maximum number of relative paths that are compared with the paths of other files.
const mostRelative = 32

// logText is the text of a log, together with the passages of files that are shown next to it.
type logText struct{ log, files string }

// size returns the number of bytes that the log and the passages take up in a digest.
func (w *logText) size() int { return sizeWith(len(w.log), w.files) }

// sizeWith returns the number of bytes that a log of the given size and the passages take up in a digest.
func sizeWith(log int, files string) int {
	if files == "" {
		return log
	}
	return log + len(files) + shownFrame
}

// shownFrame is the number of bytes that a digest adds around the passages of files.
var shownFrame = len(sessionLayout.headings[shown]) + len("\n\n\n")

// write returns the log in at most size bytes, plus up to spare bytes if the requests need them. The log is empty if
// nothing fits. Room that the units don't need goes to requests and, if the whole digest has at least leastFilled
// bytes, to passages from files. whole is the size of the digest in bytes.
func (k *turnLog) write(size, spare, whole int) logText {
	if whole >= leastFilled {
		k.readFiles()
	}
	k.showing = whole >= leastShowing && len(k.quotes) > 0
	k.outcomes = size >= leastState || size >= leastOutcomes && k.wholeNeed() <= size*wholeShare/100
	w := k.share(size, spare)
	if w.log == "" && k.outcomes {
		k.outcomes = false
		w = k.share(size, spare)
	}
	if w.log != "" && whole >= leastFilled {
		w = k.fill(w, size)
	}
	return w
}

// deedShare is the maximum percentage of a log that is kept free of requests for the calls that changed something outside
// of the conversation.
const deedShare = 50

// share returns the log with the largest share of room for requests at which everything fits, or an empty log if
// nothing does. If the log shows outcomes, it tries only the largest share, because outcomes must not take room from
// requests. size and spare are in bytes, as in write.
func (k *turnLog) share(size, spare int) (best logText) {
	start := requestShare
	if need := k.wholeNeed(); need > size*requestShare/100 && need <= size*wholeShare/100 {
		start = wholeShare
	}
	k.declining = false
	kept := k.deedsRoom(size)
	for share := start; share > 0 && (share == start || !k.outcomes); share /= 2 {
		most := min(size*share/100, size-kept)
		asked, used := k.requests(most + spare)
		room := size + min(spare, max(0, used-most))
		forOutcomes := room - used
		if size >= leastState {
			forOutcomes = max(forOutcomes*2/3, min(forOutcomes, kept))
		}
		k.outcome = k.roomForOutcomes(forOutcomes, asked)
		w := k.filled(asked, room, room-used)
		if w.log == "" {
			continue
		}
		best = w
		if !k.outcomes && k.outcome.from > 0 && k.outcome.deeds > 0 && share > start/2 {
			continue // with fewer words of the requests, there is room for more of what was changed
		}
		if left := room - w.size(); left > size/8 && used > most*3/4 {
			if more, n := k.requests(used + left); n > used {
				if longer := k.filled(more, room, room-n); longer.size() > w.size() {
					w = longer
				}
			}
		}
		return w
	}
	return best
}

// deedsRoom returns the number of bytes of a log of size bytes that requests leave to the calls which changed something
// outside of the conversation.
func (k *turnLog) deedsRoom(size int) int {
	return min(k.sizeOfDeeds(deedLength), size*deedShare/100)
}

// showBeside returns the text of the best of the chosen quotes that fit into room bytes together with the entries in
// k.room, or "" if none fits. Entries take precedence over quotes: if the entries fit without quotes, they also fit
// with the result.
func (k *turnLog) showBeside(quotes []extract.Chosen, room int) (files string) {
	if len(quotes) == 0 {
		return ""
	}
	best := k.bestQuotes(quotes)
	for most := min(room*quoteShare/100, max(len(k.room), leastCode)); most > 0; {
		files = k.show(best(most))
		over := sizeWith(len(k.room), files) - room
		if over <= 0 || len(k.room) > room {
			return files
		}
		most = min(most, len(files)) - max(over+over/8, most/8)
	}
	return ""
}

// logTries is the maximum number of attempts to write a log that fills its room.
const logTries = 5

// filled writes the log up to logTries times and returns the longest version that fits into room bytes, or an empty
// logText if none fits. budget is the initial limit, in bytes, for the units. After an attempt that was too long or too
// short, the next limit is between the largest limit that was too small and the smallest limit that was too large.
// asked holds the requests of the turns, in the form in which the log shows them.
func (k *turnLog) filled(asked []string, room, budget int) (best logText) {
	low, high := 0, -1
	for try := range logTries {
		budget = max(0, budget)
		units, quotes := k.choose(budget)
		k.room = k.entries(k.room[:0], asked, units)
		files := k.showBeside(quotes, room)
		size := sizeWith(len(k.room), files)
		over := size - room
		if over <= 0 {
			if size > best.size() {
				best = logText{string(k.room), files}
			}
			low = max(low, budget)
		} else {
			high = budget
		}
		if over <= 0 && over > -room/20 || over > 0 && budget == 0 {
			break
		}
		step := over + over/8
		if over > 0 { // units are not split, so a small step often makes no difference
			step = max(step, room*(try+1)/32)
		}
		budget -= step
		if over <= 0 && high < 0 && budget > 2*room { // all units are in the log
			break
		}
		if high >= 0 && (budget >= high || budget <= low) {
			budget = (low + high) / 2
		}
		if best.log == "" && try == logTries-2 {
			budget = 0 // only requests
		}
	}
	return best
}
