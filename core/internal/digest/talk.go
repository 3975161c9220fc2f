package digest

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/jsonspan"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// talk is the material for the digest of a chat that is written without a model: statements of the participants, with
// speaker and day, chosen for what they add to the others. A later digest reads them back. Each line belongs to one
// message. The speaker is named at the beginning of that line or of one above it, and the day in a bracketed line
// above.
type talk struct {
	items     []extract.Item
	sources   []source // of items
	turns     []int32  // of items; see pair
	skipped   bool     // messages before the next item were skipped
	chosen    *extract.Extract
	known     []string      // what is written next to the digest
	served    bool          // see serve
	facts     map[int]*fact // facts of the chosen sentences, by Chosen.Sentence
	corrected []correction
	countered []countered
	months    [13]string // how a header has spelled a day of each month
}

// source is the origin of an item.
type source struct {
	section int
	speaker string // "" for a line without one
	day     string
	at      dates.Date
	fresh   bool // not a line of an earlier digest
	lasting bool
	own     bool // said by the assistant
	denied  bool // the next turn rejects it
	gap     bool // something was said between the previous item and this one
}

// The bullets of lines: in sections that a model wrote, and for lasting statements in older digests.
const (
	plainBullet   = "- "
	lastingBullet = "* "
)

// The weights of statements, in 1/1024.
const (
	ofFirst   = 1536 // the first user message, which shows what the conversation is for
	ofLasting = 1536 // a lasting statement of an earlier digest
	ofOld     = 1024 // any other
	ofModel   = 1536 // a line of a digest that a model wrote
	ofDenied  = 8    // what the next turn rejects
	ofListed  = -1   // a rule that the block of standing instructions has: it has no weight of its own
	ofRule    = 8192 // a rule for which the block has no room
)

// lookTalk is how many bytes of a conversation are read: half of them are the newest, the other half is sampled
// evenly from older messages.
const lookTalk = 1 << 19

// newTalk collects the statements in messages and in the sections of an earlier digest. rules lists the user's standing
// instructions. block has those that are listed next to the digest, as do the texts in the last argument.
func newTalk(t *transcript.Transcript, messages []int32, old [sections]string, rules []string, block string, beside []string) *talk {
	k := &talk{facts: map[int]*fact{}}
	names := speakerNames(t, messages)
	for _, section := range chatLayout.order {
		k.read(section, old[section], "")
	}
	k.continued(t, messages)
	first := len(k.items) == 0
	day, at := "", dates.Date(0)
	next := 0 // index in messages
	for _, i := range sampled(t, messages) {
		for ; messages[next] != i; next++ {
			k.skipped = true
		}
		next++
		who, known := "user", names[0]
		text := Asked(t, int(i))
		if t.Messages[i].Role == transcript.Assistant && text == "" {
			who, known = "assistant", names[1]
			text = Tidy(saidIn(t, int(i)))
		}
		by := writtenBy(t, int(i))
		if by.day != 0 {
			day, at = string(by.day.Append(nil)), by.day
		}
		if found, size := k.header(text); found.Date != 0 {
			day, at = text[found.From:found.End], found.Date
			k.months[at.Month()] = day
			text = text[size:]
		}
		if name, rest := spokenLabel(text); name != "" && slices.Contains(known, Fence(name)) {
			who, text = Fence(name), rest
		} else if by.name != "" && !isRole(by.name) {
			who = by.name
		}
		factor := 0
		if first && t.Messages[i].Role == transcript.User && !blank(text) {
			factor, first = ofFirst, false
		}
		if found, size := k.header(text); found.Date != 0 { // after the name
			day, at = text[found.From:found.End], found.Date
			text = text[size:]
		}
		k.say(text, factor, source{section: told, speaker: who, day: day, at: at, own: t.Messages[i].Role == transcript.Assistant})
	}
	k.corrections()
	k.weigh()
	k.counter()
	k.favourRules(rules, block)
	k.pair()
	k.known = append(beside, block)
	k.chosen = extract.New(k.items, k.known)
	return k
}

// header returns the date in the header of a text, and the size of the header; see [dates.Header]. In a chat without headers, a message that only
// has a date, or a name and a date, answers a question: "14 March 1988".
func (k *talk) header(text string) (dates.Found, int) {
	found, size := dates.Header(text)
	if size > 0 && size == len(text) && strings.IndexByte("[(<{#-=*", text[0]) < 0 && len(k.items) > 0 && k.months == [13]string{} {
		return dates.Found{}, 0
	}
	return found, size
}

// say adds a statement with a factor, unless the text is blank.
func (k *talk) say(text string, factor int, src source) {
	if blank(text) {
		return
	}
	if len(text) > lookText {
		text = trimRune(text[:lookText])
	}
	src.fresh, src.gap, k.skipped = true, k.skipped, false
	last := len(k.sources) - 1
	follows := last >= 0 && k.sources[last].fresh && !src.gap
	if follows && k.sources[last].speaker != src.speaker && k.denied(text, isRole(src.speaker)) {
		k.sources[last].denied = true
	}
	k.items = append(k.items, extract.Item{Text: text, Factor: factor, Follows: follows})
	k.sources = append(k.sources, src)
}

// largeMessage is the maximum size of a message, in bytes of JSON, that is searched for its author and time.
const largeMessage = 1 << 16

// author holds the metadata of a message outside its content.
type author struct {
	day  dates.Date
	name string // the author's name
}

// writtenBy returns the author and the time of message i, as its members or its metadata state them.
func writtenBy(t *transcript.Transcript, i int) (w author) {
	src := t.Bytes(t.Messages[i].Span)
	if len(src) > 0 && len(src) <= largeMessage && src[0] == '{' {
		w.read(jsonspan.New(src), "metadata")
	}
	return w
}

// read reads the author and the time from an object, and from the object in its member inner.
func (w *author) read(s *jsonspan.Scanner, inner string) {
	for s.Object(); s.Err() == nil; {
		key, more := s.Key()
		if !more {
			return
		}
		kind := s.Kind()
		switch {
		case dates.IsKey(key):
			start := s.Pos()
			if s.Skip(); s.Err() == nil {
				w.day = max(w.day, dates.DateOfValue(bytes.TrimSpace(s.Src()[start:s.Pos()])))
			}
		case kind == jsonspan.String && string(key) == "name":
			if name := s.Text(); s.Err() == nil && name.Len() <= longestName {
				w.name = strings.ReplaceAll(Fence(clipLine(jsonspan.Text(s.Src(), name.Span), longestName)), ":", "")
			}
		case inner != "" && string(key) == inner && kind == jsonspan.Object:
			w.read(s, "")
		default:
			s.Skip()
		}
	}
}

// saidIn returns the assistant's text in message i.
func saidIn(t *transcript.Transcript, i int) (said string) {
	for _, p := range t.PartsOf(i) {
		if p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed|transcript.Said) && !isStub(t, &p) {
			said = joinText(said, t.Text(p.Body))
		}
	}
	return said
}

// sampled returns the messages that are read: all of them or, if they are too long together, a sample.
func sampled(t *transcript.Transcript, messages []int32) []int32 {
	size := func(i int32) (sum int) {
		for _, p := range t.PartsOf(int(i)) {
			if p.Kind == transcript.Text {
				sum += min(int(p.Size.Bytes), lookText)
			}
		}
		return sum
	}
	newest, room := len(messages), lookTalk/2
	for newest > 0 && room > 0 {
		newest--
		room -= size(messages[newest])
	}
	older := 0
	for _, i := range messages[:newest] {
		older += size(i)
	}
	if older <= lookTalk/2 {
		return messages
	}
	var out []int32
	taken, seen := 0, 0
	for _, i := range messages[:newest] {
		n := size(i)
		if seen += n; taken+n <= lookTalk/2*(seen>>10)/max(older>>10, 1) {
			out, taken = append(out, i), taken+n
		}
	}
	return append(out, messages[newest:]...)
}

// longestName is the maximum length of a speaker's name, in bytes.
const longestName = 32

// speakerNames returns the names with which the user's and the assistant's messages begin. What the assistant writes
// can only name the assistant, so a name that is the user's, or a role, doesn't count.
func speakerNames(t *transcript.Transcript, messages []int32) (names [2][]string) {
	for side, role := range []transcript.Role{transcript.User, transcript.Assistant} {
		names[side] = slices.DeleteFunc(labelsOf(t, messages, role), func(name string) bool {
			return isRole(name) || side == 1 && slices.ContainsFunc(names[0], func(user string) bool { return strings.EqualFold(user, name) })
		})
	}
	return names
}

// isRole reports whether a name reads like the label of a role.
func isRole(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "user", "assistant", "system", "tool":
		return true
	}
	return false
}

// mostLabelled is the number of messages of a role that are searched for names, and mostNames the maximum number of names that are found.
const (
	mostLabelled = 64
	mostNames    = 16
)

// labelsOf returns the names with which messages of a role begin ("Anna: …"), each in at least two messages. It returns none if most messages of the
// role begin with no such name.
func labelsOf(t *transcript.Transcript, messages []int32, role transcript.Role) (names []string) {
	var counts []int
	all, with := 0, 0
	for _, i := range messages {
		if t.Messages[i].Role != role || t.Messages[i].Count == 0 {
			continue
		}
		if all++; all > mostLabelled {
			break
		}
		head := t.Text(t.FirstText(int(i)))
		if found, size := dates.Header(head); found.Date != 0 {
			head = head[size:]
		}
		name, _ := spokenLabel(head)
		if name == "" || strings.ContainsAny(name, "\n.,!?*#，。！？") || strings.Count(name, " ") > 2 {
			continue
		}
		name = Fence(name)
		at := slices.Index(names, name)
		switch {
		case at >= 0:
			counts[at]++
		case len(names) < mostNames:
			names, counts = append(names, name), append(counts, 1)
		}
	}
	n := 0
	for at, name := range names {
		if counts[at] > 1 {
			names[n], with = name, with+counts[at]
			n++
		}
	}
	if with*2 <= min(all, mostLabelled) {
		return nil
	}
	return names[:n]
}

// read adds the lines of a section from an earlier digest, except for those contained in known. The beginning of a line
// may be the label of its speaker; see sections.
func (k *talk) read(section int, text, known string) {
	src := source{section: section}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if section != told {
			line = strings.TrimPrefix(strings.TrimPrefix(line, plainBullet), lastingBullet)
			k.items = append(k.items, extract.Item{Text: clipLine(line, longestOld), Factor: ofModel, Uncut: true})
			k.sources = append(k.sources, src)
			continue
		}
		if line == gapMark {
			src.gap = true
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			src.day, src.speaker = line[1:len(line)-1], ""
			continue
		}
		rest, lasting := strings.CutPrefix(line, lastingBullet)
		if !lasting {
			rest = strings.TrimPrefix(line, plainBullet)
		}
		if at := labelEnd(rest); at > 0 {
			src.speaker, rest = rest[:at], rest[at+len(labelMark):]
		}
		src.lasting = lasting || src.speaker != "assistant" && extract.Own(rest)
		if strings.Contains(known, rest) {
			continue
		}
		factor := ofOld
		if src.lasting {
			factor = ofLasting
		}
		for rest != "" {
			text, upTo, behind, more := cutAlike(rest)
			last := len(k.sources) - 1
			k.items = append(k.items, extract.Item{Text: clipLine(text, longestOld), Factor: factor, Uncut: true, More: more, UpTo: upTo,
				Follows: last >= 0 && k.sources[last].section == told && !src.gap})
			k.sources = append(k.sources, src)
			rest, src.gap = behind, false
		}
	}
}

// longestOld is the maximum length of a line of an earlier digest, in bytes.
const longestOld = 1000

// sections returns the sections of a digest of about size bytes. Statements chosen from the same message share a line.
func (k *talk) sections(size int) (out [sections]string) {
	k.serve(size)
	var b [sections]strings.Builder
	l := talkLines{talk: k, before: -1}
	l.kept, l.was = k.supersede(k.choose(size))
	l.alike = k.chosen.Alike(l.kept)
	for from, to := 0, 0; from < len(l.kept); from = to {
		item := l.kept[from].Item
		for to < len(l.kept) && l.kept[to].Item == item {
			to++
		}
		src := k.sources[item]
		switch text := l.line(from, to); {
		case text == "":
		case src.section == told:
			l.tell(&b[told], item, text)
		default:
			b[src.section].WriteString(plainBullet + statementOf(text, "") + "\n")
		}
	}
	for i := range b {
		out[i] = strings.TrimSuffix(b[i].String(), "\n")
	}
	return out
}

// talkLines writes the lines of a digest.
type talkLines struct {
	*talk
	kept         []extract.Chosen
	was          []string        // by statement: the value that it had before
	alike        []extract.Alike // by statement: others that say the same
	day, speaker string          // of the last line
	before       int             // the item of the last line; -1 if there is none
}

// line returns the statements with indexes [from, to), which are from the same item, as one line. It is "" if the digest has them elsewhere.
func (l *talkLines) line(from, to int) string {
	var line strings.Builder
	number, heading := 0, "" // of the previous item of a list
	for n := from; n < to; n++ {
		c := l.kept[n]
		src, whole := l.sources[c.Item], l.items[c.Item].Text
		if src.fresh && l.announces(l.kept[n:]) {
			continue
		}
		text := c.Text(whole)
		if src.fresh {
			over := listHeading(whole, c.From)
			if text, number = listed(rowOf(text), number); over != "" && over != heading && !strings.HasSuffix(line.String(), over) {
				text = over + " " + text
			}
			heading = over
		}
		if src.at != 0 {
			text = l.absolute(text, src.at)
		}
		if src.section == told {
			text = statementOf(text, l.was[n]+l.counterNote(c)+alikeNote(l.alike[n]))
		}
		if end, _ := utf8.DecodeLastRuneInString(line.String()); line.Len() > 0 && end != '。' {
			line.WriteByte(' ')
		}
		line.WriteString(text)
	}
	return line.String()
}

// tell writes a line of an item to w, after its day or the mark of a gap, and its speaker if the previous line has another one.
func (l *talkLines) tell(w *strings.Builder, item int, text string) {
	src := l.sources[item]
	if src.day != l.day && src.day != "" {
		l.day, l.speaker = src.day, ""
		w.WriteString("[" + Fence(src.day) + "]\n")
	} else if l.before >= 0 && l.parted(l.before, item) {
		w.WriteString(gapMark + "\n")
	}
	l.before = item
	if src.speaker == "" { // from a model
		src.speaker = "assistant"
	}
	if src.speaker != l.speaker || !continuesLine(text) {
		w.WriteString(src.speaker + labelMark)
	}
	l.speaker = src.speaker
	w.WriteString(text)
	if src.denied {
		w.WriteString(deniedMark)
	}
	w.WriteByte('\n')
}

// clipped returns the beginning and the end of the first texts, in about size bytes. It is used if nothing can be
// chosen because the talk is one endless sentence.
func (k *talk) clipped(size int) string {
	for i, src := range k.sources {
		if room := size - len(src.speaker) - len(labelMark); src.fresh && room >= leastRequest {
			text := strings.Join(strings.Fields(k.items[i].Text), " ")
			return src.speaker + labelMark + statementOf(clipRequest(text, room), "")
		}
	}
	return ""
}

// absolute adds dates after words that are relative to at, the day of the statement: "yesterday (7 May, 2023)". A
// text that names a year stays unchanged.
func (k *talk) absolute(text string, at dates.Date) string {
	ws := words.Append(nil, text)
	found := dates.Relative(text, ws, at)
	if len(found) == 0 {
		return text
	}
	for _, d := range dates.FindDates(text, ws) {
		if d.Year() > 0 {
			return text
		}
	}
	var b strings.Builder
	from := 0
	for _, m := range found {
		b.WriteString(text[from:m.End] + " (" + k.spelled(m.Date) + ")")
		from = m.End
	}
	return b.String() + text[from:]
}

// spelled returns a date as the headers of the chat spell it, if one of them has the same month; otherwise in ISO
// 8601.
func (k *talk) spelled(d dates.Date) string {
	if like := k.months[d.Month()]; like != "" && d.Month() > 0 {
		if text, ok := d.InStyleOf(like); ok {
			return text
		}
	}
	return string(d.Append(nil))
}

// labelMark ends a speaker's label.
const labelMark = ": "

// wideLabelMark ends a speaker's label in a message, in scripts that have wide punctuation.
const wideLabelMark = "："

// spokenLabel splits a message into the name before its first colon, if it begins with something short before a colon, and the rest.
func spokenLabel(text string) (name, rest string) {
	if at := labelEnd(text); at > 0 {
		return text[:at], text[at+len(labelMark):]
	}
	if at := strings.Index(text[:min(len(text), longestName+len(wideLabelMark))], wideLabelMark); at > 0 {
		return text[:at], text[at+len(wideLabelMark):]
	}
	return "", text
}

// labelEnd returns the length, in bytes, of the label (or of what looks like one) at the beginning of a text; 0 if
// there is none.
func labelEnd(text string) int {
	return max(strings.Index(text[:min(len(text), longestName+len(labelMark))], labelMark), 0)
}
