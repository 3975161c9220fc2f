package digest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ctxfold/ctxfold/core/internal/transcript"
)

// Extract holds the material for a digest that is written without a model: the user's requests and rules in their own
// words, changes, commands and failures, statements of the agent, and open work. It depends on nothing but its input.
type Extract struct {
	t        *transcript.Transcript // the transcript with the messages
	messages []int32                // the indexes of the messages that the digest replaces
	ledger   *Ledger                // the facts about them
	layout   *layout                // the sections of the digest
	old      [sections]string       // the sections of the previous digest
	beside   []string               // texts that appear next to the digest
	talk     *talk                  // the statements of the conversation
	log      *turnLog               // the log of a working session

	plan     planList // the newest state of the plan
	standing string   // the block of standing instructions
	spare    int      // extra bytes for the user's requests
}

// NewExtract collects the material for a digest of messages. prior is the previous digest without its blocks. l must
// already include the facts of messages.
func NewExtract(t *transcript.Transcript, messages []int32, prior string, l *Ledger) *Extract {
	layout := layoutOf(t, messages, prior, l)
	e := &Extract{t: t, messages: messages, ledger: l, layout: layout, old: layout.moveText(splitSections(prior))}
	e.plan, _ = readPlan(e.old[plan])
	e.findPlan()
	return e
}

// Minimal returns the digest of a published system that uses no model. It consists of the number of removed messages,
// and the previous digest, prior, if there is one (S3.28).
func Minimal(messages int, prior string) string {
	text := "# Carryover\n" + itoa(messages) + " earlier messages were folded without a model."
	if prior != "" {
		text += "\n\n" + prior
	}
	return text
}

// The maximum numbers of bytes that are examined of a text: in a tool's output, at the beginning and at the end; in
// other texts, at the beginning.
const (
	lookResult = 5000
	lookText   = 20000
)

// leastShare is the minimum room, in bytes, for each section of a digest, however small the digest is.
const leastShare = 120

// findPlan finds the last state of the plan. It looks at the recent messages only, and sets e.plan.
func (e *Extract) findPlan() {
	from := e.recent()
	for k, i := range e.messages {
		if k < from && k > 0 {
			continue
		}
		for _, p := range e.t.OuterParts(&e.t.Messages[i]) {
			if p.Kind == transcript.ToolCall {
				e.readPlanCall(p, i)
			}
		}
		if e.t.Messages[i].Role == transcript.Assistant {
			e.plan.replace(checklist(e.saidWith(i, openBox)), i)
		}
	}
}

// saidWith returns what the assistant says in message i if one of its texts contains mark, and "" otherwise. mark must
// need no escapes in JSON.
func (e *Extract) saidWith(i int32, mark string) (said string) {
	parts := e.t.PartsOf(int(i))
	if !slices.ContainsFunc(parts, func(p transcript.Part) bool {
		return p.Kind == transcript.Text && bytes.Contains(e.t.Bytes(p.Body), []byte(mark))
	}) {
		return ""
	}
	for _, p := range parts {
		if p.Kind == transcript.Text && !p.Has(transcript.Removed) && p.Parent < 0 && !p.Has(transcript.Said) {
			if text := e.t.Text(p.Body); !blank(text) {
				said = joinText(said, text)
			}
		}
	}
	return said
}

// lookBack is the number of bytes of the newest messages that are examined for the plan and for the entries of the log.
const lookBack = 1 << 20

// recent returns the index that recentOf gives for the extract's messages.
func (e *Extract) recent() int { return recentOf(e.t, e.messages) }

// recentOf returns the index in messages of the first message that is examined for the plan and for
// the entries of the log. The messages from there on have about lookBack bytes in total; of long
// texts and results, only a part counts.
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

// progress is the name of the argument in which Cline's tools report the plan.
const progress = "task_progress"

// readPlanCall updates the plan if a part of a message is a call of a tool that keeps one, or has a checklist in the
// argument progress.
func (e *Extract) readPlanCall(part *transcript.Part, message int32) {
	if useOf(e.t.Name(part.Name)) == plans {
		e.plan.call(e.t, part, message)
	}
	if bytes.Contains(e.t.Bytes(part.Body), []byte(progress)) {
		arguments(e.t, part, func(key, text string) {
			if key == progress {
				e.plan.replace(checklist(text), message)
			}
		})
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

// Keep sets the block of standing instructions. The digest contains it in addition to the text that
// the size limit allows. spare is the number of bytes by which the user's requests may exceed that
// limit.
func (e *Extract) Keep(standing string, spare int) { e.standing, e.spare = standing, spare }

// SetNearby sets the texts that appear next to the digest, which the digest should not repeat.
func (e *Extract) SetNearby(texts []string) { e.beside = texts }

// Digest returns a digest of about size bytes at most, including the blocks of the ledger.
func (e *Extract) Digest(size int) string {
	if e.layout == chatLayout {
		return e.chat(size)
	}
	return e.session(size)
}

// chat returns the digest of a conversation without tool calls: statements and the user's standing instructions. size
// is the maximum size in bytes.
func (e *Extract) chat(size int) string {
	if e.talk == nil {
		e.talk = newTalk(e.t, e.messages, e.old, e.ledger.Standing, e.standing, e.beside)
	}
	out := e.talk.sections(size - 20)
	if out == [sections]string{} {
		out[dialogue] = e.talk.clipped(size - 20)
	}
	return WithStanding(e.layout.write(out), e.standing)
}

// enoughSession is the size, in characters, at which the digest of a session ends unless the session is long or the log
// needs more room for what its reader needs first. sessionPart divides the size of a long session to yield the size at
// which its digest ends.
const (
	enoughSession = 12000
	sessionPart   = 32
)

// source returns the size of the messages in bytes.
func (e *Extract) source() (size int) {
	for _, i := range e.messages {
		for _, p := range e.t.PartsOf(int(i)) {
			size += int(p.Size.Bytes)
		}
	}
	return size
}

// session returns the digest of a conversation with tool calls: standing instructions, the log of turns, passages of
// files, and the final state, such as running work, open errors, the plan and the changed files. size is the maximum
// size in bytes.
func (e *Extract) session(size int) string {
	if e.log == nil {
		old := e.old
		if _, known := readPlan(old[plan]); known {
			old[plan] = ""
		}
		e.log = newLog(e.t, e.messages, e.ledger, old, append(e.beside, e.standing), &e.plan)
		if n := len(e.messages); n > 0 {
			from := int(e.messages[n-1]) + 1
			e.log.goOn(e.t, from)
			e.log.plan.goOn(e.t, from)
		}
	}
	var out [sections]string
	size = min(size, max(e.log.bytesOf(enoughSession), e.source()/sessionPart, e.log.need()))
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
	out[guardrails] = e.standingBesideLog(w.log)
	return sessionLayout.write(out)
}
