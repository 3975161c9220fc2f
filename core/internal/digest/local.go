package digest

import (
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Extract holds the material for a digest that is written without a model: the user's requests and rules in their own
// words, changes, commands and failures, statements of the agent, and open work. It depends on nothing but its input.
type Extract struct {
	t        *transcript.Transcript
	messages []int32
	ledger   *Ledger
	layout   *layout
	old      [sections]string
	beside   []string // texts next to the digest
	talk     *talk    // the statements of the conversation
	log      *turnLog // the log of a working session

	plan     planList
	standing string // the block of standing instructions
	spare    int    // extra bytes for the user's requests
	terms    terms
}

// NewExtract collects the material for a digest of messages. prior is the digest so far, without its blocks; l
// already covers messages.
func NewExtract(t *transcript.Transcript, messages []int32, prior string, l *Ledger) *Extract {
	layout := layoutOf(t, messages, l)
	e := &Extract{t: t, messages: messages, ledger: l, layout: layout, old: layout.place(splitSections(prior))}
	e.plan, _ = readPlan(e.old[plan])
	e.collect()
	return e
}

// Minimal returns the digest of a published system that uses no model: the number of removed messages, and the digest
// so far (S3.28).
func Minimal(messages int, prior string) string {
	text := "# Carryover\n" + itoa(messages) + " earlier messages were folded without a model."
	if prior != "" {
		text += "\n\n" + prior
	}
	return text
}

// The weights of a term by where it is mentioned. Later mentions weigh more.
const (
	written   = 6 // by the user or the agent
	argued    = 4 // in the arguments of a tool call
	pasted    = 3 // in a long argument, such as the content of a file
	answered  = 1 // in a tool's output
	inherited = 3 // in the previous digest
)

// The maximum numbers of bytes that are examined of a text: in a tool's output, at the beginning and at the end; in
// other texts, at the beginning.
const (
	lookResult = 5000
	lookText   = 20000
)

// leastShare is the minimum room for each part of a digest, in bytes, however small the digest is.
const leastShare = 120

// recency returns 1024 for the newest of n messages and 64 for the oldest. In between, the value falls hyperbolically
// with age.
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
			e.plan.replace(checklist(said), i)
		}
	}
}

// lookBack is the number of bytes of the newest messages that are searched for terms, decisions and plans. Of the older
// messages, only the very first would rank high.
const lookBack = 1 << 20

// recent returns the index of the first message that is examined.
func (e *Extract) recent() int { return recentOf(e.t, e.messages) }

// recentOf returns the index in messages of the first message that is examined.
func recentOf(t *transcript.Transcript, messages []int32) int {
	room := lookBack
	k := len(messages)
	for k > 0 && room > 0 {
		k--
		for _, p := range t.PartsOf(int(messages[k])) {
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
	if useOf(e.t.Text(part.Name)) == plans {
		e.plan.call(e.t, part, message)
	}
	arguments(e.t, part, func(key, text string) {
		w := int64(argued)
		if len(text) > 400 {
			w = pasted
		}
		e.terms.add(text[:min(len(text), lookText)], w*weight, message)
		if key == "task_progress" {
			e.plan.replace(checklist(text), message)
		}
	})
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

// Keep makes the digest also contain the block of standing instructions, which doesn't count towards its size limit.
// spare is the number of bytes by which requests may exceed that limit.
func (e *Extract) Keep(standing string, spare int) { e.standing, e.spare = standing, spare }

// SetNearby sets the texts that appear next to the digest, so that the digest doesn't repeat them.
func (e *Extract) SetNearby(texts []string) { e.beside = texts }

// Digest returns a digest of at most about size bytes, including the blocks of the ledger.
func (e *Extract) Digest(size int) string {
	if e.layout == chatLayout {
		return e.chat(size)
	}
	return e.session(size)
}

// chat returns the digest of a conversation without tool calls: statements, and the user's standing instructions.
func (e *Extract) chat(size int) string {
	if e.talk == nil {
		e.talk = newTalk(e.t, e.messages, e.old, e.ledger.Standing, e.standing, e.beside)
	}
	out := e.talk.sections(size - 20)
	if out == [sections]string{} {
		out[told] = e.talk.clipped(size - 20)
	}
	return WithStanding(e.layout.write(out), e.standing)
}

// session returns the digest of a conversation with tool calls: standing instructions, the log of turns, and the state
// at the end, which consists of the changed files, the open errors and the plan.
func (e *Extract) session(size int) string {
	if e.log == nil {
		old := e.old
		if _, known := readPlan(old[plan]); known {
			old[plan] = ""
		}
		e.log = newLog(e.t, e.messages, e.ledger, old, append(e.beside, e.standing), &e.plan)
		if n := len(e.messages); n > 0 {
			from := int(e.messages[n-1]) + 1
			e.log.state.goOn(e.t, from)
			e.log.plan.goOn(e.t, from)
		}
	}
	var out [sections]string
	room := size - len(sessionLayout.headings[logged]) - 2
	put := func(section int, text string) {
		cost := len(text) + len(sessionLayout.headings[section]) + 3
		if text == "" || cost > room {
			return
		}
		out[section], room = text, room-cost
	}
	share := func(percent int) int { return max(size*percent/100, leastShare) }
	put(running, e.ledger.runningBlock(share(15)))
	put(unloaded, e.ledger.unloadedBlock(share(8)))
	put(failing, e.ledger.errorsBlock(share(8)))
	if size >= leastState {
		put(ending, e.log.stateText(e.ledger.Errors, share(12)))
	}
	put(plan, e.log.plan.text(e.log.turnAt(e.log.plan.message), share(10)))
	put(changed, e.log.files(e.ledger.Modified, share(18)))
	w := e.log.write(max(room, 0), e.spare, size)
	out[logged], out[shown] = w.log, w.files
	out[guardrails] = e.standing
	return sessionLayout.write(out)
}
