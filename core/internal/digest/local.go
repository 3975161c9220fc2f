package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/critbit"
	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Extract is what a digest without a model is made of: the user's requests in their own words, rules that they set, what was
// changed, run and failed, what the agent said last, the last plan, what it decided, and the paths and identifiers that
// later messages are likely to need. It is a pure function of what it was made from.
type Extract struct {
	t        *transcript.Transcript
	messages []int32
	ledger   *Ledger
	layout   *layout
	old      [sections]string
	beside   []string // texts that are next to the digest
	talk     *talk    // what was said
	ranked   []term   // the terms, as weighed returns them; nil until they are needed

	said      string   // what the agent said last
	plan      string   // its last plan
	standing  string   // the block of what the user said about how to work
	spare     int      // bytes that the user's requests may take besides
	decisions []string // what the agent decided, and why
	terms     terms
}

// NewExtract collects what is in messages. prior is the digest so far, without its blocks; l already knows messages.
func NewExtract(t *transcript.Transcript, messages []int32, prior string, l *Ledger) *Extract {
	layout := layoutOf(t, messages, l)
	e := &Extract{t: t, messages: messages, ledger: l, layout: layout, old: layout.place(splitSections(prior))}
	e.collect()
	return e
}

// Minimal is the digest of a published system that has no model: how many messages are gone, and the digest so far (S3.28).
func Minimal(messages int, prior string) string {
	text := "# Carryover\n" + itoa(messages) + " earlier messages were folded without a model."
	if prior != "" {
		text += "\n\n" + prior
	}
	return text
}

// What a mention of a term weighs: by who mentions it, and more the later it is.
const (
	written   = 6 // by the user or the agent
	argued    = 4 // in the arguments of a tool call
	pasted    = 3 // in a long argument, such as the content of a file
	answered  = 1 // in what a tool said
	inherited = 3 // in the digest before
)

// How much of a text is looked at, in bytes: of a tool's answer its beginning and its end, of other texts the beginning.
const (
	lookResult = 5000
	lookText   = 20000
)

// recentTalk is how many of the newest messages are searched for decisions.
const recentTalk = 200

// leastShare is what every part of a digest may take, in bytes, however small the digest.
const leastShare = 120

// recency is 1024 for the newest of n messages and 64 for the oldest; in between it falls hyperbolically.
func recency(k, n int) int64 { return int64(1024 * n / (n + 9*(n-1-k))) }

func (e *Extract) collect() {
	n := len(e.messages)
	for _, lines := range e.old {
		e.terms.add(lines, inherited*recency(0, 1)/8, -2)
	}
	from := e.recent()
	for k, i := range e.messages {
		if k < from && k > 0 {
			continue
		}
		weight := recency(k, n)
		m := &e.t.Messages[i]
		own := m.Role == transcript.Assistant
		if m.Variant == transcript.Shell {
			e.terms.add(e.t.Text(m.Label), argued*weight, i)
		}
		said := ""
		for p := m.First; p < m.First+m.Count; p++ {
			part := &e.t.Parts[p]
			if part.Has(transcript.Removed) || part.Parent >= 0 {
				continue
			}
			switch part.Kind {
			case transcript.Text:
				text := e.t.Text(part.Body)
				e.terms.add(text[:min(len(text), lookText)], written*weight, i)
				if own && !part.Has(transcript.Said) && !blank(text) {
					said = joinText(said, text)
				}
			case transcript.ToolCall:
				e.call(part, weight, i)
			case transcript.ToolResult:
				text := ResultText(e.t, int(p))
				if len(text) > 2*lookResult {
					e.terms.add(text[len(text)-lookResult:], answered*weight, i)
					text = text[:lookResult]
				}
				e.terms.add(text, answered*weight, i)
			}
		}
		if said != "" {
			e.said = said
			if n-k <= recentTalk {
				e.decisions = append(e.decisions, decisionLines(said)...)
			}
			if list := checklist(said); list != "" {
				e.plan = list
			}
		}
	}
}

// lookBack is how much of the newest messages is looked at for terms, decisions and plans, in bytes: of older ones but the first nothing
// would rank high.
const lookBack = 1 << 20

// recent is the index in messages from which on they are looked at.
func (e *Extract) recent() int {
	room := lookBack
	k := len(e.messages)
	for k > 0 && room > 0 {
		k--
		for _, p := range e.t.PartsOf(int(e.messages[k])) {
			size := int(p.Size.Bytes)
			if p.Kind == transcript.ToolResult {
				size = min(size, 2*lookResult)
			}
			room -= min(size, lookText)
		}
	}
	return k
}

func (e *Extract) call(part *transcript.Part, weight int64, message int32) {
	plans := useOf(e.t.Text(part.Name)) == plans
	var todo todos
	arguments(e.t, part, func(key, text string) {
		w := int64(argued)
		if len(text) > 400 {
			w = pasted
		}
		e.terms.add(text[:min(len(text), lookText)], w*weight, message)
		if plans {
			todo.see(key, text)
		}
	})
	if plans {
		if list := todo.text(); list != "" {
			e.plan = list
		}
	}
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

func joinText(a, b string) string {
	if a == "" {
		return b
	}
	if len(a) > lookText {
		return a
	}
	return a + "\n" + b
}

// Keep has the digest hold the block of standing instructions too, next to the bytes that it may have, and up to spare bytes of requests
// besides.
func (e *Extract) Keep(standing string, spare int) { e.standing, e.spare = standing, spare }

// SetNearby gives the extract the texts that are next to the digest, so that it need not say what they say.
func (e *Extract) SetNearby(texts []string) { e.beside = texts }

// Digest puts a digest together, of about size bytes at most, the blocks of the ledger included.
func (e *Extract) Digest(size int) string {
	if e.layout == chatLayout {
		return e.chat(size)
	}
	return e.session(size)
}

// chat is the digest of a conversation without tool calls: what was said, and what the user said about how to work.
func (e *Extract) chat(size int) string {
	if e.talk == nil {
		e.talk = newTalk(e.t, e.messages, e.old, append(e.beside, e.standing))
	}
	out := e.talk.sections(size - 20)
	return WithStanding(e.layout.write(out), e.standing)
}

// largeDigest is from what size on, in bytes, what the agent said has a place of its own in the digest of a session.
const largeDigest = 10000

// session is the digest of a conversation with tool calls. The newest requests may take half of it, the other parts have shares of the
// whole, and what they leave is for the terms that are not in it yet. Half of the bytes that the requests may have besides is for what
// the user said in those that find no place.
func (e *Extract) session(size int) string {
	var out [sections]string
	room := size - len("# Status\n\n")
	// put adds a text to a section if it has one, and takes it from the room.
	put := func(section int, text string) {
		cost := len(text) + 2
		if out[section] == "" {
			cost += len(sessionLayout.headings[section]) + 1
		}
		if text == "" || cost > room {
			return
		}
		if out[section] != "" {
			out[section] += "\n"
		}
		out[section] += text
		room -= cost
	}
	share := func(percent int) int { return min(max(size*percent/100, leastShare), room-24) }

	requests := e.ledger.requestsBlock(share(48) + e.spare/2)
	room += min(e.spare/2, max(0, len(requests)-share(48)))
	put(objective, requests)
	put(active, quote("Said last: ", e.said, share(6)))
	blocks := e.ledger.blocks()
	put(shipped, blocks[1].write(share(15)))
	put(stuck, blocks[2].write(share(5)))
	planned := e.plan
	if planned == "" {
		planned = e.old[plan]
	}
	put(plan, quote("", planned, share(7)))
	put(guardrails, listOf(e.old[guardrails], nil, share(4), out[objective]+e.standing))
	put(rationale, listOf(e.old[rationale], e.decisions, share(4), out[active]))
	put(carryover, blocks[3].write(share(4)))
	put(shipped, quote("", e.old[shipped], share(4)))
	put(carryover, quote("", prose(e.old[carryover]), share(6)))
	put(carryover, blocks[4].write(share(3)))
	if e.standing != "" {
		out[guardrails] = strings.TrimPrefix(out[guardrails]+"\n"+e.standing, "\n")
	}
	room += e.spare - e.spare/2
	spoken := share(5) + e.spare - e.spare/2 + max(0, size-largeDigest)*3/10
	if e.talk == nil {
		e.talk = newWork(e.t, e.messages, e.ledger, e.old[told], size > largeDigest, out)
	}
	put(told, e.talk.sections(min(spoken, room))[told])
	known := new(critbit.Map[struct{}])
	for _, text := range out {
		said(text, known)
	}
	if e.ranked == nil {
		e.ranked = e.weighed(true)
	}
	put(carryover, lines(e.ranked, room-len(sessionLayout.headings[carryover])-4, known))

	if out[status] == "" && out[shipped]+out[active]+out[stuck] != "" {
		out[status] = " "
	}
	return sessionLayout.write(out)
}

// quote is a text, in at most max bytes. No line of it is a heading: a later digest would take what is below for what the heading says.
func quote(label, text string, max int) string {
	text = strings.ReplaceAll("\n"+Fence(Tidy(text)), "\n#", "\n #")[1:]
	max -= len(label)
	if text == "" || max < 40 {
		return ""
	}
	if len(text) > max {
		text = Clip(text, max-40)
	}
	return label + text
}

// listOf joins the lines of a section of the digest before with new ones, the newest of which fit in max bytes, each line once and only if
// it is not elsewhere.
func listOf(old string, lines []string, max int, elsewhere string) string {
	all := make([]string, 0, len(lines)+8)
	for line := range strings.Lines(old) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "- "); line != "" {
			all = append(all, line)
		}
	}
	all = append(all, lines...)
	var seen critbit.Map[struct{}]
	from := len(all)
	for i := len(all) - 1; i >= 0 && len(all)-i < 200; i-- {
		line := Fence(clipLine(all[i], 240))
		if seen.Has(line) || strings.Contains(elsewhere, line) {
			continue
		}
		if max -= len(line) + 3; max < 0 {
			break
		}
		seen.Add(line)
		from--
		all[from] = "- " + line
	}
	return strings.Join(all[from:], "\n")
}
