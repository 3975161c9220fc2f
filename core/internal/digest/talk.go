package digest

import (
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/dates"
	"github.com/ctxfold/ctxfold/core/internal/extract"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
	"github.com/ctxfold/ctxfold/core/internal/words"
)

// talk is the material for a chat digest that is written without a model: statements by the participants, each with its
// speaker and day, chosen so that each adds something new. Later digests parse these lines again. Each line belongs to
// one message. The speaker is named at the beginning of the line or of an earlier line, and the day in a bracketed line
// above it.
type talk struct {
	items     []extract.Item   // the statements
	sources   []source         // of items
	turns     []int32          // of items; see pair
	skipped   bool             // messages before the next item were skipped
	chosen    *extract.Extract // selects among the items
	known     *words.StemSet   // the words of the texts next to the digest
	served    bool             // see serve
	crowded   bool             // the user's names and numbers take more than the whole room
	facts     map[int]*fact    // facts of the chosen sentences, by Chosen.Sentence
	reader    factReader       // analyses sentences
	corrected []correction     // the statements that correct earlier ones
	countered []countered      // what the user contradicted
	months    [13]string       // how a header has spelled a day of each month
}

// source is the origin of an item.
type source struct {
	section int        // the section of the digest in which it belongs
	speaker string     // "" for a line without a speaker
	day     string     // the day as text; "" if unknown
	at      dates.Date // the day as a date; 0 if unknown
	fresh   bool       // not a line of an earlier digest
	lasting bool       // it says something that holds for the whole conversation
	own     bool       // said by the assistant
	denied  bool       // the next turn rejects it
	pasted  bool       // a passage that the user pasted
	gap     bool       // something was said between the previous item and this one
}

// The bullets: plainBullet in sections by a model, and lastingBullet for lasting statements in older digests.
const (
	plainBullet   = "- "
	lastingBullet = "* "
)

// The weights of statements, in 1024ths.
const (
	ofFirst   = 1536 // the first user message, which shows what the conversation is for
	ofLasting = 1536 // a lasting statement of an earlier digest
	ofOld     = 1024 // any other statement of an earlier digest
	ofModel   = 1536 // a line of a digest that a model wrote
	ofPasted  = 16   // a passage that the user pasted
	ofDenied  = 8    // a statement that the next turn rejects
	ofListed  = -1   // a rule in the block of standing instructions: it has no weight of its own
	ofRule    = 8192 // a rule for which the block has no room
)

// lookTalk is the maximum number of bytes of a conversation to read. One half of them are the newest bytes; the other
// half is sampled evenly from older messages.
const lookTalk = 1 << 19

// newTalk collects the statements in messages and in the sections of an earlier digest. rules lists the user's standing
// instructions, block contains those that are listed next to the digest, and others contains the other texts next to
// it.
func newTalk(t *transcript.Transcript, messages []int32, old [sections]string, rules []string, block string, others []string) *talk {
	k := &talk{facts: map[int]*fact{}}
	names := speakerNames(t, messages)
	for _, section := range chatLayout.order {
		k.read(section, old[section])
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
		text := RequestIn(t, int(i))
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
		src := source{section: dialogue, speaker: who, day: day, at: at, own: t.Messages[i].Role == transcript.Assistant}
		var passages [][2]int
		switch who {
		case "user":
			passages = pastedPassages(text, true)
		case "assistant":
			passages = codePassages(text)
		}
		from := 0
		for _, p := range passages {
			k.say(text[from:p[0]], factor, src)
			src.pasted = true
			k.say(text[p[0]:p[1]], ofPasted, src)
			factor, from, src.pasted = 0, p[1], false
		}
		k.say(text[from:], factor, src)
	}
	k.corrections()
	k.weigh()
	k.counter()
	k.favourRules(rules, block)
	k.pair()
	k.known = words.StemsOf(append(others, block))
	k.chosen = extract.New(k.items, k.known)
	return k
}

// header returns the date in the header of text, and the size of the header in bytes; see
// [dates.Header]. In a chat without headers, a message that consists only of a date, or of a name
// and a date, answers a question ("14 March 1988"), so header returns zero values.
func (k *talk) header(text string) (dates.Found, int) {
	found, size := dates.Header(text)
	if size > 0 && size == len(text) && strings.IndexByte("[(<{#-=*", text[0]) < 0 && len(k.items) > 0 && k.months == [13]string{} {
		return dates.Found{}, 0
	}
	return found, size
}

// say adds a statement with the given factor, unless the text is blank.
func (k *talk) say(text string, factor int, src source) {
	if blank(text) {
		return
	}
	if len(text) > lookText {
		text = trimRune(text[:lookText])
	}
	text = joinWrapped(text)
	src.fresh, src.gap, k.skipped = true, k.skipped, false
	last := len(k.sources) - 1
	follows := last >= 0 && k.sources[last].fresh && !src.gap
	if follows && k.sources[last].speaker != src.speaker && k.denied(text, isRole(src.speaker)) {
		k.sources[last].denied = true
	}
	k.items = append(k.items, extract.Item{Text: text, Factor: factor, Follows: follows})
	k.sources = append(k.sources, src)
}

// saidIn returns what the assistant says in message i, or "" if it says nothing. Stubs, and what
// the user said while the assistant was working, don't count.
func saidIn(t *transcript.Transcript, i int) (said string) {
	for _, p := range t.PartsOf(i) {
		if p.Kind == transcript.Text && p.Parent < 0 && !p.Has(transcript.Removed|transcript.Said) && !isStub(t, &p) {
			said = joinText(said, t.Text(p.Body))
		}
	}
	return said
}

// sampled returns the messages to read: all of them or, if their total size is too large, a sample.
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

// read adds the lines of a section from an earlier digest. In the dialogue, a line may begin with its speaker's label, and
// gap marks and bracketed dates apply to the lines after them.
func (k *talk) read(section int, text string) {
	src := source{section: section}
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "":
		case section != dialogue:
			line = strings.TrimPrefix(strings.TrimPrefix(line, plainBullet), lastingBullet)
			k.items = append(k.items, extract.Item{Text: clipLine(line, longestOld), Factor: ofModel, Uncut: true})
			k.sources = append(k.sources, src)
		case line == gapMark:
			src.gap = true
		case line[0] == '[' && line[len(line)-1] == ']':
			src.day, src.speaker = line[1:len(line)-1], ""
		default:
			k.readTold(&src, line)
		}
	}
}

// readTold adds a line of an earlier digest that quotes what somebody said. src is the source of the previous line, and
// is updated for this line.
func (k *talk) readTold(src *source, line string) {
	rest, lasting := strings.CutPrefix(line, lastingBullet)
	if !lasting {
		rest = strings.TrimPrefix(line, plainBullet)
	}
	if at := labelEnd(rest); at > 0 {
		src.speaker, rest = rest[:at], rest[at+len(labelMark):]
	}
	src.lasting = lasting || src.speaker != "assistant" && extract.Own(rest)
	factor := ofOld
	if src.lasting {
		factor = ofLasting
	}
	for rest != "" {
		text, upTo, behind, more := cutAlike(rest)
		last := len(k.sources) - 1
		k.items = append(k.items, extract.Item{Text: clipLine(text, longestOld), Factor: factor, Uncut: true, More: more, UpTo: upTo,
			Follows: last >= 0 && k.sources[last].section == dialogue && !src.gap})
		k.sources = append(k.sources, *src)
		rest, src.gap = behind, false
	}
}

// longestOld is the maximum length of a line of an earlier digest, in bytes.
const longestOld = 1000
